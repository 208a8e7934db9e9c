"""The variants of Werewolf that Fabula plays, by name."""

from __future__ import annotations

from game.engine.roles import Ruleset
from game.engine.rulesets.one_night import OneNight

_RULESETS: dict[str, Ruleset] = {}


class UnknownRuleset(LookupError):
    """There is no ruleset of that name; the message lists those there are."""


def register(ruleset: Ruleset) -> None:
    """Make `ruleset` playable under its name."""
    _RULESETS[ruleset.name] = ruleset


def names() -> list[str]:
    return sorted(_RULESETS)


def get(name: str) -> Ruleset:
    """The ruleset called `name`. Raises UnknownRuleset."""
    if name not in _RULESETS:
        raise UnknownRuleset(f"unknown ruleset {name!r}; known: {', '.join(names())}")
    return _RULESETS[name]


register(OneNight())
