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

from game import clock, host_actions, lobby, portraits
from game.engine.forms import Illegal
from game.models import Game, Player, Utterance
from webapp.play import chat, host_handover, research, tempo, visitors, withdrawals
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.models import AuditEntry, Membership, Report
from webapp.play.signals import words_reported
from webapp.play.snapshot import people_away

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
class ActionRequest:
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
class TableAction:
    """`do` raises Illegal and changes nothing, or gives what it was done to: nothing where nothing
    has changed."""

    do: Callable[[ActionRequest], Seats]
    takes: str = NOTHING
    after: Callable[[ActionRequest], None] | None = None  # once that is committed


TABLE: Seats = (None,)


def perform(guest: Guest, do: str, name: str = "", words: str = "") -> None:
    """Do what was asked. Raises Forbidden or Illegal."""
    what = do.partition(":")[0]
    act = BY_HOST.get(what) or BY_SEAT.get(what)
    if act is None:
        raise Illegal("bad_post")
    if not guest.host if what in BY_HOST else guest.player is None:
        raise Forbidden
    if what not in ELSEWHERE and Disclosure(guest.game).onward:
        raise Forbidden
    if not re.fullmatch(act.takes, do[len(what) :], re.ASCII):
        raise Illegal("bad_post")
    asked = ActionRequest(guest, do.split(":")[1:], name, words)
    with transaction.atomic():
        for seat in act.do(asked):
            AuditEntry.objects.create(
                game=guest.game, what=what, seat=seat, by_host=what in BY_HOST
            )
    if act.after:
        act.after(asked)


