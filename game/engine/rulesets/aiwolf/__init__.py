"""The games of the AIWolf contest for five and thirteen players (SPEC 1.3), on one script."""

from game.engine.rulesets.aiwolf.script import LargeVillage, SmallVillage

RULESETS = (SmallVillage(), LargeVillage())
