"""Reliability ratings before each answer, sorting by rating, pruning by evidence (SPEC 2.6)."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from agents.backends.house import HouseBackend
from agents.decision import BackendError, Decision, Mind, Note, Reply, Request
from agents.faculties.reliability import current_scores, most_trusted_seat, rating_note
from agents.llm.numbered_context import (
    FACTS_HEADING,
    HEADING_BY_BELIEF,
    UNSORTED_HEADING,
    format_numbered_lines,
    number_lines,
)
from agents.llm.prompting import build_messages
from agents.llm.reply_parsing import parse_reply
from agents.llm.schemas import build_schema
from agents.recipe import METHODS, Recipe
from agents.reliability_scale import FACULTY as NAME
from agents.think import Thought, think
from game.engine.events import RECORD
from game.engine.forms import picking
from tests.agents.golden import Script
from tests.agents.table import play

HELMSMAN = Recipe(method="helmsman")


@lru_cache
def decisions() -> list[tuple[Decision, Thought]]:
    """Return all decisions of two whole games of house players."""
    return [
        each
        for seed in ("reliable/1", "reliable/4")
        for each in play(seed, "sheriff", keep=True, recipe=HELMSMAN).decisions
    ]


def decision_of(kind: str, day: int = 2) -> Decision:
    """Return the first decision of `kind` from `day` on, with Helmsman's settings."""
    decision = next(d for d, _ in decisions() if d.window.kind == kind and d.moment.day >= day)
    return replace(decision, context="evidence", faculties=frozenset(HELMSMAN.faculties))


def last_request_of(decision: Decision, reasoning: str = "together") -> Request:
    """Return the last request to a model for that decision."""
    requests: list[Request] = []

    def ask(step: str, request: Request) -> Reply:
        requests.append(request)
        return HouseBackend().reply(step, request)

    think(replace(HELMSMAN, backend="m", switches={"reasoning": reasoning}), decision, ask)
    return requests[-1]


def notes_of(thought: Thought) -> list[Note]:
    return [note for note in thought.notes if note.faculty == NAME]


def test_agents_rate_all_others_before_each_answer_after_night_1() -> None:
    kinds = set()
    for decision, thought in decisions():
        notes = notes_of(thought)
        if decision.moment.phase_number == 1 or decision.window.kind == "heir":
            assert not notes
            continue
        (note,) = notes
        other_seats = {str(s) for s in decision.view.state.living() if s != decision.seat}
        assert {str(row["seat"]) for row in note.data["ratings"]} == other_seats
        assert note.data["standing"] == (decision.window.answer_audience != RECORD)
        kinds.add(decision.window.kind)
    assert {"attack", "candidacy", "election", "statement", "pseudo_vote", "vote"} <= kinds


def test_context_lines_keep_their_number_and_text() -> None:
    lines_by_seat: dict[tuple[int, int], dict[int, tuple[int, str]]] = {}
    game = 0
    for number, (decision, _) in enumerate(decisions()):
        if number and decision.moment.phase_number < decisions()[number - 1][0].moment.phase_number:
            game += 1
        lines = {line.number: (line.position, line.text) for line in number_lines(decision)}
        earlier = lines_by_seat.get((game, decision.seat), {})
        assert {n: lines.get(n) for n in earlier} == earlier
        lines_by_seat[game, decision.seat] = lines
    assert game == 1


def sections(text: str) -> dict[str, str]:
    """Map headings to the text below them."""
    blocks = [block.partition("\n") for block in text.split("\n\n")]
    return {title: body for title, _, body in blocks}


def with_scores(
    decision: Decision, scores: dict[int, int], log_up_to: int, **data: Any
) -> Decision:
    rows = [
        {"seat": s, "role": "uncertain", "confidence": c, "evidence": []} for s, c in scores.items()
    ]
    note = Note(
        NAME, decision.moment, {"ratings": rows, "upto": log_up_to, "standing": True, **data}
    )
    return replace(decision, mind=Mind((note,)))


def test_statements_are_sorted_by_speaker_rating_and_age() -> None:
    decision = replace(decision_of("vote"), context="whole")
    lines = [line for line in number_lines(decision) if line.speaker]
    trusted, distrusted = sorted({line.speaker for line in lines})[:2]
    late = lines[-1]
    scored = with_scores(decision, {trusted: 7, distrusted: 6, late.speaker: 10}, late.position - 1)
    blocks = sections(format_numbered_lines(scored))
    for line in lines:
        label = f"[{line.number}] "
        is_believed: bool | None = True
        if line is late or line.speaker not in (trusted, distrusted, late.speaker):
            is_believed = None
        elif line.speaker == distrusted != late.speaker:
            is_believed = False
        assert label in blocks[HEADING_BY_BELIEF[is_believed]], line
    for line in number_lines(decision):
        if not line.speaker:
            assert f"[{line.number}] {line.text}" in blocks[FACTS_HEADING]


