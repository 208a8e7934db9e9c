"""Tests of redaction: removed text leaves the record of minds, and the game continues."""

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
from game import locked_game, selectors, store
from game.engine.events import say
from game.engine.state import fold
from game.models import Game, Player, Utterance
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from tests.game.table import any_answer, new_game, open_window, play_until
from tests.webapp.replays import get_replay, page_html
from tests.webapp.scripted_model import ScriptedModel, game_at_first_statement
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import LLMCall, MindNote, Table, Withdrawal
from webapp.play.turns import answering, withdrawals
from webapp.play.turns.agent_records import redact_note_data
from webapp.play.turns.answering import answer_window

pytestmark = pytest.mark.django_db

OWN_SEAT, STATEMENT, PARAPHRASE = 1, "Zebras ate my “grandmother”, né.", "striped animals"


def answer_with_text(call: Call) -> str:
    """Return an answer of the schema that repeats and paraphrases the statement, if heard."""
    answer = json.loads(shaped(call))
    if "Zebras" in call.prompt:
        repetition = f"Somebody fears {PARAPHRASE} and says: {STATEMENT}"
        for field in {"reason", "plan"} & set(answer):
            answer[field] = repetition
        for row in answer.get("scores", []):
            row["reason"] = repetition
    return json.dumps(answer)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(answer=answer_with_text) as server:
        set_up(monkeypatch, server)
        yield server


def open_game_with_models() -> Game:
    """Open a game with a person in seat 1, a house player in seat 2 and models in the others."""
    game = new_game(OWN_SEAT)
    for player in game.players.exclude(seat=OWN_SEAT):
        backend = "house" if player.seat == 2 else "openai"
        player.recipe = Recipe(backend, "full").cast(str(player.seat)).data()
        player.save()
    Table.objects.create(game=game, spectators=True)
    return game


def play(game: Game, until_key: str = "") -> None:
    """Play to the window of that key, or to the end."""
    while windows := selectors.open_windows(game):
        if any(w.window.key == until_key for w in windows):
            break
        for window in windows:
            for seat in window.missing:
                if seat == OWN_SEAT:
                    is_first = window.window.key == f"statement.1.1.{OWN_SEAT}"
                    action = say(STATEMENT) if is_first else any_answer(window, seat)
                    locked_game.record_answer(game.pk, seat, window.window.key, action)
                else:
                    answer_window(game.pk, seat, window.window.key, use_lease=False)
    game.refresh_from_db()


def read_record(game: Game) -> str:
    """Return all that the record of minds holds, escaped and not."""
    rows: list[Any] = list(LLMCall.objects.filter(game=game).values())
    rows += MindNote.objects.filter(game=game).values()
    text = json.dumps(rows, default=str, ensure_ascii=False)
    return text + json.dumps(rows, default=str) + text.replace('\\"', '"')


def requests_in_order(game: Game) -> QuerySet[LLMCall]:
    """Return the requests in the order in which they were made.

    PostgreSQL gives changed rows last.
    """
    return LLMCall.objects.filter(game=game).order_by("pk")


def remove_text(game: Game, key: str = f"statement.1.1.{OWN_SEAT}", seat: int = OWN_SEAT) -> None:
    withdrawals.request_text_removal(game.pk, key, seat)
    withdrawals.complete_withdrawals(game.pk)
    game.refresh_from_db()


def test_removed_text_leaves_all_rows_and_the_game_continues(endpoint: Endpoint) -> None:
    game = open_game_with_models()
    play(game, "statement.1.3.5")
    assert "Zebras" in read_record(game)
    assert PARAPHRASE in read_record(game)
    assert MindNote.objects.filter(game=game, data__plan__icontains=PARAPHRASE).exists()
    assert MindNote.objects.filter(game=game, data__reason__icontains=PARAPHRASE).exists()
    assert any(PARAPHRASE in str(n.data["why"]) for n in MindNote.objects.filter(faculty="favor"))
    figures = list(requests_in_order(game).values_list("pk", "seconds", "kind", "failure"))
    tokens = [row.exchange["usage"] for row in requests_in_order(game).exclude(exchange=None)]
    request_count = len(endpoint.calls)
    remove_text(game)
    assert "Zebras" not in read_record(game)
    assert PARAPHRASE not in read_record(game)
    assert list(requests_in_order(game).values_list("pk", "seconds", "kind", "failure")) == figures
    assert [
        row.exchange["usage"] for row in requests_in_order(game).exclude(exchange=None)
    ] == tokens
    play(game)
    assert game.winner
    later_prompts = [call.prompt for call in endpoint.calls[request_count:]]
    assert later_prompts
    assert not [prompt for prompt in later_prompts if "Zebras" in prompt or PARAPHRASE in prompt]
    assert PARAPHRASE not in read_record(game)
    assert len(endpoint.calls) == LLMCall.objects.filter(game=game, backend="openai").count()


