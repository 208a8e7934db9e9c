"""A visitor's games: the list on the home page, and the page of the finished ones with ratings.

Both are computed at each visit and not stored. So what a person withdraws from a game, or loses
with a seat, disappears at once.

Browsers that share a seat, because one opened the other's private link, list each other's games,
but cannot open their tables.
"""

import math
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from django.utils.translation import gettext as _
from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from agents import backends
from agents.packs import pack_of
from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import role_of, team_named, team_of
from game.engine.visibility import View
from game.models import Event, Game, Player, Vote
from webapp.play import daily_deal
from webapp.play.disclosure import Disclosure
from webapp.play.models import Desk, Membership
from webapp.play.page.desk_storage import GUESS_KEY
from webapp.play.page.narrator import Narrator, role_name
from webapp.play.visitors import finished_seats

MAX_HOME_GAMES = 30
MAX_GAMES = 500  # the newest finished ones: all of them are read at each visit
LISTED_GAMES = 30
Roles = dict[int, str]  # seat -> role key
GameResult = Literal["won", "lost", ""]  # "": no one won
HOUSE_MEAN = 25  # mean rating of a built-in player, in every role
_HOUSE_SPREAD = 1.0  # small, because win shares were measured over hundreds of games
_MODEL = BradleyTerryFull(mu=float(HOUSE_MEAN))


@dataclass(frozen=True)
class RatedGame:
    """A game of one person against built-in players."""

    ruleset: str
    team: str
    result: GameResult


@dataclass
class Hits:
    right: int = 0
    total: int = 0

    def add(self, *, is_right: bool) -> None:
        self.right += is_right
        self.total += 1


class FinishedGame:
    def __init__(self, player: Player, role_key: str, winners: set[int], *, is_own: bool) -> None:
        game, ruleset = player.game, rulesets.get(player.game.ruleset)
        role = role_of(ruleset, role_key)
        # "" if another browser has the seat: this one can't open the table.
        self.code = game.code if is_own else ""
        self.title, self.name, self.ended_at = _(ruleset.title), player.name, game.ended_at
        self.role, self.role_key = _(role.name), role.key
        self.team = _(team_named(ruleset, role.team).name)
        self.deal = daily_deal.day_of(game.seed)  # the day whose deal it was
        has_won = player.seat in winners
        self.result: GameResult = "won" if has_won else "lost" if winners else ""
        self.rated = RatedGame(ruleset.name, role.team, self.result)
        self.is_against_house = _is_against_house(player)  # all others were built-in players


@dataclass(frozen=True)
class ResultRow:
    """The results in one role, in one team, or in all games."""

    key: str
    name: str
    played: int
    won: int
    # The rating in a role comes from the games against built-in players alone.
    rating: BradleyTerryFullRating | None = None

    @property
    def percent(self) -> int:
        return round(100 * self.won / self.played)


class YourGames:
    """The content of a visitor's page, empty before the first finished game."""

    house_mean = HOUSE_MEAN  # a built-in player's mean

    def __init__(self, visitor: uuid.UUID | None) -> None:
        players = _finished_seats(visitor) if visitor else []
        roles, winners = _revealed_facts(players)
        own_memberships = Membership.objects.filter(visitor=visitor) if visitor else ()
        own_desks = Desk.objects.filter(player__membership__in=own_memberships)
        keys = dict(own_desks.values_list("player", "key"))
        games = [
            FinishedGame(p, roles[p.game_id][p.seat], winners[p.game_id], is_own=p.pk in keys)
            for p in players
        ]
        won_runs = groupby(game.result == "won" for game in games)
        runs = [len(list(run)) if won else 0 for won, run in won_runs] or [0]
        self.games = games[::-1][:LISTED_GAMES]  # the newest first
        self.total = _result_row("", "", games) if games else None
        self.streak, self.longest_streak = runs[-1], max(runs)  # games won in a row
        # Daily deals on successive days, up to the newest.
        self.deals = daily_deal.days_in_a_row({g.deal for g in games if g.deal})
        # Counts guesses at night, and roles in the notes.
        self.guesses = _count_guesses(players, roles)
        self.votes = _count_votes(players, roles)  # a vote for a player of another team is right
        self.roles = _result_rows(((g.role_key, g.role, g) for g in games), has_rating=True)
        self.teams = _result_rows((g.rated.team, g.team, g) for g in games)
        # The key of a private link, "" for none.
        self.link = next((keys[p.pk] for p in reversed(players) if p.pk in keys), "")

    @property
    def is_rated(self) -> bool:
        return any(row.rating for row in self.roles)


def visitor_games(visitor: uuid.UUID | None) -> list[dict[str, Any]]:
    """List the visitor's newest games, the running ones first."""
    if visitor is None:
        return []
    memberships = Membership.objects.filter(visitor=visitor).select_related("game", "player")
    memberships = memberships.order_by("-created_at")
    running = memberships.filter(game__ended_at=None)[:MAX_HOME_GAMES]
    ended = memberships.exclude(game__ended_at=None)[:MAX_HOME_GAMES]
    return [_game_row(row) for row in [*running, *ended][:MAX_HOME_GAMES]]


def _game_row(membership: Membership) -> dict[str, Any]:
    game, player = membership.game, membership.player
    viewer = visibility.seat(player.seat) if player else visibility.PUBLIC
    view = selectors.view_for(game, viewer)
    ruleset = rulesets.get(game.ruleset)
    return {
        "id": game.code,
        "title": _(ruleset.title),
        "when": game.ended_at or game.created_at,
        "phase": Narrator(ruleset, view.state.seats).present_title(view.state),
        "over": game.ended_at is not None,
        "role": role_name(ruleset.name, view.role),
        "seat_name": player.name if player else "",
        "result": _result_text(game, view),
    }


