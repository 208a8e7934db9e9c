"""The page that explains a round in pictures: where they show the players and the cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.models import PORTRAIT_PATH
from webapp.play.page.narrator import rule_text
from webapp.play.tables.rules_pages import game_choices, rules_page

# In units of the picture's viewBox.
WIDTH, HEIGHT = 320, 200
CARD_SIZE, FACE = (42, 58), 40
PLAYER_RING_RADII = 122, 68
VOTE_LINE_GAPS = 24, 30  # between a vote's line and the centers of its voter and target
PORTRAIT_NUMBERS = (3, 8, 14, 5, 17, 11, 20, 2, 9, 23)


@dataclass(frozen=True)
class PictureItem:
    """An item in a picture, by its center."""

    source: str  # a portrait's static path, or a role's key
    x: float
    y: float
    votes: Sequence[tuple[float, float, float, float]] = ()  # lines of the votes: x, y to x, y


def how_to_page(name: str) -> dict[str, Any] | None:
    """Return the rules with the pictures' positions, None if the ruleset does not exist."""
    rules = rules_page(name)
    if rules is None:
        return None
    count = min(len(rules["deck"]), len(PORTRAIT_NUMBERS))
    portraits = [PORTRAIT_PATH.format(number) for number in PORTRAIT_NUMBERS[:count]]
    ring = _place_players(portraits)
    brief = [
        {"scene": item.scene, "title": _(item.title), "text": rule_text(item)}
        for item in rulesets.get(name).introduction
    ]
    return {
        "rules": rules,
        "brief": brief,
        "others": game_choices(name),
        "cards": _place_cards(rules["deck"]),
        "ring": ring,
        "star": PictureItem("", ring[0].x - 36, ring[0].y - 10),
    }


def _place_cards(deck: Sequence[str]) -> list[PictureItem]:
    columns = math.ceil(len(deck) / 2)
    step = min(CARD_SIZE[0] + 12, (WIDTH - 20) / columns)
    left = WIDTH / 2 - step * (columns - 1) / 2
    top, down = HEIGHT / 2 - 35, 70
    return [
        PictureItem(key, left + step * (i % columns), top + down * (i // columns))
        for i, key in enumerate(deck)
    ]


def _place_players(portraits: Sequence[str]) -> list[PictureItem]:
    """Place the players around a table, with their votes: nearly all for the same player."""
    items = []
    for i, portrait in enumerate(portraits):
        angle = 2 * math.pi * (i + 0.5) / len(portraits) - math.pi / 2
        x = WIDTH / 2 + PLAYER_RING_RADII[0] * math.cos(angle)
        y = HEIGHT / 2 + PLAYER_RING_RADII[1] * math.sin(angle)
        items.append(PictureItem(portrait, round(x, 1), round(y, 1)))
    most_voted, second_voted = items[0], items[-3]
    votes = [_vote_line(s, most_voted) for s in items[1:] if s is not second_voted]
    items[0] = PictureItem(most_voted.source, most_voted.x, most_voted.y, votes)
    items[-3] = PictureItem(
        second_voted.source, second_voted.x, second_voted.y, [_vote_line(most_voted, second_voted)]
    )
    return items


def _vote_line(voter: PictureItem, target: PictureItem) -> tuple[float, float, float, float]:
    across, down = target.x - voter.x, target.y - voter.y
    length = math.hypot(across, down)
    begin, end = VOTE_LINE_GAPS[0] / length, 1 - VOTE_LINE_GAPS[1] / length
    return (
        round(voter.x + begin * across, 1),
        round(voter.y + begin * down, 1),
        round(voter.x + end * across, 1),
        round(voter.y + end * down, 1),
    )
