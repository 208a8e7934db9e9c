"""The host's panel: the clock, the pace, absent players, reports and removable statements.

Lists of statements are separate from the log's lines: a screen reader would read such a button with
every line, and the Tab key would stop at each. If a list would reveal who is a person, it holds
everyone's statements.

A person who is alone with computer players chooses their speaking pace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.text import Truncator

from game import clock
from game.engine import rulesets
from game.engine.forms import Illegal
from game.engine.visibility import View
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import Report, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat
from webapp.play.visitors import Guest

# Statements in the list beside the log: a pass of thirteen players. Older ones are listed with the
# older lines. It is sent to every viewer with every statement, so it is kept short.
MAX_LISTED = 15
MAX_SEARCHED = 300  # newest statements that are searched for those to list
MAX_EXCERPT_CHARS = 90  # enough for a reader to recognise the statement
PACE_KEY = "pace"  # in the session, of the browser's last chosen pace; also the action that sets it


@dataclass(frozen=True)
class ReportedStatement:
    """A statement that was reported to the host."""

    speaker: Seat
    text: str
    count: int  # how many players reported it
    remove: str  # the action that removes it


@dataclass(frozen=True)
class HostedSeat:
    """A person's seat, with what the host of an open table can do about it."""

    seat: Seat
    state: str  # "here" | "away" | "handed" (a computer player answers) | "left"
    hand_over: str = ""  # actions, "" if they are impossible
    give_back: str = ""
    remove: str = ""
    make_host: str = ""


@dataclass(frozen=True)
class HostPanel:
    """Panel of the host's present actions (`#host`), which are `do=` values."""

    is_paused: bool
    is_running: bool  # neither over nor called off
    can_add_time: bool  # a deadline is running
    hosted_seats: list[HostedSeat]  # the other people's; empty at a blind table and after the game
    is_blind: bool  # actions for absent players don't name them
    reported: list[ReportedStatement]
    can_reveal: bool
    is_research_allowed: bool  # the host can end the permission to study the game
    removable: StatementList  # statements that can be removed


@dataclass(frozen=True)
class ListedStatement:
    """A person's statement in a list beside the log. At a blind table it may be anyone's."""

    position: int  # of its entry
    name: str
    text: str
    action: str  # the `do=` value that removes or reports it
    is_reported: bool = False  # the viewer has reported it


@dataclass(frozen=True)
class StatementList:
    """Reportable statements, the newest first."""

    listed: tuple[ListedStatement, ...] = ()
    has_more: bool = False  # there are older ones, beside the older lines


@dataclass(frozen=True)
class Tempo:
    """Buttons for the computer players' pace (`#tempo`): `do=` values, "" for none."""

    slower: str
    faster: str
    next: str  # ends a pause that was made for pace
    skip: str  # continues at once, to the viewer's turn or to the end
    can_skip_to_end: bool  # the viewer gets no more turns
    is_instant: bool  # and no line waits for them


