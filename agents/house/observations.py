"""Observations on the talk: contradictions, reports, pairs, crowds; and small talk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from agents.house.fact_checks import is_true
from agents.house.mindset import Mindset
from agents.house.remarks import CROWD, Named, Remark, RemarkPlace, counted, look_slots, remark
from agents.house.scores import share
from agents.language import number_word
from agents.talk.course import seats_done

ENOUGH = 3  # players who asked a role to speak since I last spoke: one more adds nothing


def observations(m: Mindset) -> Iterator[Remark]:
    """Return what I make of the claims and of what others make of them."""
    new = {
        s.seat for s in m.dialogue.since(m.me) if any(a.kind in ("claim", "report") for a in s.acts)
    }
    for move in (
        *_mates(m),
        *_lookers(m),
        *_clashes(m),
        *_plains(m),
        *_saves(m),
        *_pressed(m),
        *_proposals(m),
    ):
        fresh = move.about in new or move.about == 0
        was_said = move.key in m.stance.said_keys
        weight = move.weight + (0.8 if fresh else -0.6) - (4.0 if was_said else 0.0)
        if len(move.names) > 1 and move.kind != "expose_mate":
            weight -= (2.5 if move.kind == "companion_open" else 1.0) * m.worn(move.seats)
        if weight > 2.5:
            yield replace(move, weight=weight)


def _mates(m: Mindset) -> Iterator[Remark]:
    if m.mate:
        for x in m.dialogue.claimants(m.role):
            if x not in m.view.state.holders(m.role):
                yield remark("expose_mate", x=x, y=m.mate, role=m.role)
        return
    for role in m.pack.roles("mate"):
        yield from _mates_of(m, role)
    yield from _companions(m)


def _mates_of(m: Mindset, role: str) -> Iterator[Remark]:
    """Yield those who claim a role whose holders know each other."""
    dialogue = m.dialogue
    claimants = [s for s in dialogue.claimants(role) if s not in m.view.state.out]
    pairs = [p for p in dialogue.pairs if all(dialogue.claims.get(s) == role for s in p)]
    if len(claimants) > max(m.pack.deck.count(role), 2) and m.me not in claimants:
        yield remark("many_mates", _crowd(m, role, claimants), about=claimants[-1], role=role)
    elif pairs and m.me not in claimants:
        x, y = pairs[0]
        if m.good(x) > 0.7:
            yield remark("mates_known", x=x, y=y, role=role)


def _companions(m: Mindset) -> Iterator[Remark]:
    """Yield those who were named as somebody's mate and have not agreed."""
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
    """Yield two looks that can't both be true, once a table and day."""
    looks = [(x, r) for x, r in m.dialogue.reported_looks if x in m.others and len(r.targets) == 1]
    today = [s for s in m.dialogue.said if s.day == m.view.state.day]
    for (x, found), (y, clear) in product(looks, looks):
        if found.targets != clear.targets or not m.pack.accuses(found) or m.pack.accuses(clear):
            continue
        d = found.targets[0]
        if d in m.dialogue.course.out and not any({x, y, d} <= s.names for s in today):
            yield remark("looks_clash", x=x, y=y, d=d)


def _two_lookers(m: Mindset, first: int, second: int) -> Iterator[Remark]:
    odds, role = {s: m.holds(s) for s in (first, second)}, m.dialogue.claims[first]
    better, worse = (first, second) if odds[first] >= odds[second] else (second, first)
    names = {"x": better, "y": worse}
    if m.is_refuted(worse) and not m.is_refuted(better):
        yield remark("looker_disproved", names, role=role)
    elif odds[better] - odds[worse] > 0.18 and _agrees(m, better) and better != m.target:
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
    """Return whether believing `looker` goes with whom I am after."""
    report = m.dialogue.reports.get(looker)
    return report is None or m.pack.accuses(report) == (m.target in report.targets)


