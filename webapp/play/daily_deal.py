"""The daily deal: one game a day that is the same for everybody, with a result to share.

The seed depends on the date alone, so no server is needed: every installation deals the same seat,
role and computer players that day. The built-in players take the other seats.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Game
from webapp.play.models import Membership

RULESET = "one-night"
SITE = "Fabula"
_PREFIX = "daily/"


@dataclass(frozen=True)
class DailyDeal:
    """Today's deal as the first page shows it. game: the visitor's, None before they play it."""

    day: date
    game: Game | None

    @property
    def is_over(self) -> bool:
        return self.game is not None and self.game.ended_at is not None


def seed_of(day: date) -> str:
    """Return the seed of the day's deal."""
    return f"{_PREFIX}{day.isoformat()}"


def day_of(seed: str) -> date | None:
    """Return the day whose deal has this seed, None for any other game."""
    if not seed.startswith(_PREFIX):
        return None
    try:
        day = date.fromisoformat(seed.removeprefix(_PREFIX))
    except ValueError:
        return None
    return day if seed_of(day) == seed else None  # "20260728" names a day, too, but deals otherwise


def is_unfinished_day(seed: str) -> bool:
    """Return whether the seed deals today's game or a later day's.

    A table without people shows its roles after its end, so nobody may open one with such a seed.
    What follows a "#" does not change a deal (`SeededRandom.of_deal`).
    """
    day = day_of(seed.partition("#")[0])
    return day is not None and day >= timezone.localdate()


def todays_deal(visitor: uuid.UUID | None) -> DailyDeal:
    """Return today's deal for a visitor. A game that was called off may be played again."""
    day = timezone.localdate()
    if visitor is None:
        return DailyDeal(day, None)
    mine = Membership.objects.filter(
        visitor=visitor, player__isnull=False, game__seed=seed_of(day), game__called_off=False
    )
    first = mine.select_related("game").order_by("pk").first()
    return DailyDeal(day, first.game if first else None)


def share_text(seed: str, result: str, votes_against: int, *, voted_with_table: bool | None) -> str:
    """Return a result to share that names no seat and no role, "" for any other game.

    Args:
        seed: The game's.
        result: "won", "lost", or "" if nobody won.
        votes_against: Votes for the player in the last vote.
        voted_with_table: Whether the player voted for the player who was voted out. None if the
            player did not vote or nobody was voted out.
    """
    if (day := day_of(seed)) is None:
        return ""
    results = {"won": _("my side won"), "lost": _("my side lost")}
    votes = ngettext("{count} vote against me", "{count} votes against me", votes_against)
    vote = (
        ""
        if voted_with_table is None
        else _("I voted with the table")
        if voted_with_table
        else _("I voted against the table")
    )
    head = _("{site}, the deal of {day}: {result}").format(
        site=SITE, day=date_format(day, "j F Y"), result=results.get(result, _("nobody won"))
    )
    return " · ".join(filter(None, (head, vote, votes.format(count=votes_against))))
