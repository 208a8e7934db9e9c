"""What the contest agent reads in the talk: summary, claims, role patterns (Impressions 6)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agents.claims.claim_reading import dialogue_of, rows_of
from agents.claims.talk_summary import lines_by_rule, required_lines
from agents.decision import BackendError, Reply, Request
from agents.faculties.summary import SummaryFaculty
from agents.llm.reply_parsing import reply_of
from agents.mind import Note
from agents.packs import pack_of
from agents.recipe import FACULTIES
from agents.think import think
from game.engine import rulesets
from tests.agents.table import asking
from tests.agents.village import (
    CONTEST,
    SEER,
    before,
    dealt,
    note,
    phase,
    prompt_of,
    said_before_a_vote,
    talk,
)

# -- summary (A.7)


def test_a_summary_must_hold_every_claim_with_its_result_and_words_about_a_guard() -> None:
    texts = [line.text for line in required_lines(before(said_before_a_vote(), 1, "vote"))]
    assert "Bram claims to be the Seer." in texts
    assert "Bram, as Seer, says that Finn is a Werewolf." in texts
    assert "Cleo claims to be the Medium." in texts
    assert any(text.startswith("Ezra on day 1: I protected Bram") for text in texts)
    assert not any("Dara" in text for text in texts)
    decision = before(said_before_a_vote(), 1, "vote")
    lines = list(lines_by_rule(decision))
    assert all(required.is_in(lines) for required in required_lines(decision))
    assert all(
        required.is_in(["Bram, the seer, got black on Finn", "Cleo: medium", "Ezra saved somebody"])
        for required in required_lines(decision)
    ), "in whatever words"


LONG = (
    "I have thought about it all night long, and before anybody asks me again what I know of it: "
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("To save us some time: who looked at whom?", ""),
        ("That is a closely guarded secret, and you were guarded about it.", ""),
        ("I guarded you last night, Bram.", "I guarded you last night, Bram."),
        (f"{LONG}I protected Bram. {LONG}", "I protected Bram."),
    ],
)
def test_a_summary_must_hold_words_about_a_guard_alone_and_quotes_them(
    text: str, quoted: str
) -> None:
    decision = before([*dealt("villager", 1), *talk(1, (5, text)), phase("vote", 1)], 1, "vote")
    lines = required_lines(decision)
    assert len(lines) == bool(quoted)
    for line in lines:
        assert line.is_in([line.text])
        assert quoted in line.text
        assert len(line.text) < 130
    small = replace(decision, ruleset=rulesets.get("aiwolf-5"))
    assert not required_lines(small), "nobody protects anybody there"


def summed(*replies: Reply) -> tuple[Note, list[str]]:
    ask, steps = asking(*replies)
    (noted,) = SummaryFaculty().consider(before(said_before_a_vote(), 1, "vote"), ask)
    return noted, steps


def test_a_summary_that_drops_a_claim_is_repaired_once_and_then_completed_by_rule() -> None:
    whole = {"lines": ["Bram, as Seer: Finn is a Werewolf", "Cleo is Medium", "Ezra protected"]}
    dropped = {"lines": ["Cleo claims Medium", "Ezra protected Bram"]}
    assert summed(whole)[0].data == {"lines": whole["lines"], "upto": 4}
    repaired, steps = summed(dropped, whole)
    assert steps == ["summary/first", "summary/repair"]
    assert repaired.data["repaired"] is True
    noted, _steps = summed(dropped, dropped)
    assert noted.data["added"] == 2
    assert noted.data["lines"] == [
        *dropped["lines"], "Bram claims to be the Seer.",
        "Bram, as Seer, says that Finn is a Werewolf.",
    ]  # fmt: skip


def test_a_failed_summary_is_noted_and_labels_the_answer() -> None:
    ask, _steps = asking(BackendError("timeout"), BackendError("timeout"), {"targets": [2]})
    made = (note("character", lines=["a"]),)
    thought = think(CONTEST, before(said_before_a_vote(), 1, "vote", notes=made), ask)
    assert thought.answer.labels == ("without:summary",)


def test_earlier_days_reach_a_prompt_as_the_summary_and_today_as_it_was_said() -> None:
    events = [*said_before_a_vote(), *talk(2, (6, "Good morning to you all."))]
    notes = [note("summary", lines=["Bram says Seer, and black on Finn."], upto=4)]
    prompt = prompt_of(before(events, 1, notes=notes))
    assert '"Bram says Seer, and black on Finn."' in prompt
    assert "Good morning to you all." in prompt
    assert "Nice weather" not in prompt


# -- claims (A.9)


def test_claims_are_read_by_rule_by_a_model_or_by_both() -> None:
    events = [*dealt("villager", 1), *talk(1, (2, "I'm the Seer."), (3, "You'll see my role."))]
    medium = {"role": "medium", "targets": [], "result": ""}
    model = {"1": [], "2": [medium]}
    notes = [note("claims", rule={}, model=model, upto=2)]

    def claims(reading: str, *held: Note) -> dict[int, str]:
        return dialogue_of(before(events, 1, notes=held, switches={"claims": reading})).claims

    assert claims("rule") == {2: "seer"}
    assert claims("model", *notes) == {3: "medium"}
    assert claims("both", *notes) == {2: "seer", 3: "medium"}


def test_both_readings_are_stored_and_their_agreement_is_counted() -> None:
    rows = [
        {"number": 1, "role": "Seer", "targets": ["Finn"], "result": "werewolf"},
        {"number": 2, "role": "Villager", "targets": [], "result": ""},
        {"number": 2, "role": "Baker", "targets": [], "result": ""},
    ]
    decision = before(said_before_a_vote(), 1, "vote", switches={"claims": "model"})
    request = Request("claims", decision, {"claims": {"turns": [1, 2, 3, 4]}})
    reply = reply_of(json.dumps({"claims": rows}), request)
    assert reply["unread"] == ['"Baker" is no role of this game']
    ask, _steps = asking(reply)
    (noted,) = FACULTIES["claims"].consider(decision, ask)
    assert noted.data["rule"]["2"] == [{"role": "medium", "targets": [], "result": ""}]
    assert noted.data["model"]["2"] == [{"role": "villager", "targets": [], "result": ""}]
    assert (noted.data["alike"], noted.data["statements"]) == (1, 2)


def test_apart_each_new_statement_is_a_request_before_a_talk() -> None:
    switches = {"claims": "model", "requests": "apart"}
    decision = before([*said_before_a_vote()[:-1]], 1, switches=switches)
    ask, steps = asking(*[{"claims": []}] * 4)
    FACULTIES["claims"].consider(decision, ask)
    assert steps == [f"claims/{n}/first" for n in range(1, 5)]
    together = before([*said_before_a_vote()[:-1]], 1, switches={"claims": "model"})
    assert FACULTIES["claims"].consider(together, asking()[0]) == []


def test_the_rules_rows_tell_a_report_without_a_second_claim() -> None:
    decision = before(said_before_a_vote(), 1, "vote")
    statement = dialogue_of(decision).said[0]
    assert rows_of(statement, pack_of(decision.ruleset)) == [
        {"role": "seer", "targets": [6], "result": "werewolf"}
    ]


# -- patterns (Figure 19)


def test_patterns_are_shown_as_the_switch_says() -> None:
    events = [*dealt("villager", 1), *talk(1, (2, SEER.format("Finn", "Finn", "human")))]
    events += talk(1, (3, SEER.format("Greta", "Greta", "a Werewolf")))[1:]

    def shown(variant: str) -> str:
        return prompt_of(before(events, 1, switches={"patterns": variant}))

    going_by = "is the Seer, going by roles claimed and Werewolves reported:"
    assert f"If Cleo {going_by} Cleo: Seer; Greta: Werewolf" in shown("paper")
    assert f"If Bram {going_by} Bram: Seer; each of the others" in shown("paper")
    assert "roles claimed and results reported: Bram: Seer; Finn: " in shown("human_results")
    assert "If Bram" not in shown("off")
