"""Where a participant is, and how they get on: the one place that moves anybody.

Every change holds the participant's row. `advance` and `leave_by` are told which step they come
from, so a button that is pressed twice, or in two tabs, moves once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from game.models import new_key
from webapp.study.models import Identity, Participant, Payment, Response, Study
from webapp.study.sessions import happenings, screening
from webapp.study.sessions.design import Design, Exit, ExitKind
from webapp.study.sessions.route import WAITING, Step, route

READING = timedelta(seconds=120)  # for the end page of a table
MORE = "more"  # of a visit: seconds that were given beyond the step's own time
# What is told of a participant who moved, after commit: sockets, matching, the study's campaign.
# (participant's id, the step they came from, or none for a way out)
Moved = Callable[[Participant, Step | None], None]
moved: list[Moved] = []
# What follows the end of a step's time where that is not just the next step: kind -> whether the
# participant was moved. In the same transaction, with the row held.
expiring: dict[str, Callable[[Participant, Step], bool]] = {}
# What is to be done, in the same transaction, when somebody goes out: seats are freed, leases end.
going_out: list[Callable[[Participant, str], None]] = []


def design_of(study: Study) -> Design:
    return Design.of(study.design)


def steps(participant: Participant) -> Sequence[Step]:
    return route(design_of(participant.study))


def step_of(participant: Participant) -> Step:
    """The step the participant is at; the last one for who has gone out."""
    way = steps(participant)
    return way[min(participant.step, len(way) - 1)]


def begin(participant: Participant) -> None:
    """Somebody has just agreed: they stand at the first step after consent. Unsaved before."""
    participant.step = 1
    _arrive(participant)
    _tell(participant, steps(participant)[0])


def advance(
    participant: Participant,
    from_index: int,
    *,
    by: str = happenings.PARTICIPANT,
    if_due: bool = False,
) -> bool:
    """On to the next step; after the last one out by `completed`. False where the participant is
    no longer at `from_index`; with if_due, where the step's time is not over (any more) as well."""
    with transaction.atomic():
        row = locked(participant)
        if row.exit or row.step != from_index:
            return False
        if if_due and (row.due_at is None or row.due_at > timezone.now()):
            return False
        way = steps(row)
        before = way[row.step]
        instead = expiring.get(before.kind) if by == happenings.CLOCK else None
        if instead and instead(row, before):
            return True
        _hand_in(row, before, Response.GIVEN if by == happenings.PARTICIPANT else Response.EXPIRED)
        by_itself = by in (happenings.PARTICIPANT, happenings.CLOCK)
        if by_itself and screening.knows_too_little(row, before):
            _go_out(row, "screened_out", by)
        elif row.step + 1 >= len(way):
            _go_out(row, "completed", by)
        else:
            _leave(row, by)
            row.step += 1
            _arrive(row, reading=READING if before.kind == "game" else timedelta())
            _tell(row, before)
    return True


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


def back(participant: Participant, from_index: int, *, waited: int) -> bool:
    """From a game that will not be played to its end back to the waiting room before it, where
    `waited` seconds count as waited already. False where they are no longer at `from_index`."""
    with transaction.atomic():
        row = locked(participant)
        if row.exit or row.step != from_index:
            return False
        before = step_of(row)
        _leave(row, happenings.CLOCK)
        row.step -= 1
        _arrive(row)
        row.step_at = timezone.now() - timedelta(seconds=waited)
        row.waited = max(row.waited - waited, 0)
        row.save(update_fields=["step_at", "waited"])
        _tell(row, before)
    return True


def past_games(participant: Participant, from_index: int) -> bool:
    """From a waiting room on to what comes after all games, for there are no more; after the last
    step out by `completed`. False where they are no longer at `from_index`."""
    with transaction.atomic():
        row = locked(participant)
        if row.exit or row.step != from_index:
            return False
        way = steps(row)
        before = way[row.step]
        after = next((s.index for s in way if s.index > row.step and not s.game), None)
        if after is None:
            _go_out(row, "completed", happenings.CLOCK)
        else:
            _leave(row, happenings.CLOCK)
            row.step = after
            _arrive(row)
            _tell(row, before)
    return True


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


def leave_by(
    participant: Participant,
    kind: ExitKind,
    *,
    by: str = happenings.PARTICIPANT,
    reason: str = "",
    at_step: int | None = None,
) -> bool:
    """Out by that way. False where they are out already, or no longer at `at_step`."""
    with transaction.atomic():
        row = locked(participant)
        if row.exit or (at_step is not None and row.step != at_step):
            return False
        _hand_in(row, step_of(row), Response.EXPIRED if by == happenings.CLOCK else Response.LEFT)
        _go_out(row, kind, by, reason)
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


def _arrive(row: Participant, *, reading: timedelta = timedelta()) -> None:
    """reading: how long the step's time waits at the most for its page to be looked at."""
    step, now = step_of(row), timezone.now()
    row.step_at = now
    row.times = {**row.times, step.key: row.times.get(step.key) or now.isoformat()}
    most = limit(row, step) if step.kind != "practice" else None  # it begins with the table
    row.due_at = now + reading + most if most else None
    here = {"step": step.key, "came": now.isoformat(), "went": None, "by": ""}
    row.visits = [*row.visits, here]
    row.save()


def _leave(row: Participant, by: str) -> None:
    """They go from the step they are at. Unsaved."""
    if row.visits:  # none of who was on the way before these were kept
        known = by in (happenings.PARTICIPANT, happenings.CLOCK)
        went = {
            "went": timezone.now().isoformat(),
            "by": by if known else happenings.RESEARCHER,
        }
        row.visits = [*row.visits[:-1], {**row.visits[-1], **went}]


def _hand_in(row: Participant, step: Step, state: str) -> None:
    """What was typed at the step stands from now on."""
    Response.objects.filter(participant=row, step=step.key, state=Response.TYPED).update(
        state=state
    )


def _go_out(row: Participant, kind: str, by: str, reason: str = "") -> None:
    way = way_out(row.study, kind)
    row.exit, row.exited_at, row.due_at = kind, timezone.now(), None
    _leave(row, by)
    if way.code_kind == "own":
        row.code = row.code or _own_code()
    row.save()
    if way.pay:
        rewarded = kind in design_of(row.study).platform.rewards and _was_sent(row)
        owed = {"amount": way.pay, "reward": rewarded}
        Payment.objects.get_or_create(participant=row, reason=kind, defaults=owed)
    happenings.note(row.study_id, f"out:{kind}", actor=by, reason=reason, participant=row)
    for hook in going_out:
        hook(row, kind)
    _tell(row, None)


def _was_sent(row: Participant) -> bool:
    """Whether a platform sent them: it told which of its studies they come from."""
    return Identity.objects.filter(participant=row).exclude(study="").exists()


def _own_code() -> str:
    return hashlib.sha256(new_key().encode()).hexdigest()[:8].upper()


def _tell(row: Participant, before: Step | None) -> None:
    def told() -> None:
        for listener in moved:
            listener(row, before)

    transaction.on_commit(told, robust=True)
