"""The words of the contest's games: who claims what, and results told in colours and species."""

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
from game.engine.events import PUBLIC, Event
from game.engine.forms import say

RULES = rulesets.get("aiwolf-13")
PACK = pack_of(RULES)
LINES = Path(__file__).parent / "contest_lines"
NAMES = (
    *("Aiko", "Ben", "Chika", "Daisuke", "Emi", "Fumio", "Goro", "Hana", "Isamu", "Jun", "Kana"),
    *("Leo", "Mika"),
)
HELD_OUT = 225  # lines from here on took no part in writing the rewrites
Said = tuple[str, str, tuple[int, ...], str]  # kind, role, seats, result


def said(text: str, speaker: int = 1) -> set[Said]:
    acts = understand(text, speaker, NAMES, 0, PACK)
    return {(a.kind, a.role, a.targets, a.value) for a in acts if a.kind in ("claim", "report")}


def claim(role: str) -> Said:
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
def test_the_contests_words_are_read(text: str, expected: set[Said]) -> None:
    assert said(text) == expected


def test_a_medium_reports_as_what_it_claimed_before() -> None:
    log = [
        Event("game_opened", PUBLIC, {"ruleset": "aiwolf-13", "version": 1, "settings": {},
                                      "seats": list(NAMES)}),
        Event("phase_opened", PUBLIC, {"phase": "talk", "day": 1, "round": 0}),
    ]  # fmt: skip
    for number, text in enumerate(("I am the Medium.", "Leo came back white."), 1):
        data = {"window": f"statement.{number}", "seat": 1, **say(text).data()}
        log.append(Event("statement", PUBLIC, data))
    dialogue = Dialogue.of(visibility.view_of(log, visibility.PUBLIC), PACK)
    assert [(a.role, a.targets) for a in dialogue.acts("report")] == [("medium", (12,))]
    assert dialogue.claims == {1: "medium"}


def test_colours_mean_nothing_in_other_games() -> None:
    other = pack_of(rulesets.get("sheriff"))
    assert not other.data.idioms
    acts = understand("Got black on Goro.", 1, NAMES, 0, other)
    assert "report" not in {a.kind for a in acts}


def held_out(authors: str) -> Iterator[tuple[set[Said], set[Said]]]:
    """Yield (what is labelled, what is read) of public lines that nobody tuned on.

    Of author c, who wrote 80 lines before reading the rewrites, these are all lines.
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
            read = {("report", "", a.targets, a.value) for a in acts if a.kind == "report"}
            labelled: set[Said] = set()
            for act in line["acts"]:
                if act["act"] == "claim":
                    labelled.add(claim(act["role"]))
                elif act["act"] == "report" and act["kind"] != "guarded":
                    seat = NAMES.index(act["target"]) + 1
                    labelled.add(("report", "", (seat,), act["result"]))
            reporting = {claim(a.role) for a in acts if a.kind == "report"}
            claims = {claim(a.role) for a in acts if a.kind == "claim"}
            yield labelled, read | (claims - (reporting - labelled))


@pytest.mark.parametrize(
    ("authors", "kind", "precision", "recall"),
    [
        ("ab", "report", 0.9, 0.75),
        ("ab", "claim", 0.85, 0.7),
        ("c", "report", 0.85, 0.75),
        ("c", "claim", 0.9, 0.85),
    ],
)
def test_lines_of_authors_who_saw_no_rules_are_read(
    authors: str, kind: str, precision: float, recall: float
) -> None:
    right = read_count = labelled_count = 0
    for labelled, read in held_out(authors):
        wanted, got = ({one for one in these if one[0] == kind} for these in (labelled, read))
        right += len(wanted & got)
        read_count += len(got)
        labelled_count += len(wanted)
    assert labelled_count >= 10
    assert right / read_count >= precision
    assert right / labelled_count >= recall
