"""A viewer's choices: picks, ratings, and a private guess; and the ratings so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.reliability_scale import scores_of
from game.cached_games import OpenWindow
from game.engine.events import PUBLIC, Event
from game.engine.forms import Pick, Rating, Ratings, Speech
from game.engine.labels import TIMEOUT
from game.engine.visibility import View
from game.engine.windows import Window
from game.models import Player
from webapp.play.page.drafts import GUESS
from webapp.play.page.transcript_parts import Seat
from webapp.play.page.viewer_windows import Option, ViewerWindows

RATED = ("rate", "nothing")  # the manners of answers to a question for ratings


@dataclass(frozen=True)
class RatingRow:
    """A player to be rated. role: the latest key, "" for none. confidence: 0 for none."""

    seat: Seat
    role: str
    confidence: int


@dataclass(frozen=True)
class Choice:
    """A form with `count` picks among `options`, or with ratings (`#choice`)."""

    window: str
    kind: str  # of the window; "guess" for a private guess, which is no question of the game
    title: str
    help: str
    options: list[Option]
    count: int = 1  # 1: radio buttons; more: checkboxes, exactly `count`
    may_abstain: bool = False
    ballot: bool = False
    rows: list[RatingRow] = field(default_factory=list)  # if players are rated
    roles: list[tuple[str, str]] = field(default_factory=list)  # (key, name) for a rating
    confidences: list[int] = field(default_factory=list)
    why: int = 0  # the most words of a reason; 0: no reason is requested
    why_text: str = ""  # the reason already given
    answered: bool = False  # my answer is in; it can be changed until the window closes
    timed_out: bool = False  # that answer is the rules', because the time ran out
    submit: str = ""
    rated: bool = False  # some of the rows were filled before
    # answers of players who had the same question before
    told: list[str] = field(default_factory=list)


class Choices:
    """The questions to one viewer that are answered by a choice."""

    def __init__(self, windows: ViewerWindows) -> None:
        self.windows, self.seats, self.narrator = windows, windows.seats, windows.narrator
        self.game, self.view, self.state = windows.game, windows.view, windows.state

    def choice(self) -> Choice | None:
        """Return the viewer's open choice or ratings, else at night a private guess."""
        pick_windows = [o for o in self.windows.mine if not isinstance(o.window.legal, Speech)]
        # Unanswered questions come first; otherwise the latest answer can be changed.
        for window in [
            *(o for o in pick_windows if self.view.seat not in o.answers),
            *pick_windows[::-1],
        ]:
            if isinstance(window.window.legal, Pick):
                return self._pick(window, window.window.legal)
            if isinstance(window.window.legal, Ratings):
                return self._ratings(window, window.window.legal)
        return self._guess()

    def _pick(self, window: OpenWindow, legal: Pick) -> Choice:
        answer = window.answers.get(self.view.seat)
        chosen = answer.action.targets if answer else ()
        options = [
            self.windows.option(window.window, o, o in chosen)
            for o in legal.options_for(self.view.seat)
        ]
        question = self._choice(window, answered=answer is not None)
        return replace(
            question,
            options=options,
            count=legal.count,
            may_abstain=legal.may_abstain,
            why=legal.why,
            why_text=answer.action.text if answer else "",
        )

    def _ratings(self, window: OpenWindow, legal: Ratings) -> Choice:
        answer = window.answers.get(self.view.seat)
        ratings = standing(self.view)
        ratings |= {r.seat: r for r in answer.action.ratings} if answer else {}
        rows = []
        for option in legal.options_for(self.view.seat):
            rating = ratings.get(int(option))
            role, sure = (rating.role, rating.confidence) if rating else ("", 0)
            rows.append(RatingRow(self.seats[int(option)], role, sure))
        roles = [(key, self.narrator.role(key)) for key in legal.roles]
        return replace(
            self._choice(window, answered=answer is not None),
            rows=rows,
            rated=any(row.role for row in rows),
            roles=[*roles, (legal.choices[-1], _("can’t tell"))],
            confidences=list(range(legal.least, legal.most + 1)),
        )

    def _choice(self, window: OpenWindow, *, answered: bool) -> Choice:
        its = self.narrator.wording.window(window.window.kind)
        return Choice(
            window=window.window.key,
            kind=window.window.kind,
            title=_(its.title) if its.title else _("Your choice"),
            help=self._help(window, answered=answered),
            options=[],
            ballot=its.ballot,
            answered=answered,
            timed_out=answered and TIMEOUT in window.answers[self.view.seat].labels,
            submit=_(its.button) if its.button else _("Choose"),
            told=self._told_before(window.window),
        )

    def _help(self, window: OpenWindow, *, answered: bool) -> str:
        """Return the rules of a choice. An open vote says until when it can be changed."""
        its = self.narrator.wording.window(window.window.kind)
        text = self.narrator.window_text(its.help, window.window) or _help(window.window)
        if not its.ballot or answered:  # the page says it of an answer above the form
            return text
        # Where the count is secret, nobody may learn that they are the last either.
        last = window.missing == (self.view.seat,) and self.windows.disclosed.may_tell_count
        until = (
            _("All the other votes are in: yours cannot be changed.")
            if last
            else _("You can change your vote until all are in.")
        )
        return f"{text} {until}"

    def _told_before(self, window: Window) -> list[str]:
        """List earlier answers to the same question in this phase, if only a few seats see them."""
        asked_here = self.view.newest_events(["phase_opened", window.kind])
        same_kind = takewhile(lambda one: one[1].kind == window.kind, asked_here)
        secret = [event for _position, event in same_kind if event.audience != PUBLIC]
        return [
            sentence for event in reversed(secret) if (sentence := self.narrator.event_text(event))
        ]

    def _guess(self) -> Choice | None:
        """Return a private guess for a viewer who has no question at night.

        It gives everybody something to do, so that nobody's activity reveals their role. A person
        who is alone with computer players does not need it.
        """
        phase = self.narrator.phase(self.state.phase)
        if phase is None or not phase.guess or not self.view.seat or self.game.ended_at:
            return None
        must_answer = any(self.view.seat not in o.answers for o in self.windows.mine)
        alone = sum(p.kind == Player.PERSON for p in self.windows.players) == 1
        if (
            self.windows.handed
            or self.windows.is_out
            or must_answer
            or (alone and not self.windows.disclosed.says_blind)
        ):
            return None
        mine = self.windows.desk.notes.get(GUESS, {})
        guessed = mine.get("seat") if mine.get("phase") == self.state.moment.phase_number else None
        other_seats = [s for n, s in self.seats.items() if not s.is_me and n not in self.state.out]
        return Choice(
            window=f"{GUESS}.{self.state.moment.phase_number}",
            kind=GUESS,
            title=_(phase.guess),
            help=_("A guess for yourself alone: nobody sees it, and it changes nothing."),
            options=[Option(str(s.number), s.name, s, s.number == guessed) for s in other_seats],
            answered=guessed is not None,
            submit=_("Keep my guess"),
        )


def _help(window: Window) -> str:
    if not isinstance(window.legal, Pick):
        return ""
    count = window.legal.count
    return ngettext("Choose one.", "Choose {count}.", count).format(count=count)


def own_ratings(view: View) -> Iterator[tuple[int, Event]]:
    """Yield (position, event) of every rating form that the viewer answered, oldest first.

    Answers by timeout or by a computer player that stood in are left out: they contain no new
    judgement.
    """
    events = view.events
    rated = (
        p for p in view.positions_by_kind.values() if events[p[0] - 1].data.get("manner") in RATED
    )
    for position in sorted(chain(*rated)):
        event = events[position - 1]
        if "ratings" in event.data and event["seat"] == view.seat and not event.labels:
            yield position, event


def standing(view: View) -> dict[int, Rating]:
    """Return the viewer's latest rating of each seat."""
    return {r.seat: r for _position, event in own_ratings(view) for r in scores_of(event.data)}
