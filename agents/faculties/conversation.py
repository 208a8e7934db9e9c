"""The contest agent's talk: the end of its talk of a day, and claims that it shares in whispers.

Impressions 6.2, A.4 and A.10.
"""

from typing import Any

from agents import contest
from agents.decision import Decision, Faculty, Note, Reply
from agents.faculties.judgement import strategy_seeds
from game.engine.events import Action
from game.engine.windows import Answer


class ConversationFaculty(Faculty):
    """Faculty for the contest's form of a statement, and the end of a day's talk.

    - Brief: {"advice": [the role's seed strategies]}.
    - Note {"closed": day}: made when the agent declares its talk of the day ended. From then on it
      answers Over on that day.
    """

    name = contest.CONVERSATION
    switches = (contest.REQUESTS,)

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not decision.ruleset.has_vote_on(decision.view.state.day):
            return {"advice": []}  # seeds are about results, which do not exist on such a day
        return {"advice": strategy_seeds(decision)}

    def decide(self, decision: Decision) -> Answer | None:
        is_closed = decision.mind.latest(self.name).get("closed") == decision.view.state.day
        return Answer(Action("over")) if is_closed and decision.is_in_talk else None

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if not reply.get("closing") or not decision.is_in_talk:
            return []
        data = {"closed": decision.view.state.day}
        return [Note(self.name, decision.moment, data, decision.window.key)]


class SharingFaculty(Faculty):
    """Faculty that finds the claims of likely enemies that no partner has shared yet.

    Brief:

    - "unshared_claims": [{"seat", "role", "targets", "result"}, …], as `unshared_claims`
      returns them
    - "shared_seats": [seat, …], the claimants whose claims the agent has shared
    - "partner_seats": [seat, …], the living other holders of the agent's role

    Note: {"told": rows}, made when the agent's whisper names their claimants.
    """

    name = contest.SHARING

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not decision.is_whisper:
            return {}
        partners = decision.view.state.holders(decision.view.role)
        return {
            "unshared_claims": unshared_claims(decision),
            "shared_seats": sorted({row["seat"] for row in _shared_claims(decision)}),
            "partner_seats": [seat for seat in decision.living_others if seat in partners],
        }

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        text = str(reply.get("text") or "")
        if not decision.is_whisper or not text:
            return []
        from agents.understanding.normalise import find_named_seats

        named_seats = find_named_seats(text, decision.view.state.seats)
        shared_claims = [row for row in unshared_claims(decision) if row["seat"] in named_seats]
        note = Note(self.name, decision.moment, {"told": shared_claims}, decision.window.key)
        return [note] if shared_claims else []


def unshared_claims(decision: Decision) -> list[dict[str, Any]]:
    """Return the claims of looker roles that neither the agent nor a partner has shared.

    The claimants are living players whose role the agent does not know. A partner has shared a
    claim once it has named the claimant in a whisper. There is a row for each reported result. A
    claim without a result is one row with empty targets and result.
    """
    from agents.claims.claim_reading import dialogue_of
    from agents.understanding.normalise import find_named_seats

    pack, view = decision.pack, decision.view
    shared_claims = _shared_claims(decision)
    seats_named_by_partners = set[int]()
    for event in view.events:
        if event.kind == decision.window.kind and event.data.get("seat") != decision.seat:
            text = event.data.get("text") or ""
            seats_named_by_partners |= set(find_named_seats(text, view.state.seats))
    dialogue = dialogue_of(decision)
    rows = []
    for seat, role in dialogue.claims.items():
        if seat not in view.state.living() or seat in view.state.roles:
            continue
        if pack.part(role) != "looker" or seat in seats_named_by_partners:
            continue
        rows += [
            {"seat": seat, "role": role, "targets": list(r.targets), "result": r.value}
            for r in dialogue.looks.get(seat, ())
        ] or [{"seat": seat, "role": role, "targets": [], "result": ""}]
    return [row for row in rows if row not in shared_claims]


def _shared_claims(decision: Decision) -> list[dict[str, Any]]:
    return [row for note in decision.mind.of(contest.SHARING) for row in note.data["told"]]
