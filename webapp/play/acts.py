"""What people can do to a table beside playing: one post, `do=<act>[:<argument> …]`.

Acts of the host, of whoever sits in a seat, and of both. Who may not is refused with 403, what
makes no sense just now with 409; either way nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from game import gathering, hosting
from game.engine.windows import Illegal
from game.models import Game, Player, Utterance
from webapp.play import removals
from webapp.play.build import Guest
from webapp.play.look import is_away
from webapp.play.models import Deed, Report, Sitting
from webapp.play.visitors import unseat


class Forbidden(Exception):
    """That act is not this guest's."""


@dataclass(frozen=True)
class Asked:
    """An act as it was posted."""

    guest: Guest
    arguments: Sequence[str]
    name: str  # the display name, where the form has one

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """The seat the act is about. Raises Illegal("bad_post") where none is named."""
        if not self.arguments or not self.arguments[0].isdecimal():
            raise Illegal("bad_post")
        return int(self.arguments[0][:3])

    @property
    def mine(self) -> Player:
        assert self.guest.player is not None
        return self.guest.player


def perform(guest: Guest, do: str, name: str = "") -> None:
    """Do what was asked. Raises Forbidden or Illegal."""
    what, *arguments = do.split(":")
    asked = Asked(guest, arguments, name)
    if what in BY_HOST:
        if not guest.host:
            raise Forbidden
        BY_HOST[what](asked)
    elif what in BY_SEAT:
        if guest.player is None:
            raise Forbidden
        BY_SEAT[what](asked)
    else:
        raise Illegal("bad_post")
    seat = int(arguments[0]) if arguments and arguments[0].isdecimal() else None
    if guest.player and what in BY_SEAT:
        seat = guest.player.seat
    if what != "report":
        Deed.objects.create(game=guest.game, what=what, seat=seat, by_host=what in BY_HOST)


def _start(asked: Asked) -> None:
    gathering.start(asked.game.pk)


def _any_of(asked: Asked, kind: str) -> int:
    """The seat named; `any`, at a blind table: one of that kind, which one tells nobody."""
    if list(asked.arguments) != ["any"]:
        return asked.seat
    player = asked.game.players.filter(kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player.seat


def _fill(asked: Asked) -> None:
    gathering.fill(asked.game.pk, _any_of(asked, Player.OPEN))


def _invite(asked: Asked) -> None:
    gathering.invite(asked.game.pk, _any_of(asked, Player.AGENT))


def _remove(asked: Asked) -> None:
    """A guest goes: before the game the seat is open again, in it a computer player plays on."""
    if asked.game.blind:
        raise Illegal("blind_table")
    _go(asked.game, _person(asked.game, asked.seat))


def _remove_guest(asked: Asked) -> None:
    """The same at a blind table, by the guest's number: nobody learns the seat."""
    guests = Sitting.objects.filter(game=asked.game, host=False, player__isnull=False)
    sitting = guests.filter(pk=asked.seat).first() if asked.game.blind else None
    if sitting is None or sitting.player is None or asked.game.started_at:
        raise Illegal("seat_changed")
    _go(asked.game, sitting.player)


def _person(game: Game, seat: int) -> Player:
    player = game.players.filter(seat=seat, kind=Player.PERSON).first()
    if player is None:
        raise Illegal("seat_changed")
    return player


def _go(game: Game, player: Player) -> None:
    with transaction.atomic():
        if game.started_at:
            hosting.leave(game.pk, player.seat)
        else:
            gathering.free(game.pk, player.seat)
        unseat(player)


def _call_off(asked: Asked) -> None:
    if asked.game.started_at:
        hosting.call_off(asked.game.pk)
    else:
        gathering.call_off(asked.game.pk)


def _hand_over(asked: Asked) -> None:
    """Only for who is away. At a blind table for whoever is away: nobody learns who."""
    now = timezone.now()
    absent = [
        p
        for p in asked.game.players.filter(kind=Player.PERSON).select_related("desk")
        if is_away(p, now) and not p.stand_in
    ]
    if not asked.game.blind:
        absent = [p for p in absent if p.seat == asked.seat]
        if not absent:
            raise Illegal("not_away")
    elif not asked.game.started_at or asked.game.ended_at:
        raise Illegal("over" if asked.game.ended_at else "not_begun")
    for player in absent:
        hosting.hand_over(asked.game.pk, player.seat)


def _give_back(asked: Asked) -> None:
    if asked.game.blind:
        raise Illegal("blind_table")
    hosting.give_back(asked.game.pk, asked.seat)


def _remove_words(asked: Asked) -> None:
    removals.remove_words(asked.game.pk, *_words(asked))


def _words(asked: Asked) -> tuple[str, int]:
    """(window, seat) of the statement an act is about."""
    if len(asked.arguments) != 2 or not asked.arguments[1].isdecimal():
        raise Illegal("bad_post")
    return asked.arguments[0], int(asked.arguments[1][:3])


def _name(asked: Asked) -> None:
    gathering.rename(asked.game.pk, asked.mine.seat, asked.name)


def _take_back(asked: Asked) -> None:
    hosting.give_back(asked.game.pk, asked.mine.seat)


def _leave(asked: Asked) -> None:
    """Go for good. A host who goes hands the table to whoever has sat here longest."""
    game = asked.game
    if game.ended_at:
        raise Illegal("over")
    with transaction.atomic():
        _go(game, asked.mine)
        left = Sitting.objects.filter(game=game, player=None, host=True)
        if asked.guest.host:
            heir = Sitting.objects.filter(game=game, player__isnull=False).order_by("pk").first()
            if heir:
                Sitting.objects.filter(game=game, player=heir.player).update(host=True)
            left.delete()


def _erase(asked: Asked) -> None:
    """Take back, after the game, all one said and the name one chose."""
    removals.erase(asked.mine)


def _report(asked: Asked) -> None:
    window, seat = _words(asked)
    said = Utterance.objects.filter(
        game=asked.game, window=window, seat=seat, event__audience="public"
    ).exclude(text="")
    utterance = said.first()
    if utterance is None or seat == asked.mine.seat:
        raise Illegal("no_words")
    Report.objects.get_or_create(utterance=utterance, player=asked.mine)
    hosting.touch(asked.game.pk)


Act = Callable[[Asked], None]
BY_HOST: dict[str, Act] = {
    "start": _start,
    "fill": _fill,
    "invite": _invite,
    "remove": _remove,
    "remove_guest": _remove_guest,
    "call_off": _call_off,
    "pause": lambda asked: hosting.pause(asked.game.pk),
    "resume": lambda asked: hosting.resume(asked.game.pk),
    "more_time": lambda asked: hosting.more_time(asked.game.pk),
    "hand_over": _hand_over,
    "give_back": _give_back,
    "remove_words": _remove_words,
    "reveal": lambda asked: hosting.reveal(asked.game.pk),
}
BY_SEAT: dict[str, Act] = {
    "name": _name,
    "take_back": _take_back,
    "leave": _leave,
    "erase": _erase,
    "report": _report,
}
