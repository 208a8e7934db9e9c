"""Decisions of the contest of thirteen at night or by day, after scripted whispers."""

from __future__ import annotations

from agents.decision import Decision, Mind, Note
from agents.house.stance import Stance
from game.engine import rulesets, visibility
from game.engine.events import PASSES, PUBLIC, Action, Event, Moment, only_seats, say
from game.engine.forms import picking, speech
from game.engine.seeded_random import SeededRandom
from game.engine.state import fold
from game.engine.windows import Window
from tests.agents.village import phase

RULES = rulesets.get("aiwolf-13")
NAMES = tuple(RULES.seat_names)  # Arlo, Bram, Cleo, Dara, Elsa, Finn, Greta, Hugo, Iris, …
WOLVES = (7, 8, 9)
FORM = speech(60, may_over=True)


def whisper_scene(
    me: int,
    *whispers: tuple[int, str],
    day: int = 2,
    kind: str = "whisper",
    pose: str = "",
    evening: str = "",
    spoken: str = "",
) -> Decision:
    """Return the decision of `me` at night or by day after whispers of Greta, Hugo and Iris.

    Cleo is the believed Medium, Finn a Villager. `evening` is an earlier whisper of `me`,
    `spoken` an earlier public statement.
    """
    data = {"ruleset": RULES.name, "version": RULES.version, "seats": list(NAMES), "settings": {}}
    log = [Event("game_opened", PUBLIC, data)]
    role = "werewolf" if me in WOLVES else "villager"
    log += [
        Event("role_dealt", only_seats(me), {"seat": s, "role": role})
        for s in (WOLVES if me in WOLVES else (me,))
    ]
    log += speech_events(me, evening, "whisper", WOLVES) if evening else []
    log.append(phase("talk", day))
    log += speech_events(3, "I'm the Medium, and I have no result yet.", "statement", ())
    log += speech_events(me, spoken, "statement", ()) if spoken else []
    log.append(phase("night", day))
    for seat, text in whispers:
        log += speech_events(seat, text, "whisper", WOLVES)
    if kind == "statement":
        log.append(phase("talk", day + 1))
    legal = picking(range(1, 14)) if kind == "attack" else FORM
    window = Window(
        "test", kind, (me,), legal, only_seats(me), only_seats(me), moment=fold(log).moment
    )
    log.append(Event("window_opened", only_seats(me), window.to_json()))
    stance = Stance(pose, 1, (0.0,) * 13, "plain").to_note_data() if pose else None
    notes = [Note("stance", Moment(), stance, "")] if stance else []
    view = visibility.view_of(log, visibility.seat(me))
    return Decision(RULES, view, window, Mind(tuple(notes)), SeededRandom("whispers"))


def speech_events(
    speaker: int, text: str, kind: str, audience_seats: tuple[int, ...]
) -> list[Event]:
    audience = only_seats(*audience_seats) if audience_seats else PUBLIC
    key = f"{kind}.{speaker}.{len(text)}"
    window = Window(key, kind, (speaker,), FORM, audience, audience)
    action = Action(text) if text in PASSES else say(text)  # type: ignore[arg-type]
    data = {"window": key, "seat": speaker, **action.to_json()}
    closed = Event("window_closed", audience, {"window": key})
    return [Event("window_opened", audience, window.to_json()), Event(kind, audience, data), closed]
