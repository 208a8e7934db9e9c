"""Remarks on the claims of others, and on what the table makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from agents.house.mindset import Mindset
from agents.house.remarks import (
    CROWD,
    CROWD_PENALTY,
    MIN_REMARK_WEIGHT,
    Named,
    Remark,
    RemarkPlace,
    counted,
    look_slots,
    remark,
)
from agents.house.scores import probability_of_roles
from agents.language import number_word

MAX_PROPOSALS = 3  # by others since I last spoke: one more adds nothing
NEWS_BONUS = 0.8  # weight added if the player has claimed or reported since I last spoke
OLD_PENALTY = 0.6  # weight taken off if not
SAID_PENALTY = 4.0  # weight taken off if I have made the observation before
MENTION_PENALTY = 1.0  # weight taken off for each mention of the same players together
OPEN_COMPANION_PENALTY = 2.5  # the same for a named companion who has not answered yet
MIN_ODDS_GAP = 0.18  # between two claimants, to lean toward one of them
MIN_UNOPPOSED_PROBABILITY = 0.6  # of a lone claimant, to call it unopposed
MAX_DOUBTED_PROBABILITY = 0.3  # of a claimant, to doubt its report
MIN_PAIR_PROBABILITY = 0.7  # of the village, to vouch for a pair
MIN_TRUSTED_PROBABILITY = 0.5  # of a claim, to build on it
MAX_FRIEND_PROBABILITY = 0.05  # of being hunted, to defend without a reason
MIN_HUNTED_FOR_HELPER = 0.35  # believed probability from which a helper defends
MIN_BAIT_PROBABILITY = 0.34  # of wanting votes, to warn of it
AGREE_PERCENT = 50  # of the players agree to a proposal, the others object


def build_observations(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claims, and on what others make of them, with their final weights."""
    new_claimants = {
        s.seat for s in m.dialogue.since(m.me) if any(a.kind in ("claim", "report") for a in s.acts)
    }
    for candidate in (
        *_mates(m),
        *_lookers(m),
        *_clashes(m),
        *_plains(m),
        *_saves(m),
        *_pressed_players(m),
        *_proposals(m),
    ):
        is_news = candidate.about in new_claimants or candidate.about == 0
        was_said = candidate.key in m.stance.said_keys
        weight = candidate.weight + (NEWS_BONUS if is_news else -OLD_PENALTY)
        weight -= SAID_PENALTY if was_said else 0.0
        if len(candidate.names) > 1 and candidate.kind != "expose_mate":
            is_open = candidate.kind == "companion_open"
            penalty = OPEN_COMPANION_PENALTY if is_open else MENTION_PENALTY
            weight -= penalty * m.count_mentions(candidate.seats)
        if weight > MIN_REMARK_WEIGHT:
            yield replace(candidate, weight=weight)


