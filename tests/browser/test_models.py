"""Tests of a game against language models in a browser, with a worker killed in requests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.table import Person, get_game_code
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.answers import Maker
from tests.live import Stack, wait_until

KEY = "sk-not-to-be-seen"


def answer_with_least_favor(call: Call) -> str:
    """Return an answer of the schema. A favor request gives everyone the lowest score."""
    text = shaped(call)
    if call.schema is None or call.format["json_schema"]["name"] != "favor":
        return text
    row = call.schema["properties"]["scores"]["items"]
    names = row["properties"]["player"]["enum"]
    scores = [{**Maker(row, call.seed).make(row), "player": name, "score": 1} for name in names]
    return json.dumps({**json.loads(text), "scores": scores})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(
        key=KEY, models=["tested"], latency=0.02, answer=answer_with_least_favor
    ) as server:
        yield server


@pytest.fixture(scope="module")
def stack(endpoint: Endpoint) -> Iterator[Stack]:
    """Run a Fabula that has a language model."""
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "tested"}
    with Stack(env=env) as running:
        yield running


def face_classes(page: Page) -> list[str]:
    faces = page.locator("#seats .badge-face")
    return [str(faces.nth(n).get_attribute("class")) for n in range(faces.count())]


def go_to_agent_line(page: Page) -> None:
    """Go to the first line of round 3 by an agent, because people have no mind panel."""
    expect(page.locator("#roll")).to_be_visible()  # the scripts have started
    page.locator("#chapters a", has_text="Round 3").click()
    own_seat = page.locator("#seats .is-me").get_attribute("id")
    for _ in range(2 if own_seat == "seat-1" else 1):  # seat 1 speaks first
        page.keyboard.press("ArrowRight")


OPEN_MODEL_TABLE = """
import uuid
from agents.recipe import Recipe
from webapp.play.tables import opening as tables
print(tables.open_table(
    uuid.uuid4(), tables.TableOptions(mode="watch", pace="instant", recipe=Recipe("openai"))
).code)
"""
OPEN_HOUSE_TABLE = OPEN_MODEL_TABLE.replace("openai", "house")
READ_REQUESTS = """
import json
from webapp.play.models import LLMCall
rows = LLMCall.objects.filter(game__code="CODE").exclude(backend="house")
open = [[r.window, r.seat, r.step] for r in rows if r.reply is None and not r.failure]
again = [[r.window, r.seat, r.step] for r in rows if (r.exchange or {}).get("again")]
print(json.dumps([sorted(open), sorted(again)]))
"""


def read_requests(stack: Stack, code: str) -> tuple[list[list[object]], list[list[object]]]:
    """Return the requests without an answer, and the repeated ones."""
    unanswered, repeated = json.loads(
        stack.shell(READ_REQUESTS.replace("CODE", code)).splitlines()[-1]
    )
    return unanswered, repeated


def kill_during_requests(
    stack: Stack, endpoint: Endpoint, code: str, person: Person
) -> list[list[object]]:
    """Kill the worker after the person's statement. Return the requests in flight.

    Replies are held from before the statement, else all others may have spoken before the page
    shows it.
    """
    endpoint.hold()
    person.answer_once()
    wait_until(lambda: endpoint.in_flight > 0, "a request is in flight")
    stack.kill("worker")
    unanswered, repeated = read_requests(stack, code)
    assert unanswered
    assert not repeated
    endpoint.release()
    stack.start("worker")
    return unanswered


def check_log(stack: Stack, code: str) -> None:
    """Check that every statement is there once, and none is a stand-in's."""
    lines = stack.manage("transcript", code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statement_windows = [e["data"]["window"] for e in log if e["kind"] == "statement"]
    assert len(statement_windows) == len(set(statement_windows)) == 24
    labels = {label for e in log for label in e["labels"]}
    assert not [label for label in labels if "crash" in label or "timeout" in label]


def check_minds(page: Page) -> None:
    page.locator("#end #replay").click()
    go_to_agent_line(page)
    expect(page.locator(".grid-heat tbody tr")).to_have_count(7)
    asking = page.locator(".asking", has_text="tested").last
    asking.locator("> summary").click()
    expect(asking).to_contain_text("tested")
    expect(asking.locator(".long").first).not_to_be_empty()
    assert KEY not in page.content()


def test_game_survives_a_killed_worker_and_replay_shows_minds(
    stack: Stack, chromium: Browser, endpoint: Endpoint
) -> None:
    """Faces change meanwhile. Only requests in flight are repeated."""
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        person = Person(context.new_page())
        page = person.page
        code = get_game_code(person.open_table(stack.url))
        faces_before = face_classes(page)
        assert len(faces_before) == 7
        person.play_until_turn()
        unanswered = kill_during_requests(stack, endpoint, code, person)
        person.play(lambda: len(person.said) == 2)
        page.wait_for_function(
            "before => [...document.querySelectorAll('#seats .badge-face')]"
            ".some((face, n) => face.className !== before[n])",
            arg=faces_before,
        )
        person.play(person.is_over)
        check_minds(page)
        assert not person.errors
    assert {call.model for call in endpoint.calls if call.messages} == {"tested"}
    kinds = Counter(call.format.get("json_schema", {}).get("name") for call in endpoint.calls)
    assert {"favor", "judgement", "strategy", "statement", "vote", "choice"} <= set(kinds)
    check_log(stack, code)
    assert read_requests(stack, code) == ([], unanswered), (
        "exactly the requests in flight are repeated"
    )
    bodies = Counter(call.seed for call in endpoint.calls)
    assert sum(n - 1 for n in bodies.values()) <= len(unanswered), "no other request is repeated"


def test_hanging_model_does_not_block_other_tables(stack: Stack, endpoint: Endpoint) -> None:
    endpoint.hold()
    try:
        for _ in range(3):
            stack.shell(OPEN_MODEL_TABLE)
        wait_until(lambda: endpoint.in_flight >= 3, "three tables wait for their models")
        house_game = stack.shell(OPEN_HOUSE_TABLE).strip().splitlines()[-1]
        wait_until(
            lambda: '"game_over"' in stack.manage("transcript", house_game),
            "the house game ends",
            240,
            1.0,
        )
        assert endpoint.in_flight >= 3, "the model tables still wait"
    finally:
        endpoint.release()
