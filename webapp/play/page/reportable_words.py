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
class ListedStatement:
    """A person's statement in a list beside the log. At a blind table it may be anyone's."""

    position: int  # of its entry
    name: str
    text: str
    act: str  # what can be done to it, as a `do=` value
    is_reported: bool = False  # the viewer has reported it


@dataclass(frozen=True)
class StatementList:
    """Reportable statements, the newest first.

    has_more: there are older ones, which are listed beside older lines.
    """

    listed: tuple[ListedStatement, ...] = ()
    has_more: bool = False


# Statements in the list beside the log: a pass of thirteen players. Older ones are listed with the
# older lines. The list goes to every viewer with every statement, so it is kept short.
MAX_LISTED = 15
MAX_SEARCHED = 300  # newest statements that are searched for those to list
MAX_EXCERPT_CHARS = 90  # enough for a reader to recognise the statement


def removable_statements(
    view: View, seats: Mapping[int, Seat], lines: range | None = None
) -> StatementList:
    """List the statements that the host can remove, the newest first.

    lines: positions. With it, all statements at these positions are listed, and no others.
    """
    return _list_statements(view, seats, "remove_words", lines)


def reported_keys(players: Iterable[Player]) -> dict[int, set[str]]:
    """Return the keys of the statements that these players have reported, by player id."""
    acts_by_player: dict[int, set[str]] = {}
    rows = sql_statements.select(Report, player_id=[p.pk for p in players])
    utterances = Utterance.objects.in_bulk({row.utterance_id for row in rows}) if rows else {}
    for row in rows:
        if words := utterances.get(row.utterance_id):  # empty if it was deleted just now
            acts_by_player.setdefault(row.player_id, set()).add(f"{words.window}:{words.seat}")
    return acts_by_player


def reportable_statements(
    view: View,
    seats: Mapping[int, Seat],
    player: Player,
    reported_by_player: Mapping[int, set[str]],
    lines: range | None = None,
) -> StatementList:
    """List the statements that the player can report to the host, as `removable_statements` does.

    reported_by_player: what `reported_keys` returns.
    """
    return _list_statements(
        view,
        seats,
        "report",
        lines,
        excluded_seat=player.seat,
        reported_keys=reported_by_player.get(player.pk),
    )


@lru_cache(maxsize=2000)
def _row(position: int, name: str, text: str, act: str, is_done: bool) -> ListedStatement:
    return ListedStatement(position, name, Truncator(text).chars(MAX_EXCERPT_CHARS), act, is_done)


def _list_statements(
    view: View,
    seats: Mapping[int, Seat],
    act: str,
    lines: range | None,
    *,
    excluded_seat: int = 0,
    reported_keys: set[str] | None = None,
) -> StatementList:
    kinds = rulesets.get(view.state.ruleset).wording.kinds_of_shape("statement")
    newest = view.newest_events(kinds)
    if lines is not None:
        newest = ((number, view.events[number - 1]) for number in reversed(lines))
    statements: list[ListedStatement] = []
    for searched, (position, event) in enumerate(newest):
        if lines is None and (len(statements) == MAX_LISTED or searched == MAX_SEARCHED):
            return StatementList(tuple(statements), has_more=True)
        if (
            event.data.get("manner") != "say"
            or not event.data.get("text")
            or event["seat"] == excluded_seat
        ):
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        words = f"{event['window']}:{event['seat']}"
        is_done = words in (reported_keys or ())
        statements.append(_row(position, seat.name, event["text"], f"{act}:{words}", is_done))
    return StatementList(tuple(statements))
