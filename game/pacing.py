"""How long a window stays open: the table's pace, its time limits, and nights of fixed length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from game import clock
from game.engine import labels
from game.engine.events import PUBLIC
from game.engine.forms import NOTHING, Speech
from game.engine.seeded_random import SeededRandom
from game.engine.windows import Answer
from game.models import Game
from game.models import Window as WindowRow

POLL_SECONDS = 120  # agents' polls delay nobody, but where people play they must end


@dataclass(frozen=True)
class Pacing:
    """The clocks of a game's windows.

    Attributes:
        persons: how many people play, including those for whom a computer player stands in. Without
            people, polls have no limit of their own, because the machine's speed would change the
            game.
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
            return clock.night_end(self.game.pace, phase_at)
        blind_poll = window["clock"] == "poll" and self.game.settings.get("blind")
        if window["clock"] == "vote" or (blind_poll and window["knows"] == str(PUBLIC)):
            return clock.vote_end(self.game.pace, opened)
        return opened

    def is_held_to_its_end(self, window: Mapping[str, Any]) -> bool:
        """Return whether a night's window stays open until its limit, even if all answers are in.

        Of questions in sequence only the last one does. At a blind table each choice does, because
        the next player would see how soon the previous one has chosen.
        """
        speech = window["legal"]["form"] == Speech.name
        blind = self.has_fixed_nights and bool(self.game.settings.get("blind"))
        return window.get("share", 1) == 1 or (blind and not speech)

    @property
    def has_fixed_nights(self) -> bool:
        """Whether nights last exactly as long as the table's limit for them.

        They do if several people play, and at a blind table, which must not reveal whether they do.
        """
        has_limit = bool(self.game.limits.get("night"))
        hides_actors = self.persons > 1 or bool(self.game.settings.get("blind"))
        return has_limit and hides_actors and clock.PACES[self.game.pace].night > 0

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
        if is_missing and row.expires_at and clock.is_even(self.game.pace):
            return row.expires_at
        chance = SeededRandom(self.game.seed).below(f"pace/{row.key}", 1000) / 1000
        limit = (row.expires_at - row.opened_at).total_seconds() if row.expires_at else 0
        said_at = clock.statement_end(
            self.game.pace, row.opened_at, answer.action.text, chance, limit
        )
        if row.data["clock"] == "night" and row.expires_at and self.has_fixed_nights:
            return min(said_at, max(row.expires_at, row.opened_at))
        return said_at
