"""Sharing: claims that the hunted tell each other once, in whispers (Impressions 6.2, A.10)."""

from __future__ import annotations

from typing import Any

from agents import contest
from agents.decision import Decision, Reply
from agents.faculties import Faculty
from agents.mind import Note
from agents.packs import pack_of
from game.engine.forms import Speech


class SharingFaculty(Faculty):
    """Faculty that adds to a whisper the claims by likely enemies that were not told before.

    Brief: {"untold": [{"seat", "role", "targets", "result"}, …], "told": claimants that it has
    whispered of, "partners": [seat, …]}. A note {"told": rows} is made when it whispers of them.
    """

    name = contest.SHARING

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not whispers(decision):
            return {}
        shared_seats = sorted({row["seat"] for row in _shared_rows(decision)})
        return {"untold": untold(decision), "told": shared_seats, "partners": _partners(decision)}

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        text = str(reply.get("text") or "")
        if not whispers(decision) or not text:
            return []
        from agents.understanding.normalise import seats_named

        named_seats = seats_named(text, decision.view.state.seats)
        shared_rows = [row for row in untold(decision) if row["seat"] in named_seats]
        data = {"told": shared_rows}
        return [Note(self.name, decision.moment, data, decision.window.key)] if shared_rows else []


def whispers(decision: Decision) -> bool:
    """Check whether the window is talk that only some hear."""
    return isinstance(decision.window.legal, Speech) and not decision.window.is_public_speech


def _partners(decision: Decision) -> list[int]:
    state = decision.view.state
    holders = set(state.holders(decision.view.role)) - {decision.seat}
    return [seat for seat in state.living() if seat in holders]


def _shared_rows(decision: Decision) -> list[dict[str, Any]]:
    return [row for note in decision.mind.of(contest.SHARING) for row in note.data["told"]]


def untold(decision: Decision) -> list[dict[str, Any]]:
    """Return the claims of looking roles and results by the living that are no partners.

    Left out is what the agent has told, and who a partner has whispered of.
    """
    from agents.claims.claim_reading import dialogue_of
    from agents.understanding.normalise import seats_named

    pack, view = pack_of(decision.ruleset), decision.view
    shared_rows = _shared_rows(decision)
    whispered = set[int]()
    for event in view.events:
        if event.kind == decision.window.kind and event.data.get("seat") != decision.seat:
            whispered |= set(seats_named(event.data.get("text") or "", view.state.seats))
    dialogue = dialogue_of(decision)
    rows = []
    for seat, role in dialogue.claims.items():
        if seat not in view.state.living() or seat in view.state.roles:
            continue
        if pack.part(role) != "looker" or seat in whispered:
            continue
        results = dialogue.looks.get(seat, ())
        rows += [
            {"seat": seat, "role": role, "targets": list(r.targets), "result": r.value}
            for r in results
        ] or [{"seat": seat, "role": role, "targets": [], "result": ""}]
    return [row for row in rows if row not in shared_rows]
