"""The contest agent's reading of the talk: summary, claims, role patterns (Impressions 6)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agents.claims.claim_reading import claim_rows, dialogue_of
from agents.claims.talk_summary import lines_by_rule, required_lines
from agents.decision import BackendError, Note, Reply, Request
from agents.faculties.talk_reading import SummaryFaculty
from agents.llm.reply_parsing import parse_reply
from agents.packs import pack_of
from agents.recipe import FACULTIES
from agents.think import think
from game.engine import rulesets
from tests.agents.table import scripted_ask
from tests.agents.village import (
    CONTEST,
    SEER,
    deal,
    events_before_vote,
    note,
    phase,
    prompt_of,
    scene,
    talk,
)

# -- summary (A.7)


def test_summary_requires_claims_results_and_guard_statements() -> None:
    texts = [line.text for line in required_lines(scene(events_before_vote(), 1, "vote"))]
    assert "Bram claims to be the Seer." in texts
    assert "Bram, as Seer, says that Finn is a Werewolf." in texts
    assert "Cleo claims to be the Medium." in texts
    assert any(text.startswith("Ezra on day 1: I protected Bram") for text in texts)
    assert not any("Dara" in text for text in texts)
    decision = scene(events_before_vote(), 1, "vote")
    lines = list(lines_by_rule(decision))
    assert all(required.is_in(lines) for required in required_lines(decision))
    assert all(
        required.is_in(["Bram, the seer, got black on Finn", "Cleo: medium", "Ezra saved somebody"])
        for required in required_lines(decision)
    ), "the wording is free"


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
def test_summary_requires_and_quotes_only_guard_statements(text: str, quoted: str) -> None:
    decision = scene([*deal("villager", 1), *talk(1, (5, text)), phase("vote", 1)], 1, "vote")
    lines = required_lines(decision)
    assert len(lines) == bool(quoted)
    for line in lines:
        assert line.is_in([line.text])
        assert quoted in line.text
        assert len(line.text) < 130
    small = replace(decision, ruleset=rulesets.get("aiwolf-5"))
    assert not required_lines(small), "aiwolf-5 has no Bodyguard"


def summarize(*replies: Reply) -> tuple[Note, list[str]]:
    ask, steps = scripted_ask(*replies)
    (summary_note,) = SummaryFaculty().consider(scene(events_before_vote(), 1, "vote"), ask)
    return summary_note, steps


def test_incomplete_summary_is_repaired_once_then_completed_by_rule() -> None:
    complete = {"lines": ["Bram, as Seer: Finn is a Werewolf", "Cleo is Medium", "Ezra protected"]}
    incomplete = {"lines": ["Cleo claims Medium", "Ezra protected Bram"]}
    assert summarize(complete)[0].data == {"lines": complete["lines"], "upto": 4}
    repaired, steps = summarize(incomplete, complete)
    assert steps == ["summary/first", "summary/repair"]
    assert repaired.data["repaired"] is True
    completed, _steps = summarize(incomplete, incomplete)
    assert completed.data["added"] == 2
    assert completed.data["lines"] == [
        *incomplete["lines"], "Bram claims to be the Seer.",
        "Bram, as Seer, says that Finn is a Werewolf.",
    ]  # fmt: skip


def test_failed_summary_labels_the_answer() -> None:
    ask, _steps = scripted_ask(BackendError("timeout"), BackendError("timeout"), {"targets": [2]})
    notes = (note("character", lines=["a"]),)
    thought = think(CONTEST, scene(events_before_vote(), 1, "vote", notes=notes), ask)
    assert thought.answer.labels == ("without:summary",)


def test_prompt_has_earlier_days_summarized_and_today_verbatim() -> None:
    events = [*events_before_vote(), *talk(2, (6, "Good morning to you all."))]
    notes = [note("summary", lines=["Bram says Seer, and black on Finn."], upto=4)]
    prompt = prompt_of(scene(events, 1, notes=notes))
    assert '"Bram says Seer, and black on Finn."' in prompt
    assert "Good morning to you all." in prompt
    assert "Nice weather" not in prompt


# -- claims (A.9)


def test_claims_are_read_by_rule_by_model_or_by_both() -> None:
    events = [*deal("villager", 1), *talk(1, (2, "I'm the Seer."), (3, "You'll see my role."))]
    medium = {"role": "medium", "targets": [], "result": ""}
    model = {"1": [], "2": [medium]}
    notes = [note("claims", rule={}, model=model, upto=2)]

    def claims(reading: str, *claims_notes: Note) -> dict[int, str]:
        return dialogue_of(
            scene(events, 1, notes=claims_notes, switches={"claims": reading})
        ).claims

    assert claims("rule") == {2: "seer"}
    assert claims("model", *notes) == {3: "medium"}
    assert claims("both", *notes) == {2: "seer", 3: "medium"}


def test_both_readings_are_stored_with_their_agreement() -> None:
    rows = [
        {"number": 1, "role": "Seer", "targets": ["Finn"], "result": "werewolf"},
        {"number": 2, "role": "Villager", "targets": [], "result": ""},
        {"number": 2, "role": "Baker", "targets": [], "result": ""},
    ]
    decision = scene(events_before_vote(), 1, "vote", switches={"claims": "model"})
    request = Request("claims", decision, {"claims": {"turns": [1, 2, 3, 4]}})
    reply = parse_reply(json.dumps({"claims": rows}), request)
    assert reply["unread"] == ['"Baker" is no role of this game']
    ask, _steps = scripted_ask(reply)
    (claims_note,) = FACULTIES["claims"].consider(decision, ask)
    assert claims_note.data["rule"]["2"] == [{"role": "medium", "targets": [], "result": ""}]
    assert claims_note.data["model"]["2"] == [{"role": "villager", "targets": [], "result": ""}]
    assert (claims_note.data["alike"], claims_note.data["statements"]) == (1, 2)


def test_apart_mode_requests_claims_of_each_statement_separately() -> None:
    switches = {"claims": "model", "requests": "apart"}
    decision = scene([*events_before_vote()[:-1]], 1, switches=switches)
    ask, steps = scripted_ask(*[{"claims": []}] * 4)
    FACULTIES["claims"].consider(decision, ask)
    assert steps == [f"claims/{n}/first" for n in range(1, 5)]
    together = scene([*events_before_vote()[:-1]], 1, switches={"claims": "model"})
    assert FACULTIES["claims"].consider(together, scripted_ask()[0]) == []


def test_rule_reads_a_report_without_a_second_claim() -> None:
    decision = scene(events_before_vote(), 1, "vote")
    statement = dialogue_of(decision).statements[0]
    assert claim_rows(statement, pack_of(decision.ruleset)) == [
        {"role": "seer", "targets": [6], "result": "werewolf"}
    ]


# -- patterns (Figure 19)


def test_role_patterns_follow_the_switch() -> None:
    events = [*deal("villager", 1), *talk(1, (2, SEER.format("Finn", "Finn", "human")))]
    events += talk(1, (3, SEER.format("Greta", "Greta", "a Werewolf")))[1:]

    def prompt_with(variant: str) -> str:
        return prompt_of(scene(events, 1, switches={"patterns": variant}))

    going_by = "is the Seer, going by roles claimed and Werewolves reported:"
    assert f"If Cleo {going_by} Cleo: Seer; Greta: Werewolf" in prompt_with("paper")
    assert f"If Bram {going_by} Bram: Seer; each of the others" in prompt_with("paper")
    assert "roles claimed and results reported: Bram: Seer; Finn: " in prompt_with("human_results")
    assert "If Bram" not in prompt_with("off")
