"""The host's panel beside the game: control of the clock, absent players, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from game.engine.visibility import View
from game.models import Game, Player, Utterance
from webapp.play.disclosure import Disclosure
from webapp.play.models import Report
from webapp.play.page.reportable_words import SaidList, to_take_out
from webapp.play.page.snapshot import Snapshot
from webapp.play.page.transcript_parts import Seat


@dataclass(frozen=True)
class Reported:
    """A statement that was reported to the host."""

    speaker: Seat
    text: str
    count: int  # how many players reported them
    remove: str  # the act that removes it


@dataclass(frozen=True)
class Chair:
    """A person's seat, with what the host of an open table can do about it."""

    seat: Seat
    state: str  # "here" | "away" | "handed" (a computer player answers) | "left"
    hand_over: str = ""  # acts, "" if they are impossible
    give_back: str = ""
    remove: str = ""
    make_host: str = ""


@dataclass(frozen=True)
class Hosting:
    """The host's present options (`#host`). None for everyone else. Acts are `do=` values."""

    paused: bool
    running: bool  # neither over nor called off
    more_time: bool  # somebody's deadline is running
    chairs: list[Chair]  # the other people's; empty at a blind table
    blind: bool  # acts for absent players don't name them
    reported: list[Reported]
    can_reveal: bool
    research: bool  # the host can end the permission to study the game
    words: SaidList  # statements that can be removed


def hosting_of(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> Hosting:
    """Build the host's panel. At a blind table nothing in it reveals who is a person."""
    game = snapshot.game
    running, disclosed = game.ended_at is None, Disclosure(game)
    return Hosting(
        paused=game.paused_at is not None,
        running=running,
        more_time=running and _runs_out(snapshot, view),
        chairs=_chairs(snapshot, view, seats) if running and disclosed.names_people else [],
        blind=disclosed.says_blind,
        reported=_reported(game, seats) if snapshot.reported else [],
        research=bool(snapshot.table and snapshot.table.research),
        can_reveal=disclosed.may_reveal,
        words=to_take_out(view, seats),
    )


def _runs_out(snapshot: Snapshot, view: View) -> bool:
    """Return whether there is a deadline that can be extended.

    It must not reveal what the viewer may not know. At night there is a deadline as long as the
    night lasts, whichever seats act or have answered.
    """
    blind = Disclosure(snapshot.game).says_blind
    return any(
        o.can_be_extended(blind=blind)
        for o in snapshot.open
        if o.window.clock == "night" or o.window.key in view.state.windows
    )


def _chairs(snapshot: Snapshot, view: View, seats: Mapping[int, Seat]) -> list[Chair]:
    other_people = [p for p in snapshot.players if p.kind == Player.PERSON and p.seat != view.seat]
    return [_chair(snapshot, player, seats[player.seat]) for player in other_people]


def _chair(snapshot: Snapshot, player: Player, seat: Seat) -> Chair:
    if player.left_at:
        return Chair(seat, "left")
    away = snapshot.away(player)
    state = "handed" if player.stand_in else "away" if away else "here"
    return Chair(
        seat,
        state,
        hand_over=f"hand_over:{player.seat}" if away and not player.stand_in else "",
        give_back=f"give_back:{player.seat}" if player.stand_in else "",
        remove=f"remove:{player.seat}",
        make_host="" if away else f"make_host:{player.seat}",
    )


def _reported(game: Game, seats: Mapping[int, Seat]) -> list[Reported]:
    """List the reported statements that have not been removed, the oldest first."""
    reported = Report.objects.filter(player__game=game).values("utterance")
    utterances = Utterance.objects.filter(pk__in=reported).exclude(text="")
    rows = utterances.select_related("event").prefetch_related("reports")
    return [
        Reported(
            seats[row.seat],
            row.display_text,
            row.reports.count(),
            f"remove_words:{row.window}:{row.seat}",
        )
        for row in sorted(rows, key=lambda r: r.event.seq if r.event else 0)
    ]
