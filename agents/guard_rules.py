"""The guard's rules: when a prepared line is spoken in place of the model (Guarded 4.4, SPEC 2.8).

The rules are pure functions of a situation, which `agents.faculties.guard` reads from the talk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.packs import Part
from agents.personas.styles import LineKey

# Lines after which the agent says only Over on that day.
ENDING_KEYS: tuple[LineKey, ...] = (
    "closing_first", "closing", "resignation_first", "resignation", "farewell",
)  # fmt: skip
# At most this many statements a day may answer one that addresses the agent (Guarded 4.4).
MAX_ADDRESSED_ANSWERS = 4
PRESSING_VOTES = 2  # with this many announced votes against it, the agent no longer inquires


@dataclass(frozen=True)
class ChosenLine:
    """A prepared line that the agent speaks."""

    key: LineKey  # the situation that the line is written for
    target: int = 0  # the seat that the line names, 0 for none
    is_accusation: bool = False  # whether a report says that the target is hunted


@dataclass(frozen=True)
class Situation:
    """The facts that the guard's rules read before the agent speaks.

    Tuples of seats are in ascending order and never contain the agent.
    """

    talk_number: int  # k, the number of this talk among the agent's talks of the day, from 1
    max_talks: int  # n, the talks that the ruleset allows the agent a day
    day: int  # the number of the day, from 1, or 0 for a day without a vote
    part: Part | None  # the part of the agent's role
    other_seats: tuple[int, ...]  # the living players
    # Living players who announced no vote today, may still speak, and whom the agent has not asked
    # for their vote today.
    undecided: tuple[int, ...]
    is_undecided: bool = True  # whether the agent has announced no vote today
    votes_against: int = 0  # S, the announced votes against the agent
    # Whether exactly one statement since the agent's last one addresses the agent, which has given
    # fewer than MAX_ADDRESSED_ANSWERS answers to such statements today.
    is_addressed: bool = False
    lookers: tuple[int, ...] = ()  # players who claim the role that looks at night
    accusers: tuple[int, ...] = ()  # lookers who report the agent as hunted
    finders: tuple[int, ...] = ()  # lookers who report any player as hunted
    claims_looker: bool = False  # whether the agent claims the role that looks
    # The line that reports the agent's newest look, None if it has none to report.
    own_report: ChosenLine | None = None
    opens_day: bool = False  # whether no player has spoken today
    has_ended_talk: bool = False  # whether the agent has ended its talk of the day
    was_vote_required: bool = False  # whether an earlier statement of the day had to name a vote

    @property
    def living_count(self) -> int:
        return len(self.other_seats) + 1

    @property
    def undecided_count(self) -> int:
        """U: the number of undecided players, the agent included."""
        return len(self.undecided) + self.is_undecided

    @property
    def must_name_vote(self) -> bool:
        """Whether the model's statement must name a vote.

        That begins two talks before the last one of the first day, three before that of later
        days, but never with the day's first talk, which reports and greetings take. If a prepared
        line takes that talk, the next statement of the model must name the vote.
        """
        first_talk = max(2, self.max_talks - (2 if self.day == 1 else 3))
        return self.day > 0 and self.talk_number >= first_talk and not self.was_vote_required


Toss = Callable[[], bool]
Draw = Callable[[Sequence[int]], int]
Rule = Callable[[Situation, Toss, Draw], ChosenLine | None]


def choose_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of the first rule that gives one, None if the model speaks."""
    return next((line for rule in RULES if (line := rule(situation, toss, draw))), None)


def _line_after_end(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of an agent that has ended its talk of the day."""
    return ChosenLine("over") if situation.has_ended_talk else None


def _greeting_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of a day without a vote."""
    if situation.day > 0:
        return None
    return ChosenLine("greeting" if situation.talk_number == 1 else "over")


def _ending_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return a line that brings the talk to its end: an inquiry for a vote, or the closing.

    Returns None if the agent is addressed: the model answers first.
    """
    if situation.is_addressed:
        return None
    k, n, is_first_day = situation.talk_number, situation.max_talks, situation.day == 1
    is_pressed = situation.votes_against >= PRESSING_VOTES
    if is_first_day and k == n - 1 and not is_pressed and situation.undecided:
        return ChosenLine("inquiry", draw(situation.undecided))
    # Guarded 4.4: the agent closes once k > n - 1 + U on the first day, k > n - 2 + U later. Each
    # undecided player thus delays the closing by one talk.
    if k <= n - (1 if is_first_day else 2) + situation.undecided_count:
        return None
    if situation.part == "helper" and situation.day == 2:
        return ChosenLine("farewell")
    if situation.votes_against > situation.living_count // 2:
        return ChosenLine("resignation_first" if is_first_day else "resignation")
    return ChosenLine("closing_first" if is_first_day else "closing")


def _false_claim_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line by which a wolf or helper pretends to be the player who looks at night."""
    if situation.day != 1 or situation.claims_looker:
        return None
    lookers, talk_number = situation.lookers, situation.talk_number
    # A wolf claims only in defence: against a sole looker who accuses it, before its last talks.
    if situation.part == "wolf" and talk_number < situation.max_talks - 1 and len(lookers) == 1:
        return ChosenLine("counter", lookers[0]) if lookers == situation.accusers else None
    if situation.part != "helper":
        return None
    # With its first talk the helper claims on a toss, with its second if no other player does.
    claims_early = talk_number == 1 and len(lookers) < 2 and toss()
    if claims_early or (talk_number == 2 and not lookers):
        return ChosenLine("report", draw(situation.other_seats), is_accusation=True)
    # The helper is on the wolves' side and disputes the find of a sole looker.
    if talk_number == 2 and len(lookers) == 1 and lookers == situation.finders:
        return ChosenLine("counter", lookers[0])
    return None


def _report_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the report of the agent's own look, with its first talk of a day."""
    return situation.own_report if situation.talk_number == 1 else None


def _pose_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line with which the helper reveals itself on the second day."""
    is_start_of_second_day = situation.day == 2 and situation.talk_number == 1
    return ChosenLine("pose") if situation.part == "helper" and is_start_of_second_day else None


def _opening_line(situation: Situation, toss: Toss, draw: Draw) -> ChosenLine | None:
    """Return the line of an agent that speaks first on a day."""
    if not situation.opens_day:
        return None
    return ChosenLine("morning_first" if situation.day == 1 else "morning")


# The rules in the order of Guarded 4.4.
RULES: tuple[Rule, ...] = (
    _line_after_end,
    _greeting_line,
    _ending_line,
    _false_claim_line,
    _report_line,
    _pose_line,
    _opening_line,
)
