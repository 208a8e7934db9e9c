"""What has been said, sorted by whom a person believes, where the table asks people to say so.

Everything comes from the person's own view: what was asked of them, and what they heard. Nothing
is left out of the transcript for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.html import escape
from django.utils.translation import gettext as _

from agents.packs import pack_of
from agents.reliability_scores import scored
from game.engine.ruleset import Ruleset
from game.engine.visibility import View
from webapp.play.page.own_ratings import own_ratings
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, SortedTalk, TalkGroup, TranscriptLine

MOST = 30_000  # bytes of words, for a frame holds 60,000; the newest


def sorted_talk(view: View, ruleset: Ruleset, seats: Mapping[int, Seat]) -> SortedTalk | None:
    """Return what the others have said, oldest first.

    Returns None before the viewer has rated anybody.
    """
    notes = [
        {"ratings": event["ratings"], "upto": position, "standing": True}
        for position, event in own_ratings(view)
    ]
    if not any(note["ratings"] for note in notes):
        return None
    scores = scored(notes, view.role, pack_of(ruleset).hunted)
    groups: dict[bool | None, list[TranscriptLine]] = {True: [], False: [], None: []}
    lines, more = _newest(view, seats)
    for line in lines:
        if line.speaker:
            groups[scores.judged(line.speaker.number, line.position)].append(line)
    titles = {
        True: _("From those you believe"),
        False: _("From those you doubt"),
        None: _("Not judged yet"),
    }
    return SortedTalk([TalkGroup(titles[key], groups[key]) for key in titles], more)


def _newest(view: View, seats: Mapping[int, Seat]) -> tuple[list[TranscriptLine], bool]:
    """The others' statements that have room, and whether there are older ones."""
    teller, room = TranscriptLines(view, seats), MOST
    newest_lines: list[TranscriptLine] = []
    for position, event in view.newest(teller.narrator.wording.of_shape("statement")):
        line = teller.line(position)
        if line is None or event["seat"] == view.seat or line.silent:
            continue
        room -= len(escape(line.removed or line.text).encode()) + 200
        if room < 0:
            return newest_lines[::-1], True
        newest_lines.append(line)
    return newest_lines[::-1], False
