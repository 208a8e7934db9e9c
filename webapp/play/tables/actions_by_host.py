"""The actions that only the host of a table may perform."""

from __future__ import annotations

from collections.abc import Callable

from game import host_actions, lobby
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play import visitors
from webapp.play.models import Table
from webapp.play.page import agent_pace, lobby_view
from webapp.play.page.snapshot import people_away
from webapp.play.tables import departures
from webapp.play.tables.actions import (
    NUMBER,
    PACE,
    SEAT,
    SEAT_OR_ANY,
    STATEMENT,
    ActionRequest,
    TableAction,
)
from webapp.play.turns import withdrawals


def _named_seat(action: ActionRequest, kind: str) -> int:
    """Return the seat that the action names, for `any` the first seat of that kind.

    A blind table accepts only `any`, because any other answer would reveal who sits there.
    """
    if action.arguments != ["any"]:
        if not action.can_name_people:
            raise Illegal("blind_table")
        return action.seat
    player = action.game.players.filter(kind=kind).first()
    if player is None:
        raise Illegal("seat_changed")
    return player.seat


def _remove(action: ActionRequest) -> list[int]:
    departures.remove_person(action.game, _named_person(action))
    return [action.seat]


def _remove_guest(action: ActionRequest) -> list[int]:
    """Remove a guest of a blind table by membership number, which does not reveal the seat."""
    is_blind_lobby = not action.can_name_people and not action.game.started_at
    guests = Player.objects.filter(membership__game=action.game, membership__host=False)
    player = guests.filter(membership__pk=int(action.arguments[0])).first()
    if not is_blind_lobby or player is None:
        raise Illegal("seat_changed")
    departures.remove_person(action.game, player)
    return [player.seat]


def _named_person(action: ActionRequest) -> Player:
    """Return the person in the named seat. A blind table refuses to name people."""
    if not action.can_name_people:
        raise Illegal("blind_table")
    player = action.game.players.filter(seat=action.seat, kind=Player.PERSON).first()
    if player is None:
        raise Illegal("seat_changed")
    return player


def _readmit(action: ActionRequest) -> None:
    lobby.refresh_pages(action.game.pk)
    if not visitors.lift_bars(action.game):
        raise Illegal("nobody_removed")


def _renew_invitation(action: ActionRequest) -> None:
    """Replace the invitation's address. The previous one stops working."""
    lobby.refresh_pages(action.game.pk)
    visitors.renew_invitation(action.game)


def _allow_research(action: ActionRequest) -> None:
    """Allow the table's use in research, unless someone else has joined under other terms."""
    lobby.refresh_pages(action.game.pk)  # locks the game's row: no one can join during the check
    if not lobby_view.is_host_alone(action.game):
        raise Illegal("told_otherwise")
    _set_research(action.game, research=True, error_code="studied")


def _forbid_research(action: ActionRequest) -> None:
    """Forbid the table's use in research. Games that a campaign has drawn already stay in it."""
    host_actions.refresh_pages(action.game.pk)
    _set_research(action.game, research=False, error_code="not_studied")


def _set_research(game: Game, *, research: bool, error_code: str) -> None:
    if not Table.objects.filter(game=game, research=not research).update(research=research):
        raise Illegal(error_code)


def _game_action(change: Callable[[int], None]) -> TableAction:
    """Return an action without arguments that changes the game with the given id."""
    return TableAction(lambda action: change(action.game.pk))


def _seat_action(change: Callable[[int, int], None], kind: str) -> TableAction:
    """Return an action that changes a seat of that kind, in the game with the given id."""

    def perform(action: ActionRequest) -> list[int]:
        seat = _named_seat(action, kind)
        change(action.game.pk, seat)
        return [seat]

    return TableAction(perform, SEAT_OR_ANY)


def _set_pace(action: ActionRequest) -> None:
    """Set the pace of the computer players."""
    agent_pace.check_pace(action.guest, action.arguments[0])
    host_actions.set_pace(action.game.pk, action.arguments[0])


def _end_pauses(action: ActionRequest) -> list[int] | None:
    """End the pauses made for pace. A game that ended meanwhile has none: that is no error."""
    if action.game.ended_at:
        return []
    agent_pace.check_pace(action.guest)
    return None if host_actions.end_pauses(action.game.pk) else []


def _hand_over(action: ActionRequest) -> list[int]:
    """Let a computer player answer for an absent person, at a blind table for all of them.

    So the answer does not reveal who is a person.
    """
    absent = people_away(action.game)
    if action.can_name_people:
        absent = [p for p in absent if p.seat == action.seat]
        if not absent:
            raise Illegal("not_away")
    elif not action.game.started_at or action.game.ended_at:
        raise Illegal("over" if action.game.ended_at else "not_begun")
    for player in absent:
        host_actions.hand_over(action.game.pk, player.seat)
    return [player.seat for player in absent]


def _give_back(action: ActionRequest) -> list[int]:
    if not action.can_name_people:
        raise Illegal("blind_table")
    host_actions.return_seat(action.game.pk, action.seat)
    return [action.seat]


def _make_host(action: ActionRequest) -> list[int]:
    departures.make_host(action.game.pk, _named_person(action))
    return [action.seat]


def _remove_text(action: ActionRequest) -> list[int]:
    window, seat = action.statement
    withdrawals.request_text_removal(action.game.pk, window, seat)
    return [seat]


ACTIONS_BY_HOST: dict[str, TableAction] = {
    "start": _game_action(lobby.start),
    "fill": _seat_action(lobby.fill_seat, Player.OPEN),
    "invite": _seat_action(lobby.open_seat, Player.AGENT),
    "remove": TableAction(_remove, SEAT),
    "remove_guest": TableAction(_remove_guest, NUMBER),
    "readmit": TableAction(_readmit),
    "renew_invitation": TableAction(_renew_invitation),
    "call_off": _game_action(host_actions.call_off),
    "pause": _game_action(host_actions.pause),
    "resume": _game_action(host_actions.resume),
    "more_time": _game_action(host_actions.extend_deadlines),
    "pace": TableAction(_set_pace, PACE),
    "next": TableAction(_end_pauses),
    "hand_over": TableAction(_hand_over, SEAT_OR_ANY),
    "give_back": TableAction(_give_back, SEAT),
    "make_host": TableAction(_make_host, SEAT),
    "remove_words": TableAction(_remove_text, STATEMENT, after=withdrawals.complete_withdrawals),
    "reveal": _game_action(host_actions.reveal),
    "research_on": TableAction(_allow_research),
    "research_off": TableAction(_forbid_research),
}
