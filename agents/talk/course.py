"""The course of a game: public events besides the talk, such as deaths, ballots and badges.

A ruleset's windows state their purpose (`WindowTexts.picks`), which determines an event's meaning:
a death caused by a window that picks a player to harm is a kill by the hunted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Self

from game.engine.events import PUBLIC, Event
from game.engine.ruleset import Ruleset
from game.engine.visibility import View


@dataclass(frozen=True)
class CourseEvent:
    """An event of one player, such as a death or a vote."""

    when: int  # the day, or for night events the number of the night, from 1
    seat: int
    target: int = 0  # the seat that the event is directed at, 0 for none
    window: str = ""  # the key of the ballot, "" for other events


@dataclass(frozen=True)
class Course:
    """Public course of a game."""

    # Number of nights that have begun, without an evening before a game's first talk.
    nights: int = 0
    out: frozenset[int] = frozenset()  # seats that are out
    # Numbers of the nights in which a player could be killed and none was.
    quiet_nights: tuple[int, ...] = ()
    killed: tuple[CourseEvent, ...] = ()  # players killed by the hunted
    exiled: tuple[CourseEvent, ...] = ()  # players voted out
    # Public votes against a player, in order. A day may have several ballots.
    votes: tuple[CourseEvent, ...] = ()
    # Players who got a badge in public. The target is the player who gave it, 0 for an election or
    # a draw.
    given_badges: tuple[CourseEvent, ...] = ()
    protections: tuple[CourseEvent, ...] = ()  # players whom the viewer protected
    leaders: tuple[tuple[int, int], ...] = ()  # (day, holder of a badge at the day's ballot)

    @classmethod
    def of(cls, view: View, ruleset: Ruleset) -> Self:
        """Build the course as `view` knows it."""
        reader = _CourseReader(ruleset, view.seat, view.state.settings)
        positions = (view.positions_by_kind.get(kind, ()) for kind in reader.kinds)
        for position in sorted(chain.from_iterable(positions)):
            reader.read(view.events[position - 1])
        deadly_nights = {death.when for death in reader.killed}
        has_attacks = "harm" in reader.picks.values()
        ended_nights = range(1, reader.nights_over + 1) if has_attacks else ()
        return cls(
            nights=reader.nights,
            out=frozenset(view.state.out),
            quiet_nights=tuple(n for n in ended_nights if n not in deadly_nights | reader.harmless),
            killed=tuple(reader.killed),
            exiled=tuple(reader.exiled),
            votes=tuple(reader.votes),
            given_badges=tuple(reader.given_badges),
            protections=tuple(reader.protections),
            leaders=tuple(sorted(reader.leaders.items())),
        )

    @property
    def last_ballot_day(self) -> int:
        """The day of the last ballot, 0 before the first."""
        return max((vote.when for vote in self.votes), default=0)

    def decisive_votes(self) -> list[CourseEvent]:
        """Return the votes of each day's last ballot.

        A second ballot repeats the first one's choice among fewer, so both together are only one
        clue.
        """
        last = {vote.when: vote.window for vote in self.votes}
        return [vote for vote in self.votes if vote.window == last[vote.when]]

    def first_votes(self, day: int) -> dict[int, int]:
        """Return voter -> its target in the first ballot of `day`, which has all options."""
        first = next((vote.window for vote in self.votes if vote.when == day), None)
        return {vote.seat: vote.target for vote in self.votes if vote.window == first}

    def last_votes(self) -> dict[int, int]:
        """Return voter -> its target in the last ballot for an exile."""
        last = self.votes[-1].window if self.votes else ""
        return {vote.seat: vote.target for vote in self.votes if vote.window == last}


@lru_cache(maxsize=64)
def _picks(ruleset: Ruleset) -> Mapping[str, str]:
    """Return kind of event -> the purpose of the pick that it records (`Wording.picks_of`)."""
    wording = ruleset.wording
    kinds = {*wording.windows, *wording.events}
    return {k: picks for k in kinds if (picks := wording.picks_of(k))}


class _CourseReader:
    """Reader of a view's events that collects a course."""

    def __init__(self, ruleset: Ruleset, viewer: int, settings: Mapping[str, Any]) -> None:
        self.viewer, self.ruleset, self.settings = viewer, ruleset, settings
        self.picks = _picks(ruleset)
        # The kinds of events that matter.
        self.kinds = {"phase_opened", "out", "badge_given", *self.picks}
        self.nights = self.nights_over = self.day = 0  # nights that began, that ended; current day
        self.harmless = set[int]()  # numbers of nights in which no attack was possible
        self.has_talked = False
        self.out: set[int] = set()
        self.leaders: dict[int, int] = {}
        self.killed: list[CourseEvent] = []  # this and the next five: as in `Course`
        self.exiled: list[CourseEvent] = []
        self.votes: list[CourseEvent] = []
        self.given_badges: list[CourseEvent] = []
        self.protections: list[CourseEvent] = []

    def read(self, event: Event) -> None:
        """Record what an event says about the course."""
        data, is_public = event.data, event.audience == PUBLIC
        if event.kind == "phase_opened":
            self.day, self.nights_over = data["day"], self.nights
            self._open_phase(data["phase"], self.ruleset.has_attack_on(self.day, self.settings))
        elif event.kind == "out":
            self.out.add(data["seat"])
            purpose = self.picks.get(data["cause"])
            if purpose == "harm":
                self.killed.append(CourseEvent(self.nights, data["seat"]))
            elif purpose == "exile":
                self.exiled.append(CourseEvent(self.day, data["seat"]))
        elif event.kind == "badge_given" and is_public and data["seat"]:
            holder = self.given_badges[-1].seat if self.given_badges else 0
            giver = holder if holder in self.out else 0
            self.given_badges.append(CourseEvent(self.day, data["seat"], giver))
        else:
            self._record_pick(self.picks.get(event.kind, ""), data, is_public)

    def _open_phase(self, name: str, has_attack: bool) -> None:
        """Count a night, except an evening before the first talk without an attack."""
        phase = self.ruleset.wording.phases.get(name)
        self.has_talked |= phase is not None and phase.is_talk
        votes = self.ruleset.has_vote_on(self.day)
        if phase is not None and phase.light == "night" and (votes or self.has_talked):
            self.nights += 1
            if not has_attack:
                self.harmless.add(self.nights)

    def _record_pick(self, picks: str, data: Mapping[str, Any], is_public: bool) -> None:
        """Record a protection by the viewer, or a public vote."""
        seat, target = data.get("seat", 0), next(iter(data.get("targets", ())), 0)
        if not seat or not isinstance(target, int) or not target:
            return
        if picks == "keep" and seat == self.viewer:
            self.protections.append(CourseEvent(self.nights, seat, target))
        elif picks == "exile" and is_public:
            day = data.get("day", self.day)
            self.votes.append(CourseEvent(day, seat, target, data["window"]))
            if self.given_badges:
                self.leaders[self.day] = self.given_badges[-1].seat


def seats_that_said_over(view: View) -> set[int]:
    """Return the seats that have said Over in the talk of today."""
    day = view.state.day
    turns = (turn for turn in view.turns if turn.moment.day == day)
    return {t.seat for t in turns if view.events[t.position - 1].data.get("manner") == "over"}
