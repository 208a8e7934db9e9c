"""Tests of an experiment's text distances. Each text is embedded once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openai
import pytest
from django.contrib.auth.models import User

from agents import backends, model_catalog
from game.models import Game, Player
from tests.endpoint import Endpoint
from tests.game.table import new_game
from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord, Statement
from webapp.measures.text_distance import strip_tags
from webapp.play.signals import text_redacted
from webapp.study import analysis, timed_steps
from webapp.study.data.studies.game_records import records_by_condition
from webapp.study.experiments import local_run
from webapp.study.models import Study, TextEmbedding
from webapp.study.planning import studies
from webapp.study.results.result_table import ResultTable, tables_from_json
from webapp.study.results.text_distances import distance_table, text_distances

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_figures")]


MODEL = "text-embedding-3-small"  # the model of the paper
VECTORS = {"right": (1.0, 0.0), "up": (0.0, 1.0), "nothing": (0.0, 0.0)}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    with Endpoint() as server:
        file = tmp_path / "models.toml"
        file.write_text(
            f'[vectors]\nkind = "embeddings"\nmodel = "e"\nurl = "{server.url}"\nkey_env = ""\n'
            "retries = 0\n"
        )
        monkeypatch.setenv("FABULA_MODELS", str(file))
        yield server


def play_experiment(games: int = 2) -> Study:
    owner, _new = User.objects.get_or_create(username="ada")
    table = {"people": 0, "blind": False, "method": "baseline"}
    design = {"table": table, "assignment": {"games": games}}
    study = studies.create(owner, "Words", seed="words", design=design)
    studies.open(study)
    list(local_run.play_games(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    return study


def table_in_results(study: Study) -> ResultTable | None:
    tables = {t.key: t for t in tables_from_json(analysis.study_results(study)["papers"])}
    return tables.get("table-humanized-4")


def embedded_texts(endpoint: Endpoint) -> list[str]:
    return [text for call in endpoint.calls for text in call.body["input"]]


def render_distances(conditions: dict[str, list[GameRecord]]) -> ResultTable | None:
    distances = text_distances(conditions)
    return distance_table(distances) if distances else None


def record_with(code: str, *texts: tuple[int, str]) -> GameRecord:
    """Return a game with these statements, (round, text) each."""
    statements = tuple(Statement(1, number, 1, "Ann", text) for number, text in texts)
    return GameRecord(
        code, "one-night", has_leader=False, roles={}, teams={}, statements=statements
    )


def test_embeddings_model_is_not_a_player_backend(endpoint: Endpoint) -> None:
    assert backends.names() == ["house"]
    settings = model_catalog.embedding_model()
    assert settings
    assert settings.model == "e"


def test_text_distances_match_the_papers_formula(endpoint: Endpoint) -> None:
    study = play_experiment()
    table = table_in_results(study)
    assert table
    client = openai.OpenAI(base_url=endpoint.url, api_key="any")
    expected: dict[str, list[float]] = {"1": [], "1 to 2": [], "1 to 3": []}
    for slot in study.slots.select_related("game"):
        assert slot.game
        spoken = load_record(slot.game).statements
        for last, rounds in enumerate(expected, 1):
            texts = [strip_tags(s.text, s.speaker) for s in spoken if s.round <= last]
            answer = client.embeddings.create(model="e", input=texts)
            vectors = np.array([row.embedding for row in answer.data])
            unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            expected[rounds].append(float((1 - unit @ unit.T).mean()))
    rows = [list(row.texts()) for row in table.rows]
    printed = {rounds: float(value) for _name, rounds, _n, value, _sd, _published in rows}
    for rounds, values in expected.items():
        assert printed[rounds] == pytest.approx(sum(values) / len(values), abs=6e-4)
    assert {row[2] for row in rows} == {"2"}


def test_texts_are_embedded_once_and_removed_with_their_game(endpoint: Endpoint) -> None:
    study = play_experiment()
    assert render_distances(records_by_condition(study))
    texts = embedded_texts(endpoint)
    assert len(texts) == len(set(texts)) == TextEmbedding.objects.count()
    assert render_distances(records_by_condition(study))
    assert len(embedded_texts(endpoint)) == len(texts), "the stored vectors are used"
    row = TextEmbedding.objects.first()
    assert row
    of_game = TextEmbedding.objects.filter(game=row.game_id)
    number = of_game.count()
    text_redacted.send(sender=Game, game=row.game_id)
    assert not of_game.exists()
    assert TextEmbedding.objects.count() == len(texts) - number


def test_vectors_of_different_models_are_not_compared(endpoint: Endpoint, tmp_path: Path) -> None:
    study = play_experiment(1)
    first = render_distances(records_by_condition(study))
    assert first
    assert "Embeddings: e." in first.notes.sentences[-1]
    calls = len(endpoint.calls)
    texts = set(embedded_texts(endpoint))
    file = tmp_path / "models.toml"
    file.write_text(file.read_text().replace('model = "e"', 'model = "other"'))
    second = render_distances(records_by_condition(study))
    assert second
    assert "Embeddings: other." in second.notes.sentences[-1]
    later = [call.body for call in endpoint.calls[calls:]]
    assert {body["model"] for body in later} == {"other"}
    assert {t for body in later for t in body["input"]} == texts, "the new model embeds each text"


def test_failing_server_is_reported_beside_the_other_results(endpoint: Endpoint) -> None:
    study = play_experiment(1)
    endpoint.fail("http500", times=50)
    table = render_distances(records_by_condition(study))
    assert table
    assert table.rows == []
    assert "could not be had" in table.notes.sentences[0]
    assert not TextEmbedding.objects.exists()


def test_distance_table_is_absent_without_an_embeddings_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FABULA_MODELS", raising=False)
    study = play_experiment(1)
    assert Player.objects.exists()
    assert table_in_results(study) is None


def test_planted_vectors_give_distances_computed_by_hand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Round 1 has right, up: pairs 0 1 1 0, mean 1/2, SD with n - 1 of 1/√3.

    Rounds 1 and 2 have right, up, right: four of nine pairs are 1, mean 4/9, SD √(20/81 · 9/8).
    """
    file = tmp_path / "models.toml"
    file.write_text(f'[vectors]\nkind = "embeddings"\nmodel = "{MODEL}"\nkey_env = ""\n')
    monkeypatch.setenv("FABULA_MODELS", str(file))
    game = new_game()
    TextEmbedding.objects.bulk_create(
        TextEmbedding(
            model=model, game=game, sha256=hashlib.sha256(text.encode()).hexdigest(),
            vector=np.array(vector, "<f4").tobytes(),
        )
        for model, sign in ((MODEL, 1), ("another", -1))
        for text, vector in {**VECTORS, **({"right": (0.0, 1.0)} if sign < 0 else {})}.items()
    )  # fmt: skip
    record = record_with(game.code, (1, "right"), (1, "up"), (2, "right"))
    single = record_with(game.code, (1, "right"))
    table = render_distances(
        {
            "Favor": [record, single],
            "quiet": [single],
            "broken": [record_with(game.code, (1, "nothing"), (1, "up"))],
        }
    )
    assert table
    assert [list(row.texts()) for row in table.rows] == [
        ["Favor", "1", "1", "0.500", "0.577", "0.201"],
        ["Favor", "1 to 2", "1", "0.444", "0.527", "0.189"],
        ["quiet", "1", "0", "–", "–", "–"],
    ]
    notes = " ".join(table.notes.sentences)
    assert "quiet: " in notes
    assert "broken: the embeddings could not be had (an embedding is zero or not finite)." in notes


def test_invalid_models_file_omits_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "models.toml"
    file.write_text("[vectors\n")
    monkeypatch.setenv("FABULA_MODELS", str(file))
    assert render_distances({"Favor": [record_with("a", (1, "right"), (1, "up"))]}) is None
