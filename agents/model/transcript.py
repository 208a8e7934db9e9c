"""The talk as a seat saw it, and the words in it that come back to its mind.

Lines are only ever added, so that a prompt begins as the one before it did. With the context
`paper` (SPEC 2.4) only the last round and this one are told, and what memory retrieved of those
before; with `whole` everything is. Either way memory points at the lines that are told already.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.model.quoting import LONGEST, joined, quoted, seat
from agents.scene import Scene
from game.engine.events import Event
from game.engine.roles import Ruleset, role_of

PAPER = 13_600  # characters of a prompt of the context `paper`, at the most; see docs/models.md
ROOM = 3_000  # of them, at the least, for what was said
LEAST = 80  # of them for any one's words
AROUND = 20  # of them round anybody's words: "in round 1: ", quotation marks, the line's end
SILENT = {"nothing": "says nothing.", "skip": "passes.", "over": "has no more to say."}
SPEECH = ("say", *SILENT)


@dataclass(frozen=True)
class Turn:
    """A turn to speak before everybody.

    number: of all turns, silent ones included, from 1. phase: how many phases had opened. day,
    round: as the ruleset names them.
    """

    number: int
    seat: int
    phase: int
    day: int
    round: int
    text: str


@dataclass(frozen=True)
class Talk:
    """What a request tells of the talk.

    shown: the turns whose words stand in it. left_out: how many of the oldest must not be told at
    all. caps: how many characters the words of a turn may have, where that is bounded.
    """

    text: str
    shown: frozenset[int]
    left_out: int
    caps: Mapping[int, int]


def turns_of(scene: Scene) -> list[Turn]:
    """All turns to speak before everybody, oldest first."""
    found: list[Turn] = []
    phase, day, round_ = 0, 0, 0
    for event in scene.view.events:
        if event.kind == "phase_opened":
            phase, day, round_ = phase + 1, event["day"], event["round"]
        elif _is_turn(event):
            text = event.data.get("text", "")
            found.append(Turn(len(found) + 1, event["seat"], phase, day, round_, text))
    return found


def _is_turn(event: Event) -> bool:
    return event.audience.kind == "public" and event.data.get("manner") in SPEECH


def when(ruleset: Ruleset, day: int, round_: int) -> str:
    """ "round 2" where the ruleset has rounds, else "day 2"."""
    return f"round {round_}" if ruleset.rounds and round_ else f"day {day}"


def talk(scene: Scene, memory: Iterable[int] = (), rest: int = 0, leave_out: int = 0) -> Talk:
    """The talk for `scene.context`.

    memory: the turns that were retrieved. rest: how many characters everything else in the prompt
    has. leave_out: how many of the oldest turns are not told, whatever the context.
    """
    turns = turns_of(scene)
    shown = [t for t in turns if t.number > leave_out and t.phase in _phases_told(scene, turns)]
    numbers = {t.number for t in shown}
    caps = _caps(scene, turns, numbers | set(memory), max(ROOM, PAPER - rest))
    votes = _votes(scene)
    lines: list[str] = []
    phase = number = 0
    for event in scene.view.events:
        if event.kind == "phase_opened":
            phase += 1
            gap = any(t.phase == phase and t.number not in numbers for t in turns)
            left = " (not all of its talk is repeated here)" if gap else ""
            lines.append(f"-- {_phase(scene.ruleset, event.data)}{left}")
        elif _is_turn(event):
            number += 1
            if number in numbers:
                lines.append(_said(scene, event, caps.get(number, LONGEST)))
        elif told := votes.pop(event.data.get("window", ""), ""):
            lines.append(told)
        else:
            lines += _news(scene, event)
    text = "WHAT HAPPENED SO FAR\n" + ("\n".join(lines) or "Nothing yet.")
    return Talk(text, frozenset(numbers), leave_out, caps)


def _phases_told(scene: Scene, turns: list[Turn]) -> set[int]:
    """The phases whose talk is told: all, or the present one and the last before it that had any.

    (Humanized 2.2-2.4 feed in the dialogue of the round before.)
    """
    spoken = sorted({t.phase for t in turns})
    if scene.context == "whole":
        return set(spoken)
    now = sum(e.kind == "phase_opened" for e in scene.view.events)
    return {now, *[p for p in spoken if p < now][-1:]}


def _caps(scene: Scene, turns: list[Turn], told: set[int], room: int) -> dict[int, int]:
    """turn -> how many characters of its words are told (`paper` only), so that all of them fit
    into `room`: this round's stand whole while they can, and those before are cut alike."""
    if scene.context == "whole":
        return {}
    now = sum(e.kind == "phase_opened" for e in scene.view.events)
    old = [t for t in turns if t.number in told and t.phase < now]
    new = [t for t in turns if t.number in told and t.phase == now]
    room -= sum(len(seat(t.seat, scene)) + AROUND for t in old + new)
    cap_new = max(_level([len(t.text) for t in new], room - LEAST * len(old)), LEAST)
    room -= sum(min(len(t.text), cap_new) for t in new)
    cap_old = max(_level([len(t.text) for t in old], room), LEAST)
    return {t.number: cap_old for t in old} | {t.number: cap_new for t in new}


