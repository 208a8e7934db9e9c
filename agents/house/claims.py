"""What I say I am, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.house.mindset import TEAM, Mindset
from agents.house.moves import Move, Place
from agents.house.story import false_look

CLAIM = Place.CLAIM


def claims(m: Mindset) -> Iterator[Move]:
    """At most one claim a statement."""
    if m.claimed:
        yield from _later(m)
        return
    _settle(m)
    pose = m.stance.pose
    if m.mate and (move := _with_mate(m)):
        yield move
        return
    pressed = len(m.heard.pressing(m.me))
    asked = any(a.kind == "question" and a.about == "role" for a in m.heard.toward(m.me))
    rival = pose == "seer" and bool(m.heard.claimants("seer"))
    due = m.round >= m.stance.when or pressed >= 2 or asked or (pressed and m.round > 1)
    if pose == "none":
        if pressed and not asked:
            yield Move("evade", 6.0, CLAIM)
    elif due or rival or m.last_round:
        yield _claim(m, pose, 6.6 if asked or pressed else 4.6 if m.round == 1 else 6.4)


def _settle(m: Mindset) -> None:
    """Liars bend their plan to what they denied and to what has been claimed by others."""
    denied = {a.role for a in m.heard.acts("deny", by=m.me)}
    if m.liar and m.stance.pose in denied:
        m.stance = replace(m.stance, pose="none" if m.role == "tanner" else "villager")
    if m.role not in TEAM:
        return
    pose, seers = m.stance.pose, m.heard.claimants("seer")
    if pose == "mason" and (m.heard.pairs or len(m.heard.claimants("mason")) > 1):
        pose = "villager"
    named = any(m.me in r.targets and r.found for r in m.heard.reports.values())
    if len(seers) == 1 and m.heard.reports:
        if m.role == "werewolf" and named and m.chance("counter", 45):
            pose = "seer"
        if m.role == "minion" and m.chance("counter", 40):
            pose = "seer"
    if pose == "seer" and len(seers) > 1:
        pose = "villager"
    m.stance = replace(m.stance, pose=pose)


def _with_mate(m: Mindset) -> Move | None:
    """A Mason confirms its companion, and speaks up for it when it is pressed."""
    named = m.heard.companions.get(m.mate) == m.me
    if named or m.heard.claims.get(m.mate) == "mason":
        return Move("confirm_mason", 9.0, CLAIM, {"x": m.mate})
    if (accusers := m.heard.pressing(m.mate)) and (m.round > 1 or m.chance("vouch early", 55)):
        return Move("vouch_mason", 9.0, CLAIM, {"x": m.mate, "y": accusers[-1]})
    return None


def _claim(m: Mindset, pose: str, weight: float) -> Move:
    if pose == "seer":
        return _seer(m)
    if pose == "mason":
        if m.mate:
            return Move("claim_mason", 8.6, CLAIM, {"x": m.mate})
        return Move("claim_mason_alone", 8.6, CLAIM)
    return Move("claim_villager", weight, CLAIM)


def _seer(m: Mindset) -> Move:
    a, b, found = m.look or false_look(m)
    m.adopt((a, b, found))
    kind = "report_found" if found else "report_clean"
    rivals = m.heard.claimants("seer")
    if rivals:
        return Move(f"counter_{kind}", 9.6, CLAIM, {"a": a, "b": b, "x": rivals[-1]})
    return Move(kind, 9.2, CLAIM, {"a": a, "b": b})


def _later(m: Mindset) -> Iterator[Move]:
    """What a claim made before obliges to."""
    if m.stance.pose == "turncoat" and m.claimed == "villager" and m.last_round:
        a, b, found = false_look(m)
        m.adopt((a, b, found))
        yield Move("turn_found" if found else "turn_clean", 9.6, CLAIM, {"a": a, "b": b})
        return
    if m.claimed == "seer" and m.look:
        a, b, found = m.look
        rivals = [s for s in m.heard.claimants("seer") if s != m.me]
        new = {s.seat for s in m.heard.since(m.me)}
        if rivals and (rivals[-1] in new or m.last_round):
            kind = "rival_found" if found and rivals[-1] not in (a, b) else "rival_clean"
            yield Move(kind, 6.6, CLAIM, {"x": rivals[-1], "a": a, "b": b}, about=rivals[-1])
        elif m.last_round:
            yield Move("repeat_found" if found else "repeat_clean", 5.6, CLAIM, {"a": a, "b": b})
    accusers = [s for s in m.heard.pressing(m.mate) if s != m.me] if m.mate else []
    if accusers and accusers[-1] in {s.seat for s in m.heard.since(m.me)}:
        yield Move("spare_mate", 7.0, CLAIM, {"x": m.mate, "y": accusers[-1]}, m.mate)
