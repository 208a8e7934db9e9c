"""Campaigns in which raters rank the players of a game."""

from __future__ import annotations

from typing import Any

from tests.study import world
from tests.study.sized_games import finished_sized_game
from webapp.study.design import instruments
from webapp.study.models import Assignment, Campaign
from webapp.study.rating import campaigns
from webapp.study.rating.stimuli import build_fields


def open_ranking(seats: int = 5, games: int = 1, **settings: Any) -> Campaign:
    """Open a campaign that ranks the players of games with that number of seats."""
    finished_games = [finished_sized_game(seats, str(n)) for n in range(games)]
    defaults: dict[str, Any] = {"units_per_rater": games, "raters_per_unit": 3}
    defaults["instrument"] = instruments.get(f"contest-{seats}").to_json()
    campaign = world.create_campaign(*finished_games, **{**defaults, **settings})
    campaigns.open(campaign)
    return campaign


def rank_by_seat(assignment: Assignment, shift: int = 0, *keys: str) -> dict[str, int]:
    """Rank all players by seat, shifted by `shift`, for all items or those of `keys`."""
    seats = assignment.unit.stimuli.count()
    return {
        name: 1 + (int(f.slot[1:]) - 1 + shift) % seats
        for name, f in build_fields(assignment).items()
        if not keys or f.dimension.key in keys
    }


def rating_body(values: dict[str, int], revision: int = 0) -> dict[str, Any]:
    return {"values": values, "skip": None, "revision": revision}


def contest_without_deeds() -> dict[str, Any]:
    """Return the contest without the items that show deeds or a profile."""
    contest = instruments.get("contest-5").to_json()
    dimensions = [d for d in contest["dimensions"] if not (d["deeds"] or d["situation"])]
    example = {
        **contest["example"],
        "values": {d["key"]: contest["example"]["values"][d["key"]] for d in dimensions},
        "why": {d["key"]: contest["example"]["why"][d["key"]] for d in dimensions},
    }
    return {**contest, "dimensions": dimensions, "example": example}
