"""Runs a Python program with redacted output, as `python -m webapp.runtime.redacted_program`.

The arguments are `[-f] PROGRAM …`. PROGRAM is a module, or with `-f` a file. Secret keys are
removed from everything that it writes to its standard streams (`logs.py`): its log, an
access log, a traceback. Files that it creates are private to their owner (`private_files.py`).
"""

import runpy
import sys
from typing import TextIO, cast

from webapp.runtime.logs import RedactingStream
from webapp.runtime.private_files import set_private_umask


def main() -> None:
    set_private_umask()
    sys.stdout = cast(TextIO, RedactingStream(sys.stdout))
    sys.stderr = cast(TextIO, RedactingStream(sys.stderr))
    is_file = sys.argv[1] == "-f"
    sys.argv = sys.argv[2:] if is_file else sys.argv[1:]
    if is_file:
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