def _one_looker(m: Mindset, x: int, role: str) -> Iterator[Remark]:
    report, odds = m.dialogue.reports.get(x), m.holds(x)
    if m.is_refuted(x):
        yield remark("looker_impossible", x=x, role=role)
        return
    if m.last_round and odds > 0.6 and _agrees(m, x) and m.chance("unopposed", 60):
        yield remark("looker_unopposed", x=x, role=role)
    look = m.pack.look(role)
    if report is None and (not m.slept or (look and look.is_of_exiled)):
        return  # there may be nothing to tell yet
    if report is None:
        yield remark("looker_no_report", x=x, role=role)
        return
    if m.me in report.targets:
        return
    names = {"x": x, **look_slots(report)}
    if odds < 0.3:
        yield remark("looker_doubted", names, role=role, look=report)
    elif not m.pack.accuses(report):
        yield remark("report_clears", names, role=role, look=report)
    elif not any(map(m.cleared, report.targets)):
        kind = "report_splits" if len(report.targets) > 1 else "report_finds"
        weight = 6.4 if m.in_passes else 5.3  # the talk of the table
        yield remark(kind, names, weight=weight, role=role, look=report)


def _plains(m: Mindset) -> Iterator[Remark]:
    for role in m.pack.roles("plain"):
        claimants = [s for s in m.dialogue.claimants(role) if s in m.others]
        most = max(m.pack.deck.count(role), 2)
        weight = 4.7 - 1.4 * (most > 2)  # of many claims one more that is false says little
        if m.claimed == role and CROWD >= len(claimants) >= most:
            x, y = claimants[-2:]
            yield remark("plains_with_me", x=x, y=y, weight=weight, role=role)
        elif role not in (m.claimed, m.role) and CROWD >= len(claimants) > most:
            names = _crowd(m, role, claimants)
            yield remark("many_plains", names, weight=weight, about=claimants[-1], role=role)


def _crowd(m: Mindset, role: str, claimants: Sequence[int]) -> dict[str, Named]:
    """Return the slots of all who claim `role`."""
    return {"all": tuple(claimants), **counted(m.pack, role, len(claimants))}


def _pressed(m: Mindset) -> Iterator[Remark]:
    """Crowds, and those I would rather not see pressed."""
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
            if m.professed[seat].get(role, 0) > 0.34 and len(crowd) > 1 and not m.bait:
                yield remark("bait_warn", t=seat, role=role)
        new = [s.seat for s in dialogue.since(m.me) if seat in s.presses()]
        if new and new[-1] != m.target:
            yield from _spare(m, new[-1], seat)


def _spare(m: Mindset, x: int, y: int) -> Iterator[Remark]:
    """Yield `x` pressed `y`. I don't agree."""
    looks = x in m.dialogue.lookers
    for z in m.dialogue.reporters(y, accused=False):
        if z not in (m.me, x) and m.holds(z) > 0.5 and not looks:
            yield remark("spare_cleared", x=x, y=y, z=z)
            return
    if (z := m.dialogue.partner(y)) not in (0, m.me) and m.good(y) > 0.7:
        if z != x:
            role = m.dialogue.claims[y]
            yield remark("spare_mate", x=x, y=y, z=z, role=role)
        return
    believed = share(m.believed[y], m.pack.hunted)
    friend = m.wolf(y) < 0.05 or (m.part == "helper" and believed > 0.35)
    if friend and y != m.before and not looks:
        yield remark("spare", x=x, y=y)


def _proposals(m: Mindset) -> Iterator[Remark]:
    """Return what lookers and mates should do, while nobody has come forward."""
    dialogue, role, mate = m.dialogue, m.pack.role("looker"), m.pack.role("mate")
    hidden = m.part == "looker" or m.poses_as("looker")
    proposed = [a for a in dialogue.acts("propose") if a.role == role]
    if role and m.slept and not dialogue.lookers and not hidden:
        spelled = m.pack.spelled("looker")
        if m.round > 1:
            again = sum(a in proposed for s in dialogue.since(m.me) for a in s.acts)
            if again < ENOUGH:
                yield remark("no_looker_yet", weight=5.0 - again, role=role)
        elif not proposed:
            kind = "looker_speak" if m.draw(f"{spelled} early", 2) else "looker_wait"
            weight = 2.4 + 1.6 * m.draw(f"propose {spelled}", 2)
            yield remark(kind, weight=weight, role=role)
    proposals = [a for s in dialogue.since(m.me) for a in s.acts if a.kind == "propose"]
    if proposals and proposals[-1] in proposed and m.round == 1 and not dialogue.lookers:
        x = proposals[-1].speaker
        side = "with" if m.chance("agree to it", 50) else "against"
        replies = [a for a in dialogue.acts("agree", "disagree") if x in a.targets]
        weight = 3.4 - 0.6 * len(replies)
        yield Remark(
            f"{side}_looker_{proposals[-1].about}", weight, RemarkPlace.TABLE, {"x": x}, role=role
        )
    early = m.round == 1 and mate and not dialogue.claimants(mate) and not m.mate
    if early and m.chance(f"ask {m.pack.spelled('mates')}", 20):
        yield remark("mates_speak", role=mate)


