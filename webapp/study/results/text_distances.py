"""The text distance of an experiment's games (Humanized 2.6.1 and E, Table 4).

Vectors are stored by model and text, so that none is requested twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from agents import catalog
from agents.backends.embeddings import embed
from agents.decision import BackendError
from game.models import Game
from webapp.measures.figure import Figure, over_games
from webapp.measures.game_record import GameRecord
from webapp.measures.text_distance import Vectors, of_game
from webapp.study.models import TextEmbedding
from webapp.study.results.paper_tables import printed_figure
from webapp.study.results.result_table import DASH, ResultTable

DTYPE = "<f4"
ROUNDS = {1: "1st Round", 2: "2nd Round", 3: "3rd Round"}  # as the paper names them


def distance_table(conditions: Mapping[str, Sequence[GameRecord]]) -> ResultTable | None:
    """Return text distances by condition, over rounds 1, 1 to 2, 1 to 3; None without a model."""
    try:
        settings = catalog.embeddings()
    except catalog.BadCatalog:
        settings = None
    if settings is None:
        return None
    head = ("Condition", "Rounds", "Games", "Text distance", "SD", "Published")
    table = ResultTable("Text distance (Humanized, Table 4)", head, 2, key="table-humanized-4")
    table.help = "How different the statements of a game are: 0 for the same words."
    for name, games in conditions.items():
        try:
            figures = [_figures(game, settings) for game in games]
        except (BackendError, ValueError) as error:
            table.note(f"{name}: the embeddings could not be had ({error}).")
            continue
        _add_rows(table, name, figures, settings.model)
    table.note(f"Embeddings: {settings.model}. Figures of different models are never compared.")
    return table


def _figures(game: GameRecord, settings: catalog.ModelSettings) -> dict[int, tuple[Figure, Figure]]:
    return of_game(game, partial(stored_vectors, settings, game.code), settings.model)


def _add_rows(
    table: ResultTable, name: str, games: Sequence[dict[int, tuple[Figure, Figure]]], model: str
) -> None:
    for number in sorted({number for figures in games for number in figures if number in ROUNDS}):
        pairs = [figures[number] for figures in games if number in figures]
        mean, deviation = (over_games([pair[n] for pair in pairs]) for n in (0, 1))
        cells = [DASH if one.value is None else f"{one.value:.3f}" for one in (mean, deviation)]
        if mean.value is None:
            table.note(f"{name}: {mean.why}.")
        row = f"{ROUNDS[number]}, average distance"
        printed = printed_figure("humanized", "Table 4", "text_distance", row, name, model)
        rounds = "1" if number == 1 else f"1 to {number}"
        table.add(name, rounds, mean.n, *cells, printed or DASH)


def stored_vectors(settings: catalog.ModelSettings, code: str, texts: Sequence[str]) -> Vectors:
    """Return the vectors of a game's texts, shape (texts, dimensions). New ones are requested.

    Raises BackendError.
    """
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    rows = TextEmbedding.objects.filter(model=settings.model, sha256__in=keys)
    known = {row.sha256: row.vector for row in rows}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if missing:
        vectors = embed(settings, list(missing.values()))
        game = Game.objects.get(code=code)
        packed = [np.asarray(vector, DTYPE).tobytes() for vector in vectors]
        new = [
            TextEmbedding(model=settings.model, sha256=key, game=game, vector=data)
            for key, data in zip(missing, packed, strict=True)
        ]
        TextEmbedding.objects.bulk_create(new, ignore_conflicts=True)
        known |= dict(zip(missing, packed, strict=True))
    return np.array([np.frombuffer(bytes(known[key]), DTYPE) for key in keys], np.float64)
