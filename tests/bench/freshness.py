"""Repetition of house players' sentences over many games, with masked seat names.

`.venv/bin/python -m tests.bench freshness` plays 200 games of personas (method "full").
`python -m tests.bench.freshness GAMES RULESET …` plays other games.
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
from tests.agents.table import PlayedGame, play

GAMES = 200
_NAMES = sorted({n for r in rulesets.names() for n in rulesets.get(r).seat_names}, reverse=True)
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b", re.I)
LEANING = 0.5  # minimum leaning of a persona to count for a pole of a factor


def main(games: str = "", *ruleset_names: str) -> None:
    seeds = [f"games/{i}" for i in range(int(games or GAMES))]
    for name in ruleset_names or ["one-night"]:
        print(f"-- {name}")
        with ProcessPoolExecutor(2) as pool:
            played = pool.map(partial(play, ruleset_name=name), seeds)
            report(dict(zip(seeds, played, strict=True)))


def report(played: dict[str, PlayedGame]) -> None:
    """Print the figures of finished games, given by seed."""
    texts = [text for game in played.values() for _, text in game.statements]
    split = [s for text in texts for s in sentences(text)]
    print(f"{len(played)} games, {len(texts)} statements, {len(split)} sentences, names masked")
    print(f"sentences that occur more than once: {repeated_share(split):.1%}")
    print(f"statements that occur more than once: {repeated_share(map(mask_names, texts)):.1%}")
    by_game = [
        Counter(s for _, text in game.statements for s in sentences(text) if len(s.split()) > 3)
        for game in played.values()
    ]
    within = sum(n > 1 for counts in by_game for n in counts.values())
    print(f"sentences (of four words or more) that occur more than once in a game: {within}")
    games = Counter(sentence for counts in by_game for sentence in counts)
    common = sum(number > len(played) / 10 for number in games.values())
    print(f"sentences (of four words or more) in over 10 % of the games: {common}; above all:")
    for sentence, number in games.most_common(5):
        print(f"  {number} {sentence}")
    print(f"distinct-2: {distinct_2(texts):.3f}")
    words = sum(map(count_words, texts)) / len(texts)
    print(f"words a statement: mean {words:.1f}")
    for factor in FACTORS:
        for sign in (1, -1):
            _pole(played, factor, sign)


def _pole(played: dict[str, PlayedGame], factor: str, sign: int) -> None:
    texts = [
        text
        for seed, game in played.items()
        for seat, text in game.statements
        if sign * _persona(seed, seat).leaning(factor) >= LEANING
    ]
    if texts:
        words = sum(map(count_words, texts)) / len(texts)
        print(
            f"{factor}{'+' if sign > 0 else '-'}: {len(texts)} statements, "
            f"distinct-2 {distinct_2(texts):.3f}, mean {words:.1f} words"
        )


def _persona(seed: str, seat: int) -> Persona:
    """Return the persona that `tests.agents.table.play` gives to the seat."""
    persona = Recipe(method="full").cast(f"{seed}/{seat}").persona
    assert persona is not None
    return persona


def mask_names(text: str) -> str:
    """Replace every seat name by X."""
    return _NAME.sub("X", text)


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` with masked names."""
    return re.split(r"(?<=[.!?])\s+", mask_names(text))


def repeated_share(texts: Iterable[str]) -> float:
    """Return the share of texts that occur more than once."""
    counted = Counter(texts)
    return sum(n for n in counted.values() if n > 1) / max(1, counted.total())


def distinct_2(texts: Iterable[str]) -> float:
    """Return distinct-2: distinct word pairs by all word pairs, with masked names."""
    pairs = Counter[tuple[str, str]]()
    for text in texts:
        words = re.findall(r"[\w']+", mask_names(text).lower())
        pairs.update(pairwise(words))
    return len(pairs) / max(1, pairs.total())


if __name__ == "__main__":
    main(*sys.argv[1:])
