"""The moderator's transcript: public events, and events that were hidden during the game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from game.engine.events import PUBLIC, Event
from game.engine.visibility import View
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine


class ModeratorLines(TranscriptLines):
    """Builds the transcript with the deal, the secrets of the night, and straw polls.

    polled: The seats whose poll answers it shows. It must hold no person's: people answer a straw
    poll with the promise that no player ever sees their answers.
    """

    def __init__(
        self, view: View, seats: Mapping[int, Seat], *, polled: Collection[int], **more: Any
    ) -> None:
        super().__init__(view, seats, **more)
        self.polled = polled

    def _daylight_line(self, position: int, event: Event) -> TranscriptLine | None:
        if event.kind == "window_opened":
            return self._joint_line(position, event) or super()._daylight_line(position, event)
        wording = self.narrator.words(event)
        if event.kind in self.narrator.wording.ballot_lines(can_see_secrets=True):
            return self._vote(position, event)
        if wording.shape == "vote":
            return None  # its joint line stands where the poll was opened
        if event.audience == PUBLIC or wording.shape == "statement" or wording.together:
            return super()._daylight_line(position, event)
        text = self.narrator.say(wording.replay, event, deal=self._deal_text())
        return TranscriptLine(position, "told", text=text, icon=wording.icon) if text else None

    def _deal_text(self) -> str:
        dealt = [e for e in self.view.events if e.kind == "role_dealt"]
        return ", ".join(
            f"{self.narrator.seat(e['seat'])}: {self.narrator.role(e['role'])}" for e in dealt
        )

    def _joint_line(self, position: int, opened: Event) -> TranscriptLine | None:
        """Return one line with all answers to a question, at the position where it was opened.

        The log has these answers only later.
        """
        wording = self.narrator.wording.event(opened["kind"])
        if not wording.together:
            return None
        events_by_targets: dict[str, list[Event]] = {}
        for event in self.view.events[position:]:
            if event.data.get("window") == opened["key"] and event.data.get("seat") in self.polled:
                events_by_targets.setdefault(str(event.data.get("targets")), []).append(event)
        if not events_by_targets:
            return None
        most_first = sorted(events_by_targets.values(), key=len, reverse=True)
        answers = "; ".join(self._joint_answer(events) for events in most_first)
        unaddressed = replace(opened, data={**opened.data, "seats": []})
        text = self.narrator.say(
            wording.together, unaddressed, each=answers, round=self._round_text(position)
        )
        return TranscriptLine(position, "told", text=text, icon=wording.icon)

    def _joint_answer(self, events: list[Event]) -> str:
        """Return one sentence for all seats with the same answer."""
        speakers = self.narrator.listed([self.narrator.seat(e["seat"]) for e in events])
        words = self.narrator.words(events[0]).replay
        return self.narrator.say(words, events[0], who=speakers, several=len(events) > 1)

    def _round_text(self, position: int) -> str:
        """Return the round of an event, or its day if the game has no rounds."""
        phases = [e for e in self.view.events[:position] if e.kind == "phase_opened"]
        return str(phases[-1]["round"] or phases[-1]["day"]) if phases else ""
