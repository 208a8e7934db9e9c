"""Turns a viewer's events into the lines of the transcript, as the ruleset's wording says.

Most windows make no line when they open or close. A pass of a talk makes one line for all players
who said nothing in it. `sort_talk` groups the others' statements by whether the viewer believes
them, from the viewer's ratings. `list_statements` lists those that a viewer can remove or report.
Their buttons are not beside the lines: a screen reader would read one with every line, and the Tab
key would stop at each. At a blind table a list holds everyone's statements, so that it does not
reveal who is a person.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from django.utils.html import escape
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from agents.faculties.reliability import scores_after
from agents.packs import pack_of
from game.engine import rulesets
from game.engine.events import PUBLIC, Event, Moment
from game.engine.ruleset import Ruleset
from game.engine.text_checks import find_mention
from game.engine.visibility import View, has_removed_text
from game.engine.wording import Shape
from webapp.play.page.answer_forms import own_ratings
from webapp.play.page.narrator import Narrator, label_text, role_name, tally_sentence, vote_label
from webapp.play.page.talk_passes import TalkPass, pass_at
from webapp.play.page.transcript_parts import (
    ListedStatement,
    Seat,
    SortedTalk,
    StatementList,
    TalkGroup,
    TranscriptLine,
)

# A page begins with the latest lines. Older ones are loaded in blocks. A block has at least the
# minimum, and begins where a phase opens unless it would exceed the maximum.
MIN_LATEST_LINES, MAX_LATEST_LINES = 150, 300
# The limit of the newest sorted statements together. A frame holds 60,000.
MAX_SORTED_BYTES = 30_000
LINE_OVERHEAD_BYTES = 200  # the markup of a statement, estimated
# A list is sent to every viewer with every statement, so it is short: a pass of thirteen players.
# The page of older lines lists older statements.
MAX_LISTED = 15
MAX_SEARCHED = 300  # newest statements that are searched for those to list
MAX_EXCERPT_CHARS = 90  # enough for a reader to recognise the statement


class TranscriptLines:
    """Builds the lines of one viewer. A position counts the events of their view from 1."""

    def __init__(self, view: View, seats: Mapping[int, Seat]) -> None:
        self.view, self.seats = view, seats
        self.narrator = Narrator.of(view)
        self.ruleset = self.narrator.ruleset

    def entries(self, first: int = 1) -> list[TranscriptLine]:
        """List the lines of the events from position `first` on.

        The line of a pass that began earlier and ended since comes before them.
        """
        positions = range(first, len(self.view.events) + 1)
        delayed = self._delayed_line(first) if positions else None
        lines = [line for position in positions if (line := self.line(position))]
        return [delayed, *lines] if delayed else lines

    def _delayed_line(self, first: int) -> TranscriptLine | None:
        """Return the line of a pass that began before position `first` and ended at it or later."""
        statement_kinds = self.narrator.wording.kinds_of_shape("statement")
        last_pass = None  # the pass of the event before `first`
        for position in range(first - 1, self.view.phase_position(first - 1), -1):
            event = self.view.events[position - 1]
            if event.kind == "window_opened" and event.data.get("pass"):
                last_pass = last_pass or (event["kind"], event["pass"])
                if last_pass != (event["kind"], event["pass"]):
                    return None
            is_silent = event.kind in statement_kinds and event["manner"] != "say"
            if is_silent and (line := self.line(position)):
                talk = pass_at(self.view, position)
                return line if talk and talk.end >= first else None
        return None

    def latest(self, before: int) -> tuple[list[TranscriptLine], bool]:
        """Return a block of the last lines before `before`, and whether there are older ones."""
        latest_lines: list[TranscriptLine] = []
        for position in range(min(before, len(self.view.events) + 1) - 1, 0, -1):
            if line := self.line(position):
                count = len(latest_lines)
                is_block = count >= MIN_LATEST_LINES and latest_lines[-1].kind == "phase"
                if is_block or count == MAX_LATEST_LINES:
                    return latest_lines[::-1], True
                latest_lines.append(line)
        return latest_lines[::-1], False

    def amended(self) -> list[TranscriptLine]:
        """List the lines whose text was removed, because a page may have shown them with it."""
        return [line for position in self.view.removed_texts if (line := self.line(position))]

    def line(self, position: int) -> TranscriptLine | None:
        """Return the line of the event at a position, None if it makes none."""
        line = self._build_line(position, self.view.events[position - 1])
        opened = self.view.phase_position(position)
        is_night = opened and self.narrator.is_night(self.view.events[opened - 1]["phase"])
        return replace(line, is_night=True) if line and is_night else line

    def _build_line(self, position: int, event: Event) -> TranscriptLine | None:
        """Build the line of an event, without the mark that it was at night."""
        if event.kind == "window_opened":
            return self._whispers_heading(position, event)
        wording = self.narrator.wording_of(event)
        line = _LINE_BUILDERS[wording.shape](self, position, event)
        if line and (wording.icon or wording.is_chapter):  # most have neither, and a copy is slow
            return replace(line, icon=wording.icon, is_chapter=wording.is_chapter)
        return line

    def _whispers_heading(self, position: int, opened: Event) -> TranscriptLine | None:
        """Return the heading of a phase's whispers, at the opening of their first window."""
        wording = self.narrator.wording.window(opened["kind"])
        if not wording.hears or opened.audience.kind != "seats":
            return None
        for earlier in range(self.view.phase_position(position) + 1, position):
            if self.view.events[earlier - 1].data.get("kind") == opened["kind"]:
                return None
        hearers = tuple(self.seats[seat] for seat in opened.audience.seats)
        text, title = _(wording.hears), _(wording.title) if wording.title else ""
        return TranscriptLine(position, "whispers", text=text, title=title, hearers=hearers)

    def _phase_line(self, position: int, event: Event) -> TranscriptLine:
        moment = Moment(day=event["day"], phase=event["phase"], round=event["round"])
        wording = self.narrator.wording.phase(event["phase"])
        text, title = (
            self.narrator.phase_text(wording.text, moment),
            self.narrator.phase_title(moment),
        )
        return TranscriptLine(position, "phase", text=text, title=title)

    def _private_line(self, position: int, event: Event) -> TranscriptLine | None:
        text = self.narrator.event_text(event)
        if not text:
            return None
        key = str(event.data.get("role", "")) if event.data.get("seat") else ""
        role = role_name(self.ruleset.name, key)
        return TranscriptLine(position, "private", text=text, role=role, role_key=key)

    def _moderator_line(self, position: int, event: Event) -> TranscriptLine | None:
        text = self.narrator.event_text(event)
        label = label_text(event.labels)
        return TranscriptLine(position, "moderator", text=text, label=label) if text else None

    def _statement_line(self, position: int, event: Event) -> TranscriptLine | None:
        if event["manner"] != "say" and (talk := pass_at(self.view, position)):
            return self._pass_line(position, talk)
        return TranscriptLine(
            position,
            "statement",
            text=event.data.get("text", ""),
            speaker=self.seats[event["seat"]],
            addressed=self._addressee_names(position, event),
            is_silent=event["manner"] != "say",
            label=label_text(event.labels),
            removed=self._removal_text(event),
            hears="" if event.audience == PUBLIC else self._hearers_text(event),
        )

    def _addressee_names(self, position: int, event: Event) -> str:
        """Return the names of a statement's addressees, "" for everyone.

        The rules know only the first `@Name`. A reader sees every player that is named this way.
        """
        seats: list[int] = list(event.data.get("targets") or ())
        text, state = event.data.get("text", ""), self.view.state
        names = {name: seat for seat, name in enumerate(state.seats, 1)}
        positions_out = self.view.positions_by_kind.get("out", ())
        out = [self.view.events[p - 1]["seat"] for p in positions_out if p < position]
        while seats and text:
            start, end = find_mention(text, names)
            seat, text = names.get(text[start + 1 : end]), text[end:] if end > 0 else ""
            if seat and seat not in (*seats, event["seat"], *out):
                seats.append(seat)
        return self.narrator.join_names([self.seats[seat].name for seat in seats])

    def _pass_line(self, position: int, talk: TalkPass) -> TranscriptLine | None:
        """Return the line that names all silent players of a pass, once the pass is over."""
        silent = [(p, event) for p, event in talk.answers if event["manner"] != "say"]
        if not talk.end or position != silent[-1][0]:
            return None
        seats_by_manner: dict[str, list[int]] = {}
        labels = []
        for _position, event in silent:
            manner = "over" if event["manner"] == "over" else "skip"
            seats_by_manner.setdefault(manner, []).append(event["seat"])
            if label := label_text(event.labels):
                labels.append(f"{self.seats[event['seat']].name}: {label}")
        is_everyone = len(silent) == len(talk.answers) and len(seats_by_manner) == 1
        texts = [
            self.narrator.passed_text(talk.kind, manner, seats, is_everyone=is_everyone)
            for manner, seats in sorted(seats_by_manner.items(), reverse=True)
        ]
        _position, last = silent[-1]
        return TranscriptLine(
            position,
            "passed",
            text=" ".join(texts),
            is_silent=True,
            label="; ".join(labels),
            hears="" if last.audience == PUBLIC else self._hearers_text(last),
        )

    def _hearers_text(self, event: Event) -> str:
        return _(self.narrator.wording.window(event.kind).hears or "Not everyone can see this.")

    def _removal_text(self, event: Event) -> str:
        """Return why the text of a statement was removed, "" if it was not.

        A blind table does not reveal whether a person withdrew it.
        """
        if not has_removed_text(event):
            return ""
        seat = self.seats[event["seat"]]
        if not seat.kind:
            return _("This text was removed.")
        if seat.is_erased:
            return _("The player has withdrawn this text.")
        return _("The host removed this text.")

    def _vote_line(self, position: int, event: Event) -> TranscriptLine:
        wording, targets = self.narrator.wording_of(event), event.data.get("targets")
        text = wording.table or wording.replay  # a secret vote has a text only for the replay
        return TranscriptLine(
            position,
            "vote",
            text=self.narrator.event_text(event) or self.narrator.say(text, event),
            marked=self.narrator.say_as_html(text, event),
            speaker=self.seats[event["seat"]],
            target=self.seats.get(targets[0]) if targets else None,
            label=vote_label(event.labels, bool(targets)),
            tally=self._tally_text(position, event),
        )

    def _tally_text(self, position: int, vote: Event) -> str:
        """Return a ballot's counts and how a tie is decided, "" before the ballot's last vote."""
        if position == len(self.view.events) or self._is_of_ballot(position + 1, vote):
            return ""
        first = position
        while self._is_of_ballot(first - 1, vote):
            first -= 1
        votes = self.view.events[first - 1 : position]
        counts = Counter(self.seats[s].name for e in votes for s in e.data.get("targets") or [])
        if len(votes) <= 2:
            return ""
        top_counts = [count for _name, count in counts.most_common(2)]
        if top_counts[:1] != top_counts[1:]:  # one leader; without any vote both are empty
            return tally_sentence(counts)
        tied = self.narrator.say(self.narrator.wording_of(vote).tied, vote, voted=bool(counts))
        return f"{tally_sentence(counts)} {tied}".strip()

    def _is_of_ballot(self, position: int, vote: Event) -> bool:
        """Return whether the event at a position is a vote of the same ballot as `vote`."""
        events = self.view.events
        if not 0 < position <= len(events):
            return False
        other_event = events[position - 1]
        return other_event.kind == vote.kind and other_event.data.get("window") == vote["window"]

    def _out_line(self, position: int, event: Event) -> TranscriptLine:
        key, text = event.data.get("role", ""), self.narrator.event_text(event)
        role, speaker = role_name(self.ruleset.name, key), self.seats[event["seat"]]
        return TranscriptLine(position, "out", text=text, speaker=speaker, role=role, role_key=key)