def test_redaction_keeps_figures_and_earlier_requests(endpoint: Endpoint) -> None:
    game = open_game_with_models()
    play(game, "statement.1.3.5")
    divination = (
        LLMCall.objects.get(game=game, kind="divination") if seer_seat(game) != OWN_SEAT else None
    )
    favors = list(MindNote.objects.filter(faculty="favor").values_list("seat", "data__favor"))
    polls = dict(LLMCall.objects.filter(kind="poll").values_list("pk", "reply__targets"))
    remove_text(game)
    assert favors == list(
        MindNote.objects.filter(faculty="favor").values_list("seat", "data__favor")
    )
    assert polls == dict(LLMCall.objects.filter(kind="poll").values_list("pk", "reply__targets"))
    assert any(polls.values())
    scores = LLMCall.objects.filter(kind="favor", backend="openai").values_list("reply", flat=True)
    assert scores
    assert any(reply["scores"] for reply in scores)
    assert not [reply for reply in scores if "reason" in reply]
    if divination:
        assert LLMCall.objects.get(pk=divination.pk).brief == divination.brief
        assert not LLMCall.objects.get(pk=divination.pk).withdrawn


def seer_seat(game: Game) -> int:
    return fold(store.load_log(game)).holders("seer")[0]


def test_removed_agent_text_leaves_its_own_request_and_plan(endpoint: Endpoint) -> None:
    game = open_game_with_models()
    play(game, "statement.1.1.5")
    endpoint.say(json.dumps({"statement": STATEMENT}), when=lambda c: "statement" in str(c.format))
    play(game, "statement.1.2.3")
    utterance = Utterance.objects.get(game=game, window="statement.1.1.5", seat=5)
    assert utterance.text == STATEMENT
    earlier_request = LLMCall.objects.get(
        game=game, seat=3, window="statement.1.1.3", kind="statement"
    )
    remove_text(game, "statement.1.1.5", 5)
    remove_text(game)
    assert "Zebras" not in read_record(game)
    own_requests = LLMCall.objects.filter(game=game, seat=5)
    assert own_requests.get(window="statement.1.1.5").withdrawn
    assert own_requests.get(window="prepare.1.1", kind="strategy").withdrawn
    assert earlier_request.pk in LLMCall.objects.filter(withdrawn=True).values_list("pk", flat=True)


def test_answer_made_during_a_removal_is_accepted_and_redacted(
    use_model: Callable[..., ScriptedModel],
) -> None:
    game = game_at_first_statement()
    use_model(lambda r: {"text": STATEMENT})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    locked_game.record_answer(game.pk, 2, "statement.1.1.2", say("Well."))

    def reply_after_removal(request: Request) -> dict[str, Any]:
        assert "Zebras" in json.dumps(request.brief, ensure_ascii=False)
        remove_text(game, "statement.1.1.1", 1)
        return {"text": f"As I heard: {STATEMENT}"}

    use_model(reply_after_removal)
    answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    assert Utterance.objects.get(game=game, seat=3).text
    assert "Zebras" not in read_record(game)
    assert LLMCall.objects.get(seat=3).withdrawn


def test_preparation_made_during_a_removal_is_redacted(
    endpoint: Endpoint, use_model: Callable[..., ScriptedModel]
) -> None:
    game = open_game_with_models()
    play(game, "statement.1.2.1")

    def reply_after_removal(request: Request) -> dict[str, Any]:
        if request.kind == "favor":
            remove_text(game)
            return {"scores": {"1": 3}, "reason": f"They said {STATEMENT}"}
        if request.kind == "judgement":
            return {"roles": {"1": {"villager": 0.5}}, "reason": f"They said {STATEMENT}"}
        return {"plan": f"Ask about {PARAPHRASE}: {STATEMENT}"}

    use_model(reply_after_removal).name = "openai"
    answering.prepare_round(game.pk, 4, "statement.1.2.1")
    assert "Zebras" not in read_record(game)
    assert PARAPHRASE not in read_record(game)
    notes = MindNote.objects.filter(game=game, seat=4, window="prepare.1.2")
    assert notes.get(faculty="favor").data["scores"] == {"1": 3}
    assert notes.get(faculty="judgement").data["roles"]["1"]["villager"] == 0.5


