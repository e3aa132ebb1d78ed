# make run    opens the dashboard        make test   installs what tests need and runs them
# make long   large sizes, crowds, benchmarks, notebooks, journeys through several programs and the oldest versions, which make test leaves
#             out for its time
# make load   many browser tabs at once, through real websockets, against the limits
# make quick  the same without lint, slow tests and browsers, in a minute
# make lint   style and types            make bench  speed, as ratios (ADULT=adult.csv writes docs/benchmarks.md)
# make lock   pins in the three requirements files what pyproject.toml asks for (UPGRADE=--upgrade takes the newest)
# make test-oldest   fast tests of what calls other libraries, on the oldest versions that pyproject.toml allows (part of make long)
# make audit  known vulnerabilities of the locked versions, and what bandit finds in the code
# make fuzz   coverage-guided fuzzing of everything that is read: a minute for each target (SECONDS=600 for longer)
# make docs   the documentation in site/, which loads nothing from elsewhere

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test programs suite long quick test-oldest lint audit fuzz bench load docs lock clean

run: .venv/installed
	$(BIN)/rrcore app

# Browser tests mostly wait, so more workers than cores; slow files start early, and compiled tests are kept.
WORKERS = $$($(PYTHON) -c "import os; print(2 * os.cpu_count())")
test suite long quick: export PYTHONDONTWRITEBYTECODE =

test: .venv/installed-dev programs # types are checked while tests wait
	$(MAKE) --no-print-directory --jobs=2 lint suite

programs:
	-@sh tools/programs.sh

suite: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not long"

long: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m long $$(grep -rl --include='*.py' 'mark\.long' tests)
	$(MAKE) --no-print-directory test-oldest

quick: .venv/installed-dev
	$(BIN)/python -m pytest -n auto -m "not slow and not browser and not long"

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: .venv/installed-audit
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive rrcore pages app.py navigation.py
	$(BIN)/python tools/dependencies.py

fuzz: .venv/installed-audit
	$(BIN)/python -m fuzz --seconds $(or $(SECONDS),60)

bench: .venv/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks $(if $(ADULT),--page "$(ADULT)") $(BENCHMARKS)

load: .venv/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks load

docs: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock"

lock: .venv/installed-dev
	$(LOCK) pyproject.toml --extra all $(UPGRADE) --output-file requirements.txt
	$(LOCK) --no-deps --group dev $(UPGRADE) --output-file requirements-dev.txt
	$(LOCK) --no-deps --group audit $(UPGRADE) --output-file requirements-audit.txt

OLDEST := $(addprefix tests/,table estimate plots ledger papers/lopub cli receiver pages/test_data.py pages/test_start.py test_face.py)

test-oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest -n auto -m "not slow and not browser and not long" $(OLDEST)

.venv-oldest/installed: .venv/installed-dev pyproject.toml
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-oldest
	$(BIN)/uv pip install --quiet --python .venv-oldest --resolution lowest-direct --editable '.[all]' -r requirements-dev.txt
	touch $@

.venv/installed: requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

.venv/installed-audit: .venv/installed-dev requirements-audit.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-audit.txt
	touch $@

clean:
	rm -rf .venv .venv-oldest dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
