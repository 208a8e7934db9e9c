"""Limited servers: each rejection leads to a plainer request, which is discovered once."""

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
from agents.backends.trial import find_backend_error, sample_requests, try_requests
from agents.decision import BackendError, Request
from agents.llm import capabilities, client
from agents.llm.prompting import build_messages
from agents.model_catalog import ModelSettings
from tests.agents.one_night_prompts import ROLES, STATEMENTS
from tests.agents.table import log_of, scene_of
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import Maker, schema_for

STATUSES = (400, 404, 415, 422, 500, 501)


def valid_answer(call: Call) -> str:
    """Return an instance of the schema in the request, or a vote for Beta without a schema."""
    schema = schema_for(call)
    return Maker(schema, call.seed).json() if schema else json.dumps({"choice": "Beta"})


def backend_for(endpoint: Endpoint, **more: Any) -> OpenAIBackend:
    endpoint.answer = valid_answer
    options = {"seconds": 5.0, "connect": 1.0, "retries": 0, **more}
    return OpenAIBackend(ModelSettings("test", "m", endpoint.url, "", **options))


def vote() -> Request:
    return Request("vote", scene_of(log_of(ROLES, *STATEMENTS), 3, kind="vote"), {})


def formats(endpoint: Endpoint) -> list[str]:
    return [str(c.format.get("type", "text")) for c in endpoint.calls]


@pytest.mark.parametrize("explains", [True, False])
@pytest.mark.parametrize("status", STATUSES)
def test_format_rejected_with_any_status_falls_back_to_a_plainer_one(
    status: int, explains: bool
) -> None:
    with Endpoint(structured=False, json_mode=False, refusal=status, explains=explains) as server:
        mind = backend_for(server)
        assert mind.reply("s", vote())["targets"]
        assert formats(server) == ["json_schema", "json_object", "text"]
        assert "JSON schema" in server.calls[-1].prompt
        exchange = mind.reply("s", vote())["exchange"]
        assert formats(server)[3:] == ["text"], "the second request reuses the result"
        assert exchange["format"] == "text"
        assert exchange["messages"] == server.calls[-1].messages


def test_prose_reply_falls_back_to_a_plainer_format() -> None:
    with Endpoint(heeds=False) as server:
        mind = backend_for(server)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        assert formats(server) == ["json_schema", "json_object", "text", "text"]


def test_prose_after_working_json_does_not_change_the_format() -> None:
    with Endpoint() as server:
        mind = backend_for(server)
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


def test_schema_rejected_for_one_kind_stays_in_use_for_others() -> None:
    with Endpoint() as server:
        mind = backend_for(server)
        mind.reply("s", vote())
        judgement = sample_requests()["judgement"]
        server.fail("http400", when=lambda call: call.schema is not None, times=9)
        mind.reply("s", judgement)
        server.fail("http400", when=lambda call: False)
        assert formats(server) == ["json_schema", "json_schema", "json_object"]
        assert mind.client.capabilities.current.form_for("judgement").format == "json_object"
        for kind in ("vote", "poll"):
            assert mind.client.capabilities.current.form_for(kind).format == "json_schema"


@pytest.mark.parametrize(
    ("rules", "more", "dropped"),
    [
        ({"refuses": ("temperature",)}, {}, ["temperature"]),
        ({"refuses": ("reasoning_effort",)}, {"reasoning_effort": "low"}, ["reasoning_effort"]),
        ({"refuses": ("top_k",)}, {"extra": {"top_k": 40, "min_p": 0.1}}, ["top_k"]),
        ({"refuses": ("temperature", "top_k")}, {"extra": {"top_k": 4}}, ["temperature", "top_k"]),
    ],
)
def test_rejected_parameters_are_dropped(
    rules: dict[str, Any], more: dict[str, Any], dropped: list[str]
) -> None:
    with Endpoint(**rules) as server:
        mind = backend_for(server, **more)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        assert len(server.calls) == 2 + len(dropped)
        body = server.calls[-1].body
        assert not set(dropped) & set(body)
        parameters = {"temperature": 1.0, **more.get("extra", {})}
        assert {k: body[k] for k in parameters if k not in dropped} == {
            k: v for k, v in parameters.items() if k not in dropped
        }
        assert sorted(mind.client.capabilities.current.dropped) == sorted(dropped)


