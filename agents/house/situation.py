"""What a house player knows for certain before it speaks or chooses: its role, its side, the talk,
and what it has said itself. `agents.house.mindset` adds what it believes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from agents.decision import Decision
from agents.deduction.likelihoods import Knowledge
from agents.favor_scale import LEVELS, START, favor_level
from agents.house.stance import Stance, stance_of
from agents.packs import Pack, Part, pack_of
from agents.talk.dialogue import Dialogue
from agents.talk.whispers import Whisper, latest_plans, planned_claims, whispers_of
from agents.understanding.demands import Demand
from agents.understanding.statements import Statement
from game.engine.ruleset import team_of

FONDNESS = 0.14  # how far the greatest liking moves a probability


class Situation:
    """One seat before one window."""

    def __init__(self, decision: Decision, brief: Mapping[str, Any]) -> None:
        self.decision, self.view = decision, decision.view
        self.me, self.role = decision.seat, decision.view.role
        self.pack: Pack = pack_of(decision.ruleset)
        self.part: Part | None = self.pack.part(self.role)
        self.dialogue = Dialogue.of(decision.view, self.pack)
        self.stance: Stance = stance_of(decision, self.dialogue)
        self.round = max(decision.round, 1)
        self.persona = decision.persona
        favor: Mapping[str, float] = brief.get("favor", {}).get("favor", {})
        self.favor: dict[int, float] = {int(s): f for s, f in favor.items()}
        self.villain = self.part in ("wolf", "helper")  # of the hunted ones' team
        self.bait = self.role in self.pack.data.baits  # wants votes on itself
        self.liar = self.part not in ("looker", "mate", "plain")
        self.others = [s for s in decision.view.state.living() if s != self.me]
        if agreed_pose := self._agreed_pose():
            self.stance = replace(self.stance, pose=agreed_pose, when=1)

    @cached_property
    def speech_purpose(self) -> str:
        """Return the purpose of the requested speech, "" for the talk (`WindowWords.says`)."""
        words = self.decision.ruleset.wording.windows.get(self.decision.window.kind)
        return words.says if words else ""

    @cached_property
    def lasts(self) -> bool:
        """Whether nights come in which somebody may be killed, so that there is something to fear
        from being known, and more to learn.
        """
        words = self.decision.ruleset.wording.windows.values()
        return any(window.picks == "harm" for window in words)

    @cached_property
    def in_passes(self) -> bool:
        """Whether talk runs in passes: a player speaks several times a day, or is done with it."""
        return not self.decision.ruleset.rounds

    @cached_property
    def passes(self) -> int:
        """How often I have spoken today, where talk runs in passes: small talk grows rarer."""
        return len(self.words_today) * self.in_passes

    @cached_property
    def words_today(self) -> list[Statement]:
        """Return my statements of today."""
        day = self.view.state.day
        return [s for s in self.dialogue.turns(self.me) if s.day == day]

    @cached_property
    def last_round(self) -> bool:
        """Return whether these may be my last words before a vote: in a day's last round of talk.

        Where talk runs in passes, once I have spoken that day. Before an election they are not.
        """
        if rounds := self.decision.ruleset.rounds:
            return (
                self.speech_purpose != "stand" and (self.view.state.round or self.round) >= rounds
            )
        if not self.decision.ruleset.votes_on(self.view.state.day):
            return False
        return any(
            statement.round == self.decision.round for statement in self.dialogue.turns(self.me)
        )

    @cached_property
    def slept(self) -> bool:
        """Whether there has been a night to look in, as far as anybody knows."""
        day = self.view.state.day
        if day > 1 or not self.decision.ruleset.votes_on(0):  # a day 0 ends with a night
            return day > 0
        ruleset = self.decision.ruleset
        day_one = ruleset.day_phases(1, self.view.state.settings)
        course = [ruleset.wording.phases[phase] for phase, _round in day_one]
        talk = next((i for i, phase in enumerate(course) if phase.talk), len(course))
        return any(phase.light == "night" for phase in course[:talk])

    @cached_property
    def is_blank(self) -> bool:
        """Whether nothing can be known of anybody yet: no night has passed, nobody has told of a
        look or two stories.
        """
        return not (self.slept or self.dialogue.reports or self.dialogue.changed)

    def draw(self, purpose: str, bound: int) -> int:
        return self.decision.rng.below(purpose, bound)

    def chance(self, purpose: str, percent: int) -> bool:
        return self.draw(purpose, 100) < percent

    @cached_property
    def mate(self) -> int:
        """Return who shares my role and is known to me, where that is a role of the village.

        Else 0.
        """
        if self.part != "mate":
            return 0
        return next((s for s in self.view.state.holders(self.role) if s != self.me), 0)

    @cached_property
    def knowledge(self) -> Knowledge:
        return Knowledge.of(self.view, self.pack)

    @cached_property
    def claimed(self) -> str:
        """Return what I have claimed to be, "" for nothing."""
        return self.dialogue.claims.get(self.me, "")

    def claims_a(self, part: Part) -> bool:
        """Return whether what I have claimed to be plays that part."""
        return self.pack.part(self.claimed) == part

    def poses_as(self, part: Part) -> bool:
        """Return whether what I mean to claim does."""
        return self.pack.part(self.stance.pose) == part

    @cached_property
    def mates(self) -> frozenset[int]:
        """The others whom I know to be on my own side."""
        ruleset, known_roles = self.decision.ruleset, self.view.state.roles
        own = team_of(ruleset, self.role) if self.role else ""
        return frozenset(
            s for s in self.others if s in known_roles and team_of(ruleset, known_roles[s]) == own
        )

    @cached_property
    def whispers(self) -> tuple[Whisper, ...]:
        """Whispers of my own side that I heard, mine included."""
        return whispers_of(self.view, self.pack) if self.villain else ()

    def _agreed_pose(self) -> str:
        """Return the role that I whispered I would claim since a partner asked for it, the plain
        one where I agreed not to claim another, "" for neither.
        """
        topics = {w.role: w.topic for w in self.whispers
                  if w.role and w.seat in self.mates and w.addressee in (0, self.me)}  # fmt: skip
        planned = planned_claims(self.whispers).get(self.me, "")
        if topics.get(planned) == "role":
            return planned
        own_acts = (a for w in self.whispers if w.seat == self.me for a in w.acts)
        kinds = [a.kind for a in own_acts if a.kind in ("claim", "retract")]
        gave_way = topics.get(self.stance.pose) == "no_role" and kinds[-1:] == ["retract"]
        return self.pack.plain_role if gave_way else ""

    @cached_property
    def spared(self) -> frozenset[int]:
        """The players whom a partner asked in a whisper to spare, by its newest word on them."""
        plans = latest_plans(self.whispers, "spare", "defend")
        return frozenset(target for seat, target in plans if seat in self.mates)

    @cached_property
    def pledged(self) -> frozenset[int]:
        """The players whom I whispered in the last night that I would accuse."""
        day = self.view.state.day
        whispers = [w for w in self.whispers if w.seat == self.me and w.day >= day - 1]
        return frozenset(target for _seat, target in latest_plans(whispers, "vote"))

    def worn(self, named_seats: set[int]) -> int:
        """How many since I last spoke have talked about just these seats together, at most 4.

        (Whoever is meant speaks of itself by right, and does not count.)
        """
        since = [s for s in self.dialogue.since(self.me) if s.seat not in named_seats]
        return min(sum(named_seats <= s.names for s in since), 4)

    def leaning(self, factor: str) -> float:
        """-1 to 1. Returns 0 without a persona."""
        return self.persona.leaning(factor) if self.persona else 0.0

    def adores(self, seat: int) -> bool:
        """Whether my favor toward `seat` is at the highest level, which its card shows."""
        return favor_level(self.favor.get(seat, START)) == LEVELS[-1]

    def fondness(self, seat: int) -> float:
        """Return how much liking or dislike speaks for sparing `seat`."""
        return FONDNESS * (self.favor.get(seat, START) - START) / START

    @cached_property
    def shaken(self) -> set[int]:
        """Return who has confessed since I last spoke: then my own words bind me no more."""
        acts = (act for statement in self.dialogue.since(self.me) for act in statement.acts)
        return {a.speaker for a in acts if a.kind == "claim" and a.role in self.pack.wolves}

    @cached_property
    def demands(self) -> list[tuple[int, Demand]]:
        """(number of the statement, demand): what the living want of me and I have not answered."""
        demands = [(n, self._reminded_of(n, d)) for n, d in self.dialogue.demands(self.me)
                   if d.by in self.others]  # fmt: skip
        return [(n, d) for n, d in demands if f"met:{n}" not in self.stance.said_keys]

    def _reminded_of(self, number: int, demand: Demand) -> Demand:
        """Return the last question of whoever says that I left one open, else `demand`."""
        if demand.intent != "evaded":
            return demand
        earlier = [d for n, d in self.dialogue.demands(self.me, all_game=True)
                   if n < number and d.by == demand.by and not d.is_charge]  # fmt: skip
        return earlier[-1] if earlier else demand

    @property
    def since(self) -> int:
        """The number of the first statement after my last, from 1."""
        return len(self.dialogue.said) - len(self.dialogue.since(self.me)) + 1

    @cached_property
    def vouched(self) -> set[int]:
        """Those I have defended."""
        return {t for act in self.dialogue.acts("defend", by=self.me) for t in act.targets}

    @property
    def before(self) -> int:
        """Return whom I pressed last, 0 for nobody."""
        return self.dialogue.suspect_of(self.me)

    def denies(self, seat: int) -> bool:
        """Whether `seat` has said since I last spoke that it is none of the hunted team."""
        new = (a for s in self.dialogue.since(self.me) if s.seat == seat for a in s.acts)
        return any(act.kind == "deny" and act.role in self.pack.wolves for act in new)
