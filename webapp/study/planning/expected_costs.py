"""The expected costs of an experiment, from earlier requests and games of this database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from django.utils.translation import gettext as _

from agents import model_catalog
from webapp.play.models import LLMCall
from webapp.study.design.conditions import ConditionPlan
from webapp.study.design.stages import Design
from webapp.study.models import Slot
from webapp.study.planning.expected_requests import requests_of_condition

RECENT_REQUESTS, RECENT_GAMES = 500, 50  # numbers of the latest ones that give the means


@dataclass(frozen=True)
class ExpectedCosts:
    """The expected costs of all games.

    Attributes:
        tokens, money: Without the requests of `unrecorded`. `money` is currency -> amount.
        hours: None if there is no earlier game of a condition's ruleset and backend.
        unrecorded: Backends without an earlier request whose tokens are known.
    """

    requests: int = 0
    tokens: int = 0
    money: Mapping[str, float] = field(default_factory=dict)
    hours: float | None = None
    unrecorded: Sequence[str] = ()


def expected_costs(design: Design, conditions: Sequence[ConditionPlan]) -> ExpectedCosts:
    """Estimate the costs of all games of an experiment."""
    requests: Counter[str] = Counter()
    for condition in conditions:
        requests += requests_of_condition(design, condition.table)
    models = model_catalog.valid_chat_models()
    tokens, money, unrecorded = 0.0, dict[str, float](), list[str]()
    for backend, count in sorted(requests.items()):
        means = _mean_tokens(backend)
        if means is None:
            unrecorded.append(backend)
            continue
        tokens += count * sum(means)
        cost = models[backend].cost(*map(round, means)) if backend in models else None
        if cost is not None:
            currency = models[backend].currency
            money[currency] = money.get(currency, 0) + count * cost
    return ExpectedCosts(
        requests.total(), round(tokens), money, _expected_hours(design, conditions), unrecorded
    )


def budget_errors(design: Design, costs: ExpectedCosts) -> Iterator[str]:
    """Yield a sentence for each limit that one game of each condition would exceed."""
    budget, games = design.experiment.budget, design.assignment.games
    figures = (
        (budget.requests, costs.requests, _("{n} requests")),
        (budget.tokens, costs.tokens, _("{n} tokens")),
        (budget.money, sum(costs.money.values()), _("{n} in money")),
    )
    for limit, total, unit in figures:
        if 0 < limit < (needed := round(total / games, 2)):
            text = _("One game of each condition needs about {needed}. Allow more than {limit}.")
            yield text.format(needed=unit.format(n=f"{needed:,.12g}"), limit=limit)


def _mean_tokens(backend: str) -> tuple[float, float] | None:
    """Return the mean tokens of prompts and of answers, None without earlier requests."""
    rows = LLMCall.objects.filter(backend=backend, exchange__usage__isnull=False).order_by("-pk")
    usages = [usage for usage in rows.values_list("exchange__usage", flat=True)[:RECENT_REQUESTS]
            if isinstance(usage, dict) and usage.get("prompt_tokens")]  # fmt: skip
    if not usages:
        return None
    return (
        fmean(usage["prompt_tokens"] for usage in usages),
        fmean(usage.get("completion_tokens") or 0 for usage in usages),
    )


def _expected_hours(design: Design, conditions: Sequence[ConditionPlan]) -> float | None:
    """Return the hours until all games are played, with `at_once` concurrent games."""
    seconds = 0.0
    for condition in conditions:
        similar_slots = Slot.objects.filter(
            state=Slot.DONE,
            study__design__table__people=0,
            condition__table__ruleset=condition.table.ruleset,
            condition__table__backend=condition.table.backend,
        ).order_by("-pk")
        times = similar_slots.values_list("began_at", "ended_at")[:RECENT_GAMES]
        durations_s = [(end - begin).total_seconds() for begin, end in times if begin and end]
        if not durations_s:
            return None
        seconds += design.assignment.games * fmean(durations_s)
    return seconds / design.experiment.at_once / 3600
