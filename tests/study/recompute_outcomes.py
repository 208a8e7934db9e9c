"""Recompute the printed figures of a study from its exported files alone."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import Any

import pytest
from scipy import stats

from webapp.study.csv_cells import restore_text
from webapp.study.data.studies import build_file
from webapp.study.models import Study

Row = dict[str, str]


def read_rows(study: Study, name: str) -> list[Row]:
    reader = csv.DictReader(io.StringIO(build_file(study, name).decode(), newline=""))
    return [{k: restore_text(v) for k, v in row.items()} for row in reader]


class RecomputedFigures:
    """The figures recomputed in plain Python from the CSV files alone."""

    def __init__(self, study: Study) -> None:
        slot_rows = {r["slot"]: r for r in read_rows(study, "assignments.csv")}
        self.condition = {r["game_id"]: r["condition"] for r in slot_rows.values()}
        self.deal = {r["game_id"]: r["deal_seed"] for r in slot_rows.values()}
        self.done = {r["game_id"] for r in slot_rows.values() if r["state"] == "done"}
        people = read_rows(study, "participants.csv")
        self.out = {r["participant"] for r in people if "true" in (r["withdrew"], r["excluded"])}
        self.players = [r for r in read_rows(study, "players.csv") if r["game_id"] in self.done]
        self.guesses = [r for r in read_rows(study, "guesses.csv") if self._counts(r)]
        self.answers = [r for r in read_rows(study, "responses_long.csv") if self._counts(r)]
        self.votes = read_rows(study, "votes.csv")

    def _counts(self, row: Row) -> bool:
        """Apply the rule of docs/study-results.md and compare it with the row's own column."""
        counts = (
            row["game_id"] in self.done
            and row["participant"] not in self.out
            and row["state"] in ("given", "expired")
            and row.get("stand_in", "false") == "false"
        )
        assert row["counts"] == str(counts).lower(), row
        return counts

    def check(self, line: dict[str, Any], values: list[tuple[str, float]]) -> None:
        """Check a line against (game, value) pairs.

        The estimate is the mean over games. The interval is t over deals, whose games are equally
        many or weighted by their number.
        """
        games: dict[str, list[float]] = defaultdict(list)
        for game, value in values:
            games[game].append(value)
        means = {game: sum(game_values) / len(game_values) for game, game_values in games.items()}
        assert values
        assert (line["n"], line["games"]) == (len(values), len(games))
        mean = sum(means.values()) / len(means)
        assert line["value"]["value"] == pytest.approx(mean)
        groups: dict[str, list[float]] = defaultdict(list)
        for game, value in means.items():
            groups[self.deal[game]].append(value - mean)
        assert line["groups"] == len(groups)
        if len(groups) < 2:
            assert line["ci"]["why"] == "one_group"
            return
        if line["share"] and len(groups) == 2:
            assert line["ci"]["why"] == "few_groups_of_share"
            return
        sizes = {len(group) for group in groups.values()}
        squares = sum(sum(group) ** 2 for group in groups.values())
        error = (len(groups) / (len(groups) - 1) * squares) ** 0.5 / len(means)
        if line["share"] and (len(values) == len(groups) or mean in (0, 1)):
            interval = stats.binomtest(round(mean * len(groups)), len(groups)).proportion_ci()
            assert line["ci"]["value"] == pytest.approx([interval.low, interval.high])
        elif error < 1e-6:
            assert line["ci"]["why"] == "no_spread_between"
        elif len(sizes) == 1:  # t with one less degree of freedom than groups
            reach = float(stats.t.ppf(0.975, len(groups) - 1))
            ends = [mean - reach * error, mean + reach * error]
            if line["share"]:
                lost = (float(stats.t.ppf(0.975, len(values) - 1)) / reach) ** 2
                n = min(len(values), mean * (1 - mean) / error**2 * lost)
                ends = [
                    float(stats.beta.ppf(0.025, n * mean, n - n * mean + 1)),
                    float(stats.beta.ppf(0.975, n * mean + 1, n - n * mean)),
                ]
            assert line["ci"]["value"] == pytest.approx(ends)
