"""Hindsight: the lines that decided a finished game, by exact deduction and the votes.

A line is one event: a statement or a vote. There is at most one decisive line of each kind:

- the statement that changed the deduction most
- the true claim that a vote ignored most
- the vote that decided the closest ballot
- the line that kept a bait (a player who wins by being voted out, such as a Tanner) from winning
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from agents.claims.claim_reading import is_true, stated_steps
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from agents.understanding.statements import Statement
from game.engine import visibility
from game.engine.events import Event
from game.engine.ruleset import Ruleset
from game.engine.state import turn_of
from game.engine.visibility import PUBLIC, View

MIN_SHIFT = 0.1  # a statement that changes no probability by more is not decisive
MAX_CLOSE_LEAD = 1  # a ballot with a lead of more votes does not depend on one vote

# How a vote ignored a true claim, from the gravest: it spared a player whom the claim found to be
# hunted, exiled one whom it cleared, or exiled the claimant.
Neglect = Literal["found", "cleared", "claimant"]
_NEGLECT_RANKS: Mapping[str, int] = {"found": 0, "cleared": 1, "claimant": 2}


@dataclass(frozen=True)
class DecisiveLine:
    """A line that decided a game."""

    # `shift` (a statement that changed the deduction), `ignored` (a true claim), `vote`, or `bait`
    # (a vote or statement that kept `target` from winning by being voted out).
    kind: Literal["shift", "ignored", "vote", "bait"]
    position: int  # position of the line's event in the log, from 1
    seat: int  # the speaker or voter
    target: int = 0  # the player whose probability to be hunted changed, or who got the vote
    # The target's probability to be hunted: for a shift, before the statement; for a vote, as the
    # voter could compute it.
    before: float = 0.0
    after: float = 0.0  # the same after a shift's statement; for a vote, that of the runner-up
    neglect: Neglect | Literal[""] = ""  # how a claim was ignored, "" for other kinds
    role: str = ""  # the claimed role
    targets: tuple[int, ...] = ()  # the players whom the claimed result is about
    value: str = ""  # the claimed result, "" without one
    # The players exiled in spite of a claim, or the runner-up of a vote.
    other_seats: tuple[int, ...] = ()
    # Two numbers of votes. For an ignored claim, the votes that followed it and all votes. For a
    # vote, those for its target and for the runner-up. For a vote that a bait lacked, those for the
    # bait and for the exiled player.
    counts: tuple[int, int] = (0, 0)


@dataclass
class _Ballot:
    """A ballot for an exile."""

    # Voter -> position of the vote in the log, in order of the log.
    positions: dict[int, int] = field(default_factory=dict)
    votes: dict[int, int] = field(default_factory=dict)  # voter -> target, 0 for an abstention
    exiled: tuple[int, ...] = ()  # seats that were voted out

    @property
    def start(self) -> int:
        """Position of its first vote in the log."""
        return min(self.positions.values())

    @property
    def vote_counts(self) -> Counter[int]:
        """Target -> number of votes for it."""
        return Counter(target for target in self.votes.values() if target)


def decisive_lines(log: Sequence[Event], ruleset: Ruleset) -> list[DecisiveLine]:
    """Return the decisive lines of a finished game, in the order of the log."""
    pack = pack_of(ruleset)
    roles = {e["seat"]: e["role"] for e in log if e.kind == "role_dealt"}
    ballots = _list_ballots(log, ruleset)
    baits = {seat for seat, role in roles.items() if role in pack.data.baits}
    last_start = max((ballot.start for ballot in ballots), default=0)
    # A statement after the last ballot began could not change the outcome.
    statements = list(_iter_statements(log[: max(0, last_start - 1)], pack))
    lines = (
        _find_largest_shift(statements, set(roles)),
        _find_ignored_claim(log, statements, ballots, roles, pack),
        _find_deciding_vote(log, ballots, roles, pack),
        _find_missed_bait(statements, ballots, baits),
    )
    return sorted((line for line in lines if line), key=lambda line: line.position)


def _list_ballots(log: Sequence[Event], ruleset: Ruleset) -> list[_Ballot]:
    """Return the ballots that ended with an exile, in the order of the log."""
    wording = ruleset.wording
    kinds = {kind for kind in wording.ballots if wording.picks_of(kind) == "exile"}
    ballots: dict[str, _Ballot] = {}
    for position, event in enumerate(log, 1):
        if event.kind in kinds:
            ballot = ballots.setdefault(event["window"], _Ballot())
            ballot.positions[event["seat"]] = position
            ballot.votes[event["seat"]] = (event.data.get("targets") or [0])[0]
        elif event.kind == "out" and ballots and event["cause"] in kinds:
            ballots[next(reversed(ballots))].exiled += (event["seat"],)
    return [ballot for ballot in ballots.values() if ballot.exiled]


@dataclass(frozen=True)
class _PublicStatement:
    """A public statement, and what the public can deduce before and after it."""

    position: int  # the statement's position in the log, from 1
    statement: Statement
    living: set[int]  # the living players
    before: dict[int, float]  # seat -> probability to be hunted before the statement
    after: dict[int, float]  # seat -> probability to be hunted after the statement


def _iter_statements(log: Sequence[Event], pack: Pack) -> Iterator[_PublicStatement]:
    """Yield every public statement with words."""
    view = View(PUBLIC)
    for position, event in enumerate(log, 1):
        if not PUBLIC.can_see(event.audience):
            continue
        visible_events = visibility.visible_events([event], PUBLIC, should_hide_labels=True)
        earlier, view = view, visibility.extend_view(view, visible_events)
        turn = turn_of(view.events[-1], earlier.state, len(view.turns), len(view.events))
        if turn and turn.text:
            yield _PublicStatement(
                position,
                Dialogue.of(view, pack).statements[-1],
                set(view.state.living()),
                _hunted_probabilities(earlier, pack),
                _hunted_probabilities(view, pack),
            )


def _hunted_probabilities(view: View, pack: Pack) -> dict[int, float]:
    """Return seat -> exact probability to hold a hunted role, given `view`."""
    table = infer_roles(pack, Knowledge.of(view, pack), collect_clues(Dialogue.of(view, pack)))
    return {seat: sum(row.get(r, 0.0) for r in pack.hunted) for seat, row in table.items()}


def _find_largest_shift(
    statements: Sequence[_PublicStatement], targets: set[int]
) -> DecisiveLine | None:
    """Return the statement that changed the public's deduction about one of `targets` most.

    The deduction uses only what all players know. Ties go to the earliest statement.
    """
    shifts = (
        DecisiveLine("shift", s.position, s.statement.seat, seat, s.before[seat], s.after[seat])
        for s in statements
        for seat in s.after
        if seat in targets
    )
    significant = (shift for shift in shifts if abs(shift.after - shift.before) > MIN_SHIFT)
    return max(significant, key=lambda shift: abs(shift.after - shift.before), default=None)


def _find_missed_bait(
    statements: Sequence[_PublicStatement], ballots: Sequence[_Ballot], baits: set[int]
) -> DecisiveLine | None:
    """Return the line that kept a bait from being voted out, None if a bait was voted out.

    The line is the vote that the bait lacked in a close ballot, else the statement that changed the
    suspicion of a bait most.
    """
    exiled = {seat for ballot in ballots for seat in ballot.exiled}
    if not baits or not ballots or baits & exiled:
        return None
    lines = (_find_missing_vote(ballot, seat) for ballot in ballots for seat in sorted(baits))
    if line := next(filter(None, lines), None):
        return line
    shift = _find_largest_shift(statements, baits)
    return replace(shift, kind="bait") if shift else None


def _find_missing_vote(ballot: _Ballot, bait: int) -> DecisiveLine | None:
    """Return the first vote for the exiled player that would have exiled `bait` instead.

    Return None if the ballot was not close, or if a third player had as many votes.
    """
    counts, target = ballot.vote_counts, ballot.exiled[0]
    rival_counts = [votes for seat, votes in counts.items() if seat not in (bait, target)]
    is_close = counts[bait] and counts[target] - counts[bait] <= MAX_CLOSE_LEAD
    voters = [v for v, t in ballot.votes.items() if t == target and v != bait]
    if not is_close or not voters or counts[bait] + 1 <= max(rival_counts, default=0):
        return None
    return DecisiveLine(
        "bait",
        ballot.positions[voters[0]],
        voters[0],
        bait,
        other_seats=(target,),
        counts=(counts[bait], counts[target]),
    )


def _find_ignored_claim(
    log: Sequence[Event],
    statements: Sequence[_PublicStatement],
    ballots: Sequence[_Ballot],
    roles: dict[int, str],
    pack: Pack,
) -> DecisiveLine | None:
    """Return the true claim of a speaker outside the lying side that a vote ignored most gravely.

    Of equally grave cases it takes the one that the fewest votes followed.
    """
    lines = [
        line
        for public_statement in statements
        if roles[public_statement.statement.seat] not in pack.liars
        for line in _ignored_claims(log, public_statement, ballots, pack)
    ]
    return min(lines, key=lambda line: (_NEGLECT_RANKS[line.neglect], line.counts[0]), default=None)


def _ignored_claims(
    log: Sequence[Event], public_statement: _PublicStatement, ballots: Sequence[_Ballot], pack: Pack
) -> Iterator[DecisiveLine]:
    """Yield a line for each true claim of the statement that the next ballot ignored.

    A claim to a role without special knowledge does not count: it carries no information, because
    any player may make it. Nor does one about players of whom none is alive.
    """
    statement = public_statement.statement
    ballot = next((b for b in ballots if b.start > public_statement.position), None)
    if ballot is None:
        return
    speaker_view = visibility.view_of(log, visibility.seat(statement.seat), is_revealed=True)
    knowledge = Knowledge.of(speaker_view, pack)
    for act in statement.acts:
        for step in stated_steps(act, pack, statement.round, statement.day):
            is_special = step.kind == "role" and pack.part(step.role) != "plain"
            if not (is_special or step.kind == "look"):
                continue
            if not is_true(step, speaker_view, knowledge):
                continue
            neglect, seats = _neglect_and_seats(step, public_statement.living, pack)
            should_exile = neglect == "found"
            if not seats or bool(seats & set(ballot.exiled)) == should_exile:
                continue  # the ballot followed the claim
            targets = [target for target in ballot.votes.values() if target]
            followed = sum((target in seats) == should_exile for target in targets)
            yield DecisiveLine(
                "ignored",
                public_statement.position,
                statement.seat,
                neglect=neglect,
                role=step.role,
                targets=step.targets,
                value=step.value,
                other_seats=ballot.exiled,
                counts=(followed, len(targets)),
            )


def _neglect_and_seats(step: ClaimStep, living: set[int], pack: Pack) -> tuple[Neglect, set[int]]:
    """Return how a vote can ignore a true step, and the seats that it should exile or spare.

    If a result finds one of several players hunted, a vote for any of them follows it.
    """
    if step.kind == "role":
        return "claimant", {step.seat}
    return "found" if pack.accuses(step.result) else "cleared", living & set(step.targets)


def _find_deciding_vote(
    log: Sequence[Event], ballots: Sequence[_Ballot], roles: dict[int, str], pack: Pack
) -> DecisiveLine | None:
    """Return the vote that decided the closest ballot, None if no ballot was close.

    Of equally close ballots it takes the last, and of the votes for the exiled player the one that
    the voter's own deduction supported least. Voters of the side that may lie are only considered
    if there are no others.
    """
    ballot = min(reversed(ballots), key=_lead, default=None)
    if ballot is None or _lead(ballot) > MAX_CLOSE_LEAD:
        return None
    target = ballot.exiled[0]
    counts = ballot.vote_counts
    runner_up = max((s for s in counts if s != target), key=lambda s: (counts[s], -s))
    voters = [v for v, t in ballot.votes.items() if t == target]
    candidates = [v for v in voters if roles[v] not in pack.liars] or voters
    probabilities = {
        v: _probabilities_for_voter(log, ballot, v, (target, runner_up), pack) for v in candidates
    }
    voter = min(candidates, key=lambda v: probabilities[v][0] - probabilities[v][1])
    return DecisiveLine(
        "vote",
        ballot.positions[voter],
        voter,
        target,
        *probabilities[voter],
        other_seats=(runner_up,),
        counts=(counts[target], counts[runner_up]),
    )


def _lead(ballot: _Ballot) -> float:
    """Return the exiled player's lead in votes, inf if a single vote cannot have decided.

    That is so if nobody voted for the exiled player, or for anyone else, and for several exiles.
    """
    counts = ballot.vote_counts
    exile_votes = counts.pop(ballot.exiled[0], 0)
    if not exile_votes or not counts or len(ballot.exiled) > 1:
        return math.inf
    return exile_votes - max(counts.values())


def _probabilities_for_voter(
    log: Sequence[Event], ballot: _Ballot, voter: int, targets: tuple[int, int], pack: Pack
) -> tuple[float, float]:
    """Return the probabilities of `targets` to be hunted, as `voter` could compute them then."""
    view = visibility.view_of(log[: ballot.start - 1], visibility.seat(voter), is_revealed=True)
    hunted = _hunted_probabilities(view, pack)
    return hunted[targets[0]], hunted[targets[1]]
