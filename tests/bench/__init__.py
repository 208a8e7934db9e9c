"""Measurements. They need the development tools, which `make setup` does not install."""

import sys
from importlib.util import find_spec

if find_spec("psutil") is None:
    sys.exit("tests.bench needs the development tools: run `make develop` first.")