def crash(*args: Any, **kwargs: Any) -> None:
    raise KeyboardInterrupt


def test_redacted_answer_is_not_requested_again(
    use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker crashes with the reply on record. The text that it may repeat is removed."""
    game, model = game_at_first_statement(), use_model(lambda r: {"text": STATEMENT})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    locked_game.record_answer(game.pk, 2, "statement.1.1.2", say("Well."))
    with monkeypatch.context() as patch:
        patch.setattr(answering.locked_game, "record_answer", crash)
        with pytest.raises(KeyboardInterrupt):
            answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    remove_text(game, "statement.1.1.1", 1)
    request_count = model.request_count
    answer_window(game.pk, 3, "statement.1.1.3", use_lease=False)
    assert model.request_count == request_count
    statement = [e for e in store.load_log(game) if e.kind == "statement"][-1]
    assert (statement["manner"], statement.labels) == ("nothing", ("fallback:withdrawn",))
    answer_window(game.pk, 4, "statement.1.1.4", use_lease=False)
    assert model.request_count == request_count + 1


def test_recorded_choice_survives_redaction(
    use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_at_first_statement()
    use_model(lambda r: {"text": STATEMENT})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    play_until(game, "vote")
    model = use_model(lambda r: {"targets": [5], "reason": STATEMENT})
    with monkeypatch.context() as patch:
        patch.setattr(answering.locked_game, "record_answer", crash)
        with pytest.raises(KeyboardInterrupt):
            answer_window(game.pk, 3, "vote.1.0", use_lease=False)
    remove_text(game, "statement.1.1.1", 1)
    assert "Zebras" not in read_record(game)
    answer_window(game.pk, 3, "vote.1.0", use_lease=False)
    assert model.request_count == 1
    assert open_window(game, "vote").answers[3].action.targets == (5,)


def test_sweeper_completes_an_interrupted_removal(
    use_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = game_at_first_statement()
    use_model(lambda r: {"text": STATEMENT})
    answer_window(game.pk, 1, "statement.1.1.1", use_lease=False)
    with monkeypatch.context() as patch:
        patch.setattr(withdrawals, "complete_withdrawal", crash)
        with pytest.raises(KeyboardInterrupt):
            remove_text(game, "statement.1.1.1", 1)
    assert "Zebras" in read_record(game)
    Sweeper().sweep()
    assert "Zebras" in read_record(game), "somebody may be at it"
    Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
    Sweeper().sweep()
    assert "Zebras" not in read_record(game)
    assert Withdrawal.objects.get().done_at


def test_sweeper_redacts_notes_after_a_crash_between_requests_and_notes(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an older withdrawal that can not be completed."""
    game = open_game_with_models()
    play(game, "statement.1.2.5")
    in_batches = withdrawals._change_in_batches
    impossible = Withdrawal.objects.create(game=new_game(OWN_SEAT), seat=OWN_SEAT)
    monkeypatch.setattr(withdrawals, "_erase_player", lambda game, seat: 1 / 0)

    def requests_alone(model: type[LLMCall] | type[MindNote], *arguments: Any) -> None:
        crash() if model is MindNote else in_batches(model, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(withdrawals, "_change_in_batches", requests_alone)
        with pytest.raises(KeyboardInterrupt):
            remove_text(game)
    assert MindNote.objects.filter(game=game, data__plan__icontains=PARAPHRASE).exists()
    Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
    Sweeper().sweep()
    assert PARAPHRASE not in read_record(game)
    assert list(Withdrawal.objects.filter(done_at=None)) == [impossible]


def test_replay_shows_nothing_of_removed_text(endpoint: Endpoint) -> None:
    game = open_game_with_models()
    play(game)
    remove_text(game)
    lines = range(12, 40, 3)
    pages = [page_html(get_replay(Client(), game, f"?at={at}&as=moderator")) for at in lines]
    assert not [page for page in pages if "Zebras" in page or PARAPHRASE in page]
    assert any("Text was removed from this game" in page for page in pages)
    assert Player.objects.filter(game=game).count() == 8


def test_rating_reasons_are_redacted_and_rating_figures_kept() -> None:
    row = {"seat": 2, "role": "seer", "confidence": 8, "evidence": [4]}
    note = {"ratings": [{**row, "reason": STATEMENT}], "upto": 9, "standing": True}
    assert redact_note_data(note) == {"ratings": [row], "upto": 9, "standing": True}
