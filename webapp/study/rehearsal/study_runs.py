"""Rehearsal of a study: simulated participants use its real pages in a separate Fabula.

`rehearse` takes a design and starts this module as a process. That process starts a complete Fabula
in a temporary folder (`webapp.runtime.separate_stack`: Redis, web, worker, sweeper, a database),
opens the study there, lets `simulated_participants` take part, and exports the data. The
researcher's database is not involved, unless `StudyRunOptions.site` names a running site: then a
copy of the study is opened there, with slots and links of its own, and is deleted at the end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webapp.study.rehearsal import separate_process
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

if TYPE_CHECKING:
    from webapp.runtime.separate_stack import Stack

# Functions import models locally: `main` runs this module as a program, and models can be imported
# only after django.setup().

DESIGN_FILE, DATA_FOLDER = "study.json", "data"
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps
FAULT_COUNTS = ("stuck", "answers_lost", "pay_wrong")  # counts in the results that should be 0
BUILT_IN_BACKEND = "house"  # its players send no requests to models
# (part of the design, setting) -> the lowest value that the design or the site allows.
MINIMA = {
    ("waiting", "least"): 0, ("waiting", "leave_paid_after"): 0, ("waiting", "most"): 30,
    ("waiting", "ready"): 10, ("dropout", "grace"): 10,
}  # fmt: skip


def rehearse(
    name: str,
    design: Mapping[str, Any],
    options: StudyRunOptions,
    on_progress: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Rehearse a study, and return the results that docs/rehearsal.md lists, or raise `Refused`.

    `keep_archive` is called with the ZIP of the simulated data.
    """

    def write_design(folder: Path) -> None:
        study_data = {"name": name, "design": speed_up(design, options.speed)}
        (folder / DESIGN_FILE).write_text(json.dumps(study_data))

    env = _build_site_environment if options.site else _build_environment
    result = separate_process.run_in_process(
        __name__, options, write_design, env, on_progress, keep_archive
    )
    return {**result, "cost": _expected_cost_data(design)}


def _expected_cost_data(design: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expected cost of the study's requests to models, with its own backends."""
    from webapp.study.design import conditions
    from webapp.study.design.stages import Design
    from webapp.study.planning.expected_costs import expected_costs

    parsed_design = Design.from_json(dict(design))
    costs = expected_costs(parsed_design, conditions.build_conditions(parsed_design))
    return {
        "requests": costs.requests,
        "tokens": costs.tokens,
        "money": {currency: round(amount, 2) for currency, amount in costs.money.items()},
        "unrecorded": list(costs.unrecorded),
    }


def _build_site_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


def _build_environment(folder: Path) -> dict[str, str]:
    # Other variables of the site, such as its address and budget, do not apply.
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("FABULA_") or name in KEPT_VARIABLES
    }
    return {**env, "FABULA_DATA": str(folder / DATA_FOLDER)}


def speed_up(design: Mapping[str, Any], speed: float) -> dict[str, Any]:
    """Return the design with built-in players in every seat, and with faster clocks.

    Waiting, grace, practice and idle times are divided by `speed`.
    """
    from webapp.study.design.stages import Design

    faster_design: dict[str, Any] = json.loads(json.dumps(design))
    factors = faster_design.get("factors", [])
    levels = [level for factor in factors for level in factor["levels"]]
    for table in (faster_design["table"], *(level["table"] for level in levels)):
        table.pop("casting", None)
        if "backend" in table:
            table["backend"] = BUILT_IN_BACKEND
    if speed > 1:
        for (part, key), minimum in MINIMA.items():
            if key in faster_design.get(part, {}):
                faster_design[part][key] = max(minimum, round(faster_design[part][key] / speed))
        for stage in faster_design["stages"]:
            if stage["kind"] == "practice" and stage.get("minutes"):
                stage["minutes"] = max(1, round(stage["minutes"] / speed))
        # `design` lacks settings that have their default.
        complete_stages = Design.from_json(dict(design)).stages
        for stage, settings in zip(faster_design["stages"], complete_stages, strict=True):
            if settings.idle_minutes:
                stage["idle_minutes"] = max(1, round(settings.idle_minutes / speed))
    return faster_design


def main(folder: Path) -> None:
    """Rehearse on a separate Fabula in `folder`, or on a site. Runs in the separate process."""
    from webapp.runtime.separate_stack import Stack

    options = StudyRunOptions(**separate_process.read_options(folder))
    if options.site:
        rehearse_on_site = partial(_rehearse_at_url, options.site, folder, options)
        separate_process.write_result(folder, rehearse_on_site)
        return
    data = folder / DATA_FOLDER
    data.mkdir(mode=0o700, exist_ok=True)
    separate_process.report_progress("a Fabula of its own is started …")
    with (
        Stack(data, env={"FABULA_CROWD": str(max(40, options.participants))}) as stack,
        supervise(stack, separate_process.report_progress),
    ):
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        separate_process.write_result(folder, lambda: _rehearse_at_url(stack.url, folder, options))


@contextmanager
def supervise(stack: Stack, on_progress: Callable[[str], None]) -> Iterator[None]:
    """In the block, restart processes of the stack that die, as `make play` does.

    If a process keeps dying, this program exits and prints the supervisor's reason.
    """
    from webapp.runtime.supervisor import Supervisor

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


def _rehearse_at_url(url: str, folder: Path, options: StudyRunOptions) -> dict[str, Any]:
    """Open the study of `folder`, run it at `url`, and write the archive of its data."""
    import django

    django.setup()
    from webapp.study.data import studies as exports
    from webapp.study.data.studies import ExportOptions
    from webapp.study.rehearsal import simulated_participants

    if options.site:
        simulated_participants.delete_abandoned_rehearsals()
    study_data = json.loads((folder / DESIGN_FILE).read_text())
    study = simulated_participants.open_study(study_data, options)
    try:
        result = simulated_participants.run_study(study, url, options)
        archive = exports.build_zip(study, ExportOptions(payments=True))
        (folder / separate_process.ARCHIVE_FILE).write_bytes(archive)
    finally:
        if options.site:
            simulated_participants.delete_rehearsal(study)
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1]))
