"""Vote inducing of the contest agent: targets, timing and wording (Impressions 7)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents import contest, language
from agents.decision import Decision, Note, Request
from agents.faculties.inducing import candidate_targets, draw_target, read_attempt
from agents.llm.reply_parsing import parse_reply
from agents.prompts import template
from agents.recipe import FACULTIES
from agents.think import think
from tests.agents.table import scripted_ask
from tests.agents.village import (
    CONTEST,
    LIVING,
    SEER,
    deal,
    divination,
    note,
    out,
    prompt_of,
    scene,
    talk,
)


def inducing_brief(decision: Decision) -> dict[str, Any]:
    return FACULTIES[contest.INDUCING].brief(decision)


# -- targets (7.1)


def test_seer_targets_found_werewolves_before_rivals() -> None:
    day_talk = talk(1, (5, SEER.format("Finn", "Finn", "a Werewolf")))
    looks = [*deal("seer", 1), divination(1, 3, "werewolf"), divination(1, 4, "human")]
    assert candidate_targets(scene([*looks, *day_talk], 1)) == [3]
    dead = [*looks, out(3, "vote", 1), *day_talk]
    assert candidate_targets(scene(dead, 1)) == [5], "otherwise the rival Seer"
    assert candidate_targets(scene([*deal("seer", 1), *talk(1)], 1)) == []


def test_possessed_targets_only_the_guessed_seer() -> None:
    events = [*deal("possessed", 1), *talk(1)]
    both = [note("guess", looker=4, hunted=6)]
    assert candidate_targets(scene(events, 1, notes=both)) == [4]
    assert candidate_targets(scene([*events, out(4, "attack", 1)], 1, notes=both)) == []
    assert candidate_targets(scene(events, 1, notes=[note("guess", looker=0, hunted=6)])) == []
    neither = [note("guess", looker=0, hunted=0)]
    assert candidate_targets(scene(events, 1, notes=neither)) == list(LIVING[1:])


def test_werewolf_targets_special_role_claimants_except_allies() -> None:
    claims = [(2, "I'm the Seer."), (5, "I am the Medium."), (6, "I'm the Bodyguard.")]
    claims += [(7, "I'm a Villager."), (8, "I'm the Seer.")]
    events = [*deal("werewolf", 1, (8, 9)), *talk(1, *claims)]
    assert candidate_targets(scene(events, 1)) == [2, 5, 6]
    silent = [*deal("werewolf", 1, (8, 9)), *talk(1, (7, "I'm a Villager."))]
    assert candidate_targets(scene(silent, 1)) == [s for s in LIVING if s not in (1, 8, 9)]


@pytest.mark.parametrize("role", ["villager", "medium", "bodyguard"])
def test_other_roles_induce_no_votes(role: str) -> None:
    events = [*deal(role, 1), *talk(1, (5, "I'm the Seer."))]
    assert candidate_targets(scene(events, 1)) == []


def test_target_is_drawn_from_the_seed_and_stays() -> None:
    events = [*deal("werewolf", 1), *talk(1)]
    drawn = {draw_target(scene(events, 1, seed=str(n))) for n in range(40)}
    assert len(drawn) > 5
    assert len({draw_target(scene(events, 1, seed="same")) for _ in range(3)}) == 1


# -- timing


def after_talks(count: int, day: int = 1, role: str = "werewolf") -> list[Any]:
    return [
        *deal(role, 1),
        *talk(day, *[(1, f"I have said this {n} times.") for n in range(count)]),
    ]


def test_votes_are_induced_in_the_last_talk_except_on_day_0() -> None:
    assert inducing_brief(scene(after_talks(3), 1))["last"] is True
    assert not inducing_brief(scene(after_talks(3, day=0), 1))
    assert not inducing_brief(scene(after_talks(2), 1, switches={"inducing": "last"}))
    early = inducing_brief(scene(after_talks(2), 1))
    assert early["last"] is False, "extension of the paper: only if the agent is done"
    assert not inducing_brief(scene(after_talks(3), 1, switches={"inducing": "off"}))
    assert not inducing_brief(scene(after_talks(3), 1, kind="vote"))


def test_prompt_asks_for_a_call_or_a_hint_with_thirteen_methods() -> None:
    methods = template("doubts").template.strip().split("\n")
    assert len(methods) == 13
    for manner, words in (("call", "everybody should vote for"), ("hint", "Don't ask for votes")):
        decision = scene(after_talks(3), 1, switches={"manner": manner})
        prompt = prompt_of(decision)
        assert words in prompt
        assert all(method.split("$")[0] in prompt for method in methods)


def notes_after(decision: Decision, reply: dict[str, Any]) -> list[Note]:
    """Return the vote-inducing and conversation notes after the answer `reply`."""
    ask, _steps = scripted_ask(reply)
    thought = think(replace(CONTEST, switches=decision.switches), decision, ask)
    assert not [label for label in thought.answer.labels if "fallback" in label]
    return [n for n in thought.notes if n.faculty in (contest.INDUCING, contest.CONVERSATION)]


@pytest.mark.parametrize(
    ("text", "names_target", "asks_for_votes"),
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
def test_attempt_is_noted_with_its_features(
    text: str, names_target: bool, asks_for_votes: bool
) -> None:
    events = [*deal("werewolf", 1), *talk(1, (2, "I'm the Seer."), *[(1, "Well.")] * 3)]
    (attempt,) = notes_after(scene(events, 1), {"text": text})
    assert attempt.data == {
        "day": 1, "role": "werewolf", "manner": "call", "target": 2, "last": True,
        "names": names_target, "asks": asks_for_votes,
    }  # fmt: skip


def test_finished_agent_induces_first_and_then_says_over() -> None:
    events = [*deal("werewolf", 1), *talk(1, (2, "I'm the Seer."), (1, "Well."))]
    decision = scene(events, 1)
    data = {"content": "Everyone, vote for Bram.", "over": True, "to": "everyone", "to_them": ""}
    reply = parse_reply(json.dumps(data), Request("statement", decision))
    notes = notes_after(decision, dict(reply))
    assert [n.faculty for n in notes] == [contest.INDUCING, contest.CONVERSATION]
    ask, steps = scripted_ask()
    second_thought = think(CONTEST, scene([*events, *talk(1)[1:]], 1, notes=notes), ask)
    assert (second_thought.answer.action.kind, steps) == ("over", [])


def test_house_phrases_match_their_manner() -> None:
    decision = scene([*deal("werewolf", 1), *talk(1)], 1)
    for manner in ("call", "hint"):
        for phrase in language.general_phrases()[f"induce_{manner}"]:
            text = phrase.replace("{t}", "Bram").replace("[", "").replace("|", " ").replace("]", "")
            assert read_attempt(text, 2, decision) == {"names": True, "asks": manner == "call"}
