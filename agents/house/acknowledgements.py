"""A word for those who turned to me, or spoke of me, without accusing or asking."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.dialogue import Statement
from agents.house.remarks import Remark, RemarkPlace
from agents.house.suspicion import Mindset
from agents.understanding.speech_acts import SpeechAct

REPLY = RemarkPlace.REPLY
_CALL = r"(?:hey|hi|hello|so|and|but|ok|okay|well|listen|look|sorry|no|yes|dear|say|now) "
_ON = r"(?:i|i'm|im|i'd|i've|my|we|let's|lets|you|the|forget|what|who|how|why|can|could|do|did)\b"


def addresses(text: str, name: str) -> bool:
    """Whether `text` turns to `name`, rather than speaking of it."""
    name = re.escape(name.lower())
    begins = rf"(?:^|[.!?;,]\s*)@?(?:{_CALL})?{name}(?:\s*[,:!?]| {_ON})"
    ends = rf"(?:,| you| say) {name}\s*(?:[.!?]|$)"
    return bool(re.search(f"{begins}|{ends}", text.lower().replace("’", "'")))


def notices(m: Mindset) -> Iterator[Remark]:
    """A word to a claim, a denial, a proposal or a candidate put to me.

    To praise and dissent.

    The same is not said to anybody twice.
    """
    since = m.dialogue.since(m.me)
    for statement in since:
        to_me = addresses(statement.text, m.view.name(m.me))
        last = statement is since[-1]
        for act in statement.acts:
            moves = (
                _of_me(m, act) if m.me in act.targets else _to_me(m, statement, act, to_me, last)
            )
            yield from (mv for mv in moves if mv.key not in m.stance.said)


def _of_me(m: Mindset, act: SpeechAct) -> Iterator[Remark]:
    """Return what was said of me: praise, agreement, dissent, a role I am taken for."""
    x = act.speaker
    if act.kind == "defend" or (act.kind == "agree" and act.role and act.role == m.claimed):
        yield Remark("thanks", 5.0, REPLY, {"x": x}, x)
    elif act.kind == "agree" and not act.role:
        yield Remark("agreed", 4.9, REPLY, {"x": x}, x)
    elif act.kind == "disagree" and not act.role:
        yield Remark("disagreed", 5.8, REPLY, {"x": x}, x)
    elif act.kind == "disagree" and act.role == m.claimed:
        yield Remark("disbelieved", 6.4, REPLY, {"x": x, "r": m.pack.name(act.role)}, x)
    elif act.kind == "suspect" and not act.strength:
        kind = "rebut_tease" if m.bait else "called_names"
        yield Remark(kind, 6.0, REPLY, {"x": x, "r": m.pack.name(act.role)}, x)


def _to_me(
    m: Mindset, statement: Statement, act: SpeechAct, to_me: bool, last: bool
) -> Iterator[Remark]:
    """Return what was said to me of other things.

    A retraction is anybody's who speaks next.
    """
    x, kinds = act.speaker, {a.kind for a in statement.acts}
    if act.kind == "retract" and (to_me or last) and "report" not in kinds:
        yield Remark("note_retract", 7.7 if last else 6.0, REPLY, {"x": x}, x)
    if not to_me:
        return
    if act.kind == "claim" and not kinds & {"report", "companion", "retract"}:
        if m.pack.part(act.role) != "looker":  # of a look there is more to say
            yield Remark("note_claim", 4.7, REPLY, {"x": x, "r": m.pack.name(act.role)}, x)
    elif act.kind == "deny" and not kinds & {"claim", "retract"}:
        yield Remark("note_denial", 5.2, REPLY, {"x": x}, x)
    elif act.kind == "propose" and not m.dialogue.claimants(act.role):
        side = "with" if m.chance("agree to it", 50) else "against"
        if (part := m.pack.part(act.role)) in ("looker", "mate"):
            kind = f"{side}_{part}_{act.about}"
            yield Remark(kind, 5.6, REPLY, {"x": x}, x, act.role)
    elif act.strength and len(act.targets) == 1:
        y = act.targets[0]
        if y == m.mate:
            return
        if y == m.target:
            yield Remark("join_in", 5.4, REPLY, {"x": x, "t": y}, y)
        else:
            yield Remark("hold_back", 5.4, REPLY, {"x": x, "y": y}, y)
