"""Actions at a table before its game: guests join and leave, agents fill seats.

Each is one transaction. All raise Illegal: `begun` once the game has started, `over` once the table
was called off.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from game import game_actions, name_rules, store
from game.engine import rulesets
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.locked_game import announce, lock_game
from game.models import Game, Player
from game.services import begin


def join(game_id: int, name: str = "", portrait: int = 0) -> Player:
    """Seat a guest in an open seat, drawn from the game's seed.

    Args:
        name, portrait: as the guest chose them; "" and 0 for the seat's own.

    Raises:
        Illegal: `full`, or the error of the name or portrait.
    """
    with _lock_for_change(game_id) as game:
        seats = list(game.players.filter(kind=Player.OPEN))
        if not seats:
            raise Illegal("full")
        player = SeededRandom(game.seed).choice(f"guest/{len(seats)}", seats)
        player.kind = Player.PERSON
        _set_name(game, player, name)
        if portrait:
            game_actions.set_portrait(game, player, portrait)
        store.save_player(player)
    return player


def rename(game_id: int, seat: int, name: str) -> None:
    """Give a guest another name, or the seat's own for "".

    Raise Illegal: `seat_changed`, or the error of the name.
    """
    with _lock_for_change(game_id) as game:
        player = _player_of_kind(game, seat, Player.PERSON)
        _set_name(game, player, name)
        store.save_player(player)


def fill_seat(game_id: int, seat: int) -> None:
    """Give the open seat to a computer player."""
    _change_kind(game_id, seat, Player.OPEN, Player.AGENT)


def open_seat(game_id: int, seat: int) -> None:
    """Open the seat of a computer player to guests."""
    _change_kind(game_id, seat, Player.AGENT, Player.OPEN)


def release_seat(game_id: int, seat: int) -> None:
    """Remove the guest from `seat`. The seat is open again and has its own name."""
    _change_kind(game_id, seat, Player.PERSON, Player.OPEN)


def start(game_id: int) -> None:
    """Start the game. Computer players take the seats that are still open.

    At a blind table the players are shuffled first, so that nothing seen in the lobby reveals where
    people sit. The agents' recipes stay with the seats.
    """
    with transaction.atomic():
        game = _lock_gathering(game_id)
        if game.blind:
            _shuffle_seats(game)
        begin(game_id)


def refresh_pages(game_id: int) -> None:
    """Refresh the lobby's pages after a change to data that they show beside the players."""
    with _lock_for_change(game_id):
        pass


@contextmanager
def _lock_for_change(game_id: int) -> Iterator[Game]:
    """Lock a gathering game for the block, then save and announce it."""
    with transaction.atomic():
        game = _lock_gathering(game_id)
        yield game
        announce(game)


def _lock_gathering(game_id: int) -> Game:
    game = lock_game(game_id)
    if game.ended_at:
        raise Illegal("over")
    if game.started_at:
        raise Illegal("begun")
    return game


def _set_name(game: Game, player: Player, name: str) -> None:
    """Set the name if no one can mistake it for another player's. "": the seat's own name."""
    ruleset = rulesets.get(game.ruleset)
    seat_name = ruleset.table_names[player.seat - 1]
    if (name := name_rules.normalize_name(name)).casefold() in ("", seat_name.casefold()):
        player.name = seat_name
        return
    if game.blind:
        raise Illegal("blind_name")
    rejection = name_rules.chosen_name_error(
        name,
        roles=[role.name for role in ruleset.roles],
        seats=[s for s in {*ruleset.table_names, *ruleset.seat_names} if s != seat_name],
        other_names=game.players.exclude(pk=player.pk).values_list("name", flat=True),
    )
    if rejection:
        raise Illegal(rejection.code, name=rejection.other_name)
    player.name = name


def _change_kind(game_id: int, seat: int, before: str, after: str) -> None:
    """Change the kind of the player in `seat`, and give the seat its own name back."""
    with _lock_for_change(game_id) as game:
        player = _player_of_kind(game, seat, before)
        player.kind = after
        _set_name(game, player, "")
        store.save_player(player)


def _player_of_kind(game: Game, seat: int, kind: str) -> Player:
    """Return the player in `seat`, or raise Illegal("seat_changed") if it is not of that kind."""
    player = game.players.filter(seat=seat, kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player


def _shuffle_seats(game: Game) -> None:
    """Move the players to drawn seats. Names and recipes stay with the seats."""
    players = list(game.players.order_by("seat"))
    names, recipes = rulesets.get(game.ruleset).table_names, [p.recipe for p in players]
    drawn = SeededRandom(game.seed).shuffled("seats of a blind table", range(len(players)))
    for player, index in zip(players, drawn, strict=True):
        player.seat = index + 1
        player.name = names[index]
        player.recipe = recipes[index]
    store.move_to_seats(players)
