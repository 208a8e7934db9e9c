"""The house player over many one-night games, in memory: who wins, how it talks, how fast.

`.venv/bin/python -m tests.bench.house [GAMES] [SEED] [plain]` prints the figures; `plain`: of
plain speech.
"""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from agents.faculties.judgement import exact
from game.engine.speech_text import count_words
from tests.agents.table import Played, play
from tests.bench import conduct

VILLAGE = ("seer", "mason", "villager")


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = sys.argv[2] if len(sys.argv) > 2 else "bench"
    plain = "plain" in sys.argv[3:]
    game = partial(play, plain=plain)
    judged_game = partial(judgements, plain=plain)
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(game, [f"{seed}/{i}" for i in range(games)], chunksize=5))
        judged = list(pool.map(judged_game, [f"{seed}/{i}" for i in range(games // 5)]))
    report(results)
    _judged([row for game in judged for row in game])
    conduct.main()


def judgements(seed: str, plain: bool = False) -> list[tuple[int, bool]]:
    """(round, whether the likeliest Werewolf is the Werewolf) of the village's seats, as they
    judge when a round's talk is over."""
    game = play(seed, keep=True, plain=plain)
    found = []
    for decision, _thought in game.decisions:
        if decision.window.kind == "poll" and game.roles[decision.seat] in VILLAGE:
            wolf = {int(s): row.get("werewolf", 0.0) for s, row in exact(decision).items()}
            top = max((s for s in wolf if s != decision.seat), key=lambda s: wolf[s])
            round_ = decision.round
            found.append((round_, game.roles[top] == "werewolf"))
    return found


def _judged(rows: list[tuple[int, bool]]) -> None:
    told = []
    for number in sorted({n for n, _ in rows}):
        right = [r for n, r in rows if n == number]
        told.append(f"round {number}: {sum(right) / len(right):.1%}")
    print("the village's likeliest Werewolf is the Werewolf (chance 14.3%): " + ", ".join(told))


def report(results: list[Played]) -> None:
    """Print the figures of finished games."""
    games = len(results)
    wins = Counter(g.winner for g in results)
    print(f"{games} games")
    for team in ("village", "werewolf", "tanner"):
        print(f"{team:9} wins {wins[team] / games:6.1%}")
    out = Counter(g.roles[e["seat"]] for g in results for e in g.log if e.kind == "out")
    print("out: " + ", ".join(f"{role} {n / games:.1%}" for role, n in out.most_common()))
    _votes(results)
    _words(results)
    print(f"labelled events: {sum(bool(e.labels) for g in results for e in g.log)}")
    seconds = sorted(s for g in results for s in g.seconds)
    p50, p95 = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
    print(f"thinking: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")


def _votes(results: list[Played]) -> None:
    votes = [(g, e) for g in results for e in g.log if e.kind == "vote"]
    right = [g.roles[e["targets"][0]] == "werewolf" for g, e in votes]
    village = [r for r, (g, e) in zip(right, votes, strict=True) if g.roles[e["seat"]] in VILLAGE]
    print(
        f"votes for the Werewolf: {sum(right) / len(right):.1%} of all (chance 12.5%), "
        f"{sum(village) / len(village):.1%} of the village's (chance 14.3%)"
    )
    tops = Counter(
        Counter(e["targets"][0] for e in g.log if e.kind == "vote").most_common(1)[0][1]
        for g in results
    )
    print("most votes on one: " + ", ".join(f"{n}: {c}" for n, c in sorted(tops.items())))


def _words(results: list[Played]) -> None:
    texts = Counter(text for g in results for _, text in g.said)
    words = sorted(count_words(t) for g in results for _, t in g.said)
    within = sum(len(g.said) - len({t for _, t in g.said}) for g in results)
    mean, tenth = sum(words) / len(words), len(words) // 10
    print(
        f"words a statement: mean {mean:.1f}, nine of ten from {words[tenth // 2]} to "
        f"{words[-1 - tenth // 2]}, most {words[-1]}; over 120: {sum(w > 120 for w in words)}"
    )
    again = sum(n for n in texts.values() if n > 1)
    print(f"statements repeated within a game: {within}; over all games: {again / len(words):.2%}")


if __name__ == "__main__":
    main()
