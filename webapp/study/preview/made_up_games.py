"""Games of a preview with made-up participants and moves, in a transaction that is rolled back."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from django.utils import timezone
from django.utils.translation import gettext as _

from game import game_actions, selectors, services
from game.cached_games import OpenWindow
from game.engine.events import Action, pick, rate, say
from game.engine.forms import Illegal, Ratings, Speech
from game.engine.seeded_random import SeededRandom
from game.models import Game
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import TableDesign
from webapp.study.models import Condition, Participant, Seating, Slot, Study
from webapp.study.preview.positions import GAME_END
from webapp.study.sessions import slot_games, slots

MAX_DEALS = 50  # deals tried until one gives people the roles that they must have
MAX_ANSWER_ROUNDS = 3000
MIN_STATEMENTS_PER_SEAT = 2  # a seat that has made this many passes if it may


def create_slot(study: Study, condition: Condition, number: int) -> Slot:
    """Create a slot of a condition with a deal that is drawn by `number`, or raise `Refused`."""
    table = TableDesign.from_json(condition.table)
    for attempt in range(MAX_DEALS):
        deal = f"{study.seed}/preview/{number}.{attempt}"
        roles = slots.deal_roles(table, deal)
        try:
            seats = slots.SeatBalance(len(roles)).choose_seats(table, roles, SeededRandom(deal))
            break
        except Refused:
            if attempt == MAX_DEALS - 1:
                raise
    index = slots.last_number(study, "index") + 1
    return Slot.objects.create(
        study=study, block=index, index=index, condition=condition, deal=deal, seats=seats
    )


def _create_participant(study: Study, number: int) -> Participant:
    now = timezone.now()
    return Participant.objects.create(
        study=study,
        pseudonym=f"preview-{number}",
        consented_at=now,
        seen_at=now,
        step_at=now,
        visitor=uuid.uuid4(),
    )


def seat_participants(
    slot: Slot, participant: Participant | None, round_: int = 1
) -> dict[int, Participant]:
    """Seat the participant, if given, and made-up ones in game `round_`. Return them by seat."""
    people = {}
    for number, seat in enumerate(slot.seats):
        own_participant = participant if number == 0 else None
        people[seat] = own_participant or _create_participant(slot.study, slot.index * 100 + number)
        Seating.objects.create(slot=slot, participant=people[seat], round=round_, seat=seat)
    return people


def begin_game(slot: Slot, people: Mapping[int, Participant]) -> Game:
    """Begin the slot's game without pauses, and return it."""
    slot.condition.table = {**slot.condition.table, "pace": slot_games.NO_PACE}
    game = slot_games.open_table(slot, people)
    for player in game.players.all():
        slot.seatings.filter(seat=player.seat).update(state=Seating.SEATED, player=player)
    slot.game = game
    slot.state = Slot.PLAYING
    slot.began_at = timezone.now()
    slot.save(update_fields=["game", "state", "began_at"])
    return game


def finish_game(slot: Slot) -> None:
    """Play the slot's game to its end."""
    assert slot.game
    play_until(slot.game, 0, GAME_END)
    slot.state = Slot.DONE
    slot.ended_at = timezone.now()
    slot.save(update_fields=["state", "ended_at"])


def play_until(game: Game, seat: int, moment: int) -> bool:
    """Answer for all players up to a moment of the game. Return whether the game continues then.

    The `seat` is that of the preview's participant, 0 for none. No player chooses it if there is
    another option, so that the participant stays in the game. The `moment` is 0 for the start of
    the game, n for the n-th question of a new kind to that seat, or GAME_END.
    """
    statements = Counter[int]()
    known_question_kinds = {
        w.window.kind for w in selectors.open_windows(game) if seat in w.missing
    }
    for _round in range(MAX_ANSWER_ROUNDS):
        windows = selectors.open_windows(game)
        if not windows:
            break
        question_kinds = {w.window.kind for w in windows if seat in w.missing}
        if moment != GAME_END:
            moment -= bool(question_kinds - known_question_kinds)
        if moment <= 0:
            return True
        known_question_kinds |= question_kinds
        _answer_all(game, windows, statements, seat)
    game.refresh_from_db()
    return not game.ended_at


def _answer_all(
    game: Game, windows: Sequence[OpenWindow], statements: Counter[int], spared_seat: int
) -> None:
    """Answer all open questions, and count each seat's statements."""
    is_stuck = True
    for window in windows:
        for seat in window.missing:
            with suppress(Illegal):  # an earlier answer has ended the game or the question
                action = _choose_answer(window, seat, statements, spared_seat)
                services.answer(game.pk, seat, window.window.key, action)
                is_stuck = False
    if is_stuck and not game_actions.end_pauses(game.pk):
        raise RuntimeError(f"game {game.pk} waits for nobody")


def _choose_answer(
    window: OpenWindow, seat: int, statements: Counter[int], spared_seat: int
) -> Action:
    legal = window.window.legal
    if isinstance(legal, Speech):
        return _choose_statement(legal, seat, statements)
    if isinstance(legal, Ratings):
        return rate()
    all_options = legal.options_for(seat)
    options = [option for option in all_options if option != spared_seat] or all_options
    return pick(*options[: window.window.pick.count])


def _choose_statement(legal: Speech, seat: int, statements: Counter[int]) -> Action:
    statements[seat] += 1
    if statements[seat] > MIN_STATEMENTS_PER_SEAT and (legal.may_over or legal.may_skip):
        return Action("over" if legal.may_over else "skip")
    text = _("Sample text for the preview, number {n} of seat {seat}.")
    return say(text.format(n=statements[seat], seat=seat))
