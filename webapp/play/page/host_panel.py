"""The host's panel, and the lists of statements that a viewer can remove or report.

The buttons for statements are not beside the log's lines: a screen reader would read one with every
line, and the Tab key would stop at each. At a blind table a list holds everyone's statements, so
that it does not reveal who is a person.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.utils.text import Truncator

from game.engine import rulesets
from game.engine.visibility import View
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import Report
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat

# A list is sent to every viewer with every statement, so it is short: a pass of thirteen players.
# The page of older lines lists older statements.
MAX_LISTED = 15
MAX_SEARCHED = 300  # newest statements that are searched for those to list
MAX_EXCERPT_CHARS = 90  # enough for a reader to recognise the statement


@dataclass(frozen=True)
class ReportedStatement:
    speaker: Seat
    text: str
    remove: str  # the `do=` value that removes it


@dataclass(frozen=True)
class HostedSeat:
    """The seat of another person, with the actions by which the host can change it."""

    seat: Seat
    state: str  # "here" | "away" | "handed" (a computer player answers) | "left"
    hand_over: str = ""  # this and the following: `do=` values, "" if the action is impossible
    give_back: str = ""
    remove: str = ""
    make_host: str = ""


@dataclass(frozen=True)
class HostPanel:
    """The host's present actions, with the facts that they depend on (`#host`)."""

    is_paused: bool
    is_running: bool  # the game is neither over nor called off
    can_add_time: bool  # a deadline is running
    hosted_seats: list[HostedSeat]  # the other people's; empty at a blind table and after the game
    is_blind: bool  # actions for absent players don't name them
    reported: list[ReportedStatement]
    can_reveal: bool
    is_research_allowed: bool  # the host can end the permission to study the game
    removable: "StatementList"  # statements that can be removed


@dataclass(frozen=True)
class ListedStatement:
    """A statement in a list, with the action by which the viewer removes or reports it."""

    position: int  # position of the statement's event in the view
    name: str
    text: str
    action: str  # a `do=` value
    is_reported: bool  # the viewer has reported it


@dataclass(frozen=True)
class StatementList:
    """The statements that a viewer can remove or report, the newest first."""

    listed: tuple[ListedStatement, ...] = ()
    has_more: bool = False  # there are older ones, beside the older lines


def build_host_panel(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> HostPanel:
    """Build the host's panel. At a blind table nothing in it reveals who is a person."""
    game, disclosed = snapshot.game, Disclosure(snapshot.game)
    is_running = game.ended_at is None
    players = snapshot.players if is_running and disclosed.can_name_people else []
    other_people = [p for p in players if p.kind == Player.PERSON and p.seat != view.seat]
    return HostPanel(
        is_paused=game.paused_at is not None,
        is_running=is_running,
        can_add_time=is_running and _has_extendable_deadline(snapshot, view),
        hosted_seats=[_hosted_seat(snapshot, p, seats[p.seat]) for p in other_people],
        is_blind=disclosed.is_blind,
        reported=_reported_statements(game, seats) if snapshot.reported else [],
        is_research_allowed=bool(snapshot.table and snapshot.table.research),
        can_reveal=disclosed.can_reveal,
        removable=list_statements(view, seats, "remove_words"),
    )


def _has_extendable_deadline(snapshot: Snapshot, view: View) -> bool:
    """Return whether there is a deadline that can be extended.

    The answer must not reveal who acts at night or has answered. So while the night lasts, all its
    deadlines count, also of windows that the viewer does not see.
    """
    is_blind = Disclosure(snapshot.game).is_blind
    return any(
        o.can_be_extended(is_blind=is_blind)
        for o in snapshot.position.open_windows
        if o.window.clock == "night" or o.window.key in view.state.windows
    )


def _hosted_seat(snapshot: Snapshot, player: Player, seat: Seat) -> HostedSeat:
    if player.left_at:
        return HostedSeat(seat, "left")
    is_away = snapshot.is_away(player)
    present_state = "away" if is_away else "here"
    return HostedSeat(
        seat,
        "handed" if player.stand_in else present_state,
        hand_over=f"hand_over:{player.seat}" if is_away and not player.stand_in else "",
        give_back=f"give_back:{player.seat}" if player.stand_in else "",
        remove=f"remove:{player.seat}",
        make_host="" if is_away else f"make_host:{player.seat}",
    )


def _reported_statements(game: Game, seats: Mapping[int, Seat]) -> list[ReportedStatement]:
    reported = Report.objects.filter(player__game=game).values("utterance")
    utterances = Utterance.objects.filter(pk__in=reported).exclude(text="")
    rows = sorted(utterances.select_related("event"), key=lambda r: r.event.seq if r.event else 0)
    return [
        ReportedStatement(seats[r.seat], r.display_text, f"remove_words:{r.window}:{r.seat}")
        for r in rows
    ]


def list_statements(
    view: View,
    seats: Mapping[int, Seat],
    action: str,
    lines: range | None = None,
    *,
    excluded_seat: int = 0,
    reported_keys: Collection[str] = (),
) -> StatementList:
    """List the statements that a viewer can remove or report, the newest first.

    Args:
        action: "remove_words" for the host, "report" for other players.
        lines: Positions. If given, all statements at these positions are listed, and no others.
        excluded_seat: The viewer's own seat, if its statements are not listed.
        reported_keys: Keys of the statements that the viewer has reported (`Snapshot.reported`).
    """
    kinds = rulesets.get(view.state.ruleset).wording.kinds_of_shape("statement")
    newest = view.newest_events(kinds)
    if lines is not None:
        newest = ((number, view.events[number - 1]) for number in reversed(lines))
    statements: list[ListedStatement] = []
    for searched, (position, event) in enumerate(newest):
        if lines is None and (len(statements) == MAX_LISTED or searched == MAX_SEARCHED):
            return StatementList(tuple(statements), has_more=True)
        is_statement = event.data.get("manner") == "say" and event.data.get("text")
        if not is_statement or event["seat"] == excluded_seat:
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        key = f"{event['window']}:{event['seat']}"
        is_reported = key in reported_keys
        statements.append(
            _listed_statement(position, seat.name, event["text"], f"{action}:{key}", is_reported)
        )
    return StatementList(tuple(statements))


@lru_cache(maxsize=2000)  # cutting a text takes longer than the rest of a list
def _listed_statement(
    position: int, name: str, text: str, action: str, is_reported: bool
) -> ListedStatement:
    excerpt = Truncator(text).chars(MAX_EXCERPT_CHARS)
    return ListedStatement(position, name, excerpt, action, is_reported)
