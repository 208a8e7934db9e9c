"""Strategy: once per round a judgement of everyone, and a plan based on it (SPEC 2.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.decision import Ask, BackendError, Decision, Reply
from agents.faculties import Faculty, judgement
from agents.faculties.favor import favor_of
from agents.mind import Note
from agents.packs import Pack, pack_of
from agents.repair import request_prepared
from game.engine.text_checks import count_words

GENERAL = ("listen, compare what is claimed, and keep to your own words",)


def seeds(role: str, pack: Pack) -> tuple[str, ...]:
    """Return the seed strategies of `role`, or general ones if it has none."""
    return pack.data.strategy_seeds.get(role, GENERAL)


MOST_WORDS = 80


class StrategyFaculty(Faculty):
    """Faculty that notes {"plan": str of at most 80 words}.

    It adds the plan to the brief, with the judgement's list.
    """

    name = "strategy"
    prepares = True

    def due(self, decision: Decision) -> bool:
        return decision.round >= 1

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Make a plan for the round.

        From the second round on, the talk is judged first. In the first round only the role's seed
        strategies are available.
        """
        notes = judgement.request_judgement(decision, ask) if decision.round >= 2 else []
        decision = replace(decision, mind=decision.mind.plus(notes))  # the plan uses the judgement
        role_list = decision.mind.latest("judgement").get("list", {})
        seeds_of_role = list(seeds(decision.view.role, pack_of(decision.ruleset)))
        brief = {**favor_of(decision), "strategy": {"list": role_list, "ways": seeds_of_role}}
        result, failed = request_prepared(ask, decision, self.name, brief, _plan)
        if result is None:
            return [*notes, *failed]  # the previous round's plan stays valid
        kept_notes = [
            Note(n["faculty"], decision.began, n["data"]) for n in result.reply.get("notes", [])
        ]
        return [*notes, *kept_notes, Note(self.name, decision.began, {"plan": result.value})]

    def brief(self, decision: Decision) -> dict[str, Any]:
        plan = decision.mind.latest(self.name).get("plan", "")
        return {"plan": plan, "list": decision.mind.latest("judgement").get("list", {})}


def _plan(reply: Reply) -> str:
    """Return the reply's plan, cut to 80 words. Raises BackendError if there is none."""
    plan = reply.get("plan")
    # "…" is the example's placeholder
    if not isinstance(plan, str) or not any(c.isalnum() for c in plan):
        raise BackendError("unusable", "no plan")
    words = plan.split()
    return plan.strip() if count_words(plan) <= MOST_WORDS else " ".join(words[:MOST_WORDS])
