"""Text distances of an experiment's games (Humanized 2.6.1 and E, Tables 1 and 4).

The vectors of texts are stored by model and text, so that none is requested twice.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from agents import model_catalog
from agents.decision import BackendError
from game.models import Game
from webapp.measures.figure import Figure, mean_over_games
from webapp.measures.game_record import GameRecord, have_one_statement
from webapp.measures.text_distance import (
    DISTANCE,
    Vectors,
    distance_figures,
    distances_by_round,
    strip_tags,
)
from webapp.study.models import TextEmbedding
from webapp.study.results.published_cells import Conditions, Games, printed_figure
from webapp.study.results.result_table import DASH, ResultTable

Rounds = dict[int, tuple[Figure, Figure]]  # round -> (mean distance, standard deviation)
VECTOR_DTYPE = "<f4"
# Number of a round -> its name in the paper.
ROUNDS = {1: "1st Round", 2: "2nd Round", 3: "3rd Round"}


@dataclass(frozen=True)
class Distances:
    model: str
    # Whether the distances are between the statements of all games, because each game has only one.
    # Else they are within games, over rounds 1 to that round.
    is_between_games: bool
    figures: Mapping[str, Rounds]  # condition -> its distances
    notes: Sequence[str]  # a sentence for each condition without distances

    def to_json(self) -> dict[str, Any]:
        conditions = {
            name: {
                str(number): {figure.metric: figure.to_json() for figure in pair}
                for number, pair in rounds.items()
            }
            for name, rounds in self.figures.items()
        }
        return {"model": self.model, "notes": list(self.notes), "conditions": conditions}


def text_distances(conditions: Conditions) -> Distances | None:
    """Return text distances by condition, None without a model for embeddings."""
    if (settings := model_catalog.valid_embedding_model()) is None:
        return None
    with_games = {name: games for name, games in conditions.items() if games}
    is_between_games = have_one_statement(chain.from_iterable(with_games.values()))
    measure = _distances_between_games if is_between_games else _distances_within_games
    figures, notes = {}, []
    for name, games in with_games.items():
        try:
            figures[name] = measure(games, settings)
        except (BackendError, ValueError) as error:
            notes.append(f"{name}: the embeddings could not be had ({error}).")
    return Distances(settings.model, is_between_games, figures, notes)


def _distances_within_games(games: Games, settings: model_catalog.ModelSettings) -> Rounds:
    """Return the means over games of the distances of rounds 1 to each round."""

    def embed_texts(texts: Sequence[str], game: GameRecord) -> Vectors:
        return stored_vectors(settings, [(game.code, text) for text in texts])

    tables = [
        distances_by_round(game, partial(embed_texts, game=game), settings.model) for game in games
    ]
    rounds: Rounds = {}
    for number in ROUNDS:
        if pairs := [table[number] for table in tables if number in table]:
            mean, deviation = zip(*pairs, strict=True)
            rounds[number] = (mean_over_games(mean), mean_over_games(deviation))
    return rounds


def _distances_between_games(games: Games, settings: model_catalog.ModelSettings) -> Rounds:
    """Return the distance over the statements of all games, under round 1."""
    texts = [(g.code, strip_tags(s.text, s.speaker)) for g in games for s in g.statements]
    nonempty = [(code, text) for code, text in texts if text]
    vectors = (
        stored_vectors(settings, nonempty) if len(nonempty) > 1 else np.zeros((len(nonempty), 1))
    )
    omitted = {"empty statements": len(texts) - len(nonempty)}
    return {1: distance_figures(vectors, settings.model, omitted)}


def distance_table(distances: Distances) -> ResultTable:
    """Return Humanized's Table 4, or its Table 1 for games of one statement."""
    if distances.is_between_games:
        head = ("Condition", "Statements", "Text distance", "SD", "Published", "SD, published")
        title = "Text distance within the statements of a persona (Humanized, Table 1)"
        table = ResultTable(title, head, text_columns=1, key="table-humanized-1")
        table.help = "How different the statements of a condition are: 0 means identical words."
    else:
        head = ("Condition", "Rounds", "Games", "Text distance", "SD", "Published")
        table = ResultTable(
            "Text distance (Humanized, Table 4)", head, text_columns=2, key="table-humanized-4"
        )
        table.help = "How different the statements of a game are: 0 means identical words."
    for name, rounds in distances.figures.items():
        for number, (mean, deviation) in rounds.items():
            figures = (mean, deviation)
            cells = [DASH if figure.value is None else f"{figure.value:.3f}" for figure in figures]
            if mean.value is None:
                table.note(f"{name}: {mean.reason}.")
            if distances.is_between_games:
                labels = [name]
                printed = [
                    printed_figure("humanized", "Table 1", figure.metric, name, "", figure.variant)
                    for figure in figures
                ]
            else:
                labels = [name, "1" if number == 1 else f"1 to {number}"]
                row = f"{ROUNDS[number]}, average distance"
                printed = [
                    printed_figure("humanized", "Table 4", DISTANCE, row, name, mean.variant)
                ]
            table.add(*labels, mean.n, *cells, *(text or DASH for text in printed))
    sources = f"Embeddings: {distances.model}. Figures of different models are never compared."
    table.note(*distances.notes, sources)
    return table


def stored_vectors(
    settings: model_catalog.ModelSettings, game_texts: Sequence[tuple[str, str]]
) -> Vectors:
    """Return the vectors of texts, shape (texts, dimensions). Request and store missing ones.

    Args:
        game_texts: (code of the game, text of a statement in it).

    Raises:
        BackendError: The embedding model failed.
    """
    keys = [hashlib.sha256(text.encode()).hexdigest() for _code, text in game_texts]
    stored = TextEmbedding.objects.filter(model=settings.model, sha256__in=keys)
    vectors = dict(stored.values_list("sha256", "vector"))
    all_texts = dict(zip(keys, game_texts, strict=True))
    if missing := {key: all_texts[key] for key in all_texts if key not in vectors}:
        from agents.backends.embeddings import embed  # here because it loads 15 MB

        computed = embed(settings, [text for _code, text in missing.values()])
        new_vectors = [np.asarray(vector, VECTOR_DTYPE).tobytes() for vector in computed]
        vectors |= dict(zip(missing, new_vectors, strict=True))
        games = Game.objects.in_bulk([code for code, _text in missing.values()], field_name="code")
        new = [
            TextEmbedding(model=settings.model, sha256=key, game=games[code], vector=vectors[key])
            for key, (code, _text) in missing.items()
        ]
        TextEmbedding.objects.bulk_create(new, ignore_conflicts=True)
    return np.array([np.frombuffer(bytes(vectors[key]), VECTOR_DTYPE) for key in keys], np.float64)
