"""What the talk adds up to: contradictions, visions, pairs, crowds; and small talk around it."""

from __future__ import annotations

from collections.abc import Iterator

from agents.house.mindset import Mindset
from agents.house.moves import Move, Place

TABLE = Place.TABLE
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")


def observations(m: Mindset) -> Iterator[Move]:
    """What I make of the claims and of what others make of them."""
    new = {
        s.seat for s in m.heard.since(m.me) if any(a.kind in ("claim", "report") for a in s.acts)
    }
    for move in (*_masons(m), *_seers(m), *_villagers(m), *_pressed(m), *_proposals(m)):
        fresh = move.about in new or move.about == 0
        said = move.key in m.stance.said
        weight = move.weight + (0.8 if fresh else -0.6) - (4.0 if said else 0.0)
        if len(move.names) > 1 and move.kind != "expose_mason":
            weight -= (2.5 if move.kind == "companion_open" else 1.0) * m.worn(move.names.values())
        if weight > 2.5:
            yield Move(move.kind, weight, TABLE, move.names, move.about)


def _masons(m: Mindset) -> Iterator[Move]:
    heard, claimants = m.heard, m.heard.claimants("mason")
    if m.mate:
        for x in claimants:
            if x not in (m.me, m.mate):
                yield Move("expose_mason", 8.0, TABLE, {"x": x, "y": m.mate}, x)
        return
    if len(claimants) > 2 and m.me not in claimants:
        x, y, z = claimants[:3]
        yield Move("many_masons", 5.4, TABLE, {"x": x, "y": y, "z": z}, claimants[-1])
    elif heard.pairs and m.me not in claimants:
        x, y = heard.pairs[0]
        if heard.claims.get(x) == heard.claims.get(y) == "mason" and m.good(x) > 0.7:
            yield Move("masons_known", 4.5, TABLE, {"x": x, "y": y}, y)
    for x, y in heard.companions.items():
        if m.me in (x, y) or heard.claims.get(y) == "mason":
            continue
        if heard.claims.get(y) is not None:
            yield Move("companion_denied", 6.0, TABLE, {"x": x, "y": y}, y)
        elif y not in [s.seat for s in heard.since(x)]:
            yield Move("companion_open", 4.9, TABLE, {"x": x, "y": y}, x)
        else:
            yield Move("companion_silent", 5.0, TABLE, {"x": x, "y": y}, x)


def _seers(m: Mindset) -> Iterator[Move]:
    seers = [s for s in m.heard.claimants("seer") if s != m.me]
    if m.claimed == "seer" or (m.look and m.stance.pose == "seer"):
        return
    if len(seers) > 2:
        x, y, z = seers[:3]
        yield Move("three_seers", 6.4, TABLE, {"x": x, "y": y, "z": z}, seers[-1])
    elif len(seers) == 2:
        yield from _two_seers(m, *seers)
    elif len(seers) == 1:
        yield from _one_seer(m, seers[0])


def _two_seers(m: Mindset, first: int, second: int) -> Iterator[Move]:
    odds = {s: m.shown[s].get("seer", 0.0) for s in (first, second)}
    better, worse = (first, second) if odds[first] >= odds[second] else (second, first)
    names = {"x": better, "y": worse}
    if odds[worse] < 0.02 < odds[better]:
        yield Move("seer_disproved", 6.6, TABLE, names, worse)
    elif odds[better] - odds[worse] > 0.18 and _agrees(m, better):
        kind = "seers_lean_first" if better == first else "seers_lean_second"
        yield Move(kind, 6.0, TABLE, names, second)
    else:
        yield Move("two_seers", 5.8, TABLE, {"x": first, "y": second}, second)
    reports = [m.heard.reports.get(s) for s in (first, second)]
    if all(r and r.found for r in reports):
        shared = set(reports[0].targets) & set(reports[1].targets)  # type: ignore[union-attr]
        if len(shared) == 1 and (t := shared.pop()) == m.target:
            yield Move("seers_overlap", 6.3, TABLE, {"x": first, "y": second, "t": t}, t)


def _agrees(m: Mindset, seer: int) -> bool:
    """Whether believing `seer` goes with whom I am after."""
    report = m.heard.reports.get(seer)
    return report is None or report.found == (m.target in report.targets)


def _one_seer(m: Mindset, x: int) -> Iterator[Move]:
    report, odds = m.heard.reports.get(x), m.shown[x].get("seer", 0.0)
    if odds < 0.02:
        yield Move("seer_impossible", 6.4, TABLE, {"x": x}, x)
        return
    if m.last_round and odds > 0.6 and _agrees(m, x):
        yield Move("seer_unopposed", 4.6, TABLE, {"x": x}, x)
    if report is None:
        yield Move("seer_no_report", 5.2, TABLE, {"x": x}, x)
        return
    if m.me in report.targets:
        return
    a, b = report.targets
    if odds < 0.3:
        yield Move("seer_doubted", 4.8, TABLE, {"x": x, "a": a, "b": b}, x)
    elif report.found:
        if not m.certain(a) and not m.certain(b):
            yield Move("report_splits", 5.3, TABLE, {"x": x, "a": a, "b": b}, x)
    else:
        yield Move("report_clears", 4.9, TABLE, {"x": x, "a": a, "b": b}, x)


def _villagers(m: Mindset) -> Iterator[Move]:
    others = [s for s in m.heard.claimants("villager") if s != m.me]
    if m.claimed == "villager" and len(others) > 1:
        x, y = others[-2:]
        yield Move("villagers_with_me", 4.8, TABLE, {"x": x, "y": y}, y)
    elif m.claimed != "villager" and m.role != "villager" and len(others) > 2:
        x, y, z = others[-3:]
        yield Move("many_villagers", 4.6, TABLE, {"x": x, "y": y, "z": z}, z)


