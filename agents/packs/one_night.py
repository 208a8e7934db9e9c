"""The one-night game's pack."""

from __future__ import annotations

from agents.packs import PackData

PACK = PackData(
    words={
        "seer": ("fortune teller", "clairvoyant"),
        "mason": (),
        "villager": (
            *("town", "townie", "townsfolk", "townsperson", "vanilla"),
            *("vil", "vill", "villa", "villie", "villy", "vt"),
        ),
        "werewolf": (),
        "minion": (),
        "tanner": ("jester",),
    },
)
