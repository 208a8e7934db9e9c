"""Reliability: scored before each answer, sorted by it, pruned by its evidence (SPEC 2.6)."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest

from agents.backends.house import HouseBackend
from agents.decision import BackendError, Decision, Reply, Request
from agents.llm.numbered_context import HEADINGS, UNSORTED, context, numbered_lines, positions
from agents.llm.prompting import messages
from agents.llm.reply_parsing import reply_of
from agents.llm.schemas import schema_of
from agents.mind import Mind, Note
from agents.recipe import METHODS, Recipe
from agents.reliability_scale import FACULTY as NAME
from agents.reliability_scores import current_scores, most_trusted_seat, rating_note
from agents.think import Thought, think
from game.engine.events import RECORD
from game.engine.forms import picking
from tests.agents.golden import Script
from tests.agents.table import play

HELMSMAN = Recipe(method="helmsman")


@lru_cache
def decisions() -> list[tuple[Decision, Thought]]:
    """Everything that was decided in two whole games of house players."""
    return [
        each
        for seed in ("reliable/1", "reliable/4")
        for each in play(seed, "sheriff", keep=True, recipe=HELMSMAN).decisions
    ]


def one(kind: str, day: int = 2) -> Decision:
    """The first decision of that kind on or after that day, as Helmsman's agent has it."""
    found = next(d for d, _ in decisions() if d.window.kind == kind and d.moment.day >= day)
    return replace(found, context="evidence", faculties=frozenset(HELMSMAN.faculties))


def asks(decision: Decision, reasoning: str = "together") -> Request:
    """What a model is asked before that decision."""
    seen: list[Request] = []

    def ask(step: str, request: Request) -> Reply:
        seen.append(request)
        return HouseBackend().reply(step, request)

    think(replace(HELMSMAN, backend="m", switches={"reasoning": reasoning}), decision, ask)
    return seen[-1]


def notes_of(thought: Thought) -> list[Note]:
    return [note for note in thought.notes if note.faculty == NAME]


def test_everyone_scores_all_the_others_before_each_answer_but_in_the_first_night() -> None:
    kinds = set()
    for decision, thought in decisions():
        made = notes_of(thought)
        if decision.moment.phase_number == 1 or decision.window.kind == "heir":
            assert not made
            continue
        (note,) = made
        others = {str(s) for s in decision.view.state.living() if s != decision.seat}
        assert {str(row["seat"]) for row in note.data["ratings"]} == others
        assert note.data["standing"] == (decision.window.answer_audience != RECORD)
        kinds.add(decision.window.kind)
    assert {"attack", "candidacy", "election", "statement", "pseudo_vote", "vote"} <= kinds


def test_a_line_keeps_its_number_and_holds_what_it_held() -> None:
    seen: dict[tuple[int, int], dict[int, tuple[int, str]]] = {}
    game = 0
    for number, (decision, _) in enumerate(decisions()):
        if number and decision.moment.phase_number < decisions()[number - 1][0].moment.phase_number:
            game += 1
        lines = {line.number: (line.position, line.text) for line in numbered_lines(decision)}
        before = seen.get((game, decision.seat), {})
        assert {n: lines.get(n) for n in before} == before
        seen[game, decision.seat] = lines
    assert game == 1


def sections(text: str) -> dict[str, str]:
    """heading -> what stands below it."""
    blocks = [block.partition("\n") for block in text.split("\n\n")]
    return {title: body for title, _, body in blocks}


def with_scores(decision: Decision, m: dict[int, int], upto: int, **data: Any) -> Decision:
    rows = [{"seat": s, "role": "uncertain", "confidence": c, "evidence": []} for s, c in m.items()]
    note = Note(NAME, decision.moment, {"ratings": rows, "upto": upto, "standing": True, **data})
    return replace(decision, mind=Mind((note,)))


def test_statements_are_sorted_by_who_said_them_and_by_when_one_last_scored() -> None:
    decision = replace(one("vote"), context="whole")
    lines = [line for line in numbered_lines(decision) if line.speaker]
    true, false = sorted({line.speaker for line in lines})[:2]
    late = lines[-1]
    scored = with_scores(decision, {true: 7, false: 6, late.speaker: 10}, late.position - 1)
    found = sections(context(scored))
    for line in lines:
        told = f"[{line.number}] "
        place = "true"
        if line is late or line.speaker not in (true, false, late.speaker):
            place = "open"
        elif line.speaker == false != late.speaker:
            place = "false"
        assert told in found[HEADINGS[place]], line
    for line in numbered_lines(decision):
        if not line.speaker:
            assert f"[{line.number}] {line.text}" in found[HEADINGS["facts"]]


