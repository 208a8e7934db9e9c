"""The daily deal: one game a day that is the same for everyone, with a result to share.

The seed depends on the date alone. So without a common server every installation deals the same
seat, role and computer players that day. The built-in players take the other seats.
"""

import uuid
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Event, Game, Player
from webapp.play.models import Membership
from webapp.play.visitors import finished_seats

RULESET = "one-night"
SITE = "Fabula"
_SEED_PREFIX = "daily/"


@dataclass(frozen=True)
class DailyDeal:
    day: date
    game: Game | None  # the visitor's game of the deal, None before they play it
    streak: str = ""  # a sentence, "" without a streak

    @property
    def is_over(self) -> bool:
        return self.game is not None and self.game.ended_at is not None

    @property
    def news(self) -> list[str]:
        """Sentences about the deal.

        The results of others hint at roles, so they appear only once the visitor's game is over.
        """
        texts = [self.streak]
        if self.game and self.is_over:
            texts += [_others_text(self.game), _next_deal_text()]
        return [text for text in texts if text]


def seed_of(day: date) -> str:
    return f"{_SEED_PREFIX}{day.isoformat()}"


def day_of(seed: str) -> date | None:
    """Return the day whose deal has this seed, None for any other game."""
    if not seed.startswith(_SEED_PREFIX):
        return None
    try:
        day = date.fromisoformat(seed.removeprefix(_SEED_PREFIX))
    except ValueError:
        return None
    return day if seed_of(day) == seed else None  # "20260728" is a date, too, but another seed


def is_unfinished_day(seed: str) -> bool:
    """Return whether the seed deals today's game or a later day's.

    A table without people shows its roles at its end, so no visitor may open one with such a seed.
    Text after a "#" does not change a deal (`SeededRandom.deal_generator`).
    """
    day = day_of(seed.partition("#")[0])
    return day is not None and day >= timezone.localdate()


def todays_deal(visitor: uuid.UUID | None) -> DailyDeal:
    """Return today's deal for a visitor. A game that was called off may be played again."""
    day = timezone.localdate()
    if visitor is None:
        return DailyDeal(day, None)
    games = Game.objects.filter(seed=seed_of(day), called_off=False)
    own_games = games.filter(memberships__visitor=visitor, memberships__player__isnull=False)
    return DailyDeal(day, own_games.order_by("memberships__pk").first(), _streak_text(visitor))


def days_in_a_row(days: set[date]) -> int:
    """Return the length of the run of successive days that ends with the newest."""
    newest = max(days, default=date.max)  # without days: a date that is not in them
    return next(length for length in count() if newest - timedelta(length) not in days)


def _streak_text(visitor: uuid.UUID) -> str:
    """Return in a sentence how many days in a row the visitor finished the deal, "" for none.

    A streak ends when a day passes without its deal.
    """
    seeds = finished_seats(visitor).filter(game__seed__startswith=_SEED_PREFIX)
    days = {day for seed in seeds.values_list("game__seed", flat=True) if (day := day_of(seed))}
    if not days or max(days) < timezone.localdate() - timedelta(1):
        return ""
    streak = days_in_a_row(days)
    text = ngettext("Your streak: {count} day.", "Your streak: {count} days in a row.", streak)
    return text.format(count=streak)


def _others_text(game: Game) -> str:
    """Return in a sentence how many others played this deal and won, "" if there are none."""
    games = Game.objects.filter(seed=game.seed, ended_at__isnull=False, called_off=False)
    people = Player.objects.filter(kind=Player.PERSON, left_at=None, game__in=games)
    seats = dict(people.exclude(game=game).values_list("game", "seat"))  # one person a game
    ends = Event.objects.filter(game__in=seats, kind="game_over").values_list("game", "data")
    won = sum(seats[game_id] in data["winners"] for game_id, data in ends)
    text = ngettext(
        "{count} other player has played it: {won} won.",
        "{count} other players have played it: {won} won.",
        len(seats),
    )
    return text.format(count=len(seats), won=won) if seats else ""


def _next_deal_text() -> str:
    """Return in a sentence in how many hours or minutes the next deal begins."""
    now = timezone.localtime()
    midnight = datetime.combine(now.date() + timedelta(1), time(), now.tzinfo)
    hours, remainder = divmod(midnight - now, timedelta(hours=1))
    if hours:
        return _("Next game in {hours} h.").format(hours=hours)
    return _("Next game in {minutes} min.").format(minutes=1 + remainder // timedelta(minutes=1))


def news_at_end(game: Game, player: Player | None) -> list[str]:
    """Return the sentences about a game of today's deal for its player, [] for any other game."""
    if day_of(game.seed) != timezone.localdate():
        return []
    member = Membership.objects.filter(player=player).first() if player else None
    if member is None:
        return []
    return DailyDeal(timezone.localdate(), game, _streak_text(member.visitor)).news


def share_text(seed: str, result: str, votes_against: int, *, voted_with_table: bool | None) -> str:
    """Return a result to share that names no seat and no role, "" for any other game.

    `result` is "won", "lost", or "" if no one won. `voted_with_table` is None if the player did not
    vote or no one was voted out.
    """
    if (day := day_of(seed)) is None:
        return ""
    results = {"won": _("my side won"), "lost": _("my side lost")}
    votes = ngettext("{count} vote against me", "{count} votes against me", votes_against)
    own_votes = {True: _("I voted with the table"), False: _("I voted against the table")}
    title = _("{site}, daily game of {day}: {result}").format(
        site=SITE, day=date_format(day, "j F Y"), result=results.get(result, _("no one won"))
    )
    own_vote = "" if voted_with_table is None else own_votes[voted_with_table]
    return " · ".join(filter(None, (title, own_vote, votes.format(count=votes_against))))
