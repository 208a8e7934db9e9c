"""Creates and starts games, and records answers. One transaction each, without external calls.

`game.lobby` has the actions before the start, `game.game_actions` those of host and players after
it. `game.deadlines` answers for those whose time ran out.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from game import clock, store
from game.cached_games import CachedGame
from game.engine import rulesets
from game.engine.declarations import effective_settings
from game.engine.events import Action
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Answer
from game.locked_game import LockedGame
from game.models import PORTRAIT_COUNT, Game, Player
from game.models import Answer as AnswerRow

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


def create(
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
        should_gather: whether to wait for guests (`game.lobby`) instead of starting at once.
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
            begin(game.pk)
    game.refresh_from_db()
    return game


def begin(game_id: int) -> None:
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


def answer(
    game_id: int,
    seat: int,
    window_key: str,
    action: Action | Mapping[str, Any],
    *,
    request_id: uuid.UUID | None = None,
    labels: Sequence[str] = (),
    is_agent: bool | None = None,
    on_answered: Callable[[CachedGame], None] | None = None,
) -> Game | None:
    """Record the answer of `seat` to a window and continue the game.

    Args:
        action: the action, or posted data that the window's form parses (`Form.parse`).
        request_id: of the client. A repeated request changes nothing.
        labels: of the answer (`game.engine.labels`).
        is_agent: whether an agent or a person answers; None skips the check of who has the seat.
        on_answered: called in the same transaction, with the game before the answer, to write
            further rows.

    Returns:
        the game's row after the answer, None for a repeated request.

    Raises:
        Illegal: with the rules' code, or one of `LockedGame.validate_answer`.
    """
    request_id = request_id or uuid.uuid4()
    with transaction.atomic():
        locked = LockedGame(game_id, can_extend_cache=True)
        row = locked.find_window(window_key)
        answered = row and (row.closed_at or seat in locked.open_answers[row.key])
        if answered and AnswerRow.objects.filter(window=row, seat=seat, post=request_id).exists():
            return None
        accepted = locked.validate_answer(row, seat, action, is_agent)
        all_labels = tuple(dict.fromkeys((*labels, *accepted.labels)))
        locked.add_answer(window_key, seat, Answer(accepted.action, all_labels), request_id)
        locked.write_answer(window_key, seat)
        if on_answered:
            on_answered(locked.cached)
    return locked.game


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