_LINE_BUILDERS: dict[Shape, Callable[[TranscriptLines, int, Event], TranscriptLine | None]] = {
    "": lambda lines, position, event: None,
    "phase": TranscriptLines._phase_line,
    "moderator": TranscriptLines._moderator_line,
    "private": TranscriptLines._private_line,
    "statement": TranscriptLines._statement_line,
    "vote": TranscriptLines._vote_line,
    "out": TranscriptLines._out_line,
    "over": lambda lines, position, event: TranscriptLine(
        position, "over", text=lines.narrator.event_text(event)
    ),
}


def sort_talk(view: View, ruleset: Ruleset, seats: Mapping[int, Seat]) -> SortedTalk | None:
    """Group the others' statements by whether the viewer believes them, oldest first.

    Return None before the viewer's first rating. Only what the viewer rated and read counts.
    """
    # The notes have the shape of those of an agent's mind, so that the same scores apply.
    notes = [
        {"ratings": event["ratings"], "upto": position, "standing": True}
        for position, event in own_ratings(view)
    ]
    if not any(note["ratings"] for note in notes):
        return None
    scores = scores_after(notes, view.role, pack_of(ruleset).hunted)
    groups: dict[bool | None, list[TranscriptLine]] = {True: [], False: [], None: []}
    lines, has_more = _newest_statements(view, seats)
    for line in lines:
        if line.speaker:
            groups[scores.is_believed(line.speaker.number, line.position)].append(line)
    titles = (_("From players you believe"), _("From players you doubt"), _("Not judged yet"))
    talk_groups = [TalkGroup(*group) for group in zip(titles, groups.values(), strict=True)]
    return SortedTalk(talk_groups, has_more)