@pytest.mark.parametrize(
    ("refuses", "expected"),
    [
        (("max_tokens",), {"max_completion_tokens": 300}),
        (("max_tokens", "max_completion_tokens"), {}),
        ((), {"max_tokens": 300}),
    ],
)
def test_token_limit_uses_the_parameter_the_server_accepts(
    refuses: tuple[str, ...], expected: dict[str, int]
) -> None:
    with Endpoint(refuses=refuses) as server:
        mind = backend_for(server, max_tokens=300)
        for _ in range(2):
            assert mind.reply("s", vote())["targets"]
        body = server.calls[-1].body
        assert {k: v for k, v in body.items() if k.startswith("max_")} == expected
        assert len(server.calls) == 2 + len(refuses)


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("rules", [{"system": False}, {"alternate": True}])
def test_unsupported_message_roles_are_merged_into_user_messages(
    rules: dict[str, Any], status: int
) -> None:
    with Endpoint(**rules, refusal=status) as server:
        mind = backend_for(server)
        mind.reply("s", vote())
        repair_request = Request(
            "vote", vote().decision, {"refused": "no such player", "answered": "{}"}
        )
        mind.reply("s", repair_request)
        assert [c.status for c in server.calls] == [status, 200, 200]
        assert [m["role"] for m in server.calls[-1].messages] == ["user", "assistant", "user"]
        assert "You are Gamma" in server.calls[-1].messages[0]["content"]


def test_message_roles_alternate() -> None:
    with Endpoint() as server:
        backend_for(server).reply(
            "s", Request("vote", vote().decision, {"refused": "it was empty"})
        )
        (call,) = server.calls
        assert [m["role"] for m in call.messages] == ["system", "user"]
        assert "it was empty" in call.messages[-1]["content"]


def test_eight_concurrent_requests_search_for_a_format_once() -> None:
    with Endpoint(structured=False, json_mode=False, refuses=("temperature",)) as server:
        mind = backend_for(server, seconds=20.0)
        barrier = threading.Barrier(8)
        server.hold()

        def send_vote() -> object:
            barrier.wait()
            return mind.reply("s", vote())["targets"]

        with ThreadPoolExecutor(8) as pool:
            answers = [pool.submit(send_vote) for _ in range(8)]
            server.wait_for(8)
            server.release()
            assert all(a.result() for a in answers)
        counts = Counter(formats(server))
        assert counts["json_schema"] <= 9, "eight rejections, and one request without temperature"
        assert counts["json_object"] == 1
        assert counts["text"] == 8
        assert len(server.calls) <= 18


def test_discovered_capabilities_survive_a_restart() -> None:
    with Endpoint(structured=False, refuses=("temperature",), system=False) as server:
        backend_for(server).reply("s", vote())
        before = len(server.calls)
        backend_of._clients.clear()
        backend_for(server).reply("s", vote())
        assert len(server.calls) == before + 1
        assert server.calls[-1].status == 200


def test_capabilities_of_another_address_are_not_used() -> None:
    with Endpoint(structured=False) as limited, Endpoint() as full:
        backend_for(limited).reply("s", vote())
        backend_for(full).reply("s", vote())
        assert formats(full) == ["json_schema"]


LONG = [
    (1 + i % 8, f"Line number {i} of a long talk about who may be the wolf.") for i in range(80)
]


def long_vote() -> Request:
    return Request("vote", scene_of(log_of(ROLES, *LONG), 3, kind="vote"), {})


def test_oldest_talk_is_left_out_if_the_context_is_too_short() -> None:
    whole_size = estimate_tokens(build_messages(long_vote())[0])
    with Endpoint(context=int(whole_size * 0.7)) as server:
        mind = backend_for(server, max_tokens=50)
        reply = mind.reply("s", long_vote())
        assert reply["labels"] == ["left-out"]
        left_out = reply["exchange"]["left_out"]
        assert 0 < left_out < len(LONG)
        prompt = server.calls[-1].prompt
        assert "(some of its talk is left out here)" in prompt
        assert LONG[-1][1] in prompt
        assert LONG[left_out][1] in prompt
        assert LONG[left_out - 1][1] not in prompt
        rejections = sum(c.status == 400 for c in server.calls)
        mind.reply("s", long_vote())
        assert sum(c.status == 400 for c in server.calls) == rejections, (
            "the limit of the server is known"
        )


def test_configured_context_is_respected_without_extra_requests() -> None:
    with Endpoint() as server:
        mind = backend_for(server, context=1800, max_tokens=300)
        reply = mind.reply("s", long_vote())
        assert reply["labels"] == ["left-out"]
        assert len(server.calls) == 1
        assert estimate_tokens(server.calls[0].messages) <= 1500  # type: ignore[arg-type]
        assert mind.reply("s", vote())["labels"] == []


def test_context_too_short_for_any_talk_is_an_error() -> None:
    with Endpoint(context=50) as server, pytest.raises(BackendError) as error:
        backend_for(server).reply("s", long_vote())
    assert error.value.cause == "context"
    assert not error.value.is_mistake


