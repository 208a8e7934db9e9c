"""Choices: the vote, the straw poll, an office, the night."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from agents.deduction.likelihoods import RoleProbabilities
from agents.house.mindset import GUT, Mindset
from agents.house.scores import most, share
from game.engine.forms import Option
from game.engine.wording import Picks

COMPANY = 0.03  # a vote that nobody joins is wasted: what another's announced vote is worth
WITH_MANY = 0.04  # the same to the hunted and their helpers, whom it pays to vote with the rest

WORD = 0.06  # what it costs to vote otherwise than one said

TRUSTED = 0.5  # how likely somebody must be of the village to be given a say
SELF = 0.85  # what a candidate is worth to itself, where a rival that is surely of the village is 1
AMBITION = 0.15  # how much more or less that is by its extraversion
SPOKE = 0.15  # what a rival's speech adds if it tells of a look that may be true
OWN = 0.35  # what it is worth to be saved oneself, where a looker would be worth 1
OFFICE = 0.2  # what more it is worth to have a badge
GOOD = 0.3  # and to be of the village
GUARDED = (0.8, 0.45)  # how likely a protector is with whom the village would miss most, and second
SAVED = 0.95  # how likely it is with whom one attacked in vain
DEAD = 0.25  # below this chance of living a protector is taken for dead
HELPER = 0.4  # from here on somebody is taken for a helper who must not be exposed
EXPOSED = 0.5  # what it costs to expose it
ASKED = 1.0  # what it costs to attack whom a partner asked to spare
ALLY = 1.0  # what it costs to attack a helper
UNEXPLAINED_PENALTY = 2.0


def vote(
    mind: Mindset, options: Collection[Option]
) -> tuple[int | None, dict[str, dict[str, float]]]:
    """Return the seat of `options` to vote for.

    The announced one, unless what came after speaks clearly against it. Returns None where it would
    vote for none of them. And how everyone was weighed, as `Mindset.parts` and `word`: what was
    said of votes.
    """
    scores, announced_scores = dict(mind.scores), dict.fromkeys(mind.scores, 0.0)
    announced = mind.dialogue.announced(mind.others)
    for seat in scores:
        announced_scores[seat] += (WITH_MANY if mind.is_villain else COMPANY) * announced[seat]
    for leader in {*mind.view.state.badges.values()} & {*mind.others}:
        led = mind.dialogue.pressed_by(leader).get(mind.dialogue.suspect_of(leader), -1)
        if (
            led >= mind.dialogue.today
            and (seat := mind.dialogue.suspect_of(leader)) in announced_scores
        ):
            trust = 0.5 if mind.is_villain else max(mind.village_probability(leader) - TRUSTED, 0.0)
            announced_scores[seat] += 2 * trust * mind.pack.figure("lead")
    for seat in mind.confessors & set(scores):  # nobody could answer it any more
        announced_scores[seat] += WORD
    if mind.previous_target in scores and not mind.confessors:
        announced_scores[mind.previous_target] += WORD
    for seat in scores:
        announced_scores[seat] -= UNEXPLAINED_PENALTY * _owes_a_reason(mind, seat)
        scores[seat] += announced_scores[seat]
    parts = mind.score_parts(mind.professed)
    weighed = {
        str(seat): {
            name: round(p, 4) for name, p in {**parts[seat], "word": announced_scores[seat]}.items()
        }
        for seat in scores
    }
    open_to = {seat: score for seat, score in scores.items() if seat in options}
    return mind.choose_target(open_to) if open_to else None, weighed


def _owes_a_reason(mind: Mindset, seat: int) -> bool:
    """Whether I adore `seat`, voted for it before, and have not said today why I would again."""
    today, course = mind.view.state.day, mind.dialogue.course
    voted = any((b.seat, b.target) == (mind.me, seat) for b in course.ballots if b.when < today)
    has_reason = mind.dialogue.pressed_by(mind.me).get(seat, -1) >= mind.dialogue.today
    return mind.is_adored(seat) and voted and not has_reason


def poll(mind: Mindset) -> int:
    """Return whom I really take for hunted (who is hunted: whom it would name)."""
    table = mind.professed if mind.part == "wolf" else mind.believed

    def hunted(seat: int) -> float:
        return share(table[seat], mind.pack.hunted)

    return most(
        {
            seat: round(hunted(seat) + 0.3 * GUT * mind.stance.gut[seat - 1], 6)
            for seat in mind.others
        }
    )


def picked(mind: Mindset, picks: Picks, options: Sequence[int]) -> int:
    """Return the seat of `options` for a choice of that sense (not `exile`).

    Returns 0 for none of them.
    """
    match picks:
        case "trust" | "entrust":
            return _trusted(mind, options)
        case "harm":
            return _agreed(mind, options) or _best(mind, options, prey_score)
        case "keep":
            return _best(mind, options, _stance_score)
    return _best(mind, options, _suspect)


def _best(mind: Mindset, options: Sequence[int], worth: Callable[[Mindset, int], float]) -> int:
    """Return the option that is worth most, by what I believe and feel."""
    gut = mind.stance.gut
    return most({s: round(worth(mind, s) + GUT * gut[s - 1], 6) for s in options}) if options else 0


def _trusted(mind: Mindset, options: Sequence[int]) -> int:
    """Return whom I give a say: one of my own side that I know, or whom I take for the village.

    A candidate weighs its rivals with itself, whatever side it is on. Who hides and doesn't stand
    gives the say to nobody who could know more.
    """
    if mind.me in options:
        return _candidate(mind, [s for s in options if s != mind.me])
    if mates := [s for s in options if s in mind.partners]:
        return mates[0]

    def worth(m: Mindset, seat: int) -> float:
        return (
            1 - _value(m, seat) if m.is_villain else m.village_probability(seat) + m.fondness(seat)
        )

    best = _best(mind, options, worth)
    return best if best and (mind.is_villain or mind.village_probability(best) > TRUSTED) else 0


def _candidate(mind: Mindset, rivals: Sequence[int]) -> int:
    """Return myself, or a rival that looks better by what I show and by its speech.

    One that claims what I know or say is mine never does.
    """

    def worth(m: Mindset, seat: int) -> float:
        claim = m.dialogue.claims.get(seat, "")
        reports_look = claim == m.pack.role("looker") and seat in m.dialogue.reports
        speech = SPOKE * (reports_look and m.claim_probability(seat) > TRUSTED)
        return m.village_probability(seat) + m.fondness(seat) + speech - m.scores[seat]

    own = {mind.claimed, mind.stance.pose} & {*mind.pack.roles("looker")}
    open_to = [s for s in rivals if mind.dialogue.claims.get(s) not in own]
    best = _best(mind, open_to, worth)
    self_worth = SELF + AMBITION * mind.leaning("E")
    return best if best and worth(mind, best) > self_worth else mind.me


def _value(mind: Mindset, seat: int, belief: RoleProbabilities | None = None) -> float:
    """Return what the village would lose with `seat`, as far as I believe, or by `belief`."""
    row = (belief or mind.believed)[seat]
    looks = share(row, mind.pack.roles("looker"))
    office = OFFICE * (seat in mind.view.state.badges.values())
    return looks + office + GOOD * (1 - share(row, mind.pack.liars))


def _agreed(mind: Mindset, options: Sequence[int]) -> int:
    """Return whom one of my side has chosen in this very phase, as far as I saw. Else 0."""
    for event in reversed(mind.view.events):
        if event.kind == "phase_opened":
            break
        if event.kind == mind.decision.window.kind and event["seat"] in mind.partners:
            return next((s for s in event.data.get("targets", ()) if s in options), 0)
    return 0


def prey_score(mind: Mindset, seat: int) -> float:
    """Return what the hunted gain by attacking `seat`.

    Less for a likely helper, for whom a protector would choose, and for whom a likely helper has
    called hunted, or a partner is going to: nobody would believe it any more. Less, too, for whom a
    partner asked to spare.
    """
    if seat == mind.me or seat in mind.partners:
        return -1.0
    if not mind.in_passes:
        return _value(mind, seat)
    helpers, finders = mind.pack.roles("helper"), mind.dialogue.reporters(seat, accused=True)
    exposed = any(share(mind.believed[finder], helpers) > HELPER for finder in finders)
    planned = any(
        act.targets == (seat,) and mind.pack.accuses(act.result)
        for whisper in mind.whispers
        for act in whisper.acts
        if act.kind == "report"
    )  # fmt: skip
    against = EXPOSED * (exposed or planned) + ASKED * (seat in mind.seats_to_spare)
    against += ALLY * share(mind.believed[seat], helpers)
    return _value(mind, seat) * (1 - guard_chance(mind, seat)) - against


def guard_chance(mind: Mindset, seat: int) -> float:
    """Return how likely `seat` is protected.

    By what the village would miss most, and by whom I attacked in vain.
    """
    keepers = [role for role in mind.pack.roles("plain") if role != mind.pack.plain_role]
    alive = min(sum(share(mind.believed[s], keepers) for s in mind.others), 1.0)
    if not keepers or not alive:
        return 0.0
    if alive > DEAD and seat in _saved(mind):
        return SAVED
    worth = {s: _value(mind, s, mind.professed) for s in (*mind.others, mind.me)}
    ranked = sorted(worth, key=lambda s: -worth[s])[: len(GUARDED)]
    return alive * GUARDED[ranked.index(seat)] if seat in ranked else 0.0


def _saved(mind: Mindset) -> set[int]:
    """Return who lives although I attacked them."""
    picks_of = mind.decision.ruleset.wording.picks_of
    own = (e for e in mind.view.events if picks_of(e.kind) == "harm" and e["seat"] == mind.me)
    return {seat for event in own for seat in event["targets"]} & {*mind.others}


def _stance_score(mind: Mindset, seat: int) -> float:
    return OWN if seat == mind.me else _value(mind, seat)


def _suspect(mind: Mindset, seat: int) -> float:
    """Return how much there is to learn of `seat`: of whom I know the role, nothing."""
    was_looked_at = any(seat in look.targets for look in mind.knowledge.looks)
    return (
        -1.0
        if was_looked_at or seat in mind.partners
        else share(mind.believed[seat], mind.pack.hunted)
    )
