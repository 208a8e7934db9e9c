"""Actions of a researcher while a study runs. Each is recorded with its actor and reason.

Each action is one transaction. It locks rows in the same order as the other modules: the
participant's, the study's, the game's. An action that is not possible raises `Refused` with a
sentence for the researcher, for example if another researcher has just done the same.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game import deadlines, game_actions
from game.engine.forms import Illegal
from webapp.study.design.exits import ExitKind
from webapp.study.design.refusals import Refused
from webapp.study.design.setting_fields import number_check, text_check
from webapp.study.design.stages import BackgroundStage, RulesStage
from webapp.study.models import AuditEvent, Participant, Seating, Slot, Study
from webapp.study.rating import exclusion
from webapp.study.sessions import (
    dropouts,
    lifecycle,
    participant_state,
    seating,
    slot_games,
    slots,
    study_events,
)
from webapp.study.sessions.game_verdicts import ENDED_BY_HAND
from webapp.study.sessions.participant_state import ABSENT_AFTER, GAME, WAITING
from webapp.study.sessions.slot_matching import Matching

logger = logging.getLogger(__name__)

LAST_EXITS: tuple[ExitKind, ...] = ("completed", "abandoned", "left", "technical")
STOPPED, RESUMED = "stopped", "resumed"
STOP_REASON = "the study was stopped"  # why the games of a stopped study are void
MAX_MINUTES_PER_EXTENSION = 60
DOUBLE_PRESS_INTERVAL = timedelta(seconds=5)  # a second extension within it is refused
MAX_REASON_CHARS = 120


def stop_study(study: Study, *, actor: str, reason: str) -> None:
    """Close the study, cancel its games, and end active participations as `technical`."""
    reason_text = _check_reason(reason, 1)
    with slots.locked_study(study) as row:
        if row.state == Study.DRAFT:
            raise Refused([_("The study has not been opened yet.")])
        if is_stopped(row):
            raise Refused([_("The study is already stopped.")])
        row.state, row.closed_at = Study.CLOSED, timezone.now()
        row.save(update_fields=["state", "closed_at"])
        study_events.record_event(row, STOPPED, actor=actor, reason=reason_text)
    finish_stop(row)  # locks participants before the study, so it needs transactions of its own
    study.refresh_from_db()


def is_stopped(study: Study) -> bool:
    """Return whether the study was stopped and not opened again since."""
    rows = AuditEvent.objects.filter(study=study, what__in=[STOPPED, RESUMED]).order_by("-pk")
    return rows.values_list("what", flat=True).first() == STOPPED


def finish_stop(study: Study) -> None:
    """Cancel the games of a stopped study, and move its participants out. Idempotent."""
    if study.state != Study.CLOSED or not is_stopped(study):
        return
    for slot in study.slots.filter(state=Slot.PLAYING):
        _void_slot(slot)
    stop_event = AuditEvent.objects.filter(study=study, what=STOPPED).latest("pk")
    actor, reason_text = stop_event.actor, stop_event.reason
    for person in study.participants.filter(exit="", consented_at__isnull=False):
        try:
            lifecycle.leave_by(person, "technical", actor=actor, reason=reason_text)
        except Exception:
            logger.exception("participant %s could not be moved out", person.pk)


def _void_slot(slot: Slot) -> None:
    with slots.locked_study(slot.study_id):
        row = Slot.objects.get(pk=slot.pk)
        if row.state == Slot.PLAYING and row.game_id:
            row.deviations = {**row.deviations, "ended_for": STOP_REASON}
            row.save(update_fields=["deviations"])
            with suppress(Illegal):  # the game has ended just now
                game_actions.call_off(row.game_id)
    slot_games.finish_slot(slot)


def move_to_next_step(participant: Participant, *, actor: str, reason: str = "") -> None:
    """Move a participant to the next step, even if the current one is unfinished.

    Typed answers are submitted. The step times out now, so that an open page can still send typed
    text; the sweeper moves the participant some seconds later. The move is immediate if no page is
    open, in the background questions, and in the rules. It is refused in a waiting room
    (`start_with_agents`), in a running game (`cancel_game`) and at the last stage.
    """
    reason_text = _check_reason(reason)
    with _locked_active(participant) as row:
        now = timezone.now()
        if row.step != participant.step:
            raise Refused([_("The participant has already moved on.")])
        step = participant_state.current_step(row)
        if step.kind == WAITING:
            raise Refused([_("The participant waits for a game. Start it with fewer players.")])
        if step.kind == GAME:
            raise Refused([_("The participant is in a game. End it, or give the seat away.")])
        if participant_state.is_at_last_step(row):
            raise Refused([_("This is the participant’s last stage. Choose an exit instead.")])
        if row.due_at and row.due_at <= now:
            return  # a move is pending already
        row.due_at = now
        row.save(update_fields=["due_at"])
        study_events.record_event(row, "moved_on", actor=actor, reason=reason_text)
        study_events.refresh_pages_on_commit([row.pk])
        is_absent = not row.seen_at or now - row.seen_at > ABSENT_AFTER
        # A move by the sweeper may screen participants out or fail their quiz.
        if is_absent or isinstance(step.stage, (BackgroundStage, RulesStage)):
            lifecycle.advance(row, step.index, actor=study_events.RESEARCHER)


def exit_from_last_step(
    participant: Participant, kind: ExitKind, *, actor: str, reason: str = ""
) -> None:
    """Move a participant at the last stage out of the study, by one of LAST_EXITS.

    An open page may still send its typed text for a moment (`responses.LATE_LIMIT`).
    """
    reason_text = _check_reason(reason)
    if kind not in LAST_EXITS:
        raise Refused([_("This exit does not exist. Choose one from the list.")])
    with _locked_active(participant) as row:
        if not participant_state.is_at_last_step(row):
            raise Refused([_("The participant has stages left. Move them to the next stage.")])
        lifecycle.leave_by(row, kind, actor=actor, reason=reason_text)


def extend_time(participant: Participant, minutes: int, *, actor: str, reason: str = "") -> None:
    """Extend the time of the stage, or in a game that of all players the table waits for."""
    reason_text = _check_reason(reason)
    check_minutes = number_check(gettext_lazy("Minutes"), 1, MAX_MINUTES_PER_EXTENSION)
    extension = timedelta(minutes=check_minutes(minutes))
    with _locked_active(participant) as row:
        if participant_state.current_step(row).kind == GAME:
            _extend_game(row, extension, actor, reason_text)
            return
        _refuse_double_press("gave_time", participant=row)
        if not participant_state.extend_time(row, extension):
            raise Refused([_("The participant has no time limit at the moment.")])
        study_events.record_event(
            row, "gave_time", actor=actor, reason=f"{minutes} min. {reason_text}".strip()
        )
        study_events.refresh_pages_on_commit([row.pk])


def _extend_game(row: Participant, extension: timedelta, actor: str, reason_text: str) -> None:
    """Extend the time at the participant's table. The caller holds the participant's row."""
    slots.lock_study(row.study_id)
    rows = row.seatings.filter(state=Seating.SEATED, slot__state=Slot.PLAYING)
    seat = rows.select_related("slot__game", "participant").last()
    if seat is None:
        raise Refused([_("The game is over.")])
    _refuse_double_press("gave_time", slot=seat.slot)
    seconds = int(extension.total_seconds())
    with _illegal_as_refused():
        deadlines.extend_deadlines(_game_id(seat.slot), seconds)
    entry = {"seconds": seconds, "at": timezone.now().isoformat()}
    seat.slot.deviations.setdefault("more_time", []).append(entry)
    seat.slot.save(update_fields=["deviations"])
    event_reason = f"{seconds // 60} min. {reason_text}".strip()
    study_events.record_event(seat, "gave_time", actor=actor, reason=event_reason)


def hand_seat_to_agent(seating: Seating, *, actor: str, reason: str = "") -> None:
    """Let an agent play the seat until `return_seat`. It counts as a stand-in."""
    _change_player(seating, game_actions.hand_over, "stand_ins", "handed_over", actor, reason)


def return_seat(seating: Seating, *, actor: str, reason: str = "") -> None:
    """Let the participant play the seat again."""
    _change_player(seating, game_actions.return_seat, "returned", "gave_back", actor, reason)


def _change_player(
    seating: Seating,
    change: Callable[[int, int], object],
    deviation: str,
    event_kind: str,
    actor: str,
    reason: str,
) -> None:
    """Call `change` with the game and the seat, and record the deviation and the event."""
    reason_text = _check_reason(reason)
    with slots.locked_study(seating.slot.study_id):
        row = Seating.objects.select_related("slot__game", "participant").get(pk=seating.pk)
        if row.state != Seating.SEATED or row.slot.state != Slot.PLAYING:
            raise Refused([_("The participant is not in this game.")])
        with _illegal_as_refused():
            change(_game_id(row.slot), row.seat)
        dropouts.record_deviation(row.slot, deviation, row, timezone.now())
        study_events.record_event(row, event_kind, actor=actor, reason=reason_text)


def start_with_agents(scope: Slot | Study, *, actor: str, reason: str = "") -> list[Slot]:
    """Start games now, with agents in the open seats. Return their slots.

    Of a study, all games that waiting participants can fill are started. Participants who get an
    offer still have to confirm that they are ready.
    """
    reason_text = _check_reason(reason)
    with slots.locked_study(scope.study_id if isinstance(scope, Slot) else scope.pk) as study:
        if study.state != Study.OPEN:
            raise Refused([_("The study is not open.")])
        slot = Slot.objects.get(pk=scope.pk) if isinstance(scope, Slot) else None
        if slot and slot.state not in (Slot.FREE, Slot.FILLING):
            raise Refused([_("This game has already started.")])
        matching = Matching(study, participant_state.design_of(study), timezone.now())
        started_slots = matching.begin_short(slot)
        if not started_slots:
            raise Refused([_("No waiting participant can be seated in a game now.")])
        study_events.refresh_pages_on_commit([*matching.offered, *matching.released])
        for row in started_slots:
            study_events.record_event(row, "begin_short", actor=actor, reason=reason_text)
            seating.begin_game_if_ready(row)
    return started_slots


def cancel_game(slot: Slot, *, actor: str, reason: str) -> None:
    """Cancel a running game, which does not count then.

    Its participants return to the waiting room, or exit with pay if the study is closed to new
    participants.
    """
    reason_text = _check_reason(reason, 1)
    with slots.locked_study(slot.study_id):
        row = Slot.objects.select_related("game").get(pk=slot.pk)
        if row.state in (Slot.FREE, Slot.FILLING):
            raise Refused([_("This game has not started yet.")])
        if row.state != Slot.PLAYING:
            raise Refused([_("The game is over.")])
        void_reason = f"{ENDED_BY_HAND}: {reason_text}"[: slots.MAX_REASON_CHARS]
        row.deviations = {**row.deviations, "ended_for": void_reason}
        row.save(update_fields=["deviations"])
        with _illegal_as_refused():
            game_actions.call_off(_game_id(row))
        study_events.record_event(row, "ended", actor=actor, reason=reason_text)


def exclude_participant(participant: Participant, reason: str, *, actor: str) -> None:
    """Exclude a participant from the analyses, also as a rater. Their games still count."""
    reason_text = _check_reason(reason, 1)
    with participant_state.locked_participant(participant) as row:
        if row.withdrew:
            raise Refused([_("The data are deleted, so there is nothing to exclude.")])
        if row.excluded:
            refusal_text = _("{who} is already excluded. Reason: {reason}")
            raise Refused([refusal_text.format(who=row.pseudonym, reason=row.exclusion_reason)])
        row.excluded, row.exclusion_reason = True, reason_text
        row.save(update_fields=["excluded", "exclusion_reason"])
        for rater in row.raters.filter(excluded=False):
            exclusion.exclude(rater, reason_text, actor=actor)
        study_events.record_event(row, "excluded", actor=actor, reason=reason_text)


def include_participant(participant: Participant, reason: str = "", *, actor: str) -> None:
    """Include an excluded participant again, also as a rater."""
    reason_text = _check_reason(reason)
    with participant_state.locked_participant(participant) as row:
        if not row.excluded:
            raise Refused([_("{who} is not excluded.").format(who=row.pseudonym)])
        for rater in row.raters.filter(excluded=True, exclusion_reason=row.exclusion_reason):
            exclusion.include(rater, reason_text, actor=actor)
        row.excluded, row.exclusion_reason = False, ""
        row.save(update_fields=["excluded", "exclusion_reason"])
        study_events.record_event(row, "included", actor=actor, reason=reason_text)


def remove_participant(participant: Participant, *, actor: str, reason: str) -> None:
    """Move the participant out of the study by the exit `removed`. Typed answers are stored."""
    reason_text = _check_reason(reason, 1)
    with _locked_active(participant) as row:
        lifecycle.leave_by(row, "removed", actor=actor, reason=reason_text)


def _check_reason(reason: str, min_chars: int = 0) -> str:
    return text_check(gettext_lazy("The reason"), MAX_REASON_CHARS, min_chars)(reason)


@contextmanager
def _locked_active(participant: Participant) -> Iterator[Participant]:
    """Yield the participant's locked row. Raise `Refused` if they have left or not begun."""
    with participant_state.locked_participant(participant) as row:
        if row.exit:
            raise Refused([_("{who} has already left.").format(who=row.pseudonym)])
        if not row.consented_at:
            raise Refused([_("The participant has not arrived yet.")])
        yield row


def _game_id(slot: Slot) -> int:
    """Return the id of the slot's game. Raise `Refused` if the game was deleted."""
    if slot.game_id is None:
        raise Refused([_("The game no longer exists.")])
    return slot.game_id


@contextmanager
def _illegal_as_refused() -> Iterator[None]:
    """Raise `Refused` for an action that the table does not allow any more."""
    try:
        yield
    except Illegal as illegal:
        refusal_texts = {
            "seat_changed": _("The seat already has another player."),
            "no_deadline": _("This table has no time limit at the moment."),
        }
        raise Refused([refusal_texts.get(illegal.code, _("The game is over."))]) from None


def _refuse_double_press(event_kind: str, **about: Participant | Slot) -> None:
    """Raise `Refused` if the same event was recorded within DOUBLE_PRESS_INTERVAL."""
    since = timezone.now() - DOUBLE_PRESS_INTERVAL
    if AuditEvent.objects.filter(what=event_kind, at__gt=since, **about).exists():
        raise Refused([_("You did this a moment ago. Press again to repeat it.")])
