"""What a house player knows for certain: its role, its side, the talk, and its own statements.

`agents.house.mindset` adds what it believes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from agents.decision import Decision
from agents.deduction.likelihoods import Knowledge
from agents.favor_scale import INITIAL_FAVOR, LEVELS, favor_level
from agents.house.stance import Stance, load_or_draw_stance
from agents.language import gives_reason
from agents.packs import Pack, Part, Result, pack_of
from agents.talk.dialogue import Dialogue
from agents.talk.whispers import Whisper, latest_plans, planned_claims, read_whispers
from agents.understanding.demands import Demand
from agents.understanding.statements import Statement
from game.engine.ruleset import team_of

FONDNESS = 0.14  # effect of the greatest liking on a score, as a probability
MAX_MENTIONS = 4  # more statements that name the same players together do not count
CLAIMING = ("claim", "report")  # acts that claim a role


class Situation:
    """One seat before one window.

    Attributes:
        me: the seat.
        others: the other living seats.
        round: the round of talk over all days, from 1.
        favor: seat -> favor toward it.
        is_villain: whether the role is of the hunted team (werewolves and helpers).
        is_bait: whether the role wants votes against itself.
        is_liar: whether the role has something to hide.
    """

    def __init__(self, decision: Decision, brief: Mapping[str, Any]) -> None:
        self.decision, self.view = decision, decision.view
        self.me, self.role = decision.seat, decision.view.role
        self.pack: Pack = pack_of(decision.ruleset)
        self.part: Part | None = self.pack.part(self.role)
        self.dialogue = Dialogue.of(decision.view, self.pack)
        self.stance: Stance = load_or_draw_stance(decision, self.dialogue)
        self.round = max(decision.round, 1)
        self.persona = decision.persona
        favor: Mapping[str, float] = brief.get("favor", {}).get("favor", {})
        self.favor: dict[int, float] = {int(s): f for s, f in favor.items()}
        self.is_villain = self.part in ("wolf", "helper")
        self.is_bait = self.role in self.pack.data.baits
        self.is_liar = self.part not in ("looker", "mate", "plain")
        self.others = [s for s in decision.view.state.living() if s != self.me]
        if agreed_pose := self._agreed_pose():
            self.stance = replace(self.stance, pose=agreed_pose, when=1)

    @cached_property
    def speech_purpose(self) -> str:
        """The purpose of the requested speech, "" for the talk (`WindowTexts.says`)."""
        words = self.decision.ruleset.wording.windows.get(self.decision.window.kind)
        return words.says if words else ""

    @cached_property
    def has_attacks(self) -> bool:
        """Whether the hunted kill at night, so that it is dangerous to be known."""
        windows = self.decision.ruleset.wording.windows.values()
        return any(window.picks == "harm" for window in windows)

    @cached_property
    def in_passes(self) -> bool:
        """Whether talk runs in passes: players speak several times a day until they are done."""
        return not self.decision.ruleset.rounds

    @cached_property
    def passes_today(self) -> int:
        """The number of my statements today if talk runs in passes, else 0."""
        return len(self.statements_today) * self.in_passes

    @cached_property
    def statements_today(self) -> list[Statement]:
        """My statements of today."""
        return [s for s in self.talk_today if s.seat == self.me]

    def has_reasoned(self, seat: object) -> bool | None:
        """Return whether the last accusation by `seat` has a reason, None without one."""
        accusations = [s.text for s in self.dialogue.statements if s.seat == seat and s.presses()]
        return gives_reason(accusations[-1]) if accusations else None

    @cached_property
    def talk_today(self) -> list[Statement]:
        """All statements of today."""
        return [s for s in self.dialogue.statements if s.day == self.view.state.day]

    @cached_property
    def new_talk_today(self) -> list[Statement]:
        """The statements of today since I last spoke."""
        return [s for s in self.dialogue.since(self.me) if s.day == self.view.state.day]

    @cached_property
    def is_last_round(self) -> bool:
        """Whether this may be my last statement before a vote.

        It is in a day's last round of talk, but not in a speech before an election. If talk runs in
        passes, it may be after my first statement of the pass.
        """
        ruleset, state = self.decision.ruleset, self.view.state
        if ruleset.rounds:
            return self.speech_purpose != "stand" and (state.round or self.round) >= ruleset.rounds
        has_spoken = any(s.round == self.decision.round for s in self.dialogue.turns(self.me))
        return has_spoken and ruleset.has_vote_on(state.day)

    @cached_property
    def has_night_passed(self) -> bool:
        """Whether a night has passed in which roles could look."""
        day = self.view.state.day
        if day > 1 or not self.decision.ruleset.has_vote_on(0):  # a day 0 ends with a night
            return day > 0
        ruleset = self.decision.ruleset
        day_one = ruleset.day_phases(1, self.view.state.settings)
        course = [ruleset.wording.phases[phase] for phase, _round in day_one]
        talk = next((i for i, phase in enumerate(course) if phase.is_talk), len(course))
        return any(phase.light == "night" for phase in course[:talk])

    @cached_property
    def has_no_evidence(self) -> bool:
        """Whether no night has passed, and no look or changed story has been told."""
        return not (self.has_night_passed or self.dialogue.reports or self.dialogue.changed)

    def draw(self, purpose: str, bound: int) -> int:
        """Draw a number from 0 to `bound` - 1."""
        return self.decision.rng.below(purpose, bound)

    def chance(self, purpose: str, percent: int) -> bool:
        """Draw True with a probability of `percent`."""
        return self.draw(purpose, 100) < percent

    @cached_property
    def mate(self) -> int:
        """The known other holder of my role, if it is a role of the village, else 0."""
        if self.part != "mate":
            return 0
        return next((s for s in self.view.state.holders(self.role) if s != self.me), 0)

    @cached_property
    def knowledge(self) -> Knowledge:
        """My certain knowledge of roles and looks."""
        return Knowledge.of(self.view, self.pack)

    @cached_property
    def claimed(self) -> str:
        """The role that I have claimed, "" for none."""
        return self.dialogue.claims.get(self.me, "")

    @cached_property
    def claimed_roles(self) -> set[str]:
        """All roles that I have claimed, taken back or not."""
        return {act.role for act in self.dialogue.acts("claim", "report", by=self.me)}

    def has_told_both(self, roles: Iterable[str]) -> bool:
        """Return whether I have claimed several roles, and all of them are among `roles`."""
        return len(self.claimed_roles) > 1 and self.claimed_roles <= {*roles}

    def claims_a(self, part: Part) -> bool:
        """Return whether the role that I have claimed plays `part`."""
        return self.pack.part(self.claimed) == part

    def poses_as(self, part: Part) -> bool:
        """Return whether the role that I intend to claim plays `part`."""
        return self.pack.part(self.stance.pose) == part

    @cached_property
    def partners(self) -> frozenset[int]:
        """The living players whom I know to be on my side."""
        ruleset, known_roles = self.decision.ruleset, self.view.state.roles
        own = team_of(ruleset, self.role) if self.role else ""
        return frozenset(
            s for s in self.others if s in known_roles and team_of(ruleset, known_roles[s]) == own
        )

    @cached_property
    def whispers(self) -> tuple[Whisper, ...]:
        """The whispers of my side that I heard, mine included."""
        return read_whispers(self.view, self.pack) if self.is_villain else ()

    def _agreed_pose(self) -> str:
        """Return the role that I whispered I would claim at a partner's request.

        Returns the plain role if I agreed not to claim another one, "" for neither.
        """
        topics = {
            w.role: w.topic
            for w in self.whispers
            if w.role and w.seat in self.partners and w.addressee in (0, self.me)
        }
        planned = planned_claims(self.whispers).get(self.me, "")
        if topics.get(planned) == "role":
            return planned
        own_acts = (a for w in self.whispers if w.seat == self.me for a in w.acts)
        kinds = [a.kind for a in own_acts if a.kind in ("claim", "retract")]
        has_given_way = topics.get(self.stance.pose) == "no_role" and kinds[-1:] == ["retract"]
        return self.pack.plain_role if has_given_way else ""

    @cached_property
    def seats_to_spare(self) -> frozenset[int]:
        """The players whom a partner's newest whisper about them asks to spare."""
        plans = latest_plans(self.whispers, "spare", "defend")
        return frozenset(target for seat, target in plans if seat in self.partners)

    @cached_property
    def seats_to_accuse(self) -> frozenset[int]:
        """The players whom I whispered last night that I would accuse."""
        day = self.view.state.day
        whispers = [w for w in self.whispers if w.seat == self.me and w.day >= day - 1]
        return frozenset(target for _seat, target in latest_plans(whispers, "vote"))

    def count_mentions(self, named_seats: set[int]) -> int:
        """Count statements of others since I last spoke that name all of these seats.

        At most MAX_MENTIONS count. Statements of the named seats themselves do not.
        """
        statements = [s for s in self.dialogue.since(self.me) if s.seat not in named_seats]
        return min(sum(named_seats <= s.names for s in statements), MAX_MENTIONS)

    def count_arguments(self, targets: set[int], named_seats: set[int], role: str) -> int:
        """Count statements of others today that seem to make the same case against `targets`.

        Such statements press one of them, and name all of `named_seats` or the role. At most
        MAX_MENTIONS count.
        """
        name = self.pack.name(role).lower() if role else ""
        cases = (
            s for s in self.dialogue.statements
            if s.round >= self.dialogue.today and s.seat != self.me and targets & {*s.presses()}
            and (named_seats <= s.names or (name and name in s.text.lower()))
        )  # fmt: skip
        return min(sum(1 for _ in cases), MAX_MENTIONS)

    def reveals_keeper(self, look: Result) -> bool:
        """Return whether `look` tells the hunted team who protects players."""
        return self.pack.part(look.value) == "plain" and look.value != self.pack.plain_role

    def is_recent(self, look: Result) -> bool:
        """Return whether `look` is of the last night and has been told today only, if at all."""
        days = [s.day for s in self.dialogue.turns(self.me) for a in s.acts
                if a.kind == "report" and a.result == look]  # fmt: skip
        looks, nights = self.knowledge.looks, self.dialogue.course.nights
        is_last = self.is_liar or (look in looks[-1:] and len(looks) >= nights)
        return is_last and all(day == self.view.state.day for day in days)

    @property
    def hunted_count(self) -> int:
        """The number of hunted players in the deck."""
        return sum(self.pack.deck.count(role) for role in {*self.pack.hunted})

    @cached_property
    def cleared_by_me(self) -> set[int]:
        """The seats that the newest look I reported at them cleared."""
        accuses = {act.targets: self.pack.accuses(act.result)
                 for act in self.dialogue.acts("report", by=self.me)}  # fmt: skip
        return {seat for targets, is_black in accuses.items() if not is_black for seat in targets}

    def has_been_counted(self, role: str) -> bool:
        """Return whether anybody has counted who claims `role`: in the plural, or as cards."""
        words = (self.pack.many(role).lower(), "cards")
        return any(word in s.text.lower() for s in self.dialogue.statements for word in words)

    def leaning(self, factor: str) -> float:
        """Return the persona's leaning on a Big Five factor, -1 to 1, or 0 without a persona."""
        return self.persona.leaning(factor) if self.persona else 0.0

    def is_adored(self, seat: int) -> bool:
        """Return whether my favor toward `seat` is at the highest level that cards show."""
        return favor_level(self.favor.get(seat, INITIAL_FAVOR)) == LEVELS[-1]

    def fondness(self, seat: int) -> float:
        """Return how much my favor speaks for sparing `seat`, -FONDNESS to FONDNESS."""
        return FONDNESS * (self.favor.get(seat, INITIAL_FAVOR) - INITIAL_FAVOR) / INITIAL_FAVOR

    @cached_property
    def confessors(self) -> set[int]:
        """The players who have confessed since I last spoke. They release me from my own words."""
        acts = (act for statement in self.dialogue.since(self.me) for act in statement.acts)
        return {a.speaker for a in acts if a.kind == "claim" and a.role in self.pack.wolves}

    def has_confessed(self, seat: int) -> bool:
        """Return whether `seat` has ever claimed to be of the hunted team."""
        return any(act.role in self.pack.wolves for act in self.dialogue.acts("claim", by=seat))

    @cached_property
    def demands(self) -> list[tuple[int, Demand]]:
        """(number of the statement, demand) of living players' demands that I have not answered."""
        demands = [(n, self._resolve_reminder(n, d)) for n, d in self.dialogue.demands(self.me)
                   if d.by in self.others]  # fmt: skip
        return [(n, d) for n, d in demands if f"met:{n}" not in self.stance.said_keys]

    @cached_property
    def sole_addresser(self) -> int:
        """The only player who has spoken to me or of me since I last spoke, 0 for several."""
        seats = {a.speaker for a in self.dialogue.acts_toward(self.me)}
        seats |= {demand.by for _, demand in self.demands}
        return next(iter(seats)) if len(seats) == 1 else 0

    def _resolve_reminder(self, number: int, demand: Demand) -> Demand:
        """Return the question that a reminder of an open question means, else `demand`."""
        if demand.intent != "evaded":
            return demand
        earlier = [d for n, d in self.dialogue.demands(self.me, is_whole_game=True)
                   if n < number and d.by == demand.by and not d.is_charge]  # fmt: skip
        return earlier[-1] if earlier else demand

    @property
    def first_new_number(self) -> int:
        """The number of the first statement after my last, from 1."""
        return len(self.dialogue.statements) - len(self.dialogue.since(self.me)) + 1

    @cached_property
    def defended_seats(self) -> set[int]:
        """The seats that I have defended."""
        return {t for act in self.dialogue.acts("defend", by=self.me) for t in act.targets}

    @property
    def previous_target(self) -> int:
        """The seat that I pressed last, 0 for none."""
        return self.dialogue.suspect_of(self.me)

    def is_pressing_order(self, *pairs: tuple[int, int]) -> bool:
        """Return whether the (seat, target) `pairs` began to press in this order."""
        statements = self.dialogue.statements

        def first(seat: int, target: int) -> int:
            """Return the number of the first statement that presses so, or one past all."""
            pressing = (
                n for n, s in enumerate(statements) if s.seat == seat and target in s.presses()
            )
            return next(pressing, len(statements))

        numbers = [first(seat, target) for seat, target in pairs]
        return numbers[-1] < len(statements) and all(a < b for a, b in pairwise(numbers))

    def can_agree_with(self, seat: int, target: int) -> bool:
        """Return whether `seat` has pressed `target` today, and did not follow me in that."""
        is_later = self.is_pressing_order((self.me, target), (seat, target))
        is_of_today = self.dialogue.pressed_by(seat).get(target, -1) >= self.dialogue.today
        return self.dialogue.suspect_of(seat) == target and is_of_today and not is_later

    def newest_accuser(self, target: int) -> int:
        """Return the player who pressed `target` last since I spoke, 0 for none."""
        new = reversed(self.dialogue.since(self.me))
        return next((s.seat for s in new if target in s.presses()), 0)

    def is_unasked(self, about: str, seat: int, of: int = 0) -> bool:
        """Return whether a question about `about` is still open to be put to `seat`.

        Nobody has put the question, or the player has changed its story since. `of` is the player
        whom the question is about.
        """
        statements = self.dialogue.statements
        numbers = self.dialogue.questions.get((about, seat), ())
        last = max((n for n in numbers if of in (0, *statements[n].names)), default=-1)
        earlier, later = (
            {a.role for s in part if s.seat == seat for a in s.acts if a.kind in CLAIMING}
            for part in (statements[: max(last, 0)], statements[max(last, 0) :])
        )
        return last < 0 or (bool(later - earlier) and len(earlier | later) > 1)

    @cached_property
    def killed_last_night(self) -> list[int]:
        """The players whom the hunted killed in the last night."""
        course = self.dialogue.course
        return [h.seat for h in course.killed if h.when == course.nights]

    def last_pressed_before_vote(self, seat: int) -> int:
        """Return whom `seat` pressed last on the day of the last ballot, 0 for none."""
        day = self.dialogue.course.last_ballot_day
        turns = (s for s in reversed(self.dialogue.turns(seat)) if s.day == day and s.presses())
        return next((s.presses()[-1] for s in turns), 0)