def build_host_panel(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> HostPanel:
    """Build the host's panel. At a blind table nothing in it reveals who is a person."""
    game = snapshot.game
    running, disclosed = game.ended_at is None, Disclosure(game)
    return HostPanel(
        is_paused=game.paused_at is not None,
        is_running=running,
        can_add_time=running and _has_extendable_deadline(snapshot, view),
        hosted_seats=_hosted_seats(snapshot, view, seats)
        if running and disclosed.can_name_people
        else [],
        is_blind=disclosed.is_blind,
        reported=_reported_statements(game, seats) if snapshot.reported else [],
        is_research_allowed=bool(snapshot.table and snapshot.table.research),
        can_reveal=disclosed.can_reveal,
        removable=removable_statements(view, seats),
    )


def _has_extendable_deadline(snapshot: Snapshot, view: View) -> bool:
    """Return whether there is a deadline that can be extended.

    The answer must not reveal what the viewer may not know. So at night there is a deadline as long
    as the night lasts, whichever seats act or have answered.
    """
    blind = Disclosure(snapshot.game).is_blind
    return any(
        o.can_be_extended(is_blind=blind)
        for o in snapshot.open
        if o.window.clock == "night" or o.window.key in view.state.windows
    )


def _hosted_seats(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> list[HostedSeat]:
    other_people = [p for p in snapshot.players if p.kind == Player.PERSON and p.seat != view.seat]
    return [_hosted_seat(snapshot, player, seats[player.seat]) for player in other_people]


def _hosted_seat(snapshot: Snapshot, player: Player, seat: Seat) -> HostedSeat:
    if player.left_at:
        return HostedSeat(seat, "left")
    away = snapshot.away(player)
    state = "handed" if player.stand_in else "away" if away else "here"
    return HostedSeat(
        seat,
        state,
        hand_over=f"hand_over:{player.seat}" if away and not player.stand_in else "",
        give_back=f"give_back:{player.seat}" if player.stand_in else "",
        remove=f"remove:{player.seat}",
        make_host="" if away else f"make_host:{player.seat}",
    )


def _reported_statements(game: Game, seats: Mapping[int, Seat]) -> list[ReportedStatement]:
    reported = Report.objects.filter(player__game=game).values("utterance")
    utterances = Utterance.objects.filter(pk__in=reported).exclude(text="")
    rows = utterances.select_related("event").prefetch_related("reports")
    return [
        ReportedStatement(
            seats[row.seat],
            row.display_text,
            row.reports.count(),
            f"remove_words:{row.window}:{row.seat}",
        )
        for row in sorted(rows, key=lambda r: r.event.seq if r.event else 0)
    ]


def removable_statements(
    view: View, seats: Mapping[int, Seat], lines: range | None = None
) -> StatementList:
    """List the statements that the host can remove, the newest first.

    Args:
        lines: Positions. If given, all statements at these positions are listed, and no others.
    """
    return _list_statements(view, seats, "remove_words", lines)


def reportable_statements(
    view: View,
    seats: Mapping[int, Seat],
    player: Player,
    reported_by_player: Mapping[int, set[str]],
    lines: range | None = None,
) -> StatementList:
    """List the statements that the player can report to the host, the newest first.

    Args:
        reported_by_player: `Snapshot.reported`.
        lines: As in `removable_statements`.
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
def _row(position: int, name: str, text: str, action: str, is_done: bool) -> ListedStatement:
    excerpt = Truncator(text).chars(MAX_EXCERPT_CHARS)
    return ListedStatement(position, name, excerpt, action, is_done)


def _list_statements(
    view: View,
    seats: Mapping[int, Seat],
    action: str,
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
        key = f"{event['window']}:{event['seat']}"
        is_done = key in (reported_keys or ())
        statements.append(_row(position, seat.name, event["text"], f"{action}:{key}", is_done))
    return StatementList(tuple(statements))


def build_tempo(
    game: Game,
    table: Table | None,
    players: Iterable[Player],
    *,
    is_host: bool,
    is_awaited: bool,
    is_playing: bool,
) -> Tempo | None:
    """Build the buttons of the pace, None if the pace is fixed.

    Args:
        is_host: Whether the viewer is the host.
        is_awaited: Whether the table waits for the viewer.
        is_playing: Whether the viewer has a seat and is not out.
    """
    if not is_host or game.ended_at or not can_choose_pace(game, table, players):
        return None
    paces = _paces(players)
    index = paces.index(game.pace) if game.pace in paces else len(paces)
    # At the pace quick no line waits for a viewer who is out.
    can_play_out = not is_playing and clock.QUICK in paces
    is_instant = can_play_out and game.pace == clock.QUICK
    return Tempo(
        slower=f"pace:{paces[index - 1]}" if index else "",
        faster=f"pace:{paces[index + 1]}" if index + 1 < len(paces) else "",
        next="" if is_awaited or game.paused_at or is_instant else "next",
        skip=f"pace:{clock.QUICK}" if can_play_out else "next",
        can_skip_to_end=not is_playing,
        is_instant=is_instant,
    )


def _people_playing(players: Iterable[Player]) -> list[Player]:
    return [p for p in players if p.kind == Player.PERSON and p.left_at is None]


def _paces(players: Iterable[Player]) -> Sequence[str]:
    """Return the paces from slow to quick. The quickest needs a person who plays."""
    return clock.PACE_STEPS if _people_playing(players) else clock.PACE_STEPS[:-1]


def can_choose_pace(game: Game, table: Table | None, players: Iterable[Player]) -> bool:
    """Return whether the pace can be chosen.

    At most one person may play. Research, a blind table and the pace "even" fix it.
    """
    is_for_research = table is not None and table.research
    is_free = Disclosure(game).can_change_pace and not clock.is_even(game.pace)
    return len(_people_playing(players)) <= 1 and is_free and not is_for_research


def check_pace(guest: Guest, pace: str = "") -> None:
    """Check that the guest may choose a pace now, or this `pace` if it is given.

    Raises:
        Illegal: `not_begun`, `pace_fixed`, or `not_alone` for the pace quick if no person plays.
    """
    game, players = guest.game, guest.game.players.all()
    table = Table.objects.filter(game=game).first()
    if not game.started_at:
        raise Illegal("not_begun")
    if not can_choose_pace(game, table, players):
        raise Illegal("pace_fixed")
    if pace and pace not in _paces(players):
        raise Illegal("not_alone")


def remember_pace(session: MutableMapping[str, Any], do: str) -> None:
    """Store the pace for this browser's next tables, if the action `do` chose one."""
    action_name, _colon, pace = do.partition(":")
    if action_name == PACE_KEY:
        session[PACE_KEY] = pace


def preferred_pace(session: Mapping[str, Any], mode: str = "play") -> str:
    """Return the pace that this browser chose last.

    Args:
        mode: As in the form of a new table.
    """
    pace = str(session.get(PACE_KEY, ""))
    if pace == clock.QUICK and mode == "watch":
        return clock.BRISK
    return pace if pace in clock.PACES else "natural"
