"""The moderator's transcript: the public events, and those hidden during the game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from game.engine.events import PUBLIC, Event
from game.engine.visibility import View
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine


class ModeratorLines(TranscriptLines):
    """The transcript with the deal, the night's secrets, and the polls of the seats in `polled`.

    People answer a straw poll with the promise that no player ever sees their answers.
    """

    def __init__(
        self, view: View, seats: Mapping[int, Seat], *, polled: Collection[int], **more: Any
    ) -> None:
        super().__init__(view, seats, **more)
        self.polled = polled

    def _entry(self, position: int, event: Event) -> TranscriptLine | None:
        if event.kind == "window_opened":
            return self._together(position, event) or super()._entry(position, event)
        its = self.narrator.words(event)
        if event.kind in self.narrator.wording.ballot_lines(knows_all=True):
            return self._vote(position, event)
        if its.shape == "vote":
            return None  # a ballot that was told when it was held
        if event.audience == PUBLIC or its.shape == "statement" or its.together:
            return super()._entry(position, event)
        text = self.narrator.say(its.replay, event, deal=self._deal())
        return TranscriptLine(position, "told", text=text, icon=its.icon) if text else None

    def _deal(self) -> str:
        dealt = [e for e in self.view.events if e.kind == "role_dealt"]
        return ", ".join(
            f"{self.narrator.seat(e['seat'])}: {self.narrator.role(e['role'])}" for e in dealt
        )

    def _together(self, position: int, opened: Event) -> TranscriptLine | None:
        """Return one line with all answers to a question, at the position where it was opened.

        The log has these answers only later.
        """
        its = self.narrator.wording.event(opened["kind"])
        if not its.together:
            return None
        events_by_targets: dict[str, list[Event]] = {}
        for event in self.view.events[position:]:
            if event.data.get("window") == opened["key"] and event.data.get("seat") in self.polled:
                events_by_targets.setdefault(str(event.data.get("targets")), []).append(event)
        if not events_by_targets:
            return None
        most_first = sorted(events_by_targets.values(), key=len, reverse=True)
        each = "; ".join(self._alike(events) for events in most_first)
        unaddressed = replace(opened, data={**opened.data, "seats": []})
        text = self.narrator.say(its.together, unaddressed, each=each, round=self._round(position))
        return TranscriptLine(position, "told", text=text, icon=its.icon)

    def _alike(self, events: list[Event]) -> str:
        """Name the seats with the same answer, in one sentence."""
        speakers = self.narrator.listed([self.narrator.seat(e["seat"]) for e in events])
        its = self.narrator.words(events[0])
        return self.narrator.say(its.replay, events[0], who=speakers, several=len(events) > 1)

    def _round(self, position: int) -> str:
        """Return the round of an event, or its day if the game has no rounds."""
        phases = [e for e in self.view.events[:position] if e.kind == "phase_opened"]
        return str(phases[-1]["round"] or phases[-1]["day"]) if phases else ""
