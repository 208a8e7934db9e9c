"""The preregistration of a campaign or a study, as a file that is written once.

It contains the settings with their hash, the hypotheses, the exclusions, the planned tests and
numbers, and the results of a rehearsal of the same settings.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.statistics import VERSION
from webapp.study.design.refusals import Refused
from webapp.study.models import Campaign, Study
from webapp.study.planning import studies, study_plan
from webapp.study.program import app_version
from webapp.study.rating import campaigns, exclusion, rating_plan
from webapp.study.results import VERSION as RESULTS_VERSION

FORMAT_VERSION = 1
RATINGS_COUNTED = (
    "First ratings count: no repeats, no attention checks, nobody who is excluded, nothing over "
    "quota. A missing rating is missing, never 0."
)
GAMES_COUNTED = (
    "Games that became void do not count, nor answers of people who withdrew or were excluded "
    "(docs/study-results.md). Everybody else who played counts (intention to treat)."
)
TESTS_DESCRIPTION = (
    "Tests are two-sided, as docs/statistics.md describes: over raters and games for a campaign, "
    "over games for a study. Tests named in the settings are confirmatory. All others are "
    "exploratory, including a rehearsed test that the settings do not name. p values are "
    "Holm-adjusted within each family. With an interim look, confirmatory tests are compared with "
    ".0052 at the look and .0480 at the end."
)


def build_preregistration(
    subject: Campaign | Study, rehearsal: Mapping[str, Any], hypotheses: str
) -> dict[str, Any]:
    """Return the preregistration of a campaign or a study as it is now.

    Raises:
        Refused: The rehearsed settings differ, ratings or participants exist already, or there is
            no hypothesis.
    """
    kind = "campaign" if isinstance(subject, Campaign) else "study"
    if errors := _find_errors(subject, kind, rehearsal, hypotheses):
        raise Refused(errors)
    parts = (
        _campaign_parts(subject, rehearsal)
        if isinstance(subject, Campaign)
        else _study_parts(subject, rehearsal)
    )
    identity = {"code": subject.code, "name": subject.name, "config_hash": rehearsal["config_hash"]}
    return {
        "format": FORMAT_VERSION,
        "frozen_at": timezone.now().isoformat(timespec="seconds"),
        "app_version": app_version(),
        **parts,
        kind: {**identity, **parts[kind]},
        "hypotheses": hypotheses.strip(),
        "tests": {**parts["tests"], "how": TESTS_DESCRIPTION},
        "rehearsal": dict(rehearsal),
    }


def _campaign_parts(campaign: Campaign, rehearsal: Mapping[str, Any]) -> dict[str, Any]:
    plan_data = rating_plan.plan(campaign)
    games = campaign.chosen_games.order_by("game__code").values_list("game__code", "condition")
    rules = exclusion.describe_rules(campaign)
    return {
        "campaign": {
            "settings": {name: getattr(campaign, name) for name in campaigns.LOCKED_SETTINGS},
            "games": [list(row) for row in games],
        },
        "exclusions": {"counted": RATINGS_COUNTED, "rules": campaign.exclusion, "told": rules},
        "tests": {"chosen": rehearsal["test"], "statistics_version": VERSION},
        "planned": {
            "raters": rehearsal["assumed"]["raters"],
            "raters_per_unit": campaign.raters_per_unit,
            "units": plan_data["units"],
            "units_by_condition": plan_data["by_condition"],
            "ratings": plan_data["ratings"],
            "minutes_per_rater": plan_data["minutes_per_rater"],
        },
    }


def _study_parts(study: Study, rehearsal: Mapping[str, Any]) -> dict[str, Any]:
    plan_data = study_plan.build_plan(study)
    return {
        "study": {"design": study.design, "seed": study.seed},
        "exclusions": {"counted": GAMES_COUNTED},
        "tests": {
            "planned": study.design.get("analysis", {}),
            "chosen": [test_result["test"] for test_result in rehearsal["tests"]],
            "statistics_version": RESULTS_VERSION,
        },
        "planned": {
            "conditions": [condition.name for condition in plan_data.conditions],
            "games": plan_data.games,
            "people": plan_data.people,
            "minutes_per_person": plan_data.minutes,
        },
    }


def _find_errors(
    subject: Campaign | Study, kind: str, rehearsal: Mapping[str, Any], hypotheses: str
) -> list[str]:
    errors = []
    config_hash = campaigns.config_hash if isinstance(subject, Campaign) else studies.config_hash
    if rehearsal.get(kind) != subject.code:
        errors.append(
            _("The rehearsal is not one of this campaign.")
            if isinstance(subject, Campaign)
            else _("The rehearsal is not one of this study.")
        )
    elif rehearsal.get("config_hash") != config_hash(subject):  # type: ignore[arg-type]
        errors.append(_("The settings have changed since the rehearsal. Rehearse again."))
    if isinstance(subject, Campaign) and subject.is_locked:
        errors.append(_("Ratings exist already. Preregister before the first rating."))
    if (
        isinstance(subject, Study)
        and subject.participants.filter(consented_at__isnull=False).exists()
    ):
        errors.append(
            _("Participants have already consented. Preregister before the first one does.")
        )
    if not hypotheses.strip():
        errors.append(_("There is no hypothesis. Say what you expect."))
    return errors


def write_preregistration(preregistration: Mapping[str, Any], file: Path) -> str:
    """Write the preregistration to `file`, and its hash beside it. Both are read-only.

    Returns:
        The SHA-256 (hex), which `sha256sum -c` checks.

    Raises:
        FileExistsError: One of the two files exists.
    """
    text = json.dumps(preregistration, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    _write_once(file, text)
    _write_once(file.with_name(f"{file.name}.sha256"), f"{digest}  {file.name}\n")
    return digest


def _write_once(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
