"""The one-night game's pack."""

from __future__ import annotations

from agents.packs import PackData

PACK = PackData()
