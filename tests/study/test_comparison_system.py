"""The other system's answer to the same moment: from the seat's own view, asked for once."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from tests.endpoint.clients import set_up
from tests.study.world import campaign, finished
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


def paired(game: Game, rival: dict[str, Any] = HOUSE, **settings: Any) -> Campaign:
    found = campaign(game, rival=rival, rival_condition="rival", **settings)
    units.draw_units(found)
    return found


def rivals(of: Campaign) -> list[Stimulus]:
    return list(Stimulus.objects.filter(unit__campaign=of, place=2).order_by("unit__index"))


def make_all(of: Campaign) -> list[Stimulus]:
    for stimulus in rivals(of):
        comparison_system.make_answer(stimulus)
    return rivals(of)


class Voice:
    """A backend that the test decides on, and that keeps what it was asked."""

    name = "voice"

    def __init__(self, reply: Any) -> None:
        self.reply_with, self.requests = reply, list[Request]()

    def reply(self, step: str, request: Request, seconds: float | None = None) -> dict[str, Any]:
        self.requests.append(request)
        if isinstance(self.reply_with, Exception):
            raise self.reply_with
        return dict(self.reply_with)


@pytest.fixture
def voice(monkeypatch: pytest.MonkeyPatch) -> Any:
    def _voice(reply: Any) -> Voice:
        made = Voice(reply)
        monkeypatch.setattr(backends, "get", lambda name: made)
        return made

    return _voice


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(key="right", models=["m"]) as found:
        set_up(monkeypatch, found, "right")
        yield found


def test_the_built_in_player_answers_every_moment_in_words_of_its_own() -> None:
    of = paired(finished())
    made = make_all(of)
    assert len(made) == 24
    for stimulus in made:
        assert (stimulus.state, stimulus.failure) == ("idle", "")
        assert (stimulus.model, stimulus.method) == ("house", "full")
        assert stimulus.text
        assert stimulus.text != stimulus.unit.stimuli.get(place=1).utterance.text
    assert comparison_system.count_answers(of) == {
        "made": 24,
        "waiting": 0,
        "failed": 0,
        "failures": {},
    }


def test_the_log_and_its_minds_are_left_as_they_were() -> None:
    game = finished()
    before = (game.events.count(), MindNote.objects.count(), game.utterances.count(), game.version)
    make_all(paired(game))
    game.refresh_from_db()
    assert before == (
        game.events.count(),
        MindNote.objects.count(),
        game.utterances.count(),
        game.version,
    )


def test_nothing_is_asked_twice_not_even_by_a_copy(voice: Any) -> None:
    heard = voice({"text": "I say the same."})
    of = paired(finished(), {"backend": "voice", "method": "baseline"})
    make_all(of)
    assert len(heard.requests) == 24
    make_all(of)
    twin = campaigns.copy(of)
    units.draw_units(twin)
    assert {s.text for s in make_all(twin)} == {"I say the same."}
    assert len(heard.requests) == 24


def test_another_recipe_is_asked_anew(voice: Any) -> None:
    heard = voice({"text": "Something."})
    of = paired(finished(), {"backend": "voice", "method": "baseline"})
    comparison_system.make_answer(rivals(of)[0])
    campaigns.change(of, rival={"backend": "voice", "method": "b5p"})
    assert rivals(of)[0].state == "waiting"
    assert rivals(of)[0].text == ""
    comparison_system.make_answer(rivals(of)[0])
    assert len(heard.requests) == 2


def test_the_rival_sees_what_its_seat_saw_then_and_nothing_more(voice: Any) -> None:
    game = finished()
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
    heard = voice({"text": "Well."})
    of = paired(game, {"backend": "voice", "method": "baseline"})
    full = {s: selectors.view_for(game, visibility.seat(s)).events for s in range(1, 9)}
    for unit in of.units.all():
        heard.requests.clear()
        comparison_system.make_answer(unit.stimuli.get(place=2))
        (request,) = heard.requests
        view = request.decision.view
        assert view.viewer == visibility.seat(unit.seat)
        assert list(view.events) == list(full[unit.seat][: len(view.events)])
        words = unit.stimuli.get(place=1).utterance.text
        assert words not in [e.data.get("text") for e in view.events]
        spoken = [e for e in view.events if e.kind == "statement"]
        assert len(spoken) == unit.index - 1  # everybody spoke: the turns before this one
        assert not [n for n in request.decision.mind.notes if "plan" in n.data]
        assert not request.decision.mind.of("favor")


def test_a_models_prompts_hold_no_secret_of_another_and_no_word_said_later(
    endpoint: Endpoint,
) -> None:
    words = {(r, s): f"Remark {r}-{s}: nothing to tell." for r in (1, 2, 3) for s in range(1, 9)}
    game = finished(words=words)
    of = paired(game, MODEL, choice={"pick": "sample", "per_condition": 8}, seed="x")
    roles = selectors.view_for(game, visibility.MODERATOR).state.roles
    for unit in of.units.all():
        before = endpoint.count
        comparison_system.make_answer(unit.stimuli.get(place=2))
        prompts = [c.prompt for c in endpoint.calls[before:]]
        assert prompts
        seat = unit.seat
        line = render_unit(unit).sides[0].text
        round_, own = (int(x) for x in re.findall(r"\d+", line)[:2])
        assert own == seat
        for prompt in prompts:
            for r, s in re.findall(r"Remark (\d)-(\d)", prompt):
                assert (int(r), int(s)) < (round_, seat)
            told = re.findall(r"Only you know: you looked at", prompt)
            assert bool(told) == (roles[seat] == "seer")
    assert {s.state for s in rivals(of)} == {"idle"}
    assert {s.model for s in rivals(of)} == {"m"}


def test_a_rival_prepares_for_itself_once_a_round(endpoint: Endpoint) -> None:
    of = paired(finished(), MODEL)
    third = [u for u in of.units.all() if u.seat == 2][2]
    comparison_system.make_answer(third.stimuli.get(place=2))
    rows = LLMCall.objects.filter(seat=2)
    assert {r.window.split(".", 2)[2] for r in rows} == {
        "prepare.1.1", "prepare.1.2", "prepare.1.3", "statement.1.3.2",
    }  # fmt: skip
    before = endpoint.count
    second = [u for u in of.units.all() if u.seat == 2][1]
    comparison_system.make_answer(second.stimuli.get(place=2))
    assert endpoint.count == before + 1  # only its own answer: the rounds were prepared


def test_a_failure_is_kept_with_its_cause_and_can_be_asked_again(voice: Any) -> None:
    heard = voice(BackendError("timeout", "too late"))
    of = paired(finished(), {"backend": "voice", "method": "baseline"})
    first = rivals(of)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure, first.text) == ("failed", "timeout", "")
    progress = comparison_system.count_answers(of)
    assert (progress["failed"], progress["failures"]) == (1, {"timeout": 1})
    comparison_system.make_answer(first)
    assert len(heard.requests) == 2  # the first attempt and its repair, once
    heard.reply_with = {"text": "Here I am."}
    assert comparison_system.queue_answers(of) == 24
    first.refresh_from_db()
    comparison_system.make_answer(first)
    assert (first.state, first.failure, first.text) == ("idle", "", "Here I am.")


def test_an_unknown_backend_fails_by_name() -> None:
    of = paired(finished(), {"backend": "no-such", "method": "baseline"})
    first = rivals(of)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure) == ("failed", "unknown")


def test_a_fault_in_a_mind_is_a_failure_not_a_crash(voice: Any) -> None:
    voice(RuntimeError("boom"))
    of = paired(finished(), {"backend": "voice", "method": "baseline"})
    first = rivals(of)[0]
    comparison_system.make_answer(first)
    assert (first.state, first.failure) == ("failed", "crash")


def test_asking_queues_a_task_for_each_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    of = paired(finished())
    comparison_system.make_answer(rivals(of)[0])
    units.withdraw(of.units.all()[1])
    queued: list[int] = []

    def send(_app: Any, _task: str, args: tuple[int]) -> None:
        queued.extend(args)

    monkeypatch.setattr("celery.Celery.send_task", send)
    with django_capture_on_commit_callbacks(execute=True):
        assert comparison_system.queue_answers(of) == 22
    assert queued == [s.pk for s in rivals(of)[2:]]
    tasks.rival(queued[0])
    assert Stimulus.objects.get(pk=queued[0]).text
    tasks.rival(0)  # gone meanwhile


def test_a_queue_that_is_away_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def away(_app: Any, _task: str, _args: tuple[int]) -> None:
        raise ConnectionError

    of = paired(finished())
    monkeypatch.setattr("celery.Celery.send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        assert comparison_system.queue_answers(of) == 24
    assert comparison_system.count_answers(of)["waiting"] == 24


def test_the_replay_of_the_game_knows_nothing_of_rivals() -> None:
    """A person's seat in which a rival has thought is still nobody's mind."""
    game = finished(names={2: "Anna"})
    make_all(paired(game, choice={"speakers": "all"}))
    assert LLMCall.objects.filter(game=game, seat=2, purpose=LLMCall.RIVAL).exists()
    assert _thinkers(ReplayedGame(Guest(game, None))) == set(range(1, 9)) - {2}


# -- several systems at one moment


def continued(game: Game, line: int, *systems: str) -> list[str]:
    out = StringIO()
    recipes = [argument for system in systems for argument in ("--recipe", system)]
    call_command("continue", game.code, str(line), *recipes, stdout=out)
    return out.getvalue().splitlines()


def test_several_systems_continue_a_game_at_one_moment() -> None:
    game = finished()
    first = talk_of(game).spoken[5]
    head, _titles, _rule, own, *others = continued(
        game, first.position, "house/vanilla", "house/full", "house/guarded"
    )
    assert head == f"{first.speaker}, {first.phase}"
    assert own.startswith(f"| the game | {first.text} |")
    assert [row.split(" | ")[0] for row in others] == [
        "| house/vanilla", "| house/full", "| house/guarded",
    ]  # fmt: skip
    assert len({row.split(" | ")[1] for row in (own, *others[:2])}) == 3


def test_a_model_is_asked_once_for_one_moment(endpoint: Endpoint) -> None:
    game = finished()
    line = talk_of(game).spoken[5].position
    once = continued(game, line, "openai/vanilla")
    calls = len(endpoint.calls)
    assert calls
    assert continued(game, line, "openai/vanilla") == once
    assert len(endpoint.calls) == calls


@pytest.mark.parametrize(
    ("line", "systems", "told"),
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
def test_what_can_not_be_continued_is_refused(line: int, systems: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        continued(finished(), line, *systems)
