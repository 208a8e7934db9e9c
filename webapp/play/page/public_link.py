"""The public link of a finished game's replay: who agreed to it, and whether it is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from game import host_actions
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.daily_deal import is_unfinished_day
from webapp.play.disclosure import Disclosure
from webapp.play.models import PublicReplay
from webapp.play.visitors import Guest


@dataclass(frozen=True)
class PublicLink:
    """The public link as a person at the table sees it (`#public_link`)."""

    address: str  # "" until everyone has agreed
    has_agreed: bool  # the viewer has agreed
    agreed: list[str]  # names of the people who have agreed
    missing: list[str]  # names of the people who have not agreed
    cannot_agree: list[str]  # those of `missing` who left the game or withdrew their text
    is_too_early: bool = False  # others still play the same deal today


def build_public_link(guest: Guest, players: Iterable[Player]) -> PublicLink | None:
    """Return the public link for a person at the table, None if the game can have none."""
    if guest.player is None or not can_publish(guest.game):
        return None
    row = find_current_replay(guest.game)
    agreed, people = row.agreed if row else [], _people(players)
    missing = [p for p in people if p.seat not in agreed]
    return PublicLink(
        address=reverse("public_replay", args=[row.key]) if row and is_open(row, people) else "",
        has_agreed=guest.player.seat in agreed,
        agreed=[p.name for p in people if p.seat in agreed],
        missing=[p.name for p in missing],
        cannot_agree=[p.name for p in missing if p.left_at or p.erased_at],
        is_too_early=is_unfinished_day(guest.game.seed),
    )


def can_publish(game: Game) -> bool:
    """Return whether the people of a game may agree to a public link.

    A game that research could use when it ended gets no link, even if the host has ended that
    permission since: raters of a study that has drawn the game must not find the roles.
    """
    if not Disclosure(game).can_publish:
        return False
    research_ended = game.audit_entries.filter(what="research_off", at__gte=game.ended_at)
    return not research_ended.exists()


def find_current_replay(game: Game) -> PublicReplay | None:
    return PublicReplay.objects.filter(game=game, revoked_at=None).first()


def is_open(row: PublicReplay, players: Iterable[Player]) -> bool:
    """Return whether the replay is public: all people agreed, and no one has revoked the link."""
    people = _people(players)
    all_agreed = bool(people) and all(p.seat in row.agreed for p in people)
    return row.revoked_at is None and all_agreed


@transaction.atomic
def agree(player: Player) -> bool:
    """Record that the person agrees. Return whether that is new."""
    _lock(player)
    if not can_publish(player.game):
        raise Illegal("not_public" if player.game.ended_at else "not_over")
    if is_unfinished_day(player.game.seed):
        raise Illegal("not_public_today")
    row = find_current_replay(player.game) or PublicReplay(game=player.game)
    if player.seat in row.agreed:
        return False
    row.agreed = [*row.agreed, player.seat]
    row.save()
    host_actions.refresh_pages(player.game_id)
    return True


@transaction.atomic
def revoke(player: Player) -> None:
    """Withdraw the person's agreement. An open link is closed for good, for everyone."""
    _lock(player)
    row = find_current_replay(player.game)
    if row is None or player.seat not in row.agreed:
        raise Illegal("not_agreed")
    if is_open(row, player.game.players.all()):
        row.revoked_at = timezone.now()
    else:
        row.agreed = [seat for seat in row.agreed if seat != player.seat]
    row.save()
    host_actions.refresh_pages(player.game_id)


def _lock(player: Player) -> None:
    """Lock the game, so that two simultaneous answers do not overwrite each other."""
    Game.objects.select_for_update().get(pk=player.game_id)


def _people(players: Iterable[Player]) -> list[Player]:
    return [player for player in players if player.kind == Player.PERSON]
