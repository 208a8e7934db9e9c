"""Vote inducing with the last words of a day, and talk in its form (Impressions 6, 7, A.4)."""

from __future__ import annotations

from typing import Any

from agents import contest
from agents.decision import Decision, Reply
from agents.faculties import Faculty
from agents.faculties.strategy import seeds
from agents.mind import Note
from agents.packs import pack_of
from game.engine.forms import Action
from game.engine.windows import Answer


class InducingFaculty(Faculty):
    """Faculty that presses one player with the last words of a day (`agents.vote_inducing`).

    Brief: {"target", "manner", "last": whether these are the last permitted words; else they are
    spoken only if the agent is done}. Note of an attempt: {"day", "role", "manner", "target",
    "last", "names", "asks"}, the last two read by rule from its words.
    """

    name = contest.INDUCING
    switches = (contest.MANNER, contest.MOMENT)

    def brief(self, decision: Decision) -> dict[str, Any]:
        last = decision.talks_left <= 1
        moment = decision.switch(contest.MOMENT)
        is_time = moment != "off" and (last or moment == "over")
        day = decision.view.state.day
        has_tried = any(note.data["day"] == day for note in decision.mind.of(self.name))
        votes = decision.ruleset.votes_on(day)
        if has_tried or not (is_time and votes and decision.in_talk):
            return {}
        from agents.vote_inducing import target

        seat = target(decision)
        manner = decision.switch(contest.MANNER)
        return {"target": seat, "manner": manner, "last": last} if seat else {}

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        offer, text = self.brief(decision), str(reply.get("text") or "")
        if not offer or not text or not (offer["last"] or reply.get("closing")):
            return []
        from agents.vote_inducing import reading_of

        read = reading_of(text, offer["target"], decision)
        data = {"day": decision.view.state.day, "role": decision.view.role, **offer, **read}
        return [Note(self.name, decision.moment, data, decision.window.key)]


class ConversationFaculty(Faculty):
    """Faculty that speaks in the contest's form: what all hear, and a word to one player.

    Brief: {"advice": [what players of its role do, …]}. A note {"closed": day} is made when the
    agent speaks and says that it is done: then it says Over when it is asked again that day.
    """

    name = contest.CONVERSATION
    switches = (contest.REQUESTS,)

    def brief(self, decision: Decision) -> dict[str, Any]:
        votes = decision.ruleset.votes_on(decision.view.state.day)
        # Before there is a vote there are no results to tell either, of which the advice speaks.
        return {
            "advice": list(seeds(decision.view.role, pack_of(decision.ruleset))) if votes else []
        }

    def decide(self, decision: Decision) -> Answer | None:
        is_closed = decision.mind.latest(self.name).get("closed") == decision.view.state.day
        return Answer(Action("over")) if is_closed and decision.in_talk else None

    def learned(self, decision: Decision, reply: Reply) -> list[Note]:
        if not reply.get("closing") or not decision.in_talk:
            return []
        data = {"closed": decision.view.state.day}
        return [Note(self.name, decision.moment, data, decision.window.key)]
