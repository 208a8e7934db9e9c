"""Looks (early views): records who sees the tests of a campaign or a study before its end.

A researcher who sees p-values and then decides when to stop finds effects that do not exist. So
tests and intervals are hidden until a campaign is closed or has all its ratings, or a study has
ended. A researcher can reveal them earlier, for themselves and until midnight UTC. A look is
recorded once a day for the same data, also after closing, because a campaign or a study can be
opened again. Looks are exported. A design may plan one interim look at half of the data, with
O'Brien and Fleming's bounds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from webapp.statistics.comparison_design import FINAL_ALPHA, INTERIM_ALPHA
from webapp.study.design.stages import Design
from webapp.study.models import AuditEvent, Campaign, Slot, Study
from webapp.study.rating.quotas import units_with_answer_counts
from webapp.study.sessions import slots, study_events

# Stored in audit events and in exports: do not change.
SEEN = "results_seen"
PLANNED, UNPLANNED, CLOSED = "planned interim look", "unplanned look", "look after closing"
# The planned look may be taken from the first share of the data on, and below the second.
INTERIM_SHARES = (0.5, 0.6)
# As a value that the statistics could not compute, with the reason "hidden".
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


def is_over(target: Campaign | Study, data: DataCount | None = None) -> bool:
    """Return whether the campaign or study has ended. It may be opened again."""
    if isinstance(target, Study):
        return target.has_ended
    return target.state != Campaign.OPEN or (data or count_data(target)).is_complete


def are_tests_hidden(target: Campaign | Study, actor: str) -> bool:
    """Return whether tests and intervals are hidden from `actor` now."""
    return not is_over(target) and not _look_events_today(target, actor).exists()


def record_look(target: Campaign | Study, actor: str, data: DataCount | None = None) -> None:
    """Record that `actor` looks, once a day for the same data.

    The tests are then shown to `actor` until midnight UTC. Looks at a campaign with all its ratings
    are not recorded, because it cannot change any more.
    """
    data = data or count_data(target)
    if isinstance(target, Campaign) and data.is_complete:
        return
    has_ended, kind = is_over(target, data), CLOSED
    if not has_ended:
        kind = PLANNED if _can_take_interim_look(target, data) else UNPLANNED
    # A look while the data were still collected does not stand for one after closing.
    same_look = _encode_look(target, data, CLOSED if has_ended else "")
    if not _look_events_today(target, actor).filter(reason__startswith=same_look).exists():
        reason = _encode_look(target, data, kind)
        study_events.record_event(_study_id(target), SEEN, actor=actor, reason=reason)


def recorded_looks(target: Campaign | Study, data: DataCount | None = None) -> Iterator[Look]:
    """Yield the recorded looks, the earliest first.

    Looks at the final data after closing are left out, because they could not change anything.
    """
    data = data or count_data(target)
    final_count = data.collected if is_over(target, data) else None
    for look in map(_decode_look, _look_events(target)):
        if look.kind != CLOSED or look.collected != final_count:
            yield look


def record_look_and_build_context(target: Campaign | Study, actor: str) -> dict[str, Any]:
    """Return the template context of looks. Record a look if the page shows the tests."""
    data, are_hidden = count_data(target), are_tests_hidden(target, actor)
    if not are_hidden:
        record_look(target, actor, data)
    looks = list(recorded_looks(target, data))
    return {
        "are_tests_hidden": are_hidden,
        "data_count": data,
        "can_take_interim_look": are_hidden and _can_take_interim_look(target, data),
        "is_interim_planned": _is_interim_planned(target),
        "is_over": is_over(target, data),
        "alpha": _effective_alpha(target, data, looks),
        "looks": looks,
        "look_count_beyond_plan": sum(look.kind != PLANNED for look in looks),
    }


def _effective_alpha(
    target: Campaign | Study, data: DataCount, looks: Iterable[Look]
) -> float | None:
    """Return the significance level to use now, None without a plan or for an unplanned look."""
    if not _is_interim_planned(target):
        return None
    if is_over(target, data):
        return FINAL_ALPHA
    planned_counts = [look.collected for look in looks if look.kind == PLANNED]
    return INTERIM_ALPHA if data.collected in planned_counts else None


def hide_tests(data: Any) -> Any:
    """Return stored results with every interval and comparison hidden."""
    if isinstance(data, list):
        return [hide_tests(element) for element in data]
    if not isinstance(data, dict):
        return data
    hidden: dict[str, Any] = {"ci": HIDDEN_VALUE, "comparisons": [], "sensitivity": []}
    return {key: hidden[key] if key in hidden else hide_tests(v) for key, v in data.items()}


def _is_interim_planned(target: Campaign | Study) -> bool:
    if isinstance(target, Study):
        return bool(target.design.get("analysis", {}).get("interim", False))
    return bool(target.planned_analysis.get("interim", False))


def _can_take_interim_look(target: Campaign | Study, data: DataCount) -> bool:
    low, high = INTERIM_SHARES
    share = data.collected / data.planned if data.planned else 0
    if not _is_interim_planned(target) or not low <= share < high or is_over(target, data):
        return False
    return not _look_events(target).exists()


def _encode_look(target: Campaign | Study, data: DataCount, kind: str) -> str:
    """Return the reason of a look's audit event. With kind "": what all looks at the data share."""
    return f"{target.code} {data.collected}/{data.planned} {kind}"


def _decode_look(event: AuditEvent) -> Look:
    _code, counts, kind = event.reason.split(" ", 2)
    collected, planned = map(int, counts.split("/"))
    return Look(event.at, collected, planned, kind)


def _look_events(target: Campaign | Study) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(study_id=_study_id(target), what=SEEN)
    return events.filter(reason__startswith=f"{target.code} ").order_by("pk")


def _look_events_today(target: Campaign | Study, actor: str) -> QuerySet[AuditEvent]:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)  # UTC
    return _look_events(target).filter(actor=actor, at__gte=midnight)


def _study_id(target: Campaign | Study) -> int:
    return target.pk if isinstance(target, Study) else target.study_id
