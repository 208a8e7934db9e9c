"""Duration of a game at each tempo, for a person who needs 20 s for each answer.

The clock of the game (`game.clock`) is moved instead of waiting. The person answers 20 s after a
window opens, agents as soon as they are computed. Each game uses the game's services and pauses,
and its duration is the time of the clock at the end. The computing time of agents on this machine
is added, one answer after the other.
"""

from __future__ import annotations

import os
import statistics
import time
from datetime import datetime, timedelta
from typing import Any

from tests.bench import measure_apart

ANSWERS_IN = 20.0  # seconds
RULESETS = ("aiwolf-13", "aiwolf-5", "sheriff", "one-night")
GAMES = 3  # games of each


def main() -> None:
    measure_apart("tempo", FABULA_TEST_RUN="{data}", DJANGO_SETTINGS_MODULE="tests.settings")


def measure() -> None:
    import django

    django.setup()
    from game import clock
    from webapp.play.live import dispatch

    rulesets = os.environ.get("BENCH_RULESETS", "").split() or RULESETS
    print(f"minutes of {GAMES} games each, a person answers in {ANSWERS_IN:.0f} s")
    print("ruleset | tempo | median | longest | acts of the person")
    with dispatch.diverted(lambda game, opened: None):
        for ruleset in rulesets:
            for pace in clock.PACE_STEPS:
                played = [_play(ruleset, pace, f"{ruleset}/{n}") for n in range(GAMES)]
                minutes = [seconds / 60 for seconds, _acts in played]
                acts = statistics.median(acts for _seconds, acts in played)
                print(
                    f"{ruleset} | {pace} | {statistics.median(minutes):.1f} |"
                    f" {max(minutes):.1f} | {acts:.0f}",
                    flush=True,
                )


class _MovedClock:
    """Clock of the game that is moved by hand."""

    def __init__(self) -> None:
        from django.utils import timezone

        self.at = timezone.now()

    def now(self) -> datetime:
        return self.at


def _play(ruleset: str, pace: str, seed: str) -> tuple[float, int]:
    """Play a game to its end. Returns: its seconds, number of acts of the person."""
    from unittest import mock

    from agents.recipe import Recipe
    from game import clock, services
    from game.engine import rulesets
    from game.models import Player

    moved_clock = _MovedClock()
    recipe = Recipe().data()
    seats = len(rulesets.get(ruleset).deck)
    plans = [services.SeatPlan(Player.PERSON, recipe)]
    plans += [services.SeatPlan(Player.AGENT, recipe) for _ in range(seats - 1)]
    with mock.patch.object(clock, "now", moved_clock.now):
        game = services.create(ruleset, plans, seed=seed, pace=pace)
        started_at, acts = moved_clock.at, 0
        while not game.ended_at:
            acts += _step(game, moved_clock)
            game.refresh_from_db()
    return (moved_clock.at - started_at).total_seconds(), acts


def _step(game: Any, moved_clock: _MovedClock) -> int:
    """Send one answer or advance the clock. Returns: the number of acts of the person (0, 1)."""
    from game import selectors, services

    windows = selectors.open_windows(game)
    for window in windows:
        agents = [seat for seat in window.missing if seat != 1]
        if agents:
            _answer_for_agent(game, agents[0], window.window.key, moved_clock)
            return 0
    own_windows = [w for w in windows if 1 in w.missing and w.window.waits_for != "nobody"]
    times = [w.opened_at + timedelta(seconds=ANSWERS_IN) for w in own_windows]
    due = [game.due_at] if game.due_at else []
    moved_clock.at = max(moved_clock.at, min([*times, *due]))
    if due and due[0] <= moved_clock.at:
        services.settle_deadlines(game.pk)
        return 0
    window = next(w for w, at in zip(own_windows, times, strict=True) if at <= moved_clock.at)
    services.answer(game.pk, 1, window.window.key, _person_answer(window))
    return 1


def _answer_for_agent(game: Any, seat: int, key: str, moved_clock: _MovedClock) -> None:
    from webapp.play.turns import answering

    began = time.process_time()
    answering.answer_window(game.pk, seat, key, use_lease=False)
    moved_clock.at += timedelta(seconds=time.process_time() - began)


def _person_answer(window: Any) -> Any:
    """Return an answer that talks in every pass and accuses no player, for a long game."""
    from game.engine.forms import say
    from tests.game.table import any_answer

    if window.window.kind in ("statement", "whisper"):
        return say("I am a Villager. I do not know yet whom to vote for, I want to hear more.")
    return any_answer(window, 1)
