"""The data files of an experiment's archive as pandas data frames, to verify its report."""

import io
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from webapp.study.csv_cells import GUARD_PATTERN

DONE = "done"  # `state` of the slots whose games count
STRAW_POLL, BALLOT = "poll", "vote"  # `kind` of the rows of votes.csv
HUNTED = "werewolf"  # the name of the role, and of its team
# As in `webapp.measures.figure`. A verification shares no code with what it verifies.
MIN_INTERVAL_GAMES = 3


class Cell(NamedTuple):
    """A recomputed cell of a table of the report."""

    table: str  # the key of the table
    row: str  # the text columns of the row, joined
    column: str  # the header of the column
    # The numbers of the cell, such as a share or the ends of an interval, or its text.
    value: list[float] | str


class ArchiveData:
    """The files of an archive as data frames. All but `slots` have only the games that count.

    Attributes:
        slots: All slots, also of void and failed games.
        games: One row for each game.
        players: One row for each seat of a game, with the game's `winner`.
        votes: All votes, with the roles of voter (`role`) and target (`target_role`).
        polls: The votes of straw polls.
        ballots: The last real vote of each player and day.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.slots = slots = self.read_csv("assignments.csv")
        done_slots = slots[slots.state == DONE]
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
    def deals(self) -> pd.Series:
        """Game -> its deal: the part of the seed before "#", "/", and the roles by seat."""
        seeds = self.games.set_index("game_id").deal_seed.str.partition("#")[0]
        roles = self.players.sort_values("seat").groupby("game_id").role.agg(",".join)
        return seeds + "/" + roles

    @cached_property
    def systems(self) -> pd.DataFrame:
        """`players` with their `system`: its name in a league, or the backend and method."""
        has_names = "systems" in self.slots
        slots = self.slots[self.slots.systems != ""] if has_names else self.slots[:0]
        names = {row.game_id: row.systems.split() for row in slots.itertuples()}
        return self.players.assign(system=[
            names[row.game_id][row.seat - 1] if row.game_id in names
            else f"{row.backend}, {row.method}"
            for row in self.players.itertuples()
        ])  # fmt: skip

    @cached_property
    def deck(self) -> pd.Series:
        """Role -> number of seats. All games of an archive have the deck of the first."""
        first = self.players[self.players.game_id == self.players.game_id.iloc[0]]
        return first.role.value_counts()

    def read_csv(self, name: str) -> pd.DataFrame:
        """Return a CSV of the archive with all cells as text, without the export's guards."""
        frame = pd.read_csv(io.BytesIO(self.files[name]), dtype=str, keep_default_na=False)
        return frame.replace(GUARD_PATTERN, r"\1", regex=True)
