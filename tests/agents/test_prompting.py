"""Sections of prompts: goal, claims, own story, beliefs, favor, plan."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from agents.decision import Decision, Mind, Note, Request
from agents.faculties.favor import FavorFaculty
from agents.faculties.judgement import StrategyFaculty
from agents.llm import transcript
from agents.llm.prompting import build_frame, build_messages
from agents.llm.schemas import build_schema
from agents.llm.statement_checks import find_speech_error
from agents.talk.course import Course
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, only_seats, say
from game.engine.forms import speech
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.agents.one_night_prompts import (
    ROLES,
    build_decision,
    build_log,
    build_request,
    build_user_prompt,
)
from tests.agents.speech import prompt_of
from tests.agents.table import NAMES, scene_of, scripted_ask
from tests.agents.village import phase
from tests.two_days import TwoDays


@pytest.mark.parametrize(
    ("seat", "goal", "hint"),
    [
        (1, "Find the Werewolf", "only if the Werewolf goes"),
        (4, "Find the Werewolf", "only if the Werewolf goes"),
        (6, "neither the Werewolf nor the Tanner", "If you are voted out, your side has lost"),
        (7, "neither the Werewolf nor the Tanner", "You don't know the Werewolf"),
        (8, "Get yourself voted out", "can't vote for yourself"),
    ],
)
def test_prompt_states_the_goal_and_the_vote_hint_of_the_role(
    seat: int, goal: str, hint: str
) -> None:
    vote_decision = build_decision(build_log((1, "Hello.")), seat, "vote")
    assert goal in build_frame(vote_decision)
    assert hint in build_user_prompt(vote_decision, "vote")
    other_roles = [s for s in (1, 6, 7, 8) if ROLES[s] != ROLES[seat] and (seat, s) != (4, 1)]
    assert not any(
        hint in build_user_prompt(build_decision(build_log(), s, "vote"), "vote")
        for s in other_roles
    )


@pytest.mark.parametrize("kind", ["statement", "vote", "poll", "judgement", "strategy"])
def test_every_prompt_contains_claims_and_own_story(kind: str) -> None:
    log = build_log(
        (1, "I'm a Villager."),
        (5, "I'm the Seer: I looked at Alpha and Eta, the Werewolf is one of them."),
        (7, "No, I'm the Seer: I looked at Beta and Delta, no Werewolf there."),
        (8, "I'll vote for Epsilon."),
        round=2,
    )
    prompt = build_user_prompt(build_decision(log, 7, kind), kind)
    assert "Alpha: Villager (round 2)." in prompt
    report = "says they looked at Alpha and Eta: the Werewolf among them (round 2)"
    assert f"Epsilon: Seer (round 2); {report}." in prompt
    assert "Seer is claimed by Epsilon and you; the deck holds 1." in prompt
    assert "Votes announced: for Epsilon by Eta." in prompt
    assert "You claimed to be the Seer (round 2): a lie of yours." in prompt
    own_report = "You said you looked at Beta and Delta: no Werewolf among them (round 2)"
    assert f"{own_report}: a lie of yours." in prompt
    assert re.search(r"^You said \"No, I'm the Seer", prompt, re.M)
    assert not re.search(r"^Zeta says", prompt, re.M)


def test_beliefs_have_percentages_and_known_roles_stay_certain() -> None:
    log = build_log((1, "Hello."))
    row = {"role": "werewolf", "side": "opponent", "top": [["werewolf", 0.9]], "share": 0.0}
    wrong_brief = {"strategy": {"list": {"2": row}}}
    prompt = build_user_prompt(build_decision(log, 3, "vote"), "vote", wrong_brief)
    assert "Beta: Mason for certain, as you know, your teammate." in prompt
    prompt = build_user_prompt(build_decision(log, 3, "vote"), "vote")
    assert "Alpha: 72 % Werewolf, 20 % Seer; your teammate at 25 %." in prompt
    assert "Delta: not judged." in prompt
    assert build_user_prompt(build_decision(log, 1, "vote"), "vote").count("for certain") == 0


def test_judgement_covers_only_unknown_players() -> None:
    def names_and_prompt(seat: int) -> tuple[set[str], str]:
        judgement = build_request(
            build_decision(build_log((1, "Hello.")), seat, "judgement"), "judgement"
        )
        rows = build_schema(judgement)["properties"]["players"]["items"]["properties"]
        return set(rows["player"]["enum"]), build_messages(judgement)[0][1]["content"]

    names, prompt = names_and_prompt(3)
    assert names == set(NAMES) - {"Beta", "Gamma"}
    assert "Alpha, Delta, Epsilon, Theta, Zeta, Eta." in prompt
    assert '"mason": …' not in prompt, "both Masons are known"
    assert "Among them: 1 Seer, 2 Villagers, 1 Werewolf, 1 Minion and 1 Tanner." in prompt
    assert names_and_prompt(1)[0] == set(NAMES) - {"Alpha"}


def test_favor_section_names_causes_and_skips_neutral_players() -> None:
    prompt = build_user_prompt(build_decision(build_log((1, "Hello.")), 3, "vote"), "vote")
    assert "You loathe Alpha, who announced a vote for you and accused you." in prompt
    assert "You are devoted to Delta." in prompt
    assert "You are neutral toward the others." in prompt
    assert 'when you last thought about it: "Alpha was cruel."' in prompt
    assert "Beta" not in prompt[prompt.index("HOW YOU FEEL") : prompt.index("YOUR PLAN")]
    calm = {"favor": {"favor": {"1": 50.0}, "levels": {"1": 3}}}
    prompt = build_user_prompt(build_decision(build_log(), 3, "vote"), "vote", calm)
    assert "HOW YOU FEEL\nYou are neutral toward everyone." in prompt
    assert "HOW YOU FEEL" not in build_user_prompt(
        build_decision(build_log(), 3, "vote"), "vote", {}
    )


def test_favor_keeps_its_cause_in_later_rounds() -> None:
    notes = (
        Note("favor", Moment(2), {"favor": {"1": 20.0}, "why": {"1": ["accuse"]}, "reason": "A"}),
        Note("favor", Moment(3), {"favor": {"1": 20.0}, "why": {"4": ["defend"]}, "reason": "B"}),
    )
    vote_decision = scene_of(build_log(round=3), 3, kind="vote", notes=notes)
    prompt = build_user_prompt(
        vote_decision, "vote", {"favor": FavorFaculty().brief(vote_decision)}
    )
    assert "You loathe Alpha, who accused you." in prompt
    assert 'when you last thought about it: "B"' in prompt


@pytest.mark.parametrize("blank", ["…", " ... ", ""])
def test_placeholder_plan_is_repaired(blank: str) -> None:
    ask, steps = scripted_ask({"plan": blank}, {"plan": "Listen."})
    statement_decision = replace(scene_of(build_log(), 3), faculties=frozenset({"strategy"}))
    (note,) = StrategyFaculty().prepare(statement_decision, ask)
    assert note.data == {"plan": "Listen."}
    assert steps == ["strategy/first", "strategy/repair"]
    assert (
        find_speech_error(
            "…", statement_decision, prompt_of(Request("statement", statement_decision))
        )
        == "nothing was said"
    )


# -- several days


def two_days(*events: Event) -> Decision:
    seats = ["Ann", "Ben", "Cid", "Dot", "Eve"]
    opened = {"ruleset": "two-days", "version": 1, "seats": seats, "settings": {}}
    role_data = {"seat": 1, "role": "villager"}
    log = [
        Event("game_opened", PUBLIC, opened),
        Event("role_dealt", only_seats(1), role_data),
        *events,
    ]
    window = Window("statement.2.0.1.1", "statement", (1,), speech(30), PUBLIC, PUBLIC)
    view = visibility.view_of(log, visibility.seat(1))
    return Decision(TwoDays(), view, window, Mind(), SeededRandom("s"))


def statement(seat: int, text: str, day: int = 1) -> Event:
    data = {"window": f"statement.{day}.0.{seat}", "seat": seat, **say(text).to_json()}
    return Event("statement", PUBLIC, data)


def vote(seat: int, target: int | None, day: int = 1) -> Event:
    picked = {"manner": "pick", "targets": [target]} if target else {"manner": "abstain"}
    return Event("vote", PUBLIC, {"window": f"vote.{day}.0", "seat": seat, **picked})


DAYS = (
    phase("talk", 1),
    statement(1, "Hello."),
    statement(2, "I don't trust Ann."),
    phase("vote", 1),
    vote(1, 2),
    vote(2, 1),
    vote(3, 2),
    vote(4, None),
    Event("out", PUBLIC, {"seat": 2, "cause": "vote"}),
    phase("night", 1),
    Event("out", PUBLIC, {"seat": 5, "cause": "attack"}),
    phase("talk", 2),
)


def test_history_contains_public_votes_and_deaths() -> None:
    prompt = build_user_prompt(two_days(*DAYS), "statement", {})
    lines = prompt.split("\n")
    assert "The vote: you for Ben, Ben for you, Cid for Ben, Dot for nobody." in lines
    assert "Ben was voted out." in lines
    assert "Eve was killed in the night." in lines
    ordered_lines = ["-- Day 1", "Ben was voted out.", "-- Night 1", "Eve was killed in the night."]
    assert sorted(ordered_lines, key=lines.index) == ordered_lines
    assert "HOW THINGS STAND (day 2)" in lines


def test_only_the_werewolf_gets_the_deflection_hint() -> None:
    hint = "most like the others to suspect"
    prompts = {
        s: build_user_prompt(build_decision(build_log((1, "Hello.")), s, "poll"), "poll")
        for s in ROLES
    }
    assert [s for s, text in prompts.items() if hint in text] == [6]


def test_favor_section_covers_only_living_players() -> None:
    statement_decision = two_days(*DAYS)
    brief = {"favor": {"levels": {"2": 1, "3": 5, "4": 3, "5": 1}}}
    prompt = build_user_prompt(statement_decision, "statement", brief)
    assert "You are devoted to Cid." in prompt
    assert "loathe" not in prompt, "Ben and Eve are dead"


def test_own_statements_stay_if_the_talk_is_cut() -> None:
    own_statement = "Good morning. I like this table. " + "It is a fine table. " * 40
    log = log_in_rounds((2, own_statement), (1, "Hello."), (1, "Hello again."))
    statement_decision = replace(scene_of(log, 2), context="paper")
    prompt = build_user_prompt(statement_decision, "statement", {})
    (shortened,) = re.findall(r"^You said in round 1: .*$", prompt, re.M)
    assert shortened.startswith('You said in round 1: "Good morning. I like this table.')
    assert shortened.endswith('…"')
    assert len(shortened) < len(own_statement)
    whole_prompt = build_user_prompt(replace(statement_decision, context="whole"), "statement", {})
    assert "You said in round 1" not in whole_prompt, "the whole talk is in the prompt"
    assert whole_prompt.count("Good morning.") == 1


def log_in_rounds(*statements: tuple[int, str]) -> list[Event]:
    """Return a one-night log with one statement a round."""
    logs = [build_log(statement, round=number) for number, statement in enumerate(statements, 1)]
    parts = [log[len(build_log(round=number - 1)) :] for number, log in enumerate(logs, 1)]
    return [*build_log(round=0), *(event for part in parts for event in part)]


def test_round_name_includes_the_day_in_games_of_several_days() -> None:
    one_night, later = rulesets.get("one-night"), Moment(9, day=2, phase="talk", round=1)
    assert (
        transcript.moment_name(one_night, Moment(2, day=1, round=2), show_total=True)
        == "round 2 of 3"
    )
    many_days = type("ManyDays", (TwoDays,), {"rounds": 3})()
    assert transcript.moment_name(many_days, later, show_total=True) == "round 1 of 3 on day 2"
    assert transcript.moment_phrase(many_days, later) == "in round 1 on day 2"
    assert transcript.moment_phrase(TwoDays(), later) == "on day 2"


def test_last_votes_come_only_from_the_last_ballot() -> None:
    runoff_data = {"window": "vote.1.0.again", "manner": "pick"}
    runoff = [Event("vote", PUBLIC, {**runoff_data, "seat": s, "targets": [2]}) for s in (1, 4)]
    view = two_days(*DAYS[:8], *runoff, *DAYS[8:]).view
    course = Course.of(view, TwoDays())
    assert course.last_votes() == {1: 2, 4: 2}, "seats 1, 2 and 3 voted before, seat 3 not again"
    assert [(v.seat, v.target) for v in course.decisive_votes()] == [(1, 2), (4, 2)]
    assert Course.of(two_days(*DAYS).view, TwoDays()).last_votes() == {1: 2, 2: 1, 3: 2}
