"""The waiting room: offers of seats, confirmations, and the beginning of games.

Expiry and seating hold one lock, the study's row (`slots.lock_study`).
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

from webapp.study.design.stages import Design, ExitKind
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
from webapp.study.sessions.slot_matching import SHORT, active_seatings, free_slot, pending_seatings
from webapp.study.sessions.waiting import seconds_waited

logger = logging.getLogger(__name__)

# A confirmation is valid for this long, then the participant is asked again.
CONFIRMATION_LIFETIME = timedelta(seconds=60)
MATCHING_SLACK_S = 15  # seconds within which the next matching pass surely runs
OFFERED_STATES = (Seating.HELD, Seating.READY)


@dataclass(frozen=True)
class WaitingStatus:
    """Status of a waiting participant, as the waiting page shows it.

    state: `waiting`, `asked`, `ready`, or `begins` once the game of that code has begun. waited_s,
    max_wait_s: seconds so far and at most. needed: how many people are missing, None if it must not
    be shown. held_until: when an answer is due.
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
    """Return the participant's status for their waiting page.

    The request itself shows that they are present. seatings: their `slots.current_seatings`, if
    they have been read.
    """
    record_presence(participant)
    design, now = participant_steps.design_of(participant.study), timezone.now()
    rules, seating = design.waiting, _present_seating(participant, seatings)
    length = seconds_waited(participant, now)
    states = {Seating.HELD: "asked", Seating.READY: "ready", Seating.SEATED: "begins"}
    state = states[seating.state] if seating else "waiting"
    begun = seating.slot.game if seating and state == "begins" else None
    return WaitingStatus(
        state,
        int(length),
        rules.most,
        may_leave_paid=length >= rules.leave_paid_after and state != "begins",
        needed=None if design.blind or begun else _needed(participant.study, design, seating),
        held_until=seating.held_until if seating and state == "asked" else None,
        game=begun.code if begun else "",
    )


def _present_seating(
    participant: Participant, seatings: Sequence[Seating] | None = None
) -> Seating | None:
    """Return the participant's seating in their current or next game."""
    game = participant_steps.step_of(participant).game
    rows = slots.current_seatings(participant) if seatings is None else seatings
    return next((s for s in reversed(rows) if s.round == game), None)


def _needed(study: Study, design: Design, seating: Seating | None) -> int:
    if seating:
        return len(seating.slot.seats) - len(active_seatings(seating.slot))
    slot = study.slots.filter(state=Slot.FREE).order_by("block", "index").first()
    rooms = [s.index for s in route(design) if s.kind == WAITING]
    people_waiting = Participant.objects.filter(study=study, exit="", step__in=rooms)
    free_people = people_waiting.exclude(seatings__state__in=OFFERED_STATES).count()
    return max(len(slot.seats) - free_people, 0) if slot else 0


def confirm_ready(participant: Participant) -> bool:
    """Record that the participant is ready, and begin the game once all are.

    Returns False if they are not asked or the offer has expired.
    """
    now = timezone.now()
    with transaction.atomic():
        slots.lock_study(participant.study_id)
        held_seatings = Seating.objects.filter(participant=participant, state=Seating.HELD)
        seating = held_seatings.filter(held_until__gte=now).select_related("slot").first()
        if seating is None:
            return False
        seating.state, seating.held_until = Seating.READY, now + CONFIRMATION_LIFETIME
        seating.save(update_fields=["state", "held_until"])
        begin_game_if_ready(seating.slot)
    return True


def begin_game_if_ready(slot: Slot) -> bool:
    """Begin the slot's game if all its people are ready. Return False if it cannot begin yet.

    A participant who confirmed more than a minute ago is asked again. A slot that begins short of
    people has computer players in the open seats, recorded in its deviations.
    """
    with transaction.atomic():
        study = slots.lock_study(slot.study_id)
        row = Slot.objects.select_related("study", "condition").get(pk=slot.pk)
        people = active_seatings(row)
        is_short = bool(row.deviations.get(SHORT))
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
    """Ask those whose confirmation is too old once more. Return whether there are any."""
    old = [s for s in people if s.held_until is None or s.held_until < now]
    until = now + timedelta(seconds=participant_steps.design_of(study).waiting.ready)
    for seating in old:
        seating.state, seating.held_until = Seating.HELD, until
        seating.save(update_fields=["state", "held_until"])
    notices.refresh_pages(s.participant_id for s in old)
    return bool(old)


