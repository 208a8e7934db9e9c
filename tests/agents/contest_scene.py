"""Decisions on day 2 of the contest of thirteen, after scripted claims."""

from __future__ import annotations

from agents.decision import Decision, Mind
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC, Event, only_seats, say
from game.engine.forms import picking, speech
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.visibility import view_of
from game.engine.windows import Window


def scene(
    me: int,
    role: str,
    *events: Event,
    kind: str = "statement",
    mates: str = "",
    seed: str = "scene",
) -> Decision:
    """Return the decision of seat `me` on day 2, after two Seers and a Medium have spoken.

    Arlo has found Dara, who was voted out; Bram has cleared Finn; Cleo is the Medium.
    """
    rules = rulesets.get("aiwolf-13")
    names = list(rules.seat_names)
    data = {"ruleset": rules.name, "version": rules.version, "seats": names, "settings": {}}
    log = [Event("game_opened", PUBLIC, data)]
    own = {me: role, **{names.index(name) + 1: role for name in mates.split()}}
    log += [Event("role_dealt", only_seats(me), {"seat": s, "role": r}) for s, r in own.items()]
    log += [talk(0), night(0)]
    log += [
        talk(1),
        *statement_events(1, "I'm the Seer. Last night I looked at Dara: Dara is a Werewolf."),
    ]
    log += statement_events(2, "I'm the Seer. Last night I looked at Finn: Finn is not a Werewolf.")
    log += [Event("out", PUBLIC, {"seat": 4, "cause": "vote", "day": 1}), night(1)]
    log += [talk(2), *events]
    living = [s for s in range(1, 14) if s != 4]
    legal = speech(60) if kind == "statement" else picking(living)
    window = Window(
        "test", kind, (me,), legal, only_seats(me), only_seats(me), moment=fold(log).moment
    )
    log.append(Event("window_opened", only_seats(me), window.to_json()))
    view = view_of(log, visibility.seat(me))
    return Decision(rules, view, window, Mind(()), SeededRandom(seed))


def talk(day: int) -> Event:
    return Event("phase_opened", PUBLIC, {"phase": "talk", "day": day, "round": 0})


def night(day: int) -> Event:
    return Event("phase_opened", PUBLIC, {"phase": "night", "day": day, "round": 0})


def statement_events(speaker: int, text: str) -> list[Event]:
    key = f"said.{speaker}.{len(text)}"
    window = Window(key, "statement", (speaker,), speech(60), PUBLIC, PUBLIC)
    data = {"window": key, "seat": speaker, **say(text).to_json()}
    closed = Event("window_closed", PUBLIC, {"window": key})
    return [
        Event("window_opened", PUBLIC, window.to_json()),
        Event("statement", PUBLIC, data),
        closed,
    ]
