"""Pace and time limits: how long windows stay open. The engine itself has no clock.

`game.deadlines` answers for those whose time runs out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, get_args

from django.utils import timezone

from game.engine import labels
from game.engine.events import NOTHING, PUBLIC
from game.engine.forms import Speech
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import count_words
from game.engine.windows import Answer, Clock
from game.models import Game
from game.models import Window as WindowRow

CLOCKS = get_args(Clock)
MAX_LINGERING_S = 180.0  # the longest time of a lingering statement if statements have no limit
MAX_LIMIT_SHARE = 0.95  # At an even pace no statement is held back beyond this share of its limit.
CHANCE_STEPS = 1000  # the number of different chances in [0, 1) that are drawn
BRISK, QUICK = "brisk", "quick"
# The paces among which a person alone with agents may change during the game, the slowest first.
PACE_STEPS = ("slow", "natural", BRISK, QUICK)
POLL_LIMIT_S = 120  # polls of agents delay no one, but must end if people play


@dataclass(frozen=True)
class Pace:
    """The times of a pace, in seconds."""

    night: float = 0.0  # minimum time of a night
    vote: float = 0.0  # minimum time of a vote among agents
    statement: float = 0.0  # fixed part of the time of an agent's statement
    word: float = 0.0  # time of an agent's statement for each of its words
    max_statement: float = 0.0  # maximum time of an agent's statement
    variation: float = 0.0  # the share by which a statement's time varies, drawn for each statement
    # The share of statements that take any time up to the limit, as if a person thought first.
    lingering_share: float = 0.0
    # People's statements take at least as long as agents'. So time reveals little of who is one.
    is_even: bool = False


PACES = {
    "none": Pace(),  # the pace of simulations
    "instant": Pace(night=1.5, statement=0.15, max_statement=16),
    "slow": Pace(night=8, vote=6, statement=3.0, word=0.32, max_statement=26),
    "natural": Pace(night=6, vote=4, statement=2.0, word=0.2, max_statement=16),
    BRISK: Pace(night=3, vote=2, statement=0.8, word=0.08, max_statement=6),
    QUICK: Pace(),  # the pace for one person, who sees new lines at their next turn
    "even": Pace(  # the pace of blind tables
        night=20,
        vote=15,
        statement=12.0,
        word=0.6,
        max_statement=60,
        variation=0.6,
        lingering_share=0.15,
        is_even=True,
    ),
}


@dataclass(frozen=True)
class Pacing:
    """The clocks of a game's windows.

    In the methods, `window` is the window's data as the log has them (`Window.to_json`), and
    `phase_at` is when the present phase opened.
    """

    game: Game
    # The number of people, those with a stand-in included. Without people, polls have no limit of
    # their own, because the machine's speed would change the game.
    people_count: int

    def start_clocks(self, row: WindowRow, now: datetime, people: set[int]) -> None:
        """Set the pause for pace and the deadline of a window that opens now.

        `people` are the seats for which people answer.
        """
        game, kind = self.game, row.data["clock"]
        row.not_before = self.hold_end(row.data, row.opened_at, game.phase_at)
        seconds = game.limits.get(kind)
        if kind == "night" and self.has_fixed_nights:
            row.expires_at = self.night_deadline(row.data, game.phase_at)
            return
        if kind == "poll" and not seconds and self.people_count and not people & set(row.asked):
            seconds = POLL_LIMIT_S
        if seconds:
            row.expires_at = now + timedelta(seconds=seconds)

    def hold_end(
        self, window: Mapping[str, Any], opened_at: datetime, phase_at: datetime
    ) -> datetime:
        """Return until when the pace holds a window open, even if all answers are in.

        If several people play, a night has a fixed length. Otherwise its length would reveal who
        acts in it.
        """
        pace = PACES[self.game.pace]
        if window["clock"] == "night":
            if not self.is_held_to_deadline(window):
                return opened_at
            if self.has_fixed_nights:
                return self.night_deadline(window, phase_at)
            return phase_at + timedelta(seconds=pace.night)
        is_blind_poll = window["clock"] == "poll" and self.game.settings.get("blind")
        if window["clock"] == "vote" or (is_blind_poll and window["knows"] == str(PUBLIC)):
            return opened_at + timedelta(seconds=pace.vote)
        return opened_at

    def is_held_to_deadline(self, window: Mapping[str, Any]) -> bool:
        """Return whether a night's window stays open until its deadline, answered or not.

        Of questions in sequence only the last one does. At a blind table each choice does, because
        the next player would see how soon the previous one has chosen.
        """
        hides_times = self.has_fixed_nights and bool(self.game.settings.get("blind"))
        return window.get("share", 1) == 1 or (hides_times and not is_speech(window))

    @property
    def has_fixed_nights(self) -> bool:
        """Whether nights last exactly as long as the table's limit for them.

        Nights do so if several people play, and at a blind table, which must not reveal whether
        several people play.
        """
        has_limit = bool(self.game.limits.get("night"))
        hides_actors = self.people_count > 1 or bool(self.game.settings.get("blind"))
        return has_limit and hides_actors and PACES[self.game.pace].night > 0

    def night_deadline(self, window: Mapping[str, Any], phase_at: datetime) -> datetime:
        """Return the end of the window's share of a night of fixed length."""
        seconds = self.game.limits["night"] * window.get("share", 1)
        return phase_at + timedelta(seconds=seconds)

    def speech_end(self, row: WindowRow, answer: Answer) -> datetime:
        """Return when the speaker of `answer` has finished, at the game's pace.

        A night of fixed length does not wait for the end of a whisper. At an even pace an agent
        without a usable answer stays silent until the deadline, like a person who does not answer.
        """
        is_missing = answer.action == NOTHING or labels.is_forced(answer.labels)
        if is_missing and row.expires_at and is_even(self.game.pace):
            return row.expires_at
        drawn = SeededRandom(self.game.seed).below(f"pace/{row.key}", CHANCE_STEPS)
        limit = (row.expires_at - row.opened_at).total_seconds() if row.expires_at else 0
        said_at = statement_end(
            self.game.pace, row.opened_at, answer.action.text, drawn / CHANCE_STEPS, limit
        )
        if row.data["clock"] == "night" and row.expires_at and self.has_fixed_nights:
            return min(said_at, max(row.expires_at, row.opened_at))
        return said_at


def now() -> datetime:
    return timezone.now()


def is_speech(window: Mapping[str, Any]) -> bool:
    """Return whether a window asks for a statement. `window` is its data in the log."""
    return bool(window["legal"]["form"] == Speech.name)


def is_even(pace: str) -> bool:
    """Return whether people's statements take at least as long as agents' at this pace."""
    return PACES[pace].is_even


def statement_end(
    pace: str, opened_at: datetime, text: str, chance: float = 0.5, limit: float = 0
) -> datetime:
    """Return when the speaker of `text` has finished.

    Args:
        opened_at: when the speaker began.
        chance: a number in [0, 1), drawn for this statement.
        limit: the seconds within which the statement must be made, 0 for no limit.
    """
    times = PACES[pace]
    seconds = min(times.statement + times.word * count_words(text), times.max_statement)
    latest = MAX_LIMIT_SHARE * (limit or MAX_LINGERING_S)
    if chance < times.lingering_share:
        seconds += max(0.0, latest - seconds) * chance / times.lingering_share
    else:
        drawn = (chance - times.lingering_share) / (1 - times.lingering_share)
        seconds *= 1 + times.variation * (2 * drawn - 1)
    if times.is_even and seconds > latest:
        seconds = latest * (1 + chance) / 2
    return opened_at + timedelta(seconds=seconds)
