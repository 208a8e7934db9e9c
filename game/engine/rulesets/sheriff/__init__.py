"""The seven-player game with a Sheriff of the Helmsman paper (SPEC 1.2)."""

from __future__ import annotations

from game.engine.rulesets.sheriff.script import SheriffGame

RULESET = SheriffGame()
