"""Winners, talk and speed of house players over many games in memory.

`.venv/bin/python -m tests.bench.house [GAMES] [SEED] [plain] [--ruleset NAME]` prints the figures,
with `plain` for plain speech. `python -m tests.bench house --ruleset NAME` does the same.
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
from tests.agents.table import PlayedGame, play
from tests.bench import conduct

ONE_NIGHT = "one-night"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.bench house")
    parser.add_argument("games", nargs="?", type=int, default=500)
    parser.add_argument("seed", nargs="?", default="bench")
    parser.add_argument("plain", nargs="?", choices=["plain"])
    parser.add_argument("--ruleset", default=ONE_NIGHT, choices=rulesets.names())
    options = parser.parse_args(arguments)
    play_options = {"ruleset_name": options.ruleset, "is_plain": bool(options.plain)}
    seeds = [f"{options.seed}/{i}" for i in range(options.games)]
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(partial(play, **play_options), seeds, chunksize=5))
        fifth = seeds[: options.games // 5]
        judgement_rows = list(pool.map(partial(judgements, **play_options), fifth))
    report(results, options.ruleset)
    _print_judgements([row for game in judgement_rows for row in game])
    if options.ruleset == ONE_NIGHT:
        conduct.main()


def judgements(
    seed: str, ruleset_name: str, is_plain: bool = False
) -> list[tuple[int, float, bool]]:
    """Return the judgements of village seats in secret polls: (round, chance, is_correct).

    `is_correct` tells whether the most suspected player is hunted.
    """
    game, pack = (
        play(seed, ruleset_name, keep=True, is_plain=is_plain),
        pack_of(rulesets.get(ruleset_name)),
    )
    rows = []
    for decision, _thought in game.decisions:
        if decision.window.kind not in ("poll", "pseudo_vote"):
            continue
        other_seats = [s for s in decision.view.state.living() if s != decision.seat]
        if game.roles[decision.seat] not in pack.liars:
            belief = exact_role_probabilities(decision)
            top = max(
                other_seats, key=lambda s: sum(belief[str(s)].get(r, 0.0) for r in pack.hunted)
            )
            hunted = [game.roles[s] in pack.hunted for s in other_seats]
            is_correct = game.roles[top] in pack.hunted
            rows.append((decision.round, sum(hunted) / len(hunted), is_correct))
    return rows


def _print_judgements(rows: Sequence[tuple[int, float, bool]]) -> None:
    parts = []
    for number in sorted({n for n, _, _ in rows}):
        of_round = [(chance, right) for n, chance, right in rows if n == number]
        right, chance = (sum(r for _, r in of_round), sum(c for c, _ in of_round))
        parts.append(f"round {number}: {right / len(of_round):.1%} ({chance / len(of_round):.1%})")
    print("the village's likeliest Werewolf is one (chance): " + ", ".join(parts))


def report(results: list[PlayedGame], ruleset: str = ONE_NIGHT) -> None:
    """Print the figures of finished games."""
    rules = rulesets.get(ruleset)
    wins = Counter(g.winner for g in results)
    print(f"{len(results)} games of {rules.name}")
    for team in rules.teams:
        print(f"{team.key:9} wins {wins[team.key] / len(results):6.1%}")
    ends = Counter(str(e["reason"]) for g in results for e in g.log if e.kind == "game_over")
    print(f"nobody wins: {wins['']}; ended by: " + _shares(ends, len(results)))
    causes = Counter(
        f"{g.roles[e['seat']]} by {e['cause']}" for g in results for e in g.log if e.kind == "out"
    )
    print("out, a game: " + _shares(causes, len(results)))
    seats = Counter(f"seat {e['seat']}" for g in results for e in g.log if e.kind == "out")
    print("out, of all games: " + _shares(seats, len(results)))
    _votes(results, pack_of(rules))
    _words(results)
    _passes(results)
    print(f"labelled events: {sum(bool(e.labels) for g in results for e in g.log)}")
    seconds = sorted(s for g in results for s in g.seconds)
    p50, p95 = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.95)]
    print(f"thinking: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")


def _shares(counted: Counter[str], total: int) -> str:
    return ", ".join(f"{name} {n / total:.1%}" for name, n in counted.most_common())


def _votes(results: list[PlayedGame], pack: Pack) -> None:
    """Print how often the village votes for hunted players, compared with random votes."""
    rows = [
        (day, sum(are_hunted) / len(are_hunted), hit)
        for game in results
        for day, vote, living in game.votes
        if game.roles[vote["seat"]] not in pack.liars
        for are_hunted in [[game.roles[s] in pack.hunted for s in living if s != vote["seat"]]]
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
    votes = [vote for game in results for _, vote, _ in game.votes]
    nobody = sum(not vote.data.get("targets") for vote in votes)
    days = Counter(f"{max(day for day, _, _ in g.votes)} days" for g in results if g.votes)
    print(
        f"votes for nobody: {nobody / max(len(votes), 1):.1%}; games of "
        + _shares(days, len(results))
    )


def _words(results: list[PlayedGame]) -> None:
    texts = Counter(text for g in results for _, text in g.statements)
    words = sorted(count_words(t) for g in results for _, t in g.statements)
    in_game = sum(len(g.statements) - len({t for _, t in g.statements}) for g in results)
    mean, tenth = sum(words) / len(words), len(words) // 10
    print(
        f"words a statement: mean {mean:.1f}, nine of ten from {words[tenth // 2]} to "
        f"{words[-1 - tenth // 2]}, most {words[-1]}; over 120: {sum(w > 120 for w in words)}"
    )
    repeated = sum(n for n in texts.values() if n > 1)
    print(f"statements a game: {len(words) / len(results):.1f}; repeated within a game: {in_game}")
    print(f"statements repeated over all games: {repeated / len(words):.2%}")


def _passes(results: list[PlayedGame]) -> None:
    """Print how often players speak per day before they say Over, in games with passes."""
    talks: dict[tuple[int, int, int], int] = Counter()
    finished = set[tuple[int, int, int]]()
    for number, game in enumerate(results):
        for event, state in visibility.steps_with_states(
            visibility.view_of(game.log, visibility.MODERATOR)
        ):
            if event.kind == "statement":
                key = number, event["seat"], state.day
                talks[key] += event["manner"] == "say"
                finished |= {key} if event["manner"] == "over" else set()
    if finished:
        counts = Counter(f"{talks[key]}" for key in finished)
        mean = f"{sum(talks[key] for key in finished) / len(finished):.2f}"
        print(f"talks before Over: mean {mean}; {_shares(counts, len(finished))}")
        print(f"a day's talks without Over: {1 - len(finished) / len(talks):.1%}")


if __name__ == "__main__":
    main()
