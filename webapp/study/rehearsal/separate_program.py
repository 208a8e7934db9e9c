"""The program of a rehearsal's separate process: `separate_program KIND FOLDER`.

A campaign is rehearsed with a scratch database. For a study a complete Fabula is started
(`webapp.runtime.separate_stack`: Redis, web, worker, sweeper, a database), unless the options name
a running site. Models are imported only after django.setup(), when the database is known.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path

import django

from webapp.runtime.separate_stack import Stack
from webapp.runtime.supervisor import Supervisor
from webapp.study.design.refusals import Refused
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions, StudyRunOptions
from webapp.study.rehearsal.separate_process import OPTIONS_FILE, RESULT_FILE, report_progress

DATABASE_FILE, DATA_FOLDER = "scratch.sqlite3", "data"
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps


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
