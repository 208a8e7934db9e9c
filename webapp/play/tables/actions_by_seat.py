"""The actions that every player may perform at a table, besides playing."""

from __future__ import annotations

from game import host_actions, lobby, portraits
from game.engine.forms import Illegal
from game.models import Utterance
from webapp.play import visitors
from webapp.play.models import Report
from webapp.play.page import chat, public_link
from webapp.play.signals import text_reported
from webapp.play.tables import departures
from webapp.play.tables.actions import NUMBER, PORTRAIT, STATEMENT, ActionRequest, TableAction
from webapp.play.turns import withdrawals


def _rename(action: ActionRequest) -> None:
    lobby.rename(action.game.pk, action.own_player.seat, action.name)


def _choose_portrait(action: ActionRequest) -> None:
    portraits.choose_portrait(action.game.pk, action.own_player.seat, int(action.arguments[0]))


def _take_seat_back(action: ActionRequest) -> None:
    host_actions.return_seat(action.game.pk, action.own_player.seat)


def _renew_link(action: ActionRequest) -> None:
    """Replace the seat's private link. Browsers that used it after this one lose the seat."""
    assert action.guest.visitor is not None
    visitors.renew_link(action.own_player, action.guest.visitor)
    host_actions.refresh_pages(action.game.pk)


def _take_over(action: ActionRequest) -> None:
    departures.take_over(action.game.pk, action.own_player)


def _leave(action: ActionRequest) -> None:
    """Leave the table for good. If the host leaves, another person becomes the host."""
    game = action.game
    if game.ended_at:
        raise Illegal("over")
    departures.free_seat(game, action.own_player)
    if action.guest.is_host:
        departures.choose_successor(game)


def _withdraw_texts(action: ActionRequest) -> None:
    """Withdraw all statements and the chosen name of the player, after the game."""
    withdrawals.request_erasure(action.own_player)


def _report(action: ActionRequest) -> list[int]:
    window, seat = action.statement
    utterances = Utterance.objects.filter(
        game=action.game, window=window, seat=seat, event__audience="public"
    ).exclude(text="")
    utterance = utterances.first()
    if utterance is None or seat == action.own_player.seat:
        raise Illegal("no_words")
    report, is_new = Report.objects.get_or_create(utterance=utterance, player=action.own_player)
    if is_new:
        text_reported.send(sender=Report, report=report)  # before the game's row is locked
    host_actions.refresh_pages(action.game.pk)
    return [seat] if is_new else []


def _write_chat_line(action: ActionRequest) -> None:
    chat.write_line(action.own_player, action.text)


def _delete_chat_line(action: ActionRequest) -> None:
    chat.delete_line(action.guest, int(action.arguments[0]))


def _publish(action: ActionRequest) -> list[int] | None:
    return None if public_link.agree(action.own_player) else []


def _unpublish(action: ActionRequest) -> None:
    """Withdraw the agreement to a public link. An open link is closed for good."""
    public_link.revoke(action.own_player)


ACTIONS_BY_SEAT: dict[str, TableAction] = {
    "name": TableAction(_rename),
    "portrait": TableAction(_choose_portrait, PORTRAIT),
    "take_back": TableAction(_take_seat_back),
    "renew_link": TableAction(_renew_link),
    "take_over": TableAction(_take_over),
    "leave": TableAction(_leave),
    "erase": TableAction(_withdraw_texts, after=withdrawals.complete_withdrawals),
    "report": TableAction(_report, STATEMENT),
    "publish": TableAction(_publish),
    "unpublish": TableAction(_unpublish),
    "chat": TableAction(_write_chat_line),
    "chat_out": TableAction(_delete_chat_line, NUMBER),
}
