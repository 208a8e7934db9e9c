"""The host's controls: the panel, and the pace of the computer players.

One person alone with computer players may change their pace during the game, as may the host of a
table without people.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game import clock
from game.engine.forms import Illegal
from game.engine.visibility import View
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import Report, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_lines import list_statements
from webapp.play.page.transcript_parts import Seat, StatementList
from webapp.play.visitors import Guest

PACE_KEY = "pace"  # session key of the pace that the browser chose last


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
    removable: StatementList  # statements that can be removed


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


@dataclass(frozen=True)
class PaceButtons:
    """Buttons for the computer players' pace (`#tempo`): `do=` values, "" for none."""

    slower: str
    faster: str
    next: str  # ends a pause that was made for pace
    skip: str  # continues at once, to the viewer's turn or to the end
    can_skip_to_end: bool  # the viewer gets no more turns
    is_instant: bool  # the viewer gets no more turns, and lines appear without pauses


def build_pace_buttons(
    game: Game,
    table: Table | None,
    players: Iterable[Player],
    *,
    is_host: bool,
    is_awaited: bool,
    is_playing: bool,
) -> PaceButtons | None:
    """Build the buttons of the pace, None if the viewer cannot change it.

    `is_awaited`: the table waits for the viewer. `is_playing`: they have a seat and are not out.
    """
    if not is_host or game.ended_at or not can_choose_pace(game, table, players):
        return None
    paces = _paces(players)
    index = paces.index(game.pace) if game.pace in paces else len(paces)
    # At the pace quick no line waits for a viewer who is out.
    can_play_out = not is_playing and clock.QUICK in paces
    is_instant = can_play_out and game.pace == clock.QUICK
    return PaceButtons(
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
    """Return the paces from slow to quick. The pace quick needs a person who plays."""
    return clock.PACE_STEPS if _people_playing(players) else clock.PACE_STEPS[:-1]


def can_choose_pace(game: Game, table: Table | None, players: Iterable[Player]) -> bool:
    """Return whether the pace can be chosen.

    The pace is fixed if several people play, for research, at a blind table, and if it is "even".
    """
    is_for_research = table is not None and table.research
    is_fixed = is_for_research or clock.is_even(game.pace)
    return len(_people_playing(players)) <= 1 and Disclosure(game).can_change_pace and not is_fixed


def check_pace(guest: Guest, pace: str = "") -> None:
    """Check that the guest may choose a pace now, or this `pace` if it is given.

    Raise Illegal: `not_begun`, `pace_fixed`, or `not_alone` for the pace quick if no person plays.
    """
    game, players = guest.game, guest.game.players.all()
    table = Table.objects.filter(game=game).first()
    if not game.started_at:
        raise Illegal("not_begun")
    if not can_choose_pace(game, table, players):
        raise Illegal("pace_fixed")
    if pace and pace not in _paces(players):
        raise Illegal("not_alone")


def preferred_pace(session: Mapping[str, Any], mode: str = "play") -> str:
    """Return the pace that this browser chose last, for the mode "play" or "watch"."""
    pace = str(session.get(PACE_KEY, ""))
    if pace == clock.QUICK and mode == "watch":
        return clock.BRISK
    return pace if pace in clock.PACES else "natural"
