"""The waiting room: confirmations of offered seats, their expiry, and the start of games.

`slot_matching` makes the offers. Code that changes seatings holds the lock of the study's row
(`slots.lock_study`).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from webapp.study.design.exits import ExitKind
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import (
    lifecycle,
    participant_state,
    slot_games,
    slot_matching,
    slots,
    study_events,
)
from webapp.study.sessions.participant_state import WAITING, Step, is_present, record_presence

logger = logging.getLogger(__name__)

CONFIRMATION_LIFETIME = timedelta(seconds=60)  # afterwards the participant has to confirm again
MATCHING_SLACK_S = 15  # three times the interval of the sweeper's matching


@dataclass(frozen=True)
class WaitingStatus:
    """Status of a waiting participant, as the waiting page shows it."""

    state: str  # `waiting`, `asked` (has an offer), `ready`, or `begins` once the game has begun
    waited_s: int
    can_leave_paid: bool
    needed: int | None = None  # number of missing people, None if it must not be shown
    # When the confirmation of an offer is due, None without an offer.
    held_until: datetime | None = None


def waiting_status(
    participant: Participant, seatings: Sequence[Seating] | None = None
) -> WaitingStatus:
    """Return the status for the waiting page (`seatings`: if loaded), and record their presence."""
    record_presence(participant)
    design, now = participant_state.design_of(participant.study), timezone.now()
    rules, seating = design.waiting, _current_seating(participant, seatings)
    waited_s = slot_matching.seconds_waited(participant, now)
    states = {Seating.HELD: "asked", Seating.READY: "ready", Seating.SEATED: "begins"}
    state = states[seating.state] if seating else "waiting"
    # At a blind table, the number would reveal how many players are people.
    hides_needed = design.is_blind or state == "begins"
    return WaitingStatus(
        state,
        int(waited_s),
        can_leave_paid=waited_s >= rules.leave_paid_after and state != "begins",
        needed=None if hides_needed else _count_missing_people(participant.study, design, seating),
        held_until=seating.held_until if seating and state == "asked" else None,
    )


def _current_seating(
    participant: Participant, seatings: Sequence[Seating] | None = None
) -> Seating | None:
    """Return the participant's seating in their current or next game."""
    game = participant_state.current_step(participant).game
    rows = participant_state.current_seatings(participant) if seatings is None else seatings
    return next((s for s in reversed(rows) if s.round == game), None)


def _count_missing_people(study: Study, design: Design, seating: Seating | None) -> int:
    if seating:
        return len(seating.slot.seats) - len(slot_matching.offered_seatings(seating.slot))
    slot = study.slots.filter(state=Slot.FREE).order_by("block", "index").first()
    without_offer = slot_matching.participants_without_offer(study, design).count()
    return max(len(slot.seats) - without_offer, 0) if slot else 0


def confirm_ready(participant: Participant) -> bool:
    """Begin the game once all are ready. Return False if the participant has no valid offer."""
    now = timezone.now()
    with slots.locked_study(participant.study_id):
        held_seatings = Seating.objects.filter(participant=participant, state=Seating.HELD)
        seating = held_seatings.filter(held_until__gte=now).select_related("slot").first()
        if seating is None:
            return False
        seating.state = Seating.READY
        seating.held_until = now + CONFIRMATION_LIFETIME
        seating.save(update_fields=["state", "held_until"])
        begin_game_if_ready(seating.slot)
    return True


def begin_game_if_ready(slot: Slot) -> None:
    """Begin the slot's game if all its participants are ready.

    Participants whose confirmation is older than CONFIRMATION_LIFETIME have to confirm again. A
    slot that begins short of participants (SHORT_KEY) gets agents in the open seats.
    """
    with slots.locked_study(slot.study_id) as study:
        row = Slot.objects.select_related("study", "condition").get(pk=slot.pk)
        seatings = slot_matching.offered_seatings(row)
        is_short = bool(row.deviations.get(slot_matching.SHORT_KEY))
        is_complete = len(seatings) == len(row.seats) or (is_short and bool(seatings))
        if study.state == Study.CLOSED or row.state != Slot.FILLING or not is_complete:
            return
        now = timezone.now()
        if any(s.state == Seating.HELD for s in seatings) or _renew_offers(study, seatings, now):
            return
        try:
            with transaction.atomic():
                _start_game(row, seatings, now)
        except DatabaseError:
            raise  # a passing fault, such as a deadlock: the sweeper tries again
        except Exception as error:
            logger.exception("the game of %s could not begin", row)
            _void_and_pause(study, row, str(error))


