"""The house player over many games, in memory: who wins, how it talks, how fast.

`.venv/bin/python -m tests.bench.house [GAMES] [SEED] [plain] [--ruleset NAME]` prints the figures;
`plain`: of plain speech. `python -m tests.bench house --ruleset NAME` does the same.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from agents.faculties.judgement import exact_role_probabilities
from agents.packs import Pack, pack_of
from game.engine import rulesets, visibility
from game.engine.text_checks import count_words
from tests.agents.table import Played, play
from tests.bench import conduct

ONE_NIGHT = "one-night"


def main(given: Sequence[str] | None = None) -> None:
    wanted = argparse.ArgumentParser(prog="tests.bench house")
    wanted.add_argument("games", nargs="?", type=int, default=500)
    wanted.add_argument("seed", nargs="?", default="bench")
    wanted.add_argument("plain", nargs="?", choices=["plain"])
    wanted.add_argument("--ruleset", default=ONE_NIGHT, choices=rulesets.names())
    asked = wanted.parse_args(given)
    terms = {"ruleset_name": asked.ruleset, "plain": bool(asked.plain)}
    seeds = [f"{asked.seed}/{i}" for i in range(asked.games)]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(partial(play, **terms), seeds, chunksize=5))
        fifth = seeds[: asked.games // 5]
        judged = list(pool.map(partial(judgements, **terms), fifth))
    report(results, asked.ruleset)
    _judged([row for game in judged for row in game])
    if asked.ruleset == ONE_NIGHT:
        conduct.main()


def judgements(seed: str, ruleset_name: str, plain: bool = False) -> list[tuple[int, float, bool]]:
    """(round, chance, whether the likeliest of the others is hunted) of the village's seats, asked
    in secret after a round's talk."""
    game, pack = (
        play(seed, ruleset_name, keep=True, plain=plain),
        pack_of(rulesets.get(ruleset_name)),
    )
    found = []
    for decision, _thought in game.decisions:
        if decision.window.kind not in ("poll", "pseudo_vote"):
            continue
        others = [s for s in decision.view.state.living() if s != decision.seat]
        if game.roles[decision.seat] not in pack.liars:
            belief = exact_role_probabilities(decision)
            top = max(others, key=lambda s: sum(belief[str(s)].get(r, 0.0) for r in pack.hunted))
            hunted = [game.roles[s] in pack.hunted for s in others]
            right = game.roles[top] in pack.hunted
            found.append((decision.round, sum(hunted) / len(hunted), right))
    return found


def _judged(rows: Sequence[tuple[int, float, bool]]) -> None:
    told = []
    for number in sorted({n for n, _, _ in rows}):
        here = [(chance, right) for n, chance, right in rows if n == number]
        right, chance = (sum(r for _, r in here), sum(c for c, _ in here))
        told.append(f"round {number}: {right / len(here):.1%} ({chance / len(here):.1%})")
    print("the village's likeliest Werewolf is one (chance): " + ", ".join(told))


def report(results: list[Played], ruleset: str = ONE_NIGHT) -> None:
    """Print the figures of finished games."""
    rules = rulesets.get(ruleset)
    wins = Counter(g.winner for g in results)
    print(f"{len(results)} games of {rules.name}")
    for team in rules.teams:
        print(f"{team.key:9} wins {wins[team.key] / len(results):6.1%}")
    ends = Counter(str(e["reason"]) for g in results for e in g.log if e.kind == "game_over")
    print(f"nobody wins: {wins['']}; ended by: " + _shares(ends, len(results)))
    out = Counter(
        f"{g.roles[e['seat']]} by {e['cause']}" for g in results for e in g.log if e.kind == "out"
    )
    print("out, a game: " + _shares(out, len(results)))
    seats = Counter(f"seat {e['seat']}" for g in results for e in g.log if e.kind == "out")
    print("out, of all games: " + _shares(seats, len(results)))
    _votes(results, pack_of(rules))
    _words(results)
    _passes(results)
    print(f"labelled events: {sum(bool(e.labels) for g in results for e in g.log)}")
    seconds = sorted(s for g in results for s in g.seconds)
    p50, p95 = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
    print(f"thinking: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")


def _shares(counted: Counter[str], of: int) -> str:
    return ", ".join(f"{what} {n / of:.1%}" for what, n in counted.most_common())


def _votes(results: list[Played], pack: Pack) -> None:
    """How often the village votes for somebody hunted, and how often it would by lot among the
    others who live; whoever abstains votes for nobody hunted."""
    rows = [
        (day, sum(here) / len(here), hit)
        for game in results
        for day, vote, living in game.votes
        if game.roles[vote["seat"]] not in pack.liars
        for here in [[game.roles[s] in pack.hunted for s in living if s != vote["seat"]]]
        for hit in [any(game.roles[t] in pack.hunted for t in vote.data.get("targets", ()))]
    ]
    for day in (0, *sorted({day for day, _, _ in rows})):
        of_day = [(chance, hit) for d, chance, hit in rows if day in (0, d)]
        hits, chance = sum(h for _, h in of_day), sum(c for c, _ in of_day)
        print(
            f"the village's votes for a Werewolf, {f'day {day}' if day else 'all days'}: "
            f"{hits / len(of_day):.1%}, chance {chance / len(of_day):.1%}: "
            f"{hits / chance if chance else 0:.2f} times ({len(of_day)} votes)"
        )
    hits = [
        any(game.roles[t] in pack.hunted for t in vote.data.get("targets", ()))
        for game in results
        for _, vote, _ in game.votes
    ]
    print(f"everybody's votes for a Werewolf: {sum(hits) / max(len(hits), 1):.1%}")
    cast = [vote for game in results for _, vote, _ in game.votes]
    nobody = sum(not vote.data.get("targets") for vote in cast)
    days = Counter(f"{max(day for day, _, _ in g.votes)} days" for g in results if g.votes)
    print(
        f"votes for nobody: {nobody / max(len(cast), 1):.1%}; games of "
        + _shares(days, len(results))
    )


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
    print(f"statements a game: {len(words) / len(results):.1f}; repeated within a game: {within}")
    print(f"statements repeated over all games: {again / len(words):.2%}")


def _passes(results: list[Played]) -> None:
    """How often players speak in a day's talk before they say Over, where talk runs in passes."""
    talks: dict[tuple[int, int, int], int] = Counter()
    done = set[tuple[int, int, int]]()
    for number, game in enumerate(results):
        for event, state in visibility.steps_with_states(
            visibility.view_of(game.log, visibility.MODERATOR)
        ):
            if event.kind == "statement":
                key = number, event["seat"], state.day
                talks[key] += event["manner"] == "say"
                done |= {key} if event["manner"] == "over" else set()
    if done:
        counts = Counter(f"{talks[key]}" for key in done)
        said = f"{sum(talks[key] for key in done) / len(done):.2f}"
        print(f"talks before Over: mean {said}; {_shares(counts, len(done))}")
        print(f"a day's talks without Over: {1 - len(done) / len(talks):.1%}")


if __name__ == "__main__":
    main()