def test_ratings_for_the_record_are_not_used_as_scores() -> None:
    decision = decision_of("vote")
    poll_decision = replace(decision, window=replace(decision.window, answer_audience=RECORD))
    row = {"role": "werewolf", "confidence": 10}
    first, second = [s for s in decision.view.state.living() if s != decision.seat][:2]
    poll = rating_note(poll_decision, {str(first): row})
    assert current_scores(replace(poll_decision, mind=Mind((poll,)))).by_seat.keys() == {first}, (
        "counts for its own answer"
    )
    later = replace(decision, window=replace(decision.window, key="later"))
    assert current_scores(replace(later, mind=Mind((poll,)))).by_seat == {}
    mind = Mind((rating_note(decision, {str(second): row}), poll))
    assert current_scores(replace(later, mind=mind)).by_seat.keys() == {second}


def test_only_cited_statements_are_kept_after_a_vote() -> None:
    decision = decision_of("statement", 2)
    ballots = decision.view.positions_by_kind["vote"]
    key = decision.view.events[ballots[-1] - 1]["window"]
    old = [line for line in number_lines(decision) if line.speaker and line.position < ballots[-1]]
    assert len(old) > 3
    cited = old[1]
    row = {"seat": 1, "role": "seer", "confidence": 8, "evidence": [cited.position]}
    data = {"ratings": [row], "upto": 1, "standing": True}
    voter_decision = replace(decision, mind=Mind((Note(NAME, decision.moment, data, key),)))
    text = format_numbered_lines(voter_decision)
    assert [line for line in old if f"[{line.number}] " in text] == [cited]
    facts = [line for line in number_lines(decision) if not line.speaker]
    assert all(f"[{line.number}] {line.text}" in text for line in facts)
    failure_note = Note(NAME, decision.moment, {"failed": "timeout"}, key)
    text_after_failure = format_numbered_lines(replace(decision, mind=Mind((failure_note,))))
    assert not [line for line in old if f"[{line.number}] " in text_after_failure]
    whole_text = format_numbered_lines(replace(voter_decision, context="whole"))
    assert all(f"[{line.number}] " in whole_text for line in old)


@pytest.mark.parametrize("switch", [{"sorting": "off"}, {"reasoning": "none"}])
def test_lines_stay_in_order_without_sorting_or_scoring(switch: dict[str, Any]) -> None:
    decision = replace(decision_of("vote"), context="whole", switches=switch)
    blocks = sections(format_numbered_lines(decision))
    lines = [t for t in blocks[UNSORTED_HEADING].split("\n") if t.startswith("[")]
    assert lines == [f"[{line.number}] {line.text}" for line in number_lines(decision)]


def test_each_other_living_player_needs_a_rating() -> None:
    request = last_request_of(decision_of("vote"))
    rows = build_schema(request)["properties"]["ratings"]
    others = len(request.decision.view.state.living()) - 1
    assert (rows["minItems"], rows["maxItems"]) == (others, others)


def test_apart_mode_requests_ratings_before_the_answer() -> None:
    decision = decision_of("vote")
    request = last_request_of(decision, "apart")
    assert request.kind == "vote"
    assert "ratings" not in build_schema(request)["properties"]
    prompt = build_messages(request)[0][1]["content"]
    assert HEADING_BY_BELIEF[None] not in prompt, "all players are rated by then"


def test_failed_joint_rating_is_requested_player_by_player() -> None:
    decision = decision_of("vote")
    steps: list[str] = []

    def ask(step: str, request: Request) -> Reply:
        steps.append(step)
        if step.startswith(f"{NAME}/") and step.split("/")[1] in ("first", "repair"):
            raise BackendError("unusable", "no list of ratings")
        return HouseBackend().reply(step, request)

    thought = think(replace(HELMSMAN, switches={"reasoning": "apart"}), decision, ask)
    other_seats = [s for s in decision.view.state.living() if s != decision.seat]
    assert steps == [
        *(f"{NAME}/{attempt}" for attempt in ("first", "repair")),
        *(f"{NAME}/{seat}/first" for seat in other_seats),
        "answer/first",
    ]
    assert [row["seat"] for row in notes_of(thought)[0].data["ratings"]] == other_seats
    assert not thought.answer.labels


def test_answer_without_ratings_is_labeled() -> None:
    decision = replace(decision_of("vote"), mind=Mind())

    def ask(step: str, request: Request) -> Reply:
        return {k: v for k, v in HouseBackend().reply(step, request).items() if k != "ratings"}

    thought = think(HELMSMAN, decision, ask)
    assert thought.answer.action.kind in ("pick", "abstain")
    assert thought.answer.labels == (f"without:{NAME}",)
    later = with_scores(decision, {1: 5}, 1)
    assert think(HELMSMAN, later, ask).answer.labels == (f"stale:{NAME}",)


