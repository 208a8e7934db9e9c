"""The lifecycle of a participant: moves from step to step, and out of the study.

Only this module moves a participant. Every move locks the participant's row. A caller names the
step that the participant comes from (`from_index`). If the participant is no longer there, nothing
happens (`advance` and `leave_by` return False). So a button that is pressed twice, or in two tabs,
moves the participant once. Two functions have the side effects of a move, in this order:

- `_exit`: in the same transaction, when the participant leaves the study;
- `_follow_up`: after the commit of every move.

The modules imported here never move participants. Modules that do (`slot_games`, `seating`,
`timed_steps`, `interventions` …) import this one.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from webapp.study.design.exits import Exit, ExitKind
from webapp.study.design.stages import ConsentStage, DebriefingStage, RatingsStage, RulesStage
from webapp.study.models import Identity, Participant, Payment, Response
from webapp.study.sessions import (
    bonuses,
    dropouts,
    participant_state,
    practice,
    questions,
    quiz_tries,
    slot_matching,
    study_campaigns,
    study_events,
)
from webapp.study.sessions.participant_state import GAME, WAITING, Step

# The time limit of a step after a game starts when its page is opened, but at most this much later,
# because the participant may still read the table's last page.
READING_TIME = timedelta(seconds=120)
OWN_CODE_BYTES = 4  # 8 hexadecimal digits, which no one can guess from other codes


def begin_participation(participant: Participant, experience: int | None = None) -> None:
    """Move a participant who has just agreed to the first step after consent, and save the row.

    A participant with less `experience` with the game (0 to 4; None if the consent page does not
    ask) than the consent stage requires leaves the study.
    """
    participant.step = 1
    participant.input_at = timezone.now()
    _enter_step(participant)
    consent = participant_state.list_steps(participant)[0]
    if participant.study.rates_only:
        study_campaigns.enrol_rater(participant, experience)
    assert isinstance(consent.stage, ConsentStage)
    if experience is not None and experience < consent.stage.least_experience:
        _exit(participant, "screened_out", study_events.PARTICIPANT)
    else:
        _schedule_follow_up(participant, consent)


def advance(
    participant: Participant,
    from_index: int,
    *,
    actor: str = study_events.PARTICIPANT,
    if_due: bool = False,
) -> bool:
    """Move the participant to the next step, or from the last step out of the study.

    The exit after the last step is `completed`, or `abandoned` if they did nothing themselves
    (`_last_step_exit`). Participants with too little experience leave earlier, and so do those
    who have failed the quiz when its time ends. With `if_due`, only if the step's time is over.
    """
    with participant_state.locked_participant(participant) as row:
        if row.exit or row.step != from_index:
            return False
        if if_due and (row.due_at is None or row.due_at > timezone.now()):
            return False
        step = participant_state.current_step(row)
        if actor == study_events.CLOCK and (exit_kind := _end_step_time(row, step)):
            _exit(row, exit_kind, actor, "time is over")
            return True
        by_participant = actor == study_events.PARTICIPANT
        if by_participant:
            row.input_at = timezone.now()
        _submit_answers(row, step, Response.GIVEN if by_participant else Response.EXPIRED)
        by_researcher = actor not in (study_events.PARTICIPANT, study_events.CLOCK)
        if not by_researcher and questions.is_below_required_experience(row, step):
            _exit(row, "screened_out", actor)
        elif participant_state.is_at_last_step(row):
            _exit(row, "completed" if by_participant else _last_step_exit(row, step), actor)
        else:
            _change_step(row, row.step + 1, actor)
    return True


def _end_step_time(row: Participant, step: Step) -> ExitKind | None:
    """End the step's time (of a quiz, with a try). Return the exit to which that leads, if any."""
    if isinstance(step.stage, RulesStage) and (exit_kind := quiz_tries.expire_quiz(row, step)):
        _submit_answers(row, step, Response.EXPIRED)
        return exit_kind
    must_leave = isinstance(step.stage, RatingsStage) and step.stage.then == "out"
    return "timed_out" if must_leave else None


