"""Judgement and strategy: how likely each player holds each role, and a plan (SPEC 2.3).

The house player argues from exact probabilities over the deals that remain possible. An agent with
strategy also requests a judgement from its backend once per round, and a plan based on it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from agents.decision import (
    BackendError,
    Decision,
    Faculty,
    Note,
    Reply,
    Request,
    Send,
    failed_preparation_note,
    send_with_repair,
)
from agents.faculties.favor import optional_favor_brief
from game.engine.ruleset import team_of
from game.engine.text_checks import count_words

GENERAL_SEEDS = ("listen, compare what is claimed, and keep to your own words",)
MAX_PLAN_WORDS = 80
MIN_PROBABILITY = 0.01  # the smallest probability in a row (SPEC 2.3)

Roles = dict[str, dict[str, float]]  # seat -> role -> probability


class JudgementFaculty(Faculty):
    """Faculty that adds {"roles": {seat: {role: probability}}} to a brief.

    Seats are strings and probabilities have four digits.
    """

    name = "judgement"

    def is_due(self, decision: Decision) -> bool:
        """Return whether the agent has a strategy and there was a round of talk to judge."""
        return decision.round >= 2 and "strategy" in decision.faculties

    def brief(self, decision: Decision) -> dict[str, Any]:
        return {"roles": exact_role_probabilities(decision)}


class StrategyFaculty(Faculty):
    """Faculty that notes {"plan": str of at most MAX_PLAN_WORDS words}.

    Brief: {"plan", "list": as `most_probable_roles` returns it}.
    """

    name = "strategy"
    can_prepare = True

    def is_due(self, decision: Decision) -> bool:
        return decision.round >= 1

    def prepare(self, decision: Decision, send: Send) -> list[Note]:
        """Return the note of a plan for the round, after that of the judgement it is based on.

        The first round has no talk to judge: its plan is based on the role's seed strategies alone.
        """
        notes = request_judgement(decision, send) if decision.round >= 2 else []
        decision = replace(decision, mind=decision.mind.plus(notes))  # the plan uses the judgement
        probable_roles = decision.mind.latest("judgement").get("list", {})
        strategy = {"list": probable_roles, "ways": strategy_seeds(decision)}
        brief = {**optional_favor_brief(decision), "strategy": strategy}
        request = Request(self.name, decision, brief)
        try:
            result = send_with_repair(send, self.name, request, _parse_plan)
        except BackendError as error:  # the previous round's plan stays valid
            return [*notes, failed_preparation_note(decision, self.name, error.cause)]
        moment = decision.round_start
        notes += [Note(n["faculty"], moment, n["data"]) for n in result.reply.get("notes", [])]
        return [*notes, Note(self.name, moment, {"plan": result.value})]

    def brief(self, decision: Decision) -> dict[str, Any]:
        plan = decision.mind.latest(self.name).get("plan", "")
        return {"plan": plan, "list": decision.mind.latest("judgement").get("list", {})}


def exact_role_probabilities(decision: Decision) -> Roles:
    """Return each player's role probabilities over the deals that the seat holds possible."""
    from agents.deduction.likelihoods import Knowledge, collect_clues, infer_roles
    from agents.talk.dialogue import Dialogue

    pack = decision.pack
    talk_clues = collect_clues(Dialogue.of(decision.view, pack))
    table = infer_roles(pack, Knowledge.of(decision.view, pack), talk_clues)
    return {str(s): {r: round(p, 4) for r, p in row.items()} for s, row in table.items()}


def request_judgement(decision: Decision, send: Send) -> list[Note]:
    """Return a note with the backend's judgement of the talk so far, or of its failure.

    The note has {"roles": {seat: {role: 0.01..1}}, "list": as `most_probable_roles` gives it}, with
    seats as strings. Roles that this seat knows replace those of the reply.
    """
    request = Request("judgement", decision, optional_favor_brief(decision))
    parse_reply = partial(_parse_roles, decision=decision)
    try:
        result = send_with_repair(send, "judgement", request, parse_reply)
    except BackendError as error:  # the previous round's list stays valid
        return [failed_preparation_note(decision, "judgement", error.cause)]
    known_roles = known_roles_of_others(decision)
    roles = result.value | {str(seat): {role: 1.0} for seat, role in known_roles.items()}
    data = {"roles": roles, "list": most_probable_roles(roles, decision)}
    return [Note("judgement", decision.round_start, data)]


def known_roles_of_others(decision: Decision) -> dict[int, str]:
    """Return seat -> role of the other players whose role this seat knows for certain."""
    role_by_seat = known_role_by_seat(decision)
    return {seat: role_by_seat[seat] for seat in decision.other_seats if seat in role_by_seat}


