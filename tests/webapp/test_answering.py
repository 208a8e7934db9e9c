"""Tests of an agent's answer: given once, from the view of its window, after any failure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from agents.decision import BackendError, Request
from game import deadlines, locked_game, selectors, store
from game.engine.events import say
from game.models import Game
from tests.game.table import new_game, open_window, play_until
from tests.webapp.scripted_model import ScriptedModel, game_at_first_statement
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Lease, LLMCall
from webapp.play.turns import answering, leases

pytestmark = pytest.mark.django_db


def failing_reply(error: Exception) -> Callable[[Request], dict[str, Any]]:
    def reply(request: Request) -> dict[str, Any]:
        raise error

    return reply


def first_statement_request(game: Game) -> Any:
    return next(e for e in store.load_log(game) if e.kind == "statement")


def test_agent_is_asked_once_when_task_runs_repeatedly(
    use_model: Callable[..., ScriptedModel],
) -> None:
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Morning."})
    for _ in range(3):
        answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert model.request_count == 1
    assert first_statement_request(game)["text"] == "Morning."
    assert not Lease.objects.exists()


def test_recorded_reply_is_not_requested_again(
    use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker dies between reply and answer. The next worker uses the recorded reply."""
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Said before the crash."})

    def crash_worker(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(answering.locked_game, "record_answer", crash_worker)
        with pytest.raises(KeyboardInterrupt):
            answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert LLMCall.objects.count() == 1
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert model.request_count == 1
    assert first_statement_request(game)["text"] == "Said before the crash."


@pytest.mark.parametrize(
    ("replies", "label"),
    [
        (failing_reply(BackendError("timeout")), "fallback:timeout"),
        (failing_reply(ZeroDivisionError()), "fallback:crash"),
        (lambda r: {"text": ""}, "fallback:illegal"),
        (lambda r: {"text": "w " * 121}, "fallback:illegal"),
        (lambda r: {"text": "<b>hm</b>"}, "fallback:illegal"),
    ],
)
def test_unusable_reply_falls_back_with_a_label(
    replies: Callable[[Request], dict[str, Any]],
    label: str,
    use_model: Callable[..., ScriptedModel],
) -> None:
    game = game_at_first_statement()
    use_model(replies)
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    statement = first_statement_request(game)
    assert (statement["manner"], statement.labels) == ("nothing", (label,))


def test_repaired_answer_is_labelled(use_model: Callable[..., ScriptedModel]) -> None:
    game = game_at_first_statement()
    use_model(lambda r: {"text": "Better."} if "refused" in r.brief else {"text": ""})
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    statement = first_statement_request(game)
    assert (statement["text"], statement.labels) == ("Better.", ("repaired",))


def test_held_lease_blocks_other_workers_and_expired_lease_does_not(
    use_model: Callable[..., ScriptedModel],
) -> None:
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Mine."})
    with leases.hold_lease(game.pk, 1, "statement.1.1.1") as is_held:
        assert is_held
        answering.answer_window(game.pk, 1, "statement.1.1.1")
        assert model.request_count == 0
        Lease.objects.update(beat_at=timezone.now() - leases.LEASE_TIMEOUT - timedelta(seconds=1))
        answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert model.request_count == 1


def lapsed_lease(game: Game, seat: int, ended_workers: int) -> Lease:
    """Create a lease on the first statement whose worker has died."""
    expired_at = timezone.now() - leases.LEASE_TIMEOUT - timedelta(seconds=1)
    return Lease.objects.create(
        game=game,
        seat=seat,
        window="statement.1.1.1",
        holder=uuid4(),
        beat_at=expired_at,
        ended_workers=ended_workers,
    )


def test_answer_that_ended_three_workers_is_given_by_default(
    use_model: Callable[..., ScriptedModel], caplog: pytest.LogCaptureFixture
) -> None:
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Mine."})
    lapsed_lease(game, 1, ended_workers=2)
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    statement = first_statement_request(game)
    assert (model.request_count, statement["manner"], statement.labels) == (
        0,
        "nothing",
        ("fallback:crash",),
    )
    assert f"statement.1.1.1 of seat 1 of {game.code} ended 3 workers" in caplog.text


def test_death_of_a_worker_that_waited_for_a_model_is_not_counted(
    use_model: Callable[..., ScriptedModel],
) -> None:
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Mine."})
    lapsed_lease(game, 1, ended_workers=2)
    LLMCall.objects.create(
        game=game,
        seat=1,
        window="statement.1.1.1",
        step="answer",
        backend="m",
        kind="statement",
        brief={},
        seconds=0,
    )
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert (model.request_count, first_statement_request(game)["text"]) == (1, "Mine.")


def test_suspects_of_a_death_are_computed_one_at_a_time(
    use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_at_first_statement()
    use_model(lambda r: {"text": "Mine."})
    earlier_lease = lapsed_lease(game, 3, ended_workers=1)
    Lease.objects.filter(pk=earlier_lease.pk).update(beat_at=timezone.now())
    lapsed_lease(game, 1, ended_workers=0)
    waits: list[float] = []

    def finish_earlier(seconds: float) -> None:
        assert "statement" not in [e.kind for e in store.load_log(game)]
        waits.append(seconds)
        earlier_lease.delete()

    monkeypatch.setattr(leases, "sleep", finish_earlier)
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    assert (len(waits), first_statement_request(game)["text"]) == (1, "Mine.")


def test_answer_made_without_understanding_a_statement_is_labelled() -> None:
    game = new_game(1)
    play_until(game, "statement")
    locked_game.record_answer(game.pk, 1, "statement.1.1.1", say("I am the Seer " + ", ." * 100))
    answering.answer_window(game.pk, 2, "statement.1.1.2")
    statement = [e for e in store.load_log(game) if e.kind == "statement"][-1]
    assert (statement["seat"], statement.labels) == (2, ("unread",))


@pytest.mark.parametrize("jump", [-3600, 3600])
def test_answer_is_given_once_when_the_clock_jumps_while_an_agent_thinks(
    jump: int, use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, model = game_at_first_statement(), use_model(lambda r: {"text": "Mine."})
    actual_now = timezone.now
    with leases.hold_lease(game.pk, 1, "statement.1.1.1"), monkeypatch.context() as patch:
        patch.setattr(timezone, "now", lambda: actual_now() + timedelta(seconds=jump))
        answering.answer_window(game.pk, 1, "statement.1.1.1")  # the lease seems expired
        assert model.request_count == 1
    answering.answer_window(game.pk, 1, "statement.1.1.1")
    deadlines.settle_deadlines(game.pk)
    assert model.request_count == 1
    assert first_statement_request(game)["text"] == "Mine."
    assert not Lease.objects.exists()


def test_agent_gets_the_view_of_its_own_window(use_model: Callable[..., ScriptedModel]) -> None:
    game = new_game()
    play_until(game, "poll")
    requests: list[Request] = []

    def reply(request: Request) -> dict[str, Any]:
        requests.append(request)
        return {"targets": [2]}

    use_model(reply)
    play_until_second_round(game)
    answering.answer_window(game.pk, 3, "poll.1.1")
    (request,) = requests
    rounds = [e["round"] for e in request.decision.view.events if e.kind == "phase_opened"]
    assert rounds[-1] == 1, "the request belongs to round one"
    view = request.decision.view
    hidden_kinds = {e.kind for e in view.events if e.audience.kind == "moderator"}
    assert not hidden_kinds
    assert not {s for s in view.state.roles if s != 3 and view.role != "mason"}


def play_until_second_round(game: Game) -> None:
    from tests.game.table import answer

    for seat in (1, 2):
        window = open_window(game, "statement")
        assert window.asked == (seat,)
        answer(game, seat, window)


def test_sweeper_requeues_lost_work_once_and_skips_leased_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from webapp.play import tasks
    from webapp.play.live import sweeper

    game = game_at_first_statement()
    queue: list[tuple[int, int, str]] = []
    monkeypatch.setattr(tasks.fill, "delay", lambda *work: queue.append(work))
    monkeypatch.setattr(sweeper, "LOST_AFTER", timedelta(0))
    with leases.hold_lease(game.pk, 1, "statement.1.1.1"):
        Sweeper().sweep()
    assert queue == []
    lone_sweeper = Sweeper()
    lone_sweeper.sweep()
    lone_sweeper._lost_work_checked_at = 0
    lone_sweeper.sweep()
    assert queue == [(game.pk, 1, "statement.1.1.1")], "requeued once, not at every search"
    assert selectors.windows_waiting_for_agents(timezone.now())
