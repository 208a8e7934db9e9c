"""Pace and time limits: how long windows stay open. The engine itself has no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from game.engine import labels
from game.engine.events import PUBLIC
from game.engine.forms import NOTHING, Speech
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import count_words
from game.engine.windows import Answer
from game.models import Game
from game.models import Window as WindowRow

CLOCKS = ("statement", "vote", "night", "poll")
MAX_LINGERING_S = 180.0  # of a lingering statement if statements have no limit
MAX_LIMIT_SHARE = 0.95  # at an even pace no statement is held back beyond this share of its limit
BRISK, QUICK = "brisk", "quick"
# From slow to quick: the paces between which a person alone with agents may change during the game.
PACE_STEPS = ("slow", "natural", BRISK, QUICK)
POLL_SECONDS = 120  # polls of agents delay no one, but must end if people play


@dataclass(frozen=True)
class Pace:
    """The times of a pace, in seconds.

    Attributes:
        night: minimum time of a night.
        vote: minimum time of a vote among agents.
        statement: fixed part of the time of an agent's statement.
        word: part for each word of it.
        longest: maximum time of it.
        variation: the share by which the time of a statement varies, drawn for each one.
        lingering_share: the share of statements that take any time up to the limit, as those of
            people do who think first.
        is_even: whether people's statements take at least as long as agents', so that time reveals
            little of who is a person.
    """

    night: float
    vote: float
    statement: float
    word: float
    longest: float
    variation: float = 0.0
    lingering_share: float = 0.0
    is_even: bool = False


@dataclass(frozen=True)
class Pacing:
    """The clocks of a game's windows.

    Attributes:
        persons: how many people play, including those with a stand-in. Without people, polls have
            no limit of their own, because the machine's speed would change the game.
    """

    game: Game
    persons: int

    def start_clocks(self, row: WindowRow, at: datetime, people: set[int]) -> None:
        """Set the pause for pace and the deadline of a window that opens now."""
        game, kind = self.game, row.data["clock"]
        row.not_before = self.held_until(row.data, row.opened_at, game.phase_at)
        seconds = game.limits.get(kind)
        if kind == "night" and self.has_fixed_nights:
            row.expires_at = self.night_end(row.data, game.phase_at)
            return
        if kind == "poll" and not seconds and self.persons and not people & set(row.asked):
            seconds = POLL_SECONDS
        if seconds:
            row.expires_at = at + timedelta(seconds=seconds)

    def held_until(
        self, window: Mapping[str, Any], opened: datetime, phase_at: datetime
    ) -> datetime:
        """Return until when the pace holds a window open, even if all answers are in.

        If several people play, a night has a fixed length. Otherwise its length would reveal who
        acts in it.
        """
        if window["clock"] == "night":
            if not self.is_held_to_its_end(window):
                return opened
            if self.has_fixed_nights:
                return self.night_end(window, phase_at)
            return night_end(self.game.pace, phase_at)
        blind_poll = window["clock"] == "poll" and self.game.settings.get("blind")
        if window["clock"] == "vote" or (blind_poll and window["knows"] == str(PUBLIC)):
            return vote_end(self.game.pace, opened)
        return opened

    def is_held_to_its_end(self, window: Mapping[str, Any]) -> bool:
        """Return whether a night's window stays open until its limit, even if all answers are in.

        Of questions in sequence only the last one does. At a blind table each choice does, because
        the next player would see how soon the previous one has chosen.
        """
        blind = self.has_fixed_nights and bool(self.game.settings.get("blind"))
        return window.get("share", 1) == 1 or (blind and not is_speech(window))

    @property
    def has_fixed_nights(self) -> bool:
        """Whether nights last exactly as long as the table's limit for them.

        They do if several people play, and at a blind table, which must not reveal whether they do.
        """
        has_limit = bool(self.game.limits.get("night"))
        hides_actors = self.persons > 1 or bool(self.game.settings.get("blind"))
        return has_limit and hides_actors and PACES[self.game.pace].night > 0

    def night_end(self, window: Mapping[str, Any], phase_at: datetime) -> datetime:
        """Return the end of the part of the night in which the window must be answered."""
        seconds = self.game.limits["night"] * window.get("share", 1)
        return phase_at + timedelta(seconds=seconds)

    def speech_end(self, row: WindowRow, answer: Answer) -> datetime:
        """Return when a speaker has finished the statement `answer`, at the game's pace.

        A night of fixed length does not wait for the end of a whisper. At an even pace an agent
        without a usable answer is silent until the deadline, as a person who does not answer is.
        """
        is_missing = answer.action == NOTHING or labels.is_forced(answer.labels)
        if is_missing and row.expires_at and is_even(self.game.pace):
            return row.expires_at
        chance = SeededRandom(self.game.seed).below(f"pace/{row.key}", 1000) / 1000
        limit = (row.expires_at - row.opened_at).total_seconds() if row.expires_at else 0
        said_at = statement_end(self.game.pace, row.opened_at, answer.action.text, chance, limit)
        if row.data["clock"] == "night" and row.expires_at and self.has_fixed_nights:
            return min(said_at, max(row.expires_at, row.opened_at))
        return said_at


PACES = {
    "none": Pace(0, 0, 0, 0, 0),  # for simulations
    "instant": Pace(1.5, 0, 0.15, 0, 16),
    "slow": Pace(8, 6, 3.0, 0.32, 26),
    "natural": Pace(6, 4, 2.0, 0.2, 16),
    "brisk": Pace(3, 2, 0.8, 0.08, 6),
    "quick": Pace(0, 0, 0, 0, 0),  # one person: lines come together (`quick_pace.events_shown`)
    # For blind tables.
    "even": Pace(20, 15, 12.0, 0.6, 60, variation=0.6, lingering_share=0.15, is_even=True),
}


def now() -> datetime:
    return timezone.now()


def is_speech(window: Mapping[str, Any]) -> bool:
    """Return whether the data of a window ask for a statement."""
    return bool(window["legal"]["form"] == Speech.name)


def is_even(pace: str) -> bool:
    """Return whether people's statements take as long as agents' do."""
    return PACES[pace].is_even


def night_end(pace: str, phase_at: datetime) -> datetime:
    """Return the earliest end of a night that began at `phase_at`."""
    return phase_at + timedelta(seconds=PACES[pace].night)


def vote_end(pace: str, opened_at: datetime) -> datetime:
    """Return the earliest end of a vote among agents that opened at `opened_at`."""
    return opened_at + timedelta(seconds=PACES[pace].vote)


def statement_end(
    pace: str, opened_at: datetime, text: str, chance: float = 0.5, limit: float = 0
) -> datetime:
    """Return when the speaker of `text`, who began at `opened_at`, has finished.

    Args:
        chance: a number in [0, 1) drawn for this statement.
        limit: seconds within which the statement must be made, 0 for no limit.
    """
    times = PACES[pace]
    seconds = min(times.statement + times.word * count_words(text), times.longest)
    latest = MAX_LIMIT_SHARE * (limit or MAX_LINGERING_S)
    if chance < times.lingering_share:
        seconds += max(0.0, latest - seconds) * chance / times.lingering_share
    else:
        drawn = (chance - times.lingering_share) / (1 - times.lingering_share)
        seconds *= 1 + times.variation * (2 * drawn - 1)
    if times.is_even and seconds > latest:
        seconds = latest * (1 + chance) / 2
    return opened_at + timedelta(seconds=seconds)
