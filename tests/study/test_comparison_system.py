"""Tests that a rival system answers each moment once, from the seat's own view."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents import backends
from agents.decision import BackendError, Request
from game import selectors
from game.engine import visibility
from game.models import Game
from tests.endpoint import Endpoint
from tests.study.world import create_campaign, ended_game
from webapp.play.models import LLMCall, MindNote
from webapp.play.replay.mind_panels import _thinkers
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest
from webapp.study import tasks
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Stimulus
from webapp.study.rating import campaigns, comparison_system, units
from webapp.study.rating.rater_view import render_unit

pytestmark = pytest.mark.django_db
HOUSE = {"backend": "house", "method": "full"}
MODEL = {"backend": "openai", "method": "full"}


def create_paired_campaign(game: Game, rival: dict[str, Any] = HOUSE, **settings: Any) -> Campaign:
    campaign = create_campaign(game, rival=rival, rival_condition="rival", **settings)
    units.draw_units(campaign)
    return campaign


def rival_stimuli(campaign: Campaign) -> list[Stimulus]:
    return list(Stimulus.objects.filter(unit__campaign=campaign, place=2).order_by("unit__index"))


def answer_all(campaign: Campaign) -> list[Stimulus]:
    for stimulus in rival_stimuli(campaign):
        comparison_system.make_answer(stimulus)
    return rival_stimuli(campaign)


class FakeBackend:
    """A backend with a fixed reply that stores its requests."""

    name = "voice"

    def __init__(self, reply: Any) -> None:
        self.reply_with, self.requests = reply, list[Request]()

    def reply(self, step: str, request: Request, seconds: float | None = None) -> dict[str, Any]:
        self.requests.append(request)
        if isinstance(self.reply_with, Exception):
            raise self.reply_with
        return dict(self.reply_with)


@pytest.fixture
def fake_backend(monkeypatch: pytest.MonkeyPatch) -> Any:
    def _voice(reply: Any) -> FakeBackend:
        backend = FakeBackend(reply)
        monkeypatch.setattr(backends, "get", lambda name: backend)
        return backend

    return _voice


def test_house_player_answers_each_moment_with_a_new_text() -> None:
    campaign = create_paired_campaign(ended_game())
    stimuli = answer_all(campaign)
    assert len(stimuli) == 24
    for stimulus in stimuli:
        assert (stimulus.state, stimulus.failure) == ("idle", "")
        assert (stimulus.model, stimulus.method) == ("house", "full")
        assert stimulus.text
        assert stimulus.text != stimulus.unit.stimuli.get(place=1).utterance.text
    assert comparison_system.count_answers(campaign) == {
        "made": 24,
        "waiting": 0,
        "failed": 0,
        "failures": {},
    }


def test_rival_answers_leave_log_and_notes_unchanged() -> None:
    game = ended_game()
    before = (game.events.count(), MindNote.objects.count(), game.utterances.count(), game.version)
    answer_all(create_paired_campaign(game))
    game.refresh_from_db()
    assert before == (
        game.events.count(),
        MindNote.objects.count(),
        game.utterances.count(),
        game.version,
    )


def test_rival_answer_is_requested_once_even_for_a_copy(fake_backend: Any) -> None:
    backend = fake_backend({"text": "I say the same."})
    campaign = create_paired_campaign(ended_game(), {"backend": "voice", "method": "baseline"})
    answer_all(campaign)
    assert len(backend.requests) == 24
    answer_all(campaign)
    twin = campaigns.copy(campaign)
    units.draw_units(twin)
    assert {s.text for s in answer_all(twin)} == {"I say the same."}
    assert len(backend.requests) == 24


def test_changed_rival_recipe_requests_new_answers(fake_backend: Any) -> None:
    backend = fake_backend({"text": "Something."})
    campaign = create_paired_campaign(ended_game(), {"backend": "voice", "method": "baseline"})
    comparison_system.make_answer(rival_stimuli(campaign)[0])
    campaigns.change(campaign, rival={"backend": "voice", "method": "b5p"})
    assert rival_stimuli(campaign)[0].state == "waiting"
    assert rival_stimuli(campaign)[0].text == ""
    comparison_system.make_answer(rival_stimuli(campaign)[0])
    assert len(backend.requests) == 2


def test_rival_sees_only_what_its_seat_saw_at_the_moment(fake_backend: Any) -> None:
    game = ended_game()
    MindNote.objects.bulk_create(
        MindNote(
            game=game,
            seat=s,
            window=w,
            preparation=w == "prepare.1.1",
            faculty=f,
            data={"favor": {}, "plan": "X"},
        )
        for s in range(1, 9)
        for w in ("statement.1.1.1", "prepare.1.1")
        for f in ("favor", "strategy", "stance", "memory")
    )
    backend = fake_backend({"text": "Well."})
    campaign = create_paired_campaign(game, {"backend": "voice", "method": "baseline"})
    full = {s: selectors.view_for(game, visibility.seat(s)).events for s in range(1, 9)}
    for unit in campaign.units.all():
        backend.requests.clear()
        comparison_system.make_answer(unit.stimuli.get(place=2))
        (request,) = backend.requests
        view = request.decision.view
        assert view.viewer == visibility.seat(unit.seat)
        assert list(view.events) == list(full[unit.seat][: len(view.events)])
        words = unit.stimuli.get(place=1).utterance.text
        assert words not in [e.data.get("text") for e in view.events]
        spoken = [e for e in view.events if e.kind == "statement"]
        assert len(spoken) == unit.index - 1  # All seats spoke in the turns before.
        assert not [n for n in request.decision.mind.notes if "plan" in n.data]
        assert not request.decision.mind.of("favor")


def test_model_prompts_contain_no_other_secrets_or_later_statements(
    keyed_endpoint: Endpoint,
) -> None:
    words = {(r, s): f"Remark {r}-{s}: nothing to tell." for r in (1, 2, 3) for s in range(1, 9)}
    game = ended_game(words=words)
    campaign = create_paired_campaign(
        game, MODEL, choice={"pick": "sample", "per_condition": 8}, seed="x"
    )
    roles = selectors.view_for(game, visibility.MODERATOR).state.roles
    for unit in campaign.units.all():
        before = keyed_endpoint.count
        comparison_system.make_answer(unit.stimuli.get(place=2))
        prompts = [c.prompt for c in keyed_endpoint.calls[before:]]
        assert prompts
        seat = unit.seat
        line = render_unit(unit).sides[0].text
        round_, speaker_seat = (int(x) for x in re.findall(r"\d+", line)[:2])
        assert speaker_seat == seat
        for prompt in prompts:
            for r, s in re.findall(r"Remark (\d)-(\d)", prompt):
                assert (int(r), int(s)) < (round_, seat)
            seer_lines = re.findall(r"Only you know: you looked at", prompt)
            assert bool(seer_lines) == (roles[seat] == "seer")
    assert {s.state for s in rival_stimuli(campaign)} == {"idle"}
    assert {s.model for s in rival_stimuli(campaign)} == {"m"}


def test_rival_prepares_once_per_round(keyed_endpoint: Endpoint) -> None:
    campaign = create_paired_campaign(ended_game(), MODEL)
    third = [u for u in campaign.units.all() if u.seat == 2][2]
    comparison_system.make_answer(third.stimuli.get(place=2))
    rows = LLMCall.objects.filter(seat=2)
    assert {r.window.split(".", 2)[2] for r in rows} == {
        "prepare.1.1", "prepare.1.2", "prepare.1.3", "statement.1.3.2",
    }  # fmt: skip
    before = keyed_endpoint.count
    second = [u for u in campaign.units.all() if u.seat == 2][1]
    comparison_system.make_answer(second.stimuli.get(place=2))
    assert keyed_endpoint.count == before + 1  # The rounds were prepared before.


def test_rival_failure_is_stored_with_cause_and_can_be_retried(fake_backend: Any) -> None:
    backend = fake_backend(BackendError("timeout", "too late"))
    campaign = create_paired_campaign(ended_game(), {"backend": "voice", "method": "baseline"})
    first = rival_stimuli(campaign)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure, first.text) == ("failed", "timeout", "")
    progress = comparison_system.count_answers(campaign)
    assert (progress["failed"], progress["failures"]) == (1, {"timeout": 1})
    comparison_system.make_answer(first)
    assert len(backend.requests) == 2  # One attempt and one repair.
    backend.reply_with = {"text": "Here I am."}
    assert comparison_system.queue_answers(campaign) == 24
    first.refresh_from_db()
    comparison_system.make_answer(first)
    assert (first.state, first.failure, first.text) == ("idle", "", "Here I am.")


def test_unknown_rival_backend_fails_as_unknown() -> None:
    campaign = create_paired_campaign(ended_game(), {"backend": "no-such", "method": "baseline"})
    first = rival_stimuli(campaign)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure) == ("failed", "unknown")


def test_exception_in_a_mind_is_stored_as_crash(fake_backend: Any) -> None:
    fake_backend(RuntimeError("boom"))
    campaign = create_paired_campaign(ended_game(), {"backend": "voice", "method": "baseline"})
    first = rival_stimuli(campaign)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure) == ("failed", "crash")


def test_queueing_sends_one_task_per_missing_answer(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    campaign = create_paired_campaign(ended_game())
    comparison_system.make_answer(rival_stimuli(campaign)[0])
    units.set_withdrawn(campaign.units.all()[1], is_withdrawn=True)
    queued: list[int] = []

    def send(_app: Any, _task: str, args: tuple[int]) -> None:
        queued.extend(args)

    monkeypatch.setattr("celery.Celery.send_task", send)
    with django_capture_on_commit_callbacks(execute=True):
        assert comparison_system.queue_answers(campaign) == 22
    assert queued == [s.pk for s in rival_stimuli(campaign)[2:]]
    tasks.rival(queued[0])
    assert Stimulus.objects.get(pk=queued[0]).text
    tasks.rival(0)  # The stimulus no longer exists.


def test_unavailable_queue_keeps_answers_waiting(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def away(_app: Any, _task: str, _args: tuple[int]) -> None:
        raise ConnectionError

    campaign = create_paired_campaign(ended_game())
    monkeypatch.setattr("celery.Celery.send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        assert comparison_system.queue_answers(campaign) == 24
    assert comparison_system.count_answers(campaign)["waiting"] == 24


def test_replay_ignores_calls_of_rivals() -> None:
    """The replay shows no mind for the seat of a person in which a rival has thought."""
    game = ended_game(names={2: "Anna"})
    answer_all(create_paired_campaign(game, choice={"speakers": "all"}))
    assert LLMCall.objects.filter(game=game, seat=2, purpose=LLMCall.RIVAL).exists()
    assert _thinkers(ReplayedGame(Guest(game, None))) == set(range(1, 9)) - {2}


# -- several systems at one moment


def continue_game(game: Game, line: int, *systems: str) -> list[str]:
    output = StringIO()
    recipes = [argument for system in systems for argument in ("--recipe", system)]
    call_command("continue", game.code, str(line), *recipes, stdout=output)
    return output.getvalue().splitlines()


def test_several_systems_continue_a_game_at_one_moment() -> None:
    game = ended_game()
    first = talk_of(game).spoken[5]
    head, _titles, _rule, original, *continuations = continue_game(
        game, first.position, "house/vanilla", "house/full", "house/guarded"
    )
    assert head == f"{first.speaker}, {first.phase}"
    assert original.startswith(f"| the game | {first.text} |")
    assert [row.split(" | ")[0] for row in continuations] == [
        "| house/vanilla", "| house/full", "| house/guarded",
    ]  # fmt: skip
    assert len({row.split(" | ")[1] for row in (original, *continuations[:2])}) == 3


def test_model_continuation_is_requested_once_per_moment(keyed_endpoint: Endpoint) -> None:
    game = ended_game()
    line = talk_of(game).spoken[5].position
    once = continue_game(game, line, "openai/vanilla")
    calls = len(keyed_endpoint.calls)
    assert calls
    assert continue_game(game, line, "openai/vanilla") == once
    assert len(keyed_endpoint.calls) == calls


@pytest.mark.parametrize(
    ("line", "systems", "error"),
    [
        (6, ["house/full"] * 7, "7 systems are too many: at most 6"),
        (6, ["guarded"], "is no system: write MODEL/METHOD"),
        (6, ["house/none"], "unknown method 'none'; known: baseline"),
        (6, ["nobody/full"], "there is no model “nobody”: choose house"),
        (6, ["x" * 2000], "“x{60}…” is no system"),
        (6, ["house/guarded:analysis=maybe"], "switch 'analysis' can't be 'maybe'"),
        (1, ["house/full"], "line 1 is no statement; choose one of"),
    ],
)
def test_invalid_continuation_is_rejected_with_the_reason(
    line: int, systems: list[str], error: str
) -> None:
    with pytest.raises(CommandError, match=error):
        continue_game(ended_game(), line, *systems)
