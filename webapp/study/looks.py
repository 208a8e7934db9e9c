"""Looks (early views): records who sees the tests of a campaign or a study before its end.

A researcher who sees p-values and then decides when to stop finds effects that do not exist. So
tests and intervals are hidden until a campaign is closed or has all its ratings, or a study has
ended. A researcher can reveal them earlier. Each look is recorded and exported, also after closing,
because a campaign or a study can be opened again. A design may plan one interim look at half of the
data, with O'Brien and Fleming's bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from webapp.statistics.comparison_design import FINAL_ALPHA, INTERIM_ALPHA
from webapp.study.design.stages import Design
from webapp.study.models import AuditEvent, Campaign, Slot, Study
from webapp.study.rating.rater_exits import units_with_answer_counts
from webapp.study.sessions import slots, study_events

SEEN = "results_seen"
PLANNED, UNPLANNED, CLOSED = "planned interim look", "unplanned look", "look after closing"
# The planned look may be taken from the first share of the data on, and below the second.
INTERIM_SHARES = (0.5, 0.6)
HIDDEN_VALUE = {"value": None, "why": "hidden"}


class Look(NamedTuple):
    """A look at the tests, with numbers of collected and planned ratings (or games)."""

    at: datetime
    collected: int
    planned: int
    kind: str  # PLANNED, UNPLANNED or CLOSED


@dataclass(frozen=True)
class DataCount:
    """Numbers of collected and of planned ratings of units, or of a study's games."""

    collected: int
    planned: int

    @property
    def is_complete(self) -> bool:
        return 0 < self.planned <= self.collected


def count_data(target: Campaign | Study) -> DataCount:
    """Count a campaign's ratings up to the quota of each unit, or a study's finished games."""
    if isinstance(target, Study):
        blocks = slots.count_blocks(target, Design.from_json(target.design))
        planned = blocks * target.conditions.count()
        return DataCount(target.slots.filter(state=Slot.DONE).count(), planned)
    quota = target.raters_per_unit
    answers = list(units_with_answer_counts(target).values_list("answers", flat=True))
    return DataCount(sum(min(quota, count) for count in answers), quota * len(answers))


def is_over(target: Campaign | Study) -> bool:
    """Return whether the campaign or study has ended. It may be opened again."""
    if isinstance(target, Study):
        return target.has_ended
    return target.state != Campaign.OPEN or count_data(target).is_complete


def are_tests_hidden(target: Campaign | Study, actor: str) -> bool:
    """Return whether tests and intervals are hidden from `actor` now."""
    return not is_over(target) and not _look_events_today(target, actor).exists()


def record_look(target: Campaign | Study, actor: str) -> None:
    """Record that `actor` looks, once a day for the same data. Tests are shown from then on.

    Looks at a campaign with all its ratings are not recorded, because it cannot change any more.
    """
    data, has_ended = count_data(target), is_over(target)
    if isinstance(target, Campaign) and data.is_complete:
        return
    kind = CLOSED
    if not has_ended:
        kind = PLANNED if _can_take_interim_look(target) else UNPLANNED
    counts = f"{target.code} {data.collected}/{data.planned} "
    looks_at_same_data = _look_events_today(target, actor).filter(reason__startswith=counts)
    if has_ended:
        looks_at_same_data = looks_at_same_data.filter(reason=counts + CLOSED)
    if not looks_at_same_data.exists():
        study_events.record_event(_study_id(target), SEEN, actor=actor, reason=counts + kind)


def read_looks(target: Campaign | Study) -> Iterator[Look]:
    """Yield the recorded looks, the earliest first.

    Looks at the final data after closing are left out, because they could not change anything.
    """
    final_count = count_data(target).collected if is_over(target) else None
    for event in _look_events(target):
        _code, counts, kind = event.reason.split(" ", 2)
        collected, planned = map(int, counts.split("/"))
        if kind != CLOSED or collected != final_count:
            yield Look(event.at, collected, planned, kind)


def effective_alpha(target: Campaign | Study) -> float | None:
    """Return the level of confirmatory tests of the present data, None if no look has set one."""
    if not _is_interim_planned(target):
        return None
    if is_over(target):
        return FINAL_ALPHA
    collected = count_data(target).collected
    planned_looks = (look for look in read_looks(target) if look.kind == PLANNED)
    return INTERIM_ALPHA if any(look.collected == collected for look in planned_looks) else None


def page_context(target: Campaign | Study, actor: str) -> dict[str, Any]:
    """Return the template context of looks. A page that shows the tests is recorded as a look."""
    are_hidden = are_tests_hidden(target, actor)
    if not are_hidden:
        record_look(target, actor)
    looks = list(read_looks(target))
    return {
        "covered": are_hidden,
        "data_count": count_data(target),
        "interim": are_hidden and _can_take_interim_look(target),
        "plans_interim": _is_interim_planned(target),
        "is_over": is_over(target),
        "alpha": effective_alpha(target),
        "looks": looks,
        "unplanned": sum(look.kind != PLANNED for look in looks),
    }


def hide_tests(data: Any) -> Any:
    """Return stored results with every interval and comparison hidden."""
    if isinstance(data, list):
        return [hide_tests(element) for element in data]
    if not isinstance(data, dict):
        return data
    hidden: dict[str, Any] = {"ci": HIDDEN_VALUE, "comparisons": [], "sensitivity": []}
    return {key: hidden[key] if key in hidden else hide_tests(v) for key, v in data.items()}


def _is_interim_planned(target: Campaign | Study) -> bool:
    """Return whether a look at half of the data is planned."""
    if isinstance(target, Study):
        return bool(target.design.get("analysis", {}).get("interim", False))
    return bool(target.planned_analysis.get("interim", False))


def _can_take_interim_look(target: Campaign | Study) -> bool:
    """Return whether a look now would be the planned one."""
    low, high = INTERIM_SHARES
    data = count_data(target)
    share = data.collected / data.planned if data.planned else 0
    was_seen = _look_events(target).exists()
    return _is_interim_planned(target) and low <= share < high and not (was_seen or is_over(target))


def _look_events(target: Campaign | Study) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(study_id=_study_id(target), what=SEEN)
    return events.filter(reason__startswith=f"{target.code} ").order_by("pk")


def _look_events_today(target: Campaign | Study, actor: str) -> QuerySet[AuditEvent]:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)  # UTC
    return _look_events(target).filter(actor=actor, at__gte=midnight)


def _study_id(target: Campaign | Study) -> int:
    return target.pk if isinstance(target, Study) else target.study_id
