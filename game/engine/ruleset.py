"""The interface of a ruleset, and the runs of its script against the log of a game.

A script is a generator that emits events, opens windows and waits for them. Running it over a
recorded log repeats what is recorded (draws are read back, not drawn) and then continues. So the
log alone determines a game's position, and a ruleset reads like a description of its game.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from game.engine.declarations import (
    CourseSection,
    IntroPicture,
    Preset,
    QuizQuestion,
    Role,
    RulesSection,
    Setting,
    Team,
    effective_settings,
)
from game.engine.events import PUBLIC, RECORD, Event, Option
from game.engine.ruleset_files import PICTURES
from game.engine.script_context import Answers, IsReady, Script, ScriptContext, Wait
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import ASK_ROLE_GUESSES
from game.engine.state import State
from game.engine.text_checks import NO_LIMIT
from game.engine.visibility import View
from game.engine.wording import Wording, sentence_for


@dataclass(frozen=True)
class TalkLimits:
    """The limits of a talk in passes.

    Attributes:
        max_answers: maximum answers of one player.
        max_passes: maximum rounds in which everyone is asked in turn.
        max_skips: maximum Skips of one player in a row, NO_LIMIT for any number. The next one
            counts as an Over.
    """

    max_answers: int
    max_passes: int
    max_skips: int = NO_LIMIT


class BadSettingsFile(ValueError):
    """A settings file that can't be read. The message names the key and the permitted values."""


class Ruleset(ABC):
    """One variant of Werewolf. `docs/rulesets.md` shows how to write one.

    Attributes:
        deck: one role key for each seat.
        days: the length of a game; 0 if it continues until a side has won.
        rounds: rounds of talk in a day; 0 if talk runs in passes.
        max_words: maximum words of a statement.
        default_role: the role assumed for a player about whom nothing is known. "": the deck's
            first.
        needs_people_seats: whether the rules depend on which seats are people's. Then the log
            begins with these seats, on record.
        badge: the badge whose holder leads the talk and the vote, "" for none. Metrics of
            leadership use it.
        quiz: the questions of a study to people who have read the rules.
        pictures: the game in a few pictures, without figures (`introduction`). Default: a game of
            one night.
        course: the course of a game (`describe_course`).
        settings_file: the kind of settings files it reads (`read_settings`), "" for none.
    """

    name: str
    version: int
    title: str
    summary: str
    seat_names: Sequence[str]
    teams: Sequence[Team]
    roles: Sequence[Role]
    deck: Sequence[str]
    settings: Sequence[Setting]
    wording: Wording
    days: int = 0
    rounds: int = 0
    max_words: int = 0
    default_role: str = ""
    needs_people_seats: bool = False
    badge: str = ""
    presets: Sequence[Preset] = ()
    settings_file: str = ""
    quiz: Sequence[QuizQuestion] = ()
    pictures: Sequence[IntroPicture] = PICTURES
    course: Sequence[CourseSection] = ()

    @property
    def table_names(self) -> Sequence[str]:
        """The names of the seats at a table where people may sit.

        They may differ from those in the logs of simulated games.
        """
        return self.seat_names

    @property
    def figures(self) -> dict[str, Any]:
        """The numbers that replace placeholders in the pictures and in the course of a game."""
        return {
            "players": len(self.deck),
            "days": self.days,
            "rounds": self.rounds,
            "words": self.max_words,
        }

    @property
    def introduction(self) -> Sequence[IntroPicture]:
        """The game in a few pictures, for the page "How to play"."""
        return [replace(picture, figures=self.figures) for picture in self.pictures]

    def seat_of_option(self, option: Option, seat: int, state: State) -> int:
        """Return the seat that an option such as "left" means if `seat` chooses it, 0 for none."""
        return 0

    def describe_course(self, settings: Mapping[str, Any]) -> Sequence[RulesSection]:
        """Return the course of a game. Missing settings have their defaults."""
        rules = effective_settings(self.settings, settings)
        return [
            RulesSection(
                section.title,
                tuple(filter(None, (sentence_for(text, rules) for text in section.texts))),
                self.figures | {figure: rules[key] for figure, key in section.figures.items()},
            )
            for section in self.course
            if all(rules[key] == value for key, value in section.when.items())
        ]

    def find_conflict(self, settings: Mapping[str, Any], people: int) -> str:
        """Return why settings conflict with each other or with the number of people, "" if not."""
        return ""

    def has_vote_on(self, day: int) -> bool:
        """Return whether a player is voted out on that day."""
        return True

    def has_attack_on(self, day: int, settings: Mapping[str, Any]) -> bool:
        """Return whether a player may be killed in the night of that day."""
        return self.has_vote_on(day)

    def read_settings(self, document: object) -> dict[str, bool | int | str]:
        """Return the settings that a parsed settings file chooses, or raise BadSettingsFile."""
        raise BadSettingsFile(f"{self.name} reads no settings files")

    def read_profiles(self, document: object) -> list[dict[str, str]]:
        """Return key -> text of each profile in a settings file, or raise BadSettingsFile."""
        return []

    def talk_limits(self, kind: str, settings: Mapping[str, Any]) -> TalkLimits | None:
        """Return the limits of the talk in windows of that kind, None without talk in passes."""
        return None

    def speaking_order(self, view: View) -> Sequence[int]:
        """Return the seats in the order of the current talk, () if `view` does not show it."""
        return ()

    @abstractmethod
    def day_phases(self, day: int, settings: Mapping[str, Any]) -> Sequence[tuple[str, int]]:
        """Return (phase, round or 0) of each phase of a day in order. `settings` may be empty."""

    @abstractmethod
    def script(self, context: ScriptContext) -> Script:
        """Return the generator that runs the game, from the deal to `game_over`."""


