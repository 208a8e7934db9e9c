"""Actions on a table: anything that people do besides playing.

A page posts an action as `do=<action>[:<argument>…]`. Some actions belong to the host
(ACTIONS_BY_HOST), others to every player (ACTIONS_BY_SEAT). The seats that an action changed are
recorded (`AuditEntry`) in the same transaction.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from game import clock, deadlines, game_actions, lobby
from game.engine.forms import Illegal
from game.locked_game import announce, lock_game
from game.models import Game, Player, Utterance
from webapp.play import replay_access, visitors
from webapp.play.disclosure import Disclosure
from webapp.play.models import AuditEntry, Membership, Report, Table
from webapp.play.page import chat, host_panel, lobby_view
from webapp.play.page.snapshot import is_host_away, people_away
from webapp.play.signals import text_reported
from webapp.play.turns import withdrawals
from webapp.play.visitors import Guest

# Regular expressions for the argument after an action's name. The numbers fit the database.
NO_ARGUMENT = ""
SEAT = r":\d{1,3}"
SEAT_OR_ANY = rf":any|{SEAT}"  # `any` is for blind tables, where actions must not name a seat
NUMBER = r":\d{1,18}"
PORTRAIT = r":\d{1,2}"
PACE = rf":(?:{'|'.join(clock.PACE_STEPS)})"
STATEMENT = r":[\w./-]{1,80}:\d{1,3}"  # a statement's window and seat


@dataclass(frozen=True)
class ActionRequest:
    guest: Guest
    arguments: list[str]  # the parts of the argument, which matches `TableAction.argument`
    name: str  # the display name, if the form has one
    text: str  # the text of a chat message

    @property
    def game(self) -> Game:
        return self.guest.game

    @property
    def seat(self) -> int:
        """The seat that the action names. "any" names none (Illegal: `bad_post`)."""
        if self.arguments == ["any"]:
            raise Illegal("bad_post")
        return int(self.arguments[0])

    @property
    def statement(self) -> tuple[str, int]:
        """The statement that the action names, as (window, seat)."""
        window, seat = self.arguments
        return window, int(seat)

    @property
    def can_name_people(self) -> bool:
        """Whether actions may name a person's seat. At a blind table that would reveal them."""
        return Disclosure(self.game, self.guest.viewer).can_name_people

    @property
    def own_player(self) -> Player:
        """The player in the guest's seat. The action must belong to seats (`ACTIONS_BY_SEAT`)."""
        assert self.guest.player is not None
        return self.guest.player


@dataclass(frozen=True)
class TableAction:
    """An action on a table.

    `perform` returns the seats it changed. None stands for the usual result: the player's own seat,
    or only the table for an action of the host. If the action is impossible, it raises Illegal and
    changes nothing.
    """

    perform: Callable[[ActionRequest], Sequence[int] | None]
    argument: str = NO_ARGUMENT  # a regular expression
    after: Callable[[int], None] | None = None  # called with the game's id after the commit


# -- actions of the host


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


def _remove_person(game: Game, player: Player) -> None:
    """Remove the person from the table for good, and bar their browsers.

    Before the game the invitation is renewed, so that another browser can't bring them back.
    """
    visitors.bar_browsers(player)
    if not game.started_at:
        visitors.renew_invitation(game)
    _free_seat(game, player)


def _free_seat(game: Game, player: Player) -> None:
    """Free the person's seat. Once the game has begun, a computer player takes it over."""
    if game.started_at:
        game_actions.leave(game.pk, player.seat)
    else:
        lobby.release_seat(game.pk, player.seat)
    visitors.remove_from_seat(player)


def _remove(action: ActionRequest) -> list[int]:
    _remove_person(action.game, _named_person(action))
    return [action.seat]