def _start_game(slot: Slot, people: list[Seating], now: datetime) -> None:
    game = slot_games.open_table(slot, {s.seat: s.participant for s in people})
    players = {player.seat: player for player in game.players.all()}
    slot.game, slot.state, slot.began_at = game, Slot.PLAYING, now
    slot.deviations = {k: v for k, v in slot.deviations.items() if k != SHORT}
    if empty := sorted(set(slot.seats) - {s.seat for s in people}):
        slot.deviations = {**slot.deviations, "computer_seats": empty}
    if (extra := slot_games.time_factor_percent({s.seat: s.participant for s in people})) != 100:
        slot.deviations = {**slot.deviations, "extra_time": extra}
    slot.save(update_fields=["game", "state", "began_at", "deviations"])
    for seating in people:
        seating.state, seating.player = Seating.SEATED, players[seating.seat]
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

    The participants are not to blame, so they keep waiting.
    """
    slots.void_slot(slot, f"could not begin: {cause}", actor=audit_events.CLOCK)
    Study.objects.filter(pk=study.pk).update(state=Study.PAUSED)
    audit_events.record_event(study, "paused", actor=audit_events.CLOCK, reason=cause, slot=slot)


def leave_queue(participant: Participant) -> bool:
    """Let a participant leave paid who has waited long enough.

    Returns False if they have not, or if their game has begun.
    """
    design = participant_steps.design_of(participant.study)
    if seconds_waited(participant, timezone.now()) < design.waiting.leave_paid_after:
        return False
    return _leave_by(participant, "waited_out", by=audit_events.PARTICIPANT)


def _leave_by(participant: Participant, kind: ExitKind, *, by: str, reason: str = "") -> bool:
    """Move the participant out of the study, unless a game of theirs begins."""
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        slots.lock_study(row.study_id)
        seating, step = _present_seating(row), participant_steps.step_of(row)
        if step.kind != WAITING or (seating and seating.state == Seating.SEATED):
            return False
        return lifecycle.leave_by(row, kind, by=by, reason=reason, at_step=step.index)


def expire_offers(study: Study) -> int:
    """Free the seats of participants who missed their offer. Return how many missed it.

    Then begin the games that can begin with the others, and let those leave who have waited for the
    maximum time.
    """
    now = timezone.now()
    missed = _release_missed_offers(study, now) if _has_slots_to_settle(study, now) else []
    _end_long_waits(study, now)
    return len(missed)


def _has_slots_to_settle(study: Study, now: datetime) -> bool:
    """Return whether a slot that is being filled waits for no answer or for an overdue one.

    It reads without the lock, because it runs once a second while people think.
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
    """Let participants leave who have waited too long or cannot be seated any more.

    After the maximum wait, those with an open page leave paid (`waited_out`), others as
    `abandoned`.
    """
    design = participant_steps.design_of(study)
    rules, rooms = design.waiting, [s.index for s in route(design) if s.kind == WAITING]
    over = study.state == Study.CLOSED or slots.is_full(study)
    most, seating_states = rules.most, Q(seatings__state=Seating.HELD)
    if rules.at_most == "begin":  # once they have been asked for a game that begins short of people
        most += rules.ready + MATCHING_SLACK_S
        seating_states |= Q(seatings__state=Seating.READY)
    people_waiting = Participant.objects.filter(study=study, exit="", step__in=rooms)
    unasked = people_waiting.exclude(pk__in=people_waiting.filter(seating_states).values("pk"))
    people = list(unasked.select_related("study").order_by("pk"))
    out_of_games = set() if over else _out_of_games(study, design, people)
    for person in people:
        if over or person.pk in out_of_games:
            _move_past_games(person, participant_steps.step_of(person))
        elif seconds_waited(person, now) >= most:
            here = is_present(person, now)
            reason = "" if here else "no page open"
            _leave_by(
                person, "waited_out" if here else "abandoned", by=audit_events.CLOCK, reason=reason
            )


def _out_of_games(study: Study, design: Design, people: Sequence[Participant]) -> set[int]:
    """Return the ids of the participants for whom no slot is left.

    A slot must have a deal that is new to them, and a new condition if the design asks for that.
    """
    sat = Seating.objects.filter(
        participant__in=people, state__in=[Seating.SEATED, Seating.OUT]
    ).values_list("participant", "state", "slot__condition", "slot__deal")
    dealt, played = defaultdict[int, set[str]](set), defaultdict[int, set[int]](set)
    for person, state, condition, deal in sat:
        dealt[person].add(deal)
        if state == Seating.SEATED and design.assignment.distinct_conditions:
            played[person].add(condition)
    left: set[tuple[str, int]] = set()
    if dealt:
        free_slots = study.slots.filter(state__in=[Slot.FREE, Slot.FILLING])
        left = set(free_slots.values_list("deal", "condition"))
    return {
        person
        for person in dealt
        if not any(d not in dealt[person] and c not in played[person] for d, c in left)
    }


def _move_past_games(person: Participant, step: Step) -> None:
    """Move a participant on for whom no seat is left.

    The exit is `full`, or `technical` after a game that ended early. Participants who have played
    already go on to the step after all games.
    """
    seating = _present_seating(person)
    if seating and seating.state == Seating.SEATED:
        return
    if step.game > 1:
        lifecycle.skip_remaining_games(person, step.index)
    else:
        sat = person.seatings.filter(state=Seating.OUT).exists()
        _leave_by(person, "technical" if sat else "full", by=audit_events.CLOCK)
