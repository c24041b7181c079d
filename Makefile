# What developers run. Needs Python 3.11 or newer, make and a C library; everything else comes into .venv.

VENV := .venv
RUN := $(VENV)/bin/python
# The first of these that is new enough makes the .venv. Another one: make PYTHON=...
PYTHON ?= python3
PYTHONS := $(PYTHON) python3.14 python3.13 python3.12 python3.11
# Live tests wait more than they work: one more than there are processors. Each worker has a control plane of 0.7 GB.
WORKERS ?= $(shell $(RUN) -c 'import os; print(min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(), 3) + 1)')
TESTS ?=
# Of each property, in make fuzz.
EXAMPLES ?= 20000

.PHONY: help demo test bench lint fuzz bed bed-moves clean

help:
	@echo "make demo    audit a bundled cluster in the middle of a move"
	@echo "make test    all tests (TESTS=tests/objects for some of them)"
	@echo "make lint    style, types and the walls between the rooms"
	@echo "make bench   measure against the budgets, on a cluster of 50,000 pods"
	@echo "make fuzz    property tests with many examples (EXAMPLES=200000 for hours)"
	@echo "make bed     a real cluster to play with, until Ctrl-C"
	@echo "make bed-moves  one whose nodes can be moved to DRA and back, until Ctrl-C"
	@echo "make clean   remove everything that was made here"

# Stamped by the content of the two files, for a checkout gives them any date.
$(VENV)/stamp: pyproject.toml constraints.txt
	@if [ -f $@ ] && cat $^ | cksum | cmp -s - $@; then touch $@; exit 0; fi; \
	for python in $(PYTHONS); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi; python=; \
	done; \
	if [ -z "$$python" ]; then echo "no Python 3.11 or newer: make PYTHON=/path/to/python" >&2; exit 1; fi; \
	set -e; \
	if [ ! -x $(RUN) ]; then echo "making $(VENV) with $$($$python --version)"; $$python -m venv $(VENV); fi; \
	$(RUN) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'; \
	cat $^ | cksum > $@

demo: $(VENV)/stamp
	@$(VENV)/bin/kubectl-dra audit --demo --fail-on never
	@$(VENV)/bin/kubectl-dra audit --demo > /dev/null 2>&1 || status=$$?; \
	echo; echo "Without --fail-on never the exit status would have been $${status:-0}."

# One run: tests that need no cluster come first, while the bed's binary is built at low priority.
test: $(VENV)/stamp
	@$(RUN) -m pytest -n $(WORKERS) --maxschedchunk=1 $(PYTEST_FLAGS) $(TESTS)

lint: $(VENV)/stamp
	@$(RUN) -m ruff check --quiet
	@$(RUN) -m ruff format --check --quiet
	@$(RUN) -m mypy --no-error-summary
	@$(VENV)/bin/lint-imports --no-logo

bench: $(VENV)/stamp
	@$(RUN) -m tests.benchmarks

fuzz: $(VENV)/stamp
	@HYPOTHESIS_PROFILE=fuzz FUZZ_EXAMPLES=$(EXAMPLES) $(RUN) -m pytest -n $(WORKERS) -m hypothesis --hypothesis-show-statistics -o timeout=0 $(TESTS)

bed: $(VENV)/stamp
	@$(RUN) -m tests.bed.by_hand

bed-moves: $(VENV)/stamp
	@$(RUN) -m tests.bed.by_hand --moves

clean:
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build *.egg-info
