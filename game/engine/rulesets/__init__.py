"""The variants of Werewolf that Fabula plays, by name: every folder in here that has a RULESET."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from game.engine.ruleset import Ruleset

_RULESETS: dict[str, Ruleset] = {}


class UnknownRuleset(LookupError):
    """There is no ruleset of that name.

    The message lists those there are.
    """


def register(ruleset: Ruleset) -> None:
    """Make `ruleset` playable under its name."""
    _RULESETS[ruleset.name] = ruleset


def names() -> list[str]:
    return sorted(_RULESETS)


def get(name: str) -> Ruleset:
    """Return the ruleset called `name`. Raises UnknownRuleset."""
    if name not in _RULESETS:
        raise UnknownRuleset(f"unknown ruleset {name!r}; known: {', '.join(names())}")
    return _RULESETS[name]


for _found in iter_modules(__path__):
    register(import_module(f"{__name__}.{_found.name}").RULESET)
