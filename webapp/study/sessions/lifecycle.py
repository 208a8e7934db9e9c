"""The lifecycle of a participant: what happens as they enter, change or leave a stage.

Only this module moves a participant. Every change locks the participant's row. `advance` and
`leave_by` name the step that the participant comes from, so a button that is pressed twice, or in
two tabs, moves the participant once. Two functions do what follows from a move, in this order:

- `_exit`: in the same transaction, when the participant leaves the study;
- `_follow_up`: after the commit of every move.

The modules imported here never move participants. Modules that do (`slot_games`, `seating`,
`timed_steps`, `interventions` …) import this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from game.models import new_key
from webapp.study.design.stages import (
    ConsentStage,
    DebriefingStage,
    Exit,
    ExitKind,
    RatingsStage,
    RulesStage,
)
from webapp.study.models import Identity, Participant, Payment, Response
from webapp.study.sessions import (
    audit_events,
    bonuses,
    dropouts,
    notices,
    participant_steps,
    practice,
    quiz_tries,
    rated_games,
    screening,
    slot_matching,
)
from webapp.study.sessions.participant_steps import WAITING, Step

READING_TIME = timedelta(seconds=120)  # for the end page of a table


def begin(participant: Participant, experience: int | None = None) -> None:
    """Put a participant who has just agreed at the first step after consent. Unsaved before.

    Args:
        experience: With the game, 0 to 4; none if the consent page does not ask. Too little leads
            out of the study.
    """
    participant.step, participant.input_at = 1, timezone.now()
    _enter_step(participant)
    consent = participant_steps.steps_of(participant)[0]
    if participant.study.rates_only:
        rated_games.enrol(participant, experience)
    assert isinstance(consent.stage, ConsentStage)
    if experience is not None and experience < consent.stage.least_experience:
        _exit(participant, "screened_out", audit_events.PARTICIPANT)
    else:
        _announce(participant, consent)


def advance(
    participant: Participant,
    from_index: int,
    *,
    by: str = audit_events.PARTICIPANT,
    if_due: bool = False,
) -> bool:
    """Move the participant to the next step, from the last one out of the study.

    That is by `completed`, or by `abandoned` if they did nothing themselves (`_final_exit`). Too
    little experience with the game leads to an exit, and so does a failed quiz after its time
    limit.

    Args:
        from_index: The step they come from.
        if_due: Move them only if the time of the step is over.

    Returns:
        Whether they moved: not if they are no longer at `from_index`.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if row.exit or row.step != from_index:
            return False
        if if_due and (row.due_at is None or row.due_at > timezone.now()):
            return False
        step = participant_steps.step_of(row)
        expires = by == audit_events.CLOCK and isinstance(step.stage, RulesStage)
        if expires and (failed := quiz_tries.expire(row, step)):
            _submit_answers(row, step, Response.EXPIRED)
            _exit(row, failed, by, "time is over")
            return True
        if (
            by == audit_events.CLOCK
            and isinstance(step.stage, RatingsStage)
            and step.stage.then == "out"
        ):
            _exit(row, "timed_out", by, "time is over")
            return True
        by_participant = by == audit_events.PARTICIPANT
        if by_participant:
            row.input_at = timezone.now()
        _submit_answers(row, step, Response.GIVEN if by_participant else Response.EXPIRED)
        by_itself = by in (audit_events.PARTICIPANT, audit_events.CLOCK)
        if by_itself and screening.knows_too_little(row, step):
            _exit(row, "screened_out", by)
        elif participant_steps.is_last(row):
            _exit(row, "completed" if by_participant else _final_exit(row, step), by)
        else:
            reading = READING_TIME if step.kind == "game" else timedelta()
            _change_step(row, row.step + 1, by, reading=reading)
    return True


def _final_exit(row: Participant, step: Step) -> ExitKind:
    """Return the exit of somebody whom others move out of their last step.

    `completed` needs an act of their own at that step, or at the one before a debriefing, which
    asks for nothing.
    """
    since = row.step_at
    if isinstance(step.stage, DebriefingStage) and len(row.visits) > 1:
        since = datetime.fromisoformat(row.visits[-2]["came"])
    last = participant_steps.last_input(row)
    return "completed" if last and since and last >= since else "abandoned"


def end_idle_visit(participant: Participant) -> bool:
    """Let a participant leave who has done nothing for longer than their step allows.

    Returns:
        Whether they left: not if they have done something since.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        step = participant_steps.step_of(row)
        if row.exit or not participant_steps.is_idle(row, step, timezone.now()):
            return False
        kind = _final_exit(row, step) if participant_steps.is_last(row) else "abandoned"
        _submit_answers(row, step, Response.EXPIRED)
        _exit(row, kind, audit_events.CLOCK, "no input")
    return True


def answer_quiz(
    participant: Participant, step: Step, tried: int, answers: Mapping[str, bool]
) -> bool:
    """Take a try of the quiz, and move the participant if it settles the quiz.

    Args:
        tried: How many tries the page knew of.
        answers: Key of the question -> whether the answer is yes. KeyError if one is missing.

    Returns:
        Whether the try counts: not if another one was taken since.
    """
    with transaction.atomic():
        result = quiz_tries.take_try(participant, step, tried, answers)
        if result == quiz_tries.PASSED:
            advance(participant, step.index)
        elif result == quiz_tries.FAILED:
            kind = quiz_tries.exit_of_failure(participant, step)
            leave_by(participant, kind, reason=f"tries: {tried + 1}")
    return bool(result)


def return_to_waiting_room(participant: Participant, from_index: int, *, waited: int) -> bool:
    """Move the participant from an unfinished game back to the room before it.

    Args:
        from_index: The step of the game.
        waited: Seconds that count as waited already.

    Returns:
        Whether they moved: not if they are no longer at `from_index`.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if row.exit or row.step != from_index:
            return False
        _change_step(row, row.step - 1, audit_events.CLOCK)
        row.step_at = timezone.now() - timedelta(seconds=waited)
        row.waited = max(row.waited - waited, 0)
        row.save(update_fields=["step_at", "waited"])
    return True


