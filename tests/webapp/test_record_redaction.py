"""Words that the host takes out leave the minds' record as well, and the game goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from agents.decision import Request
from agents.recipe import Recipe
from game import selectors, services, store
from game.engine.forms import say
from game.engine.state import fold
from game.models import Game, Player, Utterance
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from tests.game.table import any_answer, new_game, open_window, play_until
from tests.webapp.test_answering import Voice, about_to_speak, voice  # noqa: F401
from tests.webapp.test_replay import look, text
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import LLMCall, MindNote, Table, Withdrawal
from webapp.play.turns import answering, withdrawals
from webapp.play.turns.answering import answer_window
from webapp.play.turns.record_redaction import redact_note_data

pytestmark = pytest.mark.django_db

ME, SAID, MEANT = 1, "Zebras ate my “grandmother”, né.", "striped animals"


def repeating(call: Call) -> str:
    """As the schema wants it; whatever has heard the words says in its own what they meant."""
    answer = json.loads(shaped(call))
    if "Zebras" in call.prompt:
        told = f"Somebody fears {MEANT} and says: {SAID}"
        for field in {"reason", "plan"} & set(answer):
            answer[field] = told
        for row in answer.get("scores", []):
            row["reason"] = told
    return json.dumps(answer)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(answer=repeating) as found:
        set_up(monkeypatch, found)
        yield found


def begun() -> Game:
    """A person in seat 1; a house player in seat 2, models in the others."""
    game = new_game(ME)
    for player in game.players.exclude(seat=ME):
        backend = "house" if player.seat == 2 else "openai"
        player.recipe = Recipe(backend, "full").cast(str(player.seat)).data()
        player.save()
    Table.objects.create(game=game, spectators=True)
    return game


def play(game: Game, until: str = "") -> None:
    """On to the window of that key, or to the end."""
    while windows := selectors.open_windows(game):
        if any(w.window.key == until for w in windows):
            break
        for window in windows:
            for seat in window.missing:
                if seat == ME:
                    first = window.window.key == f"statement.1.1.{ME}"
                    action = say(SAID) if first else any_answer(window, seat)
                    services.answer(game.pk, seat, window.window.key, action)
                else:
                    answer_window(game.pk, seat, window.window.key, use_lease=False)
    game.refresh_from_db()


def record(game: Game) -> str:
    """All that the minds' record holds, escaped and not."""
    rows: list[Any] = list(LLMCall.objects.filter(game=game).values())
    rows += MindNote.objects.filter(game=game).values()
    plain = json.dumps(rows, default=str, ensure_ascii=False)
    return plain + json.dumps(rows, default=str) + plain.replace('\\"', '"')


def by_pk(game: Game) -> QuerySet[LLMCall]:
    """What was asked, as it was asked: PostgreSQL gives rows that were changed last."""
    return LLMCall.objects.filter(game=game).order_by("pk")


def remove(game: Game, key: str = f"statement.1.1.{ME}", seat: int = ME) -> None:
    withdrawals.remove_text(game.pk, key, seat)
    game.refresh_from_db()


def test_no_row_repeats_them_and_the_game_goes_on_without_them(endpoint: Endpoint) -> None:
    game = begun()
    play(game, "statement.1.3.5")
    assert "Zebras" in record(game)
    assert MEANT in record(game)
    assert MindNote.objects.filter(game=game, data__plan__icontains=MEANT).exists()
    assert MindNote.objects.filter(game=game, data__reason__icontains=MEANT).exists()
    assert any(MEANT in str(n.data["why"]) for n in MindNote.objects.filter(faculty="favor"))
    kept = list(by_pk(game).values_list("pk", "seconds", "kind", "failure"))
    tokens = [row.exchange["usage"] for row in by_pk(game).exclude(exchange=None)]
    asked = len(endpoint.calls)
    remove(game)
    assert "Zebras" not in record(game)
    assert MEANT not in record(game)
    assert list(by_pk(game).values_list("pk", "seconds", "kind", "failure")) == kept
    assert [row.exchange["usage"] for row in by_pk(game).exclude(exchange=None)] == tokens
    play(game)
    assert game.winner
    later = [call.prompt for call in endpoint.calls[asked:]]
    assert later
    assert not [prompt for prompt in later if "Zebras" in prompt or MEANT in prompt]
    assert MEANT not in record(game)
    assert len(endpoint.calls) == LLMCall.objects.filter(game=game, backend="openai").count()


