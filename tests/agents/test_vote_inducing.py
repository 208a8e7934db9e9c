"""Vote inducing of the contest agent: whom it presses, when, and in which words (Impressions 7)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents import contest, language
from agents.decision import Decision, Request
from agents.llm.reply_parsing import reply_of
from agents.mind import Note
from agents.prompts import template
from agents.recipe import FACULTIES
from agents.think import think
from agents.vote_inducing import candidate_targets, draw_target, read_attempt
from tests.agents.table import asking
from tests.agents.village import (
    CONTEST,
    LIVING,
    SEER,
    before,
    dealt,
    divined,
    note,
    out,
    prompt_of,
    talk,
)


def offered(decision: Decision) -> dict[str, Any]:
    return FACULTIES[contest.INDUCING].brief(decision)


# -- vote inducing: whom (7.1)


def test_the_seer_presses_the_living_it_found_before_any_rival() -> None:
    said = talk(1, (5, SEER.format("Finn", "Finn", "a Werewolf")))
    found = [*dealt("seer", 1), divined(1, 3, "werewolf"), divined(1, 4, "human")]
    assert candidate_targets(before([*found, *said], 1)) == [3]
    dead = [*found, out(3, "vote", 1), *said]
    assert candidate_targets(before(dead, 1)) == [5], "else whoever else claims to be the Seer"
    assert candidate_targets(before([*dealt("seer", 1), *talk(1)], 1)) == []


def test_the_possessed_presses_the_seer_it_guessed_and_nobody_if_it_guessed_a_werewolf() -> None:
    events = [*dealt("possessed", 1), *talk(1)]
    both = [note("guess", looker=4, hunted=6)]
    assert candidate_targets(before(events, 1, notes=both)) == [4]
    assert candidate_targets(before([*events, out(4, "attack", 1)], 1, notes=both)) == []
    assert candidate_targets(before(events, 1, notes=[note("guess", looker=0, hunted=6)])) == []
    neither = [note("guess", looker=0, hunted=0)]
    assert candidate_targets(before(events, 1, notes=neither)) == list(LIVING[1:])


def test_a_werewolf_presses_who_claimed_a_special_role_and_is_no_ally() -> None:
    said = [(2, "I'm the Seer."), (5, "I am the Medium."), (6, "I'm the Bodyguard.")]
    said += [(7, "I'm a Villager."), (8, "I'm the Seer.")]
    events = [*dealt("werewolf", 1, (8, 9)), *talk(1, *said)]
    assert candidate_targets(before(events, 1)) == [2, 5, 6]
    silent = [*dealt("werewolf", 1, (8, 9)), *talk(1, (7, "I'm a Villager."))]
    assert candidate_targets(before(silent, 1)) == [s for s in LIVING if s not in (1, 8, 9)]


@pytest.mark.parametrize("role", ["villager", "medium", "bodyguard"])
def test_other_roles_induce_no_votes(role: str) -> None:
    events = [*dealt(role, 1), *talk(1, (5, "I'm the Seer."))]
    assert candidate_targets(before(events, 1)) == []


def test_of_several_the_target_is_drawn_from_the_seed_and_stays() -> None:
    events = [*dealt("werewolf", 1), *talk(1)]
    drawn = {draw_target(before(events, 1, seed=str(n))) for n in range(40)}
    assert len(drawn) > 5
    assert len({draw_target(before(events, 1, seed="same")) for _ in range(3)}) == 1


# -- vote inducing: when


def after_talks(count: int, day: int = 1, role: str = "werewolf") -> list[Any]:
    return [
        *dealt(role, 1),
        *talk(day, *[(1, f"I have said this {n} times.") for n in range(count)]),
    ]


def test_votes_are_induced_at_the_last_talk_of_a_day_and_never_on_day_0() -> None:
    assert offered(before(after_talks(3), 1))["last"] is True
    assert not offered(before(after_talks(3, day=0), 1))
    assert not offered(before(after_talks(2), 1, switches={"inducing": "last"}))
    early = offered(before(after_talks(2), 1))
    assert early["last"] is False, "ours: only if the agent is done"
    assert not offered(before(after_talks(3), 1, switches={"inducing": "off"}))
    assert not offered(before(after_talks(3), 1, kind="vote"))


def test_the_prompt_asks_for_a_call_or_a_hint_with_all_thirteen_ways() -> None:
    ways = template("doubts").template.strip().split("\n")
    assert len(ways) == 13
    for manner, words in (("call", "everybody should vote for"), ("hint", "Don't ask for votes")):
        decision = before(after_talks(3), 1, switches={"manner": manner})
        prompt = prompt_of(decision)
        assert words in prompt
        assert all(way.split("$")[0] in prompt for way in ways)


def answered(decision: Decision, reply: dict[str, Any]) -> list[Note]:
    """The notes that an answer leaves, with everything else as it was prepared."""
    ask, _steps = asking(reply)
    thought = think(replace(CONTEST, switches=decision.switches), decision, ask)
    assert not [label for label in thought.answer.labels if "fallback" in label]
    return [n for n in thought.notes if n.faculty in (contest.INDUCING, contest.CONVERSATION)]


@pytest.mark.parametrize(
    ("text", "names", "asks"),
    [
        ("Vote for Bram with me, all of you.", True, True),
        ("If we don't vote for Bram today, we lose.", True, True),
        ("Bram has to go. Nobody else.", True, True),
        ("I'll vote for Bram.", True, False),
        ("Isn't Bram's claim a little convenient?", True, False),
        ("Don't vote for Bram.", True, False),
        ("Vote for whoever lies.", False, False),
    ],
)
def test_an_attempt_is_noted_with_what_its_words_do(text: str, names: bool, asks: bool) -> None:
    events = [*dealt("werewolf", 1), *talk(1, (2, "I'm the Seer."), *[(1, "Well.")] * 3)]
    (noted,) = answered(before(events, 1), {"text": text})
    assert noted.data == {
        "day": 1, "role": "werewolf", "manner": "call", "target": 2, "last": True,
        "names": names, "asks": asks,
    }  # fmt: skip


def test_who_is_done_induces_first_and_says_over_when_asked_again() -> None:
    events = [*dealt("werewolf", 1), *talk(1, (2, "I'm the Seer."), (1, "Well."))]
    decision = before(events, 1)
    data = {"content": "Everyone, vote for Bram.", "over": True, "to": "everyone", "to_them": ""}
    reply = reply_of(json.dumps(data), Request("statement", decision))
    notes = answered(decision, dict(reply))
    assert [n.faculty for n in notes] == [contest.INDUCING, contest.CONVERSATION]
    ask, steps = asking()
    again = think(CONTEST, before([*events, *talk(1)[1:]], 1, notes=notes), ask)
    assert (again.answer.action.kind, steps) == ("over", [])


def test_the_house_players_words_do_what_their_manner_says() -> None:
    decision = before([*dealt("werewolf", 1), *talk(1)], 1)
    for manner in ("call", "hint"):
        for phrase in language.general_phrases()[f"induce_{manner}"]:
            text = phrase.replace("{t}", "Bram").replace("[", "").replace("|", " ").replace("]", "")
            assert read_attempt(text, 2, decision) == {"names": True, "asks": manner == "call"}
