"""Talk in passes as a viewer's events show it: who said nothing, who is done, what is left."""

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
from webapp.play.page.sentences import names


@dataclass(frozen=True)
class TalkPass:
    """One pass of a talk.

    answers: (position, event) in order. end: the position of what ends it, 0 while it goes on.
    """

    kind: str
    answers: tuple[tuple[int, Event], ...]
    end: int

    @property
    def silent(self) -> list[tuple[int, Event]]:
        """The answers without words."""
        return [(position, event) for position, event in self.answers if event["manner"] != "say"]


def pass_at(view: View, position: int) -> TalkPass | None:
    """Return the pass of the answer at that position, None where the talk has no passes.

    A pass ends with the next question of another pass or kind, or with the phase. Questions that
    a study asks between two statements do not end it.
    """
    answer, start = view.events[position - 1], position
    while start and view.events[start - 1].data.get("key") != answer["window"]:
        start -= 1
    number = view.events[start - 1].data.get("pass") if start else 0
    if not number:
        return None
    mark = (answer.kind, number)
    for at in range(start, 0, -1):
        event = view.events[at - 1]
        if _ends(event, mark):
            break
        if event.kind == "window_opened" and event["kind"] == answer.kind:
            start = at  # events before it are the end of the pass before
    answers: list[tuple[int, Event]] = []
    for at in range(start, len(view.events) + 1):
        event = view.events[at - 1]
        if _ends(event, mark):
            return TalkPass(answer.kind, tuple(answers), at)
        if event.kind == answer.kind:
            answers.append((at, event))
    return TalkPass(answer.kind, tuple(answers), 0)


def _ends(event: Event, mark: tuple[str, int]) -> bool:
    """Return whether the pass `mark` (kind of window, number) is over at `event`."""
    if event.kind == "window_opened":
        return event["kind"] != RATING_KIND and (event["kind"], event.data.get("pass", 0)) != mark
    return event.kind in ("phase_opened", "game_over")


@dataclass(frozen=True)
class TalkProgress:
    """A talk under way.

    number: of the pass. used: seat -> its answers so far. seats_done: they are asked no more.
    """

    limits: TalkLimits
    number: int
    used: Counter[int]
    seats_done: frozenset[int]

    def talks_left(self, seat: int) -> int:
        """Return how often the seat can still answer in this talk."""
        return 0 if seat in self.seats_done else self.limits.answers_each - self.used[seat]

    @property
    def passes_left(self) -> int:
        """The most passes that can follow the present one."""
        return min(self.limits.passes, self.limits.answers_each) - self.number


def progress_of(view: View, window: Window) -> TalkProgress | None:
    """Return how far the talk of an open window is, None where it has no passes."""
    limits = rulesets.get(view.state.ruleset).talk_limits(window.kind, view.state.settings)
    if limits is None or not window.moment.pass_:
        return None
    opened = view.phase_position(len(view.events))
    places = view.positions_by_kind.get(window.kind, ())
    answers = [view.events[p - 1] for p in places[bisect_right(places, opened) :]]
    used = Counter(event["seat"] for event in answers)
    over = {event["seat"] for event in answers if event["manner"] == "over"}
    spent = {seat for seat, count in used.items() if count >= limits.answers_each}
    return TalkProgress(limits, window.moment.pass_, used, frozenset(over | spent))


def progress_texts(
    progress: TalkProgress, view: View, window: Window, seat_names: Mapping[int, str]
) -> list[str]:
    """Return what is left of the talk of an open window, and who is done, in sentences."""
    talkers = (window.answer_audience or PUBLIC).seats or view.state.living()
    texts = []
    if view.seat in talkers:
        left = progress.talks_left(view.seat)
        text = ngettext("You can speak once more.", "You can speak {count} more times.", left)
        texts.append(text.format(count=left) if left else _("You are done."))
    rounds = progress.passes_left
    text = ngettext(
        "The talk ends after one more round at the latest.",
        "The talk ends after {count} more rounds at the latest.",
        rounds,
    )
    texts.append(text.format(count=rounds) if rounds else _("This is the last round."))
    others = [seat for seat in talkers if seat in progress.seats_done and seat != view.seat]
    if others:
        done = names([seat_names[seat] for seat in others])
        texts.append(_("Done: {names}.").format(names=done))
        if view.seat in talkers and len(others) == len(talkers) - 1:
            texts.append(_("They still hear you, and do not answer any more."))
    return texts
