"""The pace of an experiment: games per hour, used budget, failed games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from webapp.study.design.stages import Design
from webapp.study.models import Slot, Study
from webapp.study.monitor import duration_text
from webapp.study.monitor.model_requests import RequestStats

MAX_RECENT_GAMES = 30  # the pace is that of the latest games
MAX_FAILED_SHOWN = 40
UNFINISHED_STATES = (Slot.FREE, Slot.PLAYING)


@dataclass(frozen=True)
class ExperimentPace:
    """The pace of an experiment.

    Attributes:
        per_hour: games in an hour; None before two have ended, and while no game begins.
        left: remaining duration as text, "" if unknown or over.
        costs: (name, used, expected for all games, limit); 0 if unknown or without a limit.
        reason: why the experiment is paused.
        failed: (number, cause) of games.
    """

    per_hour: float | None
    left: str
    costs: Sequence[tuple[str, float, float, float]]
    reason: str
    failed: Sequence[tuple[int, str]]


def find_pace(study: Study, design: Design, used: RequestStats) -> ExperimentPace:
    """Return the pace of an experiment, in five queries."""
    per_hour = _games_per_hour(study) if study.state == Study.OPEN else None
    missing = study.slots.filter(state__in=UNFINISHED_STATES).count()
    left = duration_text.format_duration(3600 * missing / per_hour) if per_hour and missing else ""
    paused = study.state == Study.PAUSED
    event = study.happenings.filter(what="paused").last() if paused else None
    failed = study.slots.filter(state=Slot.FAILED).values_list("index", "void_reason")
    return ExperimentPace(
        per_hour,
        left,
        _expected_costs(study, design, used, missing),
        event.reason if event else "",
        list(failed[:MAX_FAILED_SHOWN]),
    )


def _games_per_hour(study: Study) -> float | None:
    """Return the pace of the latest games, None before two have ended."""
    ended = study.slots.filter(state=Slot.DONE).order_by("-ended_at")
    times = [at for at in ended.values_list("ended_at", flat=True)[:MAX_RECENT_GAMES] if at]
    seconds = (times[0] - times[-1]).total_seconds() if times else 0
    return 3600 * (len(times) - 1) / seconds if seconds else None


def _expected_costs(
    study: Study, design: Design, used: RequestStats, missing: int
) -> list[tuple[str, float, float, float]]:
    """Return the costs with their expected sums.

    Conditions advance evenly, so missing games are expected to cost as much as ended ones.
    """
    budget = design.experiment.budget
    ended = study.slots.filter(ended_at__isnull=False).count()
    figures = (
        (_("requests"), used.asked, budget.requests),
        (_("tokens"), used.tokens_in + used.tokens_out, budget.tokens),
        (_("money"), sum(used.costs.values()), budget.money),
    )
    share = (ended + missing) / ended if ended else 0
    return [(name, spent, spent * share, limit) for name, spent, limit in figures if spent or limit]
