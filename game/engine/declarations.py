"""Declarations of a ruleset: teams, roles, settings, presets, texts of the rules, a quiz."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from game.engine.wording import Facts, Text


@dataclass(frozen=True)
class RulesSection:
    """A section of a game's rules.

    Each text is one or several sentences that a site translates together. `figures` replace the
    placeholders in the texts, such as "{words}".
    """

    title: str
    texts: tuple[str, ...]
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CourseSection:
    """A section of a game's rules, before the settings of a table decide between its texts.

    Attributes:
        texts: their conditions are effective values of settings.
        when: setting -> value with which the section applies; empty: it always does.
        figures: figure in the texts -> the setting that has its value.
    """

    title: str
    texts: tuple[Text, ...]
    when: Facts = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)


# What a picture of the introduction shows: the cards, a night, a speaker, a player with a badge, or
# who votes for whom.
Scene = Literal["cards", "night", "speech", "badge", "vote"]


@dataclass(frozen=True)
class IntroPicture:
    """One picture of a game's introduction. `figures` are as in a RulesSection."""

    scene: Scene
    title: str
    text: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Team:
    """One team of a ruleset.

    Attributes:
        wins: a sentence: when the team wins.
        goal: a sentence to its players: what they try to do.
        vote: a sentence for prompts: what a vote can do for its players.
    """

    key: str
    name: str
    wins: str
    goal: str
    vote: str = ""


@dataclass(frozen=True)
class Look:
    """What a role learns when it looks at other players.

    Attributes:
        event: the kind of the event that shows the answer to the role's holder.
        seats: how many players are looked at together.
        answers: (value, role keys) in order. The answer is the first value with a role that one of
            the players holds. A last value without roles covers all other roles.
        field: the event's field with the answer: a value, or true for the first and false for the
            last.
        is_of_exiled: whether the look is at the player who was voted out. Then the holder chooses
            no one.
    """

    event: str
    seats: int
    answers: tuple[tuple[str, tuple[str, ...]], ...]
    field: str = "found"
    is_of_exiled: bool = False

    def answer_in(self, data: Mapping[str, Any]) -> str:
        """Return the answer in an event's data, "" if there is none."""
        if self.field not in data:
            return ""
        answer = data[self.field]
        if isinstance(answer, bool):
            return self.answers[0 if answer else -1][0]
        return str(answer)

    def answer_for(self, roles: Iterable[str]) -> str:
        """Return the answer for players who hold these `roles`."""
        held_roles = set(roles)
        return next(v for v, keys in self.answers if not keys or held_roles & set(keys))


@dataclass(frozen=True)
class Role:
    """One role of a ruleset.

    Attributes:
        does: a sentence: what the role can do or knows.
        vote: for prompts: what a vote can do for the role's holder; "": as for its team.
        look: what it can learn about other players.
        knows: whose roles it learns at the deal: "role" for holders of the same role, "team" for
            its team, "" for no one.
        is_hunted: whether the village wins by exiling it.
    """

    key: str
    name: str
    team: str
    does: str
    vote: str = ""
    look: Look | None = None
    knows: Literal["", "role", "team"] = ""
    is_hunted: bool = False


@dataclass(frozen=True)
class Setting:
    """A rule that a table may choose.

    Attributes:
        default: its type is the setting's type (bool, int or str). A switch is off by default.
        choices: (value, label) of each permitted text; empty: any text of at most
            `max_characters`.
        min_value, max_value: the bounds of a number, inclusive.
        needs: (key, value) of another setting. With another value there, this setting has no effect
            and its default applies.
        is_for_studies: whether only studies need it. The form shows it in a folded section.
        casual: the initial value at a table opened for fun, if it differs from the default. Papers'
            presets and studies have the default. Such a setting is stored only if it differs from
            its default, so that older logs stay valid.
    """

    key: str
    label: str
    help: str
    default: bool | int | str = False
    choices: tuple[tuple[str, str], ...] = ()
    max_characters: int = 60
    min_value: int = 0
    max_value: int = 100
    needs: tuple[str, bool | int | str] | None = None
    is_for_studies: bool = False
    casual: bool | int | str | None = None

    def has_effect(self, values: Mapping[str, Any]) -> bool:
        """Return whether the needed setting has the needed value among these `values`."""
        if self.needs is None:
            return True
        key, needed_value = self.needs
        return bool(values[key] == needed_value)

    def value_error(self, value: object) -> str:
        """Return the reason why `value` can't be chosen, in plain English, "" if it can."""
        if type(value) is not type(self.default):
            return f"{self.key} must be {_TYPES[type(self.default)]}"
        if self.choices and value not in dict(self.choices):
            return f"{self.key} must be one of {', '.join(key for key, _ in self.choices)}"
        if isinstance(value, str) and len(value) > self.max_characters:
            return f"{self.key} can have at most {self.max_characters} characters"
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and not self.min_value <= int(str(value)) <= self.max_value:
            return f"{self.key} must be from {self.min_value} to {self.max_value}"
        return ""


@dataclass(frozen=True)
class Preset:
    """A paper's named setup: settings, and the seats of the tested model.

    The other seats get a baseline model.

    Attributes:
        tested: the seats of the tested model: `all`, one `seat` that changes with each deal and is
            passed to the rules in the setting `seat_setting`, or the holder of a badge (`office`).
        people: the number of people's seats. A preset with people is played at a table, not in a
            batch.
        deals: the number of deals.
        repeats: how often each deal is played.
    """

    key: str
    help: str
    settings: Mapping[str, bool | int | str]
    tested: Literal["all", "seat", "office"] = "all"
    seat_setting: str = ""
    people: int = 0
    deals: int = 10
    repeats: int = 3


BLIND = "blind"  # a setting that every table has, besides those of its ruleset
Values = Sequence[bool | int | str]  # values of one setting


@dataclass(frozen=True)
class QuizQuestion:
    """One yes/no question that tests whether a person has understood the rules.

    Attributes:
        is_yes: whether "yes" is the right answer.
        explanation: one sentence, shown with the right answer.
        figures: replace the placeholders in both texts.
        holds: setting -> values with which the answer is right. Other tables do not get the
            question. Empty: the answer is right at every table.
    """

    key: str
    text: str
    is_yes: bool
    explanation: str
    figures: Mapping[str, int] = field(default_factory=dict)
    holds: Mapping[str, Values] = field(default_factory=dict)


_TYPES: dict[type, str] = {bool: "true or false", int: "a whole number", str: "a text"}


def casual_settings(settings: Sequence[Setting]) -> dict[str, bool | int | str]:
    """Return the initial settings of a table opened for fun that differ from their defaults."""
    return {s.key: s.casual for s in settings if s.casual is not None}


def effective_settings(settings: Sequence[Setting], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the effective value of every setting.

    That is the chosen value, or the default if nothing was chosen or a needed setting is off.
    """
    values: dict[str, Any] = {s.key: chosen.get(s.key, s.default) for s in settings}
    for setting in settings:  # a setting may need only settings listed before it
        if not setting.has_effect(values):
            values[setting.key] = setting.default
    return values


def format_value(value: object) -> str:
    """Return a setting's value as settings files write it: "true", "120", "words"."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def questions_for_settings(
    questions: Sequence[QuizQuestion], settings: Sequence[Setting], chosen: Mapping[str, Any]
) -> list[QuizQuestion]:
    """Return the questions whose answers are right at a table with the `chosen` settings."""
    values = {**effective_settings(settings, chosen), BLIND: bool(chosen.get(BLIND))}
    return [q for q in questions if all(values[key] in v for key, v in q.holds.items())]
