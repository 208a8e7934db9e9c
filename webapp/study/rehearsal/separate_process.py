"""The separate process of a rehearsal, which runs `main`: its start, its work and its result.

The two processes exchange input, options and result in a folder. A campaign is rehearsed with a
scratch database. For a study a complete Fabula is started (`webapp.runtime.separate_stack`: Redis,
web, worker, sweeper, a database), unless the options name a running site. Models are imported only
after django.setup(), when the database is known.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from webapp.runtime import PROJECT_ROOT
from webapp.runtime.process_group import ProcessGroup
from webapp.runtime.separate_stack import Stack
from webapp.runtime.supervisor import Supervisor
from webapp.study.design.refusals import Refused
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions, StudyRunOptions

OPTIONS_FILE, RESULT_FILE, ARCHIVE_FILE = "assumed.json", "result.json", "data.zip"
PROGRESS_PREFIX = "rehearsal: "  # Begins the lines on stderr that report the progress.
DATABASE_FILE, DATA_FOLDER = "scratch.sqlite3", "data"
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps
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
        program = ("webapp.study.rehearsal.separate_process", kind, name)
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


def main(kind: str, folder: Path) -> None:
    """Rehearse what `run_in_process` has written to the folder, and write the result there."""
    option_fields = json.loads((folder / OPTIONS_FILE).read_text())
    os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.settings"
    if kind == "campaign":
        os.environ["DATABASE_URL"] = f"sqlite:///{folder / DATABASE_FILE}"
        os.environ["FABULA_DATA"] = str(folder)
        _write_result("campaign_runs", folder, CampaignRunOptions(**option_fields))
        return
    options = StudyRunOptions(**option_fields)
    site = nullcontext(options.site) if options.site else _separate_site(folder, options)
    with site as url:
        _write_result("study_runs", folder, options, url)


def _write_result(module: str, folder: Path, *arguments: object) -> None:
    """Write the result of the module's `run`, or its refusal, for the other process."""
    django.setup()
    run = import_module(f"webapp.study.rehearsal.{module}").run
    try:
        result = run(folder, *arguments)
    except Refused as refused:
        result = {"refused": refused.sentences}
    (folder / RESULT_FILE).write_text(json.dumps(result))


@contextmanager
def _separate_site(folder: Path, options: StudyRunOptions) -> Iterator[str]:
    """Start a Fabula and use its database in this process. Yield its address."""
    data = folder / DATA_FOLDER
    data.mkdir(mode=0o700, exist_ok=True)
    # Other variables of the site, such as its address and budget, do not apply.
    for name in set(os.environ) - set(KEPT_VARIABLES):
        if name.startswith("FABULA_"):
            del os.environ[name]
    report_progress("a Fabula of its own is started …")
    with (
        Stack(data, env={"FABULA_CROWD": str(max(40, options.participants))}) as stack,
        supervise(stack, report_progress),
    ):
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        yield stack.url


@contextmanager
def supervise(stack: Stack, on_progress: Callable[[str], None]) -> Iterator[None]:
    """In the block, restart processes of the stack that die, as `make play` does.

    If a process keeps dying, this program exits and prints the supervisor's reason.
    """
    is_over = threading.Event()

    def watch() -> None:
        try:
            Supervisor(stack.group, on_progress).wait(is_over.is_set, seconds=None)
        except Exception:  # a thread's error does not end the process by itself
            traceback.print_exc()
            os._exit(1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
