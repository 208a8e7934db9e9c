"""Who may see the replay of a finished game: guests, researchers, and anyone by a public link.

`at_replay` admits guests of the table, and visitors whom another app admits. `check_replayable`
checks that the game has a replay. A public link admits anyone (`at_public_replay`), after all
people of the game have agreed to it. `disclosure` decides which views a blind table hides.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from game import game_actions
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play import rate_limits, table_owners, visitors
from webapp.play.daily_deal import is_unfinished_day
from webapp.play.disclosure import Disclosure
from webapp.play.error_pages import Link, render_error_page
from webapp.play.models import PublicReplay
from webapp.play.visitors import Guest
from webapp.proxies import client_address


class NoReplay(Exception):
    """There is no replay. The attributes are the arguments of `render_error_page`."""

    def __init__(self, status: int, title: str, text: str, link: Link | None = None) -> None:
        super().__init__(title)
        self.status, self.title, self.text, self.link = status, title, text, link

    def render(self, request: HttpRequest) -> HttpResponse:
        """Render the page that says why there is no replay."""
        return render_error_page(request, self.status, self.title, self.text, self.link)


def at_replay(view: visitors.TableView) -> Callable[..., HttpResponse]:
    """Decorate a view of a replay as `visitors.at_table` does.

    It also admits visitors that another app admits, as guests without a player. If the view raises
    NoReplay, the decorated view renders its page.
    """
    seated_view = visitors.at_table(view)

    @wraps(view)
    def wrapped(request: HttpRequest, code: str, *args: Any, **kwargs: Any) -> HttpResponse:
        game = Game.objects.filter(code=code).first()
        is_guest = game and visitors.find_guest(visitors.visitor_of(request.session), code)
        owners = table_owners.owners
        try:
            if game and not is_guest and any(o.can_watch_replay(request, game) for o in owners):
                return view(request, Guest(game, None), *args, **kwargs)
            return seated_view(request, code, *args, **kwargs)
        except NoReplay as reason:
            return reason.render(request)

    return wrapped


def check_replayable(game: Game) -> None:
    """Raise NoReplay (403, 409, 410) if the game is not over, or another app runs its table."""
    if owner_address := Disclosure(game).owner_address:
        text = _("This game belongs to a study. Participants cannot watch its replay.")
        raise NoReplay(403, _("Replay not available"), text, Link(_("Continue"), owner_address))
    table = Link(_("Go to the table"), reverse("table", args=[game.code]))
    if game.status == Game.CALLED_OFF:
        text = _("The host called this game off. Only finished games have a replay.")
        raise NoReplay(410, _("This game has no replay"), text, table)
    if game.status != Game.OVER:
        text = _("When the game is over, you can watch its replay here, line by line.")
        raise NoReplay(409, _("This game is not over yet"), text, table)


# -- the public link


PublicView = Callable[[HttpRequest, str, Game], HttpResponse]


def at_public_replay(view: PublicView) -> Callable[[HttpRequest, str], HttpResponse]:
    """Decorate a view so that it gets the game of the public link whose key the address has.

    The decorated view renders an error page if it raises NoReplay or the link is not valid. It asks
    search engines not to list its pages.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, key: str) -> HttpResponse:
        try:
            if rate_limits.public_replay_rate.try_acquire(client_address(request)):
                response = view(request, key, find_public_game(key))
            else:
                text = _(
                    "Too many pages were opened from your network. Wait a minute and try again."
                )
                response = render_error_page(request, 429, _("Too many requests"), text)
        except NoReplay as reason:
            response = reason.render(request)
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return wrapped


def find_public_game(key: str) -> Game:
    """Return the game of a public link. Raise NoReplay if it is unknown (404) or revoked (410)."""
    link = PublicReplay.objects.filter(key=key).select_related("game__table").first()
    game = link.game if link else None
    if link and (link.revoked_at or game is None):
        text = _("A player of this game has withdrawn the link. It will not work again.")
        raise NoReplay(410, _("This replay is no longer public"), text)
    if link and game and can_publish(game) and is_public(link, game.players.all()):
        return game
    text = _("Check the address for typing errors. The replay may also not be public.")
    raise NoReplay(404, _("Replay not found"), text)