def test_what_was_thought_for_the_record_is_no_score() -> None:
    decision = one("vote")
    asked = replace(decision, window=replace(decision.window, answer_audience=RECORD))
    row = {"role": "werewolf", "confidence": 10}
    first, second = [s for s in decision.view.state.living() if s != decision.seat][:2]
    poll = rating_note(asked, {str(first): row})
    assert current_scores(replace(asked, mind=Mind((poll,)))).by_seat.keys() == {first}, (
        "for its own answer"
    )
    later = replace(decision, window=replace(decision.window, key="later"))
    assert current_scores(replace(later, mind=Mind((poll,)))).by_seat == {}
    scored = Mind((rating_note(decision, {str(second): row}), poll))
    assert current_scores(replace(later, mind=scored)).by_seat.keys() == {second}


def test_after_a_vote_only_what_was_cited_at_it_is_kept() -> None:
    decision = one("statement", 2)
    ballots = decision.view.positions_by_kind["vote"]
    key = decision.view.events[ballots[-1] - 1]["window"]
    old = [
        line for line in numbered_lines(decision) if line.speaker and line.position < ballots[-1]
    ]
    assert len(old) > 3
    kept = old[1]
    row = {"seat": 1, "role": "seer", "confidence": 8, "evidence": [kept.position]}
    data = {"ratings": [row], "upto": 1, "standing": True}
    voted = replace(decision, mind=Mind((Note(NAME, decision.moment, data, key),)))
    shown = context(voted)
    assert [line for line in old if f"[{line.number}] " in shown] == [kept]
    facts = [line for line in numbered_lines(decision) if not line.speaker]
    assert all(f"[{line.number}] {line.text}" in shown for line in facts)
    failed = Note(NAME, decision.moment, {"failed": "timeout"}, key)
    none = context(replace(decision, mind=Mind((failed,))))
    assert not [line for line in old if f"[{line.number}] " in none]
    whole = context(replace(voted, context="whole"))
    assert all(f"[{line.number}] " in whole for line in old)


@pytest.mark.parametrize("switch", [{"sorting": "off"}, {"reasoning": "none"}])
def test_without_sorting_or_scoring_the_lines_stand_in_their_order(switch: dict[str, Any]) -> None:
    decision = replace(one("vote"), context="whole", switches=switch)
    found = sections(context(decision))
    lines = [t for t in found[UNSORTED].split("\n") if t.startswith("[")]
    assert lines == [f"[{line.number}] {line.text}" for line in numbered_lines(decision)]


def test_one_request_asks_for_the_scores_first_and_for_the_answer() -> None:
    request = asks(one("vote"))
    assert request.kind == "vote"
    schema = schema_of(request)
    assert list(schema["properties"]) == ["reason", "ratings", "choice"]
    others = [s for s in request.decision.view.state.living() if s != request.decision.seat]
    rows = schema["properties"]["ratings"]
    assert rows["minItems"] == rows["maxItems"] == len(others)
    prompt = messages(request)[0][1]["content"]
    told = [title for title in HEADINGS.values() if title in prompt]
    parts = [prompt.index(text) for text in (*told, "Go by what stands above", "You may vote")]
    assert len(told) > 1
    assert parts == sorted(parts)
    assert "Before anything" not in prompt
    assert "WHO CLAIMED WHAT" not in prompt


def test_apart_the_scores_are_asked_first_and_the_answer_reads_them() -> None:
    decision = one("vote")
    request = asks(decision, "apart")
    assert request.kind == "vote"
    assert "ratings" not in schema_of(request)["properties"]
    prompt = messages(request)[0][1]["content"]
    assert HEADINGS["open"] not in prompt, "all is judged by then"


