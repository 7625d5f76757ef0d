# One line a target. `make reproduce` needs no data; FRESH=1 makes every run again on the real ones, in the folder DPFAIR_DATA.
PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
# pip refuses a file whose hash is not in requirements/; its advice would hide what dpfair says
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps
HASHED := $(INSTALL) --require-hashes

.PHONY: help setup dev deep test test-deep test-installed test-versions lint mutants mutants-quick reproduce try hashes lock check checksums error-rates forensics replicas bench bench-cost audit-libraries docs clean

help:            ## this list
	@sed -n 's/^\([a-z-]*\):.*##/\1\t/p' Makefile

setup: .venv/base  ## .venv with the exact versions of constraints.txt
dev: .venv/dev     ## the same with what tests and linters need
deep: .venv/deep   ## the same with torch and tabfairgdt, for xu2021, chapters 6, 7 and 9, lightgbm, for arcolezi2023, and pyarrow, for the real us

.venv/base: pyproject.toml requirements/setup.txt
	@$(PYTHON) -c "import sys; sys.exit('dpfair needs Python 3.11 or newer: make setup PYTHON=python3.11' if sys.version_info < (3, 11) else 0)"
	@echo "installing dpfair and its libraries into .venv (a minute)"
	@$(PYTHON) -m venv .venv && $(HASHED) -r requirements/setup.txt && $(INSTALL) --no-build-isolation -e . && touch $@

.venv/dev: .venv/base requirements/dev.txt
	@$(HASHED) -r requirements/dev.txt && touch $@

.venv/deep: .venv/base requirements/deep.txt requirements/torch.txt requirements/torch-cpu.txt
	@$(HASHED) -r requirements/deep.txt
	@$(HASHED) -r requirements/torch-cpu.txt || { echo "so the torch with CUDA is installed" && $(HASHED) -r requirements/torch.txt; }
	@touch $@

.venv/docs: .venv/base requirements/docs.txt
	@$(HASHED) -r requirements/docs.txt && touch $@

test: dev        ## all tests; those on real data need DPFAIR_DATA and say when they are skipped
	@$(BIN)/python -m compileall -q dpfair_cli experiments  # once, not in every process that a test starts
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal  # one process a processor

test-deep: dev deep  ## those that `make test` skips without torch, tabfairgdt or lightgbm, saying what to install
	$(BIN)/pytest -n auto -m deep --dist loadfile --no-loadscope-reorder $$(grep -rl "mark\.deep" tests experiments --include='test_*.py' | sort)

test-installed: dev  ## the wheel in clean environments, of this Python and the newest on the path (network, minutes)
	DPFAIR_TEST_INSTALL=1 $(BIN)/pytest tests/test_installed.py

test-versions: dev  ## a part of the tests, and committed runs again, with the lowest and the newest libraries (network, minutes)
	$(BIN)/python -m tests.library_versions

lint: dev        ## ruff and mypy
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

mutants: dev     ## privacy mistakes, planted one at a time: which the audit and the tests find (JOBS=2; resumes)
	$(BIN)/python -m tests.mutants.run --jobs $(JOBS)

mutants-quick: dev  ## the first one of every place (mechanism, accountant, ...); the audit is asked where no test finds it
	$(BIN)/python -m tests.mutants.run --jobs $(JOBS) --quick

reproduce: setup ## every table and figure from the committed runs, then proof on this machine (FRESH=1: every run again)
	@$(BIN)/dpfair reproduce $(if $(FRESH),--fresh)

try: setup       ## a QUICK trial: few and short runs of everything, on synthetic data where data are missing
	@$(BIN)/dpfair reproduce --quick

hashes: dev      ## after a change of pyproject.toml or constraints.txt: requirements/ again (network, seconds)
	$(BIN)/python -m tests.hashed_requirements

lock: dev        ## after a change of code: run a sample of its rows again, lock what comes out (ACCEPT=NAMES: what cannot run here)
	$(BIN)/python -m tests.code_lock.lock $(if $(ACCEPT),--accept $(ACCEPT))

check: setup     ## committed results against the published values
	$(BIN)/dpfair check --all

checksums: setup      ## how many rows published.csv and the journals have, and their SHA-256: after rows were meant to change
	$(BIN)/dpfair check --all --update-checksums

error-rates: setup  ## how often the rule of the verdicts is wrong on simulated papers: results/error-rates.md, ten minutes
	$(BIN)/python -m dpfair_cli.addons.error_rates

forensics: setup  ## findings in printed numbers, and how often such findings are wrong: results/forensics.md, one minute
	$(BIN)/python -m dpfair_cli.addons.forensics

replicas: dev    ## the synthetic tables in data/replicas again, to the byte (needs the real data)
	$(BIN)/python data/make_replicas.py --data-dir $${DPFAIR_DATA:-data}

bench: dev deep  ## bars of speed, memory and audits: ratios, side by side (FAMILY=training: one file; real data need DPFAIR_DATA)
	$(BIN)/python -m benchmarks.run $(FAMILY)

bench-cost: dev deep  ## what a fit costs over n, d, epsilons and seeds: slopes, and a picture, build/bench/cost.png
	$(BIN)/python -m benchmarks.cost

audit-libraries: dev  ## audits of releases of other libraries: results/audit-libraries.md (network, gigabytes, half an hour)
	$(BIN)/python -m benchmarks.audit_libraries

docs: .venv/docs ## the documentation, below docs/_build; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet docs docs/_build
	@grep -q noisy_majority docs/_build/adding.html || { echo "docs/adding.md does not show its example, the method noisy_majority"; exit 1; }

clean:           ## everything that can be made again, but not results and data
	rm -rf .venv .venv-* build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants docs/_build docs/papers docs/notebooks docs/reference results/quick
