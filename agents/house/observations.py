"""Remarks on the claims of others, and on what the table makes of them.

Slots: x and y are other players, z a third one, t is the suspect; `all` are the claimants of
a role.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from agents.house.mindset import Mindset, probability_of_roles
from agents.house.remarks import (
    MIN_REMARK_WEIGHT,
    Remark,
    counted,
    look_slots,
    remark,
)
from agents.house.situation import CLAIMING
from agents.house.small_talk import build_proposals
from agents.language import number_word

NEWS_BONUS = 0.8  # weight added if the player has claimed or reported since I last spoke
OLD_PENALTY = 0.6  # weight taken off if the player has done neither
SAID_PENALTY = 5.5  # weight taken off if I have made the observation before
MENTION_PENALTY = 1.0  # weight taken off for each mention of the same players together
REPEATED_POINT_PENALTY = 2.5  # the same for a point that is not worth a second statement
MADE_ONCE = (
    "companion_open",
    "liar_open",
    "lookers_lean",
    "mates_outside",
    "two_lookers",
    "three_lookers",
    "looks_",
    "many_mates",
)
UNOPPOSED_PERCENT = 60  # how often a looker's claim that nobody opposes is called so
# A claim is remarked as unopposed above the first probability, doubted below the second, and
# believed above the third.
UNOPPOSED_CLAIM, DOUBTED_CLAIM, BELIEVED_CLAIM = 0.6, 0.3, 0.5
# A mate whom no partner names is called false if its claim is less likely than this.
MAX_OUTSIDER_PROBABILITY = 0.15
MIN_ODDS_GAP = 0.18  # I lean toward the likelier of two claimants if their claims differ by more
MAX_FRIEND_PROBABILITY = 0.05  # a player less likely hunted than this is defended without a reason
MIN_HUNTED_FOR_HELPER = 0.35  # a helper defends players whom it believes hunted with more than this
MIN_TRUST_IN_PAIR = 0.7  # mates are trusted if one is likelier of the village than this
MAX_LIAR_PROBABILITY = 0.05  # a player whose claim is less likely is taken for a liar
MIN_HIDING_BAIT = 0.28  # the same for a player who has claimed no role by the last round
MIN_BAIT_PROBABILITY = 0.34  # I warn of a player who wants votes with more than this probability
PASSED_RIVAL_WEIGHT = 9.4  # weight of the guess what harmless role my rival as a looker has
FIND_WEIGHT_IN_PASSES = 6.4  # weight of a remark on another's find, if talk runs in passes


def build_observations(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claims, and on what others make of them, with their final weights."""
    new_claimants = {
        s.seat for s in m.dialogue.since(m.me) if any(a.kind in CLAIMING for a in s.acts)
    }
    for candidate in (
        *_observe_mates(m),
        *_observe_lookers(m),
        *_observe_clashes(m),
        *_compare_looks(m),
        *_observe_changes(m),
        *_observe_liars(m),
        *_observe_saves(m),
        *_observe_pressed_players(m),
        *build_proposals(m),
    ):
        is_news = candidate.about in new_claimants or candidate.about == 0
        was_said = candidate.key in m.stance.said_keys
        weight = candidate.weight + (NEWS_BONUS if is_news else -OLD_PENALTY)
        weight -= SAID_PENALTY if was_said else 0.0
        if len(candidate.names) > 1 and candidate.kind != "expose_mate":
            is_made_once = candidate.kind.startswith(MADE_ONCE)
            penalty = REPEATED_POINT_PENALTY if is_made_once else MENTION_PENALTY
            weight -= penalty * m.count_mentions(candidate.seats)
        if weight > MIN_REMARK_WEIGHT:
            yield replace(candidate, weight=weight)


# -- mates