def test_figures_stay_and_so_does_what_was_asked_before_the_words(endpoint: Endpoint) -> None:
    game = begun()
    play(game, "statement.1.3.5")
    before = LLMCall.objects.get(game=game, kind="divination") if seer(game) != ME else None
    favors = list(MindNote.objects.filter(faculty="favor").values_list("seat", "data__favor"))
    polls = dict(LLMCall.objects.filter(kind="poll").values_list("pk", "reply__targets"))
    remove(game)
    assert favors == list(
        MindNote.objects.filter(faculty="favor").values_list("seat", "data__favor")
    )
    assert polls == dict(LLMCall.objects.filter(kind="poll").values_list("pk", "reply__targets"))
    assert any(polls.values())
    scores = LLMCall.objects.filter(kind="favor", backend="openai").values_list("reply", flat=True)
    assert scores
    assert any(reply["scores"] for reply in scores)
    assert not [reply for reply in scores if "reason" in reply]
    if before:
        assert LLMCall.objects.get(pk=before.pk).brief == before.brief
        assert not LLMCall.objects.get(pk=before.pk).withdrawn


def seer(game: Game) -> int:
    return fold(store.load(game)).holders("seer")[0]


def test_an_agents_words_leave_its_own_request_and_plan(endpoint: Endpoint) -> None:
    game = begun()
    play(game, "statement.1.1.5")
    endpoint.say(json.dumps({"statement": SAID}), when=lambda c: "statement" in str(c.format))
    play(game, "statement.1.2.3")
    said = Utterance.objects.get(game=game, window="statement.1.1.5", seat=5)
    assert said.text == SAID
    others = LLMCall.objects.get(game=game, seat=3, window="statement.1.1.3", kind="statement")
    remove(game, "statement.1.1.5", 5)
    remove(game)
    assert "Zebras" not in record(game)
    own = LLMCall.objects.filter(game=game, seat=5)
    assert own.get(window="statement.1.1.5").withdrawn
    assert own.get(window="prepare.1.1", kind="strategy").withdrawn
    assert others.pk in LLMCall.objects.filter(withdrawn=True).values_list("pk", flat=True)


def test_an_answer_made_while_they_go_is_taken_and_keeps_none_of_them(
    voice: Callable[..., Voice],  # noqa: F811
) -> None:
    game = about_to_speak()
    voice(lambda r: {"text": SAID})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    services.answer(game.pk, 2, "statement.1.1.2", say("Well."))

    def meanwhile(request: Request) -> dict[str, Any]:
        assert "Zebras" in json.dumps(request.brief, ensure_ascii=False)
        remove(game, "statement.1.1.1", 1)
        return {"text": f"As I heard: {SAID}"}

    voice(meanwhile)
    answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    assert Utterance.objects.get(game=game, seat=3).text
    assert "Zebras" not in record(game)
    assert LLMCall.objects.get(seat=3).withdrawn


def test_a_preparation_made_while_they_go_keeps_none_of_them(
    endpoint: Endpoint,
    voice: Callable[..., Voice],  # noqa: F811
) -> None:
    game = begun()
    play(game, "statement.1.2.1")

    def meanwhile(request: Request) -> dict[str, Any]:
        if request.kind == "favor":
            remove(game)
            return {"scores": {"1": 3}, "reason": f"They said {SAID}"}
        if request.kind == "judgement":
            return {"roles": {"1": {"villager": 0.5}}, "reason": f"They said {SAID}"}
        return {"plan": f"Ask about {MEANT}: {SAID}"}

    voice(meanwhile).name = "openai"
    answering.prepare_round(game.pk, 4, "statement.1.2.1")
    assert "Zebras" not in record(game)
    assert MEANT not in record(game)
    made = MindNote.objects.filter(game=game, seat=4, window="prepare.1.2")
    assert made.get(faculty="favor").data["scores"] == {"1": 3}
    assert made.get(faculty="judgement").data["roles"]["1"]["villager"] == 0.5


