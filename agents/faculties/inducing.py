"""Vote inducing, and the end of the contest agent's talk of a day (Impressions 6, 7 and A.4)."""

from typing import Any

from agents import contest
from agents.decision import Decision, Note, Reply
from agents.faculties import Faculty
from agents.faculties.judgement import strategy_seeds
from game.engine.actions import Action
from game.engine.windows import Answer


class InducingFaculty(Faculty):
    """Faculty that presses one player with the last talk of a day (`agents.vote_inducing`).

    - Brief: {"target": seat, "manner": value of the switch, "last": whether this is the last
      permitted talk}. If it is not, the agent induces votes only if it ends its talk of the day
      with this statement.
    - Note of an attempt: the brief with {"day", "role"} and {"names", "asks"}, which
      `vote_inducing.read_attempt` reads by rule from the statement.
    """

    name = contest.INDUCING
    switches = (contest.INDUCING_MANNER, contest.INDUCING_MOMENT)

    def brief(self, decision: Decision) -> dict[str, Any]:
        is_last = decision.talks_left <= 1
        moment = decision.switch_value(contest.INDUCING_MOMENT)
        is_due = moment != "off" and (is_last or moment == "over")
        day = decision.view.state.day
        has_tried = any(note.data["day"] == day for note in decision.mind.of(self.name))
        if has_tried or not (is_due and decision.ruleset.has_vote_on(day) and decision.is_in_talk):
            return {}
        from agents.vote_inducing import draw_target

        seat = draw_target(decision)
        manner = decision.switch_value(contest.INDUCING_MANNER)
        return {"target": seat, "manner": manner, "last": is_last} if seat else {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        brief, text = self.brief(decision), str(reply.get("text") or "")
        if not brief or not text or not (brief["last"] or reply.get("closing")):
            return []
        from agents.vote_inducing import read_attempt

        attempt = read_attempt(text, brief["target"], decision)
        data = {"day": decision.view.state.day, "role": decision.view.role, **brief, **attempt}
        return [Note(self.name, decision.moment, data, decision.window.key)]


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
