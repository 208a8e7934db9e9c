"""The waiting room: offers of seats, confirmations, expiry, and the beginning of games.

Expiry and seating hold the lock of the study's row (`slots.lock_study`).
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from webapp.study.design.exits import ExitKind
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import (
    audit_events,
    lifecycle,
    notices,
    participant_steps,
    slot_games,
    slots,
)
from webapp.study.sessions.participant_steps import (
    WAITING,
    Step,
    is_present,
    record_presence,
    route,
)
from webapp.study.sessions.slot_matching import (
    SHORT_KEY,
    active_seatings,
    free_slot,
    pending_seatings,
)
from webapp.study.sessions.waiting import seconds_waited

logger = logging.getLogger(__name__)

CONFIRMATION_LIFETIME = timedelta(seconds=60)  # afterwards the participant is asked again
MATCHING_SLACK_S = 15  # the next matching pass surely runs within this time


@dataclass(frozen=True)
class WaitingStatus:
    """Status of a waiting participant, as the waiting page shows it.

    Attributes:
        state: `waiting`, `asked`, `ready`, or `begins` once the game has begun.
        needed: Number of missing people, None if it must not be shown.
        held_until: When the answer to an offer is due.
        game: Code of the game that has begun, "" before.
    """

    state: str
    waited_s: int
    max_wait_s: int
    may_leave_paid: bool
    needed: int | None = None
    held_until: datetime | None = None
    game: str = ""


def waiting_status(
    participant: Participant, seatings: Sequence[Seating] | None = None
) -> WaitingStatus:
    """Return the participant's status for their waiting page, and record their presence.

    Args:
        seatings: Their `slots.current_seatings`, if loaded already.
    """
    record_presence(participant)
    design, now = participant_steps.design_of(participant.study), timezone.now()
    rules, seating = design.waiting, _current_seating(participant, seatings)
    waited_s = seconds_waited(participant, now)
    states = {Seating.HELD: "asked", Seating.READY: "ready", Seating.SEATED: "begins"}
    state = states[seating.state] if seating else "waiting"
    game = seating.slot.game if seating and state == "begins" else None
    return WaitingStatus(
        state,
        int(waited_s),
        rules.most,
        may_leave_paid=waited_s >= rules.leave_paid_after and state != "begins",
        needed=None
        if design.is_blind or game
        else _count_missing_people(participant.study, design, seating),
        held_until=seating.held_until if seating and state == "asked" else None,
        game=game.code if game else "",
    )


def _current_seating(
    participant: Participant, seatings: Sequence[Seating] | None = None
) -> Seating | None:
    """Return the participant's seating in their current or next game."""
    game = participant_steps.current_step(participant).game
    rows = slots.current_seatings(participant) if seatings is None else seatings
    return next((s for s in reversed(rows) if s.round == game), None)


def _count_missing_people(study: Study, design: Design, seating: Seating | None) -> int:
    if seating:
        return len(seating.slot.seats) - len(active_seatings(seating.slot))
    slot = study.slots.filter(state=Slot.FREE).order_by("block", "index").first()
    rooms = [s.index for s in route(design) if s.kind == WAITING]
    people_waiting = Participant.objects.filter(study=study, exit="", step__in=rooms)
    without_offer = people_waiting.exclude(seatings__state__in=slots.OFFERED_STATES).count()
    return max(len(slot.seats) - without_offer, 0) if slot else 0


def confirm_ready(participant: Participant) -> bool:
    """Record that the participant is ready, and begin the game once all are.

    Returns:
        False if they have no offer or it has expired.
    """
    now = timezone.now()
    with transaction.atomic():
        slots.lock_study(participant.study_id)
        held_seatings = Seating.objects.filter(participant=participant, state=Seating.HELD)
        seating = held_seatings.filter(held_until__gte=now).select_related("slot").first()
        if seating is None:
            return False
        seating.state = Seating.READY
        seating.held_until = now + CONFIRMATION_LIFETIME
        seating.save(update_fields=["state", "held_until"])
        begin_game_if_ready(seating.slot)
    return True


