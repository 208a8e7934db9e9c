"""Choices of players: votes, the straw poll, elections, and picks at night."""

from collections.abc import Callable, Collection, Sequence

from agents.deduction.likelihoods import RoleProbabilities
from agents.house.mindset import GUT, Mindset, highest_scoring_seat, probability_of_roles
from game.engine.events import Option
from game.engine.wording import Picks

# Summands of a vote's score, beside those of `Mindset.score_parts`.
ANNOUNCED_VOTE_BONUS = 0.03  # for each announced vote for the seat: a vote alone is wasted
VILLAIN_ANNOUNCED_BONUS = 0.06  # the same for the hunted team, which gains by any vote that counts
CONSISTENCY_BONUS = 0.06  # for my last suspect, if I announced no vote for it today
PROMISE_BONUS = 0.32  # for my last suspect, if I announced my vote for it today
VILLAIN_PROMISE_BONUS = 0.2  # the same for the hunted team, which gains by any vote that counts
# For a player whose confession nobody can answer any more. Of 100 Werewolves that confess in their
# last statement, 35 are voted out, and 37 of those that do not. With 0.06, only 21 were: they
# passed for Tanners.
LATE_CONFESSION_BONUS = 0.35
UNEXPLAINED_PENALTY = 3.0  # taken off for a second vote for an adored player without a new reason
VILLAIN_LEAD_TRUST = 0.5  # trust of the hunted team in a leader's recommendation
POLL_GUT_SHARE = 0.3  # share of the gut feeling that counts in answers that nobody sees

# Elections.
# A player gets an office, or weight as a leader, if likelier of the village than this.
MIN_TRUST = 0.5
SELF_WORTH = 0.85  # a candidate's worth to itself; a rival surely of the village is worth 1
AMBITION = 0.15  # extraversion changes a candidate's worth to itself by at most this
SPEECH_BONUS = 0.15  # added for a rival whose speech reports a look that may be true

# Value of a player to the village; a sure looker is worth 1.
OFFICE_VALUE = 0.2  # added for a badge
VILLAGE_VALUE = 0.3  # added for a player who is surely of the village
SELF_PROTECTION_VALUE = 0.35  # a protector's value to itself

# Attacks.
# Chances that a protector guards the most and the second most valuable player.
GUARD_CHANCES = (0.8, 0.45)
SAVED_CHANCE = 0.95  # chance that a protector guards a player whom I attacked in vain
# SAVED_CHANCE applies if a protector lives with more than this probability.
MIN_PROTECTOR_PROBABILITY = 0.25
# A player who is a helper with more than this probability must not be exposed.
MIN_HELPER_PROBABILITY = 0.4
EXPOSURE_COST = 0.5  # cost of an attack that exposes a helper's or partner's false report
REQUEST_COST = 1.0  # cost of attacking a player whom a partner asked to spare
HELPER_COST = 1.0  # cost of attacking a player who is surely a helper


def choose_vote(
    mind: Mindset, options: Collection[Option]
) -> tuple[int | None, dict[str, dict[str, float]]]:
    """Return the seat to vote for, and how every player was weighed.

    The seat is the announced one, unless later statements speak clearly against it.

    Returns:
        The seat, None if no option is a player; seat -> the summands of its score: those of
        `Mindset.score_parts`, and `word` for the effect of announced votes.
    """
    scores, announced_scores = dict(mind.scores), dict.fromkeys(mind.scores, 0.0)
    announced = mind.dialogue.count_announced_votes(mind.others)
    for seat in scores:
        weight = VILLAIN_ANNOUNCED_BONUS if mind.is_villain else ANNOUNCED_VOTE_BONUS
        announced_scores[seat] += weight * announced[seat]
    for leader in {*mind.view.state.badges.values()} & {*mind.others}:
        seat = mind.dialogue.suspect_of(leader)
        pressed_on = mind.dialogue.pressed_by(leader).get(seat, -1)
        if pressed_on >= mind.dialogue.today and seat in announced_scores:
            trust = max(mind.village_probability(leader) - MIN_TRUST, 0.0)
            trust = VILLAIN_LEAD_TRUST if mind.is_villain else trust
            announced_scores[seat] += 2 * trust * mind.pack.figure("lead")
    for seat in mind.confessors & set(scores):
        announced_scores[seat] += LATE_CONFESSION_BONUS
    if mind.previous_target in scores and not mind.confessors:
        announced_scores[mind.previous_target] += _consistency_bonus(mind)
    for seat in scores:
        announced_scores[seat] -= UNEXPLAINED_PENALTY * _owes_reason(mind, seat)
        scores[seat] += announced_scores[seat]
    weighed = {
        str(seat): {
            name: round(p, 4) for name, p in {**parts, "word": announced_scores[seat]}.items()
        }
        for seat, parts in mind.score_parts().items()
    }
    open_to = {seat: score for seat, score in scores.items() if seat in options}
    return mind.choose_target(open_to) if open_to else None, weighed


