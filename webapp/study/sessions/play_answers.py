"""Reads the answers of participants during play from a finished game's log, for exports.

They are ratings of players, straw polls, and votes with reasons. `webapp.lab` reads the same events
for metrics.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from agents.reliability_scale import ratings_in_note, reliability
from game import selectors
from game.engine import rulesets
from game.engine.events import RECORD, Event, Moment, Rating
from game.engine.forms import Ratings
from game.engine.side_questions import ROLE_GUESS_KIND, VOTE_REASON
from game.engine.state import State, evolve
from game.engine.visibility import MODERATOR
from game.engine.windows import Window
from game.models import Answer, Game
from webapp.study.models import Slot
from webapp.study.sessions.slots import PLAYED_STATES

RATING, POLL, VOTE = "rating", "poll", "vote"


@dataclass(frozen=True)
class PlayAnswer:
    """One answer of one participant about one player."""

    participant: str  # the pseudonym
    seat: int
    what: str  # RATING, POLL or VOTE
    kind: str  # kind of the window
    window: str  # key of the window
    moment: Moment
    before: str = ""  # kind of the question that a rating form preceded, "" unless it is a rating
    about: int = 0  # the seat that is rated or chosen, 0 for no player
    role: str = ""  # the role that the participant thinks the rated player has, "" if never stated
    confidence: int = 0  # how sure they are of the role, 0 if never stated
    score: int | None = None  # reliability score m of the rating in [1, 10] (Helmsman 3.1)
    is_unchanged: bool = False  # the rating is the same as before this answer
    why: str = ""  # reason of a vote, "" if none was written or it was removed
    labels: tuple[str, ...] = ()  # `game.engine.labels`, such as "timeout" and "stand-in"
    seconds: float | None = None  # time from the question to the answer that counted


def read_play_answers(slot: Slot) -> list[PlayAnswer]:
    """Return the ratings, straw polls and votes of the slot's participants.

    The game must be over. Answers of participants who withdrew their data are left out.
    """
    game = slot.game
    if game is None or game.status != Game.OVER:
        raise ValueError(f"the game of {slot} is not over")
    seatings = slot.seatings.filter(state__in=PLAYED_STATES, participant__withdrew=False)
    pseudonyms = {s.seat: s.participant.pseudonym for s in seatings.select_related("participant")}
    events = selectors.view_for(game, MODERATOR).events
    return list(_PlayAnswerReader(game, pseudonyms).read(events))


class _PlayAnswerReader:
    """Reads the events of one game in order, and knows the state of the game before each."""

    def __init__(self, game: Game, pseudonyms: Mapping[int, str]) -> None:
        self.pseudonyms = pseudonyms  # seat -> pseudonym of the participant
        roles = rulesets.get(game.ruleset).roles
        self.hunted_roles = {role.key for role in roles if role.is_hunted}
        answers = Answer.objects.filter(window__game=game, seat__in=pseudonyms).order_by("id")
        rows = answers.values_list("window__key", "seat", "at", "window__opened_at")
        # (window's key, seat) -> seconds to the answer that counted
        self.seconds = {(key, seat): (at - since).total_seconds() for key, seat, at, since in rows}
        self.state = State()
        # Rater's seat -> rated seat -> the latest rating.
        self.ratings: dict[int, dict[int, Rating]] = {seat: {} for seat in pseudonyms}
        self.question_kinds: dict[str, str] = {}  # key of a form -> kind of its question
        self.reasons: dict[tuple[str, int], str] = {}  # (key of a window, seat) -> reason

    def read(self, events: tuple[Event, ...]) -> Iterator[PlayAnswer]:
        reasons = [event for event in events if event.kind == VOTE_REASON]
        self.reasons = {(e["window"], e["seat"]): e["text"] for e in reasons}
        form_keys: list[str] = []  # keys of rating forms that were opened since the last question
        for event in events:
            window = self.state.windows.get(event.data.get("window", ""))
            if window and event.kind == window.kind and event["seat"] in self.pseudonyms:
                yield from self._read_answer(window, event)
            self.state = evolve(self.state, event)
            if event.kind == "window_opened":
                opened = self.state.windows[event["key"]]
                if opened.kind == ROLE_GUESS_KIND:
                    form_keys.append(opened.key)
                else:
                    self.question_kinds |= dict.fromkeys(form_keys, opened.kind)
                    form_keys.clear()

    def _read_answer(self, window: Window, event: Event) -> Iterator[PlayAnswer]:
        seat = event["seat"]
        build_row = partial(
            PlayAnswer,
            participant=self.pseudonyms[seat],
            seat=seat,
            kind=window.kind,
            window=window.key,
            moment=window.moment,
            labels=event.labels,
            seconds=self.seconds.get((window.key, seat)),
        )
        if isinstance(window.legal, Ratings):
            row = build_row(what=RATING, before=self.question_kinds.get(window.key, ""))
            yield from self._read_ratings(row, window, event)
        elif window.is_ballot:
            what = POLL if window.answer_audience == RECORD else VOTE
            targets = event.data.get("targets") or [0]  # 0: for no player
            reason = self.reasons.get((window.key, seat), "")
            yield build_row(what=what, about=targets[0], why=reason)

    def _read_ratings(self, row: PlayAnswer, window: Window, event: Event) -> Iterator[PlayAnswer]:
        """Yield a row for each player who could be rated, whether rated or not."""
        ratings = self.ratings[row.seat]
        earlier_ratings = dict(ratings)
        # A label such as "timeout" means that the participant gave no answer themselves.
        if not row.labels:
            ratings |= {r.seat: r for r in ratings_in_note(event.data)}
        for other_seat in window.legal.options_for(row.seat):
            about = int(other_seat)
            rating = ratings.get(about)
            if rating is None:
                yield replace(row, about=about, is_unchanged=True)
                continue
            yield replace(
                row,
                about=about,
                role=rating.role,
                confidence=rating.confidence,
                score=reliability(rating, self.state.roles[row.seat], self.hunted_roles),
                is_unchanged=earlier_ratings.get(about) == rating,
            )