def test_a_model_that_can_not_judge_all_at_once_is_asked_player_by_player() -> None:
    decision = one("vote")
    steps: list[str] = []

    def ask(step: str, request: Request) -> Reply:
        steps.append(step)
        if step.startswith(f"{NAME}/") and step.split("/")[1] in ("first", "repair"):
            raise BackendError("unusable", "no list of ratings")
        return HouseBackend().reply(step, request)

    thought = think(replace(HELMSMAN, switches={"reasoning": "apart"}), decision, ask)
    others = [s for s in decision.view.state.living() if s != decision.seat]
    assert steps == [
        *(f"{NAME}/{attempt}" for attempt in ("first", "repair")),
        *(f"{NAME}/{seat}/first" for seat in others),
        "answer/first",
    ]
    assert [row["seat"] for row in notes_of(thought)[0].data["ratings"]] == others
    assert not thought.answer.labels


def test_where_no_judgement_comes_the_answer_stands_and_says_so() -> None:
    decision = replace(one("vote"), mind=Mind())

    def ask(step: str, request: Request) -> Reply:
        return {k: v for k, v in HouseBackend().reply(step, request).items() if k != "ratings"}

    thought = think(HELMSMAN, decision, ask)
    assert thought.answer.action.kind in ("pick", "abstain")
    assert thought.answer.labels == (f"without:{NAME}",)
    later = with_scores(decision, {1: 5}, 1)
    assert think(HELMSMAN, later, ask).answer.labels == (f"stale:{NAME}",)


def test_evidence_is_read_as_lines_and_what_can_not_be_read_spoils_no_answer() -> None:
    request = asks(one("vote"))
    decision = request.decision
    first, *_, last = numbered_lines(decision)
    one_, two, *_ = (
        decision.view.name(s) for s in decision.view.state.living() if s != decision.seat
    )
    text = (
        f'{{"ratings": [{{"player": "{one_}", "role": "the wolf", "confidence": "8/10",'
        f' "evidence": ["[{first.number}]", {last.number}, 9999]}},'
        f' {{"player": "{two}", "role": "Seer", "confidence": 4}}],'
        f' "reason": "It fits.", "choice": "{one_}"}}'
    )
    reply = reply_of(text, request)
    (row,) = reply["ratings"].values()
    assert row == {
        "role": "werewolf",
        "confidence": 8,
        "evidence": [first.position, last.position],
    }
    assert reply["targets"]
    assert reply["unread"]


def test_the_badge_goes_to_whom_ones_own_scores_rank_highest() -> None:
    decision = one("vote")
    heir = replace(decision.window, kind="heir", legal=picking([2, 3, 4, 5]))
    own = replace(decision, window=heir, view=replace(decision.view))
    assert most_trusted_seat(with_scores(own, {3: 6, 4: 9, 5: 9}, 1)) == 4
    seats = [s for s in (2, 3, 4, 5) if s != decision.seat]
    assert most_trusted_seat(replace(own, mind=Mind())) == seats[0]

    def ask(step: str, request: Request) -> Reply:
        raise AssertionError("nobody is asked")

    best = max(seats)
    thought = think(HELMSMAN, with_scores(own, {best: 10}, 1), ask)
    assert thought.answer.action.targets == (best,)


@lru_cache
def dc_requests(method: str, context: str) -> list[Request]:
    """Everything a model is asked in a game in which nobody claims anything."""
    script = Script(lines=("It has been a long day.", "I have nothing to add."))
    recipe = Recipe("scripted", method, context=context)
    play("dc", "sheriff", recipe=recipe, ask=script.ask)
    return script.requests


@pytest.mark.parametrize(
    ("method", "context"),
    [
        *((m, "paper") for m in METHODS if m not in ("helmsman", "guarded")),  # that votes by rule
        *(("helmsman", ""), ("full", "whole")),
    ],
)
def test_the_votes_before_and_after_the_last_word_differ_in_it_alone(
    method: str, context: str
) -> None:
    """DC would measure the wording of two questions else (Helmsman, equations 8 and 9)."""
    found = {
        (r.decision.seat, r.decision.view.state.day, r.kind): (messages(r), schema_of(r))
        for r in dc_requests(method, context)
        if r.kind in ("pseudo_vote", "vote")
    }
    before = {key[:2] for key in found if key[2] == "pseudo_vote"}
    assert len(before) > 6
    for key in before:
        (asked, version), schema = found[(*key, "pseudo_vote")]
        (again, version_again), schema_again = found[(*key, "vote")]
        assert (version, schema) == (version_again, schema_again)
        assert asked[0] == again[0]
        old, new = (_lines(told) for told in (asked, again))
        assert not old - new
        spoken, *headings = sorted((new - old).elements(), key=lambda line: '"' not in line)
        assert re.search(r"player_\d says ", spoken), spoken
        # Sorted by scores, the words may be the first below their headings.
        assert all(re.fullmatch(r"-- Day \d|WHAT [A-Z ]+|", line) for line in headings), headings


