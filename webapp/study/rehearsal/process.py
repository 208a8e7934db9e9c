"""The separate process of a rehearsal, whose database is a scratch one.

Both processes exchange data in a folder: the input, the options, the result.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.runtime.process_group import ROOT, ProcessGroup
from webapp.study.design.refusals import Refused

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OPTIONS_FILE, RESULT_FILE, ARCHIVE_FILE = "assumed.json", "result.json", "data.zip"
PROGRESS_PREFIX = "rehearsal: "  # of a line on stderr that reports the progress
MAX_ERROR_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Assumptions of every rehearsal about the people.

    Attributes:
        effect: how much higher the favored condition is rated, in steps of a scale from 1 to 5.
        noise: standard deviation of one answer, in the same steps.
        dropout: share of the people who leave.
        careless: share of the people who answer carelessly.
    """

    effect: float = 0.0
    noise: float = 0.8
    dropout: float = 0.0
    careless: float = 0.0
    seed: str = "1"


def run_in_process(
    module: str,
    options: DataclassInstance,
    write_input: Callable[[Path], None],
    build_environment: Callable[[Path], Mapping[str, str]],
    on_progress: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Start `module` on a folder with the input, and wait for its result (`write_result`).

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
    # The group's orphan guard ends the process when this one is killed.
    with ProcessGroup(ROOT) as group, subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, process_group=group.guard.pid,
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
    """Return the fields of the `options` of `run_in_process`. Runs in the separate process."""
    options: dict[str, Any] = json.loads((folder / OPTIONS_FILE).read_text())
    return options


def write_result(folder: Path, rehearse: Callable[[], dict[str, Any]]) -> None:
    """Write the result of `rehearse`, or the refusal. Runs in the separate process."""
    try:
        result = rehearse()
    except Refused as refused:
        result = {"refused": refused.sentences}
    (folder / RESULT_FILE).write_text(json.dumps(result))


def report_progress(text: str) -> None:
    """Report the progress to the other process. Runs in the separate process."""
    sys.stderr.write(f"{PROGRESS_PREFIX}{text}\n")
    sys.stderr.flush()
