"""The talk as a seat saw it, and the statements that memory retrieved.

Lines are only added, so that consecutive prompts share a prefix. The context `paper` (SPEC 2.4)
shows only the last round and this one, and the earlier statements that memory retrieved. The
context `whole` shows everything. In both, memory refers to lines that are already shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.decision import Decision
from agents.llm.narration import Reader, heading, news, together
from agents.llm.quoting import MAX_QUOTED_CHARS, quoted, seat
from game.engine.events import PUBLIC, Event
from game.engine.moments import Moment
from game.engine.ruleset import Ruleset
from game.engine.turns import Turn

PAPER = 13_600  # characters of a prompt of the context `paper`, at the most; see docs/models.md
NEWS = 400  # beside them, of what happened and is no talk; what is longer takes from the talk
ROOM = 3_000  # of them, at the least, for what was said; where a summary tells the rest:
ROOM_TODAY = 2_000
LEAST = 80  # of them for any one's words
AROUND = 20  # of them round anybody's words: "in round 1: ", quotation marks, the line's end
SILENT = {  # of others; of the seat itself
    "nothing": ("says nothing.", "said nothing."),
    "skip": ("passes.", "passed."),
    "over": ("has no more to say.", "had no more to say."),
}


@dataclass(frozen=True)
class PromptTalk:
    """Text of the talk in a request.

    Attributes:
        shown_turns: the turns whose words are in the text.
        left_out: the number of oldest turns that must not appear anywhere.
        caps: maximum characters of a turn's words, if limited.
    """

    text: str
    shown_turns: frozenset[int]
    left_out: int
    caps: Mapping[int, int]


def when(ruleset: Ruleset, moment: Moment, *, of: bool = False) -> str:
    """Return "round 2", "round 2 on day 3" where a game has several days, or "day 2".

    of: add the number of rounds, as in "round 2 of 3".
    """
    if not ruleset.rounds or not moment.round:
        return f"day {moment.day}"
    rounds = f" of {ruleset.rounds}" if of else ""
    day = "" if ruleset.days == 1 else f" on day {moment.day}"
    return f"round {moment.round}{rounds}{day}"


def during(ruleset: Ruleset, moment: Moment) -> str:
    """Return "in round 2", or "on day 2"."""
    moment_text = when(ruleset, moment)
    return f"{'in' if moment_text.startswith('round') else 'on'} {moment_text}"


def talk(
    decision: Decision, memory: Iterable[int] = (), rest: int = 0, leave_out: int = 0
) -> PromptTalk:
    """Return the talk for `decision.context`.

    Args:
        memory: the turns that were retrieved.
        rest: number of characters in the remaining parts of the prompt.
        leave_out: number of oldest turns to leave out, whatever the context.
    """
    turns = decision.view.turns
    since = decision.shown_since
    numbers = {t.number for t in turns if t.number > leave_out and t.moment.phase_number >= since}
    lines = _lines(decision, numbers, leave_out)
    happened = sum(len(line) for line in lines if isinstance(line, str))
    least = ROOM_TODAY if decision.context == "summary" else ROOM
    room = max(least, PAPER - rest - max(0, happened - NEWS))
    caps = _caps(decision, turns, numbers | set(memory), room)
    told_lines = [_line_text(line, decision, caps) for line in lines]
    text = "WHAT HAPPENED SO FAR\n" + ("\n".join(told_lines) or "Nothing yet.")
    return PromptTalk(text, frozenset(numbers), leave_out, caps)


def _lines(decision: Decision, shown_turns: Collection[int], leave_out: int) -> list[str | Turn]:
    """Return the lines in order. A phase without lines has no heading.

    The questions before and after the last statement of a day therefore differ only in that
    statement.
    """
    turns = decision.view.turns
    at, answers = {t.position: t for t in turns}, together(decision)
    asides = _asides(decision, turns, leave_out)
    since = decision.shown_since if decision.context == "summary" else 0
    lines: list[str | Turn] = []
    title, phase = "", 0
    for position, event in enumerate(decision.view.events, 1):
        line: str | Turn = ""
        if event.kind == "phase_opened":
            phase += 1
            gap = _gap({t.number for t in turns if t.moment.phase_number == phase}, shown_turns)
            title = f"-- {heading(event, decision)}{gap}"
            line, title = (title, "") if gap else ("", title)
        elif turn := at.get(position):
            line = turn if turn.number in shown_turns else ""
        elif position in asides:
            line = said_line(decision, event)
        elif not (line := answers.pop(event.data.get("window", ""), "")):
            # Beside a summary `standing` has who is out, but no day or night that cost nobody.
            is_known = phase < since and event.audience == PUBLIC and set(event.data) != {"day"}
            line = "" if is_known else news(event, decision)
        if line:
            lines += [title, line] if title else [line]
            title = ""
    return lines


def _line_text(line: str | Turn, decision: Decision, caps: Mapping[int, int]) -> str:
    if isinstance(line, str):
        return line
    event = decision.view.events[line.position - 1]
    return said_line(decision, event, caps.get(line.number, MAX_QUOTED_CHARS))


def _asides(decision: Decision, turns: Sequence[Turn], leave_out: int) -> set[int]:
    """Return the positions of statements to a few players, as far back as the talk is shown."""
    speech = decision.ruleset.wording.of_shape("statement")
    after = turns[min(leave_out, len(turns)) - 1].position if leave_out and turns else 0
    positions, phase = set(), 0
    for position, event in enumerate(decision.view.events, 1):
        phase += event.kind == "phase_opened"
        private = event.audience != PUBLIC and event.kind in speech
        if private and position > after and phase >= decision.shown_since:
            positions.add(position)
    return positions


def _gap(all_turns: set[int], told_turns: Collection[int]) -> str:
    """Return a note on the turns of a phase (`all_turns`) that are left out."""
    missing = all_turns.difference(told_turns)
    if not missing:
        return ""
    return f" ({'its' if missing == all_turns else 'some of its'} talk is left out here)"


def _caps(
    decision: Decision, turns: Sequence[Turn], told_turns: set[int], room: int
) -> dict[int, int]:
    """Return turn -> maximum characters of its words, so that all fit into `room`.

    Used for the context `paper` only. This round's statements stay whole as long as possible.
    Earlier ones are cut to the same length.
    """
    if decision.context == "whole":
        return {}
    now = decision.began.phase_number
    old = [t for t in turns if t.number in told_turns and t.moment.phase_number < now]
    new = [t for t in turns if t.number in told_turns and t.moment.phase_number >= now]
    room -= sum(len(seat(t.seat, decision)) + AROUND for t in old + new)
    cap_new = max(_level([len(t.text) for t in new], room - LEAST * len(old)), LEAST)
    room -= sum(min(len(t.text), cap_new) for t in new)
    cap_old = max(_level([len(t.text) for t in old], room), LEAST)
    return {t.number: cap_old for t in old} | {t.number: cap_new for t in new}


def _level(lengths: list[int], room: int) -> int:
    """Return the highest cap for `lengths` so that their sum fits into `room`."""
    left = sorted(lengths)
    while left and left[0] * len(left) <= room:
        room -= left.pop(0)
    return room // len(left) if left else MAX_QUOTED_CHARS


def said_line(decision: Decision, event: Event, most: int = MAX_QUOTED_CHARS) -> str:
    """Return a line with a statement, or a line that says that nothing was said.

    The line names the audience or the addressees if the statement was not for everybody.
    """
    mine, text = event["seat"] == decision.seat, event.data.get("text")
    reader = Reader(decision)
    speaker = "You" if mine else reader.seat(event["seat"])
    if event.audience != PUBLIC:
        dialogue = [reader.seat(s) for s in event.audience.seats if s != event["seat"]]
        speaker += f", to {reader.listed(dialogue)} alone," if dialogue else ", unheard,"
    if text:
        addressees = "".join(f" to {reader.seat(s)}" for s in event.data.get("targets", ()))
        return f"{speaker} {'said' if mine else 'says'}{addressees} {quoted(text, most)}"
    return f"{speaker} {SILENT.get(event['manner'], SILENT['nothing'])[mine]}"


def recalled(decision: Decision, prompt_talk: PromptTalk, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the retrieved statements: a reference if a statement is shown, else its words."""
    turns = decision.view.turns
    wanted_turns = {row["turn"] for row in rows if row["turn"] > prompt_talk.left_out}
    kept_turns = [t for t in turns if t.number in wanted_turns]
    lines = [
        f"{_turn_text(t, turns, decision)}: {_words(t, prompt_talk)}"
        for t in kept_turns
        if not _in(t, prompt_talk)
    ]
    kept_in_talk = [t for t in kept_turns if _in(t, prompt_talk)]
    other_turns = [t for t in turns if t.text and t.seat != decision.seat and _in(t, prompt_talk)]
    if kept_in_talk and 2 * len(kept_in_talk) <= len(
        other_turns
    ):  # a selection of most shown turns is no selection
        lines.insert(
            0, f"Of the lines above, think first of: {_turns_text(kept_in_talk, turns, decision)}."
        )
    return "\n".join(["WHAT COMES BACK TO YOUR MIND", *lines]) if lines else ""