def begin_game_if_ready(slot: Slot) -> bool:
    """Begin the slot's game if all its people are ready. Return whether it has begun.

    Participants whose confirmation is older than CONFIRMATION_LIFETIME are asked again. A slot that
    begins short of people gets computer players in the open seats, recorded in its deviations.
    """
    with transaction.atomic():
        study = slots.lock_study(slot.study_id)
        row = Slot.objects.select_related("study", "condition").get(pk=slot.pk)
        people = active_seatings(row)
        is_short = bool(row.deviations.get(SHORT_KEY))
        is_complete = len(people) == len(row.seats) or (is_short and bool(people))
        if study.state == Study.CLOSED or row.state != Slot.FILLING or not is_complete:
            return False
        now = timezone.now()
        if any(s.state == Seating.HELD for s in people) or _renew_offers(study, people, now):
            return False
        try:
            with transaction.atomic():
                _start_game(row, people, now)
        except DatabaseError:
            raise
        except Exception as error:
            logger.exception("the game of %s could not begin", row)
            _void_and_pause(study, row, str(error))
            return False
    return True


def _renew_offers(study: Study, people: list[Seating], now: datetime) -> bool:
    """Ask participants with an expired confirmation again. Return whether there are any."""
    expired = [s for s in people if s.held_until is None or s.held_until < now]
    until = now + timedelta(seconds=participant_steps.design_of(study).waiting.ready)
    for seating in expired:
        seating.state = Seating.HELD
        seating.held_until = until
        seating.save(update_fields=["state", "held_until"])
    notices.refresh_pages(s.participant_id for s in expired)
    return bool(expired)


def _start_game(slot: Slot, people: list[Seating], now: datetime) -> None:
    game = slot_games.open_table(slot, {s.seat: s.participant for s in people})
    players = {player.seat: player for player in game.players.all()}
    slot.game = game
    slot.state = Slot.PLAYING
    slot.began_at = now
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != SHORT_KEY}
    if open_seats := sorted(set(slot.seats) - {s.seat for s in people}):
        slot.deviations = {**slot.deviations, "computer_seats": open_seats}
    time_factor = slot_games.time_factor_percent({s.seat: s.participant for s in people})
    if time_factor != 100:
        slot.deviations = {**slot.deviations, "extra_time": time_factor}
    slot.save(update_fields=["game", "state", "began_at", "deviations"])
    for seating in people:
        seating.state = Seating.SEATED
        seating.player = players[seating.seat]
        seating.waited = int(seconds_waited(seating.participant, now))
        seating.save(update_fields=["state", "player", "waited"])
    audit_events.record_event(slot.study_id, "began", actor=audit_events.CLOCK, slot=slot)
    transaction.on_commit(lambda: _move_to_game(people), robust=True)
    notices.refresh_pages(s.participant_id for s in people)


def _move_to_game(people: list[Seating]) -> None:
    for seating in people:
        slot_games.sync_step(seating)


def _void_and_pause(study: Study, slot: Slot, cause: str) -> None:
    """Void a slot whose game cannot begin, and pause the study for its researcher.

    The cause is not the participants', so they stay in the waiting room.
    """
    slots.void_slot(slot, f"could not begin: {cause}", actor=audit_events.CLOCK)
    Study.objects.filter(pk=study.pk).update(state=Study.PAUSED)
    audit_events.record_event(study, "paused", actor=audit_events.CLOCK, reason=cause, slot=slot)


def leave_queue(participant: Participant) -> bool:
    """Let a participant leave with pay who has waited long enough.

    Returns:
        False if they have not waited long enough, or if their game has begun.
    """
    design = participant_steps.design_of(participant.study)
    if seconds_waited(participant, timezone.now()) < design.waiting.leave_paid_after:
        return False
    return _leave_by(participant, "waited_out", actor=audit_events.PARTICIPANT)


def _leave_by(participant: Participant, kind: ExitKind, *, actor: str, reason: str = "") -> bool:
    """Move the participant out of the study, unless their game has begun."""
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        slots.lock_study(row.study_id)
        seating, step = _current_seating(row), participant_steps.current_step(row)
        if step.kind != WAITING or (seating and seating.state == Seating.SEATED):
            return False
        return lifecycle.leave_by(row, kind, actor=actor, reason=reason, at_step=step.index)


def expire_offers(study: Study) -> int:
    """Free the seats of participants who missed their offer. Return their number.

    Then begin the games that are complete, and let participants leave whose wait is over.
    """
    now = timezone.now()
    missed = _release_missed_offers(study, now) if _has_slots_to_update(study, now) else []
    _end_long_waits(study, now)
    return len(missed)


