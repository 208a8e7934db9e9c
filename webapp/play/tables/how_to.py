"""The pictures that explain a round: positions of a ruleset's players and cards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.engine import rulesets
from webapp.play.page.portrait_paths import portrait_path
from webapp.play.page.sentences import rule_sentence
from webapp.play.tables.home import games, rules_page

WIDTH, HEIGHT = 320, 200  # of a picture, in its own units
CARD, FACE = (42, 58), 40
FACES = (3, 8, 14, 5, 17, 11, 20, 2, 9, 23)  # numbers of portraits


@dataclass(frozen=True)
class Spot:
    """An item in a picture: a portrait's static path or a role's key, and its center."""

    what: str
    x: float
    y: float
    votes: Sequence[tuple[float, float, float, float]] = ()  # votes for it: lines from x, y to x, y


def how_to_page(name: str) -> dict[str, Any] | None:
    """Return the rules with the pictures' positions, None if the ruleset does not exist."""
    rules = rules_page(name)
    if rules is None:
        return None
    count = min(len(rules["deck"]), len(FACES))
    faces = [portrait_path(number) for number in FACES[:count]]
    ring = _ring(faces)
    brief = [
        {"scene": one.scene, "title": _(one.title), "text": rule_sentence(one.text)}
        for one in rulesets.get(name).in_brief
    ]
    return {
        "rules": rules,
        "brief": brief,
        "others": games(name),
        "cards": _cards(rules["deck"]),
        "ring": ring,
        "star": Spot("", ring[0].x - 36, ring[0].y - 10),
    }


def _cards(deck: Sequence[str]) -> list[Spot]:
    """Place the deck in two rows."""
    columns = math.ceil(len(deck) / 2)
    step = min(CARD[0] + 12, (WIDTH - 20) / columns)
    left = WIDTH / 2 - step * (columns - 1) / 2
    top, down = HEIGHT / 2 - 35, 70
    return [
        Spot(key, left + step * (i % columns), top + down * (i // columns))
        for i, key in enumerate(deck)
    ]


def _ring(faces: Sequence[str]) -> list[Spot]:
    """Place the players around a table. All but one vote for the one at the top right."""
    spots = []
    for i, face in enumerate(faces):
        angle = 2 * math.pi * (i + 0.5) / len(faces) - math.pi / 2
        x, y = WIDTH / 2 + 122 * math.cos(angle), HEIGHT / 2 + 68 * math.sin(angle)
        spots.append(Spot(face, round(x, 1), round(y, 1)))
    voted, second = spots[0], spots[-3]
    votes = [_toward(s, voted) for s in spots[1:] if s is not second]
    spots[0] = Spot(voted.what, voted.x, voted.y, votes)
    spots[-3] = Spot(second.what, second.x, second.y, [_toward(voted, second)])
    return spots


def _toward(one: Spot, target: Spot) -> tuple[float, float, float, float]:
    """Return a line from beside `one` to beside `target`."""
    across, down = target.x - one.x, target.y - one.y
    begin, end = 24 / math.hypot(across, down), 1 - 30 / math.hypot(across, down)
    return (
        round(one.x + begin * across, 1),
        round(one.y + begin * down, 1),
        round(one.x + end * across, 1),
        round(one.y + end * down, 1),
    )
