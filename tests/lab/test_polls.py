"""Tests of votes by role, judgement variation and Table 7 by hand (Humanized F; SPEC 3)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from webapp.lab.published import PUBLISHED
from webapp.measures.game_record import GameRecord, NotDefined, Poll, Votes
from webapp.measures.polls import (
    CALLED_WIN_RATE,
    RANDOM,
    VotesByRole,
    arrow,
    judgement_variation,
    share_figures,
    team_shares,
    variation_interval,
    votes_by_role,
)

# Two villagers (1, 2), a Werewolf (3) and a Tanner (4).
ROLES = {1: "villager", 2: "villager", 3: "werewolf", 4: "tanner"}
WINS = {"werewolf": "village", "tanner": "tanner", "": "werewolf"}
METHODS = ("Baseline", "B5P", "Favor", "Strategy", "Full")


def make_game(*rounds: Votes, **overrides: object) -> GameRecord:
    polls = tuple(Poll(1, number, votes) for number, votes in enumerate(rounds, 1))
    teams = dict.fromkeys(ROLES, "village")
    fields = {"roles": ROLES, "winner_by_exiled_role": WINS, **overrides}
    return GameRecord("a", "one-night", has_leader=False, teams=teams, polls=polls, **fields)  # type: ignore[arg-type]


def example_votes() -> VotesByRole:
    # Eight polls: 3 for villagers, 2 for the Werewolf, 2 for the Tanner, 1 without a valid answer.
    return votes_by_role(
        [make_game({1: 3, 2: 1, 3: 1, 4: None}), make_game({1: 2, 2: 4, 3: 4, 4: 3})],
    )


def test_shares_are_of_all_polls_and_split_among_holders_of_a_role() -> None:
    # Out of 8: 1.5 for each villager. Out of the 7 valid ones it would be 21.4, 28.6, 28.6.
    shares = {unit: figure.value for unit, figure in share_figures(example_votes()).items()}
    assert shares == {"tanner": 25, "villager 1": 18.75, "villager 2": 18.75, "werewolf": 25}
    assert share_figures(example_votes())["tanner"].n == 8


def test_judgement_variation_is_one_over_the_sd_by_both_divisors() -> None:
    # Shares .25, .1875, .1875, .25: mean .21875, each .03125 from it. SD .03125 by 4: 32.
    assert judgement_variation(example_votes(), "divided by R*").value == pytest.approx(32)
    assert judgement_variation(example_votes(), "divided by R* - 1").value == pytest.approx(
        32 * 0.75**0.5
    )


def test_judgement_variation_interval_is_a_jackknife_over_games() -> None:
    """Log of 1 / SD of votes for [two villagers, Werewolf, Tanner], without each game in turn."""
    polls = [{1: 3, 2: 1, 3: 1, 4: 3}, {1: 2, 2: 4, 3: 4, 4: 3},
             {1: 3, 2: 3, 3: 2, 4: 1}, {1: 4, 2: 3, 3: 1, 4: None}]  # fmt: skip
    games = [make_game(poll) for poll in polls]
    votes_cast = np.array([[2, 2, 0], [1, 1, 2], [2, 2, 0], [1, 1, 1]])
    poll_counts = np.array([4, 4, 4, 4])

    def log_variation(game_numbers: list[int]) -> float:
        villager, werewolf, tanner = (
            votes_cast[game_numbers].sum(axis=0) / poll_counts[game_numbers].sum()
        )
        return -float(np.log(np.std([villager / 2, villager / 2, werewolf, tanner])))

    jackknife = [log_variation([n for n in range(4) if n != omitted]) for omitted in range(4)]
    error = np.sqrt(3 / 4 * ((np.array(jackknife) - np.mean(jackknife)) ** 2).sum())
    half_width = stats.t.ppf(0.975, 3) * error
    expected = np.exp(
        [log_variation([0, 1, 2, 3]) - half_width, log_variation([0, 1, 2, 3]) + half_width]
    )
    assert variation_interval(games, "divided by R*") == pytest.approx(tuple(expected))
    assert variation_interval(games[:2], "divided by R*") is None


def test_equal_shares_have_no_judgement_variation() -> None:
    equal = votes_by_role([make_game({1: 3, 2: 4, 3: 1, 4: 2})])
    figure = judgement_variation(equal, "divided by R*")
    assert (figure.value, figure.reason) == (None, "every unit has the same share")


@pytest.mark.parametrize(
    ("method", "expected"), list(zip(METHODS, (13.521, 11.584, 32.258, 11.178, 14.79), strict=True))
)
def test_table_5_recomputes_from_table_6(method: str, expected: float) -> None:
    """Except the full method, which the paper prints as 15.212."""
    cells = [
        c for c in PUBLISHED if (c.table, c.column, c.paper) == ("Table 6", method, "humanized")
    ]
    counts = {cell.row: round(cell.value * 100) for cell in cells}  # of 10,000 polls
    table = VotesByRole(dict.fromkeys(counts, 1), counts, 10_000, {})
    variation = judgement_variation(table, "divided by R*").value
    # Two decimals of Table 6 tell Table 5 to about a thousandth of its value.
    assert variation == pytest.approx(expected, rel=2e-3)


def test_table_7_gives_the_werewolves_the_remaining_share() -> None:
    # Village: the Werewolf's 2 of 8. Tanner: 2 of 8. The rest of 100 holds the invalid poll.
    rows = {
        team: (row[CALLED_WIN_RATE].value, row[RANDOM].value)
        for team, row in team_shares(example_votes()).items()
    }
    assert rows == {"village": (25, 25), "tanner": (25, 25), "werewolf": (50, 50)}


def test_random_column_of_table_7_is_the_share_of_units() -> None:
    deck = {"seer": 1, "mason": 2, "villager": 2, "werewolf": 1, "minion": 1, "tanner": 1}
    rows = team_shares(VotesByRole(deck, {}, 8, WINS))
    assert {team: row[RANDOM].value for team, row in rows.items()} == {
        "village": 12.5,
        "tanner": 12.5,
        "werewolf": 75,
    }


@pytest.mark.parametrize(
    ("value", "baseline", "mark"),
    [
        (27.1, 22.1, "↑"),
        (27.09, 22.1, ""),
        (14.26, 22.1, "↓"),
        (20.46, 22.1, ""),
        (58.88, 52.26, "↑"),
    ],
)
def test_arrows_mark_five_points_from_the_baseline(
    value: float, baseline: float, mark: str
) -> None:
    assert arrow(value, baseline) == mark


def test_undefined_votes_by_role_have_a_reason() -> None:
    with pytest.raises(NotDefined, match="no straw poll"):
        votes_by_role([make_game()])
    other_deck = make_game({1: 3}, roles={**ROLES, 1: "seer"})
    with pytest.raises(NotDefined, match="different decks"):
        votes_by_role([make_game({1: 3}), other_deck])
    with pytest.raises(NotDefined, match="not decided by one exile"):
        team_shares(votes_by_role([make_game({1: 3}, winner_by_exiled_role={})]))
