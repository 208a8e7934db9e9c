"""Where a participant is: the step, its time, and what the study gives at their exit.

Nobody is moved here (`lifecycle`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from webapp.study.models import Participant, Study
from webapp.study.sessions.design import Design, Exit
from webapp.study.sessions.route import WAITING, Step, route

MORE = "more"  # of a visit: seconds that were given beyond the step's own time


def design_of(study: Study) -> Design:
    return Design.of(study.design)


def steps(participant: Participant) -> Sequence[Step]:
    return route(design_of(participant.study))


def step_of(participant: Participant) -> Step:
    """The step the participant is at; the last one for who has gone out."""
    way = steps(participant)
    return way[min(participant.step, len(way) - 1)]


def shown(participant: Participant, step: Step) -> None:
    """The page of the step is looked at: where its time has not begun yet, after a game, it begins
    now. Later looks change nothing."""
    most = limit(participant, step)
    more = timedelta(seconds=participant.visits[-1].get(MORE, 0) if participant.visits else 0)
    begun = timezone.now() + most + more if most else None
    if begun is None or participant.due_at is None or participant.due_at <= begun:
        return
    rows = Participant.objects.filter(pk=participant.pk, step=step.index, due_at__gt=begun)
    rows.update(due_at=begun)
    participant.due_at = begun


def give_time(row: Participant, by: timedelta) -> bool:
    """The step's time ends so much later; False where no time runs. The caller holds the row."""
    if row.exit or row.due_at is None:
        return False
    row.due_at = max(row.due_at, timezone.now()) + by
    if row.visits:
        here = row.visits[-1]
        more = here.get(MORE, 0) + int(by.total_seconds())
        row.visits = [*row.visits[:-1], {**here, MORE: more}]
    row.save(update_fields=["due_at", "visits"])
    return True


def locked(participant: Participant) -> Participant:
    """The participant's row, held until the transaction ends, with its study."""
    # no_key: whoever is seated meanwhile by a row that names them need not wait for it.
    rows = Participant.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    return rows.get(pk=participant.pk)


def way_out(study: Study, kind: str) -> Exit:
    """What the study gives on that way out."""
    return next((e for k, e in design_of(study).exits.items() if k == kind), Exit())


def code_of(participant: Participant) -> str:
    """The completion code of who has gone out; "" where that way has none."""
    way = way_out(participant.study, participant.exit)
    return {"same": way.code, "own": participant.code, "none": ""}[way.code_kind]


def limit(participant: Participant, step: Step) -> timedelta | None:
    """How long the step may take; none for as long as one likes."""
    if not step.stage.minutes or step.kind in (WAITING, "game"):
        return None
    return timedelta(minutes=step.stage.minutes) * participant.extra_time / 100
