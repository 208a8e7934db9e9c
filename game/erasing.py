"""Erases a player from a finished game, or deletes the game.

Erasing removes the player's texts and name, and keeps events, votes and roles. Callers delete a
game with only one person as a whole.
"""

from collections.abc import Callable

from django.db import transaction

from game import clock, store
from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets
from game.engine.forms import Illegal
from game.engine.labels import STAND_IN
from game.locked_game import announce, lock_game
from game.models import Answer as AnswerRow
from game.models import Game, Player

ReplaceName = Callable[[str], str]  # returns a text with the seat's name for the chosen one


def erase_player(game_id: int, seat: int) -> ReplaceName:
    """Remove everything that the person in `seat` said, and the name they chose.

    The seat's own name replaces the chosen one, in the log and in others' statements. Events, votes
    and roles remain, and so do statements of a computer player that stood in for the person.

    Returns:
        a function for texts outside the game: it replaces the chosen name by the seat's.
    """
    with transaction.atomic():
        game, player = lock_erasable(game_id, seat)
        answers = AnswerRow.objects.filter(window__game=game, seat=seat).exclude(utterance=None)
        rows = answers.values_list("utterance", "labels")
        store.remove_texts([text_id for text_id, labels in rows if STAND_IN not in labels])
        replace_name = _remove_name(game, player)
        player.erased_at = clock.now()
        store.save_player(player, "name", "erased_at")
        announce(game, is_reworded=True)
    return replace_name


def lock_erasable(game_id: int, seat: int) -> tuple[Game, Player]:
    """Lock the game and return it with the player to erase. Call it in a transaction.

    Raise Illegal: `not_over`, or `seat_changed` if no person sat there or is erased already.
    """
    game = lock_game(game_id)
    if not game.ended_at:
        raise Illegal("not_over")
    player = game.players.filter(seat=seat, kind=Player.PERSON, erased_at=None).first()
    if player is None:
        raise Illegal("seat_changed")
    return game, player


def delete_game(game_id: int) -> None:
    """Delete a finished game with everything that belongs to it."""
    with transaction.atomic():
        game = lock_game(game_id)
        if not game.ended_at:
            raise Illegal("not_over")
        store.delete_game(game)


def _remove_name(game: Game, player: Player) -> ReplaceName:
    """Replace the chosen name by the seat's in the player, the first event and all texts.

    The caller saves the player.
    """
    seat_name = rulesets.get(game.ruleset).table_names[player.seat - 1]
    replace_name = build_name_replacer([player.name], [seat_name])
    if player.name != seat_name:
        player.name = seat_name
        store.rename_seat(game, player.seat, seat_name)
        store.replace_texts(game, replace_name)
    return replace_name
