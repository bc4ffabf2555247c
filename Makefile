# Two commands set a fresh machine up and do the main job: `make setup` and `make compile`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: setup compile test test-z3 check fix bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

compile: setup
	$(BIN)/gtd compile archetypes -o out --jobs $(JOBS)

test: setup
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

# The same bytes with another Z3, one from 2024 if not said otherwise.
Z3 ?= 4.13.0.0
test-z3: setup
	$(PYTHON) -m venv $(VENV)-z3
	$(VENV)-z3/bin/python -m pip install --quiet --disable-pip-version-check --editable . z3-solver==$(Z3)
	GTD_OTHER_Z3=$(CURDIR)/$(VENV)-z3/bin/python $(BIN)/python -m pytest tests/compiler/test_z3_versions.py

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

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV)-z3 out .mypy_cache .pytest_cache .ruff_cache .hypothesis
