"""What agents make of the two-day game's roles: nothing beyond the facts, and no phrases."""

from __future__ import annotations

from agents.packs import PackData

PACK = PackData(
    words={"augur": ("oracle",)},
    strategy_seeds={"augur": ("say at once whom you found, and who is clear",)},
)
