"""Talks in passes: the answers of one pass, and how far an open talk has come.

In each pass every player of the talk answers once.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.engine import rulesets
from game.engine.events import PUBLIC, Event
from game.engine.ruleset import TalkLimits
from game.engine.side_questions import ROLE_GUESS_KIND
from game.engine.visibility import View
from game.engine.windows import Window
from webapp.play.page.narrator import join_names


@dataclass(frozen=True)
class TalkPass:
    """One pass of a talk: each player of the talk answers once, most with a statement."""

    kind: str  # kind of the windows in the talk
    answers: tuple[tuple[int, Event], ...]  # (position, event) in order
    end: int  # the position of the event that ends the pass, 0 while it is open


@dataclass(frozen=True)
class TalkProgress:
    """How far a talk in passes has come."""

    limits: TalkLimits
    pass_number: int  # number of the present pass, from 1
    answer_counts: Counter[int]  # seat -> number of its answers so far
    seats_done: frozenset[int]  # seats that get no more turns in this talk

    def turns_left(self, seat: int) -> int:
        """Return how often the seat can still speak in this talk."""
        return 0 if seat in self.seats_done else self.limits.max_answers - self.answer_counts[seat]

    @property
    def passes_left(self) -> int:
        """The maximum number of passes after the present one."""
        return min(self.limits.max_passes, self.limits.max_answers) - self.pass_number


def pass_at(view: View, position: int) -> TalkPass | None:
    """Return the pass of the answer at a position, None if the talk has no passes.

    A pass ends when a window of another pass or kind opens, or with the phase. A study's side
    questions between two statements do not end it (`ROLE_GUESS_KIND`).
    """
    answer, start = view.events[position - 1], position
    while start and view.events[start - 1].data.get("key") != answer["window"]:
        start -= 1
    number = view.events[start - 1].data.get("pass") if start else 0
    if not number:
        return None
    pass_key = (answer.kind, number)
    for earlier in range(start, 0, -1):
        event = view.events[earlier - 1]
        if _ends_pass(event, pass_key):
            break
        if event.kind == "window_opened" and event["kind"] == answer.kind:
            start = earlier  # the first window of the pass found so far
    answers: list[tuple[int, Event]] = []
    for later in range(start, len(view.events) + 1):
        event = view.events[later - 1]
        if _ends_pass(event, pass_key):
            return TalkPass(answer.kind, tuple(answers), later)
        if event.kind == answer.kind:
            answers.append((later, event))
    return TalkPass(answer.kind, tuple(answers), 0)


def _ends_pass(event: Event, pass_key: tuple[str, int]) -> bool:
    """Return whether the pass `pass_key` (kind of window, number) ends at `event`."""
    if event.kind == "window_opened":
        window_pass = (event["kind"], event.data.get("pass", 0))
        return event["kind"] != ROLE_GUESS_KIND and window_pass != pass_key
    return event.kind in ("phase_opened", "game_over")


def find_progress(view: View, window: Window) -> TalkProgress | None:
    """Return the progress of the talk of an open window, None if it has no passes."""
    limits = rulesets.get(view.state.ruleset).talk_limits(window.kind, view.state.settings)
    if limits is None or not window.moment.pass_:
        return None
    opened = view.phase_position(len(view.events))
    positions = view.positions_by_kind.get(window.kind, ())
    answers = [view.events[p - 1] for p in positions[bisect_right(positions, opened) :]]
    counts = Counter(event["seat"] for event in answers)
    ended = {event["seat"] for event in answers if event["manner"] == "over"}
    used_up = {seat for seat, count in counts.items() if count >= limits.max_answers}
    return TalkProgress(limits, window.moment.pass_, counts, frozenset(ended | used_up))


def progress_texts(
    progress: TalkProgress, view: View, window: Window, seat_names: Mapping[int, str]
) -> list[str]:
    """Return in sentences how much of an open window's talk is left, and who is done."""
    talkers = (window.answer_audience or PUBLIC).seats or view.state.living()
    texts = []
    if view.seat in talkers:
        turns = progress.turns_left(view.seat)
        text = ngettext("You can speak once more.", "You can speak {count} more times.", turns)
        texts.append(text.format(count=turns) if turns else _("You have finished speaking."))
    passes = progress.passes_left
    text = ngettext(
        "The talk ends after one more round at the latest.",
        "The talk ends after {count} more rounds at the latest.",
        passes,
    )
    texts.append(text.format(count=passes) if passes else _("This is the last round."))
    others_done = [seat for seat in talkers if seat in progress.seats_done and seat != view.seat]
    if others_done:
        done_names = join_names([seat_names[seat] for seat in others_done])
        texts.append(_("Done: {names}.").format(names=done_names))
        if view.seat in talkers and len(others_done) == len(talkers) - 1:
            texts.append(_("They can still read what you say but will not answer."))
    return texts
