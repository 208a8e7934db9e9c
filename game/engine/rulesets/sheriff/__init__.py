"""The seven-player game with a Sheriff of the Helmsman paper (SPEC 1.2)."""

from game.engine.rulesets.sheriff.script import SheriffGame

RULESET = SheriffGame()
