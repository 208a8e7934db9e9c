"""What a house player knows and pretends, and whom it suspects: `Mindset.target` chooses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from agents.decision import Decision
from agents.deduction.likelihoods import (
    Clue,
    Knowledge,
    RoleProbabilities,
    clues,
    infer_roles,
    is_possible,
)
from agents.house.scores import most, share
from agents.house.situation import Situation
from agents.packs import Part, Result
from game.engine.events import PUBLIC
from game.engine.state import ROLE_EVENTS, fold

GUT = 0.15  # how far a gut feeling moves a probability
VOICES = 0.1  # how far the words that come to mind do
PLAN = 0.05  # how far the plan for the round does
LOYALTY = 0.09  # how much better a new suspect must look before one changes one's mind
STANDS = 0.35  # the same while it only denies what stands on record
RELIED = 0.4  # how likely somebody must be what it claims for its looks to be a ground
LOST = 0.7  # how likely hunted one looks whom its mates give up
PARTNERS = 0.2  # how much less one presses whom a partner asked in a whisper to spare
HARDLY = 0.02  # below it nobody who believes me would follow a suspicion
SPARED = 2.0  # nobody argues against, or votes for, who they know to be on their own side


class Mindset(Situation):
    """One seat before one window, with its beliefs.

    `believed` is what it really believes. `professed` is what somebody who holds the role it claims
    (and saw what it says it saw) would believe. Honest players show what they believe; liars argue
    from what they show, and so never give away what they should not know.
    """

    def __init__(self, decision: Decision, brief: Mapping[str, Any]) -> None:
        super().__init__(decision, brief)
        self.judges = "judgement" in decision.faculties or not decision.faculties
        self.believed: RoleProbabilities = self._believed(brief)
        self.remembered: Sequence[Mapping[str, Any]] = brief.get("memory", {}).get("memory", ())
        self.votes = False  # whether somebody is owed my vote
        self.led = False  # whether I speak of whom a question named
        self.invented: Result | None = None  # the result that I mean to report falsely

    def _believed(self, brief: Mapping[str, Any]) -> RoleProbabilities:
        """Return the judgement's probabilities.

        Without a judgement, return those of certain knowledge alone.
        """
        if "judgement" in brief:
            roles: Mapping[str, Mapping[str, float]] = brief["judgement"]["roles"]
            return {int(s): dict(row) for s, row in roles.items()}
        return infer_roles(self.pack, self.knowledge, self._clues())

    def _clues(self) -> tuple[Clue, ...]:
        """Return what I make of the talk. Nothing without the faculty of judgement."""
        return clues(self.dialogue) if self.judges else ()

    @cached_property
    def look(self) -> Result | None:
        """Return the look that I would report, or the last one that I have reported.

        Looks that I have not reported come before others. Among them, the last look that found a
        hunted player comes before the last look. A look at who protects players is the last
        resort.
        """
        own_looks = () if self.liar else self.knowledge.looks
        reported_looks = self.dialogue.looks.get(self.me, ())
        harmless = [result for result in own_looks if not self.gives_away(result)] or own_looks
        news = [result for result in harmless if result not in reported_looks] or harmless
        if candidates := [result for result in news if self.pack.accuses(result)] or news:
            return candidates[-1]
        return self.dialogue.reports.get(self.me)

    def gives_away(self, look: Result) -> bool:
        """Whether `look` tells the hunted team who protects players."""
        return self.pack.part(look.value) == "plain" and look.value != self.pack.plain_role

    def is_recent(self, look: Result) -> bool:
        """Whether `look` is of the last night, or is first told today where I make it up."""
        days = [s.day for s in self.dialogue.turns(self.me) for a in s.acts
                if a.kind == "report" and a.result == look]  # fmt: skip
        looks, nights = self.knowledge.looks, self.dialogue.course.nights
        is_last = self.liar or (look in looks[-1:] and len(looks) >= nights)
        return is_last and all(day == self.view.state.day for day in days)

    def story(self, look: Result | None) -> Knowledge:
        """Return what I would know if what I say of myself were true."""
        if not self.liar:
            return self.knowledge
        posed = self.stance.pose if self.poses_as("mate") else self.pack.plain_role
        role = look.source if look else self.claimed or posed
        if role not in self.pack.deck or role in self.pack.liars:
            role = self.pack.plain_role
        of_roles = (e for e in self.view.events if e.kind in ROLE_EVENTS)
        public = fold(e for e in of_roles if e.audience == PUBLIC).roles
        roles = tuple(sorted({**public, self.me: role}.items()))
        looks = (*(r for r in self.dialogue.looks.get(self.me, ()) if r != look), look)
        looks_of_role = tuple(r for r in looks if r and r.source == role) if look else ()
        return replace(self.knowledge, roles=roles, looks=looks_of_role, saved=())

    @cached_property
    def professed(self) -> RoleProbabilities:
        return self.showing(self.look)

    def showing(self, look: Result | None) -> RoleProbabilities:
        """Return what I would believe if I were what I claim, and had seen `look`."""
        if not self.liar:
            return self.believed
        return infer_roles(self.pack, self.story(look), self._clues())

    def adopt(self, look: Result) -> None:
        """From now on I say that I saw `look`, and reason accordingly."""
        for name in ("look", "_stated_knowledge", "professed", "scores", "target"):
            self.__dict__.pop(name, None)
        self.__dict__["look"] = look

    # -- figures

    def wolf(self, seat: int) -> float:
        """Return how likely `seat` is hunted, as far as I show."""
        return share(self.professed[seat], self.pack.hunted)

    def good(self, seat: int) -> float:
        """Return how likely `seat` is of the village, as far as I show."""
        return 1 - share(self.professed[seat], self.pack.liars)

    def cleared(self, seat: int) -> bool:
        """Return whether `seat` is hardly hunted, as far as I show."""
        return self.wolf(seat) < HARDLY

    def certain(self, seat: int) -> bool:
        """Return whether `seat` can't be hunted in any deal that fits what I say I know."""
        return self.cleared(seat) and not any(
            is_possible(self.pack, self._supposing(seat, role)) for role in self.pack.hunted
        )

    def holds(self, seat: int) -> float:
        """Return how likely `seat` is what it claims to be, as far as I show."""
        return self.professed[seat].get(self.dialogue.claims.get(seat, ""), 0.0)

    def is_refuted(self, seat: int) -> bool:
        """Return whether `seat` is what it claims, with its looks, in no deal that fits what I say
        I know.
        """
        role = self.dialogue.claims.get(seat, "")
        if self.holds(seat) >= HARDLY or role not in self.pack.deck:
            return False
        looks = self.dialogue.looks.get(seat, ())
        return not is_possible(self.pack, self._supposing(seat, role, looks))

    @cached_property
    def _stated_knowledge(self) -> Knowledge:
        return self.story(self.look)

    def _supposing(self, seat: int, role: str, looks: tuple[Result, ...] = ()) -> Knowledge:
        """Return what I say I know and that `seat` holds `role` and saw `looks`, true or not."""
        knowledge = self._stated_knowledge
        roles = tuple(sorted({*knowledge.roles, (seat, role)}))
        return replace(knowledge, roles=roles, looks=(*knowledge.looks, *looks))

    @cached_property
    def cleared_by_me(self) -> set[int]:
        """Return whom I have said that a look of mine cleared, and have not found since."""
        accuses = {act.targets: self.pack.accuses(act.result)
                 for act in self.dialogue.acts("report", by=self.me)}  # fmt: skip
        return {seat for targets, is_black in accuses.items() if not is_black for seat in targets}

    @cached_property
    def scores(self) -> dict[int, float]:
        return self.score(self.professed)

    def score(self, probabilities: RoleProbabilities) -> dict[int, float]:
        """Seat -> how much I want it out, for every other living seat."""
        return {
            seat: round(sum(parts.values()), 6) for seat, parts in self.parts(probabilities).items()
        }

    def parts(self, probabilities: RoleProbabilities) -> dict[int, dict[str, float]]:
        """Seat -> what its score is the sum of.

        werewolf: how likely it is hunted, as far as I show (stored games name it so); reasons: what
        my own role and the course of the game add; gut; fondness: less for whom I like; memory:
        what the words that come to mind say of it; plan: whom my plan is to press or to spare, and
        whom I agreed with my partners to accuse or was asked to spare.
        """
        score_parts = {}
        for seat in self.others:
            likely = share(probabilities[seat], self.pack.hunted)
            score = self._for_my_part(likely, self.believed[seat])
            if (seat in self.mates and not self.given_up(seat)) or seat in self.allies:
                score -= SPARED + likely  # whatever a liar has to show
            if likely < HARDLY:
                score -= 1.0  # nobody who believes me would follow that
            elif seat in self.cleared_by_me:
                score -= 1.0  # I have said that it isn't hunted
            if self.round == 1 and not self.dialogue.had_turn(seat):
                score -= 0.25  # who has not had a turn yet gives no reason
            if self.villain:
                pressing = self.dialogue.pressing(seat)
                score += 0.03 * len(pressing)  # it is easiest to go along
                score -= self.pack.figure("block") * len(self.mates.intersection(pressing))
            score_parts[seat] = {
                "werewolf": likely,
                "reasons": score - likely,
                "gut": GUT * self.stance.gut[seat - 1],
                "fondness": -self.fondness(seat),
                "memory": self.voices.get(seat, 0.0),
                "plan": self._planned(seat),
            }
        return score_parts

    def _planned(self, seat: int) -> float:
        own = PLAN * ((seat == self.stance.aim) - (seat in self.stance.spared))
        return own + PARTNERS * ((seat in self.pledged) - (seat in self.spared))

    @cached_property
    def voices(self) -> dict[int, float]:
        """Seat -> how much the words I remember speak against it.

        -VOICES to VOICES, each utterance by the score with which it came to mind.
        """
        statements = {(s.seat, s.text): s for s in self.dialogue.said}
        weights: dict[int, float] = defaultdict(float)
        total = 0.0
        for row in self.remembered:
            words = statements.get((row["speaker"], row["text"]))
            if words is None or not (against := set(words.presses())):
                continue
            total += row["score"]
            for seat in against - {self.me}:
                weights[seat] += row["score"] / len(against)
        return {seat: VOICES * share / total for seat, share in weights.items()} if total else {}

    def _for_my_part(self, score: float, own: Mapping[str, float]) -> float:
        """Return `score`, less for whom my part would rather keep.

        Own: what I really believe of it.
        """
        pack = self.pack
        wolf, bait = share(own, pack.hunted), share(own, pack.data.baits)
        match self.part:
            case "wolf":
                return score - (0.4 * bait + 0.3 * share(own, pack.roles("helper")))
            case "helper":
                return score - (1.2 * wolf + 0.25 * bait)
            case "loner":
                return score - 0.5 * wolf
        return score - pack.figure("bait") * bait

    @cached_property
    def allies(self) -> set[int]:
        """Return who has come out as of my own side, where that side can win by its votes alone.

        One of the hunted and a helper that don't know each other are two of three.
        """
        if not (self.villain and self.in_passes and len(self.others) == 2):
            return set()
        sought: Part = "helper" if self.part == "wolf" else "wolf"
        claims = self.dialogue.claims
        return {s for s in self.others if self.pack.part(claims.get(s, "")) == sought}

    def given_up(self, seat: int) -> bool:
        """Whether I, of the hunted, let go of a mate whom most of the others press today, to look
        like them; or have done so. Who does is settled with my gut feelings, once a game.
        """
        if not self.villain:
            return False
        if self.dialogue.pressed_by(self.me).get(seat, -1) >= self.dialogue.today:
            return True
        lost = 2 * len(self.dialogue.pressing(seat)) >= len(self.others)
        if self.in_passes:  # or whom a believed Seer has found, or where words cost no votes
            free = not self.decision.ruleset.votes_on(self.view.state.day)
            lost = lost or free or self.wolf(seat) > LOST
        return lost and self.stance.gut[seat - 1] > 1 - 2 * self.pack.figure("distance")

    def pick(self, scores: Mapping[int, float]) -> int:
        """Return the one I am after: the old one, unless a new one looks clearly worse."""
        best = most(scores)
        before = self.before
        free = self.shaken or self._guessed(before)
        loyalty = STANDS if self.only_denies(before) else 0.0 if free else LOYALTY
        if before in scores and scores[before] > max(scores[best] - loyalty, -0.3):
            return before
        return best

    def only_denies(self, seat: int) -> bool:
        """Whether `seat`, whom I pressed last, has since said no more than that it isn't hunted,
        while the record still speaks against it.
        """
        new = [s for s in self.dialogue.since(self.me) if s.seat == seat]
        kinds = {act.kind for statement in new for act in statement.acts}
        return self.denies(seat) and not kinds & {"claim", "report"} and self.is_grounded(seat)

    def is_grounded(self, seat: int) -> bool:
        """Whether what speaks against `seat` is on record: a changed story, a look that found it,
        a confession, a copied look, too many claims of its role, a broken pledge.
        """
        dialogue = self.dialogue
        finders = [s for s in dialogue.reporters(seat, accused=True) if s != seat]
        acts = dialogue.acts("claim", by=seat)
        return (
            seat in dialogue.changed
            or seat in dialogue.copiers
            or any(act.role in self.pack.wolves for act in acts)
            or any(s == self.me or self.holds(s) > RELIED for s in finders)
            or dialogue.is_contested(seat)
            or any(s == seat for _day, s in dialogue.broken_pledges)
        )

    def _guessed(self, seat: int) -> bool:
        """Whether I have suspected `seat` since the day's first round, when only those who spoke
        early can be suspected: such a guess binds nobody.
        """
        return self.dialogue.pressed_by(self.me).get(seat, 0) <= self.dialogue.today

    @cached_property
    def target(self) -> int:
        return self.pick(self.scores)

    def speak_of(self, seat: int, margin: float) -> bool:
        """Whether I can name `seat` as one I suspect, at most `margin` behind my first choice.

        From then on I speak of it.
        """
        if self.led:
            return seat == self.target
        if seat not in self.scores:  # out of the game by now
            return False
        if self.scores[seat] < max(self.scores[self.target] - margin, -0.3) or self.cleared(seat):
            return False
        self.target, self.led = seat, True
        return True
