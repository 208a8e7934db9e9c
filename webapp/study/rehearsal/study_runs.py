"""Rehearsal of a study: simulated participants use its real pages in a separate Fabula.

`rehearse` takes a design and starts a process (`separate_process`), which calls `run`. It opens the
study on a Fabula of its own, lets `simulated_participants` take part, and exports the data. The
researcher's database is not involved, unless `StudyRunOptions.site` names a running site: then a
copy of the study is opened there, with slots and links of its own, and is deleted at the end.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webapp.study.data import studies as exports
from webapp.study.data.studies import ExportOptions
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design
from webapp.study.planning.expected_costs import expected_costs
from webapp.study.rehearsal import separate_process
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

DESIGN_FILE = "study.json"
FAULT_COUNTS = ("stuck", "answers_lost", "pay_wrong")  # counts in the results that should be 0
BUILT_IN_BACKEND = "house"
# (part of the design, setting) -> the shortest time in a rehearsal. It is the lowest value that a
# design allows, except for `ready` (5).
SHORTEST_TIMES_S = {
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
    """Rehearse a study, and return the results that docs/rehearsal.md lists, or raise `Refused`."""
    study_data = json.dumps({"name": name, "design": prepare_design(design, options.speed)})
    result = separate_process.run_in_process(
        "study",
        options,
        lambda folder: (folder / DESIGN_FILE).write_text(study_data),
        on_progress,
        keep_archive,
    )
    return {**result, "cost": _expected_cost_data(design)}


def _expected_cost_data(design: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expected cost of the study's requests to models, with its own backends."""
    parsed_design = Design.from_json(dict(design))
    costs = expected_costs(parsed_design, build_conditions(parsed_design))
    return {
        "requests": costs.requests,
        "tokens": costs.tokens,
        "money": {currency: round(amount, 2) for currency, amount in costs.money.items()},
        "unrecorded": list(costs.unrecorded),
    }


def prepare_design(design: Mapping[str, Any], speed: float) -> dict[str, Any]:
    """Return the design with built-in players in every seat, and with times divided by `speed`.

    So a rehearsal sends no requests to models.
    """
    faster_design: dict[str, Any] = json.loads(json.dumps(design))
    factors = faster_design.get("factors", [])
    levels = [level for factor in factors for level in factor["levels"]]
    for table in (faster_design["table"], *(level["table"] for level in levels)):
        table.pop("casting", None)
        if "backend" in table:
            table["backend"] = BUILT_IN_BACKEND
    if speed > 1:
        for (part, key), minimum in SHORTEST_TIMES_S.items():
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


def run(folder: Path, options: StudyRunOptions, url: str) -> dict[str, Any]:
    """Open the study of `folder`, run it at `url`, and write the archive of its data."""
    # Only the program imports it, because it loads a parser of HTML and a client of sockets.
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
