"""Dropouts: participants who are absent from a running game, and the study's policy for them.

A participant without an open page of the table is away. After a grace period the policy applies: an
agent stands in, or the game is called off, or everyone waits. A participant who returns gets the
seat back. The policy also applies to participants who miss several questions in a row. They take
their seat back with a button. `release_seats` is for participants who leave for good.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from game import game_actions
from game.engine.forms import Illegal
from game.engine.labels import STAND_IN, TIMEOUT
from game.models import Answer
from webapp.play.page.snapshot import AWAY_AFTER
from webapp.study.design.participation_rules import Dropout
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import participant_state, slots, study_events
from webapp.study.sessions.game_verdicts import DROPOUT, PLAYER_LEFT
from webapp.study.sessions.participant_state import WAITING
from webapp.study.sessions.slot_matching import mark_free, offered_seatings, seconds_waited


def update_absences(study: Study) -> None:
    """Record who leaves or returns to a running game, and apply the policy. Idempotent."""
    policy, now = participant_state.design_of(study).dropout, timezone.now()
    rows = Seating.objects.filter(
        slot__study=study,
        slot__state=Slot.PLAYING,
        slot__game__ended_at=None,
        state=Seating.SEATED,
        player__left_at=None,
    )
    columns = ("away_since", "player__stand_in", "player__desk__seen_at")
    for seating in rows.select_related("player__desk").only(*columns):
        if _needs_update(seating, policy, now):
            with slots.locked_study(study):
                _update_seating(seating.pk, policy, now)


def _needs_update(seating: Seating, policy: Dropout, now: datetime) -> bool:
    """Return whether `_update_seating` has something to do, before the study's row is locked."""
    left_at = _page_left_at(seating, now)
    if (left_at is None) != (seating.away_since is None):
        return True
    return left_at is not None and _should_act(seating, policy, left_at, now)


def _page_left_at(seating: Seating, now: datetime) -> datetime | None:
    """Return when the participant last had a page of the table open, None if one is open."""
    desk = getattr(seating.player, "desk", None)
    seen_at = desk.seen_at if desk else None  # set when the game begins
    return seen_at if seen_at and now - seen_at > AWAY_AFTER else None


def _should_act(seating: Seating, policy: Dropout, left_at: datetime, now: datetime) -> bool:
    """Return whether the policy applies now and has not been applied yet."""
    if now - left_at < timedelta(seconds=policy.grace) or policy.policy == "wait":
        return False
    has_stand_in = seating.player is not None and seating.player.stand_in
    return policy.policy == "end" or not has_stand_in


def _update_seating(pk: int, policy: Dropout, now: datetime) -> None:
    """Record an absence or a return, and apply the policy. The caller holds the study's row."""
    seating = _find_running_seating(pk)
    if seating is None or seating.player is None:
        return
    left_at = _page_left_at(seating, now)
    if (left_at is None) != (seating.away_since is None):
        seating.away_since = left_at
        seating.save(update_fields=["away_since"])
        _record_event(seating, "away" if left_at else "back", study_events.PARTICIPANT)
        if left_at is None and seating.player.stand_in:
            with suppress(Illegal):  # the game has ended just now
                game_actions.return_seat(_running_game_id(seating), seating.seat)
            record_deviation(seating.slot, "returned", seating, now)
    if left_at is not None and _should_act(seating, policy, left_at, now):
        _apply_policy(seating, policy, now, f"away for {policy.grace} s")


def _find_running_seating(pk: int) -> Seating | None:
    """Return the seating if its game still runs. The caller holds the study's row."""
    rows = Seating.objects.select_related("slot__game", "player__desk", "participant")
    return rows.filter(pk=pk, state=Seating.SEATED, slot__state=Slot.PLAYING).first()


def _apply_policy(seating: Seating, policy: Dropout, now: datetime, cause: str) -> None:
    with suppress(Illegal):  # the game has ended just now
        if policy.policy == "stand_in":
            game_actions.hand_over(_running_game_id(seating), seating.seat)
            record_deviation(seating.slot, "stand_ins", seating, now)
            _record_event(seating, "stand_in", study_events.POLICY, cause)
        else:
            _call_off_game(seating, DROPOUT, now)
            _record_event(seating, "ended", study_events.POLICY, cause)


@dataclass
class AnswerRecord:
    """How a participant has answered questions in a running game."""

    last_at: datetime | None = None  # when the participant last answered a question themselves
    missed: int = 0  # number of questions missed in a row since then