def _pressed(m: Mindset) -> Iterator[Move]:
    """Crowds, and those I would rather not see pressed."""
    heard = m.heard
    for seat in m.others:
        crowd = [s for s in heard.pressing(seat) if s != m.me]
        if seat == m.target:
            if len(crowd) > 2:
                words = NUMBERS[min(len(crowd), 7)]
                yield Move("crowd", 4.4, TABLE, {"t": seat, "n": words}, seat)
            continue
        if seat == m.mate or not crowd or seat in heard.pressed_by(m.me):
            continue
        if m.shown[seat].get("tanner", 0) > 0.34 and len(crowd) > 1 and m.role != "tanner":
            yield Move("tanner_warn", 5.2, TABLE, {"t": seat}, seat)
        new = [s.seat for s in heard.since(m.me) if seat in s.presses()]
        if new and new[-1] != m.target:
            yield from _spare(m, new[-1], seat)


def _spare(m: Mindset, x: int, y: int) -> Iterator[Move]:
    """`x` pressed `y`; I don't agree."""
    for seer, report in m.heard.reports.items():
        believed = m.shown[seer].get("seer", 0) > 0.5 and m.heard.claims.get(x) != "seer"
        if not report.found and y in report.targets and seer not in (m.me, x) and believed:
            yield Move("spare_cleared", 5.4, TABLE, {"x": x, "y": y, "z": seer}, y)
            return
    for pair in m.heard.pairs:
        if y in pair and m.me not in pair and m.good(y) > 0.7:
            z = pair[0] if pair[1] == y else pair[1]
            if z != x:
                yield Move("spare_mason", 5.4, TABLE, {"x": x, "y": y, "z": z}, y)
            return
    friend = m.wolf(y) < 0.05 or (m.role == "minion" and m.believed[y].get("werewolf", 0) > 0.35)
    if friend and y != m.before and m.heard.claims.get(x) != "seer":
        yield Move("spare", 4.5, TABLE, {"x": x, "y": y}, y)


def _proposals(m: Mindset) -> Iterator[Move]:
    """What the Seer and the Masons should do, while nobody has come forward."""
    heard = m.heard
    hidden = m.role == "seer" or m.stance.pose == "seer"
    if not heard.claimants("seer") and not hidden:
        if m.round > 1:
            yield Move("no_seer_yet", 5.0, TABLE)
        elif not any(a.role == "seer" for a in heard.acts("propose")):
            kind = "seer_speak" if m.draw("seer early", 2) else "seer_wait"
            yield Move(kind, 2.4 + 1.6 * m.draw("propose seer", 2), TABLE)
    said = [a for s in heard.since(m.me) for a in s.acts if a.kind == "propose"]
    if said and m.round == 1 and not heard.claimants("seer") and said[-1].role == "seer":
        x = said[-1].speaker
        agrees = m.chance("agree to it", 50)
        kind = f"{'with' if agrees else 'against'}_seer_{said[-1].about}"
        others = [a for a in heard.acts("agree", "disagree") if x in a.targets]
        yield Move(kind, 3.4 - 0.6 * len(others), TABLE, {"x": x})
    if m.round == 1 and not heard.claimants("mason") and not m.mate and m.chance("ask masons", 20):
        yield Move("masons_speak", 3.5, TABLE)


def courtesies(m: Mindset) -> Iterator[Move]:
    """Openers, trust, questions, last words."""
    first = not m.heard.said
    yield Move("open_first" if first else "open", 5.1 if first else 2.9, Place.OPEN)
    friends = [s for s in m.others if m.good(s) > 0.75 and s not in (m.mate, m.target)]
    if friends and m.role != "tanner":
        f = friends[m.draw("friend", len(friends))]
        if not m.chance("keep it", 50) and f"trust:{f}" not in m.stance.said:
            yield Move("trust", 3.6, Place.TRUST, {"x": f}, f)
    if m.role == "tanner":
        yield Move("tease", 5.2, Place.TRUST)
    yield from _questions(m)
    late = "close_late" if m.last_round else "close_early"
    yield Move(late, 2.2 + m.draw("closing", 100) / 80, Place.CLOSE)


def _questions(m: Mindset) -> Iterator[Move]:
    heard, ask = m.heard, Place.ASK
    asked = {
        t for s in heard.since(m.me) for a in s.acts if a.kind == "question" for t in a.targets
    }
    open_to = [s for s in m.others if s not in asked and (not m.last_round or s > m.me)]
    weight = 2.6 + m.draw("curious", 100) / 60
    options: list[Move] = []
    for s in open_to:
        turns = heard.turns(s)
        if heard.claims.get(s) is None and (turns or m.round == 1) and s != m.mate:
            bonus = 0.6 if s == m.target or m.round > 1 else 0.0
            options.append(Move("ask_role", weight + bonus, ask, {"t": s}, s))
        if turns and not heard.pressed_by(s):
            options.append(Move("ask_suspect", weight + 0.2, ask, {"t": s}, s))
        new = [u for said in heard.since(m.me) if said.seat == s for u in said.presses()]
        if new and new[-1] not in (m.me, m.target, s) and heard.claims.get(s) != "seer":
            options.append(Move("ask_reason", weight + 0.3, ask, {"t": s, "x": new[-1]}, s))
        if heard.claims.get(s) == "mason" and s not in heard.companions and not m.mate:
            options.append(Move("ask_partner", weight + 1.5, ask, {"t": s}, s))
    options = [o for o in options if o.key not in m.stance.said]
    if options:
        yield options[m.draw("question", len(options))]
