"""The acts of a host on a table and on the other players."""

from __future__ import annotations

from collections.abc import Callable

from game import host_actions, lobby
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play import visitors
from webapp.play.models import Membership
from webapp.play.page import research_consent, speaking_pace
from webapp.play.page.snapshot import people_away
from webapp.play.tables import host_handover, leaving
from webapp.play.tables.acts import (
    ANY,
    GUEST,
    PACE,
    SEAT,
    TABLE,
    WORDS,
    ActionRequest,
    Seats,
    TableAction,
)
from webapp.play.turns import withdrawals


def _any_of(action: ActionRequest, kind: str) -> int:
    """Return the named seat. At a blind table `any` stands for some seat of that kind.

    Raises Illegal("blind_table") if a blind table's seat is named: a refusal would reveal who sits
    there.
    """
    if action.arguments != ["any"]:
        if not action.names_people:
            raise Illegal("blind_table")
        return action.seat
    player = action.game.players.filter(kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player.seat


def _fill(action: ActionRequest) -> Seats:
    seat = _any_of(action, Player.OPEN)
    lobby.fill(action.game.pk, seat)
    return [seat]


def _invite(action: ActionRequest) -> Seats:
    seat = _any_of(action, Player.AGENT)
    lobby.invite(action.game.pk, seat)
    return [seat]


def _remove(action: ActionRequest) -> Seats:
    """Remove a guest (`leaving.put_out`)."""
    if not action.names_people:
        raise Illegal("blind_table")
    leaving.put_out(action.game, _person(action.game, action.seat))
    return [action.seat]


def _remove_guest(action: ActionRequest) -> Seats:
    """Remove a guest of a blind table by the guest's number, so that nobody learns the seat."""
    guests = Membership.objects.filter(game=action.game, host=False, player__isnull=False)
    membership = None if action.names_people else guests.filter(pk=int(action.arguments[0])).first()
    if membership is None or membership.player is None or action.game.started_at:
        raise Illegal("seat_changed")
    leaving.put_out(action.game, membership.player)
    return [membership.player.seat]


def _person(game: Game, seat: int) -> Player:
    player = game.players.filter(seat=seat, kind=Player.PERSON).first()
    if player is None:
        raise Illegal("seat_changed")
    return player


def _readmit(action: ActionRequest) -> Seats:
    """Let removed people join by the invitation again."""
    lobby.refresh_pages(action.game.pk)
    if not visitors.readmit(action.game):
        raise Illegal("nobody_removed")
    return TABLE


def _renew_invitation(action: ActionRequest) -> Seats:
    """Replace the invitation's address. The previous one stops working."""
    lobby.refresh_pages(action.game.pk)
    visitors.renew_invitation(action.game)
    return TABLE


def _research(turn: Callable[[Game], None]) -> TableAction:
    """Build the act that allows or forbids the table's use in research."""

    def do(action: ActionRequest) -> Seats:
        turn(action.game)
        return TABLE

    return TableAction(do)


def _call_off(action: ActionRequest) -> Seats:
    (host_actions if action.game.started_at else lobby).call_off(action.game.pk)
    return TABLE


def _to_table(change: Callable[[int], None]) -> TableAction:
    """Build an act on the running game that takes no argument."""

    def do(action: ActionRequest) -> Seats:
        change(action.game.pk)
        return TABLE

    return TableAction(do)


def _pace(action: ActionRequest) -> Seats:
    """Set how quickly the computer players speak, where one is alone with them."""
    speaking_pace.check_pace(action.guest, action.arguments[0])
    host_actions.set_pace(action.game.pk, action.arguments[0])
    return TABLE


def _next(action: ActionRequest) -> Seats:
    """End the pauses made for pace. A game that has ended meanwhile has none."""
    if action.game.ended_at:
        return ()
    speaking_pace.check_pace(action.guest)
    return TABLE if host_actions.go_on(action.game.pk) else ()


def _hand_over(action: ActionRequest) -> Seats:
    """Let a computer player answer for an absent person.

    At a blind table this applies to everybody who is away, so that nobody learns who that is.
    """
    absent = people_away(action.game)
    if action.names_people:
        absent = [p for p in absent if p.seat == action.seat]
        if not absent:
            raise Illegal("not_away")
    elif not action.game.started_at or action.game.ended_at:
        raise Illegal("over" if action.game.ended_at else "not_begun")
    for player in absent:
        host_actions.hand_over(action.game.pk, player.seat)
    return [player.seat for player in absent]


def _give_back(action: ActionRequest) -> Seats:
    if not action.names_people:
        raise Illegal("blind_table")
    host_actions.give_back(action.game.pk, action.seat)
    return [action.seat]


def _make_host(action: ActionRequest) -> Seats:
    """Make another person the host."""
    if not action.names_people:
        raise Illegal("blind_table")
    host_handover.give(action.game.pk, _person(action.game, action.seat))
    return [action.seat]


def _remove_words(action: ActionRequest) -> Seats:
    window, seat = action.statement
    withdrawals.request_text_removal(action.game.pk, window, seat)
    return [seat]


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
    "remove_words": TableAction(_remove_words, WORDS, after=withdrawals.complete_withdrawals),
    "reveal": _to_table(host_actions.reveal),
    "research_on": _research(research_consent.turn_on),
    "research_off": _research(research_consent.turn_off),
}
