"""The separate process of a rehearsal, which has a scratch database.

The two processes exchange input, options and result in a folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.runtime import PROJECT_ROOT
from webapp.runtime.process_group import ProcessGroup
from webapp.study.design.refusals import Refused

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OPTIONS_FILE, RESULT_FILE, ARCHIVE_FILE = "assumed.json", "result.json", "data.zip"
PROGRESS_PREFIX = "rehearsal: "  # Begins the lines on stderr that report the progress.
MAX_ERROR_LINES = 20


def run_in_process(
    module: str,
    options: DataclassInstance,
    write_input: Callable[[Path], None],
    build_environment: Callable[[Path], Mapping[str, str]],
    on_progress: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Run `module` as a process and return the result that it writes (`write_result`).

    Args:
        write_input: Writes the input to the folder.
        build_environment: Returns the environment of the process, given the folder.
        on_progress: Called with each line that reports the progress.
        keep_archive: Called with the bytes of ARCHIVE_FILE, if the process has written it.

    Raises:
        Refused: The study could not be opened.
        RuntimeError: The process failed.
    """
    with tempfile.TemporaryDirectory(prefix="fabula-rehearsal-") as name:
        folder = Path(name)
        write_input(folder)
        (folder / OPTIONS_FILE).write_text(json.dumps(asdict(options)))
        _run_program(
            [sys.executable, "-m", module, str(folder)], build_environment(folder), on_progress
        )
        result: dict[str, Any] = json.loads((folder / RESULT_FILE).read_text())
        if keep_archive and (folder / ARCHIVE_FILE).exists():
            keep_archive((folder / ARCHIVE_FILE).read_bytes())
    if sentences := result.get("refused"):
        raise Refused(sentences)
    return result


def _run_program(
    command: list[str], environment: Mapping[str, str], on_progress: Callable[[str], None]
) -> None:
    """Run a command and pass on its reports of progress. Raise RuntimeError if it fails."""
    # The group's guard ends the process when this one is killed.
    with ProcessGroup(PROJECT_ROOT) as group, subprocess.Popen(
        command, cwd=PROJECT_ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=group.guard.pid,
    ) as process:  # fmt: skip
        assert process.stderr
        lines = []
        for line in process.stderr:
            lines.append(line.rstrip())
            if line.startswith(PROGRESS_PREFIX):
                on_progress(line.rstrip())
    if process.returncode:
        raise RuntimeError("\n".join(["the rehearsal failed", *lines[-MAX_ERROR_LINES:]]))


def read_options(folder: Path) -> dict[str, Any]:
    """Return the fields of the options of `run_in_process`. Called in the separate process."""
    options: dict[str, Any] = json.loads((folder / OPTIONS_FILE).read_text())
    return options


def write_result(folder: Path, rehearse: Callable[[], dict[str, Any]]) -> None:
    """Write the result of `rehearse`, or its refusal. Called in the separate process."""
    try:
        result = rehearse()
    except Refused as refused:
        result = {"refused": refused.sentences}
    (folder / RESULT_FILE).write_text(json.dumps(result))


def report_progress(text: str) -> None:
    """Report the progress to the other process. Called in the separate process."""
    sys.stderr.write(f"{PROGRESS_PREFIX}{text}\n")
    sys.stderr.flush()