def _any_of(asked: ActionRequest, kind: str) -> int:
    """The seat named; `any`, at a blind table: one of that kind, which one tells nobody."""
    if asked.arguments != ["any"]:
        return asked.seat
    player = asked.game.players.filter(kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player.seat


def _fill(asked: ActionRequest) -> Seats:
    seat = _any_of(asked, Player.OPEN)
    lobby.fill(asked.game.pk, seat)
    return [seat]


def _invite(asked: ActionRequest) -> Seats:
    seat = _any_of(asked, Player.AGENT)
    lobby.invite(asked.game.pk, seat)
    return [seat]


def _remove(asked: ActionRequest) -> Seats:
    """A guest goes: before the game the seat is open again, in it a computer player plays on."""
    if not asked.names_people:
        raise Illegal("blind_table")
    return _put_out(asked.game, _person(asked.game, asked.seat))


def _remove_guest(asked: ActionRequest) -> Seats:
    """The same at a blind table, by the guest's number: nobody learns the seat."""
    guests = Membership.objects.filter(game=asked.game, host=False, player__isnull=False)
    membership = None if asked.names_people else guests.filter(pk=int(asked.arguments[0])).first()
    if membership is None or membership.player is None or asked.game.started_at:
        raise Illegal("seat_changed")
    return _put_out(asked.game, membership.player)


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
        host_actions.leave(game.pk, player.seat)
    else:
        lobby.free(game.pk, player.seat)
    visitors.unseat(player)
    return [player.seat]


def _readmit(asked: ActionRequest) -> Seats:
    """Who was removed may come by the invitation again."""
    lobby.touch(asked.game.pk)
    if not visitors.readmit(asked.game):
        raise Illegal("nobody_removed")
    return TABLE


def _renew_invitation(asked: ActionRequest) -> Seats:
    """The invitation gets another address; the one before opens nothing any more."""
    lobby.touch(asked.game.pk)
    visitors.renew_invitation(asked.game)
    return TABLE


def _research(turn: Callable[[Game], None]) -> TableAction:
    """Whether the table may be used in research."""

    def do(asked: ActionRequest) -> Seats:
        turn(asked.game)
        return TABLE

    return TableAction(do)


def _call_off(asked: ActionRequest) -> Seats:
    (host_actions if asked.game.started_at else lobby).call_off(asked.game.pk)
    return TABLE


def _to_table(change: Callable[[int], None]) -> TableAction:
    """An act that takes nothing and is done to the running game."""

    def do(asked: ActionRequest) -> Seats:
        change(asked.game.pk)
        return TABLE

    return TableAction(do)


def _pace(asked: ActionRequest) -> Seats:
    """How quickly the computer players speak, where one is alone with them."""
    tempo.check(asked.guest)
    host_actions.set_pace(asked.game.pk, asked.arguments[0])
    return TABLE


def _next(asked: ActionRequest) -> Seats:
    """End the pauses made for pace."""
    tempo.check(asked.guest)
    return TABLE if host_actions.go_on(asked.game.pk) else ()


def _hand_over(asked: ActionRequest) -> Seats:
    """Only for who is away. At a blind table for whoever is away: nobody learns who."""
    absent = people_away(asked.game)
    if asked.names_people:
        absent = [p for p in absent if p.seat == asked.seat]
        if not absent:
            raise Illegal("not_away")
    elif not asked.game.started_at or asked.game.ended_at:
        raise Illegal("over" if asked.game.ended_at else "not_begun")
    for player in absent:
        host_actions.hand_over(asked.game.pk, player.seat)
    return [player.seat for player in absent]


def _give_back(asked: ActionRequest) -> Seats:
    if not asked.names_people:
        raise Illegal("blind_table")
    host_actions.give_back(asked.game.pk, asked.seat)
    return [asked.seat]


def _remove_words(asked: ActionRequest) -> Seats:
    window, seat = _words(asked)
    withdrawals.take_words(asked.game.pk, window, seat)
    return [seat]


def _words(asked: ActionRequest) -> tuple[str, int]:
    """(window, seat) of the statement an act is about."""
    window, seat = asked.arguments
    return window, int(seat)


def _name(asked: ActionRequest) -> Seats:
    lobby.rename(asked.game.pk, asked.mine.seat, asked.name)
    return [asked.mine.seat]


def _portrait(asked: ActionRequest) -> Seats:
    portraits.choose(asked.game.pk, asked.mine.seat, int(asked.arguments[0]))
    return [asked.mine.seat]


def _take_back(asked: ActionRequest) -> Seats:
    host_actions.give_back(asked.game.pk, asked.mine.seat)
    return [asked.mine.seat]


def _renew_link(asked: ActionRequest) -> Seats:
    """The seat's private link gets another address; browsers that came after this one are out."""
    assert asked.guest.visitor is not None
    visitors.renew_link(asked.mine, asked.guest.visitor)
    host_actions.touch(asked.game.pk)
    return [asked.mine.seat]


def _leave(asked: ActionRequest) -> Seats:
    """Go for good. A host who goes hands the table to whoever has sat here longest."""
    game = asked.game
    if game.ended_at:
        raise Illegal("over")
    done = _go(game, asked.mine)
    if asked.guest.host:
        host_handover.inherit(game)
    return done


def _take_over(asked: ActionRequest) -> Seats:
    """Host in the place of one who has been away for long."""
    host_handover.take_over(asked.game.pk, asked.mine)
    return [asked.mine.seat]


def _make_host(asked: ActionRequest) -> Seats:
    """Another person is the host from now on."""
    if not asked.names_people:
        raise Illegal("blind_table")
    host_handover.give(asked.game.pk, _person(asked.game, asked.seat))
    return [asked.seat]


def _erase(asked: ActionRequest) -> Seats:
    """Take back, after the game, all one said and the name one chose."""
    withdrawals.take_back(asked.mine)
    return [asked.mine.seat]


def _blank_record(asked: ActionRequest) -> None:
    """What the minds' record repeats of words that are gone goes too, a batch a transaction."""
    withdrawals.carry_out_all(asked.game.pk)


def _report(asked: ActionRequest) -> Seats:
    window, seat = _words(asked)
    said = Utterance.objects.filter(
        game=asked.game, window=window, seat=seat, event__audience="public"
    ).exclude(text="")
    utterance = said.first()
    if utterance is None or seat == asked.mine.seat:
        raise Illegal("no_words")
    report, new = Report.objects.get_or_create(utterance=utterance, player=asked.mine)
    if new:
        words_reported.send(sender=Report, report=report)  # before the game's row is held
    host_actions.touch(asked.game.pk)
    return [seat] if new else []


def _chat(asked: ActionRequest) -> Seats:
    chat.write(asked.mine, asked.words)
    return [asked.mine.seat]


def _chat_out(asked: ActionRequest) -> Seats:
    chat.take_out(asked.guest, int(asked.arguments[0]))
    return [asked.mine.seat] if asked.guest.player else TABLE


BY_HOST: dict[str, TableAction] = {
    "start": _to_table(lobby.start),
    "fill": TableAction(_fill, ANY),
    "invite": TableAction(_invite, ANY),
    "remove": TableAction(_remove, SEAT),
    "remove_guest": TableAction(_remove_guest, GUEST),
    "readmit": TableAction(_readmit),
    "renew_invitation": TableAction(_renew_invitation),
    "call_off": TableAction(_call_off),
    "pause": _to_table(host_actions.pause),
    "resume": _to_table(host_actions.resume),
    "more_time": _to_table(host_actions.more_time),
    "pace": TableAction(_pace, PACE),
    "next": TableAction(_next),
    "hand_over": TableAction(_hand_over, ANY),
    "give_back": TableAction(_give_back, SEAT),
    "make_host": TableAction(_make_host, SEAT),
    "remove_words": TableAction(_remove_words, WORDS, _blank_record),
    "reveal": _to_table(host_actions.reveal),
    "research_on": _research(research.turn_on),
    "research_off": _research(research.turn_off),
}
# What is left of them at a table that is run from elsewhere.
ELSEWHERE = ("take_back", "report")
BY_SEAT: dict[str, TableAction] = {
    "name": TableAction(_name),
    "portrait": TableAction(_portrait, PICTURE),
    "take_back": TableAction(_take_back),
    "renew_link": TableAction(_renew_link),
    "take_over": TableAction(_take_over),
    "leave": TableAction(_leave),
    "erase": TableAction(_erase, after=_blank_record),
    "report": TableAction(_report, WORDS),
    "chat": TableAction(_chat),
    "chat_out": TableAction(_chat_out, GUEST),
}
