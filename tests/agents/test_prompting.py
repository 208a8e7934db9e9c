"""What stands in a prompt, and where: goal, claims, own story, beliefs, feelings, plan."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from agents.decision import Decision, Reply, Request
from agents.faculties.favor import FavorFaculty
from agents.faculties.strategy import StrategyFaculty
from agents.llm import sections, transcript
from agents.llm.prompting import frame, messages
from agents.llm.schemas import schema_of
from agents.llm.statement_checks import find_speech_error
from agents.mind import Mind, Note
from agents.talk.course import Course
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, to
from game.engine.forms import say, speech
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Window
from tests.agents.asked import KINDS, ROLES, decision, phase, request, table, user
from tests.agents.speech import prompt_of
from tests.agents.table import NAMES, asking, scene_of
from tests.two_days import TwoDays


@pytest.mark.parametrize("kind", KINDS)
def test_the_reason_comes_before_the_choice(kind: str) -> None:
    asked = request(decision(table((1, "Hello.")), 3, kind), kind)
    wanted = list(schema_of(asked)["properties"])
    shape = messages(asked)[0][1]["content"].splitlines()[-1]
    if kind == "statement":  # nobody thinks aloud where all can hear it
        assert wanted == ["statement"]
        return
    assert wanted[0] == "reason"
    assert len(wanted) == 2
    assert shape.startswith('{"reason": "…", "' + wanted[1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_shape_of_an_answer_shows_nothing_that_could_be_said(kind: str) -> None:
    shape = user(decision(table((1, "Hello.")), 3, kind), kind).splitlines()[-1]
    keys = {"reason", "statement", "choice", "choices", "scores", "player", "score", "players"}
    keys |= {"roles", "plan", *ROLES.values()}
    assert set(re.findall(r"\w+", shape)) <= keys
    assert "…" in shape


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
def test_everyone_knows_its_goal_and_what_its_vote_is_for(seat: int, goal: str, hint: str) -> None:
    before = decision(table((1, "Hello.")), seat, "vote")
    assert goal in frame(before)
    assert hint in user(before, "vote")
    others = [s for s in (1, 6, 7, 8) if ROLES[s] != ROLES[seat] and (seat, s) != (4, 1)]
    assert not any(hint in user(decision(table(), s, "vote"), "vote") for s in others)


@pytest.mark.parametrize("kind", ["statement", "vote", "poll", "judgement", "strategy"])
def test_claims_and_own_story_stand_in_every_decision(kind: str) -> None:
    log = table(
        (1, "I'm a Villager."),
        (5, "I'm the Seer: I looked at Alpha and Eta, the Werewolf is one of them."),
        (7, "No, I'm the Seer: I looked at Beta and Delta, no Werewolf there."),
        (8, "I'll vote for Epsilon."),
        round=2,
    )
    told = user(decision(log, 7, kind), kind)
    assert "Alpha: Villager (round 2)." in told
    looked = "says they looked at Alpha and Eta: the Werewolf among them (round 2)"
    assert f"Epsilon: Seer (round 2); {looked}." in told
    assert "Seer is claimed by Epsilon and you; the deck holds 1." in told
    assert "Votes announced: for Epsilon by Eta." in told
    assert "You claimed to be the Seer (round 2): a lie of yours." in told
    mine = "You said you looked at Beta and Delta: no Werewolf among them (round 2)"
    assert f"{mine}: a lie of yours." in told
    assert re.search(r"^You said \"No, I'm the Seer", told, re.M)
    assert not re.search(r"^Zeta says", told, re.M)


def test_beliefs_come_with_figures_and_what_is_known_stays_known() -> None:
    log = table((1, "Hello."))
    row = {"role": "werewolf", "side": "opponent", "top": [["werewolf", 0.9]], "share": 0.0}
    lying = {"strategy": {"list": {"2": row}}}
    told = user(decision(log, 3, "vote"), "vote", lying)
    assert "Beta: Mason for certain, as you know, your teammate." in told
    told = user(decision(log, 3, "vote"), "vote")
    assert "Alpha: 72 % Werewolf, 20 % Seer; your teammate at 25 %." in told
    assert "Delta: not judged." in told
    assert user(decision(log, 1, "vote"), "vote").count("for certain") == 0


def test_a_judgement_asks_only_about_what_is_not_known() -> None:
    def asked(seat: int) -> tuple[set[str], str]:
        wanted = request(decision(table((1, "Hello.")), seat, "judgement"), "judgement")
        rows = schema_of(wanted)["properties"]["players"]["items"]["properties"]
        return set(rows["player"]["enum"]), messages(wanted)[0][1]["content"]

    names, told = asked(3)
    assert names == set(NAMES) - {"Beta", "Gamma"}
    assert "Alpha, Delta, Epsilon, Theta, Zeta, Eta." in told
    assert '"mason": …' not in told, "both are known: no other can be one"
    assert "Among them: 1 Seer, 2 Villagers, 1 Werewolf, 1 Minion and 1 Tanner." in told
    assert asked(1)[0] == set(NAMES) - {"Alpha"}


def test_favor_tells_its_cause_and_nothing_of_the_neutral() -> None:
    told = user(decision(table((1, "Hello.")), 3, "vote"), "vote")
    assert "You loathe Alpha, who announced a vote for you and accused you." in told
    assert "You are devoted to Delta." in told
    assert "You are neutral toward the others." in told
    assert 'when you last thought about it: "Alpha was cruel."' in told
    assert "Beta" not in told[told.index("HOW YOU FEEL") : told.index("YOUR PLAN")]
    calm = {"favor": {"favor": {"1": 50.0}, "levels": {"1": 3}}}
    told = user(decision(table(), 3, "vote"), "vote", calm)
    assert "HOW YOU FEEL\nYou are neutral toward everyone." in told
    assert "HOW YOU FEEL" not in user(decision(table(), 3, "vote"), "vote", {})


def test_a_feeling_keeps_its_cause_after_the_round_that_gave_it() -> None:
    notes = (
        Note("favor", Moment(2), {"favor": {"1": 20.0}, "why": {"1": ["accuse"]}, "reason": "A"}),
        Note("favor", Moment(3), {"favor": {"1": 20.0}, "why": {"4": ["defend"]}, "reason": "B"}),
    )
    before = scene_of(table(round=3), 3, kind="vote", notes=notes)
    told = user(before, "vote", {"favor": FavorFaculty().brief(before)})
    assert "You loathe Alpha, who accused you." in told
    assert 'when you last thought about it: "B"' in told


@pytest.mark.parametrize("blank", ["…", " ... ", ""])
def test_a_plan_of_the_examples_mark_is_none(blank: str) -> None:
    ask, steps = asking({"plan": blank}, {"plan": "Listen."})
    before = replace(scene_of(table(), 3), faculties=frozenset({"strategy"}))
    (note,) = StrategyFaculty().prepare(before, ask)
    assert note.data == {"plan": "Listen."}
    assert steps == ["strategy/first", "strategy/repair"]
    assert (
        find_speech_error("…", before, prompt_of(Request("statement", before)))
        == "nothing was said"
    )


def test_everyone_else_is_to_be_scored() -> None:
    told = user(decision(table((1, "Hello."), round=2), 3, "favor"), "favor")
    others = ", ".join(n for n in NAMES if n != "Gamma")
    assert f"Score each once: {others}." in told
    assert "in round 1" in told


def test_it_knows_who_speaks_after_it() -> None:
    told = user(decision(table(), 1, "statement"), "statement")
    assert "You are the first to speak. Beta, Gamma," in told
    log = table((1, "Hello."), (2, "Hello."), round=3)
    told = user(decision(log, 3, "statement"), "statement")
    after = "Delta, Epsilon, Theta, Zeta and Eta will speak after you; then comes the vote."
    assert after in told
    assert sections.aim_section(decision(log, 3, "statement")) in told, (
        "what the vote can do for it"
    )
    log = table(*((s, "Hello.") for s in range(1, 8)), round=2)
    assert "You speak last in this round." in user(decision(log, 8, "statement"), "statement")


# -- several days


def two_days(*events: Event) -> Decision:
    seats = ["Ann", "Ben", "Cid", "Dot", "Eve"]
    opened = {"ruleset": "two-days", "version": 1, "seats": seats, "settings": {}}
    dealt = {"seat": 1, "role": "villager"}
    log = [
        Event("game_opened", PUBLIC, opened),
        Event("role_dealt", to(1), dealt),
        *events,
    ]
    window = Window("statement.2.0.1.1", "statement", (1,), speech(30), PUBLIC, PUBLIC)
    view = visibility.view_of(log, visibility.seat(1))
    return Decision(TwoDays(), view, window, Mind(), SeededRandom("s"))


def spoke(seat: int, text: str, day: int = 1) -> Event:
    data = {"window": f"statement.{day}.0.{seat}", "seat": seat, **say(text).data()}
    return Event("statement", PUBLIC, data)


def vote(seat: int, target: int | None, day: int = 1) -> Event:
    picked = {"manner": "pick", "targets": [target]} if target else {"manner": "abstain"}
    return Event("vote", PUBLIC, {"window": f"vote.{day}.0", "seat": seat, **picked})


DAYS = (
    phase("talk", 1),
    spoke(1, "Hello."),
    spoke(2, "I don't trust Ann."),
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


def test_public_votes_and_deaths_are_part_of_what_happened() -> None:
    told = user(two_days(*DAYS), "statement", {})
    lines = told.split("\n")
    assert "The vote: you for Ben, Ben for you, Cid for Ben, Dot for nobody." in lines
    assert "Ben was voted out." in lines
    assert "Eve was killed in the night." in lines
    places = ["-- Day 1", "Ben was voted out.", "-- Night 1", "Eve was killed in the night."]
    assert sorted(places, key=lines.index) == places
    assert "HOW THINGS STAND (day 2)" in lines


def test_a_plan_dates_the_judgement_that_was_made_with_it() -> None:
    seen: list[Request] = []

    def ask(step: str, request: Request) -> Reply:
        seen.append(request)
        return {"roles": {"1": {"werewolf": 0.9}}, "plan": "Listen."}

    earlier = Note("judgement", Moment(1, round=2), {"roles": {}, "list": {}})
    log = table((1, "Hello."), round=3)
    before = replace(scene_of(log, 4, notes=(earlier,)), faculties=frozenset({"strategy"}))
    StrategyFaculty().prepare(before, ask)
    told = messages(seen[-1])[0][1]["content"]
    assert "WHAT YOU MADE OF THE OTHERS WHEN ROUND 3 BEGAN" in told


def test_the_first_speaker_is_asked_to_open_the_talk() -> None:
    first = user(decision(table(), 1, "statement"), "statement")
    assert "take up what was really said" not in first
    assert "what you have said before" not in first
    assert "open the talk" in first
    second = user(decision(table((1, "Hello.")), 2, "statement"), "statement")
    assert "take up what was really said" in second
    assert "open the talk" not in second
    assert "what you have said before" not in second
    log = table((1, "Hello."), (2, "Hello."), round=2)
    assert "what you have said before" in user(decision(log, 2, "statement"), "statement")


def test_only_the_werewolf_is_told_whom_to_name_in_its_own_stead() -> None:
    hint = "most like the others to suspect"
    told = {s: user(decision(table((1, "Hello.")), s, "poll"), "poll") for s in ROLES}
    assert [s for s, text in told.items() if hint in text] == [6]


def test_roles_have_their_articles_and_plurals() -> None:
    told = {s: frame(decision(table(), s, "vote")) for s in ROLES}
    assert "You are the Werewolf, of the werewolf team." in told[6]
    assert "You are a Mason, of the village." in told[2]
    assert "\nMason (2 in the deck), of the village" in told[1]
    assert "\nSeer (1 in the deck), of the village" in told[1]


def test_feelings_are_told_of_the_living_alone() -> None:
    before = two_days(*DAYS)
    brief = {"favor": {"levels": {"2": 1, "3": 5, "4": 3, "5": 1}}}
    told = user(before, "statement", brief)
    assert "You are devoted to Cid." in told
    assert "loathe" not in told, "Ben and Eve are out"


def test_an_agent_keeps_its_own_words_where_the_talk_is_cut() -> None:
    mine = "Good morning. I like this table. " + "It is a fine table. " * 40
    log = log_in_rounds((2, mine), (1, "Hello."), (1, "Hello again."))
    found = replace(scene_of(log, 2), context="paper")
    told = user(found, "statement", {})
    (line,) = re.findall(r"^You said in round 1: .*$", told, re.M)
    assert line.startswith('You said in round 1: "Good morning. I like this table.')
    assert line.endswith('…"')
    assert len(line) < len(mine)
    whole = user(replace(found, context="whole"), "statement", {})
    assert "You said in round 1" not in whole, "all of it stands above"
    assert whole.count("Good morning.") == 1


def log_in_rounds(*said: tuple[int, str]) -> list[Event]:
    """A one-night log with one statement a round."""
    logs = [table(one, round=number) for number, one in enumerate(said, 1)]
    parts = [log[len(table(round=number - 1)) :] for number, log in enumerate(logs, 1)]
    return [*table(round=0), *(event for part in parts for event in part)]


def test_a_round_is_named_with_its_day_where_a_game_has_several() -> None:
    one_night, later = rulesets.get("one-night"), Moment(9, day=2, phase="talk", round=1)
    assert (
        transcript.moment_name(one_night, Moment(2, day=1, round=2), show_total=True)
        == "round 2 of 3"
    )
    many_days = type("ManyDays", (TwoDays,), {"rounds": 3})()
    assert transcript.moment_name(many_days, later, show_total=True) == "round 1 of 3 on day 2"
    assert transcript.moment_phrase(many_days, later) == "in round 1 on day 2"
    assert transcript.moment_phrase(TwoDays(), later) == "on day 2"


def test_the_last_votes_are_those_of_the_last_ballot_alone() -> None:
    again = {"window": "vote.1.0.again", "manner": "pick"}
    runoff = [Event("vote", PUBLIC, {**again, "seat": s, "targets": [2]}) for s in (1, 4)]
    view = two_days(*DAYS[:8], *runoff, *DAYS[8:]).view
    course = Course.of(view, TwoDays())
    assert course.last_votes() == {1: 2, 4: 2}, "1 and 3 and 2 voted before, and 3 not again"
    assert [(v.seat, v.target) for v in course.decisive_votes()] == [(1, 2), (4, 2)]
    assert Course.of(two_days(*DAYS).view, TwoDays()).last_votes() == {1: 2, 2: 1, 3: 2}
