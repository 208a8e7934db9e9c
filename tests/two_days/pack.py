"""Agents' pack of the two-day game: synonyms and strategy seeds, without phrases."""

from __future__ import annotations

from agents.packs import PackData

PACK = PackData(
    words={"augur": ("oracle",)},
    strategy_seeds={"augur": ("say at once whom you found, and who is clear",)},
)