def _renew_offers(study: Study, seatings: list[Seating], now: datetime) -> bool:
    """Offer seats with an expired confirmation again. Return whether there are any."""
    expired = [s for s in seatings if s.held_until is None or s.held_until < now]
    until = now + timedelta(seconds=participant_state.design_of(study).waiting.ready)
    for seating in expired:
        seating.state = Seating.HELD
        seating.held_until = until
        seating.save(update_fields=["state", "held_until"])
    study_events.refresh_pages_on_commit(s.participant_id for s in expired)
    return bool(expired)


def _start_game(slot: Slot, seatings: list[Seating], now: datetime) -> None:
    people = {s.seat: s.participant for s in seatings}
    slot.game = slot_games.open_table(slot, people)
    slot.state = Slot.PLAYING
    slot.began_at = now
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != slot_matching.SHORT_KEY}
    if open_seats := sorted(set(slot.seats) - set(people)):
        slot.deviations["computer_seats"] = open_seats
    if (time_factor := slot_games.time_factor_percent(people)) != 100:
        slot.deviations["extra_time"] = time_factor
    slot.save(update_fields=["game", "state", "began_at", "deviations"])
    players = {player.seat: player for player in slot.game.players.all()}
    for seating in seatings:
        seating.state = Seating.SEATED
        seating.player = players[seating.seat]
        seating.waited_s = int(slot_matching.seconds_waited(seating.participant, now))
        seating.save(update_fields=["state", "player", "waited_s"])
        # After the commit, because it locks the participant's row, which comes before the study's.
        transaction.on_commit(partial(slot_games.sync_step, seating), robust=True)
    study_events.record_event(slot, "began", actor=study_events.CLOCK)
    study_events.refresh_pages_on_commit(s.participant_id for s in seatings)


def _void_and_pause(study: Study, slot: Slot, cause: str) -> None:
    """Void a slot whose game cannot begin, and pause the study for its researcher.

    The cause is not the participants', so they stay in the waiting room.
    """
    slots.void_slot(slot, f"could not begin: {cause}", actor=study_events.CLOCK)
    Study.objects.filter(pk=study.pk).update(state=Study.PAUSED)
    study_events.record_event(slot, "paused", actor=study_events.CLOCK, reason=cause)


def leave_queue(participant: Participant) -> bool:
    """Let a participant leave with pay, if they have waited long enough and no game has begun."""
    design = participant_state.design_of(participant.study)
    if slot_matching.seconds_waited(participant, timezone.now()) < design.waiting.leave_paid_after:
        return False
    return _leave_waiting_room(participant, "waited_out", actor=study_events.PARTICIPANT)


def _leave_waiting_room(
    participant: Participant, kind: ExitKind, *, actor: str, reason: str = ""
) -> bool:
    """Move the participant out of the study by that exit, unless their game has begun."""
    with participant_state.locked_participant(participant) as row:
        slots.lock_study(row.study_id)
        seating, step = _current_seating(row), participant_state.current_step(row)
        if step.kind != WAITING or (seating and seating.state == Seating.SEATED):
            return False
        return lifecycle.leave_by(row, kind, actor=actor, reason=reason, from_index=step.index)


def expire_offers(study: Study) -> None:
    """Free missed offers, begin complete games, and move participants on whose wait is over."""
    now = timezone.now()
    if _has_slots_to_update(study, now):
        _release_missed_offers(study, now)
    _end_long_waits(study, now)


