"""The form in which a viewer chooses: picks, ratings, or a private guess at night."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.reliability_scale import ratings_in_note
from game.cached_games import OpenWindow
from game.engine.events import PUBLIC, Event
from game.engine.forms import Pick, Ratings, Speech
from game.engine.labels import TIMEOUT
from game.engine.visibility import View
from game.engine.windows import Window
from game.models import Player
from webapp.play.page.desk_storage import GUESS_KEY
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.viewer_windows import ChoiceOption, ViewerWindows

GUESS_KIND = "guess"  # kind of the form for a private guess at night
RATING_MANNERS = ("rate", "nothing")  # values of "manner" in the answers to rating forms


@dataclass(frozen=True)
class RatingField:
    """A player to be rated, with the viewer's latest rating."""

    seat: Seat
    role: str  # its key, "" for none
    confidence: int  # 0 for none


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str  # its key
    kind: str  # of the window, or "guess" for a private guess, which the rules do not ask for
    title: str
    help: str
    options: list[ChoiceOption]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    can_abstain: bool = False
    is_ballot: bool = False
    rows: list[RatingField] = field(default_factory=list)  # if players are rated
    roles: list[tuple[str, str]] = field(default_factory=list)  # (key, name) for a rating
    confidences: list[int] = field(default_factory=list)
    max_reason_words: int = 0  # 0: no reason is requested
    reason: str = ""  # the one already given
    is_answered: bool = False  # the answer is in; it can be changed until the window closes
    has_timed_out: bool = False  # the rules gave that answer, because the time ran out
    submit: str = ""  # the label of the button
    has_ratings: bool = False  # some of the rows were filled before
    earlier_answers: list[str] = field(default_factory=list)  # of others, to the same question


