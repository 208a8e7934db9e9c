"""The data files of an experiment's archive as pandas data frames, to verify its report."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from webapp.study.csv_cells import GUARD_PATTERN

# ((key of the table, text columns of the row, header of the column), the numbers of the cell or
# its text).
CellName = tuple[str, str, str]
CellValues = Iterator[tuple[CellName, list[float] | str]]
STRAW_POLL, BALLOT = "poll", "vote"  # kinds of rows of votes.csv
HUNTED = "werewolf"  # the role, and its team
MIN_INTERVAL_GAMES = 3


class ArchiveData:
    """The files of an archive as data frames. All but `slots` have the games that count only.

    Attributes:
        slots: All slots, also of void and failed games.
        votes: All votes, with the roles of voter (`role`) and target (`target_role`).
        ballots: The last vote of each player and day.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.slots = slots = self.read_csv("assignments.csv")
        done_slots = slots[slots.state == "done"]
        self.games = self.read_csv("games.csv").merge(done_slots[["game_id"]], on="game_id")
        winners = self.games[["game_id", "winner"]]
        players = self.read_csv("players.csv").merge(winners, on="game_id")
        self.players = players.assign(seat=players.seat.astype(int))
        votes = self.read_csv("votes.csv").merge(self.games[["game_id"]], on="game_id")
        votes = votes.assign(seat=votes.seat.astype(int), target=pd.to_numeric(votes.target))
        roles = self.players[["game_id", "seat", "role"]]
        targets = roles.rename(columns={"seat": "target", "role": "target_role"})
        votes = votes.merge(roles, on=["game_id", "seat"])
        self.votes = votes.merge(targets, on=["game_id", "target"], how="left")
        self.polls = self.votes[self.votes.kind == STRAW_POLL]
        ballots = self.votes[self.votes.kind == BALLOT]
        self.ballots = ballots.drop_duplicates(["game_id", "day", "seat"], keep="last")

    @cached_property
    def deals(self) -> Any:
        """Game -> its deal: the part of the seed before "#", and the roles by seat."""
        seeds = self.games.set_index("game_id").deal_seed.str.partition("#")[0]
        dealt = self.players.sort_values("seat").groupby("game_id").role.agg(",".join)
        return seeds + "/" + dealt

    @cached_property
    def systems(self) -> Any:
        """The players, with the `system` at each seat: its name in a league, or its method."""
        has_names = "systems" in self.slots
        slots = self.slots[self.slots.systems != ""] if has_names else self.slots[:0]
        names = {row.game_id: row.systems.split() for row in slots.itertuples()}
        return self.players.assign(system=[
            names[row.game_id][row.seat - 1] if row.game_id in names
            else f"{row.backend}, {row.method}"
            for row in self.players.itertuples()
        ])  # fmt: skip

    def read_csv(self, name: str) -> Any:
        """Return a CSV of the archive with all cells as text."""
        frame = pd.read_csv(io.BytesIO(self.files[name]), dtype=str, keep_default_na=False)
        return frame.replace(GUARD_PATTERN, r"\1", regex=True)

    def read_deck(self) -> Any:
        """Return role -> number of seats. All games of an archive have the deck of the first."""
        first = self.players[self.players.game_id == self.players.game_id.iloc[0]]
        return first.role.value_counts()
