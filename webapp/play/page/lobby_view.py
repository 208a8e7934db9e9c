"""The lobby, in which people gather at a table before the game, for one viewer.

A blind table does not reveal which seat a person has taken. Guests are numbered in the order of
arrival, and computer players and empty seats are only counted.
"""

from dataclasses import dataclass, replace

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine import rulesets
from game.lobby import DEFAULT_LIMITS
from game.models import Game, Player
from webapp.play.disclosure import Disclosure
from webapp.play.models import Membership
from webapp.play.page.chat import build_chat
from webapp.play.page.snapshot import Snapshot
from webapp.play.visitors import Guest


@dataclass(frozen=True)
class LobbySeat:
    """One seat in the lobby. Actions are `do=` values, "" if they are impossible."""

    kind: str  # "guest" | "open" | "computer"
    name: str  # name of the seat or of the guest; at a blind table "Guest 2"
    portrait: str = ""  # static path; "" at a blind table
    is_me: bool = False
    is_host: bool = False
    is_here: bool = False  # the person has the page open
    make_host: str = ""
    fill: str = ""  # action that seats a computer player
    invite: str = ""  # action that opens a computer player's seat for a person
    remove: str = ""


class Lobby:
    """The lobby of a table (`#lobby`), as one guest may see it."""

    def __init__(self, guest: Guest, snapshot: Snapshot | None = None) -> None:
        game = guest.game
        snapshot = snapshot or Snapshot(game)
        ruleset, table, players = rulesets.get(game.ruleset), snapshot.table, snapshot.players
        disclosed = Disclosure(game, guest.viewer)
        own_player = next((p for p in players if p == guest.player), None)
        seat_name = ruleset.table_names[own_player.seat - 1] if own_player else ""
        self.code, self.ruleset, self.title = game.code, game.ruleset, _(ruleset.title)
        self.status = game.status  # "gathering" | "called_off"; anything else: the game has begun
        self.is_host, self.is_seated = guest.is_host, own_player is not None
        # The host has been away for long, and the viewer may replace them.
        self.can_take_over = snapshot.can_take_over(guest)
        self.is_blind = disclosed.is_blind
        # Name of the viewer's seat, "" for watchers and at a blind table.
        self.my_seat = "" if disclosed.is_blind else seat_name
        name = own_player.name if own_player else ""
        self.my_name = "" if name == seat_name else name  # "" if the viewer has chosen none
        # Key of the viewer's private link, "" for watchers.
        self.seat_key = own_player.desk.key if own_player else ""
        # Key of the invitation link, "" for none.
        self.invitation = table.invitation if table and guest.is_member else ""
        self.removed = game.removed.count() if guest.is_host else 0  # people whom the host removed
        if disclosed.can_name_people:
            self.seats = [_lobby_seat(guest, snapshot, player) for player in players]
        else:
            self.seats = _blind_lobby_seats(guest, snapshot)
        other_guests = [s for s in self.seats if s.kind == "guest" and not s.is_me]
        # Names of guests without an open page.
        self.absent = [s.name for s in other_guests if not s.is_here]
        self.people = sum(p.kind == Player.PERSON for p in players)
        self.open = sum(p.kind == Player.OPEN for p in players)
        self.allows_spectators = bool(table and table.spectators)
        self.is_research_allowed = bool(table and table.research)  # everyone sees this
        self.research_action = _research_action(guest, snapshot)
        self.facts = _setting_texts(game)
        self.chat = build_chat(guest, players) if disclosed.can_chat else None


def _research_action(guest: Guest, snapshot: Snapshot) -> str:
    """Return the action by which the host changes the permission to study the game, or ""."""
    if not guest.is_host or snapshot.table is None:
        return ""
    if snapshot.table.research:
        return "research_off"
    return "research_on" if is_host_alone(snapshot.game) else ""


