"""Choices in secret: the vote, the straw poll, the night."""

from __future__ import annotations

from collections.abc import Collection

from agents.house.mindset import GUT, Mindset, most, share
from game.engine.forms import Option

COMPANY = 0.02  # a vote that nobody joins is wasted: what another's announced vote is worth

WORD = 0.06  # what it costs to vote otherwise than one said


def vote(
    mind: Mindset, options: Collection[Option]
) -> tuple[int | None, dict[str, dict[str, float]]]:
    """The seat of `options` to vote for: the announced one, unless what came after speaks clearly
    against it; None where it would vote for none of them. And how everyone was weighed, as
    `Mindset.parts` and `word`: what was said of votes."""
    scores, said = dict(mind.scores), dict.fromkeys(mind.scores, 0.0)
    announced = mind.heard.announced(mind.others)
    for seat in scores:
        said[seat] += (2 if mind.villain else 1) * COMPANY * announced[seat]
    if mind.before in scores:
        said[mind.before] += WORD
    for seat in scores:
        scores[seat] += said[seat]
    parts = mind.parts(mind.shown)
    weighed = {
        str(seat): {name: round(p, 4) for name, p in {**parts[seat], "word": said[seat]}.items()}
        for seat in scores
    }
    open_to = {seat: score for seat, score in scores.items() if seat in options}
    return mind.pick(open_to) if open_to else None, weighed


def poll(mind: Mindset) -> int:
    """Whom I really take for hunted (who is hunted: whom it would name)."""
    table = mind.shown if mind.part == "wolf" else mind.believed

    def hunted(seat: int) -> float:
        return share(table[seat], mind.pack.hunted)

    return most(
        {
            seat: round(hunted(seat) + 0.3 * GUT * mind.stance.gut[seat - 1], 6)
            for seat in mind.others
        }
    )
