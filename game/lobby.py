"""Creates tables and starts their games. Before the start guests join and leave, agents fill seats.

Each action is one transaction. At a table that gathers, all raise Illegal: `begun` once the game
has started, `over` once the table was called off.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from game import clock, game_actions, name_rules, store
from game.engine import rulesets
from game.engine.declarations import effective_settings
from game.engine.forms import Illegal
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.locked_game import LockedGame, announce, lock_game
from game.models import PORTRAIT_COUNT, Game, Player

# Clock -> default limit in seconds if several people play, so that no one waits forever.
DEFAULT_LIMITS = {"statement": 180, "vote": 90, "night": 30, "poll": 60}


@dataclass(frozen=True)
class SeatPlan:
    """The planned player of a seat."""

    kind: str  # `Player.PERSON`, `Player.AGENT` or `Player.OPEN`
    recipe: Mapping[str, Any] | None = None  # the recipe of an agent, None for other kinds
    name: str = ""  # the player's name, "" for the ruleset's name of the seat
    portrait: int = 0  # number of the portrait, 0 for a drawn one


class BadSetup(ValueError):
    """The table cannot be created, for the reason in the message."""


def create_game(
    ruleset_name: str,
    seats: Sequence[SeatPlan],
    *,
    seed: str,
    settings: Mapping[str, Any] | None = None,
    pace: str = "natural",
    limits: Mapping[str, int] | None = None,
    should_gather: bool = False,
) -> Game:
    """Create a table: seat everyone, and start the game. Raise BadSetup if that is impossible.

    Args:
        seats: one plan for each seat, in order.
        settings: those that differ from the defaults, and `blind`.
        limits: clock (`clock.CLOCKS`) -> seconds; no entry: no limit.
        should_gather: whether to wait for guests (`join`) instead of starting at once.
    """
    ruleset = rulesets.get(ruleset_name)
    _check_setup(ruleset, seats, pace)
    chosen = _effective_settings(ruleset, settings or {})
    names = [p.name or n for p, n in zip(seats, ruleset.seat_names, strict=True)]
    if len({n.casefold() for n in names}) < len(names):
        raise BadSetup("two players can't have the same name")
    at = clock.now()
    with transaction.atomic():
        game = store.create_game(
            ruleset=ruleset.name,
            seed=seed,
            settings=chosen,
            pace=pace,
            limits=dict(limits or {}),
            created_at=at,
            phase_at=at,
        )
        _seat_everyone(game, seats, names)
        if not should_gather:
            _begin(game.pk)
    game.refresh_from_db()
    return game


def _check_setup(ruleset: Ruleset, seats: Sequence[SeatPlan], pace: str) -> None:
    if len(seats) != len(ruleset.deck):
        raise BadSetup(f"{ruleset.name} is played by {len(ruleset.deck)}, not {len(seats)}")
    if pace not in clock.PACES:
        raise BadSetup(f"unknown pace {pace!r}; known: {', '.join(clock.PACES)}")
    if pace == clock.QUICK and sum(plan.kind != Player.AGENT for plan in seats) != 1:
        raise BadSetup("the pace quick is for one person among agents")


def _seat_everyone(game: Game, seats: Sequence[SeatPlan], names: Sequence[str]) -> None:
    """Create a player for every seat, with a portrait that does not reveal who plays."""
    drawn = SeededRandom(game.seed).shuffled("portraits", range(1, PORTRAIT_COUNT + 1))
    chosen = {plan.portrait for plan in seats}
    portraits = [number for number in drawn if number not in chosen]
    store.insert_players(
        Player(
            game=game,
            seat=i + 1,
            name=names[i],
            kind=plan.kind,
            portrait=plan.portrait or portraits[i],
            recipe=dict(plan.recipe or {}),
        )
        for i, plan in enumerate(seats)
    )


def _effective_settings(ruleset: Ruleset, values: Mapping[str, Any]) -> dict[str, Any]:
    settings = {setting.key: setting for setting in ruleset.settings}
    if unknown := set(values) - {*settings, "blind"}:
        raise BadSetup(f"{ruleset.name} has no setting {', '.join(sorted(unknown))}")
    for key in set(values) & set(settings):
        if error := settings[key].value_error(values[key]):
            raise BadSetup(error)
    chosen = effective_settings(ruleset.settings, values)
    # See `Setting.casual`: such a setting is stored only if it differs from its default.
    for setting in ruleset.settings:
        if setting.casual is not None and chosen[setting.key] == setting.default:
            del chosen[setting.key]
    return {**chosen, "blind": bool(values.get("blind"))}


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
        _begin(game_id)


def _begin(game_id: int) -> None:
    """Deal and open the first windows, inside the caller's transaction.

    Computer players take open seats. If several people play, default time limits apply to the
    clocks without a limit. At a blind table they always apply, because they would otherwise reveal
    whether several people play.
    """
    locked = LockedGame(game_id)
    game = locked.game
    store.assign_agents_to_open_seats(game_id)
    if len(locked.people) > 1 or game.blind:
        game.limits = {**DEFAULT_LIMITS, **game.limits}
    game.started_at = game.phase_at = locked.now
    names = list(game.players.values_list("name", flat=True))
    people = sorted(locked.people)
    locked.advance(opening={"seats": names, "settings": game.settings, "people": people})


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