def _result_text(game: Game, view: View) -> str:
    """Return "won" or "lost" for a player, else a sentence, "" for a running game."""
    if game.called_off:
        return _("Called off")
    over = next((e for e in view.events if e.kind == "game_over"), None)
    if over is None:
        return ""
    if view.seat and over["winner"]:
        return "won" if view.seat in over["winners"] else "lost"
    return Narrator.of(view).headline(over["winner"])


def _finished_seats(visitor: uuid.UUID) -> list[Player]:
    """Return the seats in finished games that this browser may show, the oldest game first.

    It excludes games of studies, and blind games until they are revealed.
    """
    seats = finished_seats(visitor).select_related("game", "desk")
    newest = seats.prefetch_related("game__players").distinct().order_by("-game__ended_at", "-pk")
    return [p for p in newest[:MAX_GAMES] if not Disclosure(p.game).is_blind][::-1]


def _revealed_facts(players: Iterable[Player]) -> tuple[dict[int, Roles], dict[int, set[int]]]:
    """Return the roles and the winners' seats that the end revealed, each by game id."""
    roles: dict[int, Roles] = defaultdict(dict)
    winners: dict[int, set[int]] = defaultdict(set)
    games = {p.game_id for p in players}
    events = Event.objects.filter(game__in=games, kind__in=["role_revealed", "game_over"])
    for game_id, kind, data in events.values_list("game", "kind", "data"):
        if kind == "game_over":
            winners[game_id] = set(data["winners"])
        else:
            roles[game_id][data["seat"]] = data["role"]
    return roles, winners


def _is_against_house(player: Player) -> bool:
    return player.is_person_now and all(
        p.kind == Player.AGENT and p.recipe.get("backend") == backends.HOUSE
        for p in player.game.players.all()
        if p.pk != player.pk
    )


def _result_rows(
    games: Iterable[tuple[str, str, FinishedGame]], *, has_rating: bool = False
) -> list[ResultRow]:
    """Build a row for each key from (key, name of the row, game), those with most games first."""
    groups: dict[tuple[str, str], list[FinishedGame]] = defaultdict(list)
    for key, name, game in games:
        groups[key, name].append(game)
    rows = [_result_row(*key, group, has_rating=has_rating) for key, group in groups.items()]
    return sorted(rows, key=lambda row: -row.played)


def _result_row(
    key: str, name: str, games: list[FinishedGame], *, has_rating: bool = False
) -> ResultRow:
    against_house = [game.rated for game in games if has_rating and game.is_against_house]
    won = sum(game.result == "won" for game in games)
    rating = rate_player(against_house) if against_house else None
    return ResultRow(key, name, len(games), won, rating)


def _count_guesses(players: Iterable[Player], roles: Mapping[int, Roles]) -> Hits:
    """Count the roles in the players' notes, and their guesses at night of a hunted player."""
    hits = Hits()
    for player in players:
        desk: Desk | None = getattr(player, "desk", None)
        revealed, ruleset = roles[player.game_id], rulesets.get(player.game.ruleset)
        for seat, note in (desk.notes if desk else {}).items():
            if seat == GUESS_KEY:
                hits.add(is_right=role_of(ruleset, revealed[note["seat"]]).is_hunted)
            elif note.get("value"):
                hits.add(is_right=note["value"] == revealed[int(seat)])
    return hits


def _count_votes(players: Iterable[Player], roles: Mapping[int, Roles]) -> Hits:
    """Count the votes for players of another team, without votes that a program cast."""
    hits, own = Hits(), {(p.game_id, p.seat): p for p in players}
    votes = Vote.objects.filter(game__in={p.game_id for p in players}, target__isnull=False)
    for vote in votes.only("game_id", "kind", "seat", "target", "labels"):
        player = own.get((vote.game_id, vote.seat))
        if player is None or vote.target is None or vote.labels:
            continue
        ruleset, dealt = rulesets.get(player.game.ruleset), roles[vote.game_id]
        if vote.kind in ruleset.wording.ballots:
            sides = {team_of(ruleset, dealt[seat]) for seat in (vote.seat, vote.target)}
            hits.add(is_right=len(sides) > 1)
    return hits


def rate_player(games: Iterable[RatedGame]) -> BradleyTerryFullRating:
    """Rate the games of one role, in the order in which they were played.

    The opponent's mean is set so that a player with HOUSE_MEAN wins as often as a built-in player
    does in that team. So an unbalanced game makes no side look skilled.
    """
    rating = _MODEL.rating()
    ranks = {"won": [1.0, 2.0], "lost": [2.0, 1.0], "": [1.0, 1.0]}
    for game in games:
        opponent = _MODEL.rating(mu=_opponent_mean(game), sigma=_HOUSE_SPREAD)
        [[rating], _opponent] = _MODEL.rate([[rating], [opponent]], ranks=ranks[game.result])
    return rating


def _opponent_mean(game: RatedGame) -> float:
    shares = pack_of(rulesets.get(game.ruleset)).data.win_shares
    share = shares.get(game.team, 0.5)  # without a measured share the sides count as equal
    return HOUSE_MEAN - math.sqrt(2) * _MODEL.beta * math.log(share / (1 - share))
