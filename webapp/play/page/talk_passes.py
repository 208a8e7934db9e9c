"""Passes of talk, as a viewer's events show them: who was silent, who is done, what remains."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine import rulesets
from game.engine.events import PUBLIC, Event
from game.engine.ruleset import TalkLimits
from game.engine.side_questions import RATING_KIND
from game.engine.visibility import View
from game.engine.windows import Window
from webapp.play.page.sentences import join_names


@dataclass(frozen=True)
class TalkPass:
    """One pass of a talk.

    Attributes:
        answers: (position, event) in order.
        end: The position of the event that ends the pass, 0 while the pass is open.
    """

    kind: str
    answers: tuple[tuple[int, Event], ...]
    end: int

    @property
    def silent(self) -> list[tuple[int, Event]]:
        """The answers without words."""
        return [(position, event) for position, event in self.answers if event["manner"] != "say"]


def pass_at(view: View, position: int) -> TalkPass | None:
    """Return the pass of the answer at that position, None if the talk has no passes.

    A pass ends when a window of another pass or kind opens, or with the phase. A study's side
    questions between two statements do not end it.
    """
    answer, start = view.events[position - 1], position
    while start and view.events[start - 1].data.get("key") != answer["window"]:
        start -= 1
    number = view.events[start - 1].data.get("pass") if start else 0
    if not number:
        return None
    pass_key = (answer.kind, number)
    for at in range(start, 0, -1):
        event = view.events[at - 1]
        if _ends_pass(event, pass_key):
            break
        if event.kind == "window_opened" and event["kind"] == answer.kind:
            start = at  # events before it are the end of the pass before
    answers: list[tuple[int, Event]] = []
    for at in range(start, len(view.events) + 1):
        event = view.events[at - 1]
        if _ends_pass(event, pass_key):
            return TalkPass(answer.kind, tuple(answers), at)
        if event.kind == answer.kind:
            answers.append((at, event))
    return TalkPass(answer.kind, tuple(answers), 0)


def _ends_pass(event: Event, pass_key: tuple[str, int]) -> bool:
    """Return whether the pass `pass_key` (kind of window, number) ends at `event`."""
    if event.kind == "window_opened":
        return (
            event["kind"] != RATING_KIND and (event["kind"], event.data.get("pass", 0)) != pass_key
        )
    return event.kind in ("phase_opened", "game_over")


@dataclass(frozen=True)
class TalkProgress:
    """A talk under way.

    Attributes:
        number: The pass, from 1.
        used: Seat -> its answers so far.
        seats_done: Seats that get no more turns in this talk.
    """

    limits: TalkLimits
    number: int
    used: Counter[int]
    seats_done: frozenset[int]

    def turns_left(self, seat: int) -> int:
        """Return how often the seat can still speak in this talk."""
        return 0 if seat in self.seats_done else self.limits.answers_each - self.used[seat]

    @property
    def passes_left(self) -> int:
        """The most passes that can follow the present one."""
        return min(self.limits.passes, self.limits.answers_each) - self.number


def find_progress(view: View, window: Window) -> TalkProgress | None:
    """Return the progress of the talk of an open window, None if it has no passes."""
    limits = rulesets.get(view.state.ruleset).talk_limits(window.kind, view.state.settings)
    if limits is None or not window.moment.pass_:
        return None
    opened = view.phase_position(len(view.events))
    positions = view.positions_by_kind.get(window.kind, ())
    answers = [view.events[p - 1] for p in positions[bisect_right(positions, opened) :]]
    used = Counter(event["seat"] for event in answers)
    ended = {event["seat"] for event in answers if event["manner"] == "over"}
    used_up = {seat for seat, count in used.items() if count >= limits.answers_each}
    return TalkProgress(limits, window.moment.pass_, used, frozenset(ended | used_up))


def progress_texts(
    progress: TalkProgress, view: View, window: Window, seat_names: Mapping[int, str]
) -> list[str]:
    """Return in sentences what remains of an open window's talk, and who is done."""
    talkers = (window.answer_audience or PUBLIC).seats or view.state.living()
    texts = []
    if view.seat in talkers:
        left = progress.turns_left(view.seat)
        text = ngettext("You can speak once more.", "You can speak {count} more times.", left)
        texts.append(text.format(count=left) if left else _("You have finished speaking."))
    rounds = progress.passes_left
    text = ngettext(
        "The talk ends after one more round at the latest.",
        "The talk ends after {count} more rounds at the latest.",
        rounds,
    )
    texts.append(text.format(count=rounds) if rounds else _("This is the last round."))
    others = [seat for seat in talkers if seat in progress.seats_done and seat != view.seat]
    if others:
        done_names = join_names([seat_names[seat] for seat in others])
        texts.append(_("Done: {names}.").format(names=done_names))
        if view.seat in talkers and len(others) == len(talkers) - 1:
            texts.append(_("They can still read what you say but will not answer."))
    return texts
