"""Slots for a study's games, drawn from the study's seed before any participant arrives.

Lock order: a participant's row, then the study's row (`lock_study`), then a game's. Code that
changes a slot or a seating holds the study's row.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import combinations
from typing import Literal

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from webapp.play.tables import seat_plans
from webapp.study.design.conditions import build_conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Condition, Seating, Slot, Study
from webapp.study.sessions import study_events

# States of a seating before its game begins, those that occupy a seat, and those of participants
# who were in the game.
OFFERED_STATES = (Seating.HELD, Seating.READY)
OCCUPIED_STATES = (*OFFERED_STATES, Seating.SEATED)
PLAYED_STATES = (Seating.SEATED, Seating.OUT)
MAX_REASON_CHARS = 120  # length of the column `Slot.void_reason`
SCHEDULE_DRAWS = 40  # candidates for a round of a league, of which the most balanced one is used


def deal_roles(table: TableDesign, seed: str) -> tuple[str, ...]:
    """Return the role of each seat for a game of this table and seed, in the order of seats."""
    return seat_plans.deal_roles(table.ruleset, table.game_settings, seed)


class SeatBalance:
    """Counts how often people have had each seat and each role of one condition."""

    def __init__(self, seat_count: int) -> None:
        self._seats: Counter[int] = Counter()
        self._roles: Counter[str] = Counter()
        self._seat_count = seat_count

    def count_game(self, seats: Sequence[int], roles: Sequence[str]) -> None:
        """Count a game in which people have these seats."""
        self._seats.update(seats)
        self._roles.update(roles[seat - 1] for seat in seats)

    def choose_seats(
        self, table: TableDesign, roles: Sequence[str], rng: SeededRandom
    ) -> list[int]:
        """Return the seats of people in the order in which they are filled, or raise `Refused`."""
        if table.people_seats:
            return list(table.people_seats)
        wanted_roles = list(table.people_roles) or [""] * table.people
        trial, chosen = deepcopy(self), list[int]()
        for role in wanted_roles:
            order = rng.shuffled(f"seat/{len(chosen)}", range(1, self._seat_count + 1))
            fitting = [s for s in order if s not in chosen and (not role or roles[s - 1] == role)]
            if not fitting:
                raise Refused([_("No free seat has the role {role}.").format(role=role)])
            seat = min(fitting, key=lambda s: trial._seat_score(s, roles))
            trial.count_game([seat], roles)
            chosen.append(seat)
        return chosen

    def _seat_score(self, seat: int, roles: Sequence[str]) -> float:
        """Return how often people have had the seat and its role. The lowest score is chosen.

        A role's count is divided by its number of seats. So people have each role as often as
        agents do, and no role reveals who is a person.
        """
        role = roles[seat - 1]
        return self._seat_count * (self._seats[seat] + self._roles[role] / roles.count(role))


def lock_study(study: Study | int) -> Study:
    """Return the study's row, locked until the transaction ends."""
    pk = study if isinstance(study, int) else study.pk
    return Study.objects.select_for_update(no_key=True).get(pk=pk)


@contextmanager
def locked_study(study: Study | int) -> Iterator[Study]:
    """Open a transaction, and yield the study's locked row."""
    with transaction.atomic():
        yield lock_study(study)


def last_number(study: Study, field: Literal["block", "index"]) -> int:
    """Return the highest `block` or `index` of the study's slots, 0 if there is none."""
    return study.slots.aggregate(last=Max(field))["last"] or 0


def draw_slots(study: Study) -> None:
    """Create the conditions and all slots, once. Raise `Refused` if people cannot be seated."""
    with locked_study(study):
        if not study.slots.exists():
            design = Design.from_json(study.design)
            study.conditions.all().delete()
            Condition.objects.bulk_create(
                Condition(
                    study=study,
                    index=plan.index,
                    name=plan.name,
                    levels=dict(plan.levels),
                    table=plan.table.to_json(),
                )
                for plan in build_conditions(design)
            )
            extend_blocks_to(study, design.assignment.games)


