"""The host's panel beside the game: control of the clock, absent players, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from game.engine.visibility import View
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import Report
from webapp.play.page.reportable_words import StatementList, removable_statements
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class ReportedStatement:
    """A statement that was reported to the host."""

    speaker: Seat
    text: str
    count: int  # how many players reported it
    remove: str  # the act that removes it


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
    """What the host can do now (`#host`). Actions are `do=` values."""

    is_paused: bool
    is_running: bool  # neither over nor called off
    can_add_time: bool  # a deadline is running
    chairs: list[HostedSeat]  # the other people's; empty at a blind table and after the game
    is_blind: bool  # actions for absent players don't name them
    reported: list[ReportedStatement]
    can_reveal: bool
    is_research_allowed: bool  # the host can end the permission to study the game
    words: StatementList  # statements that can be removed


def build_host_panel(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> HostPanel:
    """Build the host's panel. At a blind table nothing in it reveals who is a person."""
    game = snapshot.game
    running, disclosed = game.ended_at is None, Disclosure(game)
    return HostPanel(
        is_paused=game.paused_at is not None,
        is_running=running,
        can_add_time=running and _has_extendable_deadline(snapshot, view),
        chairs=_hosted_seats(snapshot, view, seats)
        if running and disclosed.can_name_people
        else [],
        is_blind=disclosed.is_blind,
        reported=_reported_statements(game, seats) if snapshot.reported else [],
        is_research_allowed=bool(snapshot.table and snapshot.table.research),
        can_reveal=disclosed.can_reveal,
        words=removable_statements(view, seats),
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
