"""Builds game records from logs: the only module that reads events for the metrics.

It knows no ruleset's kinds of events: a ballot is what the wording calls one, a pseudo-vote is a
ballot on record only, a leader holds the ruleset's badge, a rating is an answer with ratings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.contest import INDUCING
from agents.mind import Note
from agents.packs import pack_of
from agents.reliability_scale import FACULTY, reliability, scores_of
from agents.talk.claim_steps import ClaimStep
from game.engine.events import RECORD, Data, Event
from game.engine.ruleset import Ruleset, team_of
from game.engine.side_questions import VOTE_REASON
from game.engine.state import State, evolve
from game.engine.turns import turn_of
from game.engine.windows import Window
from webapp.measures.game_record import (
    BELIEF,
    FAVOR,
    Claim,
    Day,
    GameRecord,
    Inducement,
    Opinion,
    Poll,
    Statement,
)

JUDGEMENT = "judgement"  # faculty of the notes of beliefs; FAVOR is the other one's name too
OPINIONS = (FAVOR, JUDGEMENT)


def record_of(
    code: str,
    ruleset: Ruleset,
    events: Sequence[Event],
    notes: Mapping[int, Iterable[Note]],
    people: Iterable[int] = (),
    systems: Mapping[int, str] | None = None,
    steps: Sequence[ClaimStep] = (),
) -> GameRecord:
    """Return the record of a whole log (the moderator's view of it).

    Args:
        code: The game's.
        ruleset: The game's.
        events: The whole log.
        notes: seat -> the notes of its mind, oldest first.
        people: People's seats, if the log does not contain them.
        systems: seat -> the name of the agent that played there.
        steps: The claims in the public talk, as the rule reads them.

    Raises:
        ValueError: The game is not over.
    """
    reader = _Reader(ruleset, notes, people)
    record = reader.read(code, events)
    attempts = [
        (note.moment, Inducement(note.data["day"], seat, note.data["target"], note.data["manner"]))
        for seat, rows in notes.items()
        for note in rows
        if note.faculty == INDUCING
    ]
    return replace(
        record,
        systems=systems or {},
        opinions=_opinions(ruleset, reader.state, notes),
        claims=_claims(ruleset, steps, record),
        inducements=tuple(made for _moment, made in sorted(attempts, key=lambda row: row[0])),
    )


def _opinions(
    ruleset: Ruleset, state: State, notes: Mapping[int, Iterable[Note]]
) -> tuple[Opinion, ...]:
    """Return the agents' favor and beliefs by round. state: at the game's end.

    The team of the hunted knows who they are, so its notes are no beliefs.
    """
    hunted = {role.key for role in ruleset.roles if role.hunted}
    teams = {team_of(ruleset, role) for role in hunted}
    knowing = {seat for seat, role in state.roles.items() if team_of(ruleset, role) in teams}
    opinions = []
    for seat, note in ((seat, note) for seat, rows in notes.items() for note in rows):
        out = {death.seat for death in state.deaths if death.moment < note.moment}
        number = bisect_right(state.rounds, note.moment)
        for subject, values in (
            (FAVOR, note.data.get("favor") if note.faculty == FAVOR else None),
            (BELIEF, _beliefs(note, hunted) if seat not in knowing else {}),
        ):
            if values:
                living = {int(s): float(v) for s, v in values.items() if int(s) not in out | {seat}}
                opinions.append(Opinion(number, seat, subject, living))
    return tuple(sorted(opinions, key=lambda one: (one.round, one.seat, one.subject)))


def _beliefs(note: Note, hunted: set[str]) -> dict[str, float]:
    """Return seat -> probability of a hunted role, {} if the note is no judgement."""
    roles = note.data.get("roles", {}) if note.faculty == JUDGEMENT else {}
    return {seat: sum(row.get(role, 0.0) for role in hunted) for seat, row in roles.items()}


def _claims(ruleset: Ruleset, steps: Sequence[ClaimStep], record: GameRecord) -> tuple[Claim, ...]:
    """Return the claims, each look with the number that its role can have made by then."""
    pack = pack_of(ruleset)

    def most(step: ClaimStep) -> int:
        look = pack.look(step.role)
        if look and look.is_of_exiled:
            return sum(day < step.day for day, _seat in record.exiles)
        return max(step.day, 1)  # a night before each day

    return tuple(
        Claim(s.day, s.seat, s.kind, s.role, s.targets, s.value, most(s) if s.kind == "look" else 0)
        for s in steps
        if s.kind != "partner"
    )


def exile_wins(ruleset: Ruleset) -> dict[str, str]:
    """Return role -> team that wins if its holder is exiled, "" -> if anybody else is.

    Empty for a ruleset of several days, where one exile does not decide the game.
    """
    if ruleset.days != 1:
        return {}
    hunted = {role.key: role.team for role in ruleset.roles if role.hunted}
    (hunted_team,) = set(hunted.values())
    village = team_of(ruleset, ruleset.usual or ruleset.deck[0])
    baits = {role: team_of(ruleset, role) for role in pack_of(ruleset).data.baits}
    return {**dict.fromkeys(hunted, village), **baits, "": hunted_team}


class _Reader:
    """Reads one log and builds its record.

    Scores are valid until the next ones. An agent's scores for a pseudo-vote never replace them
    (SPEC 2.6); a person's ratings of others always do, whenever the question came.
    """

    def __init__(
        self, ruleset: Ruleset, notes: Mapping[int, Iterable[Note]], people: Iterable[int]
    ) -> None:
        self.ruleset, self.people = ruleset, frozenset(people)
        self.hunted = {role.key for role in ruleset.roles if role.hunted}
        self.roles: dict[int, str] = {}
        self.state = State()
        self.days: dict[int, Day] = {}
        self.places: dict[str, tuple[int, str]] = {}  # ballot's key -> (day, field of Day)
        self.standing: dict[int, dict[int, int]] = {}
        # set from a pseudo-vote until the vote
        self.before: dict[int, dict[int, int]] | None = None
        # (judge, target) pairs scored in the present phase
        self.fresh: set[tuple[int, int]] = set()
        self.candidates: list[int] = []
        self.elected = 0
        self.statements: list[Statement] = []
        self.turns = 0
        self.polls: dict[str, Poll] = {}  # by the key of its window
        self.noted: dict[str, list[tuple[int, Data]]] = {}  # window's key -> (judge, note's data)
        for seat, rows in notes.items():
            for note in rows:
                if note.faculty == FACULTY:
                    self.noted.setdefault(note.window, []).append((seat, note.data))

    def read(self, code: str, events: Sequence[Event]) -> GameRecord:
        """Return the record of the log. Raises ValueError if the log has no end."""
        if not events or events[-1].kind != "game_over":
            raise ValueError(f"game {code} is not over")
        self.roles = {e["seat"]: e["role"] for e in events if e.kind == "role_dealt"}
        for position, event in enumerate(events, 1):
            before, self.state = self.state, evolve(self.state, event)
            self._heard(event, before, position)
            if event.kind == "window_opened":
                self._opened(self.state.windows[event["key"]])
            elif event.kind == "window_closed":
                self._closed(before.windows[event["window"]])
            elif event.kind == "phase_opened":
                self.fresh.clear()
                self.days.setdefault(event["day"], self._present())
            elif event.kind == "badge_given" and event["badge"] == self.ruleset.badge:
                self.elected = self.elected or event["seat"]
            elif "ratings" in event.data:
                self._score(self.standing, event["seat"], event.data)
                if self.before is not None:
                    self._score(self.before, event["seat"], event.data)
            elif event.kind == VOTE_REASON:
                continue
            elif event.data.get("window") in self.places and "seat" in event.data:
                self._voted(event)
            elif event.data.get("window") in self.polls and "seat" in event.data:
                poll = self.polls[event["window"]]
                votes = {**poll.votes, event["seat"]: _target(event)}
                self.polls[event["window"]] = replace(poll, votes=votes)
        return self._record(code, events[-1])

    def _heard(self, event: Event, before: State, position: int) -> None:
        if turn := turn_of(event, before, self.turns + 1, position):
            self.turns = turn.number
            if turn.text:
                speaker = before.seats[turn.seat - 1]
                self.statements.append(
                    Statement(turn.moment.day, turn.round, turn.seat, speaker, turn.text)
                )

    def _present(self) -> Day:
        state = self.state
        return Day(state.day, state.living(), state.badges.get(self.ruleset.badge, 0))

    def _opened(self, window: Window) -> None:
        """Apply the agents' notes for a window that opens: agents reason at that moment."""
        words = self.ruleset.wording.windows.get(window.kind)
        if words and words.says == "stand":
            self.candidates += window.seats
        now = self._present()
        day = self.days.setdefault(now.number, now)
        judgements = self.noted.get(window.key, ())
        standing = self.standing
        secret = window.is_ballot and window.answer_audience == RECORD
        if secret and not self.ruleset.badge:
            self.polls[window.key] = Poll(now.number, len(self.state.rounds), {})
        elif secret:
            standing = {judge: dict(row) for judge, row in self.standing.items()}
        for judge, data in judgements:
            self._score(standing, judge, data)
        if standing is not self.standing:
            self.before = standing
            self._begin(
                window, replace(day, pseudo_votes={}, scores_before=standing), "pseudo_votes"
            )
        elif window.kind in self.ruleset.wording.ballots:
            self.before = None
            begun = replace(day, living=now.living, leader=now.leader, votes={})
            self._begin(window, begun, "votes")

    def _begin(self, window: Window, day: Day, field: str) -> None:
        self.days[day.number] = day
        self.places[window.key] = day.number, field

    def _voted(self, event: Event) -> None:
        number, field = self.places[event["window"]]
        votes = {**getattr(self.days[number], field), event["seat"]: _target(event)}
        changed: dict[str, Any] = {field: votes}
        self.days[number] = replace(self.days[number], **changed)

    def _closed(self, window: Window) -> None:
        """Store the day's scores when the vote closes: they are final then."""
        number, field = self.places.get(window.key, (0, ""))
        if field == "votes":
            scores = {judge: dict(row) for judge, row in self.standing.items()}
            pairs = {(judge, target) for judge, row in scores.items() for target in row}
            day = self.days[number]
            older = frozenset(pairs - self.fresh)
            ballots = (*day.ballots, day.votes)
            self.days[number] = replace(day, scores=scores, older=older, ballots=ballots)

    def _score(self, scores: dict[int, dict[int, int]], judge: int, data: Data) -> None:
        for rating in scores_of(data):
            m = reliability(rating, self.roles[judge], self.hunted)
            scores.setdefault(judge, {})[rating.seat] = m
            if scores is self.standing:
                self.fresh.add((judge, rating.seat))

    def _record(self, code: str, end: Event) -> GameRecord:
        state, badge = self.state, self.ruleset.badge
        *earlier, last = (day for _number, day in sorted(self.days.items()))
        if not last.votes:  # the game ended before the vote
            last = replace(last, living=state.living(), leader=state.badges.get(badge, 0))
        return GameRecord(
            code,
            self.ruleset.name,
            bool(badge),
            self.roles,
            {seat: team_of(self.ruleset, role) for seat, role in self.roles.items()},
            (*earlier, last),
            state.badges.get(badge, 0),
            frozenset(state.out),
            state.winner,
            frozenset(end["winners"]),
            end["reason"],
            self.people | set(state.people),
            tuple(self.candidates),
            self.elected if self.candidates else 0,
            self._tested(),
            tuple(self.statements),
            tuple(self.polls.values()),
            tuple((death.moment.day, death.seat, death.cause) for death in state.deaths),
            frozenset(
                (death.moment.day, death.seat)
                for death in state.deaths
                if self.ruleset.wording.picks_of(death.cause) == "exile"
            ),
            exile_wins(self.ruleset),
        )

    def _tested(self) -> int:
        """Return the seat of the tested model from the game's settings, 0 if they name none."""
        seat_settings = (
            preset.seat_setting for preset in self.ruleset.presets if preset.seat_setting
        )
        return next((seat for key in seat_settings if (seat := self.state.settings.get(key))), 0)


def _target(event: Event) -> int | None:
    """Return the seat that a ballot names, None for an abstention."""
    targets = event.data.get("targets")
    return targets[0] if targets else None
