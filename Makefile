# make run    opens the dashboard        make test   installs what tests need and runs them all
# make lint   style and types            make quick  the same without slow tests and browsers
# make bench  speed, as ratios

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test quick lint bench clean

run: .venv/installed
	$(BIN)/streamlit run app.py

# Browser tests mostly wait, so more workers than cores; slow files start early, and compiled tests are kept.
test quick: export PYTHONDONTWRITEBYTECODE =

test: lint
	$(BIN)/python -m pytest -n $$(($$(nproc) * 2)) --dist loadfile --no-loadscope-reorder

quick: .venv/installed-dev
	$(BIN)/python -m pytest -n auto -m "not slow and not browser"

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed-dev
	for file in benchmarks/bench_*.py; do PYTHONPATH=. $(BIN)/python $$file || exit 1; done

.venv/installed: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
