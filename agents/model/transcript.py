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
from game.engine.moments import Moment
from game.engine.ruleset import Ruleset, role_of
from game.engine.talk import Turn, turns

PAPER = 13_600  # characters of a prompt of the context `paper`, at the most; see docs/models.md
ROOM = 3_000  # of them, at the least, for what was said
LEAST = 80  # of them for any one's words
AROUND = 20  # of them round anybody's words: "in round 1: ", quotation marks, the line's end
SILENT = {"nothing": "says nothing.", "skip": "passes.", "over": "has no more to say."}


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


def when(ruleset: Ruleset, moment: Moment) -> str:
    """ "round 2" where the ruleset has rounds, else "day 2"."""
    return f"round {moment.round}" if ruleset.rounds and moment.round else f"day {moment.day}"


def talk(scene: Scene, memory: Iterable[int] = (), rest: int = 0, leave_out: int = 0) -> Talk:
    """The talk for `scene.context`.

    memory: the turns that were retrieved. rest: how many characters everything else in the prompt
    has. leave_out: how many of the oldest turns are not told, whatever the context.
    """
    said = turns(scene.view.events)
    phases = _phases_told(scene, said)
    shown = [t for t in said if t.number > leave_out and t.moment.phase_number in phases]
    numbers = {t.number for t in shown}
    caps = _caps(scene, said, numbers | set(memory), max(ROOM, PAPER - rest))
    votes, at = _votes(scene), {t.position: t for t in said}
    lines: list[str] = []
    phase = 0
    for position, event in enumerate(scene.view.events, 1):
        if event.kind == "phase_opened":
            phase += 1
            there = {t.number for t in said if t.moment.phase_number == phase}
            lines.append(f"-- {_phase(scene.ruleset, event)}{_gap(there, numbers)}")
        elif turn := at.get(position):
            if turn.number in numbers:
                manner = str(event.data.get("manner"))
                lines.append(_said(scene, turn, manner, caps.get(turn.number, LONGEST)))
        elif told := votes.pop(event.data.get("window", ""), ""):
            lines.append(told)
        else:
            lines += _news(scene, event)
    text = "WHAT HAPPENED SO FAR\n" + ("\n".join(lines) or "Nothing yet.")
    return Talk(text, frozenset(numbers), leave_out, caps)


def _gap(there: set[int], told: set[int]) -> str:
    """What is missing of a phase whose turns are `there`."""
    if there <= told:
        return ""
    return (
        " (some of its talk is left out here)" if there & told else " (its talk is left out here)"
    )


def _phases_told(scene: Scene, said: list[Turn]) -> set[int]:
    """The phases whose talk is told: all, or those of the present round (of the last one, where it
    is over) and the last before it that had any.

    (Humanized 2.2-2.4 feed in the dialogue of the round before.)
    """
    spoken = sorted({t.moment.phase_number for t in said})
    if scene.context == "whole":
        return set(spoken)
    now = scene.began.phase_number
    return {*[p for p in spoken if p >= now], *[p for p in spoken if p < now][-1:]}


def _caps(scene: Scene, said: list[Turn], told: set[int], room: int) -> dict[int, int]:
    """turn -> how many characters of its words are told (`paper` only), so that all of them fit
    into `room`: this round's stand whole while they can, and those before are cut alike."""
    if scene.context == "whole":
        return {}
    now = scene.began.phase_number
    old = [t for t in said if t.number in told and t.moment.phase_number < now]
    new = [t for t in said if t.number in told and t.moment.phase_number >= now]
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


def _phase(ruleset: Ruleset, event: Event) -> str:
    if event["phase"] == "talk":
        moment = Moment(day=event["day"], round=event["round"])
        return when(ruleset, moment).capitalize()
    return f"{str(event['phase']).capitalize()} {event['day']}"


def _said(scene: Scene, turn: Turn, manner: str, most: int) -> str:
    if turn.seat == scene.seat:
        return f"You said {quoted(turn.text, most)}" if turn.text else "You said nothing."
    name = seat(turn.seat, scene)
    if turn.text:
        return f"{name} says {quoted(turn.text, most)}"
    return f"{name} {SILENT.get(manner, SILENT['nothing'])}"


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
    said = turns(scene.view.events)
    wanted = {row["turn"] for row in rows if row["turn"] > told.left_out}
    kept = [t for t in said if t.number in wanted]
    lines = [f"{_place(t, said, scene)}: {_words(t, told)}" for t in kept if not _in(t, told)]
    there = [t for t in kept if _in(t, told)]
    others = [t for t in said if t.text and t.seat != scene.seat and _in(t, told)]
    if there and 2 * len(there) <= len(others):  # most of the talk told is no choice of it
        lines.insert(0, f"Above all, of what stands above: {_places(there, said, scene)}.")
    return "\n".join(["WHAT COMES BACK TO YOUR MIND", *lines]) if lines else ""


def _in(turn: Turn, told: Talk) -> bool:
    return turn.number in told.shown


def _words(turn: Turn, told: Talk) -> str:
    return quoted(turn.text, told.caps.get(turn.number, LONGEST))


def _places(kept: list[Turn], said: list[Turn], scene: Scene) -> str:
    """ "in round 1 Alpha, Beta; in round 2 Delta" """
    found: dict[str, list[str]] = {}
    for turn in kept:
        found.setdefault(_time(turn, scene), []).append(_who(turn, said, scene))
    return "; ".join(f"{time} {', '.join(who)}" for time, who in found.items())


def _place(turn: Turn, said: list[Turn], scene: Scene) -> str:
    """ "Beta in round 2" """
    return f"{_who(turn, said, scene)} {_time(turn, scene)}"


def _time(turn: Turn, scene: Scene) -> str:
    told = when(scene.ruleset, turn.moment)
    return f"{'in' if told.startswith('round') else 'on'} {told}"


def _who(turn: Turn, said: list[Turn], scene: Scene) -> str:
    """ "Beta"; "Beta (3)" for its third turn where it had several in that phase."""
    there = [t.number for t in said if (t.seat, t.moment.start) == (turn.seat, turn.moment.start)]
    several = f" ({there.index(turn.number) + 1})" if len(there) > 1 else ""
    return f"{seat(turn.seat, scene)}{several}"
