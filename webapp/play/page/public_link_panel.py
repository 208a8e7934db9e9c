"""The panel of the public link, in which the people of a finished game agree to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from game.models import Player
from webapp.play.daily_deal import is_unfinished_day
from webapp.play.replay_access import can_publish, find_current_link, is_public, select_people
from webapp.play.visitors import Guest


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
