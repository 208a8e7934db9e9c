"""Preregistration of a campaign or a study before it begins, as a file that is written once.

It holds the settings with their hash, the hypotheses, the exclusion rules, the planned test, the
planned number of ratings, and the results of a rehearsal of exactly these settings.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.utils import timezone

from webapp.statistics import VERSION
from webapp.study.design.value_checks import Refused
from webapp.study.models import Campaign, Study
from webapp.study.program import app_version
from webapp.study.rating import campaigns, exclusion, rating_plan
from webapp.study.rehearsal.requested import design_hash
from webapp.study.results import VERSION as RESULTS_VERSION

FORMAT = 1
COUNTED = (
    "First ratings count: no repeats, no attention checks, nobody who is excluded, nothing over "
    "quota. A missing rating is missing, never 0."
)
TESTED = (
    "Tests are two-sided, over raters and games (of a study over games) as docs/statistics.md "
    "describes. Those named in the settings (planned_analysis) and those chosen are confirmatory; "
    "every other comparison is exploratory. Either family has Holm's adjusted p."
)


@dataclass(frozen=True)
class Preregistration:
    """The parts of the file. tests: the planned one, and the method of all."""

    format: int
    frozen_at: str
    app_version: str
    campaign: Mapping[str, Any]
    hypotheses: str
    exclusions: Mapping[str, Any]
    tests: Mapping[str, Any]
    planned: Mapping[str, Any]
    rehearsal: Mapping[str, Any]


def build_preregistration(
    campaign: Campaign, rehearsal: Mapping[str, Any], hypotheses: str
) -> Preregistration:
    """Return the preregistration of the campaign now.

    Raises Refused if the settings are not those that were rehearsed, if there are ratings already,
    or if there is no hypothesis.
    """
    if faults := _faults(campaign, rehearsal, hypotheses):
        raise Refused(faults)
    plan_data = rating_plan.plan(campaign)
    settings = {name: getattr(campaign, name) for name in campaigns.LOCKED}
    games = campaign.chosen.order_by("game__code").values_list("game__code", "condition")
    about = {
        "code": campaign.code,
        "name": campaign.name,
        "config_hash": rehearsal["config_hash"],
        "settings": settings,
        "games": [list(row) for row in games],
    }
    rules = exclusion.rules_text(campaign)
    return Preregistration(
        format=FORMAT,
        frozen_at=timezone.now().isoformat(timespec="seconds"),
        app_version=app_version(),
        campaign=about,
        hypotheses=hypotheses.strip(),
        exclusions={"counted": COUNTED, "rules": campaign.exclusion, "told": rules},
        tests={"chosen": rehearsal["test"], "how": TESTED, "statistics_version": VERSION},
        planned={
            "raters": rehearsal["assumed"]["raters"],
            "raters_per_unit": campaign.raters_per_unit,
            "units": plan_data["units"],
            "units_by_condition": plan_data["by_condition"],
            "ratings": plan_data["ratings"],
            "minutes_per_rater": plan_data["minutes_per_rater"],
        },
        rehearsal=rehearsal,
    )  # fmt: skip


def of_study(
    study: Study, rehearsal: Mapping[str, Any], hypotheses: str, tests: str
) -> dict[str, Any]:
    """Return the preregistration of a study before anybody takes part.

    Raises Refused if people take part already, or if there is no hypothesis. rehearsal: of its
    design, {} for none. tests: the confirmatory ones, in words.
    """
    faults = []
    if study.participants.filter(consented_at__isnull=False).exists():
        faults.append("People take part already: a pre-registration comes before the first one.")
    if not (hypotheses.strip() and tests.strip()):
        faults.append("Say what you expect and which tests you plan: there is none.")
    if faults:
        raise Refused(faults)
    about = {"code": study.code, "name": study.name, "design": study.design, "seed": study.seed}
    return {
        "format": FORMAT,
        "frozen_at": timezone.now().isoformat(timespec="seconds"),
        "app_version": app_version(),
        "study": {**about, "design_hash": design_hash(study)},
        "hypotheses": hypotheses.strip(),
        "tests": {"chosen": tests.strip(), "how": TESTED, "statistics_version": RESULTS_VERSION},
        "rehearsal": dict(rehearsal),
    }


def _faults(campaign: Campaign, rehearsal: Mapping[str, Any], hypotheses: str) -> list[str]:
    faults = []
    if rehearsal.get("campaign") != campaign.code:
        faults.append("The rehearsal is not one of this campaign.")
    elif rehearsal.get("config_hash") != campaigns.config_hash(campaign):
        faults.append("The settings have changed since the rehearsal: rehearse once more.")
    if campaign.locked:
        faults.append("Ratings exist already: a pre-registration comes before the first one.")
    if not hypotheses.strip():
        faults.append("Say what you expect: there is no hypothesis.")
    return faults


def freeze(laid_down: Preregistration | Mapping[str, Any], file: Path) -> str:
    """Write the preregistration to `file`, and return its SHA-256 (hex).

    The hash is written beside it for `sha256sum -c`. Both files are read-only from then on. Raises
    FileExistsError if `file` exists.
    """
    data = asdict(laid_down) if isinstance(laid_down, Preregistration) else laid_down
    text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    _write_once(file, text)
    _write_once(file.with_name(f"{file.name}.sha256"), f"{digest}  {file.name}\n")
    return digest


def _write_once(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
