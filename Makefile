# Short names for what contributors do; every target also works without make (see CONTRIBUTING.md).
PYTHON ?= .venv/bin/python

.PHONY: help setup format lint type test long docs ci clean

help:           ## Show this list.
	@grep -E '^[a-z]+: .*##' Makefile | sed -E 's/: *##/:/' | column -t -s ':'

setup:          ## Make .venv with everything for development.
	python3 start.py test --version

format:         ## Format and fix what can be fixed.
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format

lint:           ## Lint.
	$(PYTHON) -m ruff check

type:           ## Check types.
	$(PYTHON) -m pyright

test:           ## Lint, types and tests, as continuous integration runs them.
	python3 start.py test

long:           ## The tests that take minutes.
	$(PYTHON) -m pytest -m long

docs:           ## Build the documentation's site, with warnings as errors.
	python3 start.py docs

ci:             ## All of continuous integration, in a fresh environment.
	bash .ci/run

clean:          ## Remove what the tools left behind.
	rm -rf site .cache .venv .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
