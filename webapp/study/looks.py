"""Looks (early views): records who sees the tests of a campaign or a study before its end.

A researcher who sees p and then decides when to stop finds effects that do not exist. So tests and
intervals are hidden until a campaign is closed or has all its ratings, or a study has ended. An
earlier look is recorded with its time and the number of ratings (of a study: games), and exported.
A look after closing is recorded, too, because a campaign or a study can be opened again. One look
may be planned, at half of the data, with O'Brien and Fleming's bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from webapp.statistics.comparison_design import FINAL_ALPHA, INTERIM_ALPHA
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Happening, Slot, Study
from webapp.study.rating.rater_exits import units_with_answer_counts
from webapp.study.sessions import audit_events, slots

SEEN = "results_seen"
PLANNED, UNPLANNED, CLOSED = "planned interim look", "unplanned look", "look after closing"
INTERIM_SHARES = (0.5, 0.6)  # of the data, from and below which the planned look may be taken
HIDDEN = {"value": None, "why": "hidden"}


@dataclass(frozen=True)
class DataCount:
    """Numbers of present and of planned ratings of units, or of a study's games."""

    count: int
    planned: int

    @property
    def is_complete(self) -> bool:
        return 0 < self.planned <= self.count


def count_data(of: Campaign | Study) -> DataCount:
    """Count the ratings that count toward the quota of their unit, or the games that count."""
    if isinstance(of, Study):
        planned = slots.count_blocks(of, Design.from_json(of.design)) * of.conditions.count()
        return DataCount(of.slots.filter(state=Slot.DONE).count(), planned)
    quota = of.raters_per_unit
    answers = list(units_with_answer_counts(of).values_list("answers", flat=True))
    return DataCount(sum(min(quota, count) for count in answers), quota * len(answers))


def is_over(of: Campaign | Study) -> bool:
    """Return whether the campaign or study has ended. It may be opened again."""
    if isinstance(of, Study):
        active_slots = of.slots.filter(state__in=(Slot.FILLING, Slot.PLAYING))
        return of.state == Study.CLOSED and not active_slots.exists()
    return of.state != Campaign.OPEN or count_data(of).is_complete


def is_covered(of: Campaign | Study, actor: str) -> bool:
    """Return whether tests and intervals are hidden from `actor` for now."""
    return not is_over(of) and not _looks_today(of, actor).exists()


def can_take_interim(of: Campaign | Study) -> bool:
    """Return whether the planned look may be taken now."""
    low, high = INTERIM_SHARES
    data = count_data(of)
    share = data.count / data.planned if data.planned else 0
    was_seen = _look_events(of).exists()
    return _is_interim_planned(of) and low <= share < high and not (was_seen or is_over(of))


def record_look(of: Campaign | Study, actor: str) -> None:
    """Record that `actor` looks, once a day for the same data. Tests are shown from then on.

    A campaign with all its ratings cannot change, so looks at it are not recorded.
    """
    data, has_ended = count_data(of), is_over(of)
    if isinstance(of, Campaign) and data.is_complete:
        return
    kind = CLOSED if has_ended else PLANNED if can_take_interim(of) else UNPLANNED
    counts = f"{of.code} {data.count}/{data.planned} "
    rows = _looks_today(of, actor).filter(reason__startswith=counts)
    if not (rows.filter(reason=counts + CLOSED) if has_ended else rows).exists():
        study_id = of.pk if isinstance(of, Study) else of.study_id
        audit_events.record_event(study_id, SEEN, actor=actor, reason=counts + kind)


def read_looks(of: Campaign | Study) -> Iterator[tuple[Any, int, int, str]]:
    """Yield (time, ratings or games, planned ones, kind) of each look, the earliest first.

    Looks at the final data after closing are left out, because they could not change anything.
    """
    final = count_data(of).count if is_over(of) else None
    for event in _look_events(of):
        _code, counts, kind = event.reason.split(" ", 2)
        count, planned = map(int, counts.split("/"))
        if kind != CLOSED or count != final:
            yield event.at, count, planned, kind


def effective_alpha(of: Campaign | Study) -> float | None:
    """Return the level of confirmatory tests now, None if no planned look determines one."""
    if not _is_interim_planned(of):
        return None
    if is_over(of):
        return FINAL_ALPHA
    count = count_data(of).count
    is_planned = any((seen, kind) == (count, PLANNED) for _at, seen, _of, kind in read_looks(of))
    return INTERIM_ALPHA if is_planned else None


def page_context(of: Campaign | Study, actor: str) -> dict[str, Any]:
    """Return the context of a results page about looks. Record a look if it is not covered."""
    covered = is_covered(of, actor)
    if not covered:
        record_look(of, actor)
    all_looks = list(read_looks(of))
    return {
        "covered": covered,
        "collected": count_data(of),
        "interim": covered and can_take_interim(of),
        "plans_interim": _is_interim_planned(of),
        "is_over": is_over(of),
        "alpha": effective_alpha(of),
        "looks": all_looks,
        "unplanned": sum(kind != PLANNED for *_counts, kind in all_looks),
    }


def _is_interim_planned(of: Campaign | Study) -> bool:
    """Return whether a look at half of the data is planned."""
    plan = of.design.get("analysis", {}) if isinstance(of, Study) else of.planned_analysis
    return bool(plan.get("interim", False))


def _look_events(of: Campaign | Study) -> Any:
    study_id = of.pk if isinstance(of, Study) else of.study_id
    events = Happening.objects.filter(study_id=study_id, what=SEEN)
    return events.filter(reason__startswith=f"{of.code} ").order_by("pk")


def _looks_today(of: Campaign | Study, actor: str) -> Any:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return _look_events(of).filter(actor=actor, at__gte=midnight)


def hide_tests(data: Any) -> Any:
    """Return stored results with every interval and comparison hidden."""
    if isinstance(data, list):
        return [hide_tests(element) for element in data]
    if not isinstance(data, dict):
        return data
    hidden: dict[str, Any] = {"ci": HIDDEN, "comparisons": [], "sensitivity": []}
    return {key: hidden[key] if key in hidden else hide_tests(v) for key, v in data.items()}