def _mates(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claimants of roles whose holders know each other."""
    if m.mate:
        for x in m.dialogue.claimants(m.role):
            if x not in m.view.state.holders(m.role):
                yield remark("expose_mate", x=x, y=m.mate, role=m.role)
        return
    for role in m.pack.roles("mate"):
        yield from _mates_of(m, role)
    yield from _companions(m)


def _mates_of(m: Mindset, role: str) -> Iterator[Remark]:
    """Yield a remark if too many claim such a `role`, or if a pair of them is credible."""
    dialogue = m.dialogue
    claimants = [s for s in dialogue.claimants(role) if s not in m.view.state.out]
    pairs = [p for p in dialogue.pairs if all(dialogue.claims.get(s) == role for s in p)]
    if len(claimants) > max(m.pack.deck.count(role), 2) and m.me not in claimants:
        yield remark("many_mates", _crowd(m, role, claimants), about=claimants[-1], role=role)
    elif pairs and m.me not in claimants:
        x, y = pairs[0]
        if m.village_probability(x) > MIN_PAIR_PROBABILITY:
            yield remark("mates_known", x=x, y=y, role=role)


def _companions(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on players whom another named as its companion and who have not agreed."""
    dialogue = m.dialogue
    for x, y in dialogue.companions.items():
        role = dialogue.claims[x]
        if m.me in (x, y) or dialogue.claims.get(y) == role:
            continue
        if dialogue.claims.get(y) is not None:
            yield remark("companion_denied", x=x, y=y, role=role)
        elif y not in [s.seat for s in dialogue.since(x)]:
            yield remark("companion_open", x=x, y=y, role=role)
        else:
            yield remark("companion_silent", x=x, y=y, role=role)


def _lookers(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the claimants of roles that look. The speaker is no such claimant."""
    if m.claims_a("looker") or (m.look and m.poses_as("looker")):
        return
    for role in m.pack.roles("looker"):
        claimants = [s for s in m.dialogue.claimants(role) if s in m.others]
        if len(claimants) <= m.pack.deck.count(role):
            for seat in claimants:
                yield from _one_looker(m, seat, role)
        elif len(claimants) > 2:
            names = _crowd(m, role, claimants)
            yield remark("three_lookers", names, about=claimants[-1], role=role)
        else:
            yield from _two_lookers(m, *claimants)


def _clashes(m: Mindset) -> Iterator[Remark]:
    """Yield a remark on two looks that contradict each other, if nobody has made it today."""
    looks = [(x, r) for x, r in m.dialogue.reported_looks if x in m.others and len(r.targets) == 1]
    today = [s for s in m.dialogue.said if s.day == m.view.state.day]
    for (x, found), (y, clear) in product(looks, looks):
        if found.targets != clear.targets or not m.pack.accuses(found) or m.pack.accuses(clear):
            continue
        d = found.targets[0]
        if d in m.dialogue.course.out and not any({x, y, d} <= s.names for s in today):
            yield remark("looks_clash", x=x, y=y, d=d)


def _two_lookers(m: Mindset, first: int, second: int) -> Iterator[Remark]:
    """Yield remarks on two rival claimants, in the order of their claims."""
    odds, role = {s: m.claim_probability(s) for s in (first, second)}, m.dialogue.claims[first]
    better, worse = (first, second) if odds[first] >= odds[second] else (second, first)
    names = {"x": better, "y": worse}
    if m.is_refuted(worse) and not m.is_refuted(better):
        yield remark("looker_disproved", names, role=role)
    elif odds[better] - odds[worse] > MIN_ODDS_GAP and _agrees(m, better) and better != m.target:
        kind = "lookers_lean_first" if better == first else "lookers_lean_second"
        yield remark(kind, names, about=second, role=role)
    else:
        yield remark("two_lookers", x=first, y=second, role=role)
    reports = [r for s in (first, second) if (r := m.dialogue.reports.get(s))]
    if len(reports) == 2 and all(map(m.pack.accuses, reports)):
        shared = set(reports[0].targets) & set(reports[1].targets)
        if len(shared) == 1 and (t := shared.pop()) == m.target:
            yield remark("lookers_overlap", x=first, y=second, t=t, role=role)


def _agrees(m: Mindset, looker: int) -> bool:
    """Return whether the report of `looker` fits the player whom I suspect."""
    report = m.dialogue.reports.get(looker)
    return report is None or m.pack.accuses(report) == (m.target in report.targets)


def _one_looker(m: Mindset, x: int, role: str) -> Iterator[Remark]:
    """Yield remarks on `x`, who claims `role` without too many rivals."""
    report, odds = m.dialogue.reports.get(x), m.claim_probability(x)
    if m.is_refuted(x):
        yield remark("looker_impossible", x=x, role=role)
        return
    if (
        m.is_last_round
        and odds > MIN_UNOPPOSED_PROBABILITY
        and _agrees(m, x)
        and m.chance("unopposed", 60)
    ):
        yield remark("looker_unopposed", x=x, role=role)
    look = m.pack.look(role)
    if report is None and (not m.has_night_passed or (look and look.is_of_exiled)):
        return  # there may be nothing to tell yet
    if report is None:
        yield remark("looker_no_report", x=x, role=role)
        return
    if m.me in report.targets:
        return
    names = {"x": x, **look_slots(report)}
    if odds < MAX_DOUBTED_PROBABILITY:
        yield remark("looker_doubted", names, role=role, look=report)
    elif not m.pack.accuses(report):
        yield remark("report_clears", names, role=role, look=report)
    elif not any(map(m.is_cleared, report.targets)):
        kind = "report_splits" if len(report.targets) > 1 else "report_finds"
        weight = 6.4 if m.in_passes else 5.3  # in passes it is the main subject of the day
        yield remark(kind, names, weight=weight, role=role, look=report)


def _plains(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on crowded claims of plain roles."""
    for role in m.pack.roles("plain"):
        claimants = [s for s in m.dialogue.claimants(role) if s in m.others]
        capacity = max(m.pack.deck.count(role), 2)
        weight = 4.7 - CROWD_PENALTY * (capacity > 2)
        if m.claimed == role and CROWD >= len(claimants) >= capacity:
            x, y = claimants[-2:]
            yield remark("plains_with_me", x=x, y=y, weight=weight, role=role)
        elif role not in (m.claimed, m.role) and CROWD >= len(claimants) > capacity:
            names = _crowd(m, role, claimants)
            yield remark("many_plains", names, weight=weight, about=claimants[-1], role=role)


def _crowd(m: Mindset, role: str, claimants: Sequence[int]) -> dict[str, Named]:
    """Return the slots for all `claimants` of `role` and their number."""
    return {"all": tuple(claimants), **counted(m.pack, role, len(claimants))}


def _pressed_players(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on crowds against a player, and in defence of pressed players."""
    dialogue = m.dialogue
    for seat in m.others:
        crowd = [s for s in dialogue.pressing(seat) if s != m.me]
        if seat == m.target:
            if len(crowd) > 2:
                yield remark("crowd", t=seat, n=number_word(len(crowd)))
            continue
        if seat == m.mate or not crowd or seat in dialogue.pressed_by(m.me):
            continue
        for role in m.pack.data.baits:
            if (
                m.professed[seat].get(role, 0) > MIN_BAIT_PROBABILITY
                and len(crowd) > 1
                and not m.is_bait
            ):
                yield remark("bait_warn", t=seat, role=role)
        accusers = [s.seat for s in dialogue.since(m.me) if seat in s.presses()]
        if accusers and accusers[-1] != m.target:
            yield from _defend_pressed(m, accusers[-1], seat)


def _defend_pressed(m: Mindset, accuser: int, target: int) -> Iterator[Remark]:
    """Yield an objection to `accuser`, who pressed `target`, with the best reason against it."""
    dialogue = m.dialogue
    accuser_looks = accuser in dialogue.lookers
    for reporter in dialogue.reporters(target, is_accused=False):
        is_believed = m.claim_probability(reporter) > MIN_TRUSTED_PROBABILITY
        if reporter not in (m.me, accuser) and is_believed and not accuser_looks:
            yield remark("spare_cleared", x=accuser, y=target, z=reporter)
            return
    partner = dialogue.partner(target)
    if partner not in (0, m.me) and m.village_probability(target) > MIN_PAIR_PROBABILITY:
        if partner != accuser:
            role = dialogue.claims[target]
            yield remark("spare_mate", x=accuser, y=target, z=partner, role=role)
        return
    believed = probability_of_roles(m.believed[target], m.pack.hunted)
    is_friend = m.hunted_probability(target) < MAX_FRIEND_PROBABILITY or (
        m.part == "helper" and believed > MIN_HUNTED_FOR_HELPER
    )
    if is_friend and target != m.previous_target and not accuser_looks:
        yield remark("spare", x=accuser, y=target)


def _proposals(m: Mindset) -> Iterator[Remark]:
    """Yield proposals what lookers and mates should do, and replies to such proposals."""
    dialogue, looker, mate = m.dialogue, m.pack.role("looker"), m.pack.role("mate")
    is_hidden = m.part == "looker" or m.poses_as("looker")
    about_looker = [a for a in dialogue.acts("propose") if a.role == looker]
    if looker and m.has_night_passed and not dialogue.lookers and not is_hidden:
        spelled = m.pack.spelled("looker")
        if m.round > 1:
            again = sum(a in about_looker for s in dialogue.since(m.me) for a in s.acts)
            if again < MAX_PROPOSALS:
                yield remark("no_looker_yet", weight=5.0 - again, role=looker)
        elif not about_looker:
            kind = "looker_speak" if m.draw(f"{spelled} early", 2) else "looker_wait"
            weight = 2.4 + 1.6 * m.draw(f"propose {spelled}", 2)
            yield remark(kind, weight=weight, role=looker)
    new = [a for s in dialogue.since(m.me) for a in s.acts if a.kind == "propose"]
    if new and new[-1] in about_looker and m.round == 1 and not dialogue.lookers:
        x = new[-1].speaker
        side = "with" if m.chance("agree to it", AGREE_PERCENT) else "against"
        replies = [a for a in dialogue.acts("agree", "disagree") if x in a.targets]
        weight = 3.4 - 0.6 * len(replies)
        kind = f"{side}_looker_{new[-1].about}"
        yield Remark(kind, weight, RemarkPlace.TABLE, {"x": x}, role=looker)
    is_early = m.round == 1 and mate and not dialogue.claimants(mate) and not m.mate
    if is_early and m.chance(f"ask {m.pack.spelled('mates')}", 20):
        yield remark("mates_speak", role=mate)


def _saves(m: Mindset) -> Iterator[Remark]:
    """Yield whether I believe the players who say whom they protected at night."""
    for x, d in m.dialogue.saves.items() if m.has_attacks else ():
        role = m.dialogue.claims[x]
        is_keeper = m.pack.part(role) == "plain" and role != m.pack.plain_role
        if x not in m.others or d == m.me or x == m.target or not is_keeper:
            continue
        rivals = [s for s in m.dialogue.claimants(role) if s not in (x, m.me)]
        if rivals and rivals[0] in m.others and m.pack.deck.count(role) == 1:
            yield remark("save_rival", x=x, y=rivals[0], role=role)
        elif not m.dialogue.course.quiet:
            yield remark("save_doubted", x=x, d=d)
        elif m.village_probability(x) > MIN_TRUSTED_PROBABILITY:
            yield remark("save_fits", x=x, d=d)
