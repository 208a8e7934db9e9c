"""Understanding of contest vocabulary: role claims, and results given as colors or species."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.packs import pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.understand import understand
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, say

RULES = rulesets.get("aiwolf-13")
PACK = pack_of(RULES)
LINES = Path(__file__).parent / "contest_lines"
NAMES = (
    *("Aiko", "Ben", "Chika", "Daisuke", "Emi", "Fumio", "Goro", "Hana", "Isamu", "Jun", "Kana"),
    *("Leo", "Mika"),
)
HELD_OUT = 225  # lines from here on were not used to write the rewrites
ReadAct = tuple[str, str, tuple[int, ...], str]  # kind, role, seats, result


def read_acts(text: str, speaker: int = 1) -> set[ReadAct]:
    acts = understand(text, speaker, NAMES, 0, PACK)
    return {(a.kind, a.role, a.targets, a.value) for a in acts if a.kind in ("claim", "report")}


def claim(role: str) -> ReadAct:
    return ("claim", role, (), "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Seer CO, @Ben was divined: white.", {claim("seer"), ("report", "seer", (2,), "human")}),
        ("Counter-CO Seer from me.", {claim("seer")}),
        ("CO as Medium.", {claim("medium")}),
        ("Any Seer CO yet?", set()),
        ("Wait for a Seer CO.", set()),
        ("Got black on Goro!", {("report", "seer", (7,), "werewolf")}),
        ("Divined Leo last night and he came back white.", {("report", "seer", (12,), "human")}),
        ("Ben says that Leo is black.", set()),
        ("If Leo is black, we win.", set()),
        ("Medium here. Leo, whom we exiled yesterday, was human.",
         {claim("medium"), ("report", "medium", (12,), "human")}),
        ("Leo was killed in the night, so he was human.", set()),
        ("Villager CO.", {claim("villager")}),
        ("I'm an ordinary member of the village.", {claim("villager")}),
        ("I have no special powers.", {claim("villager")}),
        ("Consider me the Medium.", {claim("medium")}),
        ("I watched Leo's house at night as the Bodyguard.", {claim("bodyguard")}),
        ("Your Medium has arrived.", {claim("medium")}),
        ("I was going to CO Seer, but no.", set()),
        ("Ben steps forward as the Seer.", set()),
        ("Who's the Seer? I am.", {claim("seer")}),
        ("The Medium? That would be me.", {claim("medium")}),
        ("I've been dealt Seer.", {claim("seer")}),
        ("Medium coming out.", {claim("medium")}),
        ("Who's the Seer? I don't know.", set()),
        ("I am the Seer, so Ben lies. Ben is the Werewolf or the Possessed.", {claim("seer")}),
        ("I'm the Seer, which means Ben is the Possessed or a Werewolf.", {claim("seer")}),
        ("I'm the Seer, so Ben is a Werewolf.", {claim("seer")}),
        ("I'm the Seer, Ben must be the Werewolf.", {claim("seer")}),
        ("I'm the Seer, and Ben is a Werewolf, I saw it.",
         {claim("seer"), ("report", "seer", (2,), "werewolf")}),
        ("I'm the Seer. I looked at Ben, so I know that Ben is a Werewolf.",
         {claim("seer"), ("report", "seer", (2,), "werewolf")}),
        ("I'm the Seer, my result says that Ben must be a Werewolf.",
         {claim("seer"), ("report", "seer", (2,), "werewolf")}),
    ],
)  # fmt: skip
def test_contest_vocabulary_is_understood(text: str, expected: set[ReadAct]) -> None:
    assert read_acts(text) == expected


def test_result_is_attributed_to_the_claimed_role() -> None:
    log = [
        Event("game_opened", PUBLIC, {"ruleset": "aiwolf-13", "version": 1, "settings": {},
                                      "seats": list(NAMES)}),
        Event("phase_opened", PUBLIC, {"phase": "talk", "day": 1, "round": 0}),
    ]  # fmt: skip
    for number, text in enumerate(("I am the Medium.", "Leo came back white."), 1):
        data = {"window": f"statement.{number}", "seat": 1, **say(text).to_json()}
        log.append(Event("statement", PUBLIC, data))
    dialogue = Dialogue.of(visibility.view_of(log, visibility.PUBLIC), PACK)
    assert [(a.role, a.targets) for a in dialogue.acts("report")] == [("medium", (12,))]
    assert dialogue.claims == {1: "medium"}


def test_color_results_are_ignored_in_other_games() -> None:
    sheriff_pack = pack_of(rulesets.get("sheriff"))
    assert not sheriff_pack.data.idioms
    acts = understand("Got black on Goro.", 1, NAMES, 0, sheriff_pack)
    assert "report" not in {a.kind for a in acts}


def held_out_lines(authors: str) -> Iterator[tuple[set[ReadAct], set[ReadAct]]]:
    """Yield (labeled acts, recognized acts) of public lines that were not used for tuning.

    All 80 lines of author c count: they were written before the rewrites were read.
    """
    for author in authors:
        lines = (LINES / f"author_{author}.jsonl").read_text().splitlines()
        for text in lines[0 if author == "c" else HELD_OUT :]:
            line: dict[str, Any] = json.loads(text)
            if line.get("phase") == "whisper":
                continue
            before = NAMES.index(line["before"]) + 1 if line.get("before") in NAMES else 0
            speaker = NAMES.index(line["by"]) + 1
            acts = understand(line["text"], speaker, NAMES, before, PACK)
            recognized = {("report", "", a.targets, a.value) for a in acts if a.kind == "report"}
            labels: set[ReadAct] = set()
            for act in line["acts"]:
                if act["act"] == "claim":
                    labels.add(claim(act["role"]))
                elif act["act"] == "report" and act["kind"] != "guarded":
                    seat = NAMES.index(act["target"]) + 1
                    labels.add(("report", "", (seat,), act["result"]))
            reporting = {claim(a.role) for a in acts if a.kind == "report"}
            claims = {claim(a.role) for a in acts if a.kind == "claim"}
            yield labels, recognized | (claims - (reporting - labels))


@pytest.mark.parametrize(
    ("authors", "kind", "precision", "recall"),
    [
        ("ab", "report", 0.9, 0.75),
        ("ab", "claim", 0.85, 0.7),
        ("c", "report", 0.85, 0.75),
        ("c", "claim", 0.9, 0.85),
    ],
)
def test_held_out_lines_reach_the_required_accuracy(
    authors: str, kind: str, precision: float, recall: float
) -> None:
    right = read_count = labelled_count = 0
    for labels, recognized in held_out_lines(authors):
        expected, matching = (
            {one for one in these if one[0] == kind} for these in (labels, recognized)
        )
        right += len(expected & matching)
        read_count += len(matching)
        labelled_count += len(expected)
    assert labelled_count >= 10
    assert right / read_count >= precision
    assert right / labelled_count >= recall
