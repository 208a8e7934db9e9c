"""Looks at the tests of a campaign or a study before its end.

Whoever looks at p and then decides when to stop finds what is not there. So tests and intervals are
hidden until a campaign is closed or has all its ratings, or a study has ended. A look before that
is recorded with its time and the number of ratings (of a study: games), and exported. So is a look
after closing, because a campaign or a study can be opened again. One look may be planned, at half
of them, with O'Brien and Fleming's bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from webapp.statistics.comparison_design import FINAL_ALPHA, INTERIM_ALPHA
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Happening, Slot, Study
from webapp.study.rating.rater_exits import count_answers
from webapp.study.sessions import audit_events, slots

SEEN = "results_seen"
PLANNED, UNPLANNED, CLOSED = "planned interim look", "unplanned look", "look after closing"
INTERIM = (0.5, 0.6)  # shares of the ratings between which the planned look may be taken
HIDDEN = {"value": None, "why": "hidden"}


@dataclass(frozen=True)
class Collected:
    """How many of the planned ratings of units there are, of a study: games."""

    count: int
    planned: int

    @property
    def is_complete(self) -> bool:
        return 0 < self.planned <= self.count


def collected(of: Campaign | Study) -> Collected:
    """Return how many ratings count toward the quota of their unit, or how many games count."""
    if isinstance(of, Study):
        planned = slots.count_blocks(of, Design.of(of.design)) * of.conditions.count()
        return Collected(of.slots.filter(state=Slot.DONE).count(), planned)
    each = of.raters_per_unit
    answers = list(count_answers(of).values_list("answers", flat=True))
    return Collected(sum(min(each, count) for count in answers), each * len(answers))


def is_over(of: Campaign | Study) -> bool:
    """Return whether it has ended, though it may be opened again."""
    if isinstance(of, Study):
        busy = of.slots.filter(state__in=(Slot.FILLING, Slot.PLAYING))
        return of.state == Study.CLOSED and not busy.exists()
    return of.state != Campaign.OPEN or collected(of).is_complete


def is_covered(of: Campaign | Study, actor: str) -> bool:
    """Return whether tests and intervals are hidden from `actor` for now."""
    return not is_over(of) and not _today(of, actor).exists()


def can_take_interim(of: Campaign | Study) -> bool:
    """Return whether the planned look may be taken now."""
    low, high = INTERIM
    now = collected(of)
    share = now.count / now.planned if now.planned else 0
    was_seen = _events(of).exists()
    return _plans_interim(of) and low <= share < high and not (was_seen or is_over(of))


def note(of: Campaign | Study, actor: str) -> None:
    """Record that `actor` looks, once a day for the same data. Tests are shown from then on.

    A campaign with all its ratings can't change, so looks at it are not recorded.
    """
    now, over = collected(of), is_over(of)
    if isinstance(of, Campaign) and now.is_complete:
        return
    kind = CLOSED if over else PLANNED if can_take_interim(of) else UNPLANNED
    counts = f"{of.code} {now.count}/{now.planned} "
    rows = _today(of, actor).filter(reason__startswith=counts)
    if not (rows.filter(reason=counts + CLOSED) if over else rows).exists():
        study_id = of.pk if isinstance(of, Study) else of.study_id
        audit_events.record_event(study_id, SEEN, actor=actor, reason=counts + kind)


def looks(of: Campaign | Study) -> Iterator[tuple[Any, int, int, str]]:
    """Yield (time, ratings or games, planned ones, kind) of each look, the earliest first.

    Looks at the final data after closing are left out: they could change nothing.
    """
    final = collected(of).count if is_over(of) else None
    for event in _events(of):
        _code, counts, kind = event.reason.split(" ", 2)
        count, planned = map(int, counts.split("/"))
        if kind != CLOSED or count != final:
            yield event.at, count, planned, kind


def alpha(of: Campaign | Study) -> float | None:
    """Return the level of confirmatory tests now, None where no planned look gives one."""
    if not _plans_interim(of):
        return None
    if is_over(of):
        return FINAL_ALPHA
    count = collected(of).count
    is_planned = any((seen, kind) == (count, PLANNED) for _at, seen, _of, kind in looks(of))
    return INTERIM_ALPHA if is_planned else None


def context(of: Campaign | Study, actor: str) -> dict[str, Any]:
    """Return what a page of results says of looks. Records one at a page that is not covered."""
    covered = is_covered(of, actor)
    if not covered:
        note(of, actor)
    every = list(looks(of))
    return {
        "covered": covered,
        "collected": collected(of),
        "interim": covered and can_take_interim(of),
        "plans_interim": _plans_interim(of),
        "is_over": is_over(of),
        "alpha": alpha(of),
        "looks": every,
        "unplanned": sum(kind != PLANNED for *_counts, kind in every),
    }


def _plans_interim(of: Campaign | Study) -> bool:
    plan = of.design.get("analysis", {}) if isinstance(of, Study) else of.planned_analysis
    return bool(plan.get("interim", False))


def _events(of: Campaign | Study) -> Any:
    study_id = of.pk if isinstance(of, Study) else of.study_id
    events = Happening.objects.filter(study_id=study_id, what=SEEN)
    return events.filter(reason__startswith=f"{of.code} ").order_by("pk")


def _today(of: Campaign | Study, actor: str) -> Any:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return _events(of).filter(actor=actor, at__gte=midnight)


def without_tests(data: Any) -> Any:
    """Return stored results with every interval and comparison hidden."""
    if isinstance(data, list):
        return [without_tests(one) for one in data]
    if not isinstance(data, dict):
        return data
    hidden: dict[str, Any] = {"ci": HIDDEN, "comparisons": [], "sensitivity": []}
    return {key: hidden[key] if key in hidden else without_tests(v) for key, v in data.items()}
