"""The text distance of an experiment's games (Humanized 2.6.1 and E, Tables 1 and 4).

Vectors are stored by model and text, so that none is requested twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from agents import catalog
from agents.backends.embeddings import embed
from agents.decision import BackendError
from game.models import Game
from webapp.measures.figure import Figure, over_games
from webapp.measures.game_record import GameRecord
from webapp.measures.text_distance import (
    DEVIATION,
    DISTANCE,
    Vectors,
    mean_and_deviation,
    of_game,
    strip_tags,
)
from webapp.study.models import TextEmbedding
from webapp.study.results.paper_tables import are_openings
from webapp.study.results.published_cells import printed_figure
from webapp.study.results.result_table import DASH, ResultTable

DTYPE = "<f4"
APART = "Figures of different models are never compared."
ROUNDS = {1: "1st Round", 2: "2nd Round", 3: "3rd Round"}  # as the paper names them


def distance_table(conditions: Mapping[str, Sequence[GameRecord]]) -> ResultTable | None:
    """Return text distances by condition; None without a model for embeddings.

    Those of whole games are over rounds 1, 1 to 2, 1 to 3. Games of one statement, as in the
    experiment with personas, have one distance over the statements of all games.
    """
    try:
        settings = catalog.embeddings()
    except catalog.BadCatalog:
        settings = None
    if settings is None:
        return None
    if are_openings(conditions):
        return _table_of_openings(conditions, settings)
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
    table.note(f"Embeddings: {settings.model}. {APART}")
    return table


def _table_of_openings(
    conditions: Mapping[str, Sequence[GameRecord]], settings: catalog.ModelSettings
) -> ResultTable:
    head = ("Condition", "Statements", "Text distance", "SD", "Published", "SD, published")
    title = "Text distance within the statements of a persona (Humanized, Table 1)"
    table = ResultTable(title, head, 1, key="table-humanized-1")
    table.help = "How different the statements of a condition are: 0 for the same words."
    for name, games in conditions.items():
        spoken = [(g.code, strip_tags(s.text, s.speaker)) for g in games for s in g.statements]
        spoken = [(code, text) for code, text in spoken if text]
        if len(spoken) < 2:
            table.note(f"{name}: fewer than two statements have text.")
            continue
        try:
            figures = mean_and_deviation(stored_vectors(settings, spoken))
        except (BackendError, ValueError) as error:
            table.note(f"{name}: the embeddings could not be had ({error}).")
            continue
        printed = [
            printed_figure("humanized", "Table 1", metric, name, variant=settings.model) or DASH
            for metric in (DISTANCE, DEVIATION)
        ]
        table.add(name, len(spoken), *(f"{one:.3f}" for one in figures), *printed)
    table.note(f"Embeddings: {settings.model}. {APART}")
    return table


def _figures(game: GameRecord, settings: catalog.ModelSettings) -> dict[int, tuple[Figure, Figure]]:
    def embed_texts(texts: Sequence[str]) -> Vectors:
        return stored_vectors(settings, [(game.code, text) for text in texts])

    return of_game(game, embed_texts, settings.model)


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


def stored_vectors(settings: catalog.ModelSettings, spoken: Sequence[tuple[str, str]]) -> Vectors:
    """Return the vectors of texts, shape (texts, dimensions). New ones are requested.

    Args:
        spoken: The code of the game in which a text was said, and the text.

    Raises BackendError.
    """
    keys = [hashlib.sha256(text.encode()).hexdigest() for _code, text in spoken]
    rows = TextEmbedding.objects.filter(model=settings.model, sha256__in=keys)
    known = {row.sha256: row.vector for row in rows}
    missing = {key: one for key, one in zip(keys, spoken, strict=True) if key not in known}
    if missing:
        vectors = embed(settings, [text for _code, text in missing.values()])
        codes = {code for code, _text in missing.values()}
        games = {game.code: game for game in Game.objects.filter(code__in=codes)}
        packed = [np.asarray(vector, DTYPE).tobytes() for vector in vectors]
        new = [
            TextEmbedding(model=settings.model, sha256=key, game=games[code], vector=data)
            for (key, (code, _text)), data in zip(missing.items(), packed, strict=True)
        ]
        TextEmbedding.objects.bulk_create(new, ignore_conflicts=True)
        known |= dict(zip(missing, packed, strict=True))
    return np.array([np.frombuffer(bytes(known[key]), DTYPE) for key in keys], np.float64)
