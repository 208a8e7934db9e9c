"""Variation and Memorability, from a judge's lists for a game (Humanized G.2, G.3)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, stdev

from webapp.measures.figure import Figure
from webapp.measures.game_record import GameRecord

VARIATION, MEMORABILITY = "variation", "memorability"
BY_MODEL = "language model"
MAX_SENTENCES_PER_DRAW = 10

RoleOpinion = tuple[int, int, str]  # speaker's seat, target's seat, role
Matrix = Mapping[tuple[int, int], str]  # (speaker, target) -> role; a missing cell is empty


def opinion_matrix(opinions: Iterable[RoleOpinion]) -> dict[tuple[int, int], str]:
    """Return the opinions of a round as a matrix. Later opinions replace earlier ones."""
    return {(speaker, target): role for speaker, target, role in opinions}


def matrix_difference(first: Matrix, second: Matrix) -> int:
    """Return the difference (eq. 16): 1 for a cell that one lacks, 2 for a conflict."""
    pairs = ((first.get(cell), second.get(cell)) for cell in {*first, *second})
    return sum(2 if a and b else 1 for a, b in pairs if a != b)


def variation(rounds: Sequence[Matrix]) -> Figure:
    """Return the mean difference over all ordered pairs of rounds (Algorithm 5)."""
    if len(rounds) < 2:
        reason = "the game has fewer than two rounds"
        return Figure(VARIATION, BY_MODEL, None, len(rounds), "rounds", reason)
    value = fmean(matrix_difference(a, b) for a, b in product(rounds, repeat=2))
    return Figure(VARIATION, BY_MODEL, value, len(rounds), "rounds")


@dataclass(frozen=True)
class Highlight:
    """A memorable sentence. `twist` says how much it turns the game, from 1 to 10."""

    seat: int
    sentence: str
    twist: float


class NotSpoken(ValueError):
    """A sentence was not said by the player whom the judge names. The judge gets the message."""


def check_spoken(highlight: Highlight, game: GameRecord) -> None:
    """Raise NotSpoken unless the seat said the sentence. Case and punctuation are ignored."""
    sentence = _simplify(highlight.sentence)
    statements = [s for s in game.statements if s.seat == highlight.seat]
    if not sentence or not any(sentence in _simplify(s.text) for s in statements):
        name = statements[0].speaker if statements else str(highlight.seat)
        raise NotSpoken(f"{name} did not say: {highlight.sentence}")


def _simplify(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", "", text.casefold()).split())


def sentence_deviation(highlights: Sequence[Highlight], game: GameRecord) -> float:
    """Return the sample SD of sentences per player.

    A *unit* of the paper is one holder of a role; the role's sentences are divided among them.
    """
    holders = Counter(game.roles.values())
    counts = Counter(game.roles[highlight.seat] for highlight in highlights)
    return stdev(counts[role] / n for role, n in holders.items() for _ in range(n))


def memorability(draws: Sequence[tuple[GameRecord, Sequence[Highlight]]]) -> Figure:
    """Return 100 n / (sum of the SDs) over n draws (eq. 18, Algorithm 6).

    The paper's 10 to 17 cannot come from ten sentences over eight units: with an SD of at most
    3.54 every draw gives at least 28.3.
    """
    deviations = [sentence_deviation(highlights, game) for game, highlights in draws]
    total = sum(deviations)
    if not total:
        reason = "every unit has the same number of sentences in every draw" if draws else "no draw"
        return Figure(MEMORABILITY, BY_MODEL, None, len(draws), "draws", reason)
    return Figure(MEMORABILITY, BY_MODEL, 100 * len(draws) / total, len(draws), "draws")
