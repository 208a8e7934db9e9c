"""Actions on a game by its host or by a player on their own seat, and players' portraits.

Each action is one transaction. `game.lobby` has most actions before the start, `game.deadlines`
gives more time. All raise Illegal if the state does not permit them:

- most: `not_begun` before the start, `over` after the end
- `pause`, `end_pauses`: `paused`; `resume`: `not_paused`; `set_pace`: `pace_fixed`
- `reveal`: `not_over`, `not_blind`; `remove_text`: `no_words`
- those on a seat: `seat_changed` if its player is not, or no longer, the one that they need
- a portrait: `blind_table`; `portrait_taken` if another player has it or it does not exist
"""

import uuid

from django.db import transaction

from game import clock, store
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Answer
from game.locked_game import LockedGame, announce, lock_game, lock_running_game
from game.models import PORTRAIT_COUNT, PORTRAIT_PATH, Game, Player


def pause(game_id: int) -> None:
    """Stop all clocks. The game accepts answers, but does not continue."""
    with lock_running_game(game_id) as locked:
        if locked.game.paused_at:
            raise Illegal("paused")
        locked.game.paused_at, locked.game.due_at = locked.now, None
        announce(locked.game)


def resume(game_id: int) -> None:
    """Resume the game, and move all deadlines by the length of the pause."""
    with lock_running_game(game_id) as locked:
        if not locked.game.paused_at:
            raise Illegal("not_paused")
        pause = locked.now - locked.game.paused_at
        for row in locked.rows.values():
            row.opened_at += pause
            row.not_before += pause
            if row.expires_at:
                row.expires_at += pause
        locked.game.phase_at += pause
        locked.game.paused_at = None
        locked.changed_windows |= locked.rows.keys()
        locked.advance()


def set_pace(game_id: int, pace: str) -> None:
    """Set the pace of the computer players, as if the open windows had opened at it.

    The pace is fixed at a blind table and at an even pace, where a change would reveal who is a
    person.
    """
    with lock_running_game(game_id) as locked:
        if locked.game.blind or clock.is_even(locked.game.pace) or pace == locked.game.pace:
            raise Illegal("pace_fixed")
        locked.game.pace = pace
        for row in locked.rows.values():
            if row.data["clock"] in ("night", "vote"):
                phase_at = locked.game.phase_at
                row.not_before = locked.pacing.hold_end(row.data, row.opened_at, phase_at)
            for seat, answer in locked.open_answers[row.key].items():
                if answer.action.kind == "say" and seat not in locked.people:
                    row.not_before = locked.pacing.speech_end(row, answer)
        locked.changed_windows |= locked.rows.keys()
        locked.advance()


def end_pauses(game_id: int) -> bool:
    """End pauses for pace in which all answers are in. Return whether there were any."""
    with lock_running_game(game_id) as locked:
        if locked.game.paused_at:
            raise Illegal("paused")
        paused_rows = [
            row
            for row in locked.rows.values()
            if locked.is_answered(row) and row.not_before > locked.now
        ]
        for row in paused_rows:
            row.not_before = locked.now
            locked.changed_windows.add(row.key)
        if paused_rows:
            locked.advance()
    return bool(paused_rows)


def hand_over(game_id: int, seat: int) -> None:
    """Let a computer player answer for the person in `seat`, until `return_seat`."""
    _set_stand_in(game_id, seat, is_stand_in=True)


def return_seat(game_id: int, seat: int) -> None:
    """Give the seat back to its person, unless the person has left for good."""
    _set_stand_in(game_id, seat, is_stand_in=False)


def leave(game_id: int, seat: int) -> None:
    """Let the person in `seat` leave for good. A computer player continues for them.

    If the last person leaves, the game is called off.
    """
    with lock_running_game(game_id) as locked:
        people = Player.objects.filter(game=locked.game, kind=Player.PERSON, left_at=None)
        player = people.filter(seat=seat).first()
        if player is None:
            raise Illegal("seat_changed")
        store.mark_left(player, locked.now)
        if not people.exists():
            _end_without_result(locked)
        elif not player.stand_in:
            _change_stand_in(locked, seat, is_stand_in=True)


def call_off(game_id: int) -> None:
    """End the game without a result, or call off a table before its game."""
    with transaction.atomic():
        locked = LockedGame(game_id)
        if locked.game.ended_at:
            raise Illegal("over")
        _end_without_result(locked)


