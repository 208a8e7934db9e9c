"""Guess and invented result of who poses as a looker (Impressions 6.1, A.6.2 and 9.1, SPEC 2.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents import contest
from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty
from agents.faculties.summary import standing
from agents.mind import Note
from agents.packs import Pack, pack_of
from agents.repair import request_note

GUESSES = ("looker", "hunted")


class GuessFaculty(Faculty):
    """Faculty that guesses the true looker and a hunted player, and invents a result from it.

    Notes: {"looker": seat or 0, "hunted": seat or 0, "why": {seat: [reason]}} and, if a result
    follows, {"role", "target", "result"}. It is made when a day's talk opens. The brief is the
    newest note, and nothing if its target is out.
    """

    name = contest.GUESS
    prepares = True
    switches = (contest.FAKERS, contest.FAKE_ROLE, contest.FAKE_RESULT)

    def due(self, decision: Decision) -> bool:
        votes = decision.ruleset.votes_on(decision.view.state.day)
        return decision.round >= 1 and votes and bool(fake_role(decision))

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        if not self.due(decision):
            return []
        brief = {
            contest.SUMMARY: standing(decision, contest.SUMMARY),
            self.name: {"role": fake_role(decision), "options": options(decision)},
        }
        return request_note(ask, decision, self.name, brief, _taker(decision), prepared=True)

    def brief(self, decision: Decision) -> dict[str, Any]:
        return dict(decision.mind.latest(self.name)) if fake_role(decision) else {}


def fake_role(decision: Decision) -> str:
    """Return the role that the seat claims falsely, "" if it is not to invent results."""
    pack = pack_of(decision.ruleset)
    fakers = ("helper",) if decision.switch(contest.FAKERS) == "helpers" else ("helper", "wolf")
    if pack.part(decision.view.role) not in fakers:
        return ""
    of_exiled = decision.switch(contest.FAKE_ROLE) == "exile"
    looks = ((role, pack.look(role)) for role in pack.roles("looker"))
    return next((r for r, look in looks if look and look.is_of_exiled == of_exiled), "")


def options(decision: Decision) -> list[int]:
    """Return whom the seat may guess: the living but itself and known partners."""
    known_roles = decision.view.state.roles
    return [
        seat for seat in decision.view.state.living() if seat not in {decision.seat, *known_roles}
    ]


def _taker(decision: Decision) -> Callable[[Reply], dict[str, Any]]:
    legal = options(decision)

    def take(reply: Reply) -> dict[str, Any]:
        guesses = {key: int(reply.get(key) or 0) for key in GUESSES}
        if any(seat and seat not in legal for seat in guesses.values()):
            names = ", ".join(decision.view.name(seat) for seat in legal)
            raise BackendError("illegal", f"choose among these: {names}")
        if guesses["looker"] and guesses["looker"] == guesses["hunted"]:
            raise BackendError("illegal", "choose two different players")
        return {**guesses, "why": dict(reply.get("why") or {}), **_result(decision, guesses)}

    return take


def _result(decision: Decision, guesses: dict[str, int]) -> dict[str, Any]:
    """Return the invented result {"role", "target", "result"}, {} if none follows.

    Who was reported before is not reported again.
    """
    pack, role = pack_of(decision.ruleset), fake_role(decision)
    look = pack.look(role)
    reported = {note.data.get("target") for note in decision.mind.of(contest.GUESS)}
    if look is None or look.seats != 1:
        return {}
    hunted_answer, cleared = look.answer_for(pack.hunted), look.answer_for([pack.plain_role])
    if look.is_of_exiled:
        exiled = _exiled_last(decision, pack)
        is_found = exiled != guesses["hunted"]  # it was of the village: say that it was hunted
        result = hunted_answer if is_found else cleared
        return {"role": role, "target": exiled, "result": result} if exiled else {}
    first = [(guesses["looker"], hunted_answer), (guesses["hunted"], cleared)]
    if decision.switch(contest.FAKE_RESULT) == "clear":
        first.reverse()
    chosen = ((seat, value) for seat, value in first if seat and seat not in reported)
    target, result = next(chosen, (0, ""))
    return {"role": role, "target": target, "result": result} if target else {}


def _exiled_last(decision: Decision, pack: Pack) -> int:
    from agents.talk.course import Course

    day = decision.view.state.day - 1
    exiled = Course.of(decision.view, pack.ruleset).exiled
    return next((h.seat for h in exiled if h.when == day), 0)
