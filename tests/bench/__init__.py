"""Measurements. They need the development tools, which `make setup` does not install."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec

if find_spec("psutil") is None:
    sys.exit("tests.bench needs the development tools: run `make develop` first.")


def measure_apart(name: str, **settings: str) -> None:
    """Run `measure` of the module `name` in a separate process with an empty database.

    Args:
        name: Module of this package.
        settings: Additional environment variables. "{data}" is the folder of the database.
    """
    from tests.live import isolated_environment
    from webapp.runtime import PROJECT_ROOT

    code = f"from tests.bench import {name}; {name}.measure()"
    with tempfile.TemporaryDirectory(prefix="fabula-bench-") as data:
        env = isolated_environment() | {
            key: text.format(data=data) for key, text in settings.items()
        }
        for command in (["manage.py", "migrate", "-v0"], ["-c", code]):
            subprocess.run([sys.executable, *command], cwd=PROJECT_ROOT, env=env, check=True)
