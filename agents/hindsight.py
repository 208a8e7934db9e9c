"""The lines that decided a finished game, found by the exact deduction and the votes.

Four questions, each with at most one answer: which statement moved the deduction most, which true
claim did the vote ignore, whose vote decided, and how could a player have won who wins by being
voted out (a Tanner).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agents.claims.claims_summary import is_true, stated_steps
from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from agents.understanding.statements import Statement
from game.engine import visibility
from game.engine.events import Event
from game.engine.ruleset import Ruleset
from game.engine.turns import turn_of
from game.engine.visibility import PUBLIC, View

LEAST_SHIFT = 0.1  # a smaller change of a probability is no decisive line
MOST_LEAD = 1  # a ballot with a greater lead does not depend on one vote

# How a true claim was ignored, the gravest first: the vote spared a player whom it found, hit one
# whom it cleared, or hit the claimant.
Neglect = Literal["found", "cleared", "claimant"]
_GRAVEST: tuple[Neglect, ...] = ("found", "cleared", "claimant")


@dataclass(frozen=True)
class DecisiveLine:
    """A line that decided a game.

    Attributes:
        kind: `shift` (a statement), `ignored` (a true claim), `vote`, or `bait`: a vote or a
            statement that kept `target` from winning by being voted out, or that came closest.
        position: of its event in the log, from 1.
        seat: who spoke or voted.
        target: whose probability to be hunted changed, or for whom the vote was.
        before, after: that probability before and after a shift. Of a vote: the probabilities of
            its target and of the runner-up, as the voter could compute them.
        neglect: how a claim was ignored, "" for other kinds.
        role: the claimed role. targets, value: the claimed result, if there was one.
        other_seats: who was voted out in spite of a claim, or the runner-up of a vote.
        counts: of an ignored claim (votes that followed it, all votes); of a vote (votes for its
            target, votes for the runner-up); of a vote that a bait lacked (votes for the bait,
            votes for the exiled).
    """

    kind: Literal["shift", "ignored", "vote", "bait"]
    position: int
    seat: int
    target: int = 0
    before: float = 0.0
    after: float = 0.0
    neglect: Neglect | Literal[""] = ""
    role: str = ""
    targets: tuple[int, ...] = ()
    value: str = ""
    other_seats: tuple[int, ...] = ()
    counts: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class _Ballot:
    """A vote that counts. votes: voter -> target, 0 for nobody, in order of the log."""

    positions: dict[int, int]  # voter -> position of its vote
    votes: dict[int, int]
    exiled: tuple[int, ...] = ()


def decisive_lines(log: Sequence[Event], ruleset: Ruleset) -> list[DecisiveLine]:
    """Return the decisive lines of a finished game, in the order of the log."""
    pack = pack_of(ruleset)
    roles = {e["seat"]: e["role"] for e in log if e.kind == "role_dealt"}
    ballots = _ballots(log, ruleset)
    last_vote = max((min(b.positions.values()) for b in ballots), default=0)
    statements = [s for s in _statements(log, pack) if s.position < last_vote]
    shifts = [(s, _hunted(s.before, pack), _hunted(s.after, pack)) for s in statements]
    lines = (
        _largest_shift(shifts, set(roles)),
        _ignored_claim(log, statements, ballots, roles, pack),
        _deciding_vote(log, ballots, roles, pack),
        _missed_bait(shifts, ballots, {s for s, role in roles.items() if role in pack.data.baits}),
    )
    return sorted((line for line in lines if line), key=lambda line: line.position)


def _ballots(log: Sequence[Event], ruleset: Ruleset) -> list[_Ballot]:
    """List the ballots for an exile in which somebody was voted out."""
    wording = ruleset.wording
    kinds = {kind for kind in wording.ballots if wording.picks_of(kind) == "exile"}
    ballots: dict[str, _Ballot] = {}
    for position, event in enumerate(log, 1):
        if event.kind in kinds:
            ballot = ballots.setdefault(event["window"], _Ballot({}, {}))
            ballot.positions[event["seat"]] = position
            ballot.votes[event["seat"]] = (event.data.get("targets") or [0])[0]
        elif event.kind == "out" and ballots and event["cause"] in kinds:
            key = next(reversed(ballots))
            last = ballots[key]
            exiled = (*last.exiled, event["seat"])
            ballots[key] = _Ballot(last.positions, last.votes, exiled)
    return [ballot for ballot in ballots.values() if ballot.exiled]


@dataclass(frozen=True)
class _Spoken:
    """A public statement: its position in the log, and the public views around it."""

    position: int
    statement: Statement
    before: View
    after: View


# A statement, and seat -> probability to be hunted before and after it.
_Shift = tuple[_Spoken, dict[int, float], dict[int, float]]


def _statements(log: Sequence[Event], pack: Pack) -> Iterator[_Spoken]:
    """Yield every public statement with words."""
    view = View(PUBLIC)
    for position, event in enumerate(log, 1):
        if not PUBLIC.sees(event.audience):
            continue
        earlier = view
        view = visibility.extend_view(view, visibility.visible_events([event], PUBLIC, blind=True))
        turn = turn_of(view.events[-1], earlier.state, len(view.turns), len(view.events))
        if turn and turn.text:
            yield _Spoken(position, Dialogue.of(view, pack).said[-1], earlier, view)


def _hunted(view: View, pack: Pack) -> dict[int, float]:
    """Return seat -> probability to be hunted, as exactly as `view` allows."""
    table = infer_roles(pack, Knowledge.of(view, pack), collect_clues(Dialogue.of(view, pack)))
    return {seat: sum(row.get(r, 0.0) for r in pack.hunted) for seat, row in table.items()}


def _largest_shift(shifts: Sequence[_Shift], targets: set[int]) -> DecisiveLine | None:
    """Return the statement after which a listener's deduction about one target changed most.

    The listener knows what everybody knows. The earliest of several equal ones counts.
    """
    largest: DecisiveLine | None = None
    least = LEAST_SHIFT
    for spoken, before, after in shifts:
        changes = {seat: abs(after[seat] - before[seat]) for seat in after if seat in targets}
        target = max(changes, key=lambda seat: changes[seat])
        if changes[target] > least:
            least = changes[target]
            chances = before[target], after[target]
            largest = DecisiveLine(
                "shift", spoken.position, spoken.statement.seat, target, *chances
            )
    return largest


def _missed_bait(
    shifts: Sequence[_Shift], ballots: Sequence[_Ballot], baits: set[int]
) -> DecisiveLine | None:
    """Return how a player who wins by being voted out could have won, None if they did.

    A close ballot lacked one vote. Otherwise a statement changed the suspicion of them most.
    """
    exiled = {seat for ballot in ballots for seat in ballot.exiled}
    if not baits or not ballots or baits & exiled:
        return None
    lacking = (_lacking_vote(ballot, seat) for ballot in ballots for seat in sorted(baits))
    if line := next(filter(None, lacking), None):
        return line
    shift = _largest_shift(shifts, baits)
    return replace(shift, kind="bait") if shift else None


def _lacking_vote(ballot: _Ballot, bait: int) -> DecisiveLine | None:
    """Return the first vote for the exiled player that would have exiled `bait` instead."""
    counts = Counter(target for target in ballot.votes.values() if target)
    target = ballot.exiled[0]
    rival_counts = [votes for seat, votes in counts.items() if seat not in (bait, target)]
    is_close = counts[bait] and counts[target] - counts[bait] <= MOST_LEAD
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


def _ignored_claim(
    log: Sequence[Event],
    statements: Sequence[_Spoken],
    ballots: Sequence[_Ballot],
    roles: dict[int, str],
    pack: Pack,
) -> DecisiveLine | None:
    """Return the true claim of the village's side that a vote ignored most.

    The gravest way comes first, then the smallest number of votes that followed the claim.
    """
    ignored = [
        line
        for spoken in statements
        if roles[spoken.statement.seat] not in pack.liars
        for line in _ways_ignored(log, spoken, ballots, roles, pack)
    ]
    return min(
        ignored,
        key=lambda line: (_GRAVEST.index(line.neglect), line.counts[0]) if line.neglect else (9, 0),
        default=None,
    )


def _ways_ignored(
    log: Sequence[Event],
    spoken: _Spoken,
    ballots: Sequence[_Ballot],
    roles: dict[int, str],
    pack: Pack,
) -> Iterator[DecisiveLine]:
    """Yield a line for each true claim of the statement that the next ballot ignored.

    A claim to a role without special knowledge does not count, because everybody makes it.
    """
    later = (b for b in ballots if min(b.positions.values()) > spoken.position)
    statement, ballot = spoken.statement, next(later, None)
    if ballot is None:
        return
    mine = visibility.view_of(log, visibility.seat(statement.seat), revealed=True)
    knowledge = Knowledge.of(mine, pack)
    living = set(spoken.after.state.living())
    for act in statement.acts:
        for step in stated_steps(act, pack, statement.round, statement.day):
            if not _is_special(step, pack) or not is_true(step, mine, knowledge):
                continue
            neglect, seats = _possible_neglect(step, living, pack)
            should_hit = neglect == "found"
            if not seats or bool(seats & set(ballot.exiled)) == should_hit:
                continue
            votes = [target for target in ballot.votes.values() if target]
            followed = sum((target in seats) == should_hit for target in votes)
            yield DecisiveLine(
                "ignored",
                spoken.position,
                statement.seat,
                neglect=neglect,
                role=step.role,
                targets=step.targets,
                value=step.value,
                other_seats=ballot.exiled,
                counts=(followed, len(votes)),
            )


def _is_special(step: ClaimStep, pack: Pack) -> bool:
    """Return whether a step is a result, or a claim to a role with special knowledge."""
    return step.kind == "look" or (step.kind == "role" and pack.part(step.role) != "plain")


def _possible_neglect(step: ClaimStep, living: set[int], pack: Pack) -> tuple[Neglect, set[int]]:
    """Return how a vote can ignore a true step, and the seats that it should hit or spare.

    Of several players of whom one was found, a vote for any follows the step.
    """
    if step.kind == "role":
        return "claimant", {step.seat}
    targets = living & set(step.targets)
    if pack.accuses(step.result):
        return "found", targets
    return "cleared", targets


def _deciding_vote(
    log: Sequence[Event], ballots: Sequence[_Ballot], roles: dict[int, str], pack: Pack
) -> DecisiveLine | None:
    """Return a vote without which the closest ballot would have been tied or lost.

    Of several such ballots the last one counts. Of its votes that of the side that does not hunt
    counts whose voter's own deduction supports it least.
    """
    close = [b for b in ballots if (lead := _lead(b)) is not None and lead <= MOST_LEAD]
    if not close:
        return None
    ballot = min(reversed(close), key=lambda b: _lead(b) or 0)
    target = ballot.exiled[0]
    counts = Counter(v for v in ballot.votes.values() if v)
    second = max((s for s in counts if s != target), key=lambda s: (counts[s], -s))
    voters = [v for v, t in ballot.votes.items() if t == target]
    honest = [v for v in voters if roles[v] not in pack.liars] or voters
    chances = {v: _chances(log, ballot, v, (target, second), pack) for v in honest}
    voter = min(honest, key=lambda v: chances[v][0] - chances[v][1])
    return DecisiveLine(
        "vote",
        ballot.positions[voter],
        voter,
        target,
        *chances[voter],
        other_seats=(second,),
        counts=(counts[target], counts[second]),
    )


def _lead(ballot: _Ballot) -> int | None:
    """Return the lead of the exiled player in votes.

    Returns None without a rival, or if several players were exiled.
    """
    counts = Counter(v for v in ballot.votes.values() if v)
    most = counts.pop(ballot.exiled[0], 0)
    if not most or not counts or len(ballot.exiled) > 1:
        return None
    return most - max(counts.values())


def _chances(
    log: Sequence[Event], ballot: _Ballot, voter: int, targets: tuple[int, int], pack: Pack
) -> tuple[float, float]:
    """Return the probabilities of `targets` to be hunted, as `voter` could compute them then."""
    known_events = log[: min(ballot.positions.values()) - 1]
    view = visibility.view_of(known_events, visibility.seat(voter), revealed=True)
    hunted = _hunted(view, pack)
    return hunted[targets[0]], hunted[targets[1]]
