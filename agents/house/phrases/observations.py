"""What the talk adds up to: pairs, crowds, those to be spared, proposals.

See `agents.house.phrasing`.
"""

from __future__ import annotations

TABLE: dict[str, tuple[str, ...]] = {
    "crowd": (
        "That makes {n} of you on {t}. [I'd feel better if it weren't so easy|It can't all be "
        "chance|It's becoming a habit].",
        "{n} voices against {t} [by my count|so far|if I count right].",
        "With {n} of you on {t}, [it's nearly decided|the rest can do their sums|the wind has "
        "turned].",
        "{t} has {n} of you to answer to.",
        "I count {n} against {t}. [Let's be sure|Let's not rush into it|Let's have reasons, too].",
    ),
    "spare_cleared": (
        "{x}, [don't forget|think back to|remember] what {z} saw. <trust y>.",
        "{z} has looked at {y}, {x}, and found nothing. <trust y>.",
        "Why {y}, {x}? After {z}'s vision, <trust y>.",
    ),
}
