"""Actions on a table beside playing (votes enter in `posting`): one post, `do=<act>[:<argument>…]`.

Some are the host's, some anybody's in a seat. 403: not permitted; 400: malformed arguments; 409:
impossible now; in each case nothing changes. What changed something is recorded (`AuditEntry`)
in the same transaction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import transaction

from game import clock, gathering, hosting, portraits
from game.engine.forms import Illegal
from game.models import Game, Player, Utterance
from webapp.play import chairing, chat, research, tempo, visitors, withdrawals
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.look import missed
from webapp.play.models import Deed, Report, Sitting

# What an act takes after its name, as a regular expression; numbers small enough for the database.
NOTHING = ""
SEAT = r":\d{1,3}"
ANY = rf":any|{SEAT}"  # `any` is for blind tables, where no seat is named
GUEST = r":\d{1,18}"
PICTURE = r":\d{1,2}"
PACE = rf":(?:{'|'.join(clock.LADDER)})"
WORDS = r":[\w./-]{1,80}:\d{1,3}"  # a statement's window and seat


class Forbidden(Exception):
    """That act is not this guest's."""


@dataclass(frozen=True)
class Asked:
    """An act as it was posted."""

    guest: Guest
    arguments: list[str]
    name: str  # the display name, where the form has one
    words: str  # what is said in the chat

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """The seat the act is about. Raises Illegal("bad_post") where none is named."""
        if self.arguments == ["any"]:
            raise Illegal("bad_post")
        return int(self.arguments[0])

    @property
    def names_people(self) -> bool:
        """Whether an act may be done to a person by seat; at a blind table that would tell."""
        return Disclosure(self.game, self.guest.viewer).names_people

    @property
    def mine(self) -> Player:
        assert self.guest.player is not None
        return self.guest.player


Seats = Iterable[int | None]  # those to which something was done; None: to the table


@dataclass(frozen=True)
class Act:
    """`do` raises Illegal and changes nothing, or gives what it was done to: nothing where nothing
    has changed."""

    do: Callable[[Asked], Seats]
    takes: str = NOTHING
    after: Callable[[Asked], None] | None = None  # once that is committed


TABLE: Seats = (None,)


def perform(guest: Guest, do: str, name: str = "", words: str = "") -> None:
    """Do what was asked. Raises Forbidden or Illegal."""
    what = do.partition(":")[0]
    act = BY_HOST.get(what) or BY_SEAT.get(what)
    if act is None:
        raise Illegal("bad_post")
    if not guest.host if what in BY_HOST else guest.player is None:
        raise Forbidden
    if not re.fullmatch(act.takes, do[len(what) :], re.ASCII):
        raise Illegal("bad_post")
    asked = Asked(guest, do.split(":")[1:], name, words)
    with transaction.atomic():
        for seat in act.do(asked):
            Deed.objects.create(game=guest.game, what=what, seat=seat, by_host=what in BY_HOST)
    if act.after:
        act.after(asked)


