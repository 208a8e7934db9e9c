"""Servers as they are: each refusal leads to a plainer way of asking, which is found out once."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from agents.backends import openai as backend_of
from agents.backends.openai import OpenAIBackend, estimate_tokens
from agents.backends.trial import find_backend_error, sample_requests_by_kind, try_requests
from agents.decision import BackendError, Request
from agents.llm import capabilities, client
from agents.llm.prompting import messages
from agents.model_catalog import ModelSettings
from tests.agents.asked import ROLES, SAID
from tests.agents.table import log_of, scene_of
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import Maker, schema_for

STATUSES = (400, 404, 415, 422, 500, 501)


def proper(call: Call) -> str:
    """What the schema asks for, wherever it stands; without one, a vote for Beta."""
    schema = schema_for(call)
    return Maker(schema, call.seed).json() if schema else json.dumps({"choice": "Beta"})


def asking(endpoint: Endpoint, **more: Any) -> OpenAIBackend:
    endpoint.answer = proper
    given = {"seconds": 5.0, "connect": 1.0, "retries": 0, **more}
    return OpenAIBackend(ModelSettings("test", "m", endpoint.url, "", **given))


def vote() -> Request:
    return Request("vote", scene_of(log_of(ROLES, *SAID), 3, kind="vote"), {})


def formats(endpoint: Endpoint) -> list[str]:
    return [str(c.format.get("type", "text")) for c in endpoint.calls]


@pytest.mark.parametrize("explains", [True, False])
@pytest.mark.parametrize("status", STATUSES)
def test_a_format_refused_by_any_status_is_asked_for_more_plainly(
    status: int, explains: bool
) -> None:
    with Endpoint(structured=False, json_mode=False, refusal=status, explains=explains) as server:
        mind = asking(server)
        assert mind.reply("s", vote())["targets"]
        assert formats(server) == ["json_schema", "json_object", "text"]
        assert "JSON schema" in server.calls[-1].prompt
        exchange = mind.reply("s", vote())["exchange"]
        assert formats(server)[3:] == ["text"], "the second request knew"
        assert exchange["format"] == "text"
        assert exchange["messages"] == server.calls[-1].messages


def test_prose_for_an_answer_is_asked_for_more_plainly() -> None:
    with Endpoint(heeds=False) as server:
        mind = asking(server)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        assert formats(server) == ["json_schema", "json_object", "text", "text"]


def test_prose_where_json_has_worked_is_the_answers_fault_and_changes_nothing() -> None:
    with Endpoint() as server:
        mind = asking(server)
        mind.reply("s", vote())
        server.say("I choose nobody at all.")
        with pytest.raises(BackendError, match="no JSON object") as error:
            mind.reply("s", vote())
        assert error.value.is_mistake
        server.fail("http400")
        with pytest.raises(BackendError, match="refused_request"):
            mind.reply("s", vote())
        mind.reply("s", vote())
        assert set(formats(server)) == {"json_schema"}


def test_a_schema_refused_for_one_kind_alone_stays_in_use_for_the_others() -> None:
    with Endpoint() as server:
        mind = asking(server)
        mind.reply("s", vote())
        judgement = sample_requests_by_kind()["judgement"]
        server.fail("http400", when=lambda call: call.schema is not None, times=9)
        mind.reply("s", judgement)
        server.fail("http400", when=lambda call: False)
        assert formats(server) == ["json_schema", "json_schema", "json_object"]
        assert mind.client.known.facts.form_for("judgement").format == "json_object"
        for kind in ("vote", "poll"):
            assert mind.client.known.facts.form_for(kind).format == "json_schema"


@pytest.mark.parametrize(
    ("rules", "more", "dropped"),
    [
        ({"refuses": ("temperature",)}, {}, ["temperature"]),
        ({"refuses": ("reasoning_effort",)}, {"reasoning_effort": "low"}, ["reasoning_effort"]),
        ({"refuses": ("top_k",)}, {"extra": {"top_k": 40, "min_p": 0.1}}, ["top_k"]),
        ({"refuses": ("temperature", "top_k")}, {"extra": {"top_k": 4}}, ["temperature", "top_k"]),
    ],
)
def test_refused_parameters_are_left_out(
    rules: dict[str, Any], more: dict[str, Any], dropped: list[str]
) -> None:
    with Endpoint(**rules) as server:
        mind = asking(server, **more)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        assert len(server.calls) == 2 + len(dropped)
        sent = server.calls[-1].body
        assert not set(dropped) & set(sent)
        wanted = {"temperature": 1.0, **more.get("extra", {})}
        assert {k: sent[k] for k in wanted if k not in dropped} == {
            k: v for k, v in wanted.items() if k not in dropped
        }
        assert sorted(mind.client.known.facts.dropped) == sorted(dropped)


@pytest.mark.parametrize(
    ("refuses", "left"),
    [
        (("max_tokens",), {"max_completion_tokens": 300}),
        (("max_tokens", "max_completion_tokens"), {}),
        ((), {"max_tokens": 300}),
    ],
)
def test_the_limit_of_tokens_is_called_as_the_server_calls_it(
    refuses: tuple[str, ...], left: dict[str, int]
) -> None:
    with Endpoint(refuses=refuses) as server:
        mind = asking(server, max_tokens=300)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        sent = server.calls[-1].body
        assert {k: v for k, v in sent.items() if k.startswith("max_")} == left
        assert len(server.calls) == 2 + len(refuses)


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("rules", [{"system": False}, {"alternate": True}])
def test_roles_that_a_server_does_not_take_go_into_the_users(
    rules: dict[str, Any], status: int
) -> None:
    with Endpoint(**rules, refusal=status) as server:
        mind = asking(server)
        mind.reply("s", vote())
        refused = Request("vote", vote().decision, {"refused": "no such player", "answered": "{}"})
        mind.reply("s", refused)
        assert [c.status for c in server.calls] == [status, 200, 200]
        assert [m["role"] for m in server.calls[-1].messages] == ["user", "assistant", "user"]
        assert "You are Gamma" in server.calls[-1].messages[0]["content"]


def test_no_role_comes_twice_in_a_row() -> None:
    with Endpoint() as server:
        asking(server).reply("s", Request("vote", vote().decision, {"refused": "it was empty"}))
        (call,) = server.calls
        assert [m["role"] for m in call.messages] == ["system", "user"]
        assert "it was empty" in call.messages[-1]["content"]


def test_eight_at_once_that_meet_a_refusal_find_out_once() -> None:
    with Endpoint(structured=False, json_mode=False, refuses=("temperature",)) as server:
        mind = asking(server, seconds=20.0)
        together = threading.Barrier(8)
        server.hold()

        def one() -> object:
            together.wait()
            return mind.reply("s", vote())["targets"]

        with ThreadPoolExecutor(8) as pool:
            answers = [pool.submit(one) for _ in range(8)]
            server.wait_for(8)
            server.release()
            assert all(a.result() for a in answers)
        counts = Counter(formats(server))
        assert counts["json_schema"] <= 9, "eight were refused, and one left the temperature out"
        assert counts["json_object"] == 1
        assert counts["text"] == 8
        assert len(server.calls) <= 18


def test_what_was_found_out_outlives_the_process() -> None:
    with Endpoint(structured=False, refuses=("temperature",), system=False) as server:
        asking(server).reply("s", vote())
        before = len(server.calls)
        backend_of._clients.clear()
        asking(server).reply("s", vote())
        assert len(server.calls) == before + 1
        assert server.calls[-1].status == 200


def test_what_was_found_out_of_another_address_is_void() -> None:
    with Endpoint(structured=False) as plain, Endpoint() as able:
        asking(plain).reply("s", vote())
        asking(able).reply("s", vote())
        assert formats(able) == ["json_schema"]


LONG = [
    (1 + i % 8, f"Line number {i} of a long talk about who may be the wolf.") for i in range(80)
]


def long_vote() -> Request:
    return Request("vote", scene_of(log_of(ROLES, *LONG), 3, kind="vote"), {})


def test_the_oldest_talk_is_left_out_where_the_context_is_too_short() -> None:
    whole = estimate_tokens(messages(long_vote())[0])
    with Endpoint(context=int(whole * 0.7)) as server:
        mind = asking(server, max_tokens=50)
        reply = mind.reply("s", long_vote())
        assert reply["labels"] == ["left-out"]
        out = reply["exchange"]["left_out"]
        assert 0 < out < len(LONG)
        prompt = server.calls[-1].prompt
        assert "(some of its talk is left out here)" in prompt
        assert LONG[-1][1] in prompt
        assert LONG[out][1] in prompt
        assert LONG[out - 1][1] not in prompt
        refused = sum(c.status == 400 for c in server.calls)
        mind.reply("s", long_vote())
        assert sum(c.status == 400 for c in server.calls) == refused, "the server had said how much"


def test_a_context_that_is_set_is_kept_without_asking() -> None:
    with Endpoint() as server:
        mind = asking(server, context=1800, max_tokens=300)
        reply = mind.reply("s", long_vote())
        assert reply["labels"] == ["left-out"]
        assert len(server.calls) == 1
        assert estimate_tokens(server.calls[0].messages) <= 1500  # type: ignore[arg-type]
        assert mind.reply("s", vote())["labels"] == []


def test_a_context_too_short_for_any_talk_is_told() -> None:
    with Endpoint(context=50) as server, pytest.raises(BackendError) as error:
        asking(server).reply("s", long_vote())
    assert error.value.cause == "context"
    assert not error.value.is_mistake


@pytest.mark.parametrize("fault", ["reset", "garbage", "html", "http503", "http429"])
def test_what_fails_on_the_line_is_asked_again_in_the_same_words(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = client._backoff
    monkeypatch.setattr(client, "_backoff", lambda retries: usual(retries) / 20)
    with Endpoint(retry_after=0) as server:
        mind = asking(server, retries=2)
        server.fail(fault, times=2)
        assert mind.reply("s", vote())["exchange"]["retries"] == 2
        bodies = [c.body for c in server.calls]
        assert bodies == bodies[:1] * 3
        server.fail(fault, times=9)
        with pytest.raises(BackendError) as error:
            mind.reply("s", vote())
        assert not error.value.is_mistake


def test_a_connection_that_breaks_off_is_made_again() -> None:
    with Endpoint() as server:
        mind = asking(server, retries=1)
        mind.reply("s", vote())
        server.fail("reset")
        assert mind.reply("s", vote())["targets"]


def test_an_illegal_choice_is_told_with_the_legal_ones() -> None:
    with Endpoint() as server:
        mind = asking(server)
        server.say(json.dumps({"choice": "Gandalf"}))
        with pytest.raises(BackendError) as error:
            mind.reply("s", vote())
    assert (error.value.cause, error.value.is_mistake) == ("illegal", True)
    assert "Alpha, Beta, Delta, Epsilon, Theta, Zeta, Eta" in error.value.detail
    assert "Gandalf" in error.value.detail


def test_a_server_is_tried_with_every_kind_of_request() -> None:
    with Endpoint(structured=False) as server:
        server.answer = proper
        settings = ModelSettings("test", "m", server.url, "", retries=0)
        found = list(try_requests(settings))
        assert [(t.kind, t.cause) for t in found] == [
            (kind, "") for kind in ("statement", "favor", "judgement", "strategy", "vote")
        ]
        assert {t.exchange["format"] for t in found} == {"json_object"}
        assert all(t.speed > 0 for t in found)
        server.rules.structured = True
        assert {t.exchange["format"] for t in try_requests(settings)} == {"json_schema"}


def test_the_check_before_a_table_asks_for_a_statement() -> None:
    with Endpoint() as server:
        server.answer = proper
        settings = ModelSettings("test", "m", server.url, "", connect=1.0)
        assert find_backend_error(settings) == ""
        (call,) = server.calls
        assert "statement" in (call.schema or {})["properties"]
        server.fail("broken_answer")
        assert find_backend_error(settings) == "", "an answer may fail once"
        server.fail("broken_answer", times=2)
        assert find_backend_error(settings) == "unusable"
    with Endpoint(context=50) as short:
        assert (
            find_backend_error(ModelSettings("test", "m", short.url, "", connect=1.0)) == "context"
        )


def test_facts_are_kept_as_json() -> None:
    facts = capabilities.Capabilities(
        "text", {"vote": "text"}, ("temperature",), "", "folded", 4096
    )
    assert capabilities.Capabilities.of(json.loads(json.dumps(facts.data()))) == facts
    assert capabilities.Capabilities.of({"unheard": "of"}) == capabilities.Capabilities()


def test_waiting_for_a_place_is_not_the_servers_time() -> None:
    with Endpoint(latency=0.2) as server:
        mind = asking(server, seconds=0.7, parallel=1)
        with ThreadPoolExecutor(5) as pool:
            answers = [pool.submit(mind.reply, "s", vote()) for _ in range(5)]
            assert all(a.result()["targets"] for a in answers)
        assert server.most_in_flight == 1


def test_a_window_that_closes_ends_the_waiting_for_a_place() -> None:
    with Endpoint() as server:
        mind = asking(server, parallel=1)
        server.hold()
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(mind.reply, "s", vote())
            server.wait_for(1)
            with pytest.raises(BackendError, match="busy") as error:
                mind.reply("s", vote(), 0.1)
            assert not error.value.is_mistake
            server.release()
            assert first.result()["targets"]
        assert len(server.calls) == 1


def test_a_waiter_that_repeats_a_failure_keeps_no_later_request_from_searching() -> None:
    with Endpoint(structured=False) as server:
        line = asking(server).client
        call = client.Call(messages(vote())[0], {}, "vote", time.monotonic() + 5, None)
        form = line.known.facts.form_for("vote")
        refused = client.FormRefused(
            replace(form, format="text"), BackendError("refused_request", "no")
        )
        first, line._search_failed_at, later = (time.monotonic() for _ in range(3))
        with pytest.raises(BackendError, match="no"):
            line._find_form(call, form, first, refused)
        assert not server.calls, "the search failed while it waited"
        assert line._find_form(call, form, later, refused)
        assert len(server.calls) == 1
