"""Tests of the page that rehearses a study and shows the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.study.desk import sign_in
from webapp.study.design.refusals import Refused
from webapp.study.models import Participant, Rehearsal, Study
from webapp.study.planning import ready, studies
from webapp.study.rehearsal import rehearsal_requests, study_runs
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

pytestmark = pytest.mark.django_db(transaction=True)

FORM = {"participants": "9", "dropout": "20", "idle": "10", "careless": "0", "speed": "60",
        "effect": "0.6"}  # fmt: skip
RESULT = {
    "participants": 9, "completed": 7, "left": 2, "screened": 0, "waited_out": 0, "games": 3,
    "stuck": 0, "answers_lost": 0, "seconds": 130.0,
    "waiting": {"n": 7, "median": 12.0, "p90": 40.4, "max": 61.0},
    "stages": [
        {"step": "game-4", "minutes": {"n": 7, "p10": 4, "median": 6.25, "p90": 9, "max": 11}},
        {"step": "interview-6", "minutes": {"n": 0}},
    ],
    "pay": {"currency": "GBP", "total": "31.50", "by_exit": {}, "per_hour": "9.20"},
    "cost": {"requests": 900, "tokens": 0, "money": {"USD": 1.5}, "unrecorded": ["mine"]},
    "by_condition": {"single": {"games": 3, "void": 1, "playing": 0, "completed": 7}},
}  # fmt: skip


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the keys of queued rehearsals."""
    keys: list[int] = []

    def send(task: str, *args: int) -> bool:
        assert task == "study.rehearse"
        keys.extend(args)
        return True

    monkeypatch.setattr(rehearsal_requests, "send", send)
    return keys


def create_study(client: Client) -> Study:
    owner = User.objects.get(username="ada")
    return studies.create(owner, "Who?", design=ready.get("who-is-human").design)


def rehearsal_page(client: Client, study: Study, path: str = "") -> str:
    headers = {"HX-Request": "true"} if path else {}
    response = client.get(f"/study/studies/{study.code}/rehearsal{path}", headers=headers)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


Rehearse = Callable[..., Mapping[str, Any]]


def run_rehearsal(monkeypatch: pytest.MonkeyPatch, pk: int, rehearse: Rehearse) -> None:
    monkeypatch.setattr(study_runs, "rehearse", rehearse)
    rehearsal_requests.run_rehearsal(pk)


def test_rehearsal_button_queues_a_run_and_page_shows_its_result(
    queued: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in()
    study = create_study(client)
    assert "hx-get" not in rehearsal_page(client, study)
    assert client.post(f"/study/studies/{study.code}/rehearsal", FORM).status_code == 302
    row = Rehearsal.objects.get()
    assert queued == [row.pk]
    assert "will start in a moment" in rehearsal_page(client, study)

    def rehearse(
        name: str, design: Any, options: StudyRunOptions, say: Callable[[str], None],
        keep: Callable[[bytes], None],
    ) -> Any:  # fmt: skip
        assert (name, design) == (study.name, study.design)
        assert (options.participants, options.dropout, options.idle) == (9, 0.2, 0.1)
        assert options.speed == 60.0
        assert (options.site, options.owner) == ("", "ada")
        keep(b"PK-data")
        say("rehearsal: 9 on the way")
        assert "is in progress: 9 on the way" in rehearsal_page(client, study, "/part")
        return RESULT

    run_rehearsal(monkeypatch, row.pk, rehearse)
    html = rehearsal_page(client, study)
    assert "All participants got through with correct pay, and no answers were lost" in html
    assert "in 2 min. Participants: 9. Games that count: 3." in html
    assert "settings have changed" not in html
    assert "hx-get" not in html
    assert "median 12 s, 90th percentile 40 s, maximum 61 s" in html
    assert "31.50 GBP" in html
    assert "9.20 GBP" in html
    assert "900 requests; 1.50 USD; unknown for mine" in html
    assert "6.2" in html
    data = client.get(f"/study/studies/{study.code}/rehearsal/simulated.zip")
    assert data.content == b"PK-data"
    assert f"fabula-{study.code}-simulated.zip" in data["Content-Disposition"]
    assert not Participant.objects.exists()
    studies.change(study, design=ready.get("humanized").design)
    assert "settings have changed" in rehearsal_page(client, study)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({**RESULT, "stuck": 2}, "Stuck: 2. Lost answers: 0."),
        ({**RESULT, "answers_lost": 3}, "Stuck: 0. Lost answers: 3."),
        ({**RESULT, "pay_wrong": 1}, "Stuck: 0. Lost answers: 0. Incorrect payments: 1."),
        (Refused(["Table not found."]), "The rehearsal failed: Table not found."),
        (RuntimeError("too few"), "The rehearsal failed: RuntimeError: too few"),
    ],
)
def test_rehearsal_problem_is_reported(
    queued: list[int], monkeypatch: pytest.MonkeyPatch, result: Any, message: str
) -> None:
    client = sign_in()
    study = create_study(client)
    client.post(f"/study/studies/{study.code}/rehearsal", FORM)

    def rehearse(*args: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    run_rehearsal(monkeypatch, queued[0], rehearse)
    assert message in rehearsal_page(client, study)


def test_only_one_rehearsal_runs_until_it_has_been_silent(queued: list[int]) -> None:
    client = sign_in()
    study = create_study(client)
    other_study = create_study(client)
    address = f"/study/studies/{other_study.code}/rehearsal"
    client.post(f"/study/studies/{study.code}/rehearsal", FORM)
    rejected = client.post(address, FORM)
    assert rejected.status_code == 422
    assert "Another rehearsal is running" in rejected.content.decode()
    Rehearsal.objects.update(beat_at=timezone.now() - timedelta(minutes=5))
    assert "was interrupted" in rehearsal_page(client, study)
    assert client.post(address, FORM).status_code == 302
    assert len(queued) == 2


def test_repeated_task_starts_one_rehearsal(
    queued: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sign_in()
    rehearsal_requests.request_rehearsal(create_study(client), StudyRunOptions(participants=3))
    started: list[int] = []
    monkeypatch.setattr(rehearsal_requests, "_run_in_thread", started.append)
    rehearsal_requests.start_rehearsal_thread(queued[0])
    rehearsal_requests.start_rehearsal_thread(queued[0])
    assert started == queued


def test_rehearsal_on_this_site_uses_its_address(queued: list[int]) -> None:
    client = sign_in()
    study = create_study(client)
    client.post(f"/study/studies/{study.code}/rehearsal", {**FORM, "here": "on"})
    stored_options = Rehearsal.objects.get().options
    assert (stored_options["site"], stored_options["owner"]) == ("http://testserver", "ada")


@pytest.mark.parametrize(
    "wrong",
    [
        {"participants": "0"}, {"dropout": "101"}, {"speed": "7"},
        {"here": "on", "participants": "41"},
    ],
)  # fmt: skip
def test_invalid_rehearsal_numbers_are_rejected(queued: list[int], wrong: dict[str, str]) -> None:
    client = sign_in()
    study = create_study(client)
    response = client.post(f"/study/studies/{study.code}/rehearsal", {**FORM, **wrong})
    assert response.status_code == 422
    assert not queued


def test_rehearsal_of_another_researcher_is_not_found(queued: list[int]) -> None:
    study = create_study(sign_in())
    client = sign_in("eve")
    assert client.get(f"/study/studies/{study.code}/rehearsal").status_code == 404
    assert client.post(f"/study/studies/{study.code}/rehearsal", FORM).status_code == 404
    assert not queued