def _newest_statements(view: View, seats: Mapping[int, Seat]) -> tuple[list[TranscriptLine], bool]:
    """Return the newest statements of the others that fit, and whether there are older ones."""
    builder, bytes_left = TranscriptLines(view, seats), MAX_SORTED_BYTES
    statements: list[TranscriptLine] = []
    kinds = builder.narrator.wording.kinds_of_shape("statement")
    for position, event in view.newest_events(kinds):
        line = builder.line(position)
        if line is None or event["seat"] == view.seat or line.is_silent:
            continue
        bytes_left -= len(escape(line.removed or line.text).encode()) + LINE_OVERHEAD_BYTES
        if bytes_left < 0:
            return statements[::-1], True
        statements.append(line)
    return statements[::-1], False


def list_statements(
    view: View,
    seats: Mapping[int, Seat],
    action: str,
    lines: range | None = None,
    *,
    excluded_seat: int = 0,
    reported_keys: Collection[str] = (),
) -> StatementList:
    """List the statements that a viewer can remove or report, the newest first.

    Args:
        action: "remove_words" for the host, "report" for other players.
        lines: Positions. If given, all statements at these positions are listed, and no others.
        excluded_seat: The viewer's own seat, if its statements are not listed.
        reported_keys: Keys of the statements that the viewer has reported (`Snapshot.reported`).
    """
    kinds = rulesets.get(view.state.ruleset).wording.kinds_of_shape("statement")
    newest = view.newest_events(kinds)
    if lines is not None:
        newest = ((number, view.events[number - 1]) for number in reversed(lines))
    statements: list[ListedStatement] = []
    for searched, (position, event) in enumerate(newest):
        if lines is None and (len(statements) == MAX_LISTED or searched == MAX_SEARCHED):
            return StatementList(tuple(statements), has_more=True)
        is_statement = event.data.get("manner") == "say" and event.data.get("text")
        if not is_statement or event["seat"] == excluded_seat:
            continue
        seat = seats[event["seat"]]
        if seat.kind == "computer":
            continue
        key = f"{event['window']}:{event['seat']}"
        is_reported = key in reported_keys
        statements.append(
            _listed_statement(position, seat.name, event["text"], f"{action}:{key}", is_reported)
        )
    return StatementList(tuple(statements))


@lru_cache(maxsize=2000)  # cutting a text takes longer than the rest of a list
def _listed_statement(
    position: int, name: str, text: str, action: str, is_reported: bool
) -> ListedStatement:
    excerpt = Truncator(text).chars(MAX_EXCERPT_CHARS)
    return ListedStatement(position, name, excerpt, action, is_reported)
