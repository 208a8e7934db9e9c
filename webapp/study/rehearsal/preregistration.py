"""The preregistration of a campaign or a study, as a file that is written once.

It contains the settings with their hash, the hypotheses, the exclusions, the planned tests and
numbers, and the results of a rehearsal of the same settings.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
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
    """Return the preregistration of a campaign or a study as it is now, or raise `Refused`."""
    if errors := list(_find_errors(subject, rehearsal, hypotheses)):
        raise Refused(errors)
    if isinstance(subject, Campaign):
        kind, parts = "campaign", _campaign_parts(subject, rehearsal)
    else:
        kind, parts = "study", _study_parts(subject, rehearsal)
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
    plan_data = rating_plan.build_plan(campaign)
    games = campaign.chosen_games.order_by("game__code").values_list("game__code", "condition")
    rules = exclusion.describe_rules(campaign)
    return {
        "campaign": {
            "settings": {name: getattr(campaign, name) for name in campaigns.FIXED_SETTINGS},
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
    subject: Campaign | Study, rehearsal: Mapping[str, Any], hypotheses: str
) -> Iterator[str]:
    if isinstance(subject, Campaign):
        code, config_hash = rehearsal.get("campaign"), campaigns.config_hash(subject)
        other_text = _("The rehearsal is not one of this campaign.")
        has_begun = subject.has_ratings
        begun_text = _("Ratings exist already. Preregister before the first rating.")
    else:
        code, config_hash = rehearsal.get("study"), studies.config_hash(subject)
        other_text = _("The rehearsal is not one of this study.")
        has_begun = subject.participants.filter(consented_at__isnull=False).exists()
        begun_text = _(
            "Participants have already consented. Preregister before the first one does."
        )
    if code != subject.code:
        yield other_text
    elif rehearsal.get("config_hash") != config_hash:
        yield _("The settings have changed since the rehearsal. Rehearse again.")
    if has_begun:
        yield begun_text
    if not hypotheses.strip():
        yield _("There is no hypothesis. Say what you expect.")


def write_preregistration(preregistration: Mapping[str, Any], file: Path) -> str:
    """Write the preregistration and its SHA-256 (hex) as new read-only files. Return the hash."""
    text = json.dumps(preregistration, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    _write_once(file, text)
    _write_once(file.with_name(f"{file.name}.sha256"), f"{digest}  {file.name}\n")
    return digest


def _write_once(file: Path, text: str) -> None:
    with file.open("x", encoding="utf-8") as handle:
        handle.write(text)
    file.chmod(0o400)