def _in(turn: Turn, prompt_talk: PromptTalk) -> bool:
    return turn.number in prompt_talk.shown_turns


def _words(turn: Turn, prompt_talk: PromptTalk) -> str:
    return quoted(turn.text, prompt_talk.caps.get(turn.number, MAX_QUOTED_CHARS))


def _turns_text(turns_kept: Sequence[Turn], turns: Sequence[Turn], decision: Decision) -> str:
    """Return the turns by time, such as "in round 1 Alpha, Beta" and then "in round 2 Delta"."""
    speakers_by_time: dict[str, list[str]] = {}
    for turn in turns_kept:
        speakers_by_time.setdefault(during(decision.ruleset, turn.moment), []).append(
            _speaker_text(turn, turns, decision)
        )
    return "; ".join(f"{time} {', '.join(speakers)}" for time, speakers in speakers_by_time.items())


def _turn_text(turn: Turn, turns: Sequence[Turn], decision: Decision) -> str:
    """Return "Beta in round 2"."""
    return f"{_speaker_text(turn, turns, decision)} {during(decision.ruleset, turn.moment)}"


def _speaker_text(turn: Turn, turns: Sequence[Turn], decision: Decision) -> str:
    """Return "Beta", or "Beta (3)" for its third of several turns in that time."""
    time = during(decision.ruleset, turn.moment)
    own = (t for t in turns if t.seat == turn.seat)
    numbers = [t.number for t in own if during(decision.ruleset, t.moment) == time]
    several = f" ({numbers.index(turn.number) + 1})" if len(numbers) > 1 else ""
    return f"{seat(turn.seat, decision)}{several}"