def read_answer_records(study: Study) -> dict[int, AnswerRecord]:
    """Return seating's id -> record, for all participants in running games."""
    rows = Seating.objects.filter(
        slot__study=study, slot__state=Slot.PLAYING, state=Seating.SEATED
    ).values_list("pk", "slot__game", "seat")
    seatings = {(game, seat): pk for pk, game, seat in rows}
    records = {pk: AnswerRecord() for pk in seatings.values()}
    answers = Answer.objects.filter(window__game__in={game for game, _seat in seatings})
    answer_rows = answers.order_by("at").values_list("window__game", "seat", "labels", "at")
    for game, seat, labels, at in answer_rows:
        if (pk := seatings.get((game, seat))) is None:
            continue
        if TIMEOUT in labels:
            records[pk].missed += 1
        elif STAND_IN in labels:
            records[pk].missed = 0
        else:
            records[pk] = AnswerRecord(at)
    return records


def last_own_answer(seating: Seating) -> datetime | None:
    """Return when the participant last answered a question of their game themselves."""
    answers = Answer.objects.filter(window__game=seating.slot.game_id, seat=seating.seat)
    for at, labels in answers.order_by("-at").values_list("at", "labels"):
        if TIMEOUT not in labels and STAND_IN not in labels:
            return at
    return None


def act_on_missed_questions(study: Study) -> None:
    """Apply the policy to participants who missed too many questions. Idempotent."""
    policy, now = participant_state.design_of(study).dropout, timezone.now()
    if not policy.missed or policy.policy == "wait":
        return
    for pk, record in read_answer_records(study).items():
        if record.missed < policy.missed:
            continue
        with slots.locked_study(study):
            seating = _find_running_seating(pk)
            if seating and seating.player and not seating.player.stand_in:
                _apply_policy(seating, policy, now, f"missed {record.missed} questions")


def _call_off_game(seating: Seating, reason: str, now: datetime) -> None:
    """Call the game off. After the commit, `slot_games.on_game_changed` voids the slot."""
    slot = seating.slot
    slot.deviations = {**slot.deviations, "ended_for": reason}
    record_deviation(slot, "dropped", seating, now)
    game_actions.call_off(_running_game_id(seating))


def release_seats(participant: Participant, exit_kind: str) -> None:
    """Free the seats of a participant who leaves the study. The caller holds the row.

    In a running game an agent takes the seat, unless the policy is to end the game.
    """
    slots.lock_study(participant.study_id)
    if participant_state.current_step(participant).kind == WAITING:
        participant.waited_s += int(seconds_waited(participant, timezone.now()))
        participant.save(update_fields=["waited_s"])
    seatings = participant.seatings.filter(state__in=slots.OCCUPIED_STATES)
    for seating in seatings.select_related("slot"):
        if seating.state == Seating.SEATED:
            _leave_game(seating, exit_kind)
            continue
        seating.state = Seating.RELEASED
        seating.save(update_fields=["state"])
        if not offered_seatings(seating.slot):
            mark_free(seating.slot)


def _leave_game(seating: Seating, exit_kind: str) -> None:
    """Take the participant out of a running game. The caller holds the study's row."""
    slot = seating.slot
    if slot.state != Slot.PLAYING or slot.game_id is None:
        return
    seating.state = Seating.OUT
    seating.save(update_fields=["state"])
    now = timezone.now()
    with suppress(Illegal):  # the game has ended just now
        if participant_state.design_of(slot.study).dropout.policy == "end":
            _call_off_game(seating, PLAYER_LEFT, now)
        else:
            record_deviation(slot, "left", seating, now)
            game_actions.leave(slot.game_id, seating.seat)
    _record_event(seating, "left_game", study_events.PARTICIPANT, exit_kind)


def _running_game_id(seating: Seating) -> int:
    assert seating.slot.game_id is not None  # the game is running
    return seating.slot.game_id


def record_deviation(slot: Slot, event_kind: str, seating: Seating, now: datetime) -> None:
    """Add an event to the slot's deviations from its draw."""
    entry: dict[str, Any] = {"seat": seating.seat, "at": now.isoformat()}
    slot.deviations = {**slot.deviations, event_kind: [*slot.deviations.get(event_kind, []), entry]}
    slot.save(update_fields=["deviations"])


def _record_event(seating: Seating, event_kind: str, actor: str, reason: str = "") -> None:
    study_events.record_event(seating, event_kind, actor=actor, reason=reason)
    study_events.refresh_pages_on_commit([seating.participant_id])
