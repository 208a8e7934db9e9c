"""Strategy: a judgement of each player once per round, and a plan based on it (SPEC 2.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.decision import Ask, BackendError, Decision, Note, Reply, send_preparation_request
from agents.faculties import Faculty, judgement
from agents.faculties.favor import optional_favor_brief
from agents.packs import Pack, pack_of
from game.engine.text_checks import count_words

GENERAL_SEEDS = ("listen, compare what is claimed, and keep to your own words",)
MAX_PLAN_WORDS = 80


class StrategyFaculty(Faculty):
    """Faculty that notes {"plan": str of at most MAX_PLAN_WORDS words}.

    Brief: {"plan", "list": as `judgement.most_probable_roles` returns it}.
    """

    name = "strategy"
    can_prepare = True

    def is_due(self, decision: Decision) -> bool:
        return decision.round >= 1

    def prepare(self, decision: Decision, ask: Ask) -> list[Note]:
        """Return the note of a plan for the round, after that of the judgement it is based on.

        The first round has no talk to judge: its plan is based on the role's seed strategies alone.
        """
        notes = judgement.request_judgement(decision, ask) if decision.round >= 2 else []
        decision = replace(decision, mind=decision.mind.plus(notes))  # the plan uses the judgement
        seeds = list(strategy_seeds(decision.view.role, pack_of(decision.ruleset)))
        strategy = {"list": decision.mind.latest("judgement").get("list", {}), "ways": seeds}
        brief = {**optional_favor_brief(decision), "strategy": strategy}
        result, failure_notes = send_preparation_request(
            ask, decision, self.name, brief, _parse_plan
        )
        if result is None:
            return [*notes, *failure_notes]  # the previous round's plan stays valid
        moment = decision.round_start
        notes += [Note(n["faculty"], moment, n["data"]) for n in result.reply.get("notes", [])]
        return [*notes, Note(self.name, moment, {"plan": result.value})]

    def brief(self, decision: Decision) -> dict[str, Any]:
        plan = decision.mind.latest(self.name).get("plan", "")
        return {"plan": plan, "list": decision.mind.latest("judgement").get("list", {})}


def strategy_seeds(role: str, pack: Pack) -> tuple[str, ...]:
    """Return the seed strategies of `role`, or general ones if it has none."""
    return pack.data.strategy_seeds.get(role, GENERAL_SEEDS)


def _parse_plan(reply: Reply) -> str:
    """Return the plan, cut to MAX_PLAN_WORDS, or raise BackendError if there is none."""
    plan = reply.get("plan")
    # A model may repeat the placeholder of the example, "…".
    if not isinstance(plan, str) or not any(c.isalnum() for c in plan):
        raise BackendError("unusable", "no plan")
    if count_words(plan) <= MAX_PLAN_WORDS:
        return plan.strip()
    return " ".join(plan.split()[:MAX_PLAN_WORDS])
