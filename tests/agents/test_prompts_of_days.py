"""Prompts of a game of several days with a Sheriff, read as the player who must answer them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from agents.decision import Decision, Request
from agents.llm.prompting import frame, messages
from agents.llm.schemas import schema_of
from game.engine import visibility
from game.engine.forms import ABSTAIN, pick, say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import Played, play, upto

SEEDS = ("nights/0", "nights/1", "nights/3", "nights/6")  # 6: two Werewolves choose on day 5
SPOKEN = ("candidacy", "statement", "summing_up")


def _person(view: View, window: Window) -> Answer | None:
    """Long games: for three days nobody is voted out, and only the second night's attack is agreed
    on. Player 2 announces the same vote every day; all else the house players do."""
    day = view.state.day
    if view.seat == 2 and window.kind in SPOKEN:
        return Answer(say("I'll vote for player_3."))
    if window.kind == "vote" and day <= 3:
        return Answer(ABSTAIN)
    if window.kind == "attack" and day <= 4:
        return Answer(pick(7 if day == 2 else view.seat))
    return None


@lru_cache
def games() -> list[Played]:
    return [play(seed, "sheriff", person=_person, keep=True, method="full") for seed in SEEDS]


def decisions(*kinds: str) -> Iterator[tuple[Played, Decision]]:
    for game in games():
        yield from ((game, d) for d, _ in game.decisions if not kinds or d.window.kind in kinds)


def asked(decision: Decision, kind: str = "") -> str:
    return messages(Request(kind or decision.window.kind, decision, {}))[0][1]["content"]


def name(decision: Decision, seat: int) -> str:
    return "you" if seat == decision.seat else decision.view.name(seat)


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def test_it_is_told_who_lives_who_is_out_since_when_and_who_has_the_badge() -> None:
    told = deaths = 0
    for _, found in decisions():
        state, text = found.view.state, asked(found)
        alive = listed([name(found, s) for s in state.living()])
        sheriff = state.badges.get("sheriff")
        assert ("HOW THINGS STAND" in text) == bool(state.out or sheriff)
        if "HOW THINGS STAND" not in text:
            continue
        part = text.partition("HOW THINGS STAND")[2].partition("\n\n")[0]
        assert f"Alive: {alive}." in part
        holder = re.search(r"(\w+) (?:is|are) the Sheriff\.", part)
        holds = name(found, sheriff).capitalize() if sheriff == found.seat else sheriff
        assert (holder is None) == (sheriff is None or sheriff in state.out)
        assert holder is None or holder[1] in (holds, f"player_{sheriff}")
        for death in state.deaths:
            how = "killed in the night" if death.cause == "attack" else "voted out"
            who = name(found, death.seat).capitalize() if death.seat == found.seat else ""
            assert f"{who or f'player_{death.seat}'} w" in part
            assert f"{how} (day {death.moment.day})." in part
            deaths += 1
        told += 1
    assert told > 50
    assert deaths


def test_it_is_told_who_will_speak_after_it_and_no_others() -> None:
    for game, found in decisions(*SPOKEN):
        here = [e for e in game.log if e.kind in (*SPOKEN, "phase_opened")]
        mine = next(i for i, e in enumerate(here) if e.data.get("window") == found.window.key)
        end = next(i for i, e in enumerate(here) if i > mine and e.kind == "phase_opened")
        after = [found.view.name(e["seat"]) for e in here[mine + 1 : end]]
        text = asked(found)
        assert (f"{listed(after)} will speak after you." in text) == bool(after)
        assert ("will speak after you" in text) == bool(after)
        first = here[mine - 1].kind == "phase_opened"
        assert ("You are the first to speak." in text) == first
        assert "About the vote: " in text or found.window.kind == "candidacy"
        last = "You are the Sheriff and speak last today" in text
        assert last == (found.window.kind == "summing_up")


def test_the_sheriff_is_told_who_sits_on_which_side() -> None:
    tried = 0
    for game, found in decisions("first_side"):
        sides = re.search(
            r"begins to speak: (\w+), on your left, or (\w+), on your right", asked(found)
        )
        assert sides
        chosen = next(
            e
            for e in game.log
            if e.data.get("window") == found.window.key and e.kind == "first_side"
        )
        begins = sides[1 if chosen["targets"] == ["left"] else 2]
        spoken = [e for e in game.log[game.log.index(chosen) :] if e.kind in SPOKEN]
        assert game.log[0]["seats"][spoken[0]["seat"] - 1] == begins
        tried += 1
    assert tried


def test_a_werewolf_knows_what_the_other_one_chose_this_night() -> None:
    second = 0
    for game, found in decisions("attack"):
        night = asked(found).partition(f"-- Night {found.view.state.day}\n")[2].partition("\n\n")[0]
        number = int(found.window.key.rpartition(".")[2])
        other = [
            e
            for e in game.log
            if e.kind == "attack" and e["window"].startswith(f"attack.{found.view.state.day}.")
        ][: 1 if number == 2 else 0]
        assert ("Only the Werewolves know" in night) == bool(other)
        for event in other:
            chosen = name(found, event["targets"][0])
            by = found.view.name(event["seat"])
            assert f"Only the Werewolves know: {by} chose to attack {chosen}." in night
            second += 1
    assert second


def test_what_one_did_to_oneself_is_told_in_english() -> None:
    texts = {asked(found) for _, found in decisions()}
    assert any("you for yourself" in text or "protected yourself" in text for text in texts)
    for text in texts:
        assert not re.search(r"you for you\b|you (?:protected|chose to attack) you\b", text)


def test_days_are_not_counted_as_rounds() -> None:
    for _, found in decisions(*SPOKEN):
        for kind in ("", "favor", "strategy"):
            assert not re.search(r"day \d+ of|in this round|\bround \d", asked(found, kind))


def test_votes_announced_are_those_of_the_day_and_may_be_told_again() -> None:
    again = 0
    for _, found in decisions("vote", "attack", "divination", "protection"):
        text, day = asked(found), found.view.state.day
        lines = re.findall(r"^Votes announced: .*", text, re.M)
        if found.window.kind != "vote":
            assert not lines, "the vote they were for is over"
        elif 2 in found.view.state.living() and found.seat != 2:
            assert re.search(r"for (?:player_3|you) by [^;]*player_2", lines[0])
            again += day > 1
    assert again


def test_what_a_look_told_for_certain_is_not_asked_about() -> None:
    tried = 0
    for _, found in decisions("statement", "summing_up"):
        looks = [e for e in found.view.events if e.kind == "divined"]
        rows = schema_of(Request("judgement", found, {}))["properties"]["players"]["items"]
        names = rows["properties"]["player"]["enum"]
        for event in looks:
            assert found.view.name(event["targets"][0]) not in names
            row = {"role": "villager", "side": "teammate", "top": [["villager", 0.9]], "share": 0.9}
            brief = {"strategy": {"list": {str(event["targets"][0]): row}}}
            text = messages(Request("statement", found, brief))[0][1]["content"]
            role = event["role"].capitalize()
            assert (
                f"{found.view.name(event['targets'][0])}: {role} for certain, as you know" in text
            )
            tried += 1
    assert tried


def test_who_was_out_before_a_day_began_is_not_scored_for_it() -> None:
    left_out = 0
    for game, found in decisions("statement"):
        if found.round < 2:
            continue
        spoke = {t.seat for t in found.view.turns if t.moment.day == found.view.state.day - 1}
        scored = asked(found, "favor").partition("Score each once: ")[2].partition(".\n")[0]
        wanted = {found.view.name(s) for s in spoke - {found.seat}}
        assert set(scored.split(", ")) == wanted
        left_out += len(wanted) < len(game.log[0]["seats"]) - 1
    assert left_out


def test_where_nobody_is_elected_no_election_is_told_of() -> None:
    found = next(d for _, d in decisions("statement"))
    assert "drawn at random as candidates for Sheriff" in frame(found)
    log = found.view.events
    opened = replace(log[0], data={**log[0].data, "settings": {"election": False}})
    state = replace(found.view.state, settings={"election": False})
    view = replace(found.view, events=(opened, *log[1:]), state=state)
    told = frame(replace(found, view=view))
    assert "as candidates for Sheriff" not in told
    assert "There is no election. On the first day everyone learns who the Sheriff is." in told


def test_the_papers_context_stays_short_over_many_days() -> None:
    """Where everybody says as much as may be said."""
    game = next(g for g in games() if max(e["day"] for e in g.log if e.kind == "phase_opened") > 4)
    words = " ".join(["deliberately"] * 120)
    log = [
        replace(e, data={**e.data, "text": words}) if e.data.get("text") else e for e in game.log
    ]
    found = [d for d, _ in game.decisions if d.window.kind == "vote"][-1]
    view = visibility.view_of(upto(log, found.window), visibility.seat(found.seat))
    sizes = {}
    for context in ("whole", "paper"):
        there = replace(found, view=view, context=context)
        memory = {"memory": {"memory": [{"turn": number} for number in range(1, 11)]}}
        told = messages(Request("vote", there, memory))[0]
        sizes[context] = sum(len(m["content"]) for m in told)
    assert sizes["paper"] < 14_000 < sizes["whole"], sizes


def test_the_papers_context_holds_the_whole_of_the_day_before() -> None:
    """The first day's speeches of candidates as well: they are of its round."""
    tried = 0
    for _, found in decisions("statement"):
        if found.view.state.day == 2:
            text = asked(replace(found, context="paper"))
            assert "its talk is left out" not in text
            tried += 1
        if found.view.state.day == 3:
            text = asked(replace(found, context="paper"))
            assert "-- The Sheriff (its talk is left out here)" in text
    assert tried


def test_words_said_twice_on_a_day_are_told_apart_in_memory() -> None:
    found = next(d for _, d in decisions("summing_up") if d.view.state.day == 2)
    own = [t for t in found.view.turns if t.moment.day == 1 and t.seat != found.seat]
    twice = next(t for t in own if sum(o.seat == t.seat for o in own) > 1)
    rows = [{"turn": t.number} for t in own if t.seat == twice.seat]
    text = messages(Request("summing_up", found, {"memory": {"memory": rows}}))[0][1]["content"]
    who = found.view.name(twice.seat)
    assert f"on day 1 {who} (1), {who} (2)." in text
