"""Recomputes Helmsman's figures of Sheriffs from the data of a report's archive."""

import json
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from webapp.study.results.archive_data import HUNTED, ArchiveData, Cell
from webapp.study.results.comparison_check import interval_on_scale

# Column of `lead_rows` -> header in the report's tables.
LEAD_COLUMNS = {"ratio": "Ratio", "over_others": "DC, over the others",
        "over_living": "DC, over all living", "star": "DC*, over all living"}  # fmt: skip


@lru_cache(maxsize=1)  # `lead_values` and `figure_check` read the same archive
def lead_rows(data: ArchiveData) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each player and day, and for each game, of games with a Sheriff.

    A game has the means over its days, and the role and seat of its last Sheriff.
    """
    has_leaders = "leader" in data.ballots  # older archives have no such column
    ballots = data.ballots[data.ballots.leader != ""] if has_leaders else data.ballots[:0]
    notes: dict[str, list[Any]] = {}
    for line in data.files["minds.jsonl"].decode().splitlines():
        note = json.loads(line)
        if note["faculty"] == "reliability" and not note["window"].startswith("pseudo_vote"):
            notes.setdefault(note["game_id"], []).append(note)
    all_pseudo_votes = data.votes[data.votes.kind == "pseudo_vote"]
    all_pseudo_votes = all_pseudo_votes.set_index(["game_id", "day", "seat"]).sort_index()
    roles, player_days = data.players.set_index(["game_id", "seat"]).role, []
    for (game, day), day_ballots in ballots.groupby(["game_id", "day"]):
        votes, leader = day_ballots.set_index("seat").target.fillna(0), day_ballots.leader.iloc[0]
        scores = _scores_at_vote(notes.get(game, []), int(day), roles[game])
        pseudo_votes = votes[:0]
        if (game, day) in all_pseudo_votes.index:
            pseudo_votes = all_pseudo_votes.loc[game, day].target.fillna(0)
        for seat in votes.index:
            table = scores.reindex(index=votes.index, columns=votes.index).drop(index=seat)
            others = np.nanmean(table.drop(columns=seat).to_numpy()) if table.size else np.nan
            player_days.append({
                "game_id": game, "day": int(day), "condition": day_ballots.condition.iloc[0],
                "seat": seat, "role": roles[game, seat], "leads": seat == int(leader),
                "ratio": table[seat].mean() / others,
                **_decision_changes(votes, pseudo_votes, int(leader)),
            })  # fmt: skip
    rows = pd.DataFrame(player_days)
    if rows.empty:
        return rows, rows
    games = rows[rows.leads].sort_values("day").groupby("game_id")
    last = games[["condition", "role", "seat"]].last()
    return rows, games[[*LEAD_COLUMNS]].mean().join(last).reset_index()


def _scores_at_vote(notes: list[Any], day: int, roles: Any) -> pd.DataFrame:
    """Return the trust scores [judge, target] when the vote of the day closes (Helmsman 3.1)."""
    vote_notes = [n for n, note in enumerate(notes) if note["window"].startswith(f"vote.{day}.")]
    scores: dict[int, dict[int, float]] = {}
    for number, note in enumerate(notes):
        if number <= vote_notes[-1] if vote_notes else note["day"] <= day:
            for rating in note["data"].get("ratings", ()):
                is_against = rating["role"] == HUNTED != roles[note["seat"]]
                score = 11 - rating["confidence"] if is_against else rating["confidence"]
                scores.setdefault(note["seat"], {})[rating["seat"]] = score
    return pd.DataFrame.from_dict(scores, orient="index", dtype=float)


def _decision_changes(votes: Any, pseudo_votes: Any, leader: int) -> dict[str, float]:
    """Return DC over the others and over all living, and DC* (Helmsman 3.2).

    `votes` and `pseudo_votes` have each seat's target, 0 for an abstention.
    """
    others = [seat for seat in votes.index if seat != leader and seat in pseudo_votes.index]
    if not others or leader not in votes.index:
        return dict.fromkeys(LEAD_COLUMNS.keys() - {"ratio"}, np.nan)
    changed = votes[others] != pseudo_votes[others]
    followed = (changed & (votes[others] == votes[leader])).sum()
    return {"over_others": followed / len(others), "over_living": followed / (len(others) + 1),
            "star": changed.sum() / (len(others) + 1)}  # fmt: skip


def lead_values(data: ArchiveData) -> Iterator[Cell]:
    """Yield Helmsman's Tables 1, 2 and 25, and Figure 3."""
    player_days, led_games = lead_rows(data)
    if led_games.empty:
        return
    facts = data.players.merge(data.games[["game_id", "settings"]], on="game_id")
    led_games = led_games.merge(facts[["game_id", "seat", "out", "won", "winner", "settings"]])
    # An eliminated Sheriff is known to be the last one only if the badge is not handed on.
    is_out = led_games.out != "no"
    is_last = ~is_out | led_games.settings.str.contains('"sheriff_dies": "ends"')
    led_games = led_games.assign(completed=~is_out & (led_games.winner != ""), is_last=is_last)
    for condition, led in led_games.groupby("condition"):
        games = (data.games.condition == condition).sum()
        row_key = ("table-helmsman-1", condition)
        yield Cell(*row_key, "Games", [games])
        for field, header in LEAD_COLUMNS.items():
            if led[field].count():
                yield Cell(*row_key, header, [led[field].mean()])
        if not led.is_last.all() or len(led) < games:
            continue
        won = led[led.completed].won == "true"
        yield Cell(*row_key, "Completion", [len(won) / games])
        if len(won):
            yield Cell(*row_key, "Win among completed", [won.mean()])
            yield Cell(*row_key, "Product", [won.sum() / games])
        yield from _values_by_leader_role(condition, led)
    for (condition, role), days in player_days.groupby(["condition", "role"]):
        row_key = ("table-helmsman-25", f"{condition} | {role}")
        for leads, badge in ((True, "with"), (False, "without")):
            ratios = days.ratio[days.leads == leads]
            yield Cell(*row_key, f"Player-days {badge}", [ratios.count()])
            if ratios.count():
                yield Cell(*row_key, f"{badge.capitalize()} badge", [ratios.mean()])


def _values_by_leader_role(condition: str, led_games: Any) -> Iterator[Cell]:
    """Yield a condition's values of Helmsman's Figure 3."""
    for role, led in led_games.groupby("role"):
        row_key = ("figure-helmsman-3", f"{condition} | {role}")
        yield Cell(*row_key, "Games", [len(led)])
        for field in ("ratio", "over_living"):
            if led[field].count():
                yield Cell(*row_key, LEAD_COLUMNS[field], [led[field].mean()])
        if ends := interval_on_scale(led.ratio.dropna(), 0, inf):
            yield Cell(*row_key, "Ratio, 95% CI", ends)
        if ends := interval_on_scale(led.over_living.dropna(), 0, 1):
            yield Cell(*row_key, "DC, 95% CI", ends)