def _observe_mates(m: Mindset) -> Iterator[Remark]:
    """Yield false claims of my own role, too many claims, pairs, and what became of them."""
    if m.mate or m.claims_a("mate") or m.poses_as("mate"):
        for x in m.dialogue.claimants(m.role) if m.mate else ():
            if x not in m.view.state.holders(m.role):
                yield remark("expose_mate", x=x, y=m.mate, role=m.role)
        return  # one who holds the role knows better than to ask who else does
    for role in m.pack.roles("mate"):
        claimants = [s for s in m.dialogue.claimants(role) if s not in m.view.state.out]
        pairs = [p for p in m.dialogue.pairs if all(m.dialogue.claims.get(s) == role for s in p)]
        outsiders = [s for s in claimants if pairs and s not in pairs[0]]
        if len(outsiders) == 1 and m.claim_probability(outsiders[0]) < MAX_OUTSIDER_PROBABILITY:
            yield remark("mates_outside", x=pairs[0][0], y=pairs[0][1], t=outsiders[0], role=role)
        elif len(claimants) > max(m.pack.deck.count(role), 2):
            yield _count_claimants(m, "many_mates", role, tuple(claimants))
        elif (
            pairs
            and m.village_probability(pairs[0][0]) > MIN_TRUST_IN_PAIR
            and not m.count_mentions({*pairs[0]})  # nobody has said it
        ):
            yield remark("mates_known", x=pairs[0][0], y=pairs[0][1], role=role)
    for x, y in m.dialogue.companions.items():
        if m.me not in (x, y):
            yield from _observe_companion(m, x, y)


def _count_claimants(
    m: Mindset, kind: str, role: str, claimants: tuple[int, ...], weight: float | None = None
) -> Remark:
    """Return the remark how many claim `role`. The remark is about the last claimant."""
    names = {"all": claimants, **counted(m.pack, role, len(claimants))}
    return remark(kind, names, weight=weight, about=claimants[-1], role=role)


def _observe_companion(m: Mindset, x: int, y: int) -> Iterator[Remark]:
    """Yield how `y` reacted after `x` named `y` as a companion."""
    dialogue, role = m.dialogue, m.dialogue.claims[x]
    if y in dialogue.claims:
        if dialogue.claims[y] != role:
            yield remark("companion_denied", x=x, y=y, role=role)
    elif not (m.count_mentions({x, y}) or any(s.seat == y for s in dialogue.since(x))):
        yield remark("companion_open", x=x, y=y, role=role)


# -- lookers