def _last_step_exit(row: Participant, step: Step) -> ExitKind:
    """Return the exit of a participant who does not leave the last step themselves.

    The exit is `completed` only if the participant did something at that step. A debriefing asks
    for nothing, so input at the step before it counts as well.
    """
    since = row.step_at
    if isinstance(step.stage, DebriefingStage) and len(row.visits) > 1:
        since = datetime.fromisoformat(row.visits[-2]["came"])
    input_at = participant_state.last_input(row)
    return "completed" if input_at and since and input_at >= since else "abandoned"


def end_idle_visit(participant: Participant) -> None:
    """Move a participant out of the study who is still idle for longer than their step allows."""
    with participant_state.locked_participant(participant) as row:
        step = participant_state.current_step(row)
        if row.exit or not participant_state.is_idle(row, step, timezone.now()):
            return
        kind = _last_step_exit(row, step) if participant_state.is_at_last_step(row) else "abandoned"
        _submit_answers(row, step, Response.EXPIRED)
        _exit(row, kind, study_events.CLOCK, "no input")


def answer_quiz(
    participant: Participant, step: Step, earlier_tries: int, answers: Mapping[str, bool]
) -> None:
    """Take a try of the quiz. Move the participant if it was passed, or was the last one.

    If another try was made since the page was rendered (`earlier_tries`), this one does not count.
    `answers` maps the key of each question to whether the answer is yes.
    """
    with transaction.atomic():
        result = quiz_tries.take_try(participant, step, earlier_tries, answers)
        if result == quiz_tries.PASSED:
            advance(participant, step.index)
        elif result == quiz_tries.FAILED:
            exit_kind = quiz_tries.failure_exit(participant, step)
            leave_by(participant, exit_kind, reason=f"tries: {earlier_tries + 1}")


def return_to_waiting_room(participant: Participant, from_index: int, *, waited_s: int) -> None:
    """Move the participant from an unfinished game back to the waiting room before it.

    `waited_s` counts as waited already. It moves from `Participant.waited_s`, the time in earlier
    waiting rooms, to the present visit.
    """
    with participant_state.locked_participant(participant) as row:
        if row.exit or row.step != from_index:
            return
        _change_step(row, row.step - 1, study_events.CLOCK)
        row.step_at = timezone.now() - timedelta(seconds=waited_s)
        row.waited_s = max(row.waited_s - waited_s, 0)
        row.save(update_fields=["step_at", "waited_s"])


def skip_remaining_games(participant: Participant, from_index: int) -> None:
    """Move the participant from a waiting room to the step after all games.

    Without such a step they exit as `completed`, or as `abandoned` if none of their pages is open.
    """
    with participant_state.locked_participant(participant) as row:
        if row.exit or row.step != from_index:
            return
        steps = participant_state.list_steps(row)
        next_index = next((s.index for s in steps if s.index > row.step and not s.game), None)
        if next_index is None:
            is_present = participant_state.is_present(row, timezone.now())
            _exit(row, "completed" if is_present else "abandoned", study_events.CLOCK)
        else:
            _change_step(row, next_index, study_events.CLOCK)


def leave_by(
    participant: Participant,
    kind: ExitKind,
    *,
    actor: str = study_events.PARTICIPANT,
    reason: str = "",
    from_index: int | None = None,
) -> bool:
    """Move the participant out of the study by that exit. `from_index` None allows any step."""
    with participant_state.locked_participant(participant) as row:
        if row.exit or (from_index is not None and row.step != from_index):
            return False
        state = Response.EXPIRED if actor == study_events.CLOCK else Response.LEFT
        _submit_answers(row, participant_state.current_step(row), state)
        _exit(row, kind, actor, reason)
    return True


