"""The viewer's ratings of the other players, from the viewer's own view."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from agents.reliability_scale import scores_of
from game.engine.events import Event
from game.engine.forms import Rating
from game.engine.visibility import View

RATED = ("rate", "nothing")  # the manners of answers to a question for ratings


def own_ratings(view: View) -> Iterator[tuple[int, Event]]:
    """Yield (position, event) of every rating form that the viewer answered, oldest first.

    Answers by timeout or by a computer player that stood in are left out: they contain no new
    judgement.
    """
    events = view.events
    rated = (p for p in view.places.values() if events[p[0] - 1].data.get("manner") in RATED)
    for position in sorted(chain(*rated)):
        event = events[position - 1]
        if "ratings" in event.data and event["seat"] == view.seat and not event.labels:
            yield position, event


def standing(view: View) -> dict[int, Rating]:
    """Return the viewer's latest rating of each seat."""
    return {r.seat: r for _position, event in own_ratings(view) for r in scores_of(event.data)}
