"""The separate process of a rehearsal, whose database is a scratch one.

Both processes exchange data in a folder: the input, the assumptions, the result.
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
from webapp.study.design.value_checks import Refused

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ASSUMED, RESULT, ARCHIVE = "assumed.json", "result.json", "data.zip"
PROGRESS_PREFIX = "rehearsal: "  # prefix of a line that reports the progress


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


def run_apart(
    module: str,
    options: DataclassInstance,
    write_input: Callable[[Path], None],
    env: Callable[[Path], Mapping[str, str]],
    say: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Start `module` on a folder with the input, and wait for its result (`finish`).

    Args:
        env: The environment of the process, given the folder.
        say: Called with each line that reports the progress.
        keep_archive: Called with the bytes of the file ARCHIVE, if the process has written it.

    Raises:
        Refused: The study could not be opened.
        RuntimeError: The process failed.
    """
    with tempfile.TemporaryDirectory(prefix="fabula-rehearsal-") as name:
        folder = Path(name)
        write_input(folder)
        (folder / ASSUMED).write_text(json.dumps(asdict(options)))
        _run([sys.executable, "-m", module, str(folder)], env(folder), say)
        result: dict[str, Any] = json.loads((folder / RESULT).read_text())
        if keep_archive and (folder / ARCHIVE).exists():
            keep_archive((folder / ARCHIVE).read_bytes())
    if faults := result.get("refused"):
        raise Refused(faults)
    return result


def _run(command: list[str], env: Mapping[str, str], say: Callable[[str], None]) -> None:
    # The group's orphan guard ends the process when this one is killed.
    with ProcessGroup(ROOT) as group, subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, process_group=group.guard.pid,
    ) as process:  # fmt: skip
        assert process.stderr
        lines = []
        for line in process.stderr:
            lines.append(line.rstrip())
            if line.startswith(PROGRESS_PREFIX):
                say(line.rstrip())
    if process.returncode:
        raise RuntimeError("\n".join(["the rehearsal failed", *lines[-20:]]))


def read_assumed(folder: Path) -> dict[str, Any]:
    """Return the fields of the `options` given to `run_apart`. Runs in the separate process."""
    options: dict[str, Any] = json.loads((folder / ASSUMED).read_text())
    return options


def finish(folder: Path, rehearse: Callable[[], dict[str, Any]]) -> None:
    """Write the result of `rehearse`, or the refusal. Runs in the separate process."""
    try:
        result = rehearse()
    except Refused as refused:
        result = {"refused": refused.sentences}
    (folder / RESULT).write_text(json.dumps(result))


def report(text: str) -> None:
    """Report the progress. Runs in the separate process."""
    sys.stderr.write(f"{PROGRESS_PREFIX}{text}\n")
    sys.stderr.flush()
