"""Decisions in the contest village, in memory, after talk that a test scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import Decision, Mind, Note, Request
from agents.llm.prompting import build_messages
from agents.recipe import FACULTIES, METHODS, Recipe
from agents.think import Thought, think
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, only_seats, say
from game.engine.forms import picking, speech_with_mentions
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window

GUARDED = Recipe("m", "guarded")


CONTEST = Recipe("m", "contest")
NAMES = rulesets.get("aiwolf-13").seat_names
LIVING = tuple(range(1, len(NAMES) + 1))
SEER = "I'm the Seer. Last night I looked at {}: {} is {}."


def deal(role: str, me: int, partners: Sequence[int] = ()) -> list[Event]:
    opened = {"ruleset": "aiwolf-13", "version": 1, "settings": {}, "seats": list(NAMES)}
    events = [Event("game_opened", PUBLIC, opened)]
    return events + [
        Event("role_dealt", only_seats(me), {"seat": s, "role": role}) for s in (me, *partners)
    ]


def phase(name: str, day: int) -> Event:
    return Event("phase_opened", PUBLIC, {"phase": name, "day": day, "round": 0})


def statement_events(seat: int, text: str, key: str) -> list[Event]:
    """Return the events of one public statement in its own window."""
    window = Window(
        key, "statement", (seat,), speech_with_mentions(60, -1, -1, LIVING), PUBLIC, PUBLIC
    )
    data = {"window": key, "seat": seat, **say(text).to_json()}
    return [
        Event("window_opened", PUBLIC, window.to_json()),
        Event("statement", PUBLIC, data),
        Event("window_closed", PUBLIC, {"window": key}),
    ]


def talk(day: int, *statements: tuple[int, str]) -> list[Event]:
    """Return the events of a day's talk."""
    events = [phase("talk", day)]
    for number, (seat, text) in enumerate(statements):
        events += statement_events(seat, text, f"said.{day}.{number}")
    return events


def out(seat: int, cause: str, day: int) -> Event:
    return Event("out", PUBLIC, {"seat": seat, "cause": cause, "day": day})


def divination(seat: int, target: int, species: str) -> Event:
    data = {"seat": seat, "targets": [target], "species": species}
    return Event("divined", only_seats(seat), data)


def scene(
    events: Sequence[Event],
    me: int,
    kind: str = "statement",
    *,
    notes: Sequence[Note] = (),
    switches: Mapping[str, str] | None = None,
    seed: str = "s",
    limits: tuple[int, int, int] = (60, -1, -1),
    **changes: Any,
) -> Decision:
    """Return the decision of `me` in a window after `events`, with the method `contest`."""
    state = fold(events)
    audience = PUBLIC if kind in ("statement", "vote") else only_seats(me)
    is_speech = kind in ("statement", "whisper")
    legal = speech_with_mentions(*limits, state.living()) if is_speech else picking(state.living())
    window = Window(f"{kind}.now", kind, (me,), legal, audience, audience, moment=state.moment)
    log = [*events, Event("window_opened", audience, window.to_json())]
    decision = Decision(
        rulesets.get("aiwolf-13"),
        visibility.view_of(log, visibility.seat(me)),
        window,
        Mind(tuple(notes)),
        SeededRandom(seed),
        faculties=frozenset(METHODS["contest"].faculties),
        context="summary",
        switches=replace(CONTEST, switches=switches or {}).switch_values,
    )
    return replace(decision, **changes)


def note(faculty: str, **data: Any) -> Note:
    return Note(faculty, Moment(1, "talk"), data)


def texts(request: Request) -> list[str]:
    return [message["content"] for message in build_messages(request)[0]]


def prompt_of(decision: Decision) -> str:
    """Return the prompt of an answer with the briefs of all faculties."""
    brief = {name: FACULTIES[name].brief(decision) for name in decision.faculties
             if name != "judgement"}  # fmt: skip
    return "\n".join(texts(Request(decision.window.kind, decision, brief)))


def events_before_vote() -> list[Event]:
    """Return a day's talk with claims, a result and a guard statement, up to the vote."""
    statements = (
        (2, SEER.format("Finn", "Finn", "a Werewolf")),
        (3, "I'm the Medium, and I have no result."),
        (4, "Nice weather."),
        (5, "I protected Bram last night, that is why nobody died."),
    )
    return [*deal("villager", 1), *talk(1, *statements), phase("vote", 1)]


def at_round_start(decision: Decision) -> Decision:
    """Return `decision` as the first of its round, in the first talk of the day."""
    state = decision.view.state
    view = replace(decision.view)
    object.__setattr__(view, "state", replace(state, rounds=(state.moment,)))
    return replace(decision, view=view)


def guarded_scene(events: Sequence[Event], kind: str = "statement", **more: Any) -> Decision:
    more.setdefault("faculties", frozenset(METHODS["guarded"].faculties))
    return scene(events, 1, kind, context="whole", **more)


def think_guarded(decision: Decision, ask: Callable[..., Any], recipe: Recipe = GUARDED) -> Thought:
    return think(recipe, decision, ask)