def _level(lengths: list[int], room: int) -> int:
    """The highest length to which all of `lengths` can be cut so that their sum fits `room`."""
    left = sorted(lengths)
    while left and left[0] * len(left) <= room:
        room -= left.pop(0)
    return room // len(left) if left else LONGEST


def _phase(ruleset: Ruleset, data: Mapping[str, Any]) -> str:
    if data["phase"] == "talk":
        return when(ruleset, data["day"], data["round"]).capitalize()
    return f"{str(data['phase']).capitalize()} {data['day']}"


def _said(scene: Scene, event: Event, most: int) -> str:
    own, text = event["seat"] == scene.seat, event.data.get("text")
    if own:
        return f"You said {quoted(text, most)}" if text else "You said nothing."
    name = seat(event["seat"], scene)
    return f"{name} says {quoted(text, most)}" if text else f"{name} {_silence(event)}"


def _silence(event: Event) -> str:
    return SILENT.get(str(event.data.get("manner")), SILENT["nothing"])


def _votes(scene: Scene) -> dict[str, str]:
    """window -> its votes, as far as they became public, in one line."""
    found: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for event in scene.view.events:
        manner = event.data.get("manner")
        if event.audience.kind == "public" and manner in ("pick", "abstain"):
            chosen = [t for t in event.data.get("targets", ()) if isinstance(t, int)]
            who = "you" if event["seat"] == scene.seat else seat(event["seat"], scene)
            told = f"{who} for {_whom(chosen, scene)}"
            found.setdefault(event["window"], []).append(told)
            kinds[event["window"]] = event.kind
    return {w: f"The {kinds[w].replace('_', ' ')}: {', '.join(v)}." for w, v in found.items()}


def _whom(seats: list[int], scene: Scene) -> str:
    names = ["you" if s == scene.seat else seat(s, scene) for s in seats]
    return " and ".join(names) or "nobody"


def _news(scene: Scene, event: Event) -> list[str]:
    """What the table was told, and what this seat alone learned."""
    match event.kind:
        case "divined" if "found" in event.data:
            among = "is" if event["found"] else "is not"
            looked = joined(event["targets"], scene)
            return [f"Only you know: you looked at {looked}; the Werewolf {among} among them."]
        case "out":
            who = "You are" if event["seat"] == scene.seat else f"{seat(event['seat'], scene)} is"
            role = event.data.get("role")
            told = f"; role: {role_of(scene.ruleset, role).name}" if role else ""
            return [f"{who} out ({str(event['cause']).replace('_', ' ')}{told})."]
    return []


def recalled(scene: Scene, told: Talk, rows: Iterable[Mapping[str, Any]]) -> str:
    """What memory retrieved: the place of words that are told already, else the words."""
    turns = {t.number: t for t in turns_of(scene)}
    numbers = [row["turn"] for row in rows if row["turn"] > told.left_out]
    kept = [turns[number] for number in numbers if number in turns]
    lines = [f"{_place(t, turns, scene)}: {_words(t, told)}" for t in kept if not _in(t, told)]
    if there := [t for t in kept if _in(t, told)]:
        lines.insert(0, f"Above all, of what stands above: {_places(there, turns, scene)}.")
    return "\n".join(["WHAT COMES BACK TO YOUR MIND", *lines]) if lines else ""


def _in(turn: Turn, told: Talk) -> bool:
    return turn.number in told.shown


def _words(turn: Turn, told: Talk) -> str:
    return quoted(turn.text, told.caps.get(turn.number, LONGEST))


def _places(kept: list[Turn], turns: Mapping[int, Turn], scene: Scene) -> str:
    """ "in round 1 Alpha, Beta; in round 2 Delta" """
    found: dict[str, list[str]] = {}
    for turn in kept:
        found.setdefault(_time(turn, scene), []).append(_who(turn, turns, scene))
    return "; ".join(f"{time} {', '.join(who)}" for time, who in found.items())


def _place(turn: Turn, turns: Mapping[int, Turn], scene: Scene) -> str:
    """ "Beta in round 2" """
    return f"{_who(turn, turns, scene)} {_time(turn, scene)}"


def _time(turn: Turn, scene: Scene) -> str:
    told = when(scene.ruleset, turn.day, turn.round)
    return f"{'in' if told.startswith('round') else 'on'} {told}"


def _who(turn: Turn, turns: Mapping[int, Turn], scene: Scene) -> str:
    """ "Beta"; "Beta (3)" for its third turn where it had several in that phase."""
    there = [t.number for t in turns.values() if (t.seat, t.phase) == (turn.seat, turn.phase)]
    several = f" ({there.index(turn.number) + 1})" if len(there) > 1 else ""
    return f"{seat(turn.seat, scene)}{several}"
