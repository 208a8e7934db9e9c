"""Sharing: claims that the hunted pass on to partners by whisper (Impressions 6.2, A.10).

Functions import the claim reading late, because a web process loads the faculties and must not load
the understanding of talk, which only workers need.
"""

from __future__ import annotations

from typing import Any

from agents import contest
from agents.decision import Decision, Reply
from agents.faculties import Faculty
from agents.mind import Note
from agents.packs import pack_of
from game.engine.forms import Speech


class SharingFaculty(Faculty):
    """Faculty that offers a whisper the claims of likely enemies that were not shared before.

    Brief:

    - "untold": [{"seat", "role", "targets", "result"}, …], the claims not shared yet
    - "told": [seat, …], the claimants whose claims the agent has shared
    - "partners": [seat, …], the living partners

    A note {"told": rows} is made when the agent's whisper names their claimants.
    """

    name = contest.SHARING

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not is_whisper_window(decision):
            return {}
        shared_seats = sorted({row["seat"] for row in _shared_rows(decision)})
        return {
            "untold": unshared_claims(decision),
            "told": shared_seats,
            "partners": _partners(decision),
        }

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        text = str(reply.get("text") or "")
        if not is_whisper_window(decision) or not text:
            return []
        from agents.understanding.normalise import seats_named

        named_seats = seats_named(text, decision.view.state.seats)
        shared_rows = [row for row in unshared_claims(decision) if row["seat"] in named_seats]
        data = {"told": shared_rows}
        return [Note(self.name, decision.moment, data, decision.window.key)] if shared_rows else []


def is_whisper_window(decision: Decision) -> bool:
    """Check whether the window asks for a statement that only some players hear."""
    return isinstance(decision.window.legal, Speech) and not decision.window.is_public_speech


def _partners(decision: Decision) -> list[int]:
    state = decision.view.state
    holders = set(state.holders(decision.view.role)) - {decision.seat}
    return [seat for seat in state.living() if seat in holders]


def _shared_rows(decision: Decision) -> list[dict[str, Any]]:
    return [row for note in decision.mind.of(contest.SHARING) for row in note.data["told"]]


def unshared_claims(decision: Decision) -> list[dict[str, Any]]:
    """Return unshared claims to a looker role, one row per reported result.

    The claimants are living players whose role the agent does not know. Claims that the agent has
    shared, and claimants whom a partner has named in a whisper, are excluded.

    Returns:
        rows {"seat", "role", "targets", "result"}. A claim without a result is one row with empty
        targets and result.
    """
    from agents.claims.claim_reading import dialogue_of
    from agents.understanding.normalise import seats_named

    pack, view = pack_of(decision.ruleset), decision.view
    shared_rows = _shared_rows(decision)
    seats_named_by_partners = set[int]()
    for event in view.events:
        if event.kind == decision.window.kind and event.data.get("seat") != decision.seat:
            seats_named_by_partners |= set(
                seats_named(event.data.get("text") or "", view.state.seats)
            )
    dialogue = dialogue_of(decision)
    rows = []
    for seat, role in dialogue.claims.items():
        if seat not in view.state.living() or seat in view.state.roles:
            continue
        if pack.part(role) != "looker" or seat in seats_named_by_partners:
            continue
        results = dialogue.looks.get(seat, ())
        rows += [
            {"seat": seat, "role": role, "targets": list(r.targets), "result": r.value}
            for r in results
        ] or [{"seat": seat, "role": role, "targets": [], "result": ""}]
    return [row for row in rows if row not in shared_rows]
