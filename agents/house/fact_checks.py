"""Checks that what a remark says about others is true, before it is said."""

from __future__ import annotations

from collections.abc import Callable

from agents.dialogue import Dialogue
from agents.house.remarks import Remark
from agents.house.suspicion import Mindset
from agents.understanding.speech_acts import STRENGTH

Check = Callable[[Mindset, dict[str, int]], bool]  # (mind, slot -> seat)


def is_true(m: Mindset, move: Remark) -> bool:
    """Whether the others have said and done what `move` says they have."""
    check = CHECKS.get(move.kind)
    seats = {slot: seat for slot, seat in move.names.items() if isinstance(seat, int)}
    if isinstance(group := move.names.get("all"), tuple):
        seats |= {f"all{number}": seat for number, seat in enumerate(group)}
    return check is None or check(m, seats)


def stands_against(dialogue: Dialogue, seat: int, target: int) -> bool:
    """Whether `seat` still presses `target`, and has accused it or said it will vote for it."""
    hard = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in dialogue.acts("accuse", "vote", by=seat)
    )
    return hard and dialogue.suspect_of(seat) == target


def _first(dialogue: Dialogue, seat: int, target: int) -> int:
    """The number of the statement in which `seat` first pressed `target`; past all for never."""
    for number, said in enumerate(dialogue.said):
        if said.seat == seat and target in said.presses():
            return number
    return len(dialogue.said)


def _joins(m: Mindset, at: dict[str, int]) -> bool:
    """Whether `x` stands against `t`, and has said so today."""
    today = {turn.round for turn in m.view.turns if turn.moment.day == m.view.state.day}
    said = (s for s in m.dialogue.said if s.seat == at["x"] and s.round in today)
    return stands_against(m.dialogue, at["x"], at["t"]) and any(
        at["t"] in s.presses() for s in said
    )


def _agrees(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.suspect_of(at["x"]) == at["t"]


def _both_press(m: Mindset, at: dict[str, int]) -> bool:
    """Both press me, `y` since before `x` did."""
    dialogue, ends = m.dialogue, len(m.dialogue.said)
    y, x = _first(dialogue, at["y"], m.me), _first(dialogue, at["x"], m.me)
    return y < x < ends


def _turned_to_me(m: Mindset, at: dict[str, int]) -> bool:
    dialogue = m.dialogue
    y, me = _first(dialogue, at["x"], at["y"]), _first(dialogue, at["x"], m.me)
    return y < me < len(dialogue.said)


def _turned(m: Mindset, at: dict[str, int]) -> bool:
    """`t` pressed `x`, later `y`, and presses `y` now."""
    dialogue = m.dialogue
    x, y = _first(dialogue, at["t"], at["x"]), _first(dialogue, at["t"], at["y"])
    return x < y < len(dialogue.said) and dialogue.suspect_of(at["t"]) == at["y"]


def _repeats(m: Mindset, at: dict[str, int]) -> bool:
    """`t` pressed `y` after `x` had."""
    dialogue = m.dialogue
    x, t = _first(dialogue, at["x"], at["y"]), _first(dialogue, at["t"], at["y"])
    return x < t < len(dialogue.said)


def _after(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.suspect_of(at["t"]) == at["x"]


def _mutual(m: Mindset, at: dict[str, int]) -> bool:
    """`y` and I have named each other."""
    companions = m.dialogue.companions
    return companions.get(m.me) == at["y"] and companions.get(at["y"]) == m.me


def _pair(*slots: str) -> Check:
    def check(m: Mindset, at: dict[str, int]) -> bool:
        a, b = (at[slot] for slot in slots)
        return (min(a, b), max(a, b)) in m.dialogue.pairs

    return check


def _claim_alike(*slots: str) -> Check:
    """Whether those in `slots` claim one and the same role."""

    def check(m: Mindset, at: dict[str, int]) -> bool:
        claims = {m.dialogue.claims.get(at[slot]) for slot in slots if slot in at}
        return len(claims) == 1 and None not in claims

    return check


def _all_claimants(m: Mindset, at: dict[str, int]) -> bool:
    """Whether those that are named, and nobody else but me, claim one and the same role."""
    role = m.dialogue.claims.get(next(iter(at.values())), "")
    return {*at.values()} == {*m.dialogue.claimants(role)} - {m.me}


def _asked_in_vain(m: Mindset, at: dict[str, int]) -> bool:
    return m.dialogue.evaded(at["t"]) == at.get("x", m.me)


def _undisputed(m: Mindset, at: dict[str, int]) -> bool:
    """Nobody has said that `x` is not what it claims, or lies."""
    x = at["x"]
    return not any(
        x in act.targets
        for act in m.dialogue.acts("disagree", "accuse")
        if act.kind == "accuse" or act.role
    )


def _let_pass(m: Mindset, at: dict[str, int]) -> bool:
    """`y` has spoken since `x` named it, and never of `x`."""
    named = False
    spoken = False
    for said in m.dialogue.said:
        companions = [t for a in said.acts if a.kind == "companion" for t in a.targets]
        if said.seat == at["x"] and at["y"] in companions:
            named = True
        elif named and said.seat == at["y"]:
            spoken = True
            if at["x"] in said.names:
                return False
    return spoken


CHECKS: dict[str, Check] = {
    "vote_with": _joins,
    "doubt_agree": _agrees,
    "join_in": _agrees,
    "rebut_many": _both_press,
    "rebut_flip": _turned_to_me,
    "rebut_mate": _mutual,
    "doubt_flip": _turned,
    "doubt_echo": _repeats,
    "doubt_pusher": _after,
    "doubt_evaded": _asked_in_vain,
    "doubt_evaded_me": _asked_in_vain,
    "mates_known": _pair("x", "y"),
    "spare_mate": _pair("y", "z"),
    "turn_mate": _pair("x", "y"),
    "doubt_third_mate": _pair("x", "y"),
    "owed_trust_pair": _pair("y", "z"),
    "many_mates": _all_claimants,
    "many_plains": _all_claimants,
    "plains_with_me": _claim_alike("x", "y"),
    "doubt_plain_room": _claim_alike("t", "x"),
    "doubt_plain_crowd": _all_claimants,
    "looker_unopposed": _undisputed,
    "companion_silent": _let_pass,
    "two_lookers": _claim_alike("x", "y"),
    "three_lookers": _all_claimants,
}