def _remove_guest(action: ActionRequest) -> list[int]:
    """Remove a guest of a blind table by membership number, which does not reveal the seat."""
    is_blind_lobby = not action.can_name_people and not action.game.started_at
    number = int(action.arguments[0])
    player = action.game.players.filter(membership__pk=number, membership__host=False).first()
    if not is_blind_lobby or player is None:
        raise Illegal("seat_changed")
    _remove_person(action.game, player)
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
    game_actions.refresh_pages(action.game.pk)
    _set_research(action.game, research=False, error_code="not_studied")


def _set_research(game: Game, *, research: bool, error_code: str) -> None:
    if not Table.objects.filter(game=game, research=not research).update(research=research):
        raise Illegal(error_code)


def _game_action(change: Callable[[int], None]) -> TableAction:
    """Return an action without arguments that changes the game with the given id."""
    return TableAction(lambda action: change(action.game.pk))


def _seat_action(
    change: Callable[[int, int], None], kind: str, argument: str = SEAT_OR_ANY
) -> TableAction:
    """Return an action that changes a seat of that kind, in the game with the given id."""

    def perform(action: ActionRequest) -> list[int]:
        seat = _named_seat(action, kind)
        change(action.game.pk, seat)
        return [seat]

    return TableAction(perform, argument)


def _set_pace(action: ActionRequest) -> None:
    host_panel.check_pace(action.guest, action.arguments[0])
    game_actions.set_pace(action.game.pk, action.arguments[0])


def _end_pauses(action: ActionRequest) -> list[int] | None:
    """End the pauses made for pace. A game that ended meanwhile has none: that is no error."""
    if action.game.ended_at:
        return []
    host_panel.check_pace(action.guest)
    return None if game_actions.end_pauses(action.game.pk) else []


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
        game_actions.hand_over(action.game.pk, player.seat)
    return [player.seat for player in absent]


def _make_host(action: ActionRequest) -> list[int]:
    player = _named_person(action)
    if not action.game.ended_at and not Membership.objects.filter(player=player).exists():
        raise Illegal("seat_changed")
    _set_host(action.game, player)
    return [action.seat]


def _set_host(game: Game, player: Player) -> None:
    if game.ended_at:
        raise Illegal("over")
    visitors.set_host(game, player)
    announce(game)


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
    "call_off": _game_action(game_actions.call_off),
    "pause": _game_action(game_actions.pause),
    "resume": _game_action(game_actions.resume),
    "more_time": _game_action(deadlines.extend_deadlines),
    "pace": TableAction(_set_pace, PACE),
    "next": TableAction(_end_pauses),
    "hand_over": TableAction(_hand_over, SEAT_OR_ANY),
    "give_back": _seat_action(game_actions.return_seat, Player.PERSON, SEAT),
    "make_host": TableAction(_make_host, SEAT),
    "remove_words": TableAction(_remove_text, STATEMENT, after=withdrawals.complete_withdrawals),
    "reveal": _game_action(game_actions.reveal),
    "research_on": TableAction(_allow_research),
    "research_off": TableAction(_forbid_research),
}


# -- actions of every player


def _renew_link(action: ActionRequest) -> None:
    """Replace the seat's private link. Browsers that used it after this one lose the seat."""
    assert action.guest.visitor is not None
    visitors.renew_link(action.own_player, action.guest.visitor)
    game_actions.refresh_pages(action.game.pk)


def _leave(action: ActionRequest) -> None:
    """Leave the table for good. If the host leaves, another person becomes the host."""
    game = action.game
    if game.ended_at:
        raise Illegal("over")
    _free_seat(game, action.own_player)
    if action.guest.is_host:
        visitors.choose_next_host(game)


def _take_over(action: ActionRequest) -> None:
    """Make the guest the host for good, because the host has been away for long."""
    table = Table.objects.filter(game=action.game).first()
    if not action.game.ended_at and not is_host_away(action.game, table, timezone.now()):
        raise Illegal("host_here")
    _set_host(action.game, action.own_player)


