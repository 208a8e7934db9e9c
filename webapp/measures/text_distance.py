"""Text distance: how different the statements of a game are (Humanized 2.6.1, E, Algorithm 3).

Distances are 1 - cosine of two embeddings, from 0 to 2. The mean is over all n * n ordered pairs,
the diagonal included; the variance divides by n * n - 1. The caller computes the embeddings.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from webapp.measures.figure import Figure
from webapp.measures.game_record import GameRecord

DISTANCE, DEVIATION = "text_distance", "text_distance_sd"
Vectors = NDArray[np.float64]  # shape (texts, dimensions)

_TAG = re.compile(r"^\s*[*_]*[\w .'-]{1,40}?[*_]*\s*(?:say|says|said)?\s*:\s*")
_QUOTES = re.compile(r"^[\"'“”‘’«»\s]+|[\"'“”‘’«»\s;]+$")


def strip_tags(text: str, speaker: str = "") -> str:
    """Return a statement without its speaker's tag and enclosing quotes.

    A tag has the speaker's name or "say" and a colon. "Two things: …" keeps its words.
    """
    match = _TAG.match(text)
    if match and (
        (speaker and speaker.casefold() in match[0].casefold())
        or re.search(r"\bsa(?:y|ys|id)\s*:\s*$", match[0])
    ):
        text = text[match.end() :]
    return _QUOTES.sub("", text)


def mean_and_deviation(vectors: Vectors) -> tuple[float, float]:
    """Return mean and SD of all n * n cosine distances of n >= 2 texts.

    Raise ValueError if a vector is zero or not finite: a text was empty or the server is broken.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise ValueError("an embedding is zero or not finite")
    unit = vectors / norms
    matrix = 1 - np.clip(unit @ unit.T, -1, 1)
    np.fill_diagonal(matrix, 0)
    return float(matrix.mean()), float(matrix.std(ddof=1))


def distance_figures(
    vectors: Vectors, variant: str, omitted: Mapping[str, int]
) -> tuple[Figure, Figure]:
    """Return the text distance and its SD of statements with these embeddings.

    `variant` is the embedding model's name. Figures of different models are never compared.
    """
    reason = "fewer than two statements have text" if len(vectors) < 2 else ""
    mean, deviation = (None, None) if reason else mean_and_deviation(vectors)
    facts = (len(vectors), "statements", reason, omitted)
    distance = Figure(DISTANCE, variant, mean, *facts)
    return distance, Figure(DEVIATION, variant, deviation, *facts)


def distances_by_round(
    game: GameRecord, embed: Callable[[Sequence[str]], Vectors], variant: str
) -> dict[int, tuple[Figure, Figure]]:
    """Return round -> (text distance, its SD) over the statements of rounds 1 to that round.

    `embed` returns the embeddings of texts, shape (texts, dimensions).
    """
    spoken = [(s.round, strip_tags(s.text, s.speaker)) for s in game.statements]
    spoken = [(number, text) for number, text in spoken if text]
    omitted = {"empty statements": len(game.statements) - len(spoken)}
    vectors = embed([text for _, text in spoken]) if spoken else np.zeros((0, 1))
    rounds = np.array([number for number, _ in spoken], dtype=int)
    return {
        number: distance_figures(vectors[rounds <= number], variant, omitted)
        for number in sorted({statement.round for statement in game.statements})
    }