def reveal(game_id: int) -> None:
    """Reveal who is a person at a blind table, after the end of its game."""
    with transaction.atomic():
        game = lock_game(game_id)
        if not game.ended_at:
            raise Illegal("not_over")
        if not game.blind:
            raise Illegal("not_blind")
        game.revealed_at = clock.now()
        announce(game)


def remove_text(game_id: int, window: str, seat: int) -> None:
    """Remove the text of a statement in a window (its key) for good. The event stays."""
    with transaction.atomic():
        game = lock_game(game_id)
        if not store.remove_text(game, window, seat):
            raise Illegal("no_words")
        announce(game, is_reworded=True)


def refresh_pages(game_id: int) -> None:
    """Refresh the game's pages after a change to data that pages show beside the game."""
    with transaction.atomic():
        announce(lock_game(game_id))


def _end_without_result(locked: LockedGame) -> None:
    store.close_windows(locked.game, locked.now)
    locked.game.ended_at, locked.game.called_off = locked.now, True
    locked.game.due_at = locked.game.paused_at = None
    announce(locked.game)


def _set_stand_in(game_id: int, seat: int, *, is_stand_in: bool) -> None:
    with lock_running_game(game_id) as locked:
        player = Player.objects.filter(game=locked.game, seat=seat, kind=Player.PERSON).first()
        if player is None or player.left_at or player.stand_in == is_stand_in:
            raise Illegal("seat_changed")
        _change_stand_in(locked, seat, is_stand_in=is_stand_in)


def _change_stand_in(locked: LockedGame, seat: int, *, is_stand_in: bool) -> None:
    """Let a computer player answer for the person in `seat`, or give the seat back.

    Questions that only people get receive their default answer.
    """
    store.set_stand_in(locked.game, seat, is_stand_in=is_stand_in)
    locked.people ^= {seat}
    locked.stand_ins ^= {seat}
    agent_windows = []
    for row in locked.rows.values():
        if seat in row.asked and seat not in locked.open_answers[row.key]:
            row.agents_missing += 1 if is_stand_in else -1
            locked.changed_windows.add(row.key)
            if is_stand_in and row.data["asks"] == "people":
                default = store.to_window(row).default_for(seat, SeededRandom(locked.game.seed))
                locked.add_answer(row.key, seat, Answer(default.action), uuid.uuid4())
            else:
                agent_windows.append(row.key)
    locked.advance(handed_over=agent_windows if is_stand_in else ())


def free_portraits(game: Game) -> list[int]:
    """Return the portraits (numbers) to choose from: [] at a blind table and after the game."""
    if game.blind or game.ended_at:
        return []
    taken_numbers = set(game.players.values_list("portrait", flat=True))
    return [number for number in range(1, PORTRAIT_COUNT + 1) if number not in taken_numbers]


def free_portrait_paths(game: Game) -> list[tuple[int, str]]:
    """Return (number, static path) of each portrait that a guest can choose."""
    return [(number, PORTRAIT_PATH.format(number)) for number in free_portraits(game)]


def set_portrait(game: Game, player: Player, number: int) -> None:
    """Give the player a portrait. The caller locks the game and saves the player."""
    if game.blind:
        raise Illegal("blind_table")
    if number not in (player.portrait, *free_portraits(game)):
        raise Illegal("portrait_taken")
    player.portrait = number


def choose_portrait(game_id: int, seat: int, number: int) -> None:
    with transaction.atomic():
        game = lock_game(game_id)
        if game.ended_at:
            raise Illegal("over")
        player = game.players.filter(seat=seat, kind=Player.PERSON, left_at=None).first()
        if player is None:
            raise Illegal("seat_changed")
        set_portrait(game, player, number)
        store.save_player(player, "portrait")
        announce(game)


def claim_portrait(game_id: int, seat: int, number: int) -> None:
    """Give portrait `number` to the player in `seat`, and that player's portrait to its owner.

    Call it only before players have seen each other.
    """
    with transaction.atomic():
        game = lock_game(game_id)
        if game.ended_at:
            raise Illegal("over")
        if game.blind:
            raise Illegal("blind_table")
        player = game.players.get(seat=seat)
        store.swap_portraits(game, player, number)
        announce(game)