def _has_slots_to_update(study: Study, now: datetime) -> bool:
    """Return whether a slot that is being filled awaits no answer or an overdue one.

    It reads without the lock, because it runs every second while participants think.
    """
    held_seatings = Seating.objects.filter(slot=OuterRef("pk"), state=Seating.HELD)
    filling = study.slots.filter(state=Slot.FILLING)
    return filling.filter(
        ~Exists(held_seatings) | Exists(held_seatings.filter(held_until__lt=now))
    ).exists()


def _release_missed_offers(study: Study, now: datetime) -> list[int]:
    with transaction.atomic():
        row = slots.lock_study(study)
        held_seatings = Seating.objects.filter(
            slot__study=row, state=Seating.HELD, held_until__lt=now
        )
        missed = list(held_seatings.values_list("participant", flat=True))
        held_seatings.update(state=Seating.MISSED)
        people = pending_seatings(row)
        for slot in row.slots.filter(state=Slot.FILLING):
            if not people[slot.pk]:
                free_slot(slot)
            elif all(s.state == Seating.READY for s in people[slot.pk]):
                begin_game_if_ready(slot)
        notices.refresh_pages(missed)
    return missed


def _end_long_waits(study: Study, now: datetime) -> None:
    """Let participants leave after the maximum wait, or if no seat is left for them.

    After the maximum, those with an open page leave with pay (`waited_out`), others as `abandoned`.
    """
    design = participant_steps.design_of(study)
    rules, rooms = design.waiting, [s.index for s in route(design) if s.kind == WAITING]
    has_no_seats = study.state == Study.CLOSED or slots.is_full(study)
    max_wait_s, seating_states = rules.most, Q(seatings__state=Seating.HELD)
    if rules.at_most == "begin":  # leaves time for the offer of a game that begins short of people
        max_wait_s += rules.ready + MATCHING_SLACK_S
        seating_states |= Q(seatings__state=Seating.READY)
    people_waiting = Participant.objects.filter(study=study, exit="", step__in=rooms)
    unasked = people_waiting.exclude(pk__in=people_waiting.filter(seating_states).values("pk"))
    people = list(unasked.select_related("study").order_by("pk"))
    without_slot = set() if has_no_seats else _without_remaining_slot(study, design, people)
    for person in people:
        if has_no_seats or person.pk in without_slot:
            _move_past_games(person, participant_steps.current_step(person))
        elif seconds_waited(person, now) >= max_wait_s:
            has_open_page = is_present(person, now)
            kind: ExitKind = "waited_out" if has_open_page else "abandoned"
            reason = "" if has_open_page else "no page open"
            _leave_by(person, kind, actor=audit_events.CLOCK, reason=reason)


def _without_remaining_slot(
    study: Study, design: Design, people: Sequence[Participant]
) -> set[int]:
    """Return the ids of the participants for whom no slot is left.

    A slot must have a deal that is new to them, and a new condition if the design requires it.
    """
    seatings = Seating.objects.filter(
        participant__in=people, state__in=[Seating.SEATED, Seating.OUT]
    ).values_list("participant", "state", "slot__condition", "slot__deal")
    dealt, played = defaultdict[int, set[str]](set), defaultdict[int, set[int]](set)
    for person, state, condition, deal in seatings:
        dealt[person].add(deal)
        if state == Seating.SEATED and design.assignment.distinct_conditions:
            played[person].add(condition)
    remaining: set[tuple[str, int]] = set()  # (deal, condition)
    if dealt:
        open_slots = study.slots.filter(state__in=[Slot.FREE, Slot.FILLING])
        remaining = set(open_slots.values_list("deal", "condition"))
    return {
        person
        for person in dealt
        if not any(d not in dealt[person] and c not in played[person] for d, c in remaining)
    }


def _move_past_games(person: Participant, step: Step) -> None:
    """Move a participant for whom no seat is left.

    Participants who have played go on to the step after all games. Others leave as `full`, or as
    `technical` after a game that ended early.
    """
    seating = _current_seating(person)
    if seating and seating.state == Seating.SEATED:
        return
    if step.game > 1:
        lifecycle.skip_remaining_games(person, step.index)
    else:
        has_sat = person.seatings.filter(state=Seating.OUT).exists()
        _leave_by(person, "technical" if has_sat else "full", actor=audit_events.CLOCK)
