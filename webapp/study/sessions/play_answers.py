"""Answers that participants gave during play, read from a finished game's log.

Ratings, straw polls, and votes with reasons. Exports and metrics use them. `webapp.lab` reads the
same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from agents.reliability_scale import reliability, scores_of
from game import selectors
from game.engine import rulesets
from game.engine.events import RECORD, Event
from game.engine.forms import Rating, Ratings
from game.engine.moments import Moment
from game.engine.side_questions import RATING_KIND, VOTE_REASON
from game.engine.state import State, evolve
from game.engine.visibility import MODERATOR
from game.engine.windows import Window
from game.models import Answer, Game
from webapp.study.models import Seating, Slot

RATING, POLL, VOTE = "rating", "poll", "vote"
PLAYED = (Seating.SEATED, Seating.OUT)  # states of a seating whose participant was in the game


@dataclass(frozen=True)
class PlayAnswer:
    """One answer of one participant about one player.

    what: RATING, POLL or VOTE. kind: of the window. before: of a rating, the kind of question that
    it came with. about: the seat that is rated or chosen, 0 for nobody. role, confidence: the role
    assigned to that seat from then on and how surely, "" and 0 if never stated. score: Helmsman's m
    of it, 1 to 10. unchanged: whether it stays as it was. why: of a vote, the reason, "" if none
    was written or it was removed. labels: `game.engine.labels`, such as "timeout" and "stand-in".
    seconds: from the question to the answer that counted.
    """

    participant: str  # the pseudonym
    seat: int
    what: str
    kind: str
    window: str
    moment: Moment
    before: str = ""
    about: int = 0
    role: str = ""
    confidence: int = 0
    score: int | None = None
    unchanged: bool = False
    why: str = ""
    labels: tuple[str, ...] = ()
    seconds: float | None = None


def read_play_answers(slot: Slot) -> list[PlayAnswer]:
    """Return all answers that the slot's participants gave beside the talk.

    Participants who withdrew their data are left out. Raises ValueError if the game is not over.
    """
    game = slot.game
    if game is None or game.status != Game.OVER:
        raise ValueError(f"the game of {slot} is not over")
    seatings = slot.seatings.filter(state__in=PLAYED, participant__withdrew=False)
    people = {s.seat: s.participant.pseudonym for s in seatings.select_related("participant")}
    return list(_Reader(game, people).read(selectors.view_for(game, MODERATOR).events))


class _Reader:
    """Converts a log to rows. people: seat -> pseudonym."""

    def __init__(self, game: Game, people: Mapping[int, str]) -> None:
        self.people = people
        self.hunted = {role.key for role in rulesets.get(game.ruleset).roles if role.hunted}
        self.seconds = _seconds(game, people)
        self.state = State()
        self.standing: dict[int, dict[int, Rating]] = {seat: {} for seat in people}
        self.before: dict[str, str] = {}  # key of a form -> kind of the question before it
        self.why: dict[tuple[str, int], str] = {}

    def read(self, events: tuple[Event, ...]) -> Iterator[PlayAnswer]:
        self.why = {(e["window"], e["seat"]): e["text"] for e in events if e.kind == VOTE_REASON}
        forms: list[str] = []
        for event in events:
            window = self.state.windows.get(event.data.get("window", ""))
            if window and event.kind == window.kind and event["seat"] in self.people:
                yield from self._answered(window, event)
            self.state = evolve(self.state, event)
            if event.kind == "window_opened":
                form_window = self.state.windows[event["key"]]
                if form_window.kind == RATING_KIND:
                    forms.append(form_window.key)
                else:
                    self.before |= dict.fromkeys(forms, form_window.kind)
                    forms.clear()

    def _answered(self, window: Window, event: Event) -> Iterator[PlayAnswer]:
        seat = event["seat"]
        row = PlayAnswer(
            self.people[seat],
            seat,
            RATING,
            window.kind,
            window.key,
            window.moment,
            labels=event.labels,
            seconds=self.seconds.get((window.key, seat)),
        )
        if isinstance(window.legal, Ratings):
            yield from self._rated(
                replace(row, before=self.before.get(window.key, "")), window, event
            )
        elif window.is_ballot:
            targets = event.data.get("targets") or [0]
            answer_kind = POLL if window.answer_audience == RECORD else VOTE
            reason = self.why.get((window.key, seat), "")
            yield replace(row, what=answer_kind, about=targets[0], why=reason)

    def _rated(self, row: PlayAnswer, window: Window, event: Event) -> Iterator[PlayAnswer]:
        """Yield a row for each player who could be rated, whether they were or not."""
        standing = self.standing[row.seat]
        before = dict(standing)
        if not row.labels:
            standing |= {r.seat: r for r in scores_of(event.data)}
        for other_seat in window.legal.options_for(row.seat):
            about = int(other_seat)
            rating = standing.get(about)
            if rating is None:
                yield replace(row, about=about, unchanged=True)
                continue
            yield replace(
                row,
                about=about,
                role=rating.role,
                confidence=rating.confidence,
                score=reliability(rating, self.state.roles[row.seat], self.hunted),
                unchanged=before.get(about) == rating,
            )


def _seconds(game: Game, people: Mapping[int, str]) -> dict[tuple[str, int], float]:
    """Return (window's key, seat) -> seconds to the answer that counted."""
    answers = Answer.objects.filter(window__game=game, seat__in=people).order_by("id")
    rows = answers.values_list("window__key", "seat", "at", "window__opened_at")
    return {(key, seat): (at - opened).total_seconds() for key, seat, at, opened in rows}
