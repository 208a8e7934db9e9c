"""Rankings of all players of a game: one text, made into an instrument for each number of seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def rankings(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The data of an instrument for every number in `data["seats"]`, which is no field of them.

    An item may say the `least_seats` it is asked at. The example's values are places (1 is first);
    an instrument's are ranks, the number of seats being the first.
    """
    for seats in data["seats"]:
        items = [d for d in data["dimensions"] if d.get("least_seats", 0) <= seats]
        keys = {d["key"] for d in items}
        letters = f"{items[0]['label'][0]}–{items[-1]['label'][0]}"
        example = data["example"]
        yield {
            "key": f"{data['key']}-{seats}",
            "title": data["title"].format(items=letters, seats=seats),
            "unit": data["unit"],
            "intro": data["intro"].format(seats=seats),
            "dimensions": [_ranked(item, seats) for item in items],
            "example": {
                **example,
                "values": {k: seats + 1 - v for k, v in example["values"].items() if k in keys},
                "why": {k: v for k, v in example["why"].items() if k in keys},
            },
        }


def _ranked(item: Mapping[str, Any], seats: int) -> dict[str, Any]:
    plain = {k: v for k, v in item.items() if k != "least_seats"}
    return {**plain, "min": 1, "max": seats, "rank": True}
