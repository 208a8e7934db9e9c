"""What a house player believes and professes, and whom it suspects (`Mindset.target`)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from agents.decision import Decision
from agents.deduction.likelihoods import (
    Clue,
    Knowledge,
    RoleProbabilities,
    collect_clues,
    infer_roles,
    is_possible,
)
from agents.house.situation import CLAIMING, Situation
from agents.packs import Part, Result
from game.engine.events import PUBLIC
from game.engine.state import ROLE_EVENTS, fold

# Summands of a player's score, beside the probability of being hunted.
GUT = 0.15  # a gut feeling changes a score by at most this
MEMORY_WEIGHT = 0.1  # remembered utterances add at most this to a score
PLAN = 0.05  # added for the player to press by the plan, taken off for those to spare
PARTNER_REQUEST = 0.2  # the same for players whom partners asked to accuse or to spare
# Taken off for a known player of the own side: nobody presses it or votes for it.
ALLY_PENALTY = 2.0
UNTENABLE_PENALTY = 1.0  # taken off for a player whom my statements or professed beliefs clear
DEFENDED_PENALTY = 0.08  # taken off for a player whom I have defended
EXCUSED_PENALTY = 0.2  # taken off for a player whom the lie of another excuses
NO_TURN_PENALTY = 0.25  # taken off in the first round for a player who has had no turn
CROWD_BONUS = 0.03  # added by the hunted team for each accuser: it is easiest to go along

# A new suspect replaces the previous one if its score is higher by at least this.
LOYALTY = 0.09
DENIAL_LOYALTY = 0.35  # the same if the previous one has only denied what is on record
# With a lower score a player neither stays the suspect nor becomes it on request.
MIN_TARGET_SCORE = -0.3

# A look counts as a ground if its teller's claim is likelier than this.
MIN_FINDER_CREDIBILITY = 0.4
# A partner may be given up if it seems hunted with more than this probability.
ABANDON_THRESHOLD = 0.7
# A professed probability below this counts as zero: nobody would share the suspicion.
CLEARED_BELOW = 0.02


def probability_of_roles(row: Mapping[str, float], roles: Iterable[str]) -> float:
    """Return the probability that a seat holds one of `roles`. row: role -> probability."""
    return sum((row.get(role, 0.0) for role in roles), 0.0)


def highest_scoring_seat(scores: Mapping[int, float]) -> int:
    """Return the seat with the highest score, the lowest of equal ones."""
    return max(scores, key=lambda seat: (scores[seat], -seat))


def seats_by_ascending_score(scores: Mapping[int, float], among: Iterable[int]) -> list[int]:
    """Return the seats of `among`, lowest score first."""
    return sorted(among, key=lambda seat: (scores[seat], seat))


class Mindset(Situation):
    """One seat before one window, with its beliefs.

    Honest players profess what they believe. Liars argue from what they profess, so they never
    give away what they should not know.

    Attributes:
        believed: probabilities by all that the player knows.
        professed: probabilities for a holder of the claimed role who has seen the reported looks.
        is_vote_owed: whether the player has promised its vote in this statement.
        has_fixed_target: whether the statement must speak of the player whom a question named.
        invented_look: the result that the player intends to report falsely.
        announced_looks: the looks that the claims of this statement report.
    """

    def __init__(self, decision: Decision, brief: Mapping[str, Any]) -> None:
        super().__init__(decision, brief)
        self.has_judgement = "judgement" in decision.faculties or not decision.faculties
        self.believed: RoleProbabilities = self._load_beliefs(brief)
        self.remembered: Sequence[Mapping[str, Any]] = brief.get("memory", {}).get("memory", ())
        self.is_vote_owed = False
        self.has_fixed_target = False
        self.invented_look: Result | None = None
        self.announced_looks: tuple[Result, ...] = ()

    def _load_beliefs(self, brief: Mapping[str, Any]) -> RoleProbabilities:
        """Return the probabilities of the judgement, or infer them if the brief has none."""
        if "judgement" in brief:
            roles: Mapping[str, Mapping[str, float]] = brief["judgement"]["roles"]
            return {int(s): dict(row) for s, row in roles.items()}
        return infer_roles(self.pack, self.knowledge, self._clues())

    def _clues(self) -> tuple[Clue, ...]:
        """Return the clues of the talk, none without the faculty of judgement."""
        return collect_clues(self.dialogue) if self.has_judgement else ()

    @cached_property
    def look(self) -> Result | None:
        """Return the look that I would report, or the last one that I have reported.

        Looks that I have not reported come before others. Among them, the last look that found a
        hunted player comes before the last look. A look at who protects players is the last
        resort.
        """
        own_looks = () if self.is_liar else self.knowledge.looks
        reported_looks = self.dialogue.looks.get(self.me, ())
        harmless = [result for result in own_looks if not self.reveals_keeper(result)] or own_looks
        news = [result for result in harmless if result not in reported_looks] or harmless
        if candidates := [result for result in news if self.pack.accuses(result)] or news:
            return candidates[-1]
        return self.dialogue.reports.get(self.me)

    @cached_property
    def professed_knowledge(self) -> Knowledge:
        """Knowledge that I would have if my claim were true and I had seen my look."""
        if not self.is_liar:
            return self.knowledge
        look = self.look
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
        """Probabilities as far as I show them: as if my claim were true, and my look seen."""
        if not self.is_liar:
            return self.believed
        return infer_roles(self.pack, self.professed_knowledge, self._clues())

    def adopt_look(self, look: Result) -> None:
        """Claim from now on to have seen `look`, and reason accordingly."""
        for name in (
            "look",
            "professed_knowledge",
            "professed",
            "scores",
            "target",
            "excused_seats",
        ):
            self.__dict__.pop(name, None)
        self.__dict__["look"] = look

    def hunted_probability(self, seat: int) -> float:
        """Return the professed probability that `seat` is hunted."""
        return probability_of_roles(self.professed[seat], self.pack.hunted)

    def village_probability(self, seat: int) -> float:
        """Return the professed probability that `seat` is of the village."""
        return 1 - probability_of_roles(self.professed[seat], self.pack.liars)

    def is_cleared(self, seat: int) -> bool:
        """Return whether `seat` is hunted with a professed probability of almost zero."""
        return self.hunted_probability(seat) < CLEARED_BELOW

    def is_certainly_cleared(self, seat: int) -> bool:
        """Return whether no deal that fits my professed knowledge has `seat` hunted."""
        return self.is_cleared(seat) and not any(
            is_possible(self.pack, self._suppose(seat, role)) for role in self.pack.hunted
        )

    def claim_probability(self, seat: int) -> float:
        """Return the professed probability that `seat` holds the role it claims."""
        return self.professed[seat].get(self.dialogue.claims.get(seat, ""), 0.0)

    def is_refuted(self, seat: int) -> bool:
        """Return whether no deal that fits my professed knowledge has the role and the looks that
        `seat` claims.
        """
        role = self.dialogue.claims.get(seat, "")
        if self.claim_probability(seat) >= CLEARED_BELOW or role not in self.pack.deck:
            return False
        looks = self.dialogue.looks.get(seat, ())
        return not is_possible(self.pack, self._suppose(seat, role, looks))

    def fits_suspicion(self, looker: int) -> bool:
        """Return whether the report of `looker`, if it has made one, fits the player I suspect."""
        report = self.dialogue.reports.get(looker)
        return report is None or self.pack.accuses(report) == (self.target in report.targets)

    def find_impossible_count(self, seat: int) -> int:
        """Return how many players `seat` has called hunted, 0 if so many can be in the game.

        It must be more than the deck holds, or as many, all of them out, although the game goes on.
        """
        looks = self.dialogue.looks.get(seat, ())
        found_targets = {r.targets for r in looks if self.pack.accuses(r) and len(r.targets) == 1}
        are_all_out = all({*targets} <= self.dialogue.course.out for targets in found_targets)
        is_over = are_all_out and self.has_attacks and len(found_targets) == self.hunted_count
        return len(found_targets) if len(found_targets) > self.hunted_count or is_over else 0

    def _suppose(self, seat: int, role: str, looks: tuple[Result, ...] = ()) -> Knowledge:
        """Return my professed knowledge, and that `seat` holds `role` and saw `looks`."""
        knowledge = self.professed_knowledge
        roles = tuple(sorted({*knowledge.roles, (seat, role)}))
        return replace(knowledge, roles=roles, looks=(*knowledge.looks, *looks))

    @cached_property
    def scores(self) -> dict[int, float]:
        """Seat -> how much I want the player out, for every other living seat."""
        return {seat: round(sum(parts.values()), 6) for seat, parts in self.score_parts().items()}

    def score_parts(self) -> dict[int, dict[str, float]]:
        """Return seat -> the summands of its score, for every other living seat.

        Returns:
            werewolf: the professed probability of being hunted (the key of stored games);
            reasons: effects of the own role and of the course of the game;
            gut: the gut feeling;
            fondness: less for a liked player;
            memory: effect of remembered utterances;
            plan: effect of the plan for the round, and of agreements and requests of partners.
        """
        return {
            seat: {
                "werewolf": (probability := self.hunted_probability(seat)),
                "reasons": self._reason_score(seat, probability) - probability,
                "gut": GUT * self.stance.gut[seat - 1],
                "fondness": -self.fondness(seat),
                "memory": self.memory_scores.get(seat, 0.0),
                "plan": self._plan_score(seat),
            }
            for seat in self.others
        }

    def _reason_score(self, seat: int, probability: float) -> float:
        """Return `probability`, adjusted by my role and the course of the game."""
        score = self._adjust_for_role(probability, self.believed[seat])
        is_partner = seat in self.partners and not self.is_given_up(seat)
        if is_partner or seat in self.allies:
            score -= ALLY_PENALTY + probability  # whatever a liar has to profess
        if probability < CLEARED_BELOW or seat in self.cleared_by_me:
            score -= UNTENABLE_PENALTY
        if seat in self.excused_seats:
            score -= EXCUSED_PENALTY
        if seat in self.defended_seats and not self.is_villain:
            score -= DEFENDED_PENALTY
        if self.round == 1 and not self.dialogue.has_had_turn(seat):
            score -= NO_TURN_PENALTY
        if self.is_villain:
            score += CROWD_BONUS * len(self.dialogue.pressing(seat))
        return score

    @cached_property
    def excused_seats(self) -> set[int]:
        """The players whom a look that I believe found beside a rival of its teller, who lies."""
        excused = set[int]()
        own = [(self.me, self.look)] if self.look else []
        for teller, look in (*own, *self.dialogue.reported_looks):
            liars = ({*self.dialogue.claimants(look.source)} - {teller}) & {*look.targets}
            honest = {*look.targets} - liars
            if not (liars and honest and self.pack.accuses(look)):
                continue
            if teller == self.me or self.claim_probability(teller) > MIN_FINDER_CREDIBILITY:
                excused |= honest
        return excused

    def _plan_score(self, seat: int) -> float:
        planned = (seat == self.stance.aim) - (seat in self.stance.spared)
        requested = (seat in self.seats_to_accuse) - (seat in self.seats_to_spare)
        return PLAN * planned + PARTNER_REQUEST * requested

    @cached_property
    def memory_scores(self) -> dict[int, float]:
        """Seat -> how much the remembered utterances press the player, up to MEMORY_WEIGHT.

        Each utterance counts by the score with which memory retrieved it.
        """
        statements = {(s.seat, s.text): s for s in self.dialogue.statements}
        weights: dict[int, float] = defaultdict(float)
        total = 0.0
        for row in self.remembered:
            statement = statements.get((row["speaker"], row["text"]))
            if statement is None or not (pressed := set(statement.presses())):
                continue
            total += row["score"]
            for seat in pressed - {self.me}:
                weights[seat] += row["score"] / len(pressed)
        return {seat: MEMORY_WEIGHT * w / total for seat, w in weights.items()} if total else {}

    def _adjust_for_role(self, score: float, row: Mapping[str, float]) -> float:
        """Return `score`, reduced for a player whom my part would rather keep.

        row: role -> the believed probability that the player holds it.
        """
        pack = self.pack
        hunted = probability_of_roles(row, pack.hunted)
        bait = probability_of_roles(row, pack.data.baits)
        match self.part:
            case "wolf":
                return score - (0.4 * bait + 0.3 * probability_of_roles(row, pack.roles("helper")))
            case "helper":
                return score - (1.2 * hunted + 0.25 * bait)
            case "loner":
                return score - 0.5 * hunted
        return score - pack.figure("bait") * bait

    @cached_property
    def allies(self) -> set[int]:
        """The players who confessed to be of my side, if its votes alone can win.

        This is so if one of the hunted and a helper, who do not know each other, are two of three.
        """
        if not (self.is_villain and self.in_passes and len(self.others) == 2):
            return set()
        sought: Part = "helper" if self.part == "wolf" else "wolf"
        claims = self.dialogue.claims
        return {s for s in self.others if self.pack.part(claims.get(s, "")) == sought}

    def is_given_up(self, seat: int) -> bool:
        """Return whether I, of the hunted team, press the partner `seat` to look innocent.

        Only a partner who seems lost is given up. Whether I do so is drawn once a game, with my
        gut feelings. Once I have pressed the partner today, it stays given up.
        """
        if not self.is_villain:
            return False
        if self.dialogue.pressed_by(self.me).get(seat, -1) >= self.dialogue.today:
            return True
        is_lost = 2 * len(self.dialogue.pressing(seat)) >= len(self.others)
        if self.in_passes:  # a believed looker's find is enough, or a day without a vote
            has_vote = self.decision.ruleset.has_vote_on(self.view.state.day)
            is_lost = is_lost or not has_vote or self.hunted_probability(seat) > ABANDON_THRESHOLD
        return is_lost and self.stance.gut[seat - 1] > 1 - 2 * self.pack.figure("distance")

    def choose_target(self, scores: Mapping[int, float]) -> int:
        """Return the seat to press: the previous one, unless another looks clearly worse."""
        best, previous = highest_scoring_seat(scores), self.previous_target
        is_free = self.confessors or self._is_early_guess(previous)
        is_loyal = self.has_only_denied(previous)
        loyalty = DENIAL_LOYALTY if is_loyal else 0.0 if is_free else LOYALTY
        if previous in scores and scores[previous] > max(scores[best] - loyalty, MIN_TARGET_SCORE):
            return previous
        return best

    def has_only_denied(self, seat: int) -> bool:
        """Return whether `seat`, since I pressed it, only denied to be hunted, although the record
        still speaks against it.
        """
        acts = [a for s in self.dialogue.since(self.me) if s.seat == seat for a in s.acts]
        has_denied = any(act.kind == "deny" and act.role in self.pack.wolves for act in acts)
        has_claimed = any(act.kind in CLAIMING for act in acts)
        return has_denied and not has_claimed and self.is_grounded(seat)

    def is_grounded(self, seat: int) -> bool:
        """Return whether the record speaks against `seat`: a changed story, a look that found it,
        a confession, a copied look, too many claims of its role, or a broken pledge.
        """
        dialogue = self.dialogue
        finders = [s for s in dialogue.reporters(seat, is_accused=True) if s != seat]
        return (
            seat in dialogue.changed
            or seat in dialogue.copiers
            or self.has_confessed(seat)
            or any(
                s == self.me or self.claim_probability(s) > MIN_FINDER_CREDIBILITY for s in finders
            )
            or dialogue.is_contested(seat)
            or any(s == seat for _day, s in dialogue.broken_pledges)
        )

    def _is_early_guess(self, seat: int) -> bool:
        """Return whether my suspicion of `seat` is from the day's first round at the latest.

        Such a guess can hit only early speakers, so it does not bind.
        """
        return self.dialogue.pressed_by(self.me).get(seat, 0) <= self.dialogue.today

    @cached_property
    def target(self) -> int:
        """The seat that I press."""
        return self.choose_target(self.scores)

    def try_fix_target(self, seat: int, margin: float) -> bool:
        """Speak of `seat` as my suspect from now on, if I can. Return whether I do.

        margin: how far its score may be below that of my first choice.
        """
        if self.has_fixed_target:
            return seat == self.target
        if seat not in self.scores:  # out of the game by now
            return False
        least = max(self.scores[self.target] - margin, MIN_TARGET_SCORE)
        if self.scores[seat] < least or self.is_cleared(seat):
            return False
        self.target, self.has_fixed_target = seat, True
        return True
