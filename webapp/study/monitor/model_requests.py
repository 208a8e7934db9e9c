"""Requests to language models from a study's games: their number, cost and failures.

There are many requests and events, and they do not change after a short time. Each process counts
settled ones once, and then reads only newer rows.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from agents import backends, model_catalog
from game.engine import labels
from game.models import Event
from webapp.play.models import LLMCall
from webapp.play.turns import daily_budget
from webapp.study.models import Study

SETTLED = timedelta(seconds=90)  # older rows no longer change, and no new row gets an earlier time
MOST_STUDIES = 50  # the most studies whose counts a process stores
OF_MODELS = (
    *labels.DEGRADED,
    labels.REPAIRED,
)  # labels of answers that are degraded because of a model

Row = tuple[int, bool, Counter[Any]]  # id, whether the row can still change, its counts
# Arguments: (study's id, last id counted, now).
Reader = Callable[[int, int, datetime], Iterator[Row]]


class Tally:
    """Counts rows that are only ever added, by study."""

    def __init__(self, read: Reader) -> None:
        self._read, self._lock = read, threading.Lock()
        self._kept: dict[int, tuple[int, Counter[Any]]] = {}

    def of(self, study: Study) -> Counter[Any]:
        """Return the counts of a study. It costs one query."""
        with self._lock:
            last, settled_counts = self._kept.get(study.pk, (0, Counter()))
            settled, total, open_seen = Counter(settled_counts), Counter(settled_counts), False
            for pk, changes, counts in self._read(study.pk, last, timezone.now()):
                total.update(counts)
                open_seen = open_seen or changes
                if not open_seen:
                    settled.update(counts)
                    last = pk
            if len(self._kept) >= MOST_STUDIES:
                self._kept.clear()
            self._kept[study.pk] = (last, settled)
            return total

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()


def _requests(study: int, last: int, now: datetime) -> Iterator[Row]:
    """Yield rows with the keys (kind of count, backend), with kind asked, in, out or retries.

    Failed requests have the key ("failed", cause).
    """
    rows = LLMCall.objects.filter(game__slot__study=study, pk__gt=last)
    rows = rows.exclude(backend=backends.HOUSE).exclude(purpose=LLMCall.RIVAL)
    unanswered = Q(reply__isnull=True, failure="", game__ended_at=None)
    rows = rows.annotate(in_flight=ExpressionWrapper(unanswered, BooleanField()))
    fields = (
        "pk", "at", "backend", "failure", "in_flight", "exchange__usage", "exchange__retries",
    )  # fmt: skip
    request_rows = rows.order_by("pk").values_list(*fields)
    for pk, at, backend, failure, in_flight, usage, retries in request_rows:
        used = usage if isinstance(usage, dict) else {}
        counts = Counter(
            {
                ("asked", backend): 1,
                ("in", backend): _number(used.get("prompt_tokens")),
                ("out", backend): _number(used.get("completion_tokens")),
                ("retries", backend): _number(retries),
            }
        )
        if failure:
            counts["failed", failure] += 1
        yield pk, in_flight or now - at < SETTLED, counts


def _labels(study: int, last: int, now: datetime) -> Iterator[Row]:
    """Yield rows with labels as keys."""
    rows = Event.objects.filter(game__slot__study=study, pk__gt=last).exclude(labels=[])
    for pk, at, labels_given in rows.order_by("pk").values_list("pk", "at", "labels"):
        model_labels = [label for label in labels_given if labels.label_kind(label) in OF_MODELS]
        yield pk, now - at < SETTLED, Counter(model_labels)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


requests, answers = Tally(_requests), Tally(_labels)


@dataclass(frozen=True)
class ModelUsage:
    """Requests to one model.

    tokens_in, tokens_out: as the server counted. cost: None if the price is unknown.
    """

    name: str
    asked: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str


@dataclass(frozen=True)
class BudgetUsage:
    """Usage of the site's daily budget of requests: (kind, used, limit)."""

    what: str
    gone: int
    most: int


@dataclass(frozen=True)
class RequestStats:
    models: Sequence[ModelUsage]
    retries: int
    failed: Sequence[tuple[str, int]]  # cause -> requests
    fallbacks: int
    degraded: Sequence[tuple[str, int]]  # kind of label -> answers
    today: Sequence[BudgetUsage]

    @property
    def asked(self) -> int:
        return sum(model.asked for model in self.models)

    @property
    def tokens_in(self) -> int:
        return sum(model.tokens_in for model in self.models)

    @property
    def tokens_out(self) -> int:
        return sum(model.tokens_out for model in self.models)

    @property
    def costs(self) -> Mapping[str, float]:
        """Currency -> sum, for models with a known price."""
        costs_by_currency: dict[str, float] = {}
        for model in self.models:
            if model.cost is not None:
                costs_by_currency[model.currency] = (
                    costs_by_currency.get(model.currency, 0) + model.cost
                )
        return costs_by_currency

    @property
    def unpriced(self) -> bool:
        return any(model.cost is None for model in self.models)

    @property
    def failures(self) -> int:
        return sum(n for _cause, n in self.failed)


def request_stats(study: Study) -> RequestStats:
    counted, label_counts = requests.of(study), answers.of(study)
    names = sorted(name for count_kind, name in counted if count_kind == "asked")
    prices = _prices()
    kinds: Counter[str] = Counter()
    for label, number in label_counts.items():
        kinds[labels.label_kind(label)] += number
    failed = {name: n for (count_kind, name), n in counted.items() if count_kind == "failed"}
    return RequestStats(
        [_model(name, counted, prices) for name in names],
        sum(n for (count_kind, _name), n in counted.items() if count_kind == "retries"),
        sorted(failed.items()),
        kinds[labels.FALLBACK],
        sorted(kinds.items()),
        _today(),
    )


def _model(
    name: str, counted: Counter[Any], prices: Mapping[str, model_catalog.ModelSettings]
) -> ModelUsage:
    tokens, price = (counted["in", name], counted["out", name]), prices.get(name)
    cost = price.cost(*tokens) if price else None
    return ModelUsage(name, counted["asked", name], *tokens, cost, price.currency if price else "")


def _prices() -> Mapping[str, model_catalog.ModelSettings]:
    try:
        return model_catalog.settings()
    except model_catalog.BadCatalog:
        return {}


def _today() -> list[BudgetUsage]:
    most = {figure: n for figure, n in settings.BUDGET["site"].items() if n is not None}
    if not most:
        return []
    used = daily_budget.used_today()
    return [BudgetUsage(figure, used[figure], n) for figure, n in most.items()]