def _lines(told: list[dict[str, str]]) -> Counter[str]:
    """The lines of a request but what memory points at above, which counts the last word in."""
    lines = told[1]["content"].splitlines()
    return Counter(line for line in lines if not line.startswith("Of the lines above"))


def test_a_vote_and_the_election_say_what_they_are_to_serve() -> None:
    found = {r.decision.view.role: r for r in dc_requests("helmsman", "") if r.kind == "vote"}
    asked = {role: messages(r)[0][1]["content"] for role, r in found.items()}
    assert "what serves your side best" in asked["werewolf"]
    for role in ("villager", "seer", "guard"):
        assert "most likely to be a Werewolf" in asked[role]
    election = next(r for r in dc_requests("helmsman", "") if r.kind == "election")
    assert "serve your own side best" in messages(election)[0][1]["content"]


def test_the_first_werewolf_is_told_so_and_the_second_sees_the_choice() -> None:
    first, second = [r for r in dc_requests("helmsman", "") if r.kind == "attack"][:2]
    told = [messages(r)[0][1]["content"] for r in (first, second)]
    names = [r.decision.view.name(r.decision.seat) for r in (first, second)]
    assert f"you choose first: {names[1]} sees your choice" in told[0]
    assert f"you choose second: {names[0]} has chosen player_" in told[1]
    assert "Agree, or disagree" in told[1]
    assert "Agree, or differ" not in told[0]


def test_own_seat_role_and_partner_are_facts_that_can_be_cited() -> None:
    wolf = next(r for r in dc_requests("helmsman", "") if r.kind == "attack").decision
    partner = next(s for s in wolf.view.state.holders("werewolf") if s != wolf.seat)
    facts = sections(context(wolf))[HEADINGS["facts"]].split("\n")[:3]
    assert facts == [
        f"[1] You are player_{wolf.seat}.",
        "[2] You are a Werewolf.",
        f"[3] You know the other Werewolf: player_{partner}.",
    ]
    assert {1, 2, 3} <= set(positions(wolf))
    told = [messages(r)[0][1]["content"] for r in dc_requests("helmsman", "")]
    assert not any("Nothing." in text for text in told)


def test_the_last_deduction_and_its_reasons_stand_in_the_next_request() -> None:
    requests = [
        r for r in dc_requests("helmsman", "") if r.brief.get(NAME, {}).get("requested_seats")
    ]
    first, *later = [r for r in requests if r.decision.seat == requests[0].decision.seat]
    assert "WHAT YOU LAST TOOK THEM FOR" not in messages(first)[0][1]["content"]
    told = messages(later[0])[0][1]["content"]
    block = sections(told)["WHAT YOU LAST TOOK THEM FOR, how surely and why (think it over again)"]
    asked = later[0].brief[NAME]["requested_seats"]
    assert len(block.split("\n")) == len(asked)
    assert f"player_{asked[0]}: " in block
    assert f'Your reason: "It is what number {asked[0]} would say."' in block


def test_a_reason_stands_before_ratings_and_statements() -> None:
    for request in dc_requests("helmsman", ""):
        keys = list(schema_of(request)["properties"])
        prompt = messages(request)[0][1]["content"]
        assert keys[0] == "reason"
        assert "Before anything else" not in prompt
        assert prompt.splitlines()[-1].startswith('{"reason": "…", ')
        if "ratings" in keys:
            assert keys[1] == "ratings"
            row = schema_of(request)["properties"]["ratings"]["items"]["properties"]
            assert list(row) == ["player", "reason", "role", "confidence", "evidence"]


def test_the_reason_for_a_rating_is_read_and_kept() -> None:
    request = asks(one("vote"))
    name = request.decision.view.name(request.brief[NAME]["requested_seats"][0])
    row = {"player": name, "reason": "It turned.", "role": "Seer", "confidence": 8}
    text = json.dumps({"reason": "So.", "ratings": [row], "choice": name})
    reply = reply_of(text, request)

    def ask(step: str, request: Request) -> Reply:
        return reply

    thought = think(replace(HELMSMAN, backend="m"), request.decision, ask)
    (kept,) = notes_of(thought)[0].data["ratings"]
    assert kept["reason"] == "It turned."
