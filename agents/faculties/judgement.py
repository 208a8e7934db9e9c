"""Judgement: how likely everyone holds which role (SPEC 2.3).

What the house player argues from is computed exactly over the deals that remain possible. With
strategy on, the backend is asked for its own judgement once a round, whichever it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.faculties.favor import favor_of, others_of
from agents.mind import Note
from agents.packs import pack_of
from agents.repair import prepared
from game.engine.ruleset import team_of

LEAST = 0.01  # the smallest probability there is (SPEC 2.3)

Roles = dict[str, dict[str, float]]


class JudgementFaculty(Faculty):
    """Adds {"roles": {seat: {role: probability}}} to a brief.

    Seats as strings, four digits.
    """

    name = "judgement"

    def due(self, decision: Decision) -> bool:
        """From the second round on, where there is a strategy that asks for it."""
        return decision.round >= 2 and "strategy" in decision.faculties

    def brief(self, decision: Decision) -> dict[str, Any]:
        return {"roles": exact(decision)}


def exact(decision: Decision) -> Roles:
    """Return everyone's probabilities over the deals that remain possible for this seat."""
    # Only workers come here: a web process knows the faculties and never loads the understanding.
    from agents.dialogue import Dialogue
    from agents.likelihoods import Knowledge, clues, infer_roles

    pack = pack_of(decision.ruleset)
    talk_clues = clues(Dialogue.of(decision.view, pack))
    table = infer_roles(pack, Knowledge.of(decision.view, pack), talk_clues)
    return {str(s): {r: round(p, 4) for r, p in row.items()} for s, row in table.items()}


def request_judgement(decision: Decision, ask: Ask) -> list[Note]:
    """Return the backend's judgement of the talk so far, as a note.

    A note of the failure where it gives none.

    Noted: {"roles": {seat: {role: 0.01..1}}, "list": as `most_probable` gives it}; seats as
    strings. What this seat knows for certain is put in, whatever the reply says of it.
    """
    brief = favor_of(decision)
    result, failed = prepared(
        ask, decision, "judgement", brief, lambda reply: _roles(reply, decision)
    )
    if result is None:
        return failed  # the list of the round before stands
    roles = {**result.taken, **certain(decision)}
    data = {"roles": roles, "list": most_probable(roles, decision)}
    return [Note("judgement", decision.began, data)]


def certain(decision: Decision) -> Roles:
    """Return {seat: {role: 1.0}} of the others whose role this seat knows.

    Seats as strings.
    """
    known = known_roles(decision)
    return {str(s): {known[s]: 1.0} for s in others_of(decision) if s in known}


def known_roles(decision: Decision) -> dict[int, str]:
    """Seat -> role of all whose role this seat knows.

    Its own, those it was told, and those that a look of its own at one player tells.
    """
    # As in `exact`: a web process never loads the understanding.
    from agents.likelihoods import looks_of

    view, pack = decision.view, pack_of(decision.ruleset)
    roles = dict(view.state.roles)
    for look in looks_of(view, pack):
        role, is_held = pack.tells(look)
        if role and is_held and len(look.targets) == 1:
            roles[look.targets[0]] = role
    return roles


def unknown_roles(decision: Decision) -> Counter[str]:
    """Return how often each role may be among the players whose role this seat does not know."""
    return Counter(decision.ruleset.deck) - Counter(known_roles(decision).values())


def most_probable(roles: Mapping[str, Mapping[str, float]], decision: Decision) -> dict[str, Any]:
    """F_P of equation (8).

    Each player's most probable role, and whether it is of one's own team.

    Those who tie or are missing count as of the ruleset's usual role. Beside it, ours, for who
    reads the list: `top`, the two likeliest roles with their probabilities, and `share`, how much
    of the whole lies on roles of one's own team; both are left out where nothing was said of the
    player.
    """
    ruleset = decision.ruleset
    default = ruleset.usual or ruleset.deck[0]
    own = team_of(ruleset, decision.view.role)
    probable: dict[str, dict[str, Any]] = {}
    for seat in others_of(decision):
        row = roles.get(str(seat), {})
        best = max(row.values(), default=0.0)
        top = [role for role, p in row.items() if p == best]
        role = top[0] if len(top) == 1 else default
        side = "teammate" if team_of(ruleset, role) == own else "opponent"
        probable[str(seat)] = {"role": role, "side": side}
        if row:
            likeliest = sorted(row.items(), key=lambda cell: -cell[1])[:2]
            mine = sum(p for r, p in row.items() if team_of(ruleset, r) == own)
            probable[str(seat)]["top"] = [[r, round(p, 4)] for r, p in likeliest]
            probable[str(seat)]["share"] = round(mine / sum(row.values()), 4)
    return probable


def _normalised(row: Mapping[str, float], possible: Counter[str]) -> dict[str, float]:
    """Return a row over all roles that may be left, which sums to 1.

    Models give rows that sum to 3, which read as certainty of several roles. Roles that the row
    leaves out share what it leaves of 1, by how many of them there may be.
    """
    clamped = {role: min(1.0, max(LEAST, p)) for role, p in row.items()}
    missing = {role: n for role, n in possible.items() if role not in row}
    rest = max(0.0, 1.0 - sum(clamped.values())) / max(1, sum(missing.values()))
    full = {**clamped, **{role: max(LEAST, rest * n) for role, n in missing.items()}}
    total = sum(full.values())
    return {role: round(p / total, 4) for role, p in full.items()}


def _roles(reply: Reply, decision: Decision) -> Roles:
    """Return the reply's probabilities. BackendError where it holds anything else."""
    role_rows = reply.get("roles")
    if not isinstance(role_rows, Mapping):
        raise BackendError("unusable", "no roles")
    seats, roles = {str(s) for s in others_of(decision)}, set(decision.ruleset.deck)
    possible = unknown_roles(decision)
    found: Roles = {}
    for seat, row in role_rows.items():
        if str(seat) not in seats or not isinstance(row, Mapping):
            raise BackendError("unusable", f"no player {seat!r}")
        for role, p in row.items():
            if role not in roles or isinstance(p, bool) or not isinstance(p, int | float):
                raise BackendError("unusable", f"no probability of a role: {role!r}: {p!r}")
        row = {r: float(p) for r, p in row.items() if r in possible}
        if row:
            found[str(seat)] = _normalised(row, possible)
    if not found:
        raise BackendError("unusable", "nobody was judged")
    return found
