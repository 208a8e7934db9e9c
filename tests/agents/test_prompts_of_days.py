"""Prompts of Sheriff games over several days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from agents.decision import Decision, Request
from agents.llm.prompting import build_frame, build_messages
from agents.llm.schemas import build_schema
from game.engine import visibility
from game.engine.events import ABSTAIN, pick, say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import PlayedGame, log_up_to, play

SEEDS = ("nights/0", "nights/1", "nights/3", "nights/6")  # 6: two Werewolves choose on day 5
SPEECH_KINDS = ("candidacy", "statement", "summing_up")


def _person(view: View, window: Window) -> Answer | None:
    """Play for long games: no exile for three days, and an agreed attack only in night 2.

    Player 2 announces the same vote every day. House players decide everything else.
    """
    day = view.state.day
    if view.seat == 2 and window.kind in SPEECH_KINDS:
        return Answer(say("I'll vote for player_3."))
    if window.kind == "vote" and day <= 3:
        return Answer(ABSTAIN)
    if window.kind == "attack" and day <= 4:
        return Answer(pick(7 if day == 2 else view.seat))
    return None


@lru_cache
def games() -> list[PlayedGame]:
    return [play(seed, "sheriff", person=_person, keep=True, method="full") for seed in SEEDS]


def decisions(*kinds: str) -> Iterator[tuple[PlayedGame, Decision]]:
    for game in games():
        yield from ((game, d) for d, _ in game.decisions if not kinds or d.window.kind in kinds)


def user_prompt(decision: Decision, kind: str = "") -> str:
    return build_messages(Request(kind or decision.window.kind, decision, {}))[0][1]["content"]


def name_for(decision: Decision, seat: int) -> str:
    return "you" if seat == decision.seat else decision.view.name(seat)


def join_names(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def test_prompt_lists_living_and_dead_players_and_the_sheriff() -> None:
    checked = deaths = 0
    for _, decision in decisions():
        state, text = decision.view.state, user_prompt(decision)
        alive = join_names([name_for(decision, s) for s in state.living()])
        sheriff = state.badges.get("sheriff")
        assert ("HOW THINGS STAND" in text) == bool(state.out or sheriff)
        if "HOW THINGS STAND" not in text:
            continue
        part = text.partition("HOW THINGS STAND")[2].partition("\n\n")[0]
        assert f"Alive: {alive}." in part
        holder = re.search(r"(\w+) (?:is|are) the Sheriff\.", part)
        sheriff_name = (
            name_for(decision, sheriff).capitalize() if sheriff == decision.seat else sheriff
        )
        assert (holder is None) == (sheriff is None or sheriff in state.out)
        assert holder is None or holder[1] in (sheriff_name, f"player_{sheriff}")
        for death in state.deaths:
            cause = "killed in the night" if death.cause == "attack" else "voted out"
            own_name = (
                name_for(decision, death.seat).capitalize() if death.seat == decision.seat else ""
            )
            assert f"{own_name or f'player_{death.seat}'} w" in part
            assert f"{cause} (day {death.moment.day})." in part
            deaths += 1
        checked += 1
    assert checked > 50
    assert deaths


def test_own_actions_are_worded_in_the_second_person() -> None:
    texts = {user_prompt(decision) for _, decision in decisions()}
    assert any("you for yourself" in text or "protected yourself" in text for text in texts)
    for text in texts:
        assert not re.search(r"you for you\b|you (?:protected|chose to attack) you\b", text)


def test_prompts_do_not_call_days_rounds() -> None:
    for _, decision in decisions(*SPEECH_KINDS):
        for kind in ("", "favor", "strategy"):
            assert not re.search(
                r"day \d+ of|in this round|\bround \d", user_prompt(decision, kind)
            )


def test_announced_votes_are_those_of_the_current_day() -> None:
    repeated = 0
    for _, decision in decisions("vote", "attack", "divination", "protection"):
        text, day = user_prompt(decision), decision.view.state.day
        lines = re.findall(r"^Votes announced: .*", text, re.M)
        if decision.window.kind != "vote":
            assert not lines, "the announced vote is over"
        elif 2 in decision.view.state.living() and decision.seat != 2:
            assert re.search(r"for (?:player_3|you) by [^;]*player_2", lines[0])
            repeated += day > 1
    assert repeated


def test_roles_known_from_a_look_are_not_requested() -> None:
    checked = 0
    for _, decision in decisions("statement", "summing_up"):
        looks = [e for e in decision.view.events if e.kind == "divined"]
        rows = build_schema(Request("judgement", decision, {}))["properties"]["players"]["items"]
        names = rows["properties"]["player"]["enum"]
        for event in looks:
            assert decision.view.name(event["targets"][0]) not in names
            row = {"role": "villager", "side": "teammate", "top": [["villager", 0.9]], "share": 0.9}
            brief = {"strategy": {"list": {str(event["targets"][0]): row}}}
            text = build_messages(Request("statement", decision, brief))[0][1]["content"]
            role = event["role"].capitalize()
            assert (
                f"{decision.view.name(event['targets'][0])}: {role} for certain, as you know"
                in text
            )
            checked += 1
    assert checked


def test_players_out_before_a_day_are_not_scored_for_it() -> None:
    left_out = 0
    for game, decision in decisions("statement"):
        if decision.round < 2:
            continue
        speakers = {
            t.seat for t in decision.view.turns if t.moment.day == decision.view.state.day - 1
        }
        scored = (
            user_prompt(decision, "favor").partition("Score each once: ")[2].partition(".\n")[0]
        )
        expected = {decision.view.name(s) for s in speakers - {decision.seat}}
        assert set(scored.split(", ")) == expected
        left_out += len(expected) < len(game.log[0]["seats"]) - 1
    assert left_out


def test_frame_omits_the_election_if_it_is_disabled() -> None:
    decision = next(d for _, d in decisions("statement"))
    assert "drawn at random as candidates for Sheriff" in build_frame(decision)
    log = decision.view.events
    opened = replace(log[0], data={**log[0].data, "settings": {"election": False}})
    state = replace(decision.view.state, settings={"election": False})
    view = replace(decision.view, events=(opened, *log[1:]), state=state)
    text = build_frame(replace(decision, view=view))
    assert "as candidates for Sheriff" not in text
    assert "There is no election. On the first day everyone learns who the Sheriff is." in text


def test_paper_context_stays_short_over_many_days() -> None:
    """Every statement has the maximum length."""
    game = next(g for g in games() if max(e["day"] for e in g.log if e.kind == "phase_opened") > 4)
    text = " ".join(["deliberately"] * 120)
    log = [replace(e, data={**e.data, "text": text}) if e.data.get("text") else e for e in game.log]
    decision = [d for d, _ in game.decisions if d.window.kind == "vote"][-1]
    view = visibility.view_of(log_up_to(log, decision.window), visibility.seat(decision.seat))
    sizes = {}
    for context in ("whole", "paper"):
        variant = replace(decision, view=view, context=context)
        memory = {"memory": {"memory": [{"turn": number} for number in range(1, 11)]}}
        request_messages = build_messages(Request("vote", variant, memory))[0]
        sizes[context] = sum(len(m["content"]) for m in request_messages)
    assert sizes["paper"] < 14_000 < sizes["whole"], sizes


def test_paper_context_holds_the_whole_previous_day() -> None:
    """The candidates' speeches of day 1 belong to its round."""
    checked = 0
    for _, decision in decisions("statement"):
        if decision.view.state.day == 2:
            text = user_prompt(replace(decision, context="paper"))
            assert "its talk is left out" not in text
            checked += 1
        if decision.view.state.day == 3:
            text = user_prompt(replace(decision, context="paper"))
            assert "-- The Sheriff (its talk is left out here)" in text
    assert checked


def test_memories_of_the_same_day_and_player_are_numbered() -> None:
    decision = next(d for _, d in decisions("summing_up") if d.view.state.day == 2)
    other_turns = [t for t in decision.view.turns if t.moment.day == 1 and t.seat != decision.seat]
    repeated_turn = next(t for t in other_turns if sum(o.seat == t.seat for o in other_turns) > 1)
    rows = [{"turn": t.number} for t in other_turns if t.seat == repeated_turn.seat]
    text = build_messages(Request("summing_up", decision, {"memory": {"memory": rows}}))[0][1][
        "content"
    ]
    name = decision.view.name(repeated_turn.seat)
    assert f"on day 1 {name} (1), {name} (2)." in text
