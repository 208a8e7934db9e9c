"""What a ruleset is made of: teams, roles, settings, sentences with figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class RuleText:
    """A sentence with its figures: `RuleText("at most {words} words", {"words": 120})`."""

    text: str
    params: dict[str, Any] = field(default_factory=dict)


# What a picture of a game in brief shows: the cards, a night, one who speaks, one with a badge, or
# who votes for whom.
Scene = Literal["cards", "night", "speech", "badge", "vote"]


@dataclass(frozen=True)
class Brief:
    """One picture of a game told in a minute, and its words."""

    scene: Scene
    title: str
    text: RuleText


@dataclass(frozen=True)
class Team:
    key: str
    name: str
    wins: str  # when the team wins, in a sentence
    goal: str  # what its players try to do
    vote: str = ""  # what a vote can do for its players, in a sentence for an agent's prompt


@dataclass(frozen=True)
class Look:
    """The result that a role gets when it looks at other players.

    event: the kind of the event that tells its holder. seats: how many players are looked at at
    once. answers: (value, role keys) in order: the answer is the first value of whose roles one of
    the players looked at holds one; a last value with no roles is what is left. field: where the
    event has the answer: a value, or true for the first and false for the last. is_of_exiled: it is
    told of the player who was voted out, and its holder chooses nobody.
    """

    event: str
    seats: int
    answers: tuple[tuple[str, tuple[str, ...]], ...]
    field: str = "found"
    is_of_exiled: bool = False

    def answer_in(self, data: Mapping[str, Any]) -> str:
        """Return the answer that an event's data hold.

        Returns "" where they hold none.
        """
        if self.field not in data:
            return ""
        answer = data[self.field]
        if isinstance(answer, bool):
            return self.answers[0 if answer else -1][0]
        return str(answer)

    def of(self, roles: Iterable[str]) -> str:
        """Return the answer for players who hold `roles`."""
        held_roles = set(roles)
        return next(v for v, keys in self.answers if not keys or held_roles & set(keys))


@dataclass(frozen=True)
class Role:
    """One role of a ruleset.

    look: what it can learn of others. knows: whose roles it is told: "role" of those who share it,
    "team" of its team, "" of nobody. hunted: the village wins by having it out.
    """

    key: str
    name: str
    team: str
    does: str  # what the role can do or knows, in a sentence
    vote: str = ""  # what a vote can do for its holder, where that is not as the team has it
    look: Look | None = None
    knows: Literal["", "role", "team"] = ""
    hunted: bool = False


@dataclass(frozen=True)
class Setting:
    """A rule a table may choose.

    `default` gives its type (bool, int or str).

    choices: (value, label) of a text that is chosen; without them a text is free, `longest`
    characters at most. least, most: bounds of a number. needs: (key, value) of the setting without
    which this one says nothing; then its default holds. study: hardly anybody chooses it but for a
    study, so it stands among what is folded away. casual: the value that a table opened for fun
    begins with, where it is not the default; papers' presets and studies have the default. Such a
    setting is stored only where it differs from its default, so logs without it stay the same.
    """

    key: str
    label: str
    help: str
    default: bool | int | str
    choices: tuple[tuple[str, str], ...] = ()
    longest: int = 60
    least: int = 0
    most: int = 100
    needs: tuple[str, bool | int | str] | None = None
    study: bool = False
    casual: bool | int | str | None = None

    @property
    def casual_value(self) -> bool | int | str:
        """The value that a table opened for fun begins with."""
        return self.default if self.casual is None else self.casual

    def fault(self, value: object) -> str:
        """Return why `value` can't be chosen, in plain English.

        Returns "" where it can.
        """
        if type(value) is not type(self.default):
            return f"{self.key} must be {_TYPES[type(self.default)]}"
        if self.choices and value not in dict(self.choices):
            return f"{self.key} must be one of {', '.join(key for key, _ in self.choices)}"
        if isinstance(value, str) and len(value) > self.longest:
            return f"{self.key} can have at most {self.longest} characters"
        number = isinstance(value, int) and not isinstance(value, bool)
        if number and not self.least <= int(str(value)) <= self.most:
            return f"{self.key} must be from {self.least} to {self.most}"
        return ""


@dataclass(frozen=True)
class Preset:
    """A paper's named way to play.

    The ruleset's settings, and which seats the model that is tested has. The others have a baseline
    model.

    tested: all seats; one (`seat`), another one with each deal, told to the rules by the setting
    `seat_setting`; or whoever holds a badge (`office`). people: how many seats are people's; with
    people it is played at a table, not in a batch. deals, repeats: how many deals, and how often
    each is played.
    """

    key: str
    help: str
    settings: Mapping[str, bool | int | str]
    tested: Literal["all", "seat", "office"] = "all"
    seat_setting: str = ""
    people: int = 0
    deals: int = 10
    repeats: int = 3


_TYPES: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a text"}


def casual_settings(settings: Sequence[Setting]) -> dict[str, bool | int | str]:
    """Return the settings of a table opened for fun that differ from their defaults."""
    return {s.key: s.casual for s in settings if s.casual is not None}


def in_force(settings: Sequence[Setting], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every setting.

    Those chosen, and the default where nothing was chosen or what the setting needs is not so.
    """
    values: dict[str, Any] = {s.key: chosen.get(s.key, s.default) for s in settings}
    for setting in settings:  # a setting needs only settings that stand before it
        if setting.needs and values[setting.needs[0]] != setting.needs[1]:
            values[setting.key] = setting.default
    return values