def known_role_by_seat(decision: Decision) -> dict[int, str]:
    """Return seat -> role of all players whose role this seat knows, its own included."""
    pack = decision.pack
    roles = dict(decision.view.state.roles)
    for look in pack.looks_in(decision.view):
        role, is_held = pack.revealed_role(look)
        if role and is_held and len(look.targets) == 1:  # one of several targets may hold it
            roles[look.targets[0]] = role
    return roles


def remaining_roles(decision: Decision) -> Counter[str]:
    """Return how many cards of each role the players with an unknown role may hold."""
    return Counter(decision.ruleset.deck) - Counter(known_role_by_seat(decision).values())


def most_probable_roles(
    roles: Mapping[str, Mapping[str, float]], decision: Decision
) -> dict[str, Any]:
    """Return each player's most probable role and its side: F_P (Humanized 2.3, eq. 8).

    A player with a tie or without a row in `roles` counts as the ruleset's usual role.

    Returns:
        seat -> {"role", "side"}, where the side is "teammate" for a role of the seat's own team,
        else "opponent". For pages and prompts a player with a row also has "top", the two likeliest
        roles with their probabilities, and "share", the probability of a role of the seat's team.
    """
    ruleset = decision.ruleset
    default = ruleset.default_role or ruleset.deck[0]
    own_team = team_of(ruleset, decision.view.role)
    entries: dict[str, dict[str, Any]] = {}
    for seat in decision.other_seats:
        row = roles.get(str(seat), {})
        best = max(row.values(), default=0.0)
        best_roles = [role for role, p in row.items() if p == best]
        role = best_roles[0] if len(best_roles) == 1 else default
        side = "teammate" if team_of(ruleset, role) == own_team else "opponent"
        entries[str(seat)] = {"role": role, "side": side}
        if row:
            likeliest = sorted(row.items(), key=lambda cell: -cell[1])[:2]
            own_team_sum = sum(p for r, p in row.items() if team_of(ruleset, r) == own_team)
            entries[str(seat)]["top"] = [[r, round(p, 4)] for r, p in likeliest]
            entries[str(seat)]["share"] = round(own_team_sum / sum(row.values()), 4)
    return entries


def strategy_seeds(decision: Decision) -> list[str]:
    """Return the seed strategies of the seat's role, or general ones if it has none."""
    return list(decision.pack.data.strategy_seeds.get(decision.view.role, GENERAL_SEEDS))


def _normalise_row(row: Mapping[str, float], possible: Counter[str]) -> dict[str, float]:
    """Return a row over all possible roles, with sum 1.

    Some models give rows that sum to 3, which would mean certainty of several roles. Roles that the
    row lacks share the remainder of 1 in proportion to their numbers of cards in `possible`.
    """
    clamped = {role: min(1.0, max(MIN_PROBABILITY, p)) for role, p in row.items()}
    missing = {role: n for role, n in possible.items() if role not in row}
    remainder = max(0.0, 1.0 - sum(clamped.values())) / max(1, sum(missing.values()))
    full = {**clamped, **{role: max(MIN_PROBABILITY, remainder * n) for role, n in missing.items()}}
    total = sum(full.values())
    return {role: round(p / total, 4) for role, p in full.items()}


def _parse_roles(reply: Reply, decision: Decision) -> Roles:
    """Return the reply's probabilities as normalised rows, or raise BackendError."""
    rows = reply.get("roles")
    if not isinstance(rows, Mapping):
        raise BackendError("unusable", "no roles")
    seats, roles = {str(s) for s in decision.other_seats}, set(decision.ruleset.deck)
    possible = remaining_roles(decision)
    parsed: Roles = {}
    for seat, row in rows.items():
        if str(seat) not in seats or not isinstance(row, Mapping):
            raise BackendError("unusable", f"no player {seat!r}")
        for role, p in row.items():
            if role not in roles or isinstance(p, bool) or not isinstance(p, int | float):
                raise BackendError("unusable", f"no probability of a role: {role!r}: {p!r}")
        row = {r: float(p) for r, p in row.items() if r in possible}
        if row:
            parsed[str(seat)] = _normalise_row(row, possible)
    if not parsed:
        raise BackendError("unusable", "nobody was judged")
    return parsed


def _parse_plan(reply: Reply) -> str:
    """Return the plan, cut to MAX_PLAN_WORDS, or raise BackendError if there is none."""
    plan = reply.get("plan")
    # A model may repeat the placeholder of the example, "…".
    if not isinstance(plan, str) or not any(c.isalnum() for c in plan):
        raise BackendError("unusable", "no plan")
    if count_words(plan) <= MAX_PLAN_WORDS:
        return plan.strip()
    return " ".join(plan.split()[:MAX_PLAN_WORDS])
