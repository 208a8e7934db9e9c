"""Whole games of the contest, played by house players: what a player would notice.

Here a few of each; `python -m tests.bench consistency` reads the stories of two hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from agents.packs import pack_of
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.events import Event
from game.engine.state import State
from game.engine.visibility import MODERATOR, steps, view_of
from tests.agents.table import Played, play

SMALL, LARGE = 40, 4  # games of five and of thirteen
Said = tuple[Event, State, tuple[SpeechAct, ...]]


@pytest.fixture(scope="module")
def games() -> list[Played]:
    terms = [("aiwolf-13", f"contest/{i}") for i in range(LARGE)]
    terms += [("aiwolf-5", f"contest/{i}") for i in range(SMALL)]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(_play, terms))


def _play(terms: tuple[str, str]) -> Played:
    name, seed = terms
    return play(seed, name)


def spoken(game: Played) -> Iterator[Said]:
    """(statement, the state when it was made, what it means) of all that was said aloud."""
    pack = pack_of(rulesets.get(str(game.log[0]["ruleset"])))
    before = 0
    for event, state in steps(view_of(game.log, MODERATOR)):
        if event.kind == "statement" and event.data.get("text"):
            yield event, state, understand(event["text"], event["seat"], state.seats, before, pack)
            before = event["seat"]


def story_faults(game: Played) -> Iterator[str]:
    """What the Possessed tells that no true Seer or Medium could have told at that moment."""
    mine = next(s for s, role in game.roles.items() if role == "possessed")
    wolves = list(game.roles.values()).count("werewolf")
    results: dict[tuple[str, int], tuple[int, str]] = {}  # (role, target) -> (day, answer)
    role, days = "", set[int]()
    for event, state, acts in spoken(game):
        for act in acts if event["seat"] == mine else ():
            words = f"day {state.day}: {event['text']}"
            if act.kind == "claim" and act.role != role:
                if role in ("seer", "medium") and act.role != "possessed":
                    yield f"{act.role} after {role}, {words}"
                role = act.role
            if act.kind != "report":
                continue
            target, told = act.targets[0], results.get((act.role, act.targets[0]))
            if told:
                if told[1] != act.value:
                    yield f"another answer, {words}"
                continue
            exiled = [d.seat for d in state.deaths if d.cause == "vote"][-1:]
            if act.role == "seer" and (target in state.out or target == mine):
                yield f"looked at who is dead, {words}"
            if act.role == "medium" and [target] != exiled:
                yield f"not who was voted out last, {words}"
            if state.day in days or state.day == 0:
                yield f"no night for it, {words}"
            days.add(state.day)
            results[act.role, target] = state.day, act.value
            if sum(answer == "werewolf" for _, answer in results.values()) > max(wolves - 1, 1):
                yield f"as many werewolves as there are, and the game goes on, {words}"
        if event["seat"] == mine and role == "seer" and state.day > 0 and state.day not in days:
            yield f"no result this morning, day {state.day}: {event['text']}"


def test_the_possesseds_story_could_be_true(games: list[Played]) -> None:
    found = [fault for game in games for fault in story_faults(game)]
    assert not found, "\n".join(found)


def test_a_medium_tells_every_result_and_a_seer_every_werewolf(games: list[Played]) -> None:
    learnt, told = 0, 0
    for game in games:
        for number, event in enumerate(game.log):
            found = event.kind == "divined" and event["species"] == "werewolf"
            if not found and event.kind != "identified":
                continue
            result = event["seat"], tuple(event["targets"]), event["species"]
            after = {id(e) for e in game.log[number:]}
            later = [s for s in spoken(game) if s[0]["seat"] == event["seat"] and id(s[0]) in after]
            if not later:
                continue
            today = [acts for _event, state, acts in later if state.day == later[0][1].day]
            learnt += 1
            told += any(
                (a.speaker, a.targets, a.value) == result
                for acts in today
                for a in acts
                if a.kind == "report"
            )
    assert learnt > 10
    assert told >= 0.9 * learnt
