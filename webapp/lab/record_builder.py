"""Builds game records from logs. No other module reads events for the metrics.

It works for any ruleset, because it names no kind of event that only one ruleset has. A ballot is a
window that the wording calls one. A pseudo-vote is a ballot on record only. The leader holds the
ruleset's badge. A rating is an answer with ratings.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from agents.contest import INDUCING
from agents.decision import Note
from agents.packs import pack_of
from agents.reliability_scale import FACULTY, ratings_in_note, reliability
from agents.talk.claim_steps import ClaimStep
from game.engine.events import RECORD, Data, Event
from game.engine.ruleset import Ruleset, team_of
from game.engine.side_questions import VOTE_REASON
from game.engine.state import State, evolve, turn_of
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

JUDGEMENT = "judgement"  # faculty whose notes have beliefs
OPINION_FACULTIES = (FAVOR, JUDGEMENT)  # FAVOR is the name of a faculty and of what it notes


def build_record(
    code: str,
    ruleset: Ruleset,
    events: Sequence[Event],
    notes: Mapping[int, Iterable[Note]],
    people: Iterable[int] = (),
    systems: Mapping[int, str] | None = None,
    steps: Sequence[ClaimStep] = (),
) -> GameRecord:
    """Return the record of a game, or raise ValueError if it is not over.

    Args:
        events: The whole log, as the moderator sees it.
        notes: Seat -> the notes of its mind, oldest first.
        people: The seats of people, if the log does not contain them.
        systems: Seat -> the name of the agent that played there.
        steps: The claims in the public talk, as read by rule.
    """
    reader = _LogReader(ruleset, notes, people)
    record = reader.read(code, events)
    attempts = [(seat, note) for seat, note in _all_notes(notes) if note.faculty == INDUCING]
    attempts.sort(key=lambda attempt: attempt[1].moment)
    return replace(
        record,
        systems=systems or {},
        opinions=_build_opinions(ruleset, reader.state, notes),
        claims=_build_claims(ruleset, steps, record),
        inducements=tuple(
            Inducement(note.data["day"], seat, note.data["target"], note.data["manner"])
            for seat, note in attempts
        ),
    )


def _all_notes(notes: Mapping[int, Iterable[Note]]) -> Iterator[tuple[int, Note]]:
    """Yield (seat, note) of every note."""
    for seat, rows in notes.items():
        for note in rows:
            yield seat, note


def _build_opinions(
    ruleset: Ruleset, state: State, notes: Mapping[int, Iterable[Note]]
) -> tuple[Opinion, ...]:
    """Return the agents' favor and beliefs, by round, seat and subject.

    The team of the hunted roles knows their holders, so its notes are no beliefs. `state` is that
    at the game's end.
    """
    hunted = {role.key for role in ruleset.roles if role.is_hunted}
    teams = {team_of(ruleset, role) for role in hunted}
    knowing_seats = {seat for seat, role in state.roles.items() if team_of(ruleset, role) in teams}
    opinions = []
    for seat, note in _all_notes(notes):
        excluded = {seat, *(d.seat for d in state.deaths if d.moment < note.moment)}
        round_number = bisect_right(state.rounds, note.moment)
        for subject, values in (
            (FAVOR, note.data.get("favor") if note.faculty == FAVOR else None),
            (BELIEF, _beliefs(note, hunted) if seat not in knowing_seats else {}),
        ):
            if values:
                living = {int(s): float(v) for s, v in values.items() if int(s) not in excluded}
                opinions.append(Opinion(round_number, seat, subject, living))
    return tuple(sorted(opinions, key=lambda o: (o.round, o.seat, o.subject)))


def _beliefs(note: Note, hunted: set[str]) -> dict[str, float]:
    """Return seat -> probability of a hunted role, {} if the note is no judgement."""
    roles = note.data.get("roles", {}) if note.faculty == JUDGEMENT else {}
    return {seat: sum(row.get(role, 0.0) for role in hunted) for seat, row in roles.items()}


def _build_claims(
    ruleset: Ruleset, steps: Sequence[ClaimStep], record: GameRecord
) -> tuple[Claim, ...]:
    """Return the claims. Those of looks have the number of looks that the role can have had."""
    pack = pack_of(ruleset)

    def max_looks(step: ClaimStep) -> int:
        if step.kind != "look":
            return 0
        look = pack.look(step.role)
        if look and look.is_of_exiled:
            return sum(day < step.day for day, _seat in record.exiles)
        return max(step.day, 1)  # each day has a night before it

    return tuple(
        Claim(step.day, step.seat, step.kind, step.role, step.targets, step.value, max_looks(step))
        for step in steps
        if step.kind != "partner"  # no metric reads who shares a role
    )


def winning_team_by_exiled_role(ruleset: Ruleset) -> dict[str, str]:
    """Return role -> the team that wins if a holder of the role is exiled.

    The key "" is for all other roles. {} for a ruleset of several days, in which one exile does not
    decide the game. In one of a single day all hunted roles play for one team.
    """
    if ruleset.days != 1:
        return {}
    hunted = {role.key: role.team for role in ruleset.roles if role.is_hunted}
    (hunted_team,) = set(hunted.values())
    # The role that is assumed of players about whom nothing is known is one of the village.
    village = team_of(ruleset, ruleset.default_role or ruleset.deck[0])
    baits = {role: team_of(ruleset, role) for role in pack_of(ruleset).data.baits}
    return {**dict.fromkeys(hunted, village), **baits, "": hunted_team}


class _Ballot(NamedTuple):
    day: int
    is_pseudo_vote: bool


class _LogReader:
    """Reads one log and builds its record.

    A judge is a seat that scores others. A score is valid until the judge's next one. An agent's
    scores for a pseudo-vote do not replace valid ones (SPEC 2.6). A person's ratings always do,
    whichever question they accompany.
    """

    def __init__(
        self, ruleset: Ruleset, notes: Mapping[int, Iterable[Note]], people: Iterable[int]
    ) -> None:
        self.ruleset, self.people = ruleset, frozenset(people)
        self.hunted = {role.key for role in ruleset.roles if role.is_hunted}
        self.roles: dict[int, str] = {}
        self.state = State()
        self.days: dict[int, Day] = {}
        self.ballots: dict[str, _Ballot] = {}  # window's key -> ballot
        self.scores: dict[int, dict[int, int]] = {}  # judge -> target -> valid score
        self.scored_pairs: set[tuple[int, int]] = set()  # (judge, target) of the current phase
        self.candidates: list[int] = []
        self.elected = 0
        self.statements: list[Statement] = []
        self.turn_count = 0
        self.polls: dict[str, Poll] = {}  # window's key -> straw poll
        # Window's key -> (judge, data of its note of scores).
        self.notes_by_window: dict[str, list[tuple[int, Data]]] = {}
        for seat, note in _all_notes(notes):
            if note.faculty == FACULTY:
                self.notes_by_window.setdefault(note.window, []).append((seat, note.data))

    def read(self, code: str, events: Sequence[Event]) -> GameRecord:
        """Return the record of the log, or raise ValueError if the log has no end."""
        if not events or events[-1].kind != "game_over":
            raise ValueError(f"game {code} is not over")
        self.roles = {e["seat"]: e["role"] for e in events if e.kind == "role_dealt"}
        for position, event in enumerate(events, 1):
            before, self.state = self.state, evolve(self.state, event)
            self._read_statement(event, before, position)
            if event.kind == "window_opened":
                self._open_window(self.state.windows[event["key"]])
            elif event.kind == "window_closed":
                self._close_window(before.windows[event["window"]])
            elif event.kind == "phase_opened":
                self.scored_pairs.clear()
                self.days.setdefault(event["day"], self._current_day())
            elif event.kind == "badge_given" and event["badge"] == self.ruleset.badge:
                self.elected = self.elected or event["seat"]
            elif "ratings" in event.data:
                self._store_scores(event["seat"], event.data)
            elif event.kind == VOTE_REASON:
                pass  # a reason has the seat and the window of its vote, but is no vote
            elif event.data.get("window") in self.ballots and "seat" in event.data:
                self._store_vote(event)
            elif event.data.get("window") in self.polls and "seat" in event.data:
                poll = self.polls[event["window"]]
                votes = {**poll.votes, event["seat"]: _target(event)}
                self.polls[event["window"]] = replace(poll, votes=votes)
        return self._build_record(code, events[-1])

    def _read_statement(self, event: Event, before: State, position: int) -> None:
        """Add the statement if the event is a turn with text."""
        if turn := turn_of(event, before, self.turn_count + 1, position):
            self.turn_count = turn.number
            if turn.text:
                speaker = before.seats[turn.seat - 1]
                self.statements.append(
                    Statement(turn.moment.day, turn.round, turn.seat, speaker, turn.text)
                )

    def _current_day(self) -> Day:
        state = self.state
        return Day(state.day, state.living(), state.badges.get(self.ruleset.badge, 0))

    def _open_window(self, window: Window) -> None:
        """Begin a ballot or poll, and apply the notes that agents made when the window opened."""
        wording = self.ruleset.wording.windows.get(window.kind)
        if wording and wording.says == "stand":
            self.candidates += window.seats
        current_day = self._current_day()
        day = self.days.setdefault(current_day.number, current_day)
        is_secret = window.is_ballot and window.answer_audience == RECORD
        if is_secret and self.ruleset.badge:
            self.ballots[window.key] = _Ballot(day.number, is_pseudo_vote=True)
            self.days[day.number] = replace(day, pseudo_votes={})
            return  # scores that agents gave for a pseudo vote do not count
        if is_secret:
            self.polls[window.key] = Poll(current_day.number, len(self.state.rounds), {})
        for judge, data in self.notes_by_window.get(window.key, ()):
            self._store_scores(judge, data)
        if window.kind in self.ruleset.wording.ballots:
            self.ballots[window.key] = _Ballot(day.number, is_pseudo_vote=False)
            self.days[day.number] = replace(
                day, living=current_day.living, leader=current_day.leader, votes={}
            )

    def _store_vote(self, event: Event) -> None:
        ballot, vote = self.ballots[event["window"]], {event["seat"]: _target(event)}
        day = self.days[ballot.day]
        if ballot.is_pseudo_vote:
            self.days[ballot.day] = replace(day, pseudo_votes={**day.pseudo_votes, **vote})
        else:
            self.days[ballot.day] = replace(day, votes={**day.votes, **vote})

    def _close_window(self, window: Window) -> None:
        """Store the day's scores when its vote closes, because they are final then."""
        ballot = self.ballots.get(window.key)
        if ballot and not ballot.is_pseudo_vote:
            scores = {judge: dict(row) for judge, row in self.scores.items()}
            pairs = {(judge, target) for judge, row in scores.items() for target in row}
            self.days[ballot.day] = replace(
                self.days[ballot.day],
                scores=scores,
                older_score_pairs=frozenset(pairs - self.scored_pairs),
            )

    def _store_scores(self, judge: int, data: Data) -> None:
        for rating in ratings_in_note(data):
            score = reliability(rating, self.roles[judge], self.hunted)
            self.scores.setdefault(judge, {})[rating.seat] = score
            self.scored_pairs.add((judge, rating.seat))

    def _build_record(self, code: str, end: Event) -> GameRecord:
        state, badge = self.state, self.ruleset.badge
        *earlier, last = (day for _number, day in sorted(self.days.items()))
        if not last.votes:  # the game ended before the vote
            last = replace(last, living=state.living(), leader=state.badges.get(badge, 0))
        return GameRecord(
            code=code,
            ruleset=self.ruleset.name,
            has_leader=bool(badge),
            roles=self.roles,
            teams={seat: team_of(self.ruleset, role) for seat, role in self.roles.items()},
            days=(*earlier, last),
            leader=state.badges.get(badge, 0),
            dead=frozenset(state.out),
            winner=state.winner,
            winners=frozenset(end["winners"]),
            reason=end["reason"],
            people=self.people | set(state.people),
            candidates=tuple(self.candidates),
            elected=self.elected if self.candidates else 0,
            tested=self._tested_seat(),
            statements=tuple(self.statements),
            polls=tuple(self.polls.values()),
            exiles=frozenset(
                (death.moment.day, death.seat)
                for death in state.deaths
                if self.ruleset.wording.picks_of(death.cause) == "exile"
            ),
            winner_by_exiled_role=winning_team_by_exiled_role(self.ruleset),
        )

    def _tested_seat(self) -> int:
        """Return the seat of the tested model from the game's settings, 0 if they name none."""
        keys = (preset.seat_setting for preset in self.ruleset.presets)
        return next((seat for key in keys if (seat := self.state.settings.get(key))), 0)


def _target(event: Event) -> int | None:
    targets = event.data.get("targets")
    return targets[0] if targets else None