class Choices:
    """Builds the choice that one viewer can make now."""

    def __init__(self, windows: ViewerWindows) -> None:
        self.windows, self.seats, self.narrator = windows, windows.seats, windows.narrator
        self.game, self.view, self.state = windows.game, windows.view, windows.state

    def current(self) -> Choice | None:
        """Return the viewer's open choice or ratings, else at night a private guess."""
        choices = [o for o in self.windows.own_windows if not isinstance(o.window.legal, Speech)]
        # Unanswered questions come first; otherwise the latest answer can be changed.
        for window in [*(o for o in choices if self.view.seat not in o.answers), *choices[::-1]]:
            legal = window.window.legal
            if isinstance(legal, Pick):
                return self._build_pick(window, legal)
            if isinstance(legal, Ratings):
                return self._build_ratings(window, legal)
        return self._build_guess()

    def _build_pick(self, window: OpenWindow, legal: Pick) -> Choice:
        answer = window.answers.get(self.view.seat)
        chosen = answer.action.targets if answer else ()
        options = [
            self.windows.build_option(window.window, o, o in chosen)
            for o in legal.options_for(self.view.seat)
        ]
        return replace(
            self._base_choice(window, is_answered=answer is not None),
            options=options,
            count=legal.count,
            can_abstain=legal.may_abstain,
            max_reason_words=legal.max_reason_words,
            reason=answer.action.text if answer else "",
        )

    def _build_ratings(self, window: OpenWindow, legal: Ratings) -> Choice:
        answer = window.answers.get(self.view.seat)
        events = own_ratings(self.view)
        ratings = {r.seat: r for _position, event in events for r in ratings_in_note(event.data)}
        ratings |= {r.seat: r for r in answer.action.ratings} if answer else {}
        rows = []
        for option in legal.options_for(self.view.seat):
            rating = ratings.get(int(option))
            role, confidence = (rating.role, rating.confidence) if rating else ("", 0)
            rows.append(RatingField(self.seats[int(option)], role, confidence))
        roles = [(key, self.narrator.role(key)) for key in legal.roles]
        return replace(
            self._base_choice(window, is_answered=answer is not None),
            rows=rows,
            has_ratings=any(row.role for row in rows),
            roles=[*roles, (legal.choices[-1], _("can’t tell"))],
            confidences=list(range(legal.min_confidence, legal.max_confidence + 1)),
        )

    def _base_choice(self, window: OpenWindow, *, is_answered: bool) -> Choice:
        """Build the fields of a choice that picks and ratings have in common."""
        wording = self.narrator.wording.window(window.window.kind)
        return Choice(
            window=window.window.key,
            kind=window.window.kind,
            title=_(wording.title) if wording.title else _("Your choice"),
            help=self._help(window, is_answered=is_answered),
            options=[],
            is_ballot=wording.is_ballot,
            is_answered=is_answered,
            has_timed_out=is_answered and TIMEOUT in window.answers[self.view.seat].labels,
            submit=_(wording.button) if wording.button else _("Choose"),
            earlier_answers=self._earlier_answers(window.window),
        )

    def _help(self, window: OpenWindow, *, is_answered: bool) -> str:
        """Return the rules of a choice. For an open vote, add until when it can be changed."""
        wording = self.narrator.wording.window(window.window.kind)
        text = self.narrator.window_text(wording.help, window.window) or _count_help(window.window)
        if not wording.is_ballot or is_answered:  # choice.html says it for an answered vote
            return text
        # Where the count is secret, a voter must not learn that theirs is the last missing vote.
        is_last = window.missing == (self.view.seat,) and self.windows.disclosed.can_show_count
        until = (
            _("All other votes are in. You cannot change yours.")
            if is_last
            else _("You can change your vote until everyone has voted.")
        )
        return f"{text} {until}"

    def _earlier_answers(self, window: Window) -> list[str]:
        """List the answers in this phase to the same question, if only some players see them."""
        newest = self.view.newest_events(["phase_opened", window.kind])
        in_this_phase = takewhile(lambda item: item[1].kind == window.kind, newest)
        secret_events = [event for _position, event in in_this_phase if event.audience != PUBLIC]
        return [text for e in reversed(secret_events) if (text := self.narrator.event_text(e))]

    def _build_guess(self) -> Choice | None:
        """Build a private guess for a viewer whom the rules ask nothing at night.

        So everyone has something to do, and activity at night does not reveal a role. A person
        alone with computer players does not need it.
        """
        phase = self.narrator.phase(self.state.phase)
        if phase is None or not phase.guess or not self.view.seat or self.game.ended_at:
            return None
        must_answer = any(self.view.seat not in o.answers for o in self.windows.own_windows)
        is_alone = sum(p.kind == Player.PERSON for p in self.windows.players) == 1
        if (
            self.windows.has_stand_in
            or self.windows.is_out
            or must_answer
            or (is_alone and not self.windows.disclosed.is_blind)
        ):
            return None
        note = self.windows.desk.notes.get(GUESS_KEY, {})
        phase_number = self.state.moment.phase_number
        guessed = note.get("seat") if note.get("phase") == phase_number else None
        other_seats = [s for n, s in self.seats.items() if not s.is_me and n not in self.state.out]
        return Choice(
            window=f"{GUESS_KIND}.{phase_number}",
            kind=GUESS_KIND,
            title=_(phase.guess),
            help=_("Only you see this guess. It does not affect the game."),
            options=[
                ChoiceOption(str(s.number), s.name, s, s.number == guessed) for s in other_seats
            ],
            is_answered=guessed is not None,
            submit=_("Save my guess"),
        )


def _count_help(window: Window) -> str:
    """Return how many options must be chosen, "" for ratings."""
    if not isinstance(window.legal, Pick):
        return ""
    count = window.legal.count
    return ngettext("Choose one.", "Choose {count}.", count).format(count=count)


def own_ratings(view: View) -> Iterator[tuple[int, Event]]:
    """Yield (position, event) of every rating form that the viewer answered, oldest first.

    Answers by timeout or by a stand-in are skipped: they contain no judgement of the viewer.
    """
    events = view.events
    rating_positions = (
        positions
        for positions in view.positions_by_kind.values()
        if events[positions[0] - 1].data.get("manner") in RATING_MANNERS
    )
    for position in sorted(chain(*rating_positions)):
        event = events[position - 1]
        if "ratings" in event.data and event["seat"] == view.seat and not event.labels:
            yield position, event
