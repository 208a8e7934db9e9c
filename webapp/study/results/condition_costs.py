"""What happened to the games of an experiment, and what they cost, by condition (Helmsman D.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from agents import backends, catalog
from game.engine import labels
from game.models import Event
from webapp.play.models import LLMCall
from webapp.study.models import Condition, Slot, Study
from webapp.study.results.result_table import DASH, ResultTable

LABELS = (*labels.DEGRADED, "repaired", "shortened")


def condition_tables(study: Study) -> list[ResultTable]:
    """Return the games by condition, and their requests, if a model was asked."""
    costs = {row.pk: _requests(row) for row in study.conditions.all()}
    tables = [_games(study)]
    return [*tables, _costs(study, costs)] if any(c["requests"] for c in costs.values()) else tables


def _games(study: Study) -> ResultTable:
    head = ("Condition", "Counted", "Void", "Failed", "Answers with a label")
    table = ResultTable("Games by condition", head, key="games-by-condition")
    for condition in study.conditions.all():
        slots = condition.slots.values_list("state", "void_reason", "began_at")
        states = Counter(state for state, _reason, _began in slots)
        label_counts = _labels(condition)
        table.add(
            condition.name,
            states[Slot.DONE],
            states[Slot.VOID],
            states[Slot.FAILED],
            label_counts.total(),
        )
        causes = Counter(
            (state, reason) for state, reason, _at in slots if state in (Slot.VOID, Slot.FAILED)
        )
        table.note(
            *(
                f"{condition.name}, {state}: {n} × {cause}."
                for (state, cause), n in causes.most_common()
            ),
            *(f"{condition.name}, label {label}: {n}." for label, n in label_counts.most_common()),
        )
    return table


def _labels(condition: Condition) -> Counter[str]:
    """Count the labels of answers that a model did not freely give, in games that count."""
    rows = Event.objects.filter(game__slot__condition=condition, game__slot__state=Slot.DONE)
    labels_of_answers = rows.exclude(labels=[]).values_list("labels", flat=True)
    return Counter(
        kind for one in labels_of_answers for kind in map(labels.kind, one) if kind in LABELS
    )


def _costs(study: Study, costs: dict[int, Counter[str]]) -> ResultTable:
    head = ("Condition", "Requests", "Tokens in", "Tokens out", "Money", "Hours of games")
    table = ResultTable("Requests and cost by condition", head, key="cost-by-condition")
    for condition in study.conditions.all():
        cost = costs[condition.pk]
        money = f"{cost['money']:.2f}" if not cost["unpriced"] else DASH
        tokens = (int(cost["in"]), int(cost["out"]))
        table.add(condition.name, int(cost["requests"]), *tokens, money, f"{_hours(condition):.1f}")
        if cost["unpriced"]:
            table.note("The price of a model is not known: docs/models.md, price_in.")
    table.note("All games are counted, void and failed ones too.")
    return table


def _hours(condition: Condition) -> float:
    times = condition.slots.filter(began_at__isnull=False, ended_at__isnull=False)
    seconds = (e - b for b, e in times.values_list("began_at", "ended_at") if b and e)
    return sum(one.total_seconds() for one in seconds) / 3600


def _requests(condition: Condition) -> Counter[Any]:
    """Return requests, tokens in and out, money, and how many requests have no known price."""
    counted: Counter[Any] = Counter()
    try:
        prices = catalog.settings()
    except catalog.BadCatalog:
        prices = {}
    for backend, usage in _usage(condition):
        used = usage if isinstance(usage, dict) else {}
        tokens = [int(used.get(key) or 0) for key in ("prompt_tokens", "completion_tokens")]
        price = prices[backend].cost(*tokens) if backend in prices else None
        counted.update({"requests": 1, "in": tokens[0], "out": tokens[1], "money": price or 0})
        counted["unpriced"] += price is None
    return counted


def _usage(condition: Condition) -> Iterator[tuple[str, Any]]:
    rows = LLMCall.objects.filter(game__slot__condition=condition)
    rows = rows.exclude(backend=backends.HOUSE).exclude(purpose=LLMCall.RIVAL)
    yield from rows.values_list("backend", "exchange__usage").iterator()
