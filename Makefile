# The ways in. `make play` alone is enough; everything it needs goes into .venv and .data.
#   PYTHON=python3.12   the interpreter .venv is made with (any from 3.11 on)
#   PORT, HOST, FABULA_DATA, DATABASE_URL, REDIS_URL …   see docs/running.md

.DEFAULT_GOAL := help
.PHONY: help setup develop play test check bench

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

# A file of tests stays in one process: what its tests share is made once. The browsers come second,
# apart from most others: Playwright leaves an event loop behind that those would trip over. With
# them comes BESIDE: real processes of its own, nothing killed, no time measured, nothing run in
# the main thread's loop. What kills and starts processes comes last and alone: it measures time.
#
# Where Python is kept from writing what it compiles, every process would compile everything again;
# an empty value lets it write.
test: export PYTHONDONTWRITEBYTECODE :=
test: BESIDE := tests/faults/test_strange_input.py tests/runtime/test_backups.py
test: develop
	@FABULA_CHROMIUM="$$($(BIN)/python -m tests.chromium)" && export FABULA_CHROMIUM \
	&& $(BIN)/python -m pytest -n 2 --dist loadfile -m "not live and not browser" tests \
	&& $(BIN)/python -m pytest -n 2 --dist loadfile -m "live or browser" tests/browser $(BESIDE) \
	&& $(BIN)/python -m pytest -m "live or browser" $(addprefix --ignore=,tests/browser $(BESIDE)) tests

check: develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy game agents webapp
	$(BIN)/djlint --check --lint --quiet templates
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: develop
	$(BIN)/python -m tests.bench