def _observe_lookers(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claims of roles that look, unless I have a look to tell of."""
    if m.claims_a("looker") or (m.look is not None and m.poses_as("looker")):
        return
    for role in m.pack.roles("looker"):
        claimants = tuple(s for s in m.dialogue.claimants(role) if s in m.others)
        if len(claimants) <= m.pack.deck.count(role):
            for x in claimants:
                yield from _observe_one_looker(m, x, role)
        elif len(claimants) > 2:
            yield _count_claimants(m, "three_lookers", role, claimants)
        elif len(claimants) == 2:
            yield from _observe_rivals(m, *claimants, role)


def _observe_one_looker(m: Mindset, x: int, role: str) -> Iterator[Remark]:
    if m.is_refuted(x):
        yield remark("looker_impossible", x=x, role=role)
        return
    if (
        m.is_last_round
        and m.claim_probability(x) > UNOPPOSED_CLAIM
        and m.fits_suspicion(x)
        and m.chance("unopposed", UNOPPOSED_PERCENT)
        and m.dialogue.claimants(role) == [x]
        and _is_undisputed(m, x)
    ):
        yield remark("looker_unopposed", x=x, role=role)
    yield from _observe_report(m, x, role)


def _is_undisputed(m: Mindset, x: int) -> bool:
    """Return whether nobody has disputed the claim of `x` or called it a lie."""
    acts = [a for a in m.dialogue.acts("disagree", "accuse") if x in a.targets]
    return not any(act.kind == "accuse" or act.role for act in acts)


def _observe_report(m: Mindset, x: int, role: str) -> Iterator[Remark]:
    """Yield what I think of the look that `x` reports, or that `x` reports none."""
    look = m.dialogue.reports.get(x)
    if look is None:
        rule = m.pack.look(role)
        may_have_none = not m.has_night_passed or bool(rule and rule.is_of_exiled)
        if not may_have_none and m.is_unasked("result", x):
            yield remark("looker_no_report", x=x, role=role)
        return
    if m.me in look.targets:
        return
    weight = None
    if m.claim_probability(x) < DOUBTED_CLAIM:
        kind = "looker_doubted"
    elif not m.pack.accuses(look):
        if m.count_mentions({*look.targets}) > 1:  # its teller, and somebody who took it up
            return
        kind = "report_clears"
    elif any(map(m.is_cleared, look.targets)):
        return
    else:
        kind = "report_finds" if len(look.targets) == 1 else "report_splits"
        weight = FIND_WEIGHT_IN_PASSES if m.in_passes else None
    yield remark(kind, look_slots(look), x=x, weight=weight, role=role, look=look)


def _observe_rivals(m: Mindset, first: int, second: int, role: str) -> Iterator[Remark]:
    """Yield which of two claimants of `role` I believe."""
    better, worse = sorted((first, second), key=m.claim_probability, reverse=True)
    gap = m.claim_probability(better) - m.claim_probability(worse)
    if m.is_refuted(worse) and not m.is_refuted(better):
        yield remark("looker_disproved", x=better, y=worse, role=role)
    elif gap > MIN_ODDS_GAP and m.fits_suspicion(better) and better != m.target:
        yield remark("lookers_lean", x=better, y=worse, about=second, role=role)
    else:
        yield remark("two_lookers", x=first, y=second, role=role)


def _observe_clashes(m: Mindset) -> Iterator[Remark]:
    """Yield looks at a player who is out that contradict each other, unless told today."""
    looks = [(x, r) for x, r in m.dialogue.reported_looks if x in m.others and len(r.targets) == 1]
    today = [s for s in m.dialogue.statements if s.day == m.view.state.day]
    for (x, accusing), (y, clearing) in product(looks, looks):
        d = accusing.targets[0]
        is_clash = m.pack.accuses(accusing) and not m.pack.accuses(clearing)
        is_about_one = accusing.targets == clearing.targets and d in m.dialogue.course.out
        if is_clash and is_about_one and not any({x, y, d} <= s.names for s in today):
            yield remark("looks_clash", x=x, y=y, d=d)


def _compare_looks(m: Mindset) -> Iterator[Remark]:
    """Yield that two rivals looked at the same players, or both cleared one."""
    for x, first, y, second in m.dialogue.rival_looks:
        if m.me in (x, y):
            continue
        both = [s for s in first.targets if s in second.targets and s != m.me]
        finds = m.pack.accuses(first), m.pack.accuses(second)
        if len(both) == 2 and finds[0] != finds[1]:
            yield remark("looks_opposed", x=x, y=y, a=both[0], b=both[1])
        elif len(both) == 1 and not any(finds) and both[0] not in (x, y):
            yield remark("looks_both_clear", x=x, y=y, a=both[0])


def _observe_changes(m: Mindset) -> Iterator[Remark]:
    """Yield that a player whom I do not suspect now claims another role, even if it said so."""
    new_acts = [act for s in m.dialogue.since(m.me) for act in s.acts if act.kind in CLAIMING]
    for x in m.others:
        roles = list(dict.fromkeys(act.role for act in m.dialogue.acts(*CLAIMING, by=x)))
        is_new = any(act.speaker == x and act.role == roles[-1] for act in new_acts)
        if is_new and len(roles) > 1 and x != m.target and not m.has_confessed(x):
            yield remark("story_changed", x=x, r=m.pack.name(roles[-2]), q=m.pack.name(roles[-1]))


def _observe_liars(m: Mindset) -> Iterator[Remark]:
    """Yield which harmless role a liar may have, so that I vote for another."""
    roles = [*m.pack.roles("helper"), *m.pack.data.baits]
    for x in m.others if roles and not m.is_bait else ():
        odds = {role: m.professed[x].get(role, 0.0) for role in roles}
        likeliest = max(odds, key=lambda role: odds[role])
        is_harmless = odds[likeliest] > max(MIN_BAIT_PROBABILITY, m.hunted_probability(x))
        has_claimed = x in m.dialogue.claims
        guesses = [a for a in m.dialogue.acts("suspect") if a.role == likeliest]
        has_named_another = any(a.speaker == m.me and x not in a.targets for a in guesses)
        guesses = [a for a in guesses if x in a.targets]
        if x == m.target or has_named_another or (guesses and not m.claims_a("looker")):
            continue
        if is_harmless and has_claimed and m.claim_probability(x) < MAX_LIAR_PROBABILITY:
            is_rival = m.dialogue.claims[x] == m.claimed
            is_cleared = x in m.cleared_by_me and is_rival
            # A looker that votes past its rival says why.
            weight = PASSED_RIVAL_WEIGHT if is_rival and m.claims_a("looker") else None
            kind = "liar_bait_cleared" if is_cleared else "liar_bait"
            yield remark(kind, x=x, role=likeliest, weight=weight)
        elif has_claimed and m.claim_probability(x) < MAX_LIAR_PROBABILITY and len(roles) > 1:
            yield remark("liar_open", x=x, r=m.pack.name(roles[0]), q=m.pack.name(roles[-1]))
        is_hiding = not has_claimed and m.is_last_round and len(m.dialogue.turns(x)) > 1
        is_bait = likeliest in m.pack.data.baits and odds[likeliest] > MIN_HIDING_BAIT
        if is_hiding and is_bait and x != m.mate:
            yield remark("hiding_bait", x=x, role=likeliest)


# -- protectors


def _observe_saves(m: Mindset) -> Iterator[Remark]:
    """Yield what I think of the protections that others tell of."""
    dialogue, claims = m.dialogue, m.dialogue.claims
    for x, d in dialogue.claimed_saves.items() if m.has_attacks else ():
        role = claims[x]
        is_keeper = m.pack.part(role) == "plain" and role != m.pack.plain_role
        if not is_keeper or x not in m.others or x == m.target or d == m.me:
            continue
        y = next((s for s in dialogue.claimants(role) if s not in (x, m.me)), 0)
        if y in m.others and m.pack.deck.count(role) == 1:
            yield remark("save_rival", x=x, y=y, role=role)
        elif not dialogue.course.quiet_nights:
            yield remark("save_doubted", x=x, d=d)
        elif m.village_probability(x) > BELIEVED_CLAIM:
            yield remark("save_fits", x=x, d=d)


# -- players under pressure


def _observe_pressed_players(m: Mindset) -> Iterator[Remark]:
    """Yield that many press my suspect, and warnings and defences where I do not join."""
    if len(crowd := _crowd_against(m, m.target)) > 2:
        yield remark("crowd", t=m.target, n=number_word(len(crowd)))
    excluded = {m.target, m.mate, *m.dialogue.pressed_by(m.me)}
    for y in m.others:
        crowd = [] if y in excluded else _crowd_against(m, y)
        for role in m.pack.data.baits if len(crowd) > 1 and not m.is_bait else ():
            if m.professed[y].get(role, 0.0) > MIN_BAIT_PROBABILITY:
                yield remark("bait_warn", t=y, role=role)
        if crowd and (x := m.newest_accuser(y)) not in (0, m.target):
            yield from _defend(m, x, y)


def _crowd_against(m: Mindset, seat: int) -> list[int]:
    return [s for s in m.dialogue.pressing(seat) if s != m.me]


def _defend(m: Mindset, x: int, y: int) -> Iterator[Remark]:
    """Yield a defence of `y`, whom I do not suspect, against `x`."""
    is_looker, z = x in m.dialogue.lookers, m.dialogue.partner(y)
    clearing = (
        s
        for s in m.dialogue.reporters(y, is_accused=False)
        if s not in (m.me, x)
        and m.claim_probability(s) > BELIEVED_CLAIM
        and m.dialogue.claims[s] != m.dialogue.claims.get(y)  # a rival calls y a liar
    )
    believed = probability_of_roles(m.believed[y], m.pack.hunted)
    is_master = m.part == "helper" and believed > MIN_HUNTED_FOR_HELPER
    is_friend = is_master or m.hunted_probability(y) < MAX_FRIEND_PROBABILITY
    if not is_looker and (looker := next(clearing, 0)):
        yield remark("spare_cleared", x=x, y=y, z=looker)
    elif z not in (0, m.me) and m.village_probability(y) > MIN_TRUST_IN_PAIR:
        if z != x:
            yield remark("spare_mate", x=x, y=y, z=z, role=m.dialogue.claims[y])
    elif is_friend and not is_looker and y != m.previous_target:
        yield remark("spare", x=x, y=y)