def courtesies(m: Mindset) -> Iterator[Remark]:
    """Openers, trust, questions, last words."""
    first = not m.dialogue.said
    if m.is_blank and not m.dialogue.turns(m.me):
        yield remark("greet_all")
        yield remark("play_style")
    if first:
        yield remark("open_first")
    elif len(m.dialogue.said) > 2:  # it speaks of what was said so far
        yield remark("open")
    friends = [s for s in m.others if m.good(s) > 0.75 and s not in (m.mate, m.target)]
    if friends and not (m.bait or m.is_blank):
        f = friends[m.draw("friend", len(friends))]
        if not m.chance("keep it", 50) and f"trust:{f}" not in m.stance.said_keys:
            yield remark("trust", x=f, weight=3.6 - 0.6 * m.passes)
    if m.bait:
        yield remark("tease")
    yield from _questions(m)
    late = "close_late" if m.last_round else "close_early"
    weight = 1.6 + m.draw("closing", 100) / 60 - 0.4 * m.passes
    yield remark(late, weight=weight)


def _saves(m: Mindset) -> Iterator[Remark]:
    """Yield whether I believe those who say whom they protected in a night."""
    for x, d in m.dialogue.saves.items() if m.lasts else ():
        role = m.dialogue.claims[x]
        is_keeper = m.pack.part(role) == "plain" and role != m.pack.plain_role
        if x not in m.others or d == m.me or x == m.target or not is_keeper:
            continue
        rivals = [s for s in m.dialogue.claimants(role) if s not in (x, m.me)]
        if rivals and rivals[0] in m.others and m.pack.deck.count(role) == 1:
            yield remark("save_rival", x=x, y=rivals[0], role=role)
        elif not m.dialogue.course.quiet:
            yield remark("save_doubted", x=x, d=d)
        elif m.good(x) > 0.5:
            yield remark("save_fits", x=x, d=d)


def _questions(m: Mindset) -> Iterator[Remark]:
    dialogue = m.dialogue
    asked_seats = {
        t for s in dialogue.since(m.me) for a in s.acts if a.kind == "question" for t in a.targets
    }
    asked_seats |= seats_done(m.view)
    if m.is_blank:
        light = [remark("ask_light", t=s) for s in m.others if s not in asked_seats]
        if light and not m.passes:
            yield light[m.draw("question", len(light))]
        return
    open_to = [s for s in m.others if s not in asked_seats and (not m.last_round or s > m.me)]
    weight = 2.6 + m.draw("curious", 100) / 60 - 0.6 * m.passes
    options: list[Remark] = []
    for s in open_to:
        turns = dialogue.turns(s)
        if dialogue.silent[s]:
            options.append(remark("ask_silent", t=s))
        if dialogue.claims.get(s) is None and (turns or m.round == 1) and s != m.mate:
            bonus = 0.6 if s == m.target or m.round > 1 else 0.0
            options.append(remark("ask_role", t=s, weight=weight + bonus))
        if turns and not dialogue.pressed_by(s):
            options.append(remark("ask_suspect", t=s, weight=weight + 0.2))
        new = [
            u
            for statement in dialogue.since(m.me)
            if statement.seat == s
            for u in statement.presses()
        ]
        looks = s in dialogue.lookers
        if new and new[-1] not in (m.me, m.target, s) and not looks:
            options.append(remark("ask_reason", t=s, x=new[-1], weight=weight + 0.3))
        if dialogue.is_mate(s) and s not in dialogue.companions and not m.mate:
            role = dialogue.claims[s]
            options.append(remark("ask_partner", t=s, weight=weight + 1.5, role=role))
    options = [o for o in options if o.key not in m.stance.said_keys and is_true(m, o)]
    if quiet := [o for o in options if o.kind == "ask_silent"]:
        yield quiet[m.draw("question", len(quiet))]
    elif options:
        yield options[m.draw("question", len(options))]
