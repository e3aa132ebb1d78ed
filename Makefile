# make run    opens the dashboard        make test   installs what tests need and runs them all
# make lint   style and types            make bench  speed, as ratios
# make docs   the documentation in site/, which loads nothing from elsewhere

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint bench docs clean

run: .venv/installed
	$(BIN)/streamlit run app.py

test: lint
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder # slow browser files start early

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed-dev
	for file in benchmarks/bench_*.py; do PYTHONPATH=. $(BIN)/python $$file || exit 1; done

docs: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

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
