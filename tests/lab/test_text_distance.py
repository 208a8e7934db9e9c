"""Tests of text distance by hand (Humanized E, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.lab.making import game
from webapp.measures.game_record import GameRecord, Statement
from webapp.measures.text_distance import (
    Vectors,
    distances_by_round,
    mean_and_deviation,
    strip_tags,
)

EAST, NORTH, WEST = (1.0, 0.0), (0.0, 2.0), (-3.0, 0.0)
AXES = {"east": EAST, "north": NORTH, "west": WEST}


def embed(texts: Sequence[str]) -> Vectors:
    return np.array([AXES[text] for text in texts])


def make_game(*lines: tuple[int, str]) -> GameRecord:
    statements = tuple(Statement(1, number, 1, "Alpha", text) for number, text in lines)
    return game(statements=statements)


def test_mean_and_sd_cover_all_ordered_pairs_with_the_diagonal() -> None:
    # Distances of east, north, west: 1, 2, 1, each twice, and three zeros: 8 of 9 pairs.
    # Without the diagonal the mean would be 8 / 6. Squares sum to 12; less 9 * (8 / 9) ** 2 it is
    # 4.889; by n * n - 1 = 8: .6111, whose root is .7817 (by 9: .7370).
    mean, deviation = mean_and_deviation(np.array([EAST, NORTH, WEST]))
    assert mean == pytest.approx(8 / 9)
    assert deviation == pytest.approx(0.611111**0.5, abs=1e-6)


def test_vector_length_is_no_distance() -> None:
    assert mean_and_deviation(np.array([EAST, (7.0, 0.0)]))[0] == pytest.approx(0)


def test_rounds_are_cumulative() -> None:
    distances = distances_by_round(make_game((1, "east"), (1, "east"), (2, "west")), embed, "axes")
    assert distances[1][0].value == pytest.approx(0)
    # Two easts and a west: four of nine pairs have distance 2.
    assert distances[2][0].value == pytest.approx(8 / 9)
    assert (distances[2][0].n, distances[2][0].variant) == (3, "axes")


def test_too_little_text_has_a_reason_and_no_value() -> None:
    distances = distances_by_round(make_game((1, "east"), (2, '""'), (2, "west")), embed, "axes")
    assert distances[1][0].value is None
    assert "fewer than two" in distances[1][0].reason
    assert distances[2][0].omitted == {"empty statements": 1}


def test_invalid_embedding_is_refused() -> None:
    with pytest.raises(ValueError, match="zero or not finite"):
        mean_and_deviation(np.array([EAST, (0.0, 0.0)]))
    with pytest.raises(ValueError, match="zero or not finite"):
        mean_and_deviation(np.array([EAST, (np.nan, 0.0)]))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Alpha say: 'Trust me.'", "Trust me."),
        ("alpha: “Trust me.”", "Trust me."),
        ("Trust me.'", "Trust me."),
        ("Two things: trust me.", "Two things: trust me."),
        ("Beta: she lies.", "Beta: she lies."),
        ("  ", ""),
    ],
)
def test_speaker_tags_and_quotes_are_stripped_and_words_kept(text: str, bare: str) -> None:
    assert strip_tags(text, "Alpha") == bare