def extend_blocks_to(study: Study, block_count: int) -> None:
    """Draw blocks until there are `block_count` of them, in the caller's transaction.

    A block has one slot of every condition, in a drawn order.
    """
    design = Design.from_json(study.design)
    blocks = range(last_number(study, "block") + 1, block_count + 1)
    rows = list(study.conditions.all())
    tables = {row.pk: TableDesign.from_json(row.table) for row in rows}
    rng, seat_draw = SeededRandom(study.seed), _SeatDraw(study.seed)
    leagues = {
        row.pk: _League(design, tables[row.pk], blocks.stop - 1, f"{study.seed}/{row.index}")
        for row in rows
    }
    last_index = last_number(study, "index")
    slots: list[Slot] = []
    for block in blocks:
        for row in rng.shuffled(f"block/{block}", rows):
            deal = _deal_seed(study, design, block, row.index)
            slots.append(
                Slot(
                    study=study,
                    block=block,
                    index=last_index + len(slots) + 1,
                    condition=row,
                    deal=deal,
                    seats=seat_draw.choose(row.pk, tables[row.pk], deal),
                    systems=leagues[row.pk].systems_of(block, deal),
                )
            )
    Slot.objects.bulk_create(slots)


def _deal_seed(study: Study, design: Design, block: int, condition: int) -> str:
    """Return the seed of a game. If deals are repeated, it ends in the repeat's number: "#2"."""
    number, repeat = divmod(block - 1, design.experiment.repeats)
    name = f"{number + 1}/{condition}" if design.assignment.deals == "fresh" else str(number + 1)
    deal = hashlib.sha256(f"{study.seed}\0deal/{name}".encode()).hexdigest()[:32]
    return f"{deal}#{repeat + 1}" if design.experiment.repeats > 1 else deal


class _League:
    """The seats of a league's systems in the games of one condition."""

    def __init__(self, design: Design, table: TableDesign, games: int, seed: str) -> None:
        self._names = [system.name for system in design.experiment.league]
        self._table = table
        if self._names:
            card_count = len(rulesets.get(table.ruleset).deck)
            self._schedule = draw_schedule(len(self._names), card_count, games, SeededRandom(seed))

    def systems_of(self, block: int, deal: str) -> list[str]:
        """Return the system of each seat, [] without a league.

        The schedule assigns systems to cards. Cards are sorted by role, then by seat.
        """
        if not self._names:
            return []
        roles = deal_roles(self._table, deal)
        seats_by_card = sorted(range(len(roles)), key=lambda seat: (roles[seat], seat))
        system_by_seat = dict(zip(seats_by_card, self._schedule[block - 1], strict=True))
        return [self._names[system_by_seat[seat]] for seat in range(len(roles))]