def role_of(ruleset: Ruleset, key: str) -> Role:
    """Return the role called `key`."""
    return {role.key: role for role in ruleset.roles}[key]


def team_named(ruleset: Ruleset, key: str) -> Team:
    """Return the team called `key`."""
    return {team.key: team for team in ruleset.teams}[key]


def team_of(ruleset: Ruleset, role: str) -> str:
    """Return the key of the team that the holder of `role` plays for."""
    return role_of(ruleset, role).team


class ScriptRun:
    """A run of a ruleset's script, which can be kept and continued (`advance`)."""

    def __init__(
        self,
        ruleset: Ruleset,
        log: Sequence[Event],
        rng: SeededRandom,
        opening: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a run.

        A new game, whose log is empty, has an `opening`: `seats` (names), `settings` and `people`
        (the seats of people).
        """
        self._ruleset, self._log, self._opening = ruleset, log, opening or {}
        self._context = ScriptContext(log, rng)
        self._script = self._run()
        self._wait: Wait | None = None

    def advance(
        self, answers: Answers, ready: IsReady, log: Sequence[Event] | None = None
    ) -> list[Event]:
        """Run the script as far as the answers to open windows allow.

        Return the events that follow the log. Raise LogMismatch if the rules cannot produce it.

        Args:
            ready: returns whether the answers that a Wait needs are in and the pace allows the game
                to continue. The engine itself has no clock.
            log: the log, if it may have grown since the last call.
        """
        context = self._context
        context.new_events, context.answers = [], answers
        if log is not None:
            context.log = log
        while self._wait is None or context.is_behind or ready(self._wait):
            self._wait = next(self._script, None)
            if self._wait is None:  # the game is over
                break
        return context.new_events

    def _run(self) -> Script:
        context, log, opening = self._context, self._log, self._opening
        first = log[0].data if log else opening
        context.emit(
            "game_opened",
            PUBLIC,
            ruleset=self._ruleset.name,
            version=self._ruleset.version,
            seats=list(first["seats"]),
            settings=dict(first["settings"]),
        )
        if self._ruleset.needs_people_seats or first["settings"].get(ASK_ROLE_GUESSES):
            people = log[1]["seats"] if log else opening.get("people", ())
            context.emit("people_seated", RECORD, seats=list(people))
        yield from self._ruleset.script(context)
