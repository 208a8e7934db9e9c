"""Sorts the others' statements by whether the viewer believes them, from the viewer's ratings."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.html import escape
from django.utils.translation import gettext as _

from agents.packs import pack_of
from agents.reliability_scores import scores_after
from game.engine.ruleset import Ruleset
from game.engine.visibility import View
from webapp.play.page.answer_forms import own_ratings
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, SortedTalk, TalkGroup, TranscriptLine

MAX_SORTED_BYTES = 30_000  # of the newest sorted statements; a frame holds 60,000
LINE_OVERHEAD_BYTES = 200  # the markup of a statement, estimated


def sort_talk(view: View, ruleset: Ruleset, seats: Mapping[int, Seat]) -> SortedTalk | None:
    """Group the others' statements by whether the viewer believes them, oldest first.

    Return None before the viewer's first rating. Only what the viewer rated and read counts.
    """
    # In the shape of the notes of an agent's mind, so that the same scores apply to the viewer.
    notes = [
        {"ratings": event["ratings"], "upto": position, "standing": True}
        for position, event in own_ratings(view)
    ]
    if not any(note["ratings"] for note in notes):
        return None
    scores = scores_after(notes, view.role, pack_of(ruleset).hunted)
    groups: dict[bool | None, list[TranscriptLine]] = {True: [], False: [], None: []}
    lines, has_more = _newest_statements(view, seats)
    for line in lines:
        if line.speaker:
            groups[scores.is_believed(line.speaker.number, line.position)].append(line)
    titles = {
        True: _("From players you believe"),
        False: _("From players you doubt"),
        None: _("Not judged yet"),
    }
    return SortedTalk([TalkGroup(titles[key], groups[key]) for key in titles], has_more)


def _newest_statements(view: View, seats: Mapping[int, Seat]) -> tuple[list[TranscriptLine], bool]:
    """Return the newest statements of the others that fit, and whether there are older ones."""
    builder, bytes_left = TranscriptLines(view, seats), MAX_SORTED_BYTES
    statements: list[TranscriptLine] = []
    kinds = builder.narrator.wording.kinds_of_shape("statement")
    for position, event in view.newest_events(kinds):
        line = builder.line(position)
        if line is None or event["seat"] == view.seat or line.is_silent:
            continue
        bytes_left -= len(escape(line.removed or line.text).encode()) + LINE_OVERHEAD_BYTES
        if bytes_left < 0:
            return statements[::-1], True
        statements.append(line)
    return statements[::-1], False