def _change_step(row: Participant, to_index: int, actor: str) -> None:
    """Move the participant to another step. The caller holds the row."""
    left_step = participant_state.current_step(row)
    _end_visit(row, actor)
    row.step = to_index
    _enter_step(row, READING_TIME if left_step.kind == GAME else timedelta())
    _schedule_follow_up(row, left_step)


def _enter_step(row: Participant, reading_time: timedelta = timedelta()) -> None:
    """Begin a visit of the participant's step, start its time, and save the row."""
    step, now = participant_state.current_step(row), timezone.now()
    row.step_at = now
    row.times = {**row.times, step.key: row.times.get(step.key) or now.isoformat()}
    # The time of a practice game begins with its table (`practice.begin_practice`).
    limit = participant_state.time_limit(row, step) if step.kind != practice.PRACTICE else None
    row.due_at = now + reading_time + limit if limit else None
    visit = {"step": step.key, "came": now.isoformat(), "went": None, "by": ""}
    row.visits = [*row.visits, visit]
    row.save()


def _end_visit(row: Participant, actor: str) -> None:
    """End the visit of the participant's step. The row is not saved."""
    if row.visits:  # empty for participants who began before visits were recorded
        is_public_actor = actor in (study_events.PARTICIPANT, study_events.CLOCK)
        public_actor = actor if is_public_actor else study_events.RESEARCHER
        visit = {**row.visits[-1], "went": timezone.now().isoformat(), "by": public_actor}
        row.visits = [*row.visits[:-1], visit]


def _submit_answers(row: Participant, step: Step, state: str) -> None:
    typed_answers = Response.objects.filter(participant=row, step=step.key, state=Response.TYPED)
    typed_answers.update(state=state)


def _exit(row: Participant, kind: ExitKind, actor: str, reason: str = "") -> None:
    """Record the exit with its code and pay, and free the seats. The caller holds the row."""
    settings = participant_state.exit_settings(row.study, kind)
    row.exit = kind
    row.exited_at = timezone.now()
    row.due_at = None
    _end_visit(row, actor)
    if settings.code_kind == "own":
        row.code = row.code or secrets.token_hex(OWN_CODE_BYTES).upper()
    row.save()
    if settings.pay:
        _record_pay(row, kind, settings)
    study_events.record_event(row, f"out:{kind}", actor=actor, reason=reason)
    dropouts.release_seats(row, kind)
    _schedule_follow_up(row, None)


def _record_pay(row: Participant, kind: ExitKind, settings: Exit) -> None:
    """Record the pay of the exit, once.

    If it is the platform's reward, the platform pays it to the participants whom it sent.
    """
    is_from_platform = Identity.objects.filter(participant=row).exclude(study="").exists()
    is_reward = kind in participant_state.design_of(row.study).platform.rewards
    payment = {"amount": settings.pay, "reward": is_reward and is_from_platform}
    Payment.objects.get_or_create(participant=row, reason=kind, defaults=payment)


def _schedule_follow_up(row: Participant, left_step: Step | None) -> None:
    transaction.on_commit(lambda: _follow_up(row, left_step), robust=True)


def _follow_up(participant: Participant, left_step: Step | None) -> None:
    """Run the side effects of a move after its commit. `left_step` None means: out of the study."""
    study_events.refresh_pages_now(participant.key)
    if not participant.exit and participant_state.current_step(participant).kind == WAITING:
        participant_state.record_presence(participant)
        slot_matching.offer_slots(participant.study)
    kind = left_step.kind if left_step else None
    if kind in (None, practice.PRACTICE):
        practice.call_off_practice(participant)
    if kind == GAME:
        study_campaigns.try_adding_games(participant.study)
    if kind in (None, "ratings"):
        study_campaigns.leave_ratings(participant, left_step)
    if left_step is None:
        bonuses.settle_bonuses(participant)
    study_events.refresh_monitor_on_commit(participant.study_id)
