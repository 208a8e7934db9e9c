"""Planted one-night games and the cells of result tables."""

from __future__ import annotations

from typing import Any

from webapp.measures.game_record import GameRecord, Poll
from webapp.study.results.result_table import ResultTable

ROLES = ("seer", "mason", "mason", "villager", "villager", "werewolf", "minion", "tanner")
EXILE_WINS = {"werewolf": "village", "tanner": "tanner", "": "werewolf"}


def one_night_record(votes: list[int | None], exiled_seat: int, code: str = "a") -> GameRecord:
    """Return a game of eight in which seat n votes for votes[n - 1] and one seat is exiled."""
    roles = dict(enumerate(ROLES, 1))
    teams = {s: {"werewolf": "werewolf", "minion": "werewolf", "tanner": "tanner"}.get(r, "village")
             for s, r in roles.items()}  # fmt: skip
    winner = EXILE_WINS.get(roles[exiled_seat], EXILE_WINS[""])
    winners = frozenset(s for s, team in teams.items() if team == winner)
    poll = Poll(1, 1, dict(enumerate(votes, 1)))
    return GameRecord(
        code, "one-night", False, roles, teams, winner=winner, winners=winners, polls=(poll,),
        winner_by_exiled_role=EXILE_WINS,
    )  # fmt: skip


def cells_by_row(table: ResultTable) -> dict[str, list[str]]:
    """Map the first cell of each row to the other cells."""
    rows = [list(row.texts()) for row in table.rows]
    return {first: rest for first, *rest in rows}


def tables_by_key(tables: list[ResultTable]) -> dict[str, ResultTable]:
    return {table.key: table for table in tables}


def result_line(results: dict[str, Any], section: str, measure: str, **keys: str) -> dict[str, Any]:
    """Return the one line of that measure, item, group and condition, "" by default."""
    expected_keys = {"item": "", "group": "", "condition": "", **keys}
    (one,) = [
        row
        for row in results["sections"][section]["lines"]
        if row["measure"] == measure and all(row[k] == v for k, v in expected_keys.items())
    ]
    return one
