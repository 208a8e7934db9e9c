"""Game records: the plain data from which metrics are computed.

`webapp.lab.record_builder` builds them from a game's log. The leader is the player who holds the
badge of the ruleset: in "sheriff" the Sheriff.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Votes = Mapping[int, int | None]  # voter's seat -> seat voted for, None: abstained
Scores = Mapping[int, Mapping[int, int]]  # judge's seat -> target's seat -> reliability, 1 to 10

FAVOR, BELIEF = "favor", "belief"  # subjects of an `Opinion`


class NotDefined(Exception):
    """The metric is meaningless in games of this ruleset. The message explains it to a reader."""


@dataclass(frozen=True)
class Day:
    """One day. Seats are 1..n."""

    number: int
    # Seats alive at the vote. On a day without a vote: at its start, or at the game's end on the
    # last day.
    living: tuple[int, ...]
    leader: int = 0  # the leader of that day, 0 for nobody
    # The votes of the day's last ballot, {} if there was none.
    votes: Votes = field(default_factory=dict)
    # The answers to the poll before the leader spoke.
    pseudo_votes: Votes = field(default_factory=dict)
    # The scores that are valid when the vote closes. An unscored pair is missing.
    scores: Scores = field(default_factory=dict)
    # (judge, target) pairs of `scores` that were not renewed for the vote.
    older_score_pairs: frozenset[tuple[int, int]] = frozenset()

    @property
    def others(self) -> tuple[int, ...]:
        """The living players except the leader."""
        return tuple(s for s in self.living if s != self.leader)


@dataclass(frozen=True)
class Statement:
    """A public statement of a seat. `round` counts all rounds of talk of the game, from 1."""

    day: int
    round: int
    seat: int
    speaker: str
    text: str


@dataclass(frozen=True)
class Poll:
    """A straw poll: seat -> the seat that it suspects, None for no valid answer."""

    day: int
    round: int
    votes: Votes


@dataclass(frozen=True)
class Opinion:
    """A seat's opinion of the other living seats when a round opens (Humanized 2.3, 2.4)."""

    round: int
    seat: int
    subject: str  # FAVOR or BELIEF
    # Seat -> favor, 1 to 100, or probability that its player is hunted, 0 to 1.
    values: Mapping[int, float]


@dataclass(frozen=True)
class Claim:
    """A step of a player's claims, read by rule from the public talk, without repeats."""

    day: int
    seat: int
    # `role`, `look` (as `role`, at `targets`, with the answer `value`), `vote` (announced, for the
    # one target) or `back` (withdraws the claim).
    kind: str
    role: str = ""
    targets: tuple[int, ...] = ()
    value: str = ""
    # How many looks the role can have made by then; 0 unless the claim is a look.
    max_looks: int = 0


@dataclass(frozen=True)
class Inducement:
    """An attempt to induce votes (Impressions 7). Its manner is `hint` or `call`."""

    day: int
    seat: int
    target: int
    manner: str


@dataclass(frozen=True)
class GameRecord:
    code: str
    ruleset: str
    has_leader: bool
    # The players, by seat.
    roles: Mapping[int, str]
    teams: Mapping[int, str]
    people: frozenset[int] = frozenset()  # seats of people
    # Agent's seat -> the name of its model or player, and its method.
    systems: Mapping[int, str] = field(default_factory=dict)
    # Agent's seat -> the name of its persona, if it has one.
    personas: Mapping[int, str] = field(default_factory=dict)
    tested: int = 0  # the seat of the model that a setting tests, 0 for none
    # What happened.
    days: tuple[Day, ...] = ()
    # The seats that stood for leader, in the order of their speeches.
    candidates: tuple[int, ...] = ()
    elected: int = 0  # the winner of the election, 0 for nobody
    leader: int = 0  # the leader at the end, 0 for nobody
    # (day, seat) of the players who were voted out.
    exiles: frozenset[tuple[int, int]] = frozenset()
    dead: frozenset[int] = frozenset()  # seats that were out of the game at its end
    # What was said, asked and believed.
    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()
    inducements: tuple[Inducement, ...] = ()
    polls: tuple[Poll, ...] = ()
    # Of agents, oldest first. Favor before the second round is the same for everybody and is not
    # noted.
    opinions: tuple[Opinion, ...] = ()
    # The end.
    winner: str = ""  # the key of a team, "" if nobody won
    winners: frozenset[int] = frozenset()  # seats of the players who won
    reason: str = ""  # why the game ended, in the ruleset's own word
    # Role -> team that wins if it is exiled, "" -> if any other role is; empty if one exile does
    # not decide the game.
    winner_by_exiled_role: Mapping[str, str] = field(default_factory=dict)

    @property
    def days_with_vote(self) -> tuple[Day, ...]:
        return tuple(day for day in self.days if day.votes)

    @property
    def is_void(self) -> bool:
        """Whether the game ended before any vote and without a winner. `reason` has the cause."""
        return not self.winner and not self.days_with_vote

    def require_leader(self, metric: str) -> None:
        """Raise NotDefined if the ruleset has no leader."""
        if not self.has_leader:
            raise NotDefined(f"{self.ruleset} has no Sheriff, so {metric} is not defined there")


def have_one_statement(games: Iterable[GameRecord]) -> bool:
    """Return whether every game has one statement (the persona experiment, Humanized 3.1)."""
    return {len(game.statements) for game in games} == {1}
