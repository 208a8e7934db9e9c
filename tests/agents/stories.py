"""Checks of house players' statements over a game: contradictions and impossible claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.packs import pack_of
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine import rulesets
from game.engine.events import Event, pick
from game.engine.state import State
from game.engine.visibility import MODERATOR, View, steps_with_states, view_of
from game.engine.windows import Answer, Window
from tests.agents import table
from tests.agents.table import NAMES, ONE_NIGHT, PlayedGame, play

ReadStatement = tuple[Event, State, tuple[SpeechAct, ...]]


def read_statements(game: PlayedGame) -> Iterator[ReadStatement]:
    """Yield (event, state at that time, speech acts) of every public statement."""
    pack = pack_of(rulesets.get(str(game.log[0]["ruleset"])))
    before = 0
    for event, state in steps_with_states(view_of(game.log, MODERATOR)):
        if event.kind == "statement" and event.data.get("text"):
            yield event, state, understand(event["text"], event["seat"], state.seats, before, pack)
            before = event["seat"]


def find_impossible_claims(game: PlayedGame) -> Iterator[str]:
    """Yield the Possessed's statements that no true Seer or Medium could have made then."""
    mine = next(s for s, role in game.roles.items() if role == "possessed")
    wolves = list(game.roles.values()).count("werewolf")
    results: dict[tuple[str, int], tuple[int, str]] = {}  # (role, target) -> (day, answer)
    role, days = "", set[int]()
    for event, state, acts in read_statements(game):
        for act in acts if event["seat"] == mine else ():
            words = f"day {state.day}: {event['text']}"
            if act.kind == "claim" and act.role != role:
                if role in ("seer", "medium") and act.role != "possessed":
                    yield f"{act.role} after {role}, {words}"
                role = act.role
            if act.kind != "report":
                continue
            target, earlier = act.targets[0], results.get((act.role, act.targets[0]))
            if earlier:
                if earlier[1] != act.value:
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


@dataclass
class Story:
    """Claims of one player about itself so far."""

    role: str = ""
    report: SpeechAct | None = None
    partner: tuple[int, ...] = ()
    denied: set[str] = field(default_factory=set)


def find_contradictions(story: Story, acts: tuple[SpeechAct, ...]) -> Iterator[str]:
    """Yield the contradictions between `acts` and `story`, and update `story`."""
    taken_back = any(a.kind == "retract" for a in acts)
    taken_back |= any(a.kind == "deny" and a.role == story.role for a in acts)
    if taken_back:
        story.role, story.report, story.partner, story.denied = "", None, (), set()
    for act in acts:
        role = {"claim": act.role, "companion": act.role, "report": "seer"}.get(act.kind, "")
        if role and story.role not in ("", role):
            yield f"claims {role} after {story.role}"
        if role and role in story.denied:
            yield f"claims {role} after denying it"
        story.role = role or story.role
        if act.kind == "report":
            if story.report not in (None, act):
                yield f"saw {act.targets} after {story.report}"
            story.report = act
        if act.kind == "companion":
            if story.partner not in ((), act.targets):
                yield f"names {act.targets} after {story.partner}"
            story.partner = act.targets
        if act.kind == "deny":
            story.denied.add(act.role)


def find_errors(game: PlayedGame) -> list[str]:
    """Return statements of `game` that contradict the speaker's claims or knowledge."""
    errors = []
    stories = {seat: Story() for seat in range(1, 9)}
    look = next((e for e in game.log if e.kind == "divined"), None)
    before = 0
    for seat, text in game.statements:
        acts, role = table.understand(text, seat, NAMES, before), game.roles[seat]
        before = seat
        problems = list(find_contradictions(stories[seat], acts))
        for act in acts:
            if act.kind == "claim" and act.role in ("werewolf", "minion"):
                problems.append(f"gives itself away as {act.role}")
            if role in ("villager", "seer", "mason"):
                if act.kind == "claim" and act.role != role:
                    problems.append(f"an honest {role} claims {act.role}")
                if act.kind == "deny" and act.role == role:
                    problems.append(f"an honest {role} denies it")
            if act.kind == "report" and role == "seer":
                actual = (tuple(look["targets"]), look["found"]) if look else None
                if (act.targets, ONE_NIGHT.accuses(act.result)) != actual:
                    problems.append(f"the Seer saw {actual}")
            if act.kind == "report" and seat in act.targets:
                problems.append("looked at itself")
        cleared = stories[seat].report
        pressed = {t for a in acts if a.strength for t in a.targets}
        if cleared and not ONE_NIGHT.accuses(cleared.result) and pressed & set(cleared.targets):
            problems.append("presses whom it cleared")
        if pressed & set(stories[seat].partner):
            problems.append("presses its partner")
        errors += [f"{NAMES[seat - 1]} ({role}): {w}: {text}" for w in problems]
    return errors


def answer_votes(view: View, window: Window) -> Answer | None:
    """Answer polls and votes without thinking, which saves most of the time."""
    if window.kind not in ("poll", "vote"):
        return None
    return Answer(pick(window.options_for(view.seat)[0]))


def play_and_find_contradictions(number: int) -> list[str]:
    """Return the contradictions of one game of house players without personas."""
    seed = f"consistency/{number}"
    game = play(seed, person=answer_votes, method="baseline")
    assert len(game.statements) == 24
    return [f"{seed}: {error}" for error in find_errors(game)]
