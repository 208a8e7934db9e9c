"""Tests of the page on which other systems continue a finished game."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.urls import reverse

from agents.recipe import Recipe
from game.models import Game
from tests.endpoint import Endpoint
from tests.study.desk import sign_in
from tests.study.world import ended_game
from webapp.play.models import LLMCall
from webapp.play.turns.leases import hold_lease
from webapp.study import tasks
from webapp.study.games.public_talk import talk_of
from webapp.study.rating import comparison_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return the arguments of queued tasks."""
    tasks: list[tuple[Any, ...]] = []
    monkeypatch.setattr("celery.Celery.send_task", lambda _app, task, args: tasks.append(args))
    return tasks


def address_of(game: Game) -> str:
    turn = talk_of(game).spoken[5]
    page = reverse("study:continue", args=[game.code])
    return f"{page}?window={turn.window}&seat={turn.seat}"


def test_workers_create_continuations_once_and_page_lists_them(
    keyed_endpoint: Endpoint, queue: list[tuple[Any, ...]]
) -> None:
    game = ended_game()
    ada = sign_in("ada")
    systems = {"systems": "openai/vanilla\nhouse/guarded"}
    response = ada.post(address_of(game), systems)
    assert response.status_code == 302
    page = ada.get(response.url).content.decode()
    assert page.count("In progress …") == 2
    assert "hx-get" in page
    assert not keyed_endpoint.calls
    for args in queue:
        tasks.continue_turn(*args)
        tasks.continue_turn(*args)
    page = html.unescape(ada.get(response.url).content.decode())
    answers = LLMCall.objects.filter(game=game, kind="continued")
    assert len(answers) == 2
    assert all(row.reply["text"] in page for row in answers)
    assert talk_of(game).spoken[5].text in page
    assert "hx-get" not in page
    calls = len(keyed_endpoint.calls)
    assert calls
    ada.post(address_of(game), systems)
    assert (len(queue), len(keyed_endpoint.calls)) == (2, calls)


@pytest.mark.usefixtures("keyed_endpoint")
def test_failed_continuation_shows_its_cause_and_can_be_retried(
    queue: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = ended_game()
    ada = sign_in("ada")
    monkeypatch.setenv("OPENAI_MODEL", "gone")
    response = ada.post(address_of(game), {"systems": "openai/vanilla"})
    tasks.continue_turn(*queue.pop())
    assert "Failed: model." in ada.get(response.url).content.decode()
    monkeypatch.setenv("OPENAI_MODEL", "m")
    ada.post(address_of(game), {"systems": "openai/vanilla"})
    tasks.continue_turn(*queue.pop())
    assert "Failed: " not in ada.get(response.url).content.decode()


def test_unknown_systems_are_rejected_and_stay_in_the_form() -> None:
    game = ended_game()
    ada = sign_in("ada")
    response = ada.post(address_of(game), {"systems": "house/none"})
    page = html.unescape(response.content.decode())
    assert response.status_code == 422
    assert "unknown method 'none'; known: baseline" in page
    assert "house/none</textarea>" in page
    seven = "\n".join(f"house/full:x={n}" for n in range(7))
    page = ada.post(address_of(game), {"systems": seven}).content.decode()
    assert "7 systems are too many: at most 6" in page


def test_replay_links_to_continuations_for_researchers_only() -> None:
    game = ended_game()
    ada = sign_in("ada")
    replay = reverse("replay", args=[game.code])
    pages = [ada.get(f"{replay}?at={line}").content.decode() for line in range(1, 20)]
    links = [page for page in pages if "What would other systems have said here?" in page]
    assert links
    assert len(links) < len(pages)
    signed_out = ada.logout() or ada.get(address_of(game))
    assert signed_out.status_code == 302


@pytest.mark.usefixtures("queue")
def test_worker_stops_waiting_for_a_lease_held_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_system, "LEASE_WAIT_S", 0.2)
    game = ended_game()
    turn = talk_of(game).spoken[5]
    arguments = (game.pk, turn.seat, turn.window, "house/guarded")
    recipe = comparison_system.cast_recipe(Recipe("house", "guarded"), game, turn.seat)
    with (
        hold_lease(game.pk, turn.seat, comparison_system.build_window_key(recipe, turn.window)),
        pytest.raises(TimeoutError, match="another worker has held"),
    ):
        tasks.continue_turn(*arguments)
    assert not LLMCall.objects.filter(game=game, kind="continued").exists()
    tasks.continue_turn(*arguments)
    assert LLMCall.objects.filter(game=game, kind="continued", failure="").count() == 1
    assert TimeoutError in tasks.continue_turn.autoretry_for
