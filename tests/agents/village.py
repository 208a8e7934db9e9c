"""A contest village in memory: one seat before one question, after talk that a test writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.decision import Decision, Request
from agents.llm.prompting import messages
from agents.mind import Mind, Note
from agents.recipe import FACULTIES, METHODS, Recipe
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, Moment, to
from game.engine.forms import picking, say, speech_with_mentions
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window

CONTEST = Recipe("m", "contest")
NAMES = rulesets.get("aiwolf-13").seat_names
LIVING = tuple(range(1, len(NAMES) + 1))
SEER = "I'm the Seer. Last night I looked at {}: {} is {}."


def dealt(role: str, me: int, partners: Sequence[int] = ()) -> list[Event]:
    opened = {"ruleset": "aiwolf-13", "version": 1, "settings": {}, "seats": list(NAMES)}
    events = [Event("game_opened", PUBLIC, opened)]
    return events + [
        Event("role_dealt", to(me), {"seat": s, "role": role}) for s in (me, *partners)
    ]


def phase(name: str, day: int) -> Event:
    return Event("phase_opened", PUBLIC, {"phase": name, "day": day, "round": 0})


def says(seat: int, text: str, key: str) -> list[Event]:
    """What a seat says to all, in a window of its own."""
    window = Window(
        key, "statement", (seat,), speech_with_mentions(60, -1, -1, LIVING), PUBLIC, PUBLIC
    )
    data = {"window": key, "seat": seat, **say(text).data()}
    return [
        Event("window_opened", PUBLIC, window.data()),
        Event("statement", PUBLIC, data),
        Event("window_closed", PUBLIC, {"window": key}),
    ]


def talk(day: int, *said: tuple[int, str]) -> list[Event]:
    """A day's talk, a statement after the other."""
    events = [phase("talk", day)]
    for number, (seat, text) in enumerate(said):
        events += says(seat, text, f"said.{day}.{number}")
    return events


def out(seat: int, cause: str, day: int) -> Event:
    return Event("out", PUBLIC, {"seat": seat, "cause": cause, "day": day})


def divined(seat: int, target: int, species: str) -> Event:
    data = {"seat": seat, "targets": [target], "species": species}
    return Event("divined", to(seat), data)


def before(
    events: Sequence[Event],
    me: int,
    kind: str = "statement",
    *,
    notes: Sequence[Note] = (),
    switches: Mapping[str, str] | None = None,
    seed: str = "s",
    limits: tuple[int, int, int] = (60, -1, -1),
    **more: Any,
) -> Decision:
    """The seat before a question that opens after these events, as the method `contest` has it."""
    state = fold(events)
    audience = PUBLIC if kind in ("statement", "vote") else to(me)
    talks = kind in ("statement", "whisper")
    legal = speech_with_mentions(*limits, state.living()) if talks else picking(state.living())
    window = Window(f"{kind}.now", kind, (me,), legal, audience, audience, moment=state.moment)
    log = [*events, Event("window_opened", audience, window.data())]
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
    return replace(decision, **more)


def note(faculty: str, **data: Any) -> Note:
    return Note(faculty, Moment(1, "talk"), data)


def texts(request: Request) -> list[str]:
    return [message["content"] for message in messages(request)[0]]


def prompt_of(decision: Decision) -> str:
    """The prompt of an answer, with the briefs of all faculties."""
    brief = {name: FACULTIES[name].brief(decision) for name in decision.faculties
             if name != "judgement"}  # fmt: skip
    return "\n".join(texts(Request(decision.window.kind, decision, brief)))


def said_before_a_vote() -> list[Event]:
    """A day's talk with claims, a result, and words about a guard."""
    said = (
        (2, SEER.format("Finn", "Finn", "a Werewolf")),
        (3, "I'm the Medium, and I have no result."),
        (4, "Nice weather."),
        (5, "I protected Bram last night, that is why nobody died."),
    )
    return [*dealt("villager", 1), *talk(1, *said), phase("vote", 1)]


def round_begun(decision: Decision) -> Decision:
    """The decision as its round opens: the first talk of the day."""
    state = decision.view.state
    view = replace(decision.view)
    object.__setattr__(view, "state", replace(state, rounds=(state.moment,)))
    return replace(decision, view=view)
