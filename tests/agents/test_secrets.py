"""House players use no hidden information: changed hidden roles do not change their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agents.backends.house import HouseBackend
from agents.decision import Decision, Request
from agents.llm.prompting import build_messages
from agents.recipe import Recipe
from agents.think import Thought, think
from game.engine import rulesets, visibility
from game.engine.events import Event
from tests.agents.table import PlayedGame, play
from tests.engine.playing import FEW_STATEMENTS

SEEDS = {"aiwolf-13": 1}  # games per ruleset; the others play two
GAMES = [(r, f"secrets/{i}") for r in rulesets.names() for i in range(SEEDS.get(r, 2))]
EVERY = 4  # every fourth decision of a game is repeated


@pytest.fixture(scope="module")
def games() -> dict[tuple[str, str], PlayedGame]:
    return {
        (ruleset, seed): play(
            seed, ruleset, keep=True, method="baseline", settings=FEW_STATEMENTS.get(ruleset)
        )
        for ruleset, seed in GAMES
    }


def exchangeable_pairs(game: PlayedGame, seat: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of other seats with different roles that `seat` cannot distinguish."""
    known_seats = {seat, *known_roles(game, seat)}
    count = len(game.log[0]["seats"])
    look = next((e for e in game.log if e.kind == "divined" and e["seat"] == seat), None)
    look_targets = set(look["targets"]) if look else set()
    for a in range(1, count + 1):
        for b in range(a + 1, count + 1):
            is_hidden = game.roles[a] != game.roles[b] and not {a, b} & known_seats
            has_wolf = "werewolf" in (game.roles[a], game.roles[b])
            if is_hidden and not (
                has_wolf and len({a, b} & look_targets) == 1
            ):  # otherwise the look result would differ
                yield a, b


def known_roles(game: PlayedGame, seat: int) -> dict[int, str]:
    """Return the roles that `seat` knows while the game runs."""
    reveal = next(i for i, e in enumerate(game.log) if e.kind == "role_revealed")
    return visibility.view_of(game.log[:reveal], visibility.seat(seat)).state.roles


def exchange_roles(
    log: list[Event], roles: dict[int, str], a: int, b: int, seat: int
) -> list[Event]:
    """Return `log` with exchanged roles of `a` and `b`, except for what `seat` sees."""
    swap = {a: b, b: a}
    viewer, changed_log = visibility.seat(seat), []
    for event in log:
        if viewer.can_see(event.audience) or event.audience.kind in ("public", "record"):
            changed_log.append(event)
        elif event.kind == "role_dealt":
            role = roles[swap.get(event["seat"], event["seat"])]
            changed_log.append(replace(event, data={**event.data, "role": role}))
        else:  # night actions and results move to the other seat
            data = {k: _renumber(v, swap) for k, v in event.data.items()}
            seats = tuple(sorted(swap.get(s, s) for s in event.audience.seats))
            changed_log.append(
                replace(event, data=data, audience=replace(event.audience, seats=seats))
            )
    return changed_log


def _renumber(value: object, swap: dict[int, int]) -> object:
    if isinstance(value, list):
        return [_renumber(v, swap) for v in value]
    return swap.get(value, value) if type(value) is int else value


def log_before(game: PlayedGame, decision: Decision) -> list[Event]:
    """Return the log at the time of `decision`."""
    viewer, visible_count = visibility.seat(decision.seat), 0
    for i, event in enumerate(game.log):
        if visible_count == len(decision.view.events):
            return game.log[:i]
        visible_count += viewer.can_see(event.audience)
    return game.log


def think_again(decision: Decision, log: list[Event]) -> Thought:
    view = visibility.view_of(log, visibility.seat(decision.seat))
    return think(Recipe(method="baseline"), replace(decision, view=view), HouseBackend().reply)


def prompt(decision: Decision, log: list[Event]) -> list[str]:
    """Return the messages that a model would get for `decision`."""
    variant = replace(decision, view=visibility.view_of(log, visibility.seat(decision.seat)))
    kinds = (decision.window.kind, "favor", "judgement", "strategy")
    all_messages = [build_messages(Request(kind, variant, {}))[0] for kind in kinds]
    return [m["content"] for rows in all_messages for m in rows]


@pytest.mark.parametrize("game_key", GAMES)
def test_exchanged_hidden_roles_do_not_change_the_answer(
    game_key: tuple[str, str], games: dict[tuple[str, str], PlayedGame]
) -> None:
    game, checked = games[game_key], 0
    for number, (decision, thought) in enumerate(game.decisions):
        pairs = list(exchangeable_pairs(game, decision.seat))
        if number % EVERY or not pairs:
            continue
        log = log_before(game, decision)
        a, b = pairs[number // EVERY % len(pairs)]
        changed_log = exchange_roles(log, game.roles, a, b, decision.seat)
        assert changed_log != log, "the exchange must change the log"
        assert visibility.view_of(changed_log, visibility.seat(decision.seat)) == decision.view
        assert think_again(decision, changed_log) == thought, decision.window.key
        assert prompt(decision, changed_log) == prompt(decision, game.log[: len(log)]), (
            decision.window.key
        )
        checked += 1
    assert checked > (8 if game_key[0] == "one-night" else 1)  # some games of two days are short


def test_changed_own_look_changes_the_answer(games: dict[tuple[str, str], PlayedGame]) -> None:
    """Shows that the comparison can fail: a Seer with another result answers differently."""
    changed = 0
    seers = [game for (ruleset, _), game in games.items() if ruleset == "one-night"]
    for game in seers:
        for decision, thought in game.decisions:
            if decision.view.role == "seer" and decision.window.kind == "statement":
                log = [
                    replace(e, data={**e.data, "found": not e["found"]}) if "found" in e.data else e
                    for e in log_before(game, decision)
                ]
                changed += think_again(decision, log) != thought
    assert changed > len(seers)
