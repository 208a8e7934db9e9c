"""Votes by role over the straw polls of a condition (Humanized 2.6.2, F; Tables 5 to 7).

A *unit* is one holder of a role: two Villagers are `villager 1` and `villager 2`, and the votes for
the role are split equally between them. Shares are of all polls asked, so an invalid answer counts
in the divisor and in no unit.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log, sqrt
from statistics import fmean

from webapp.measures.figure import MIN_INTERVAL_GAMES, Figure
from webapp.measures.game_record import GameRecord, NotDefined
from webapp.statistics.intervals import t_quantile

SHARE, VARIATION, TEAM_SHARE = "vote_share", "judgement_variation", "vote_share_for_team"
OF_ALL, CALLED_WIN_RATE = "of all polls asked", "called win rate"
RANDOM = "random"
# Divisors of the sum of squares. The first reproduces the paper's Table 5, the second is its
# Algorithm 4. R* is the number of units.
TABLE_DIVISOR, ALGORITHM_DIVISOR = "divided by R*", "divided by R* - 1"
DIVISORS = {TABLE_DIVISOR: 0, ALGORITHM_DIVISOR: 1}  # variant -> what is subtracted from R*
ARROW_POINTS = 5.0  # percentage points from the baseline that Table 7 marks
MIN_DEVIATION = 1e-12  # smaller deviations are rounding errors
NOT_ASKED = "no straw poll was asked"


@dataclass(frozen=True)
class VotesByRole:
    deck: dict[str, int]  # role -> the number of seats with it, the same in every game
    counts: dict[str, int]  # role -> votes for its holders
    poll_count: int  # number of polls asked, one for each seat and round
    winner_by_exiled_role: dict[str, str]

    @cached_property
    def shares(self) -> dict[str, float]:
        """Unit -> its share of all polls asked, from 0 to 1. Empty if there were no polls."""
        if not self.poll_count:
            return {}
        shares: dict[str, float] = {}
        for role, holders in self.deck.items():
            share = self.counts.get(role, 0) / holders / self.poll_count
            units = [f"{role} {n}" for n in range(1, holders + 1)] if holders > 1 else [role]
            shares |= dict.fromkeys(units, share)
        return shares


def votes_by_role(games: Sequence[GameRecord]) -> VotesByRole:
    """Count the straw polls of games with one deck.

    Raise NotDefined if the decks differ, or if the ruleset asks no straw poll.
    """
    decks = {tuple(sorted(Counter(game.roles.values()).items())) for game in games}
    if len(decks) > 1:
        raise NotDefined("games with different decks have no votes by role together")
    if not any(game.polls for game in games):
        raise NotDefined(NOT_ASKED)
    game_polls = [(game, poll) for game in games for poll in game.polls]
    answers = [(game, target) for game, poll in game_polls for target in poll.votes.values()]
    counts = Counter(game.roles[target] for game, target in answers if target)
    winner_by_exiled_role = {
        role: team for game in games for role, team in game.winner_by_exiled_role.items()
    }
    return VotesByRole(dict(next(iter(decks))), dict(counts), len(answers), winner_by_exiled_role)


def votes_by_condition(conditions: Mapping[str, Sequence[GameRecord]]) -> dict[str, VotesByRole]:
    """Return condition -> the votes of its games, without conditions that have none together."""
    votes = {}
    for name, games in conditions.items():
        try:
            votes[name] = votes_by_role(games)
        except NotDefined:
            continue
    return votes


def votes_between_roles(games: Sequence[GameRecord]) -> dict[str, dict[str, float]]:
    """Return voter's role -> target's role -> per cent of the straw polls of that voter's role.

    Invalid answers have no target, so a row may add up to less than 100.
    """
    role_pairs = [
        (game.roles[seat], game.roles.get(target or 0))
        for game in games
        for poll in game.polls
        for seat, target in poll.votes.items()
    ]
    counts, polls_by_role = Counter(role_pairs), Counter(role for role, _target in role_pairs)
    return {
        role: {target: 100 * counts[role, target] / polls_by_role[role] for target in polls_by_role}
        for role in sorted(polls_by_role)
    }


def share_figures(votes: VotesByRole) -> dict[str, Figure]:
    """Return unit -> the percentage of polls asked that name it (Table 6)."""
    return {
        unit: Figure(SHARE, OF_ALL, 100 * share, votes.poll_count, "polls")
        for unit, share in votes.shares.items()
    }


def judgement_variation(votes: VotesByRole, variant: str) -> Figure:
    """Return 1 / SD of the units' shares, with a variant of DIVISORS (Table 5, Algorithm 4)."""
    shares = list(votes.shares.values())
    mean = fmean(shares)
    squares = sum((share - mean) ** 2 for share in shares)
    deviation = sqrt(squares / (len(shares) - DIVISORS[variant]))
    if deviation < MIN_DEVIATION:
        reason = "every unit has the same share"
        return Figure(VARIATION, variant, None, votes.poll_count, "polls", reason)
    return Figure(VARIATION, variant, 1 / deviation, votes.poll_count, "polls")