def render_lobby(guest: Guest, snapshot: Snapshot) -> str:
    """Render the lobby for a push. Once the game has begun, it links to the game."""
    lobby = Lobby(guest, snapshot)
    context = {"lobby": lobby, "page": lobby, "oob": True}
    parts = ("lead", "lobby_part", "chat", "chat_out")
    return "".join(render_to_string(f"play/{name}.html", context) for name in parts)


def _lobby_seat(guest: Guest, snapshot: Snapshot, player: Player) -> LobbySeat:
    is_me = player == guest.player
    is_person = player.kind == Player.PERSON
    lobby_seat = LobbySeat(
        kind={Player.PERSON: "guest", Player.OPEN: "open"}.get(player.kind, "computer"),
        name=player.name,
        portrait=player.portrait_path,
        is_me=is_me,
        is_host=is_person and player.membership_set.filter(host=True).exists(),
        is_here=is_person and not snapshot.is_away(player),
    )
    if not guest.is_host:
        return lobby_seat
    return replace(
        lobby_seat,
        fill=f"fill:{player.seat}" if player.kind == Player.OPEN else "",
        invite=f"invite:{player.seat}" if player.kind == Player.AGENT else "",
        remove=f"remove:{player.seat}" if is_person and not is_me else "",
        make_host=f"make_host:{player.seat}" if lobby_seat.is_here and not is_me else "",
    )


def _blind_lobby_seats(guest: Guest, snapshot: Snapshot) -> list[LobbySeat]:
    """Build the guests in the order of arrival, then the other seats, without seat numbers."""
    people = {p.pk: p for p in snapshot.players if p.kind == Player.PERSON}
    memberships = Membership.objects.filter(game=snapshot.game, player__in=people)
    first_membership: dict[int, Membership] = {}  # player id -> that of their first browser
    for membership in memberships.order_by("pk"):
        first_membership.setdefault(membership.player_id or 0, membership)
    lobby_seats = []
    for number, (pk, membership) in enumerate(first_membership.items(), 1):
        player = people[pk]
        is_me = player == guest.player
        lobby_seats.append(
            LobbySeat(
                kind="guest",
                name=_("Guest {number}").format(number=number),
                is_me=is_me,
                is_host=membership.host,
                is_here=not snapshot.is_away(player),
                remove=f"remove_guest:{membership.pk}" if guest.is_host and not is_me else "",
            )
        )
    fill, invite = ("fill:any", "invite:any") if guest.is_host else ("", "")
    kinds = [p.kind for p in snapshot.players]
    open_seat = LobbySeat("open", _("Empty seat"), fill=fill)
    agent_seat = LobbySeat("computer", _("Computer player"), invite=invite)
    lobby_seats += [open_seat] * kinds.count(Player.OPEN)
    return lobby_seats + [agent_seat] * kinds.count(Player.AGENT)


def _setting_texts(game: Game) -> list[tuple[str, str]]:
    """Return the table's pace, time limits and blindness, as (name, value)."""
    limits = {**DEFAULT_LIMITS, **game.limits}
    paces = {
        "slow": _("slow"),
        "natural": _("natural"),
        "brisk": _("brisk"),
        "instant": _("instant"),
        "even": _("even: everyone takes the same time, so speed reveals no one"),
    }
    names = {
        "statement": _("Time per statement"),
        "vote": _("Time per vote"),
        "night": _("Length of each night"),
    }
    texts = [(_("Pace of the computer players"), paces.get(game.pace, game.pace))]
    texts += [(name, _duration_text(limits[clock])) for clock, name in names.items()]
    if Disclosure(game).is_blind:
        texts.append((_("Blind"), _("no one learns who is a person until the host reveals it")))
    return texts


def _duration_text(seconds: int) -> str:
    if seconds % 60 == 0:
        minutes = seconds // 60
        return ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
    return ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)


def is_host_alone(game: Game) -> bool:
    """Return whether no one but the host has a seat."""
    hosts = Membership.objects.filter(game=game, host=True, player__isnull=False).values("player")
    return not game.players.filter(kind=Player.PERSON).exclude(pk__in=hosts).exists()
