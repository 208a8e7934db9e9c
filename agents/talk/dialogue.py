"""The talk so far, as speech acts, with queries on it.

All queries on claims with their results, announced votes and questions are here. The house player,
the claims in prompts, and the role probabilities use them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations

from agents.packs import Pack, Result
from agents.talk.course import Course
from agents.understanding.demands import Demand, demands
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import (
    Statement,
    Turn,
    count_silent_turns,
    protected_seat,
    read_statements,
    result_of,
)
from game.engine.visibility import View


@dataclass(eq=False)
class Dialogue:
    """The public talk that a viewer heard. Instances are cached and shared: do not change them."""

    pack: Pack
    statements: list[Statement] = field(default_factory=list)  # oldest first
    passed: Counter[int] = field(default_factory=Counter)  # seat -> number of silent turns
    seats: tuple[str, ...] = ()  # the names of the seats
    course: Course = field(default_factory=Course)  # the other public events
    today: int = 0  # the first round of talk of the current day
    # (kinds, speaker) -> the result of `acts`. A copy made with `replace` starts with an empty one.
    _acts: dict[tuple[tuple[str, ...], int], list[SpeechAct]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, view: View, pack: Pack) -> "Dialogue":
        """Return the dialogue of all public statements in `view`."""
        rounds_today = (t.round for t in view.turns if t.moment.day == view.state.day)
        today = next(rounds_today, len(view.state.rounds) + 1)
        turns = tuple(
            (t.seat, t.round, t.text, t.moment.day, t.moment.phase, t.moment.pass_)
            for t in view.turns
        )
        return _build_dialogue(pack, turns, view.state.seats, Course.of(view, pack.ruleset), today)

    def acts(self, *kinds: str, by: int = 0) -> Sequence[SpeechAct]:
        """Return all acts of these kinds, oldest first, of all speakers or only of `by`."""
        if (acts := self._acts.get((kinds, by))) is None:
            acts = self._acts[kinds, by] = [
                act
                for statement in self.statements
                if by in (0, statement.seat)
                for act in statement.acts
                if act.kind in kinds
            ]
        return acts

    @cached_property
    def claims(self) -> dict[int, str]:
        """Seat -> the role it last claimed. A report counts as a claim to the role that looks."""
        claims: dict[int, str] = {}
        for act in self.acts("claim", "report", "deny", "retract"):
            if act.kind in ("claim", "report"):
                claims[act.speaker] = act.role
            elif act.kind == "retract" or claims.get(act.speaker) == act.role:
                claims.pop(act.speaker, None)
        return claims

    @cached_property
    def changed(self) -> dict[int, tuple[str, str]]:
        """Seat -> (first claimed role, another claimed later), if the seat changed its claim.

        A role that was denied or withdrawn since does not count.
        """
        order: dict[int, list[str]] = {}
        for act in self.acts("claim", "report", "deny", "retract"):
            roles = order.setdefault(act.speaker, [])
            if act.kind in ("deny", "retract"):
                roles[:] = [r for r in roles if act.kind == "deny" and r != act.role]
            elif act.role not in roles:
                roles.append(act.role)
        return {seat: (roles[0], roles[-1]) for seat, roles in order.items() if len(roles) > 1}

    @cached_property
    def reports(self) -> dict[int, Result]:
        """Seat -> the last result that it reported, unless it has withdrawn its claim."""
        return {seat: results[-1] for seat, results in self.looks.items()}

    @cached_property
    def looks(self) -> dict[int, tuple[Result, ...]]:
        """Seat -> all results that it reported, unless it has withdrawn its claim.

        Of several results about the same targets only the newest counts. There are at most as many
        as nights.
        """
        looks_by_seat: dict[int, list[Result]] = {}
        for act in self.acts("report"):
            if result := result_of(act, self.pack):
                seat_looks = looks_by_seat.setdefault(act.speaker, [])
                seat_looks[:] = [r for r in seat_looks if r.targets != result.targets] + [result]
        max_looks = max(self.course.nights, 1)
        return {
            seat: tuple(seat_looks[-max_looks:])
            for seat, seat_looks in looks_by_seat.items()
            if self.claims.get(seat) == seat_looks[-1].source
        }

    @cached_property
    def copiers(self) -> set[int]:
        """Seats that reported the same result as an earlier claimant of the same role."""
        first: dict[tuple[str, tuple[int, ...], str], int] = {}
        copiers: set[int] = set()
        for act in self.acts("report"):
            look = (act.role, tuple(sorted(act.targets)), act.value)
            if first.setdefault(look, act.speaker) != act.speaker:
                copiers.add(act.speaker)
        return copiers

    @cached_property
    def claimed_saves(self) -> dict[int, int]:
        """Seat that claims a role -> the player whom it last said it protected."""
        saves = ((s.seat, protected_seat(s.text, self.seats, self.pack)) for s in self.statements)
        return {s: saved for s, saved in saves if saved not in (0, s) and s in self.claims}

    @property
    def reported_looks(self) -> list[tuple[int, Result]]:
        """All reported looks as (seat, result)."""
        return [(seat, result) for seat, results in self.looks.items() for result in results]

    @cached_property
    def rival_looks(self) -> list[tuple[int, Result, int, Result]]:
        """(seat, its look, rival, its look) of players who claim one looking role.

        Only looks at several players count. The seat that told first comes first.
        """
        looks = [(seat, result) for seat, result in self.reported_looks if len(result.targets) > 1]
        return [
            (x, first, y, second)
            for (x, first), (y, second) in combinations(looks, 2)
            if x != y and first.source == second.source
        ]

    def reporters(self, seat: int, is_accused: bool) -> list[int]:
        """Return the seats with a report about `seat`, alone or among others, that they maintain.

        If `is_accused`, their looks found a hunted player, else they cleared.
        """
        looks = self.reported_looks
        return [s for s, r in looks if seat in r.targets and self.pack.accuses(r) == is_accused]

    @cached_property
    def companions(self) -> dict[int, int]:
        """Seat -> the companion it named last, if it has not withdrawn that."""
        named_companions = {a.speaker: a.targets[0] for a in self.acts("companion") if a.targets}
        return {s: mate for s, mate in named_companions.items() if self.is_mate(s)}

    def is_mate(self, seat: int) -> bool:
        """Return whether `seat` claims a role whose holders know each other."""
        return self.pack.part(self.claims.get(seat, "")) == "mate"

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of seats that named each other as companions.

        It is enough if one named the other and the other claims such a role and names no one else.
        """
        return sorted(
            {
                (min(seat, other), max(seat, other))
                for seat, other in self.companions.items()
                if self.companions.get(other) == seat
                or (self.is_mate(other) and self.companions.get(other, seat) == seat)
            }
        )

    def partner(self, seat: int) -> int:
        """Return the other seat of the first pair with `seat`, 0 for none."""
        return next((a if b == seat else b for a, b in self.pairs if seat in (a, b)), 0)

    def claimants(self, role: str) -> list[int]:
        """Return the seats that claim `role` now, in the order of their claims."""
        spoken = (a for a in self.acts("claim", "report") if a.role == role)
        order = dict.fromkeys(a.speaker for a in spoken)
        return [s for s in order if role and self.claims.get(s) == role]

    def is_contested(self, seat: int) -> bool:
        """Return whether more players claim the role of `seat` than the deck holds."""
        claim = self.claims.get(seat, "")
        return self.pack.deck.count(claim) > 0 and self.is_crowded(claim)

    def is_crowded(self, role: str) -> bool:
        """Return whether more players claim `role` than the deck holds."""
        return len(self.claimants(role)) > self.pack.deck.count(role)

    def is_contradicted(self, seat: int) -> bool:
        """Return whether a look found `seat`, or its claim changed or is contested."""
        accusers = self.reporters(seat, is_accused=True)
        return bool(accusers) or seat in self.changed or self.is_contested(seat)

    @cached_property
    def lookers(self) -> list[int]:
        """Seats that claim a role that looks, in the order of their claims."""
        part, spoken = self.pack.part, self.acts("claim", "report")
        order = dict.fromkeys(a.speaker for a in spoken if part(a.role) == "looker")
        return [s for s in order if part(self.claims.get(s, "")) == "looker"]

    @cached_property
    def pledges(self) -> dict[tuple[int, int], int]:
        """(Day, seat) -> the target of its announced vote, if it has pressed no one else since."""
        pledges: dict[tuple[int, int], int] = {}
        for statement in self.statements:
            for act in statement.acts:
                if act.strength and act.targets:
                    key = statement.day, statement.seat
                    pledges[key] = act.targets[-1] if act.kind == "vote" else pledges.get(key, 0)
                    if pledges[key] not in act.targets:
                        del pledges[key]
        return pledges

    @cached_property
    def recommendations(self) -> dict[int, tuple[int, int]]:
        """Day -> (holder of a badge at its ballot, target of that player's announced vote)."""
        pledges = self.pledges
        leaders = self.course.leaders
        return {day: (s, pledges[day, s]) for day, s in leaders if (day, s) in pledges}

    @cached_property
    def broken_pledges(self) -> dict[tuple[int, int], tuple[int, int]]:
        """(Day, seat) -> (target of its announced vote, target of its vote), if they differ.

        Only the first ballot of a day counts, because later ones have fewer options. A vote that
        follows a badge holder's recommendation breaks no pledge.
        """
        broken: dict[tuple[int, int], tuple[int, int]] = {}
        for (day, seat), pledged in self.pledges.items():
            voted = self.course.first_votes(day).get(seat, pledged)
            if voted not in (pledged, self.recommendations.get(day, (0, 0))[1]):
                broken[day, seat] = pledged, voted
        return broken

    def count_announced_votes(self, seats: Iterable[int]) -> Counter[int]:
        """Return seat -> how many of `seats` press it now, of those that have announced a vote."""
        return Counter(self.suspect_of(s) for s in seats if any(self.acts("vote", by=s)))

    def pressed_by(self, seat: int) -> Mapping[int, int]:
        """Return target -> the round in which `seat` last pressed it, the newest last."""
        return self._pressed.get(seat, {})

    @cached_property
    def _pressed(self) -> dict[int, dict[int, int]]:
        pressed_by_seat: dict[int, dict[int, int]] = {}
        for statement in self.statements:
            pressed = pressed_by_seat.setdefault(statement.seat, {})
            for target in statement.presses():
                pressed.pop(target, None)
                pressed[target] = statement.round
        return pressed_by_seat

    def pressing(self, seat: int) -> list[int]:
        """Return the living seats that pressed `seat` last, and did so today.

        They are in the order of their first statements.
        """
        living = (s for s in self.speakers if s != seat and s not in self.course.out)
        suspecting = (s for s in living if self.suspect_of(s) == seat)
        return [s for s in suspecting if self.pressed_by(s)[seat] >= self.today]

    def suspect_of(self, seat: int) -> int:
        """Return the seat that `seat` pressed last, 0 for none."""
        return next(reversed(self.pressed_by(seat)), 0)

    @cached_property
    def speakers(self) -> list[int]:
        """Seats that have spoken, in the order of their first statements."""
        return list(dict.fromkeys(s.seat for s in self.statements))

    def since(self, seat: int) -> list[Statement]:
        """Return the statements since `seat` last spoke (all, if it never did)."""
        last = max((i for i, s in enumerate(self.statements) if s.seat == seat), default=-1)
        return self.statements[last + 1 :]

    def acts_toward(self, seat: int) -> list[SpeechAct]:
        """Return the others' acts toward `seat` since it last spoke, oldest first."""
        return [a for s in self.since(seat) for a in s.acts if seat in a.targets]

    def has_had_turn(self, seat: int) -> bool:
        return bool(self.turns(seat) or self.passed[seat])

    def turns(self, seat: int) -> list[Statement]:
        """Return the statements of `seat`, oldest first."""
        return [s for s in self.statements if s.seat == seat]

    def find_evaded_asker(self, seat: int) -> int:
        """Return the first seat whose question for the role of `seat` got no answer, 0 for none.

        The next statement of `seat` should have answered it, unless `seat` claims a role by now.
        """
        asker = 0
        for statement in self.statements:
            if statement.seat == seat:
                if asker and self.claims.get(seat) is None:
                    return asker
                asker = 0
            elif any(
                a.kind == "question" and a.about == "role" and seat in a.targets
                for a in statement.acts
            ):
                asker = statement.seat
        return 0

    def demands(self, seat: int, is_whole_game: bool = False) -> list[tuple[int, Demand]]:
        """Return the others' demands of `seat` as (number of the statement, from 1; demand).

        Demands before the last but one statement of `seat` are left out unless `is_whole_game`.
        """
        own = [number for number, statement in enumerate(self.statements) if statement.seat == seat]
        start = own[-2] + 1 if len(own) > 1 and not is_whole_game else 0
        return [
            (number + 1, demand)
            for number, statement in enumerate(self.statements)
            if number >= start and statement.seat != seat and not statement.greets
            for demand in demands(
                statement.text,
                statement.seat,
                seat,
                self.seats,
                self.pack,
                self.statements[number - 1].seat if number else 0,
            )
            if demand.direct or not demand.is_charge or seat in statement.opposes()
        ]

    @cached_property
    def questions(self) -> dict[tuple[str, int], list[int]]:
        """(Subject of a question, seat that is asked) -> indices of the statements that ask it."""
        questions: dict[tuple[str, int], list[int]] = {}
        for number, statement in enumerate(self.statements):
            for act in statement.acts:
                for seat in act.targets if act.kind == "question" else ():
                    questions.setdefault((act.about, seat), []).append(number)
        return questions

    def first_accuser_of(self, seat: int) -> int:
        """Return the seat that pressed `seat` first, 0 for none."""
        return next((s.seat for s in self.statements if seat in s.presses()), 0)

    @cached_property
    def quiet(self) -> Counter[int]:
        """Seat -> number of its uninformative turns: passes, or a few words without a name."""
        return Counter(s.seat for s in self.statements if s.tells_nothing) + self.passed

    @cached_property
    def silent(self) -> Counter[int]:
        """`quiet`, limited to seats that have made no informative statement."""
        informative_seats = {s.seat for s in self.statements if not s.tells_nothing}
        return Counter({s: n for s, n in self.quiet.items() if s not in informative_seats})

    def texts(self) -> set[str]:
        return {statement.text for statement in self.statements}

    def findings_about(self, seat: int) -> set[str]:
        """Return how looks or accusations of looker claimants found `seat` since `seat` spoke.

        "alone" means that the seat is said to be hunted, "among" that one of several players is.
        """
        return {
            "among" if a.kind == "report" and len(a.targets) > 1 else "alone"
            for a in self.acts_toward(seat)
            if a.speaker in self.lookers and a.speaker != seat and self._is_finding(a)
        }

    def _is_finding(self, act: SpeechAct) -> bool:
        """Return whether an act says that its targets, or one of them, are hunted."""
        result = result_of(act, self.pack)
        return act.kind == "accuse" or (result is not None and self.pack.accuses(result))


@lru_cache(maxsize=64)
def _build_dialogue(
    pack: Pack, turns: tuple[Turn, ...], seats: tuple[str, ...], course: Course, today: int
) -> Dialogue:
    """Parse the turns. Cached, because all agents at a table need the same dialogue."""
    statements, passed = read_statements(turns, seats, pack), count_silent_turns(turns)
    return Dialogue(pack, statements, passed, seats, course, today)
