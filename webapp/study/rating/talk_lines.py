"""The lines of a talk, as pages for raters show them: texts, events and headings for days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.page.game_course import CourseStep
from webapp.play.page.narrator import join_names
from webapp.study.games.public_talk import PublicTalk, SpokenTurn


@dataclass(frozen=True)
class ShownLine:
    """A line of the conversation."""

    speaker: str  # "" for an event without one, and for a heading
    text: str
    is_note: bool = False  # an event, a heading or a silence, not a spoken text
    apart: str = ""  # `SpokenTurn.apart`


def whole_talk(talk: PublicTalk) -> tuple[ShownLine, ...]:
    """Return the whole talk with its events, for pages that rate a player or a game."""
    if talk.course:
        return context_lines(talk, talk.spoken, talk.last + 1)
    votes = []  # the votes of a game with a single day
    for voter, target in talk.votes:
        text = _("votes for {name}.").format(name=target) if target else _("votes for nobody.")
        votes.append(ShownLine(voter, text, is_note=True))
    return (*turn_lines(talk.spoken), *votes)


def context_lines(talk: PublicTalk, turns: Sequence[SpokenTurn], end: int) -> tuple[ShownLine, ...]:
    """Return consecutive turns, and the events before and between them, under headings for days.

    The lines end before the position `end`. Without a course (`PublicTalk.course`) they are the
    turns alone.
    """
    if not talk.course or not turns:
        return tuple(turn_lines(turns))
    earlier_positions = (t.position for t in talk.spoken if t.position < turns[0].position)
    start = max(earlier_positions, default=0) + 1
    steps = [step for step in talk.course if start <= step.position < end]
    rows: list[SpokenTurn | CourseStep] = sorted([*turns, *steps], key=lambda row: row.position)
    last_day = -1
    lines: list[ShownLine] = []
    for day, day_rows in groupby(rows, lambda row: row.day):
        if day > last_day:
            last_day = day
            lines.append(ShownLine("", day_heading(day), is_note=True))
        for _is_turn, group in groupby(day_rows, lambda row: isinstance(row, SpokenTurn)):
            rows_of_kind = list(group)
            lines += turn_lines([row for row in rows_of_kind if isinstance(row, SpokenTurn)])
            lines += [_event_line(talk, row) for row in rows_of_kind if isinstance(row, CourseStep)]
    return tuple(lines)


def day_heading(number: int) -> str:
    return _("Day {number}.").format(number=number)


def turn_lines(turns: Iterable[SpokenTurn]) -> Iterator[ShownLine]:
    """Yield turns as lines. Consecutive silent passes share one line."""
    for is_silent_pass, group in groupby(turns, lambda turn: turn.is_silent_pass):
        if not is_silent_pass:
            yield from map(_turn_line, group)
            continue
        speakers = list(dict.fromkeys(turn.speaker for turn in group))
        text = ngettext("{names} says nothing.", "{names} say nothing.", len(speakers))
        yield ShownLine("", text.format(names=join_names(speakers)), is_note=True)


def _turn_line(turn: SpokenTurn) -> ShownLine:
    if turn.is_silent:
        return ShownLine(turn.speaker, _("says nothing."), is_note=True)
    if turn.is_removed:
        return ShownLine(turn.speaker, _("said something that was taken out."), is_note=True)
    return ShownLine(turn.speaker, turn.text, apart=turn.apart)


def _event_line(talk: PublicTalk, step: CourseStep) -> ShownLine:
    """Return an event as a line. A ballot lists the votes: "The vote: Dot and Eli for Fay."."""
    if step.votes is None:
        return ShownLine("", step.text, is_note=True)
    vote_texts = []
    for target, voters in step.votes.items():
        text = _("{voters} for {name}") if target else _("{voters} for nobody")
        name = talk.names[target - 1] if target else ""
        voter_names = join_names([talk.names[voter - 1] for voter in voters])
        vote_texts.append(text.format(voters=voter_names, name=name))
    return ShownLine("", f"{step.text}: {'; '.join(vote_texts)}.", is_note=True)
