"""Answers to what was said to or of me since I last spoke."""

from __future__ import annotations

from collections.abc import Iterator

from agents.house.doubts import voices
from agents.house.mindset import Mindset
from agents.house.moves import Move, Place
from agents.house.notices import notices
from agents.talk.acts import Act

REPLY = Place.REPLY


def replies(m: Mindset) -> Iterator[Move]:
    """Reports that name me first, then false friends, accusers, questions, all the rest."""
    toward = m.heard.toward(m.me)
    named = list(_reports(m, toward))
    yield from named
    false = [a for a in toward if a.kind == "companion" and a.speaker != m.mate]
    if false and not m.mate:  # a Mason exposes it (agents/house/table.py)
        yield Move("deny_partner", 9.0, REPLY, {"x": false[-1].speaker})
    reporters = {int(mv.names["x"]) for mv in named}
    accusers = list(dict.fromkeys(a.speaker for a in toward if a.strength))
    accusers = [s for s in accusers if s not in reporters]
    if accusers:
        yield _rebuttal(m, accusers, toward)
    asked = [a for a in toward if a.kind == "question"]
    if asked:
        yield from _answers(m, asked[-1], busy=bool(accusers or named))
    yield from notices(m)


def _reports(m: Mindset, toward: list[Act]) -> Iterator[Move]:
    for act in toward:
        if act.kind != "report" or "seer" in (m.claimed, m.stance.pose):
            continue
        x = act.speaker
        if not act.found and m.shown[x].get("seer", 0.0) < 0.3:
            continue
        if not act.found:
            yield Move("thanks_clean", 4.2, REPLY, {"x": x})
            continue
        others = [t for t in act.targets if t != m.me]
        y = others[0] if others else x
        if m.certain(y):
            yield Move("rebut_report_lie", 8.5, REPLY, {"x": x, "y": y})
        elif y == m.target:
            yield Move("rebut_report_other", 8.5, REPLY, {"x": x, "y": y})
        else:
            yield Move("rebut_report_open", 8.5, REPLY, {"x": x, "y": y})


def _rebuttal(m: Mindset, accusers: list[int], toward: list[Act]) -> Move:
    """The answer to the accuser that presses hardest, by what can be held against it."""
    pressing = [a for a in toward if a.strength and a.speaker in accusers]
    x = max(reversed(pressing), key=lambda a: a.strength).speaker
    if len(accusers) > 1 and m.chance("many", 60):
        y = next(s for s in reversed(accusers) if s != x)
        return Move("rebut_many", 7.5, REPLY, {"x": x, "y": y})
    options: list[tuple[str, dict[str, int | str]]] = [("rebut", {"x": x})]
    heard = m.heard
    history = [s for s in heard.pressed_by(x) if s != m.me]
    mine = [s for s in heard.said if s.seat == x and m.me in s.presses()]
    if heard.claims.get(x) is None:
        options.append(("rebut_unclaimed", {"x": x}))
    if history and len(mine) == 1:
        options.append(("rebut_flip", {"x": x, "y": history[-1]}))
    if leader := _leader(m, x):
        options.append(("rebut_echo", {"x": x, "y": leader}))
    if m.mate and m.claimed == "mason" and m.heard.claims.get(m.mate) == "mason":
        options += [("rebut_mason", {"x": x, "y": m.mate})] * 3
    elif m.claimed == "villager":
        options.append(("rebut_claimed", {"x": x}))
    elif m.claimed == "seer":
        options += [("rebut_seer", {"x": x})] * 2
    if x == m.target and m.scores[x] > 0.12:
        options += [("rebut_back", {"x": x})] * 2
    if len(heard.turns(m.me)) == 1 and m.round == 1:
        options.append(("rebut_once", {"x": x}))
    if m.role == "tanner":
        options += [("rebut_tease", {"x": x})] * 3
    options = [o for o in options if f"{o[0]}:{x}" not in m.stance.said] or options
    kind, names = options[m.draw("rebuttal", len(options))]
    return Move(kind, 7.5, REPLY, names, about=x)


def _leader(m: Mindset, follower: int) -> int:
    """Who pressed me before `follower` did, 0 for nobody."""
    for said in m.heard.said:
        if m.me in said.presses() and said.seat != m.me:
            return 0 if said.seat == follower else said.seat
    return 0


def _answers(m: Mindset, asked: Act, *, busy: bool) -> Iterator[Move]:
    x = asked.speaker
    weight = 3.0 if busy else 6.2
    if asked.about == "role":
        if m.heard.said[-1].seat == x:  # whoever spoke just now still waits for it
            weight = 7.8
        if m.claimed:
            yield Move("answer_claimed", weight, REPLY, {"x": x, "r": m.claimed.capitalize()})
        elif m.stance.pose == "none":
            yield Move("answer_evade", weight + 1, REPLY, {"x": x})
        else:  # the claim follows
            yield Move("answer_role", weight, REPLY, {"x": x})
    elif asked.about == "suspect":
        if voices(m):
            yield Move("answer_suspect", weight, Place.LEAD, {"x": x})
        else:
            yield Move("answer_nobody", weight, REPLY, {"x": x})
    elif asked.about == "reason":
        if m.heard.pressed_by(m.me) and voices(m):
            yield Move("answer_reason", weight, Place.LEAD, {"x": x})
    elif asked.about == "result":
        if m.look and m.claimed == "seer":
            a, b, found = m.look
            kind = "repeat_found" if found else "repeat_clean"
            yield Move(kind, weight + 1, REPLY, {"a": a, "b": b, "x": x})
        elif m.stance.pose != "seer":
            yield Move("answer_no_look", weight, REPLY, {"x": x})
    else:
        yield Move("answer_open", weight - 1.5, REPLY, {"x": x})
