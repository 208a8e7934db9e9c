#!/bin/sh
# Finds a Python that is new enough and hands over to install.py.
# In sh, because it must also speak clearly where Python is missing or too old to read install.py.
# PYTHON=… chooses the interpreter; otherwise a working .venv, else the first good one on PATH.
set -eu

good() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [ -n "${PYTHON:-}" ]; then
    if ! command -v "$PYTHON" >/dev/null 2>&1; then
        echo "fabula: PYTHON=$PYTHON is not a program that can be found here." >&2
        exit 1
    fi
    if ! good "$PYTHON"; then
        echo "fabula: PYTHON=$PYTHON does not run or is older than Python 3.11, which Fabula needs." >&2
        exit 1
    fi
    exec "$PYTHON" webapp/runtime/install.py --chosen "$@"
fi

for python in .venv/bin/python python3 python3.14 python3.13 python3.12 python3.11 python; do
    if command -v "$python" >/dev/null 2>&1 && good "$python"; then
        exec "$python" webapp/runtime/install.py "$@"
    fi
done
echo "fabula: Python 3.11 or newer is needed and none was found; install it, or point at one with PYTHON=/path/to/python3 make play." >&2
exit 1