def draw_schedule(systems: int, cards: int, games: int, rng: SeededRandom) -> list[list[int]]:
    """Return, for each game, the system (from 0) of each card. A player has one card.

    A round has as many games as there are systems. In round r, card c of game j goes to system
    (j + shift[r][c]) mod `systems`, so each system has each card once in a round. The shifts are
    drawn so that pairs of systems meet about equally often. With fewer systems than cards, a system
    has several cards of a game. Raise ValueError if `games` is not a multiple of `systems`.
    """
    if games % systems:
        raise ValueError(f"{games} games are no multiple of {systems} systems")
    # Distance of two systems -> pairs of cards at one table, in the rounds so far.
    meetings: Counter[int] = Counter()
    schedule: list[list[int]] = []
    for number in range(games // systems):
        names = [f"{number}/{n}" for n in range(SCHEDULE_DRAWS)]
        drawn = [_draw_shifts(systems, cards, rng, name) for name in names]
        shifts = min(drawn, key=lambda shifts: _meeting_imbalance(meetings, shifts, systems))
        meetings.update(_count_distances(shifts, systems))
        schedule += [[(game + shift) % systems for shift in shifts] for game in range(systems)]
    return schedule


def _draw_shifts(systems: int, cards: int, rng: SeededRandom, name: str) -> list[int]:
    """Draw a shift for each card. They differ as far as there are enough systems."""
    full_sets, remainder = divmod(cards, systems)
    extra = rng.shuffled(f"league/{name}/more", range(systems))[:remainder]
    return rng.shuffled(f"league/{name}/order", [*range(systems)] * full_sets + extra)


def _count_distances(shifts: Sequence[int], systems: int) -> Counter[int]:
    """Count the pairs of cards by the distance of their systems, from 1 to half of `systems`."""
    distances = [(first - second) % systems for first, second in combinations(shifts, 2)]
    return Counter(min(distance, systems - distance) for distance in distances if distance)


def _meeting_imbalance(
    earlier_meetings: Counter[int], shifts: Sequence[int], systems: int
) -> float:
    """Return how unequally pairs of systems meet after this round (sum of squares).

    There are half as many pairs at the distance `systems` / 2 as at any other, so theirs count
    twice.
    """
    total = earlier_meetings + _count_distances(shifts, systems)
    meetings = [total[d] * (2 if 2 * d == systems else 1) for d in range(1, systems // 2 + 1)]
    mean = sum(meetings) / len(meetings) if meetings else 0
    return sum((m - mean) ** 2 for m in meetings)


class _SeatDraw:
    """Draws people's seats, balanced within each condition.

    Conditions with the same deal and the same settings of people's seats get the same seats.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._balances: dict[int, SeatBalance] = {}
        self._chosen: dict[object, list[int]] = {}

    def choose(self, condition: int, table: TableDesign, deal: str) -> list[int]:
        """Return the seats of people in a game of the condition (id), and count them."""
        roles = deal_roles(table, deal)
        balance = self._balances.setdefault(condition, SeatBalance(len(roles)))
        key = (deal, roles, table.people, table.people_seats, table.people_roles)
        if key not in self._chosen:
            rng = SeededRandom(f"{self._seed}/seats/{deal}")
            self._chosen[key] = balance.choose_seats(table, roles, rng)
        balance.count_game(self._chosen[key], roles)
        return self._chosen[key]


def void_slot(slot: Slot, reason: str, *, actor: str) -> None:
    """Make the slot void, and create the slot that replaces it.

    The new slot has the same block, condition, deal and seats. The seed of a game without people
    changes, because agents would play the same game again.
    """
    with locked_study(slot.study_id) as study:
        row = Slot.objects.get(pk=slot.pk)
        if row.state == Slot.VOID:
            return
        row.seatings.filter(state__in=OFFERED_STATES).update(state=Seating.RELEASED)
        row.state = Slot.VOID
        row.void_reason = reason[:MAX_REASON_CHARS]
        row.ended_at = row.ended_at or timezone.now()
        row.save(update_fields=["state", "void_reason", "ended_at"])
        study_events.record_event(row, "void", actor=actor, reason=reason)
        Slot.objects.create(
            study=study,
            block=row.block,
            index=last_number(study, "index") + 1,
            condition_id=row.condition_id,
            deal=row.deal if row.seats else _redraw_seed(row.deal),
            seats=row.seats,
            systems=row.systems,
        )


def fail_slot(slot: Slot, cause: str) -> None:
    """Mark the slot's game as failed, in the caller's transaction."""
    ended_at = slot.ended_at or timezone.now()
    rows = Slot.objects.filter(pk=slot.pk)
    rows.update(state=Slot.FAILED, void_reason=cause[:MAX_REASON_CHARS], ended_at=ended_at)
    study_events.record_event(slot, "failed", actor=study_events.CLOCK, reason=cause)


def _redraw_seed(deal: str) -> str:
    """Return a seed for the same deal and other draws: "a" -> "a#.1", "a#2.1" -> "a#2.2"."""
    deal_seed, _mark, draws = deal.partition("#")
    repeat, _dot, voids = draws.partition(".")
    return f"{deal_seed}#{repeat}.{int(voids or 0) + 1}"


def slot_counts(study: Study) -> Mapping[str, Mapping[str, int]]:
    """Return condition's name -> state -> number of slots, with zeros."""
    states = (Slot.FREE, Slot.FILLING, Slot.PLAYING, Slot.DONE, Slot.VOID, Slot.FAILED)
    counts_by_condition = {c.name: dict.fromkeys(states, 0) for c in study.conditions.all()}
    rows = study.slots.order_by().values_list("condition__name", "state").annotate(Count("pk"))
    for name, state, number in rows:
        counts_by_condition[name][state] = number
    return counts_by_condition


def count_blocks(study: Study, design: Design) -> int:
    """Return the number of blocks, with extensions. Each condition has one game in a block."""
    return max(design.assignment.games, last_number(study, "block"))
