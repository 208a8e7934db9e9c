"""Lists of people's statements: for the host to remove, for others to report.

They are no part of the log's lines: what one can do about a line would be read aloud with it, and
be a stop of the Tab key at each. Where it would tell who is a person, everybody's words are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from django.utils.text import Truncator

from game import statements
from game.engine import rulesets
from game.engine.visibility import View
from game.models import Player, Utterance
from webapp.play.models import Report
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class ReportableWords:
    """A person's words in a list beside the log; at a blind table anybody's."""

    position: int  # of its entry
    name: str
    text: str
    act: str  # what can be done to it, as a `do=` value
    done: bool = False  # the viewer has done it


@dataclass(frozen=True)
class SaidList:
    """Such words, the newest first. more: there are older ones, listed beside older lines."""

    listed: list[ReportableWords] = field(default_factory=list)
    more: bool = False


NEWEST = 30  # words that are listed beside the log; the others stand beside older lines
LOOKED_AT = 300  # statements, among which they are looked for
BEGINNING = 90  # characters of a statement that are enough to know it by


def to_take_out(view: View, seats: Mapping[int, Seat], lines: range | None = None) -> SaidList:
    """Return what the host can take out, the newest first.

    lines: positions, where only what is said there is listed, and all of it.
    """
    return _list_words(view, seats, "remove_words", lines)


def reported(players: Iterable[Player]) -> dict[int, set[str]]:
    """Return what these have reported: a player's id -> what stands for those words."""
    acts_by_player: dict[int, set[str]] = {}
    rows = statements.select(Report, player_id=[p.pk for p in players])
    utterances = Utterance.objects.in_bulk({row.utterance_id for row in rows}) if rows else {}
    for row in rows:
        if words := utterances.get(row.utterance_id):  # none where they were deleted just now
            acts_by_player.setdefault(row.player_id, set()).add(f"{words.window}:{words.seat}")
    return acts_by_player


def to_report(
    view: View,
    seats: Mapping[int, Seat],
    player: Player,
    reported_by_player: Mapping[int, set[str]],
    lines: range | None = None,
) -> SaidList:
    """Return what the player can report to the host, likewise.

    reported_by_player: `reported`.
    """
    return _list_words(
        view,
        seats,
        "report",
        lines,
        but=player.seat,
        reported_keys=reported_by_player.get(player.pk),
    )


@lru_cache(maxsize=2000)
def _beginning(text: str) -> str:
    return Truncator(text).chars(BEGINNING)


def _list_words(
    view: View,
    seats: Mapping[int, Seat],
    act: str,
    lines: range | None,
    *,
    but: int = 0,
    reported_keys: set[str] | None = None,
) -> SaidList:
    kinds = rulesets.get(view.state.ruleset).wording.of_shape("statement")
    newest = view.newest(kinds)
    if lines is not None:
        newest = ((place, view.events[place - 1]) for place in reversed(lines))
    words_listed: list[ReportableWords] = []
    for looked_at, (position, event) in enumerate(newest):
        if lines is None and (len(words_listed) == NEWEST or looked_at == LOOKED_AT):
            return SaidList(words_listed, more=True)
        if event.data.get("manner") != "say" or not event.data.get("text") or event["seat"] == but:
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        words = f"{event['window']}:{event['seat']}"
        text = _beginning(event["text"])
        words_listed.append(
            ReportableWords(
                position, seat.name, text, f"{act}:{words}", words in (reported_keys or ())
            )
        )
    return SaidList(words_listed)