def can_publish(game: Game) -> bool:
    """Return whether the people of a game may agree to a public link.

    A game that research could use when it ended gets no link, even if the host has ended that
    permission since: raters of a study that has drawn the game must not find the roles.
    """
    if not Disclosure(game).can_publish:
        return False
    research_ended = game.audit_entries.filter(what="research_off", at__gte=game.ended_at)
    return not research_ended.exists()


def find_current_link(game: Game) -> PublicReplay | None:
    """Return the link that some of the people agreed to and no one revoked, None without one."""
    return PublicReplay.objects.filter(game=game, revoked_at=None).first()


def is_public(link: PublicReplay, players: Iterable[Player]) -> bool:
    """Return whether the replay is public: all people agreed, and no one has revoked the link."""
    people = select_people(players)
    all_agreed = bool(people) and all(p.seat in link.agreed for p in people)
    return link.revoked_at is None and all_agreed


def select_people(players: Iterable[Player]) -> list[Player]:
    """Return the players who must agree to a public link: those who are people."""
    return [player for player in players if player.kind == Player.PERSON]


@transaction.atomic
def agree_to_link(player: Player) -> bool:
    """Record that the person agrees. Return whether that is new."""
    _lock(player)
    if not can_publish(player.game):
        raise Illegal("not_public" if player.game.ended_at else "not_over")
    if is_unfinished_day(player.game.seed):
        raise Illegal("not_public_today")
    link = find_current_link(player.game) or PublicReplay(game=player.game)
    if player.seat in link.agreed:
        return False
    link.agreed = [*link.agreed, player.seat]
    link.save()
    game_actions.refresh_pages(player.game_id)
    return True


@transaction.atomic
def revoke_link(player: Player) -> None:
    """Withdraw the person's agreement. An open link is closed for good, for everyone.

    Raise Illegal if the person has not agreed.
    """
    _lock(player)
    link = find_current_link(player.game)
    if link is None or player.seat not in link.agreed:
        raise Illegal("not_agreed")
    if is_public(link, player.game.players.all()):
        link.revoked_at = timezone.now()
    else:
        link.agreed = [seat for seat in link.agreed if seat != player.seat]
    link.save()
    game_actions.refresh_pages(player.game_id)


def _lock(player: Player) -> None:
    """Lock the game, so that two simultaneous answers do not overwrite each other."""
    Game.objects.select_for_update().get(pk=player.game_id)


@dataclass(frozen=True)
class PublicLink:
    """The public link as a person at the table sees it (`#public_link`)."""

    address: str  # "" until everyone has agreed
    has_agreed: bool  # the viewer has agreed
    agreed: list[str]  # names of the people who have agreed
    missing: list[str]  # names of the people who have not agreed
    cannot_agree: list[str]  # those of `missing` who left the game or withdrew their text
    is_too_early: bool  # others still play the same deal today


def build_public_link(guest: Guest, players: Iterable[Player]) -> PublicLink | None:
    """Return the public link for a person at the table, None if the game can have none."""
    if guest.player is None or not can_publish(guest.game):
        return None
    link = find_current_link(guest.game)
    agreed, people = link.agreed if link else [], select_people(players)
    missing = [p for p in people if p.seat not in agreed]
    is_open = link is not None and is_public(link, people)
    return PublicLink(
        address=reverse("public_replay", args=[link.key]) if link and is_open else "",
        has_agreed=guest.player.seat in agreed,
        agreed=[p.name for p in people if p.seat in agreed],
        missing=[p.name for p in missing],
        cannot_agree=[p.name for p in missing if p.left_at or p.erased_at],
        is_too_early=is_unfinished_day(guest.game.seed),
    )