def _has_slots_to_update(study: Study, now: datetime) -> bool:
    """Return whether a slot that is being filled awaits no confirmation, or an overdue one.

    It reads without the lock, because it runs every second while participants decide.
    """
    held_seatings = Seating.objects.filter(slot=OuterRef("pk"), state=Seating.HELD)
    filling = study.slots.filter(state=Slot.FILLING)
    return filling.filter(
        ~Exists(held_seatings) | Exists(held_seatings.filter(held_until__lt=now))
    ).exists()


def _release_missed_offers(study: Study, now: datetime) -> None:
    """Free overdue offers, then slots without seatings. Begin the games that are complete."""
    with slots.locked_study(study) as row:
        missed = Seating.objects.filter(slot__study=row, state=Seating.HELD, held_until__lt=now)
        missed_ids = list(missed.values_list("participant", flat=True))
        missed.update(state=Seating.MISSED)
        seatings = slot_matching.pending_seatings(row)
        for slot in row.slots.filter(state=Slot.FILLING):
            if not seatings[slot.pk]:
                slot_matching.mark_free(slot)
            elif all(s.state == Seating.READY for s in seatings[slot.pk]):
                begin_game_if_ready(slot)
        study_events.refresh_pages_on_commit(missed_ids)


def _end_long_waits(study: Study, now: datetime) -> None:
    """Move participants on after the maximum wait, or if no seat is left for them.

    After the maximum, those with an open page leave with pay (`waited_out`), others as `abandoned`.
    """
    design = participant_state.design_of(study)
    rules = design.waiting
    max_wait_s, kept_seatings = rules.most, Q(seatings__state=Seating.HELD)
    if rules.at_most == "begin":
        # They are about to get the offer of a game that begins short of participants.
        max_wait_s += rules.ready + MATCHING_SLACK_S
        kept_seatings |= Q(seatings__state=Seating.READY)
    rooms = list(slot_matching.waiting_steps(design))
    waiting = Participant.objects.filter(study=study, exit="", step__in=rooms)
    without_offer = waiting.exclude(pk__in=waiting.filter(kept_seatings).values("pk"))
    people = list(without_offer.select_related("study").order_by("pk"))
    has_no_seats = study.state == Study.CLOSED or study.is_full
    without_slot = set() if has_no_seats else _without_remaining_slot(study, design, people)
    for person in people:
        if has_no_seats or person.pk in without_slot:
            _move_past_games(person, participant_state.current_step(person))
        elif slot_matching.seconds_waited(person, now) < max_wait_s:
            continue
        elif is_present(person, now):
            _leave_waiting_room(person, "waited_out", actor=study_events.CLOCK)
        else:
            reason = "no page open"
            _leave_waiting_room(person, "abandoned", actor=study_events.CLOCK, reason=reason)


def _without_remaining_slot(
    study: Study, design: Design, people: Sequence[Participant]
) -> set[int]:
    """Return the ids of the participants for whom no slot is left.

    A slot must have a deal that is new to them, and a new condition if the design requires it.
    """
    history = slot_matching.SeatingHistory([person.pk for person in people])
    if not history.deals:
        return set()
    open_slots = study.slots.filter(state__in=[Slot.FREE, Slot.FILLING])
    remaining = set(open_slots.values_list("deal", "condition"))

    def can_play(person: int, deal: str, condition: int) -> bool:
        is_repeated = condition in history.conditions[person]
        must_not_repeat = design.assignment.distinct_conditions
        return deal not in history.deals[person] and not (must_not_repeat and is_repeated)

    return {pk for pk in history.deals if not any(can_play(pk, *slot) for slot in remaining)}


def _move_past_games(person: Participant, step: Step) -> None:
    """Move a participant on for whom no seat is left.

    Participants who have played go to the step after all games. Others leave as `full`, or as
    `technical` if they were in a game that ended early.
    """
    seating = _current_seating(person)
    if seating and seating.state == Seating.SEATED:
        return
    if step.game > 1:
        lifecycle.skip_remaining_games(person, step.index)
    else:
        was_seated = person.seatings.filter(state=Seating.OUT).exists()
        kind: ExitKind = "technical" if was_seated else "full"
        _leave_waiting_room(person, kind, actor=study_events.CLOCK)
