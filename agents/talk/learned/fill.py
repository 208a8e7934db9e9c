"""What rules leave silent, filled by what was learned; what they find very unlikely, taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from agents.talk.acts import Act, Kind
from agents.talk.learned.features import features, named, seen_from, tokens
from agents.talk.learned.linear import Learned, learned
from agents.talk.questions import about

TAKEN = "taken"  # a suspicion of holding a role of the wolf's side, as a kind of its own
# kind -> what was said of the same seat already that leaves no room for it
_EXCLUDED_BY: Mapping[Kind, frozenset[str]] = {
    "accuse": frozenset(("accuse", "defend", TAKEN, "companion")),
    "suspect": frozenset(("suspect", "accuse", "defend", TAKEN, "companion")),
    "defend": frozenset(("defend", "accuse", "suspect", "agree", "companion", "report")),
    "agree": frozenset(("agree", "accuse", "disagree", "defend", "suspect", "companion")),
    "disagree": frozenset(("disagree", "accuse", "agree", "suspect", "companion")),
    "vote": frozenset(("vote", "defend")),
    "question": frozenset(("question",)),
}
# what an accusation says already, or stands against
_LESS = frozenset(("suspect", "disagree", "agree"))
OVER = 1.0  # the least score of an accusation in place of what rules found
ELSEWHERE = 1.5  # added to a threshold where rules found the kind of others, or a question to it
# what leaves no room for a claim
_FACTS = frozenset(("claim", "companion", "retract", "report"))
_ACT_ROLES = {"wolf": "werewolf"}


def filled(
    acts: Sequence[Act], text: str, speaker: int, seats: Sequence[str], to: int = 0
) -> list[Act]:
    """`acts`, which rules found in `text`, with what was learned."""
    known = learned()
    words = tokens(text, seats, speaker, known.roles)
    found = list(acts)
    if not words:
        return found
    spoken_to = [to] if to and to != speaker else []
    for seat in dict.fromkeys(named(words, len(seats)) + spoken_to):
        found = _of_seat(found, known, acts, words, speaker, seat)
    return _of_itself(found, known, words, speaker)


def scores(known: Learned, family: str, target: str, words: Sequence[str]) -> dict[str, float]:
    """kind -> log odds that `words` say it of `target` (`@3`, a role, "" for the whole)."""
    roles = frozenset(known.roles.values()) if family == "role" else frozenset[str]()
    return known.models[family].scores(features(seen_from(target, words, roles), known.classes))


def _of_seat(
    acts: list[Act],
    known: Learned,
    ruled: Sequence[Act],
    words: Sequence[str],
    speaker: int,
    seat: int,
) -> list[Act]:
    """`acts` with what is said of `seat`; ruled: what rules found."""
    likely = scores(known, "seat", f"@{seat}", words)
    elsewhere = {_kind(act) for act in ruled if set(act.targets) - {seat}}
    have = {_kind(act) for act in acts if seat in act.targets}
    for kind in sorted(_EXCLUDED_BY, key=lambda k: (-likely[k], k)):
        least = known.add[kind]
        if kind in elsewhere or "question" in have:
            least += ELSEWHERE
        if kind == "accuse" and have & _LESS:
            least = max(least, OVER)
        if likely[kind] < least or have & _EXCLUDED_BY[kind]:
            continue
        if kind == "accuse":
            acts = [part for act in acts for part in _without(act, seat)]
        have.add(kind)
        topic = about(" ".join(words)) if kind == "question" else ""
        acts = [*acts, Act(kind, speaker, (seat,), about=topic)]
    return acts


def _kind(act: Act) -> str:
    return TAKEN if act.kind == "suspect" and act.role not in ("", "werewolf") else act.kind


def _without(act: Act, seat: int) -> Iterator[Act]:
    """`act` without `seat`, where an accusation of `seat` says it already."""
    if _kind(act) not in _LESS or seat not in act.targets or (act.role and act.kind == "disagree"):
        yield act
    elif left := tuple(t for t in act.targets if t != seat):
        yield replace(act, targets=left)


def _of_itself(acts: list[Act], known: Learned, words: Sequence[str], speaker: int) -> list[Act]:
    """`acts` with the roles the speaker claims, denies, takes back or wants to hear of."""
    kinds = {act.kind for act in acts}
    if "retract" not in kinds:
        likely = scores(known, "line", "", words)["retract"]
        if likely >= known.add["retract"]:
            acts = [*acts, Act("retract", speaker)]
    for role in sorted(set(words) & set(known.roles.values())):
        likely_of = scores(known, "role", role, words)
        sure = {kind for kind, score in likely_of.items() if score >= known.add[kind]}
        if likely_of["claim"] < known.drop.get(f"claim {role}", -99.0):
            acts = [a for a in acts if (a.kind, a.role) != ("claim", _ACT_ROLES.get(role, role))]
        acts = [*acts, *_of_role(sure, kinds, speaker, role)]
    return acts


def _of_role(sure: set[str], kinds: set[str], speaker: int, role: str) -> Iterator[Act]:
    """The acts of the `sure` kinds that `kinds`, found by rules, leave room for."""
    name = _ACT_ROLES.get(role, role)
    if "claim" in sure and not kinds & _FACTS:
        yield Act("claim", speaker, role=name)
    elif "deny" in sure and not kinds & {"deny", "claim", "companion"}:
        yield Act("deny", speaker, role=name)
    for what in ("speak", "wait"):
        if what in sure and "propose" not in kinds:
            yield Act("propose", speaker, role=name, about=what)
