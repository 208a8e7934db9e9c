"""The acts of every player, besides playing."""

from __future__ import annotations

from game import host_actions, lobby, portraits
from game.engine.forms import Illegal
from game.models import Utterance
from webapp.play import visitors
from webapp.play.models import Report
from webapp.play.page import chat, public_link
from webapp.play.signals import words_reported
from webapp.play.tables import host_handover, leaving
from webapp.play.tables.acts import GUEST, PICTURE, TABLE, WORDS, ActionRequest, Seats, TableAction
from webapp.play.turns import withdrawals


def _name(action: ActionRequest) -> Seats:
    lobby.rename(action.game.pk, action.mine.seat, action.name)
    return [action.mine.seat]


def _portrait(action: ActionRequest) -> Seats:
    portraits.choose(action.game.pk, action.mine.seat, int(action.arguments[0]))
    return [action.mine.seat]


def _take_back(action: ActionRequest) -> Seats:
    host_actions.give_back(action.game.pk, action.mine.seat)
    return [action.mine.seat]


def _renew_link(action: ActionRequest) -> Seats:
    """Replace the address of the seat's private link.

    Browsers that came by the link after this one lose the seat.
    """
    assert action.guest.visitor is not None
    visitors.renew_link(action.mine, action.guest.visitor)
    host_actions.refresh_pages(action.game.pk)
    return [action.mine.seat]


def _take_over(action: ActionRequest) -> Seats:
    """Become the host in place of a host who has been away for long."""
    host_handover.take_over(action.game.pk, action.mine)
    return [action.mine.seat]


def _leave(action: ActionRequest) -> Seats:
    """Leave the table for good. A leaving host is succeeded by the person longest at the table."""
    game = action.game
    if game.ended_at:
        raise Illegal("over")
    leaving.free_seat(game, action.mine)
    if action.guest.host:
        host_handover.choose_successor(game)
    return [action.mine.seat]


def _erase(action: ActionRequest) -> Seats:
    """Withdraw, after the game, all of one's statements and one's chosen name."""
    withdrawals.request_erasure(action.mine)
    return [action.mine.seat]


def _report(action: ActionRequest) -> Seats:
    window, seat = action.statement
    utterances = Utterance.objects.filter(
        game=action.game, window=window, seat=seat, event__audience="public"
    ).exclude(text="")
    utterance = utterances.first()
    if utterance is None or seat == action.mine.seat:
        raise Illegal("no_words")
    report, new = Report.objects.get_or_create(utterance=utterance, player=action.mine)
    if new:
        words_reported.send(sender=Report, report=report)  # before the game's row is locked
    host_actions.refresh_pages(action.game.pk)
    return [seat] if new else []


def _chat(action: ActionRequest) -> Seats:
    chat.write_line(action.mine, action.words)
    return [action.mine.seat]


def _chat_out(action: ActionRequest) -> Seats:
    chat.delete_line(action.guest, int(action.arguments[0]))
    return [action.mine.seat] if action.guest.player else TABLE


def _publish(action: ActionRequest) -> Seats:
    """Agree to a public link of the replay."""
    return [action.mine.seat] if public_link.agree(action.mine) else []


def _unpublish(action: ActionRequest) -> Seats:
    """Take the agreement back. A link that is open ends for good."""
    public_link.revoke(action.mine)
    return [action.mine.seat]


BY_SEAT: dict[str, TableAction] = {
    "name": TableAction(_name),
    "portrait": TableAction(_portrait, PICTURE),
    "take_back": TableAction(_take_back),
    "renew_link": TableAction(_renew_link),
    "take_over": TableAction(_take_over),
    "leave": TableAction(_leave),
    "erase": TableAction(_erase, after=withdrawals.complete_withdrawals),
    "report": TableAction(_report, WORDS),
    "publish": TableAction(_publish),
    "unpublish": TableAction(_unpublish),
    "chat": TableAction(_chat),
    "chat_out": TableAction(_chat_out, GUEST),
}