def die(*args: Any, **kwargs: Any) -> None:
    raise KeyboardInterrupt


def test_an_answer_that_was_blanked_is_not_asked_for_again(
    voice: Callable[..., Voice],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker dies with the reply on record, and the words it may repeat are taken out."""
    game, heard = about_to_speak(), voice(lambda r: {"text": SAID})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    services.answer(game.pk, 2, "statement.1.1.2", say("Well."))
    with monkeypatch.context() as crash:
        crash.setattr(answering.services, "answer", die)
        with pytest.raises(KeyboardInterrupt):
            answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    remove(game, "statement.1.1.1", 1)
    asked = heard.asked
    answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    assert heard.asked == asked
    said = [e for e in store.load(game) if e.kind == "statement"][-1]
    assert (said["manner"], said.labels) == ("nothing", ("fallback:withdrawn",))
    answer_window(game.pk, 4, "statement.1.1.4", use_lease=False)
    assert heard.asked == asked + 1


def test_a_choice_that_was_on_record_is_made(
    voice: Callable[..., Voice],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = about_to_speak()
    voice(lambda r: {"text": SAID})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    play_until(game, "vote")
    heard = voice(lambda r: {"targets": [5], "reason": SAID})
    with monkeypatch.context() as crash:
        crash.setattr(answering.services, "answer", die)
        with pytest.raises(KeyboardInterrupt):
            answer_window(game.pk, 3, "vote.1.0", use_lease=False)
    remove(game, "statement.1.1.1", 1)
    assert "Zebras" not in record(game)
    answer_window(game.pk, 3, "vote.1.0", use_lease=False)
    assert heard.asked == 1
    assert open_window(game, "vote").answers[3].action.targets == (5,)


def test_the_sweeper_ends_what_somebody_began(
    voice: Callable[..., Voice],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = about_to_speak()
    voice(lambda r: {"text": SAID})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    with monkeypatch.context() as crash:
        crash.setattr(withdrawals, "complete_withdrawal", die)
        with pytest.raises(KeyboardInterrupt):
            remove(game, "statement.1.1.1", 1)
    assert "Zebras" in record(game)
    Sweeper().sweep()
    assert "Zebras" in record(game), "somebody may be at it"
    Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
    Sweeper().sweep()
    assert "Zebras" not in record(game)
    assert Withdrawal.objects.get().done_at


def test_a_sweep_removes_from_the_minds_what_a_death_after_the_requests_left(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an older withdrawal that can not be completed."""
    game = begun()
    play(game, "statement.1.2.5")
    in_batches = withdrawals._in_batches
    impossible = Withdrawal.objects.create(game=new_game(ME), seat=ME)
    monkeypatch.setattr(withdrawals, "_erase_player", lambda game, seat: 1 / 0)

    def requests_alone(model: type[LLMCall] | type[MindNote], *rest: Any) -> None:
        die() if model is MindNote else in_batches(model, *rest)

    with monkeypatch.context() as crash:
        crash.setattr(withdrawals, "_in_batches", requests_alone)
        with pytest.raises(KeyboardInterrupt):
            remove(game)
    assert MindNote.objects.filter(game=game, data__plan__icontains=MEANT).exists()
    Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
    Sweeper().sweep()
    assert MEANT not in record(game)
    assert list(Withdrawal.objects.filter(done_at=None)) == [impossible]


def test_the_replay_lays_nothing_of_it_open(endpoint: Endpoint) -> None:
    game = begun()
    play(game)
    remove(game)
    lines = range(12, 40, 3)
    pages = [text(look(Client(), game, f"?at={at}&as=moderator")) for at in lines]
    assert not [page for page in pages if "Zebras" in page or MEANT in page]
    assert any("Text was removed from this game" in page for page in pages)
    assert Player.objects.filter(game=game).count() == 8


def test_reasons_of_ratings_leave_a_note_and_its_figures_stay() -> None:
    row = {"seat": 2, "role": "seer", "confidence": 8, "evidence": [4]}
    note = {"ratings": [{**row, "reason": SAID}], "upto": 9, "standing": True}
    assert redact_note_data(note) == {"ratings": [row], "upto": 9, "standing": True}
