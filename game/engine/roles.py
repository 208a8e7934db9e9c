"""What a ruleset is made of: teams, roles, a deck, settings, and the script that plays it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from game.engine.rules import Script, Table


def gettext_noop(text: str) -> str:
    """Marks a sentence for translation; the site translates it where it is shown."""
    return text


@dataclass(frozen=True)
class Line:
    """A sentence with its figures: `Line("at most {words} words", {"words": 120})`."""

    text: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Team:
    key: str
    name: str
    wins: str  # when the team wins, in a sentence
    goal: str  # what its players try to do
    vote: str = ""  # what a vote can do for its players, in a sentence for an agent's prompt


@dataclass(frozen=True)
class Role:
    key: str
    name: str
    team: str
    does: str  # what the role can do or knows, in a sentence
    vote: str = ""  # what a vote can do for its holder, where that is not as the team has it


@dataclass(frozen=True)
class Setting:
    """A rule a table may choose; `default` gives its type (bool or int)."""

    key: str
    label: str
    help: str
    default: bool | int


class Ruleset(ABC):
    """One variant of Werewolf, in one file of `rulesets/`. `docs/rulesets.md` shows how."""

    name: str
    version: int
    title: str
    summary: str
    seat_names: Sequence[str]
    teams: Sequence[Team]
    roles: Sequence[Role]
    deck: Sequence[str]
    settings: Sequence[Setting]
    rounds: int = 0  # of talk in a day; 0 where talk runs in passes
    max_words: int = 0  # of a statement

    @property
    @abstractmethod
    def steps(self) -> Sequence[tuple[str, Line]]:
        """How a game goes, for the rules page: (title, text), made from the rules' own data."""

    @abstractmethod
    def script(self, table: Table) -> Script:
        """The game itself, from the deal to `game_over`."""


def role_of(ruleset: Ruleset, key: str) -> Role:
    """The role called `key`. KeyError where there is none."""
    return {role.key: role for role in ruleset.roles}[key]


def team_named(ruleset: Ruleset, key: str) -> Team:
    """The team called `key`. KeyError where there is none."""
    return {team.key: team for team in ruleset.teams}[key]


def team_of(ruleset: Ruleset, role: str) -> str:
    """The key of the team that the holder of `role` plays for."""
    return role_of(ruleset, role).team
