"""The house player over many one-night games, in memory: who wins, how it talks, how fast.

`.venv/bin/python -m tests.bench.house [GAMES]` prints the figures.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from agents.backends.house import HouseBackend
from agents.mind import Mind, Note
from agents.recipe import Recipe
from agents.scene import Scene
from agents.think import think
from game.engine import rulesets, views
from game.engine.draws import Draws
from game.engine.events import Event
from game.engine.rules import decide
from game.engine.state import fold
from game.engine.windows import Answer
from game.engine.words import count_words


@dataclass
class Played:
    """One game: its whole log and how long each thought took, in seconds."""

    log: list[Event]
    seconds: list[float] = field(default_factory=list)


def play(seed: str, ruleset_name: str = "one-night") -> Played:
    """A whole game of house players, answered in the order in which windows open."""
    ruleset = rulesets.get(ruleset_name)
    draws = Draws(seed)
    answers: dict[str, dict[int, Answer]] = {}
    minds: dict[int, list[tuple[str, Note]]] = {}
    step = partial(
        decide,
        ruleset,
        answers=answers,
        ready=lambda w: (
            w.whom == "nobody" or set(w.window.seats) <= set(answers.get(w.window.key, {}))
        ),
        draws=draws,
    )
    settings = {s.key: s.default for s in ruleset.settings}
    played = Played(step([], opening={"seats": ruleset.seat_names, "settings": settings}))
    while not (state := fold(played.log)).over:
        for window in state.windows.values():
            for seat in window.seats:
                if seat in answers.setdefault(window.key, {}):
                    continue
                closed = {e["window"] for e in played.log if e.kind == "window_closed"}
                scene = Scene(
                    ruleset,
                    views.view_of(played.log, views.seat(seat)),
                    window,
                    Mind(tuple(n for key, n in minds.get(seat, []) if key in closed)),
                    Draws(f"{seed}/agent/{seat}/{window.key}"),
                )
                began = time.perf_counter()
                thought = think(Recipe(), scene, HouseBackend().reply)
                played.seconds.append(time.perf_counter() - began)
                answers[window.key][seat] = thought.answer
                minds.setdefault(seat, []).extend((window.key, n) for n in thought.notes)
        played.log += step(played.log)
    return played


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(play, [f"bench/{i}" for i in range(games)], chunksize=5))
    report(results)


def report(results: list[Played]) -> None:
    """Print the figures of finished games."""
    games = len(results)
    wins = Counter(e["winner"] for g in results for e in g.log if e.kind == "game_over")
    for team in ("village", "werewolf", "tanner"):
        print(f"{team:9} wins {wins[team] / games:6.1%}")
    right = total = 0
    texts: Counter[str] = Counter()
    words: list[int] = []
    repeats = labelled = 0
    for game in results:
        roles = {e["seat"]: e["role"] for e in game.log if e.kind == "role_dealt"}
        for event in game.log:
            labelled += bool(event.label)
            if event.kind == "vote":
                total += 1
                right += roles[event["targets"][0]] == "werewolf"
        said = [e["text"] for e in game.log if e.kind == "statement" and e["manner"] == "say"]
        repeats += len(said) - len(set(said))
        texts.update(said)
        words += [count_words(t) for t in said]
    print(f"votes for the Werewolf {right / total:.1%} (chance {1 / 8:.1%} of all seats)")
    print(f"labelled events {labelled}")
    print(f"words a statement: mean {sum(words) / len(words):.1f}, most {max(words)}")
    print(f"over 120 words: {sum(w > 120 for w in words)}")
    print(f"repeated within a game: {repeats}")
    again = sum(n for n in texts.values() if n > 1)
    print(f"statements said more than once in {games} games: {again / len(words):.1%}")
    seconds = sorted(s for g in results for s in g.seconds)
    p50, p95 = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
    print(f"thinking: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")


if __name__ == "__main__":
    main()