@pytest.mark.parametrize("fault", ["reset", "garbage", "html", "http503", "http429"])
def test_transport_failure_repeats_the_same_request(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original_backoff = client.backoff_s
    monkeypatch.setattr(client, "backoff_s", lambda count: original_backoff(count) / 20)
    with Endpoint(retry_after=0) as server:
        mind = backend_for(server, retries=2)
        server.fail(fault, times=2)
        assert mind.reply("s", vote())["exchange"]["retries"] == 2
        bodies = [c.body for c in server.calls]
        assert bodies == bodies[:1] * 3
        server.fail(fault, times=9)
        with pytest.raises(BackendError) as error:
            mind.reply("s", vote())
        assert not error.value.is_mistake


def test_server_that_asks_for_a_long_wait_is_not_asked_again() -> None:
    with Endpoint() as server:
        server.fail("http429_long", times=9)
        with pytest.raises(BackendError) as error:
            backend_for(server, retries=2).reply("s", vote())
        assert (error.value.cause, server.count) == ("rate", 1)


def test_request_is_repeated_after_the_time_that_the_server_asks_for() -> None:
    with Endpoint(retry_after=1) as server:
        server.fail("http429")
        began = time.monotonic()
        assert backend_for(server, retries=1).reply("s", vote())["targets"]
        assert time.monotonic() - began >= 1
        assert server.count == 2


def test_broken_connection_is_reopened() -> None:
    with Endpoint() as server:
        mind = backend_for(server, retries=1)
        mind.reply("s", vote())
        server.fail("reset")
        assert mind.reply("s", vote())["targets"]


def test_illegal_choice_error_lists_the_legal_ones() -> None:
    with Endpoint() as server:
        mind = backend_for(server)
        server.say(json.dumps({"choice": "Gandalf"}))
        with pytest.raises(BackendError) as error:
            mind.reply("s", vote())
    assert (error.value.cause, error.value.is_mistake) == ("illegal", True)
    assert "Alpha, Beta, Delta, Epsilon, Theta, Zeta, Eta" in error.value.detail
    assert "Gandalf" in error.value.detail


def test_server_trial_covers_every_request_kind() -> None:
    with Endpoint(structured=False) as server:
        server.answer = valid_answer
        settings = ModelSettings("test", "m", server.url, "", retries=0)
        trials = list(try_requests(settings))
        assert [(t.kind, t.cause) for t in trials] == [
            (kind, "") for kind in ("statement", "favor", "judgement", "strategy", "vote")
        ]
        assert {t.exchange["format"] for t in trials} == {"json_object"}
        assert all(t.tokens_per_second > 0 for t in trials)
        server.rules.structured = True
        assert {t.exchange["format"] for t in try_requests(settings)} == {"json_schema"}


def test_check_before_a_game_requests_a_statement() -> None:
    with Endpoint() as server:
        server.answer = valid_answer
        settings = ModelSettings("test", "m", server.url, "", connect=1.0)
        assert find_backend_error(settings) == ""
        (call,) = server.calls
        assert "statement" in (call.schema or {})["properties"]
        server.fail("broken_answer")
        assert find_backend_error(settings) == "", "one failed answer is allowed"
        server.fail("broken_answer", times=2)
        assert find_backend_error(settings) == "unusable"
    with Endpoint(context=50) as limited:
        assert (
            find_backend_error(ModelSettings("test", "m", limited.url, "", connect=1.0))
            == "context"
        )


def test_capabilities_survive_json_serialization() -> None:
    facts = capabilities.Capabilities(
        "text", ("temperature",), "", "folded", {"vote": "text"}, 4096
    )
    assert capabilities.Capabilities.of(json.loads(json.dumps(facts.data()))) == facts
    assert capabilities.Capabilities.of({"unheard": "of"}) == capabilities.Capabilities()


def test_queueing_time_does_not_count_as_server_time() -> None:
    with Endpoint(latency=0.2) as server:
        mind = backend_for(server, seconds=0.7, parallel=1)
        with ThreadPoolExecutor(5) as pool:
            answers = [pool.submit(mind.reply, "s", vote()) for _ in range(5)]
            assert all(a.result()["targets"] for a in answers)
        assert server.most_in_flight == 1


def test_closing_window_ends_queueing() -> None:
    with Endpoint() as server:
        mind = backend_for(server, parallel=1)
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


def test_repeated_failure_does_not_block_a_later_format_search() -> None:
    with Endpoint(structured=False) as server:
        server_client = backend_for(server).client
        call = client.Call(build_messages(vote())[0], {}, "vote", time.monotonic() + 5, None)
        form = server_client.capabilities.current.form_for("vote")
        rejection = client.FormRefused(
            replace(form, format="text"), BackendError("refused_request", "no")
        )
        first, server_client._search_failed_at, later = (time.monotonic() for _ in range(3))
        with pytest.raises(BackendError, match="no"):
            server_client._complete_by_search(call, form, first, rejection)
        assert not server.calls, "the search failed while this request waited"
        assert server_client._complete_by_search(call, form, later, rejection)
        assert len(server.calls) == 1
