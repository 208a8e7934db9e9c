# The ways in. `make play` alone is enough; everything it needs goes into .venv and .data.
#   PYTHON=python3.12   the interpreter .venv is made with (any from 3.11 on)
#   PORT, HOST, FABULA_DATA, DATABASE_URL, REDIS_URL …   see docs/running.md

.DEFAULT_GOAL := help
.PHONY: help setup develop play test test-live test-others check types lint bench

BIN := .venv/bin

help:
	@echo "make play    installs what is missing, starts everything, prints the address"
	@echo "make setup   only installs what the game needs into .venv"
	@echo "make test    installs the development tools and runs every test"
	@echo "make check   format, lint, types, templates, import contracts, migrations"
	@echo "make bench   runs the measurements of tests/bench"

setup:
	@sh webapp/runtime/bootstrap.sh

develop:
	@sh webapp/runtime/bootstrap.sh --develop

play: setup
	@exec $(BIN)/python -m webapp.runtime --end-with-parent

# A file of tests stays in one process: what its tests share is made once. The longest files come
# first (tests/conftest.py). Browsers, and whatever else starts real processes, run apart from the
# others: Playwright leaves an event loop behind that those would trip over. These `live` tests
# mostly wait and have time limits, so the others run beside them with the processor time they leave.
#
# Where Python is kept from writing what it compiles, every process would compile everything again;
# an empty value lets it write.
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder
test: export PYTHONDONTWRITEBYTECODE :=
test: develop
	@FABULA_CHROMIUM="$$($(BIN)/python -m tests.chromium)" && export FABULA_CHROMIUM \
	&& FABULA_TEST_FILES="$$(mktemp -d)" && export FABULA_TEST_FILES \
	&& trap 'rm -rf "$$FABULA_TEST_FILES"' EXIT INT TERM \
	&& $(MAKE) --no-print-directory -j 2 test-live test-others

test-live:
	$(PYTEST) -n 3 -m "live or browser" tests

test-others:
	nice $(PYTEST) -n 2 -m "not live and not browser" tests

check: develop
	@nice $(MAKE) --no-print-directory -j 2 types lint

types:
	$(BIN)/mypy game agents webapp

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --check --lint --quiet templates
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: develop
	$(BIN)/python -m tests.bench
