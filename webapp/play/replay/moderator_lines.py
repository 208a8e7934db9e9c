"""The transcript with everything: the deal, the secrets of the night, and straw polls."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from game.engine.events import PUBLIC, Event
from game.engine.visibility import View
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine


class ModeratorLines(TranscriptLines):
    """Builds the transcript with the deal, the secrets of the night, and straw polls.

    It shows the answers of the seats `polled` to straw polls. None may be a person's: people are
    promised that no player ever sees their answers.
    """

    def __init__(self, view: View, seats: Mapping[int, Seat], *, polled: Collection[int]) -> None:
        super().__init__(view, seats)
        self.polled = polled

    def _build_line(self, position: int, event: Event) -> TranscriptLine | None:
        if event.kind == "window_opened":
            return self._joint_line(position, event) or super()._build_line(position, event)
        wording = self.narrator.wording_of(event)
        if event.kind in self.narrator.wording.ballot_lines(can_see_secrets=True):
            return self._vote_line(position, event)
        if wording.shape == "vote":
            return None  # its joint line stands where the poll was opened
        if event.audience == PUBLIC or wording.shape == "statement" or wording.together:
            return super()._build_line(position, event)
        text = self.narrator.say(wording.replay, event, deal=self._deal_text())
        return TranscriptLine(position, "told", text=text, icon=wording.icon) if text else None

    def _deal_text(self) -> str:
        seat, role = self.narrator.seat_name, self.narrator.role_name
        dealt = [e for e in self.view.events if e.kind == "role_dealt"]
        return ", ".join(f"{seat(e['seat'])}: {role(e['role'])}" for e in dealt)

    def _joint_line(self, position: int, window_opened: Event) -> TranscriptLine | None:
        """Return one line with all answers to a question, at the position where it was asked.

        The log has the answers only later.
        """
        wording = self.narrator.wording.event(window_opened["kind"])
        if not wording.together:
            return None
        events_by_targets: dict[str, list[Event]] = {}
        for event in self.view.events[position:]:
            if (
                event.data.get("window") == window_opened["key"]
                and event.data.get("seat") in self.polled
            ):
                events_by_targets.setdefault(str(event.data.get("targets")), []).append(event)
        if not events_by_targets:
            return None
        most_first = sorted(events_by_targets.values(), key=len, reverse=True)
        answers = "; ".join(self._joint_answer(events) for events in most_first)
        # Without its seats, because the wording would address them.
        unaddressed = replace(window_opened, data={**window_opened.data, "seats": []})
        parts = {"each": answers, "round": self._round_text(position)}
        text = self.narrator.say(wording.together, unaddressed, **parts)
        return TranscriptLine(position, "told", text=text, icon=wording.icon)

    def _joint_answer(self, events: list[Event]) -> str:
        """Return one sentence for all seats with the same answer."""
        speakers = self.narrator.join_names([self.narrator.seat_name(e["seat"]) for e in events])
        text = self.narrator.wording_of(events[0]).replay
        return self.narrator.say(text, events[0], who=speakers, several=len(events) > 1)

    def _round_text(self, position: int) -> str:
        """Return the round of an event, or its day if the game has no rounds."""
        phases = [e for e in self.view.events[:position] if e.kind == "phase_opened"]
        return str(phases[-1]["round"] or phases[-1]["day"]) if phases else ""
