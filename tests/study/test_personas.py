"""Tests of the experiment with four personas (Humanized 3.1 and H) and its tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from django.contrib.auth.models import User

from agents.personas.big_five import PROFILES
from tests.endpoint import Endpoint
from webapp.lab.stored_games import load_record
from webapp.measures.text_distance import strip_tags
from webapp.study import analysis, timed_steps
from webapp.study.design.stages import Design
from webapp.study.experiments import local_run
from webapp.study.models import Study, TextEmbedding
from webapp.study.planning import ready, studies
from webapp.study.results.result_table import tables_from_json

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("plain_figures")]
NAMES = dict(zip(("alpha", "beta", "gamma", "delta"), PROFILES, strict=True))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    with Endpoint(models=["m", "e"]) as server:
        file = tmp_path / "models.toml"
        common = f'url = "{server.url}"\nkey_env = ""\nretries = 0\n'
        file.write_text(
            f'[talker]\nmodel = "m"\n{common}[vectors]\nkind = "embeddings"\nmodel = "e"\n{common}'
        )
        monkeypatch.setenv("FABULA_MODELS", str(file))
        yield server


def play_experiment(games: int, backend: str) -> Study:
    """Play the ready experiment as `experiment run --games --backend` does."""
    data: dict[str, Any] = ready.get("humanized-personas").design.to_json()
    data["assignment"]["games"] = games
    data["table"]["backend"] = backend
    owner, _new = User.objects.get_or_create(username="ada")
    study = studies.create(owner, "Personas", seed="four", design=Design.from_json(data).to_json())
    studies.open(study)
    list(local_run.play_games(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    return study


def test_each_profile_opens_as_villager_with_one_request_per_game(endpoint: Endpoint) -> None:
    study = play_experiment(3, "talker")
    assert study.state == Study.CLOSED
    # The first request probes the server's answer format and is repeated.
    _probe, *calls = (call for call in endpoint.calls if "messages" in call.body)
    assert len(calls) == 4 * 3
    prompts = {"\n".join(m["content"] for m in call.messages) for call in calls}
    assert len(prompts) == 4, "a profile has the same prompt in each of its games"
    assert all("Villager" in prompt for prompt in prompts)
    for slot in study.slots.select_related("game", "condition"):
        assert slot.game
        game = load_record(slot.game)
        assert [(s.seat, game.roles[s.seat]) for s in game.statements] == [(1, "villager")]
        assert (game.reason, game.winner, game.polls, game.days_with_vote) == (
            "opening_over", "", (), ()
        )  # fmt: skip
        scores = tuple(slot.game.players.get(seat=1).recipe["persona"]["scores"].values())
        assert scores == PROFILES[NAMES[slot.condition.name]]


def test_persona_results_have_statement_tables_but_no_vote_tables(endpoint: Endpoint) -> None:
    study = play_experiment(6, "house")
    tables = {t.key: t for t in tables_from_json(analysis.study_results(study)["papers"])}
    client = openai.OpenAI(base_url=endpoint.url, api_key="any")
    rows = {key: [tuple(row.texts()) for row in table.rows] for key, table in tables.items()}
    distances = {row[0]: row[1:4] for row in rows["table-humanized-1"]}
    assert set(distances) == set(NAMES)
    examples = {row[0]: row[-1] for row in rows["table-humanized-2"]}
    for name in NAMES:
        slots = study.slots.filter(condition__name=name).select_related("game")
        spoken = [s for slot in slots for s in load_record(slot.game).statements]  # type: ignore[arg-type]
        assert examples[name] == spoken[0].text
        texts = [strip_tags(s.text, s.speaker) for s in spoken]
        answer = client.embeddings.create(model="e", input=texts)
        vectors = np.array([row.embedding for row in answer.data])
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        matrix = 1 - unit @ unit.T
        n, mean, deviation = distances[name]
        assert n == "6"
        assert float(mean) == pytest.approx(matrix.mean(), abs=6e-4)
        assert float(deviation) == pytest.approx(matrix.std(ddof=1), abs=6e-4)
    assert "persona-words" in tables
    assert not {key for key in tables if "humanized-4" in key or "humanized-7" in key}
    embedded_texts = [t for call in endpoint.calls[:-4] for t in call.body["input"]]
    assert len(embedded_texts) == len(set(embedded_texts)) == TextEmbedding.objects.count()


def test_study_with_people_cannot_end_after_the_opening() -> None:
    owner, _new = User.objects.get_or_create(username="ada")
    design = ready.get("who-is-human").design.to_json()
    design["table"]["settings"] = {**design["table"].get("settings", {}), "opening_only": True}
    study = studies.create(owner, "People", seed="p", design=design)
    with pytest.raises(studies.Refused, match="play it without people"):
        studies.open(study)