def test_evidence_is_parsed_and_unreadable_rows_are_dropped() -> None:
    request = last_request_of(decision_of("vote"))
    decision = request.decision
    first, *_, last = number_lines(decision)
    first_name, second_name, *_ = (
        decision.view.name(s) for s in decision.view.state.living() if s != decision.seat
    )
    text = (
        f'{{"ratings": [{{"player": "{first_name}", "role": "the wolf", "confidence": "8/10",'
        f' "evidence": ["[{first.number}]", {last.number}, 9999]}},'
        f' {{"player": "{second_name}", "role": "Seer", "confidence": 4}}],'
        f' "reason": "It fits.", "choice": "{first_name}"}}'
    )
    reply = parse_reply(text, request)
    (row,) = reply["ratings"].values()
    assert row == {"role": "werewolf", "confidence": 8, "evidence": [first.position, last.position]}
    assert reply["targets"]
    assert reply["unread"]


def test_badge_goes_to_the_most_trusted_seat() -> None:
    decision = decision_of("vote")
    heir = replace(decision.window, kind="heir", legal=picking([2, 3, 4, 5]))
    own = replace(decision, window=heir, view=replace(decision.view))
    assert most_trusted_seat(with_scores(own, {3: 6, 4: 9, 5: 9}, 1)) == 4
    seats = [s for s in (2, 3, 4, 5) if s != decision.seat]
    assert most_trusted_seat(replace(own, mind=Mind())) == seats[0]

    def ask(step: str, request: Request) -> Reply:
        raise AssertionError("no request is expected")

    best = max(seats)
    thought = think(HELMSMAN, with_scores(own, {best: 10}, 1), ask)
    assert thought.answer.action.targets == (best,)


@lru_cache
def dc_requests(method: str, context: str) -> list[Request]:
    """Return all requests of a game without role claims."""
    script = Script(lines=("It has been a long day.", "I have nothing to add."))
    recipe = Recipe("scripted", method, context=context)
    play("dc", "sheriff", recipe=recipe, ask=script.ask)
    return script.requests


@pytest.mark.parametrize(
    ("method", "context"),
    [
        *(
            (m, "paper") for m in METHODS if m not in ("helmsman", "guarded")
        ),  # guarded votes by rule
        *(("helmsman", ""), ("full", "whole")),
    ],
)
def test_vote_prompts_differ_only_by_the_last_statement(method: str, context: str) -> None:
    """Otherwise DC would measure the wording of two prompts (Helmsman, equations 8 and 9)."""
    prompts = {
        (r.decision.seat, r.decision.view.state.day, r.kind): (build_messages(r), build_schema(r))
        for r in dc_requests(method, context)
        if r.kind in ("pseudo_vote", "vote")
    }
    before = {key[:2] for key in prompts if key[2] == "pseudo_vote"}
    assert len(before) > 6
    for key in before:
        (poll_messages, version), schema = prompts[(*key, "pseudo_vote")]
        (vote_messages, version_again), schema_again = prompts[(*key, "vote")]
        assert (version, schema) == (version_again, schema_again)
        assert poll_messages[0] == vote_messages[0]
        poll_lines, vote_lines = (
            _lines(prompt_messages) for prompt_messages in (poll_messages, vote_messages)
        )
        assert not poll_lines - vote_lines
        statement, *headings = sorted(
            (vote_lines - poll_lines).elements(), key=lambda line: '"' not in line
        )
        assert re.search(r"player_\d says ", statement), statement
        # With sorting, the statement may be the first below its heading.
        assert all(re.fullmatch(r"-- Day \d|WHAT [A-Z ]+|", line) for line in headings), headings


def _lines(prompt_messages: list[dict[str, str]]) -> Counter[str]:
    """Return the lines of a request without the memory hint, which counts the last statement."""
    lines = prompt_messages[1]["content"].splitlines()
    return Counter(line for line in lines if not line.startswith("Of the lines above"))


def test_vote_and_election_prompts_state_their_purpose() -> None:
    requests_by_role = {
        r.decision.view.role: r for r in dc_requests("helmsman", "") if r.kind == "vote"
    }
    prompts = {role: build_messages(r)[0][1]["content"] for role, r in requests_by_role.items()}
    assert "what serves your side best" in prompts["werewolf"]
    for role in ("villager", "seer", "guard"):
        assert "most likely to be a Werewolf" in prompts[role]
    election = next(r for r in dc_requests("helmsman", "") if r.kind == "election")
    assert "serve your own side best" in build_messages(election)[0][1]["content"]


def test_reason_of_a_rating_is_parsed_and_stored() -> None:
    request = last_request_of(decision_of("vote"))
    name = request.decision.view.name(request.brief[NAME]["requested_seats"][0])
    row = {"player": name, "reason": "It turned.", "role": "Seer", "confidence": 8}
    text = json.dumps({"reason": "So.", "ratings": [row], "choice": name})
    reply = parse_reply(text, request)

    def ask(step: str, request: Request) -> Reply:
        return reply

    thought = think(replace(HELMSMAN, backend="m"), request.decision, ask)
    (stored,) = notes_of(thought)[0].data["ratings"]
    assert stored["reason"] == "It turned."