def _consistency_bonus(mind: Mindset) -> float:
    """Return the bonus of my last suspect, higher if I announced my vote for it today."""
    promised = mind.dialogue.pledges.get((mind.view.state.day, mind.me))
    if promised != mind.previous_target:
        return CONSISTENCY_BONUS
    return VILLAIN_PROMISE_BONUS if mind.is_villain else PROMISE_BONUS


def _owes_reason(mind: Mindset, seat: int) -> bool:
    """Return whether a second vote for the adored `seat` still lacks a reason given today."""
    today, course = mind.view.state.day, mind.dialogue.course
    voted = any((v.seat, v.target) == (mind.me, seat) for v in course.votes if v.when < today)
    has_reason = mind.dialogue.pressed_by(mind.me).get(seat, -1) >= mind.dialogue.today
    return mind.is_adored(seat) and voted and not has_reason


def answer_poll(mind: Mindset) -> int:
    """Return the seat that I believe to be hunted. A hunted player answers as it professes."""
    table = mind.professed if mind.part == "wolf" else mind.believed
    hunted = {s: probability_of_roles(table[s], mind.pack.hunted) for s in mind.others}
    gut = {s: POLL_GUT_SHARE * GUT * mind.stance.gut[s - 1] for s in mind.others}
    return highest_scoring_seat({s: round(hunted[s] + gut[s], 6) for s in mind.others})


def choose_pick(mind: Mindset, picks: Picks, options: Sequence[int]) -> int:
    """Return the seat of `options` to pick for the purpose `picks` (not `exile`), 0 for none."""
    match picks:
        case "trust" | "entrust":
            return _choose_trusted(mind, options)
        case "harm":
            return _partner_choice(mind, options) or _best(mind, options, prey_score)
        case "keep":
            return _best(mind, options, _protection_score)
    return _best(mind, options, _look_score)


def _best(mind: Mindset, options: Sequence[int], worth: Callable[[Mindset, int], float]) -> int:
    """Return the option with the highest `worth`, gut feeling included, 0 without options."""
    scores = {s: round(worth(mind, s) + GUT * mind.stance.gut[s - 1], 6) for s in options}
    return highest_scoring_seat(scores) if scores else 0


def _choose_trusted(mind: Mindset, options: Sequence[int]) -> int:
    """Return the player to trust with an office, 0 for none.

    A candidate weighs its rivals with itself. Others prefer a known partner; liars then the least
    valuable player of the village, and honest players the most likely one.
    """
    if mind.me in options:
        return _choose_candidate(mind, [s for s in options if s != mind.me])
    if partners := [s for s in options if s in mind.partners]:
        return partners[0]

    def worth(m: Mindset, seat: int) -> float:
        probability = m.village_probability(seat)
        return 1 - _value(m, seat) if m.is_villain else probability + m.fondness(seat)

    best = _best(mind, options, worth)
    return best if best and (mind.is_villain or mind.village_probability(best) > MIN_TRUST) else 0


def _choose_candidate(mind: Mindset, rivals: Sequence[int]) -> int:
    """Return myself, or a rival that is worth more by the professed belief and by its speech.

    I never choose a rival that claims my looking role.
    """

    def worth(m: Mindset, seat: int) -> float:
        claim = m.dialogue.claims.get(seat, "")
        reports_look = claim == m.pack.role("looker") and seat in m.dialogue.reports
        bonus = SPEECH_BONUS * (reports_look and m.claim_probability(seat) > MIN_TRUST)
        return m.village_probability(seat) + m.fondness(seat) + bonus - m.scores[seat]

    own_roles = {mind.claimed, mind.stance.pose} & {*mind.pack.roles("looker")}
    eligible = [s for s in rivals if mind.dialogue.claims.get(s) not in own_roles]
    best = _best(mind, eligible, worth)
    self_worth = SELF_WORTH + AMBITION * mind.leaning("E")
    return best if best and worth(mind, best) > self_worth else mind.me


