"""The separate process of a rehearsal (`separate_program`): its start and its result.

The two processes exchange input, options and result in a folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from webapp.runtime import PROJECT_ROOT
from webapp.runtime.process_group import ProcessGroup
from webapp.study.design.refusals import Refused
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions, StudyRunOptions

OPTIONS_FILE, RESULT_FILE, ARCHIVE_FILE = "assumed.json", "result.json", "data.zip"
PROGRESS_PREFIX = "rehearsal: "  # Begins the lines on stderr that report the progress.
MAX_ERROR_LINES = 20


def run_in_process(
    kind: str,
    options: CampaignRunOptions | StudyRunOptions,
    write_input: Callable[[Path], object],
    on_progress: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Rehearse a "study" or a "campaign" in a process and return the result.

    `write_input` writes the input to the folder. `keep_archive` gets the bytes of ARCHIVE_FILE, if
    the process has written it. Raise `Refused` if the study could not be opened, and RuntimeError
    if the process failed.
    """
    with tempfile.TemporaryDirectory(prefix="fabula-rehearsal-") as name:
        folder = Path(name)
        write_input(folder)
        (folder / OPTIONS_FILE).write_text(json.dumps(asdict(options)))
        program = ("webapp.study.rehearsal.separate_program", kind, name)
        _run_program([sys.executable, "-m", *program], on_progress)
        result: dict[str, Any] = json.loads((folder / RESULT_FILE).read_text())
        if keep_archive and (folder / ARCHIVE_FILE).exists():
            keep_archive((folder / ARCHIVE_FILE).read_bytes())
    if sentences := result.get("refused"):
        raise Refused(sentences)
    return result


def _run_program(command: Sequence[str], on_progress: Callable[[str], None]) -> None:
    """Run a command and pass on its reports of progress. Raise RuntimeError if it fails."""
    # The group's guard ends the process when this one is killed.
    with ProcessGroup(PROJECT_ROOT) as group, subprocess.Popen(
        command, cwd=PROJECT_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
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


def report_progress(text: str) -> None:
    """Report the progress to the other process. Called in the separate process."""
    sys.stderr.write(f"{PROGRESS_PREFIX}{text}\n")
    sys.stderr.flush()
