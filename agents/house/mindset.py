"""A house player about to answer: what it knows, what it pretends, whom it is after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from agents.evidence import Known, Table, clues, judge
from agents.faculties.judgement import exact
from agents.favor import START
from agents.heard import Heard
from agents.house.stance import Stance, stance_of
from agents.scene import Scene
from game.engine.ruleset import team_of

GUT = 0.15  # how far a gut feeling moves a probability
FONDNESS = 0.08  # how far the greatest liking does
LOYALTY = 0.09  # how much better a new suspect must look before one changes one's mind
TEAM = ("werewolf", "minion")
SPARED = 2.0  # nobody argues against, or votes for, who they know to be on their own side


class Mindset:
    """One seat before one window, with its beliefs.

    `believed` is what it really believes; `shown` what somebody who holds the role it claims (and
    saw what it says it saw) would believe. Honest players show what they believe; liars argue
    from what they show, and so never give away what they should not know.
    """

    def __init__(self, scene: Scene, brief: Mapping[str, Any]) -> None:
        self.scene, self.view = scene, scene.view
        self.me, self.role = scene.seat, scene.view.role
        self.heard = Heard.of(scene.view)
        self.stance: Stance = stance_of(scene, self.heard)
        self.round = max(scene.round, 1)
        self.last_round = self.round >= (scene.ruleset.rounds or 3)
        judged = brief.get("judgement") or {"roles": exact(scene)}
        roles: Mapping[str, Mapping[str, float]] = judged["roles"]
        self.believed: Table = {int(s): dict(row) for s, row in roles.items()}
        self.persona = scene.persona
        felt: Mapping[str, float] = brief.get("favor", {}).get("favor", {})
        self.favor: dict[int, float] = {int(s): f for s, f in felt.items()}
        self.liar = self.role in (*TEAM, "tanner")
        self.others = [s for s in scene.view.state.living() if s != self.me]

    def draw(self, purpose: str, bound: int) -> int:
        return self.scene.draws.below(purpose, bound)

    def chance(self, purpose: str, percent: int) -> bool:
        return self.draw(purpose, 100) < percent

    # -- what I know, and what I pretend to know

    @cached_property
    def mate(self) -> int:
        """My fellow Mason, 0 where I have none."""
        if self.role != "mason":
            return 0
        return next((s for s in self.view.state.holders("mason") if s != self.me), 0)

    @cached_property
    def known(self) -> Known:
        return Known.of(self.view)

    @cached_property
    def claimed(self) -> str:
        """What I have claimed to be, "" for nothing."""
        return self.heard.claims.get(self.me, "")

    @cached_property
    def look(self) -> tuple[int, int, bool] | None:
        """What I saw in the night, or have said I saw: (seat, seat, found)."""
        for targets, found in self.known.looks:
            if len(targets) == 2:
                return targets[0], targets[1], found
        if report := self.heard.reports.get(self.me):
            a, b = report.targets
            return a, b, report.found
        return None

    def story(self, look: tuple[int, int, bool] | None) -> Known:
        """What I would know if what I say of myself were true."""
        if not self.liar:
            return self.known
        role = self.claimed or ("mason" if self.stance.pose == "mason" else "villager")
        if look:
            role = "seer"
        if role not in self.scene.ruleset.deck or role in (*TEAM, "tanner"):
            role = "villager"
        roles = tuple(sorted({**self.view.state.roles, self.me: role}.items()))
        return Known(self.me, roles, (((look[0], look[1]), look[2]),) if look else ())

    @cached_property
    def shown(self) -> Table:
        return self.showing(self.look)

    def showing(self, look: tuple[int, int, bool] | None) -> Table:
        """What I would believe if I were what I claim, and had seen `look`."""
        if not self.liar:
            return self.believed
        return judge(tuple(self.scene.ruleset.deck), self.story(look), clues(self.heard))

    def adopt(self, look: tuple[int, int, bool]) -> None:
        """From now on I say that I saw `look`, and reason accordingly."""
        for name in ("look", "shown", "scores", "target"):
            self.__dict__.pop(name, None)
        self.__dict__["look"] = look

    def worn(self, seats: Iterable[int | str]) -> int:
        """How many since I last spoke have talked about just these seats together, at most 4.

        (Whoever is meant speaks of itself by right, and does not count.)
        """
        named = {s for s in seats if isinstance(s, int)}
        since = [s for s in self.heard.since(self.me) if s.seat not in named]
        return min(sum(named <= s.names for s in since), 4)

    # -- figures

    def wolf(self, seat: int) -> float:
        """How likely `seat` is the Werewolf, as far as I show."""
        return self.shown[seat].get("werewolf", 0.0)

    def good(self, seat: int) -> float:
        """How likely `seat` is of the village, as far as I show."""
        row = self.shown[seat]
        return 1 - sum(row.get(r, 0.0) for r in (*TEAM, "tanner"))

    def certain(self, seat: int) -> bool:
        """Whether `seat` can't be the Werewolf, as far as I show."""
        return self.wolf(seat) < 0.02

    @cached_property
    def scores(self) -> dict[int, float]:
        return self.score(self.shown)

    def score(self, shown: Table) -> dict[int, float]:
        """seat -> how much I want it out, for every other living seat."""
        return {seat: round(sum(parts.values()), 6) for seat, parts in self.parts(shown).items()}

    def parts(self, shown: Table) -> dict[int, dict[str, float]]:
        """seat -> what its score is the sum of.

        werewolf: how likely it is the Werewolf, as far as I show; reasons: what my own role and the
        course of the game add; gut; fondness: less for whom I like.
        """
        found = {}
        for seat in self.others:
            own, row = self.believed[seat], shown[seat]
            score = row.get("werewolf", 0.0)
            if self.role == "werewolf":
                score -= 0.4 * own.get("tanner", 0.0) + 0.3 * own.get("minion", 0.0)
            elif self.role == "minion":
                score -= 1.2 * own.get("werewolf", 0.0) + 0.25 * own.get("tanner", 0.0)
            elif self.role == "tanner":
                score -= 0.5 * own.get("werewolf", 0.0)
            else:
                score -= 0.05 * own.get("tanner", 0.0)
            if seat in self.mates:
                score -= SPARED
            if row.get("werewolf", 0.0) < 0.02:
                score -= 1.0  # nobody who believes me would follow that
            if self.round == 1 and not self.heard.turns(seat):
                score -= 0.25  # who has not had a turn yet gives no reason
            if self.role in TEAM:
                score += 0.03 * len(self.heard.pressing(seat))  # it is easiest to go along
            likely = row.get("werewolf", 0.0)
            found[seat] = {
                "werewolf": likely,
                "reasons": score - likely,
                "gut": GUT * self.stance.gut[seat - 1],
                "fondness": -self.fondness(seat),
            }
        return found

    @cached_property
    def mates(self) -> frozenset[int]:
        """The others whom I know to be on my own side."""
        ruleset, known = self.scene.ruleset, self.view.state.roles
        own = team_of(ruleset, self.role) if self.role else ""
        return frozenset(s for s in self.others if s in known and team_of(ruleset, known[s]) == own)

    def leaning(self, factor: str) -> float:
        """-1 to 1; 0 without a persona."""
        return self.persona.leaning(factor) if self.persona else 0.0

    def fondness(self, seat: int) -> float:
        """How much liking or dislike speaks for sparing `seat`."""
        return FONDNESS * (self.favor.get(seat, START) - START) / START

    def pick(self, scores: Mapping[int, float]) -> int:
        """The one I am after: the old one, unless a new one looks clearly worse."""
        best = most(scores)
        before = self.heard.suspect_of(self.me)
        if before in scores and scores[before] > max(scores[best] - LOYALTY, -0.3):
            return before
        return best

    @cached_property
    def target(self) -> int:
        return self.pick(self.scores)

    @property
    def before(self) -> int:
        """Whom I pressed last, 0 for nobody."""
        return self.heard.suspect_of(self.me)


def most(scores: Mapping[int, float]) -> int:
    """The seat with the highest score; the lower seat where two are equal."""
    return max(scores, key=lambda seat: (scores[seat], -seat))


def least(scores: Mapping[int, float], among: Iterable[int]) -> list[int]:
    """`among`, least wanted first."""
    return sorted(among, key=lambda seat: (scores[seat], seat))
