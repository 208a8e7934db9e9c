"""The one-night game of the Humanized paper, appendix A (SPEC 1.1)."""

from game.engine.rulesets.one_night.script import OneNight

RULESET = OneNight()
