"""The variants of Werewolf that Fabula plays, by name. Each folder in here declares some.

A folder has a RULESET, or RULESETS if several rulesets share a script.
"""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from game.engine.ruleset import Ruleset
from game.engine.ruleset_checks import check_ruleset

_RULESETS: dict[str, Ruleset] = {}


class UnknownRuleset(LookupError):
    """There is no ruleset of that name. The message lists the names of all."""


def register(ruleset: Ruleset) -> None:
    """Check `ruleset`, or raise InvalidRuleset, and register it under its name."""
    check_ruleset(ruleset)
    _RULESETS[ruleset.name] = ruleset


def names() -> list[str]:
    return sorted(_RULESETS)


def get(name: str) -> Ruleset:
    """Return the ruleset called `name`, or raise UnknownRuleset."""
    if name not in _RULESETS:
        raise UnknownRuleset(f"unknown ruleset {name!r}; known: {', '.join(names())}")
    return _RULESETS[name]


def declared_rulesets(module: Any) -> Sequence[Ruleset]:
    """Return the rulesets that a module declares, or raise AttributeError."""
    return module.RULESETS if hasattr(module, "RULESETS") else [module.RULESET]


for _folder in iter_modules(__path__):
    for _ruleset in declared_rulesets(import_module(f"{__name__}.{_folder.name}")):
        register(_ruleset)
