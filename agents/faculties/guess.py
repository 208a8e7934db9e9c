"""Guess: an invented result of a look, from guessed roles (Impressions 6.1, A.6.2, SPEC 2.7)."""

from functools import partial
from typing import Any

from agents import contest
from agents.decision import BackendError, Decision, Faculty, Note, Reply, Send, request_note
from agents.faculties.talk_reading import latest_valid_note
from agents.packs import Pack

GUESS_KEYS = ("looker", "hunted")
# Value of the switch FAKERS -> parts of the roles that invent results.
PARTS_OF_FAKERS = {"helpers": ("helper",), "hunted": ("helper", "wolf")}


class GuessFaculty(Faculty):
    """Faculty that guesses the looker and a hunted player, and invents a result.

    Only an agent that claims to look has it (`fake_role`). The note is made when a day's talk
    opens: {"looker": seat or 0, "hunted": seat or 0, "why": {seat: [reason]}} and, with an invented
    result, {"role", "target", "result"}. The brief is the newest note.
    """

    name = contest.GUESS
    can_prepare = True
    switches = (contest.FAKERS, contest.FAKE_ROLE, contest.FAKE_RESULT)

    def is_due(self, decision: Decision) -> bool:
        has_vote = decision.ruleset.has_vote_on(decision.view.state.day)
        return decision.round >= 1 and has_vote and bool(fake_role(decision))

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        if not self.is_due(decision):
            return []
        brief = {
            contest.SUMMARY: latest_valid_note(decision, contest.SUMMARY),
            self.name: {"role": fake_role(decision), "options": guessable_seats(decision)},
        }
        parse_reply = partial(_parse_guesses, decision=decision)
        return request_note(send, decision, self.name, brief, parse_reply, is_prepared=True)

    def brief(self, decision: Decision) -> dict[str, Any]:
        return dict(decision.mind.latest(self.name)) if fake_role(decision) else {}


def fake_role(decision: Decision) -> str:
    """Return the looker role that the seat claims falsely, "" if it invents no results."""
    pack = decision.pack
    if pack.part(decision.view.role) not in PARTS_OF_FAKERS[decision.switch_value(contest.FAKERS)]:
        return ""
    return pack.looker_role(of_exiled=decision.switch_value(contest.FAKE_ROLE) == "exile")


def guessable_seats(decision: Decision) -> list[int]:
    """Return the other living seats whose role the agent does not know."""
    return [seat for seat in decision.living_others if seat not in decision.view.state.roles]


def _parse_guesses(reply: Reply, decision: Decision) -> dict[str, Any]:
    """Return the note's data, or raise BackendError for seats that cannot be guessed."""
    legal_seats = guessable_seats(decision)
    guesses = {key: int(reply.get(key) or 0) for key in GUESS_KEYS}
    if any(seat and seat not in legal_seats for seat in guesses.values()):
        names = ", ".join(map(decision.view.name, legal_seats))
        raise BackendError("illegal", f"choose among these: {names}")
    if guesses["looker"] and guesses["looker"] == guesses["hunted"]:
        raise BackendError("illegal", "choose two different players")
    return {**guesses, "why": dict(reply.get("why") or {}), **_invent_result(decision, guesses)}


def _invent_result(decision: Decision, guesses: dict[str, int]) -> dict[str, Any]:
    """Return the invented result {"role", "target", "result"}, {} if none follows."""
    pack, role = decision.pack, fake_role(decision)
    look = pack.look(role)
    reported = {note.data.get("target") for note in decision.mind.of(contest.GUESS)}
    if look is None or look.seats != 1:
        return {}
    hunted_answer, cleared = look.answer_for(pack.hunted), look.answer_for([pack.plain_role])
    if look.is_of_exiled:
        exiled = _last_exiled_seat(decision, pack)
        # The result is false: the exiled player is called hunted unless guessed to be so.
        candidates = [(exiled, cleared if exiled == guesses["hunted"] else hunted_answer)]
        reported = set()
    else:
        candidates = [(guesses["looker"], hunted_answer), (guesses["hunted"], cleared)]
    if decision.switch_value(contest.FAKE_RESULT) == "clear":
        candidates.reverse()
    unreported = ((seat, value) for seat, value in candidates if seat and seat not in reported)
    target, result = next(unreported, (0, ""))
    return {"role": role, "target": target, "result": result} if target else {}


def _last_exiled_seat(decision: Decision, pack: Pack) -> int:
    """Return the seat that was exiled on the day before, 0 for none."""
    from agents.talk.course import Course

    day = decision.view.state.day - 1
    exiled = Course.of(decision.view, pack.ruleset).exiled
    return next((exile.seat for exile in exiled if exile.when == day), 0)
