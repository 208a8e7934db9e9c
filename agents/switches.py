"""Switches: choices that faculties declare and recipes store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


class BadRecipe(LookupError):
    """A recipe names something that does not exist. The message lists the known names."""


class BadSwitch(BadRecipe):
    """A switch or a value of it is unknown. The message lists the known ones."""


@dataclass(frozen=True)
class Switch:
    """One choice that a faculty offers."""

    name: str
    values: tuple[str, ...]  # the possible values. The first one is the default.
    source: str  # the section of the paper, or "ours"
    help: str  # what the switch decides, in a sentence

    @property
    def default(self) -> str:
        return self.values[0]


def check_switches(chosen: Mapping[str, str], offered: Iterable[Switch], method: str) -> None:
    """Raise BadSwitch if `offered` lacks a chosen switch, or if that lacks the chosen value.

    `chosen` is name -> value, and `method` the method's name for the message.
    """
    switches = {switch.name: switch for switch in offered}
    for name, value in chosen.items():
        if name not in switches:
            names = ", ".join(switches) or "none"
            raise BadSwitch(f"{method} has no switch {name!r}; known: {names}")
        if value not in switches[name].values:
            values = ", ".join(switches[name].values)
            raise BadSwitch(f"switch {name!r} can't be {value!r}; known: {values}")


def parse_switches(texts: Iterable[str]) -> dict[str, str]:
    """Parse texts of the form NAME=VALUE, or raise BadSwitch, also for a repeated name."""
    chosen: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise BadSwitch(f"{text!r} is no switch; write NAME=VALUE")
        if name in chosen:
            raise BadSwitch(f"switch {name!r} is there twice; keep one")
        chosen[name] = value
    return chosen
