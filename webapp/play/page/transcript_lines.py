"""Turns a viewer's events into transcript lines, with the ruleset's wording and shapes.

Opening and closing of most windows makes no line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from game.engine.events import PUBLIC, Event
from game.engine.moments import Moment
from game.engine.text_checks import mention_in
from game.engine.visibility import View, is_emptied
from game.engine.wording import Shape
from webapp.play.page.narrator import Narrator
from webapp.play.page.sentences import label_text, role_name, tally_sentence, vote_label
from webapp.play.page.talk_passes import TalkPass, pass_at
from webapp.play.page.transcript_parts import Seat, TranscriptLine

# A page begins with the latest lines, and older ones are loaded in blocks. A block has at least
# LEAST lines and begins where a phase opens; if a phase is very long, it has MOST lines.
MIN_LATEST_LINES, MAX_LATEST_LINES = 150, 300


class TranscriptLines:
    """Builds one viewer's transcript lines, in that viewer's words."""

    def __init__(self, view: View, seats: Mapping[int, Seat]) -> None:
        self.view, self.seats = view, seats
        self.narrator = Narrator.of(view)
        self.ruleset = self.narrator.ruleset

    def entries(self, first: int = 1) -> list[TranscriptLine]:
        """List the lines of the events from position `first` on.

        Before them comes the line of a pass of talk that began earlier and has ended since.
        """
        positions = range(first, len(self.view.events) + 1)
        late = self._late(first) if positions else []
        return [*late, *(line for position in positions if (line := self.line(position)))]

    def _late(self, first: int) -> list[TranscriptLine]:
        """List the line of a pass, before position `first`, that could not be told until now."""
        spoken = self.narrator.wording.of_shape("statement")
        latest = None  # the pass that the event before `first` belongs to
        for position in range(first - 1, self.view.phase_at(first - 1), -1):
            event = self.view.events[position - 1]
            if event.kind == "window_opened" and event.data.get("pass"):
                latest = latest or (event["kind"], event["pass"])
                if latest != (event["kind"], event["pass"]):
                    return []
            if event.kind in spoken and event["manner"] != "say" and (line := self.line(position)):
                talk = pass_at(self.view, position)
                return [line] if talk and talk.end >= first else []
        return []

    def latest(self, before: int) -> tuple[list[TranscriptLine], bool]:
        """Return the last lines before position `before`, and whether there are older ones.

        Their number depends on LEAST and MOST.
        """
        latest_lines: list[TranscriptLine] = []
        for position in range(min(before, len(self.view.events) + 1) - 1, 0, -1):
            if line := self.line(position):
                if len(latest_lines) == MAX_LATEST_LINES or (
                    len(latest_lines) >= MIN_LATEST_LINES and latest_lines[-1].kind == "phase"
                ):
                    return latest_lines[::-1], True
                latest_lines.append(line)
        return latest_lines[::-1], False

    def amended(self) -> list[TranscriptLine]:
        """List the lines that have changed since they were shown, because their text was
        removed.
        """
        return [line for position in self.view.emptied if (line := self.line(position))]

    def line(self, position: int) -> TranscriptLine | None:
        """Return the line of the event at that position, None if it makes none."""
        entry = self._entry(position, self.view.events[position - 1])
        return replace(entry, night=True) if entry and self._is_night(position) else entry

    def _is_night(self, position: int) -> bool:
        opened = self.view.phase_at(position)
        return opened > 0 and self.narrator.is_night(self.view.events[opened - 1]["phase"])

    def _entry(self, position: int, event: Event) -> TranscriptLine | None:
        if event.kind == "window_opened":
            return self._whispers(position, event)
        its = self.narrator.words(event)
        entry = _SHAPES[its.shape](self, position, event)
        if entry and (its.icon or its.chapter):  # most lines have neither, and a copy is slow
            return replace(entry, icon=its.icon, chapter=its.chapter)
        return entry

    def _whispers(self, position: int, opened: Event) -> TranscriptLine | None:
        """Return the head above the whispers of a phase, where the first of them is asked for."""
        its = self.narrator.wording.window(opened["kind"])
        if not its.hears or opened.audience.kind != "seats":
            return None
        for earlier in range(self.view.phase_at(position) + 1, position):
            if self.view.events[earlier - 1].data.get("kind") == opened["kind"]:
                return None
        hearers = tuple(self.seats[seat] for seat in opened.audience.seats)
        title = _(its.title) if its.title else ""
        return TranscriptLine(position, "whispers", title=title, text=_(its.hears), hearers=hearers)

    def _silent(self, position: int, event: Event) -> TranscriptLine | None:
        return None

    def _phase(self, position: int, event: Event) -> TranscriptLine:
        moment = Moment(day=event["day"], phase=event["phase"], round=event["round"])
        its = self.narrator.wording.phase(event["phase"])
        text, title = self.narrator.phase_text(its.text, moment), self.narrator.title(moment)
        return TranscriptLine(position, "phase", text=text, title=title)

    def _private(self, position: int, event: Event) -> TranscriptLine | None:
        text = self.narrator.event_text(event)
        if not text:
            return None
        key = str(event.data.get("role", "")) if event.data.get("seat") else ""
        return TranscriptLine(
            position, "private", text=text, role=role_name(self.ruleset.name, key), role_key=key
        )

    def _moderator(self, position: int, event: Event) -> TranscriptLine | None:
        text = self.narrator.event_text(event)
        label = label_text(event.labels)
        return TranscriptLine(position, "moderator", text=text, label=label) if text else None

    def _statement(self, position: int, event: Event) -> TranscriptLine | None:
        if event["manner"] != "say" and (talk := pass_at(self.view, position)):
            return self._passed(position, talk)
        return TranscriptLine(
            position,
            "statement",
            text=event.data.get("text", ""),
            speaker=self.seats[event["seat"]],
            addressed=self._addressed(position, event),
            silent=event["manner"] != "say",
            label=label_text(event.labels),
            removed=self._removed(event),
            hears="" if event.audience == PUBLIC else self._hears(event),
        )

    def _addressed(self, position: int, event: Event) -> str:
        """Return whom a statement addresses, "" for everybody.

        The rules know one addressee, the first `@Name`. A reader sees all whom it names so.
        """
        seats: list[int] = list(event.data.get("targets") or ())
        text, state = event.data.get("text", ""), self.view.state
        names = {name: seat for seat, name in enumerate(state.seats, 1)}
        while seats and text:
            start, end = mention_in(text, names)
            seat, text = names.get(text[start + 1 : end]), text[end:] if end > 0 else ""
            if seat and seat not in (*seats, event["seat"]) and self._lives(seat, position):
                seats.append(seat)
        return self.narrator.listed([self.seats[seat].name for seat in seats])

    def _lives(self, seat: int, position: int) -> bool:
        earlier = self.view.events[: position - 1]
        return all(e.kind != "out" or e["seat"] != seat for e in earlier)

    def _passed(self, position: int, talk: TalkPass) -> TranscriptLine | None:
        """Return the line of all who said nothing in a pass, once it is over."""
        silent = talk.silent
        if not talk.end or position != silent[-1][0]:
            return None
        seats: dict[str, list[int]] = {}
        labels = []
        for _position, event in silent:
            seats.setdefault("over" if event["manner"] == "over" else "skip", []).append(
                event["seat"]
            )
            if label := label_text(event.labels):
                labels.append(f"{self.seats[event['seat']].name}: {label}")
        everyone = len(silent) == len(talk.answers) and len(seats) == 1
        texts = [
            self.narrator.passed_text(talk.kind, manner, those, everyone=everyone)
            for manner, those in sorted(seats.items(), reverse=True)
        ]
        _position, last = silent[-1]
        return TranscriptLine(
            position,
            "passed",
            text=" ".join(texts),
            silent=True,
            label="; ".join(labels),
            hears="" if last.audience == PUBLIC else self._hears(last),
        )

    def _hears(self, event: Event) -> str:
        """Return the listeners of a private statement, in a sentence."""
        return _(self.narrator.wording.window(event.kind).hears or "Not everybody hears this.")

    def _removed(self, event: Event) -> str:
        """Return why the text of a statement was removed, "" if it is there.

        At a blind table nobody learns whether a person withdrew it.
        """
        if not is_emptied(event):
            return ""
        seat = self.seats[event["seat"]]
        if not seat.kind:
            return _("These words were taken out.")
        if seat.erased:
            return _("Whoever sat here has taken these words back.")
        return _("The host took these words out.")

    def _vote(self, position: int, event: Event) -> TranscriptLine:
        its, targets = self.narrator.words(event), event.data.get("targets")
        its_words = its.table or its.replay  # those of a secret vote
        return TranscriptLine(
            position,
            "vote",
            text=self.narrator.event_text(event) or self.narrator.say(its_words, event),
            marked=self.narrator.say_as_html(its_words, event),
            speaker=self.seats[event["seat"]],
            target=self.seats.get(targets[0]) if targets else None,
            label=vote_label(event.labels, bool(targets)),
            tally=self._tally(position, event),
        )

    def _tally(self, position: int, vote: Event) -> str:
        """Return the counts of a ballot and what decides a tie, "" before its last vote."""
        if position == len(self.view.events) or self._same_ballot(position + 1, vote):
            return ""
        first = position
        while self._same_ballot(first - 1, vote):
            first -= 1
        votes = self.view.events[first - 1 : position]
        counts = Counter(self.seats[s].name for e in votes for s in e.data.get("targets") or [])
        if len(votes) <= 2:
            return ""
        ranked = [count for _name, count in counts.most_common(2)]
        if ranked[:1] != ranked[1:]:  # one leader; without any vote both are empty
            return tally_sentence(counts)
        tied = self.narrator.say(self.narrator.words(vote).tied, vote, voted=bool(counts))
        return f"{tally_sentence(counts)} {tied}".strip()

    def _same_ballot(self, position: int, vote: Event) -> bool:
        events = self.view.events
        if not 0 < position <= len(events):
            return False
        other_event = events[position - 1]
        return other_event.kind == vote.kind and other_event.data.get("window") == vote["window"]

    def _out(self, position: int, event: Event) -> TranscriptLine:
        key = event.data.get("role", "")
        return TranscriptLine(
            position,
            "out",
            text=self.narrator.event_text(event),
            speaker=self.seats[event["seat"]],
            role=role_name(self.ruleset.name, key),
            role_key=key,
        )

    def _over(self, position: int, event: Event) -> TranscriptLine:
        return TranscriptLine(position, "over", text=self.narrator.event_text(event))


_SHAPES: dict[Shape, Callable[[TranscriptLines, int, Event], TranscriptLine | None]] = {
    "": TranscriptLines._silent,
    "phase": TranscriptLines._phase,
    "moderator": TranscriptLines._moderator,
    "private": TranscriptLines._private,
    "statement": TranscriptLines._statement,
    "vote": TranscriptLines._vote,
    "out": TranscriptLines._out,
    "over": TranscriptLines._over,
}