def skip_remaining_games(participant: Participant, from_index: int) -> bool:
    """Move the participant from a waiting room to the step after all games.

    If there is no such step, they exit: by `completed`, or by `abandoned` if no page of theirs is
    open.

    Returns:
        Whether they moved: not if they are no longer at `from_index`.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if row.exit or row.step != from_index:
            return False
        steps = participant_steps.steps_of(row)
        after = next((s.index for s in steps if s.index > row.step and not s.game), None)
        if after is None:
            here = participant_steps.is_present(row, timezone.now())
            _exit(row, "completed" if here else "abandoned", audit_events.CLOCK)
        else:
            _change_step(row, after, audit_events.CLOCK)
    return True


def leave_by(
    participant: Participant,
    kind: ExitKind,
    *,
    by: str = audit_events.PARTICIPANT,
    reason: str = "",
    at_step: int | None = None,
) -> bool:
    """Move the participant out of the study by that exit.

    Returns:
        Whether they moved: not if they are out already, or no longer at `at_step`.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if row.exit or (at_step is not None and row.step != at_step):
            return False
        state = Response.EXPIRED if by == audit_events.CLOCK else Response.LEFT
        _submit_answers(row, participant_steps.step_of(row), state)
        _exit(row, kind, by, reason)
    return True


def _change_step(
    row: Participant, to_index: int, by: str, *, reading: timedelta = timedelta()
) -> None:
    """Move the participant to another step. The caller holds the row."""
    before = participant_steps.step_of(row)
    _end_visit(row, by)
    row.step = to_index
    _enter_step(row, reading=reading)
    _announce(row, before)


def _enter_step(row: Participant, *, reading: timedelta = timedelta()) -> None:
    """Record that they come to their step, and start its time.

    Args:
        reading: How long the time of the step waits at most until its page is opened.
    """
    step, now = participant_steps.step_of(row), timezone.now()
    row.step_at = now
    row.times = {**row.times, step.key: row.times.get(step.key) or now.isoformat()}
    # The time of a practice game begins with its table (`practice.begin_practice`).
    limit = participant_steps.time_limit(row, step) if step.kind != practice.PRACTICE else None
    row.due_at = now + reading + limit if limit else None
    visit = {"step": step.key, "came": now.isoformat(), "went": None, "by": ""}
    row.visits = [*row.visits, visit]
    row.save()


def _end_visit(row: Participant, by: str) -> None:
    """Record that they go from their step. Unsaved."""
    if row.visits:  # empty for participants who began before visits were recorded
        is_not_researcher = by in (audit_events.PARTICIPANT, audit_events.CLOCK)
        visit_end = {
            "went": timezone.now().isoformat(),
            "by": by if is_not_researcher else audit_events.RESEARCHER,
        }
        row.visits = [*row.visits[:-1], {**row.visits[-1], **visit_end}]


def _submit_answers(row: Participant, step: Step, state: str) -> None:
    """Make what was typed at the step final, in that state."""
    typed = Response.objects.filter(participant=row, step=step.key, state=Response.TYPED)
    typed.update(state=state)


def _exit(row: Participant, kind: ExitKind, by: str, reason: str = "") -> None:
    """Let the participant exit: code, pay, audit event, seats. The caller holds the row."""
    settings = participant_steps.settings_of_exit(row.study, kind)
    row.exit, row.exited_at, row.due_at = kind, timezone.now(), None
    _end_visit(row, by)
    if settings.code_kind == "own":
        row.code = row.code or _new_code()
    row.save()
    if settings.pay:
        _owe_pay(row, kind, settings)
    audit_events.record_event(row.study_id, f"out:{kind}", actor=by, reason=reason, participant=row)
    dropouts.release_seats(row, kind)
    _announce(row, None)


def _owe_pay(row: Participant, kind: ExitKind, settings: Exit) -> None:
    """Record what the exit pays, once. It is the platform's reward if a platform sent them."""
    is_from_platform = Identity.objects.filter(participant=row).exclude(study="").exists()
    rewarded = kind in participant_steps.design_of(row.study).platform.rewards and is_from_platform
    payment = {"amount": settings.pay, "reward": rewarded}
    Payment.objects.get_or_create(participant=row, reason=kind, defaults=payment)


def _new_code() -> str:
    return hashlib.sha256(new_key().encode()).hexdigest()[:8].upper()


def _announce(row: Participant, before: Step | None) -> None:
    transaction.on_commit(lambda: _follow_up(row, before), robust=True)


def _follow_up(participant: Participant, before: Step | None) -> None:
    """Do what follows from a move, after its commit.

    Args:
        before: The step they came from; none if they left the study.
    """
    notices.notify_participant(participant.key)
    if not participant.exit and participant_steps.step_of(participant).kind == WAITING:
        slot_matching.join_queue(participant)
    kind = before.kind if before else None
    if kind in (None, practice.PRACTICE):
        practice.call_off(participant)
    if kind == "game":
        rated_games.add_ended_games(participant.study)
    if kind in (None, "ratings"):
        rated_games.end_rating(participant, before)
    if before is None:
        bonuses.settle_bonuses(participant)
    notices.study_changed(participant.study_id)
