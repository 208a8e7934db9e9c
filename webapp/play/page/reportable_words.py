"""Lists of people's statements: for the host to remove, for others to report.

They are separate from the log's lines: a screen reader would read such a button with every line,
and the Tab key would stop at each. If the list would reveal who is a person, it holds everybody's
statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.utils.text import Truncator

from game import sql_statements
from game.engine import rulesets
from game.engine.visibility import View
from game.models import Player, Utterance
from webapp.play.models import Report
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class ReportableWords:
    """A person's statement in a list beside the log. At a blind table it may be anybody's."""

    position: int  # of its entry
    name: str
    text: str
    act: str  # what can be done to it, as a `do=` value
    done: bool = False  # the viewer has done it already


@dataclass(frozen=True)
class SaidList:
    """Reportable statements, the newest first.

    more: there are older ones, which are listed beside older lines.
    """

    listed: tuple[ReportableWords, ...] = ()
    more: bool = False


# Statements in the list beside the log: a pass of thirteen players. Older ones are listed with the
# older lines. The list goes to every viewer with every statement, so it is kept short.
NEWEST = 15
LOOKED_AT = 300  # the newest statements that are searched for them
BEGINNING = 90  # characters of a statement by which a reader recognises it


def to_take_out(view: View, seats: Mapping[int, Seat], lines: range | None = None) -> SaidList:
    """List the statements that the host can remove, the newest first.

    lines: positions. With it, all statements at these positions are listed, and no others.
    """
    return _list_words(view, seats, "remove_words", lines)


def reported(players: Iterable[Player]) -> dict[int, set[str]]:
    """Return the keys of the statements that these players have reported, by player id."""
    acts_by_player: dict[int, set[str]] = {}
    rows = sql_statements.select(Report, player_id=[p.pk for p in players])
    utterances = Utterance.objects.in_bulk({row.utterance_id for row in rows}) if rows else {}
    for row in rows:
        if words := utterances.get(row.utterance_id):  # empty if it was deleted just now
            acts_by_player.setdefault(row.player_id, set()).add(f"{words.window}:{words.seat}")
    return acts_by_player


def to_report(
    view: View,
    seats: Mapping[int, Seat],
    player: Player,
    reported_by_player: Mapping[int, set[str]],
    lines: range | None = None,
) -> SaidList:
    """List the statements that the player can report to the host, as `to_take_out` does.

    reported_by_player: what `reported` returns.
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
def _row(position: int, name: str, text: str, act: str, is_done: bool) -> ReportableWords:
    return ReportableWords(position, name, Truncator(text).chars(BEGINNING), act, is_done)


def _list_words(
    view: View,
    seats: Mapping[int, Seat],
    act: str,
    lines: range | None,
    *,
    but: int = 0,
    reported_keys: set[str] | None = None,
) -> SaidList:
    kinds = rulesets.get(view.state.ruleset).wording.kinds_of_shape("statement")
    newest = view.newest_events(kinds)
    if lines is not None:
        newest = ((number, view.events[number - 1]) for number in reversed(lines))
    words_listed: list[ReportableWords] = []
    for looked_at, (position, event) in enumerate(newest):
        if lines is None and (len(words_listed) == NEWEST or looked_at == LOOKED_AT):
            return SaidList(tuple(words_listed), more=True)
        if event.data.get("manner") != "say" or not event.data.get("text") or event["seat"] == but:
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        words = f"{event['window']}:{event['seat']}"
        is_done = words in (reported_keys or ())
        words_listed.append(_row(position, seat.name, event["text"], f"{act}:{words}", is_done))
    return SaidList(tuple(words_listed))