def _report(action: ActionRequest) -> list[int]:
    window, seat = action.statement
    public = Utterance.objects.filter(game=action.game, event__audience="public").exclude(text="")
    utterance = public.filter(window=window, seat=seat).first()
    if utterance is None or seat == action.own_player.seat:
        raise Illegal("no_words")
    report, is_new = Report.objects.get_or_create(utterance=utterance, player=action.own_player)
    if is_new:
        text_reported.send(sender=Report, report=report)  # before the game's row is locked
    game_actions.refresh_pages(action.game.pk)
    return [seat] if is_new else []


ACTIONS_BY_SEAT: dict[str, TableAction] = {
    "name": TableAction(lambda a: lobby.rename(a.game.pk, a.own_player.seat, a.name)),
    "portrait": TableAction(
        lambda a: game_actions.choose_portrait(a.game.pk, a.own_player.seat, int(a.arguments[0])),
        PORTRAIT,
    ),
    "take_back": TableAction(lambda a: game_actions.return_seat(a.game.pk, a.own_player.seat)),
    "renew_link": TableAction(_renew_link),
    "take_over": TableAction(_take_over),
    "leave": TableAction(_leave),
    "erase": TableAction(
        lambda a: withdrawals.request_erasure(a.own_player), after=withdrawals.complete_withdrawals
    ),
    "report": TableAction(_report, STATEMENT),
    "publish": TableAction(lambda a: None if replay_access.agree_to_link(a.own_player) else []),
    "unpublish": TableAction(lambda a: replay_access.revoke_link(a.own_player)),
    "chat": TableAction(lambda a: chat.write_line(a.own_player, a.text)),
    "chat_out": TableAction(lambda a: chat.delete_line(a.guest, int(a.arguments[0])), NUMBER),
}


# -- performing an action

ACTIONS_AT_OWNED_TABLES = ("take_back", "report")  # the only ones at a table that another app runs


class Forbidden(Exception):
    """The guest has no right to the action."""


def perform_action(guest: Guest, action_text: str, name: str = "", text: str = "") -> None:
    """Perform the action that the value of a post's field `do` names.

    `name` is the display name, if the form has one, and `text` a chat message. Raise Forbidden if
    the guest has no right to the action, Illegal if it is malformed or impossible now.
    """
    action_name = action_text.partition(":")[0]
    table_action = ACTIONS_BY_HOST.get(action_name) or ACTIONS_BY_SEAT.get(action_name)
    if table_action is None:
        raise Illegal("bad_post")
    _check_right(guest, action_name)
    if action_name not in ACTIONS_AT_OWNED_TABLES and Disclosure(guest.game).owner_address:
        raise Forbidden
    if not re.fullmatch(table_action.argument, action_text[len(action_name) :], re.ASCII):
        raise Illegal("bad_post")
    with transaction.atomic():
        # A report's signal must be sent before the game's row is locked (`signals.text_reported`).
        if action_name not in ACTIONS_AT_OWNED_TABLES:
            guest = _lock_and_reload_guest(guest)
            _check_right(guest, action_name)
        seats = table_action.perform(ActionRequest(guest, action_text.split(":")[1:], name, text))
        is_by_host = action_name in ACTIONS_BY_HOST
        usual_seat = None if is_by_host or guest.player is None else guest.player.seat
        for seat in [usual_seat] if seats is None else seats:
            AuditEntry.objects.create(
                game=guest.game, what=action_name, seat=seat, by_host=is_by_host
            )
    if table_action.after:
        table_action.after(guest.game.pk)


def _check_right(guest: Guest, action_name: str) -> None:
    has_right = guest.is_host if action_name in ACTIONS_BY_HOST else guest.player is not None
    if not has_right:
        raise Forbidden


def _lock_and_reload_guest(guest: Guest) -> Guest:
    """Lock the game and read the guest again.

    Since the request was admitted, the host may have changed, or may have removed this guest.
    """
    game = lock_game(guest.game.pk)
    memberships = Membership.objects.filter(game=game).select_related("player")
    row = memberships.filter(visitor=guest.visitor).first() if guest.visitor else None
    if row is None:
        raise Forbidden
    return Guest(game, row.player, is_host=row.host, is_member=True, visitor=guest.visitor)