def _value(mind: Mindset, seat: int, belief: RoleProbabilities | None = None) -> float:
    """Return the value of `seat` to the village, by `belief` or what I believe."""
    row = (belief or mind.believed)[seat]
    looker_value = probability_of_roles(row, mind.pack.roles("looker"))
    office_value = OFFICE_VALUE * (seat in mind.view.state.badges.values())
    village_value = VILLAGE_VALUE * (1 - probability_of_roles(row, mind.pack.liars))
    return looker_value + office_value + village_value


def _partner_choice(mind: Mindset, options: Sequence[int]) -> int:
    """Return the seat that a partner visibly chose last in this phase, 0 for none."""
    for event in reversed(mind.view.events):
        if event.kind == "phase_opened":
            break
        if event.kind == mind.decision.window.kind and event["seat"] in mind.partners:
            return next((s for s in event.data.get("targets", ()) if s in options), 0)
    return 0


def prey_score(mind: Mindset, seat: int) -> float:
    """Return what the hunted gain by attacking `seat`: its value to the village, less costs.

    The score is lower for a likely helper, for a player who is probably protected, and for one whom
    a partner asked to spare. It is also lower if a likely helper or a partner calls the player
    hunted, because the death would expose the lie.
    """
    if seat == mind.me or seat in mind.partners:
        return -1.0
    if not mind.in_passes:
        return _value(mind, seat)
    helpers, finders = mind.pack.roles("helper"), mind.dialogue.reporters(seat, is_accused=True)
    is_exposed = any(
        probability_of_roles(mind.believed[s], helpers) > MIN_HELPER_PROBABILITY for s in finders
    )
    is_planned = any(
        act.targets == (seat,) and mind.pack.accuses(act.result)
        for whisper in mind.whispers
        for act in whisper.acts
        if act.kind == "report"
    )  # fmt: skip
    cost = EXPOSURE_COST * (is_exposed or is_planned) + REQUEST_COST * (seat in mind.seats_to_spare)
    cost += HELPER_COST * probability_of_roles(mind.believed[seat], helpers)
    return _value(mind, seat) * (1 - guard_chance(mind, seat)) - cost


def guard_chance(mind: Mindset, seat: int) -> float:
    """Return the probability that `seat` is protected.

    Protectors choose the most valuable players by public belief. A player whom I attacked in vain
    counts as protected.
    """
    keepers = [role for role in mind.pack.roles("plain") if role != mind.pack.plain_role]
    alive = min(sum(probability_of_roles(mind.believed[s], keepers) for s in mind.others), 1.0)
    if not keepers or not alive:
        return 0.0
    if alive > MIN_PROTECTOR_PROBABILITY and seat in _survivors(mind):
        return SAVED_CHANCE
    worth = {s: _value(mind, s, mind.professed) for s in (*mind.others, mind.me)}
    ranked = sorted(worth, key=lambda s: -worth[s])[: len(GUARD_CHANCES)]
    return alive * GUARD_CHANCES[ranked.index(seat)] if seat in ranked else 0.0


def _survivors(mind: Mindset) -> set[int]:
    """Return the living seats that I have attacked in vain."""
    picks_of = mind.decision.ruleset.wording.picks_of
    own = (e for e in mind.view.events if picks_of(e.kind) == "harm" and e["seat"] == mind.me)
    return {seat for event in own for seat in event["targets"]} & {*mind.others}


def _protection_score(mind: Mindset, seat: int) -> float:
    """Return the value of `seat` to a protector."""
    return SELF_PROTECTION_VALUE if seat == mind.me else _value(mind, seat)


def _look_score(mind: Mindset, seat: int) -> float:
    """Return the value of a look at `seat`: its probability of being hunted, -1 if known."""
    if seat in mind.partners or any(seat in look.targets for look in mind.knowledge.looks):
        return -1.0
    return probability_of_roles(mind.believed[seat], mind.pack.hunted)