def variation_interval(games: Sequence[GameRecord], variant: str) -> tuple[float, float] | None:
    """Return the 95 % interval of the judgement variation over games.

    The interval is Student's t on log(1 / SD), with a jackknife error over games (docs/metrics.md).
    There is none below three games with polls, or if the value is undefined without one of them.
    """
    votes = votes_by_role(games)
    value = _log_variation(votes, variant)
    values_without_a_game: list[float] = []
    for game_votes in (votes_by_role([game]) for game in games if game.polls):
        counts = {role: n - game_votes.counts.get(role, 0) for role, n in votes.counts.items()}
        poll_count = votes.poll_count - game_votes.poll_count
        votes_without_game = replace(votes, counts=counts, poll_count=poll_count)
        if (value_without_game := _log_variation(votes_without_game, variant)) is None:
            return None
        values_without_a_game.append(value_without_game)
    count = len(values_without_a_game)
    if value is None or count < MIN_INTERVAL_GAMES:
        return None
    mean = fmean(values_without_a_game)
    error = sqrt((count - 1) / count * sum((v - mean) ** 2 for v in values_without_a_game))
    half = t_quantile(count - 1) * error
    return exp(value - half), exp(value + half)


def _log_variation(votes: VotesByRole, variant: str) -> float | None:
    value = judgement_variation(votes, variant).value if votes.poll_count else None
    return None if value is None else log(value)


def team_shares(votes: VotesByRole) -> dict[str, dict[str, Figure]]:
    """Return team -> {"called win rate", "random"} -> percentage, as Table 7 prints it.

    A team has the votes for the roles whose exile makes it win. The team that wins by every other
    exile has the remainder to 100, invalid polls included, as in the paper's table. "random" is the
    result of equal votes for every unit. Raise NotDefined if one exile does not decide the game.
    """
    if not votes.winner_by_exiled_role:
        raise NotDefined("a game of several days is not decided by one exile")
    units = sum(votes.deck.values())
    called: dict[str, float] = defaultdict(float)
    random: dict[str, float] = defaultdict(float)
    for role in (role for role in votes.deck if role in votes.winner_by_exiled_role):
        team = votes.winner_by_exiled_role[role]
        called[team] += votes.counts.get(role, 0) / votes.poll_count
        random[team] += votes.deck[role] / units
    for shares in (called, random):
        shares[votes.winner_by_exiled_role[""]] = 1 - sum(shares.values())
    return {
        team: {
            variant: Figure(TEAM_SHARE, variant, 100 * shares[team], votes.poll_count, "polls")
            for variant, shares in ((CALLED_WIN_RATE, called), (RANDOM, random))
        }
        for team in called
    }


def arrow(value: float | None, baseline: float | None) -> str:
    """Return Table 7's mark of a percentage far from the baseline's, "↑" or "↓", else "".

    None is an undefined percentage, which has no mark.
    """
    if value is None or baseline is None:
        return ""
    difference = round(value - baseline, 6)
    if abs(difference) < ARROW_POINTS:
        return ""
    return "↑" if difference > 0 else "↓"