def _any_of(asked: Asked, kind: str) -> int:
    """The seat named; `any`, at a blind table: one of that kind, which one tells nobody."""
    if asked.arguments != ["any"]:
        return asked.seat
    player = asked.game.players.filter(kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player.seat


def _fill(asked: Asked) -> Seats:
    seat = _any_of(asked, Player.OPEN)
    gathering.fill(asked.game.pk, seat)
    return [seat]


def _invite(asked: Asked) -> Seats:
    seat = _any_of(asked, Player.AGENT)
    gathering.invite(asked.game.pk, seat)
    return [seat]


def _remove(asked: Asked) -> Seats:
    """A guest goes: before the game the seat is open again, in it a computer player plays on."""
    if not asked.names_people:
        raise Illegal("blind_table")
    return _put_out(asked.game, _person(asked.game, asked.seat))


def _remove_guest(asked: Asked) -> Seats:
    """The same at a blind table, by the guest's number: nobody learns the seat."""
    guests = Sitting.objects.filter(game=asked.game, host=False, player__isnull=False)
    sitting = None if asked.names_people else guests.filter(pk=int(asked.arguments[0])).first()
    if sitting is None or sitting.player is None or asked.game.started_at:
        raise Illegal("seat_changed")
    return _put_out(asked.game, sitting.player)


def _person(game: Game, seat: int) -> Player:
    player = game.players.filter(seat=seat, kind=Player.PERSON).first()
    if player is None:
        raise Illegal("seat_changed")
    return player


def _put_out(game: Game, player: Player) -> Seats:
    """The person goes and does not come back: not by this browser, and by no other, since the
    invitation they know opens nothing any more."""
    visitors.bar(player)
    if not game.started_at:
        visitors.renew_invitation(game)
    return _go(game, player)


def _go(game: Game, player: Player) -> Seats:
    if game.started_at:
        hosting.leave(game.pk, player.seat)
    else:
        gathering.free(game.pk, player.seat)
    visitors.unseat(player)
    return [player.seat]


def _readmit(asked: Asked) -> Seats:
    """Who was removed may come by the invitation again."""
    gathering.touch(asked.game.pk)
    if not visitors.readmit(asked.game):
        raise Illegal("nobody_removed")
    return TABLE


def _renew_invitation(asked: Asked) -> Seats:
    """The invitation gets another address; the one before opens nothing any more."""
    gathering.touch(asked.game.pk)
    visitors.renew_invitation(asked.game)
    return TABLE


def _research(turn: Callable[[Game], None]) -> Act:
    """Whether the table may be used in research."""

    def do(asked: Asked) -> Seats:
        turn(asked.game)
        return TABLE

    return Act(do)


def _call_off(asked: Asked) -> Seats:
    (hosting if asked.game.started_at else gathering).call_off(asked.game.pk)
    return TABLE


def _to_table(change: Callable[[int], None]) -> Act:
    """An act that takes nothing and is done to the running game."""

    def do(asked: Asked) -> Seats:
        change(asked.game.pk)
        return TABLE

    return Act(do)


def _pace(asked: Asked) -> Seats:
    """How quickly the computer players speak, where one is alone with them."""
    tempo.check(asked.guest)
    hosting.set_pace(asked.game.pk, asked.arguments[0])
    return TABLE


def _next(asked: Asked) -> Seats:
    """End the pauses made for pace."""
    tempo.check(asked.guest)
    return TABLE if hosting.go_on(asked.game.pk) else ()


def _hand_over(asked: Asked) -> Seats:
    """Only for who is away. At a blind table for whoever is away: nobody learns who."""
    absent = missed(asked.game)
    if asked.names_people:
        absent = [p for p in absent if p.seat == asked.seat]
        if not absent:
            raise Illegal("not_away")
    elif not asked.game.started_at or asked.game.ended_at:
        raise Illegal("over" if asked.game.ended_at else "not_begun")
    for player in absent:
        hosting.hand_over(asked.game.pk, player.seat)
    return [player.seat for player in absent]


def _give_back(asked: Asked) -> Seats:
    if not asked.names_people:
        raise Illegal("blind_table")
    hosting.give_back(asked.game.pk, asked.seat)
    return [asked.seat]


def _remove_words(asked: Asked) -> Seats:
    window, seat = _words(asked)
    withdrawals.take_words(asked.game.pk, window, seat)
    return [seat]


def _words(asked: Asked) -> tuple[str, int]:
    """(window, seat) of the statement an act is about."""
    window, seat = asked.arguments
    return window, int(seat)


def _name(asked: Asked) -> Seats:
    gathering.rename(asked.game.pk, asked.mine.seat, asked.name)
    return [asked.mine.seat]


def _portrait(asked: Asked) -> Seats:
    portraits.choose(asked.game.pk, asked.mine.seat, int(asked.arguments[0]))
    return [asked.mine.seat]


def _take_back(asked: Asked) -> Seats:
    hosting.give_back(asked.game.pk, asked.mine.seat)
    return [asked.mine.seat]


def _renew_link(asked: Asked) -> Seats:
    """The seat's private link gets another address; browsers that came after this one are out."""
    assert asked.guest.visitor is not None
    visitors.renew_link(asked.mine, asked.guest.visitor)
    hosting.touch(asked.game.pk)
    return [asked.mine.seat]


def _leave(asked: Asked) -> Seats:
    """Go for good. A host who goes hands the table to whoever has sat here longest."""
    game = asked.game
    if game.ended_at:
        raise Illegal("over")
    done = _go(game, asked.mine)
    if asked.guest.host:
        chairing.inherit(game)
    return done


def _take_over(asked: Asked) -> Seats:
    """Host in the place of one who has been away for long."""
    chairing.take_over(asked.game.pk, asked.mine)
    return [asked.mine.seat]


def _make_host(asked: Asked) -> Seats:
    """Another person is the host from now on."""
    if not asked.names_people:
        raise Illegal("blind_table")
    chairing.give(asked.game.pk, _person(asked.game, asked.seat))
    return [asked.seat]


def _erase(asked: Asked) -> Seats:
    """Take back, after the game, all one said and the name one chose."""
    withdrawals.take_back(asked.mine)
    return [asked.mine.seat]


def _blank_record(asked: Asked) -> None:
    """What the minds' record repeats of words that are gone goes too, a batch a transaction."""
    withdrawals.carry_out_all(asked.game.pk)


def _report(asked: Asked) -> Seats:
    window, seat = _words(asked)
    said = Utterance.objects.filter(
        game=asked.game, window=window, seat=seat, event__audience="public"
    ).exclude(text="")
    utterance = said.first()
    if utterance is None or seat == asked.mine.seat:
        raise Illegal("no_words")
    _report, new = Report.objects.get_or_create(utterance=utterance, player=asked.mine)
    hosting.touch(asked.game.pk)
    return [seat] if new else []


def _chat(asked: Asked) -> Seats:
    chat.write(asked.mine, asked.words)
    return [asked.mine.seat]


def _chat_out(asked: Asked) -> Seats:
    chat.take_out(asked.guest, int(asked.arguments[0]))
    return [asked.mine.seat] if asked.guest.player else TABLE


BY_HOST: dict[str, Act] = {
    "start": _to_table(gathering.start),
    "fill": Act(_fill, ANY),
    "invite": Act(_invite, ANY),
    "remove": Act(_remove, SEAT),
    "remove_guest": Act(_remove_guest, GUEST),
    "readmit": Act(_readmit),
    "renew_invitation": Act(_renew_invitation),
    "call_off": Act(_call_off),
    "pause": _to_table(hosting.pause),
    "resume": _to_table(hosting.resume),
    "more_time": _to_table(hosting.more_time),
    "pace": Act(_pace, PACE),
    "next": Act(_next),
    "hand_over": Act(_hand_over, ANY),
    "give_back": Act(_give_back, SEAT),
    "make_host": Act(_make_host, SEAT),
    "remove_words": Act(_remove_words, WORDS, _blank_record),
    "reveal": _to_table(hosting.reveal),
    "research_on": _research(research.turn_on),
    "research_off": _research(research.turn_off),
}
BY_SEAT: dict[str, Act] = {
    "name": Act(_name),
    "portrait": Act(_portrait, PICTURE),
    "take_back": Act(_take_back),
    "renew_link": Act(_renew_link),
    "take_over": Act(_take_over),
    "leave": Act(_leave),
    "erase": Act(_erase, after=_blank_record),
    "report": Act(_report, WORDS),
    "chat": Act(_chat),
    "chat_out": Act(_chat_out, GUEST),
}
