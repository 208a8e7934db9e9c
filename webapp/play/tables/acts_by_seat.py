"""What anybody in a seat may do, beside playing."""

from __future__ import annotations

from game import host_actions, lobby, portraits
from game.engine.forms import Illegal
from game.models import Utterance
from webapp.play import visitors
from webapp.play.models import Report
from webapp.play.page import chat
from webapp.play.signals import words_reported
from webapp.play.tables import host_handover, leaving
from webapp.play.tables.acts import GUEST, PICTURE, TABLE, WORDS, ActionRequest, Seats, TableAction
from webapp.play.turns import withdrawals


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
    """The seat's private link gets another address.

    Browsers that came after this one are out.
    """
    assert asked.guest.visitor is not None
    visitors.renew_link(asked.mine, asked.guest.visitor)
    host_actions.touch(asked.game.pk)
    return [asked.mine.seat]


def _take_over(asked: ActionRequest) -> Seats:
    """Host in the place of one who has been away for long."""
    host_handover.take_over(asked.game.pk, asked.mine)
    return [asked.mine.seat]


def _leave(asked: ActionRequest) -> Seats:
    """Go for good. A host who goes hands the table to whoever has sat here longest."""
    game = asked.game
    if game.ended_at:
        raise Illegal("over")
    leaving.go(game, asked.mine)
    if asked.guest.host:
        host_handover.inherit(game)
    return [asked.mine.seat]


def _erase(asked: ActionRequest) -> Seats:
    """Take back, after the game, all one said and the name one chose."""
    withdrawals.request_erasure(asked.mine)
    return [asked.mine.seat]


def _report(asked: ActionRequest) -> Seats:
    window, seat = asked.statement
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


BY_SEAT: dict[str, TableAction] = {
    "name": TableAction(_name),
    "portrait": TableAction(_portrait, PICTURE),
    "take_back": TableAction(_take_back),
    "renew_link": TableAction(_renew_link),
    "take_over": TableAction(_take_over),
    "leave": TableAction(_leave),
    "erase": TableAction(_erase, after=withdrawals.carry_out_all),
    "report": TableAction(_report, WORDS),
    "chat": TableAction(_chat),
    "chat_out": TableAction(_chat_out, GUEST),
}
