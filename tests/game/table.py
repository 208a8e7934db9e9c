"""Games for tests: create one, answer its windows, play it on."""

from __future__ import annotations

from typing import Any

from game import lobby, locked_game, selectors, store
from game.cached_games import OpenWindow
from game.engine import rulesets
from game.engine.events import Action, pick, rate, say
from game.models import Game, Player


def new_game(
    *people: int, ruleset: str = "one-night", pace: str = "none", seed: str = "1", **choices: Any
) -> Game:
    """Create a game in which the seats in `people` are people."""
    agent = lobby.SeatPlan(Player.AGENT, {"backend": "house", "method": "baseline"})
    person = lobby.SeatPlan(Player.PERSON)
    seats = [
        person if s in people else agent for s in range(1, len(rulesets.get(ruleset).deck) + 1)
    ]
    return lobby.create_game(ruleset, seats, seed=seed, pace=pace, **choices)


def open_window(game: Game, kind: str) -> OpenWindow:
    """Return the open window of `kind`, or raise AssertionError."""
    matches = [o for o in selectors.open_windows(game) if o.window.kind == kind]
    assert matches, f"no {kind} is open"
    return matches[-1]


def any_answer(window: OpenWindow, seat: int) -> Action:
    """Return the first legal answer."""
    if window.window.legal.name == "speech":
        return say(f"Seat {seat} speaks in {window.window.key}.")
    if window.window.legal.name == "ratings":
        return rate()
    options = window.window.options_for(seat)
    return pick(*options[: window.window.legal.count])


def answer(game: Game, seat: int, window: OpenWindow) -> None:
    locked_game.record_answer(game.pk, seat, window.window.key, any_answer(window, seat))


def play_until(game: Game, kind: str) -> None:
    """Answer for all seats until a window of `kind` opens or the game ends."""
    for _ in range(1000):
        windows = selectors.open_windows(game)
        if not windows or any(o.window.kind == kind for o in windows):
            return
        for window in windows:
            for seat in window.missing:
                answer(game, seat, window)
    raise AssertionError(f"never came to {kind}")


def finish(game: Game) -> Game:
    play_until(game, "over")
    game.refresh_from_db()
    assert game.ended_at
    return game


def game_at_seat(seat: int, *people: int, **choices: object) -> Game:
    """Create a game that waits for the statement of `seat` in round 1."""
    game = new_game(*people, **choices)  # type: ignore[arg-type]
    play_until(game, "statement")
    for speaker in range(1, seat):
        answer(game, speaker, open_window(game, "statement"))
    return game


def labels_by_seat(game: Game, kind: str = "statement") -> dict[int, str]:
    return {e["seat"]: ", ".join(e.labels) for e in store.load_log(game) if e.kind == kind}
