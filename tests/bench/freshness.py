"""How fresh the house player's words stay over many games: what is said again, seat names masked.

`.venv/bin/python -m tests.bench freshness` plays 200 games of personas (method "full");
`python -m tests.bench.freshness GAMES RULESET …` other games.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise

from agents.personas.big_five import FACTORS, Persona
from agents.recipe import Recipe
from game.engine import rulesets
from game.engine.text_checks import count_words
from tests.agents.table import Played, play

GAMES = 200
_NAMES = sorted({n for r in rulesets.names() for n in rulesets.get(r).seat_names}, reverse=True)
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b", re.I)
LEANING = 0.5  # from here on a persona counts for a pole of a factor


def main(games: str = "", *ruleset_names: str) -> None:
    seeds = [f"games/{i}" for i in range(int(games or GAMES))]
    for name in ruleset_names or ["one-night"]:
        print(f"-- {name}")
        with ProcessPoolExecutor(2) as pool:
            played = pool.map(partial(play, ruleset_name=name), seeds)
            report(dict(zip(seeds, played, strict=True)))


def report(played: dict[str, Played]) -> None:
    """Print the figures of finished games, by their seeds."""
    said = [text for game in played.values() for _, text in game.said]
    apart = [s for text in said for s in sentences(text)]
    print(f"{len(played)} games, {len(said)} statements, {len(apart)} sentences, names masked")
    print(f"sentences that occur more than once: {repeated(apart):.1%}")
    print(f"statements that occur more than once: {repeated(map(masked, said)):.1%}")
    by_game = [
        Counter(s for _, text in game.said for s in sentences(text) if len(s.split()) > 3)
        for game in played.values()
    ]
    within = sum(n > 1 for counts in by_game for n in counts.values())
    print(f"sentences (of four words or more) that occur more than once in a game: {within}")
    games = Counter(sentence for counts in by_game for sentence in counts)
    common = sum(number > len(played) / 10 for number in games.values())
    print(f"sentences (of four words or more) in over 10 % of the games: {common}; above all:")
    for sentence, number in games.most_common(5):
        print(f"  {number} {sentence}")
    print(f"distinct-2: {distinct(said):.3f}")
    words = sum(map(count_words, said)) / len(said)
    print(f"words a statement: mean {words:.1f}")
    for factor in FACTORS:
        for sign in (1, -1):
            _pole(played, factor, sign)


def _pole(played: dict[str, Played], factor: str, sign: int) -> None:
    texts = [
        text
        for seed, game in played.items()
        for seat, text in game.said
        if sign * _persona(seed, seat).leaning(factor) >= LEANING
    ]
    if texts:
        words = sum(map(count_words, texts)) / len(texts)
        print(
            f"{factor}{'+' if sign > 0 else '-'}: {len(texts)} statements, "
            f"distinct-2 {distinct(texts):.3f}, mean {words:.1f} words"
        )


def _persona(seed: str, seat: int) -> Persona:
    """Whom `tests.agents.table.play` seats there."""
    persona = Recipe(method="full").cast(f"{seed}/{seat}").persona
    assert persona is not None
    return persona


def masked(text: str) -> str:
    """`text` with X for every seat's name."""
    return _NAME.sub("X", text)


def sentences(text: str) -> list[str]:
    """The sentences of `text`, names masked."""
    return re.split(r"(?<=[.!?])\s+", masked(text))


def repeated(texts: Iterable[str]) -> float:
    """The share of `texts` that occur more than once."""
    counted = Counter(texts)
    return sum(n for n in counted.values() if n > 1) / max(1, counted.total())


def distinct(texts: Iterable[str]) -> float:
    """Distinct-2: different pairs of neighbouring words by all such pairs, names masked."""
    pairs = Counter[tuple[str, str]]()
    for text in texts:
        words = re.findall(r"[\w']+", masked(text).lower())
        pairs.update(pairwise(words))
    return len(pairs) / max(1, pairs.total())


if __name__ == "__main__":
    main(*sys.argv[1:])
