"""Requests to language models from a study's games: their number, cost and failures.

There are many requests and events, and they do not change after a short time (they are settled).
Each process counts settled ones once, and then reads only newer rows.
"""

import threading
from collections import Counter, defaultdict
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

SETTLED_AFTER = timedelta(seconds=90)  # older rows do not change any more, nor appear
MAX_STUDIES = 50  # a process keeps the counts of this many studies
# Labels of answers that are degraded because of a model.
MODEL_LABELS = (*labels.DEGRADED, labels.REPAIRED)


# A row's (id, whether it can still change, counts).
CountedRow = tuple[int, bool, Counter[Any]]
# Arguments: (study's id, last id counted, now).
RowReader = Callable[[int, int, datetime], Iterator[CountedRow]]


class StudyTally:
    """Counts of rows by study. Counts of settled rows are kept, and only newer rows are read."""

    def __init__(self, read_rows: RowReader) -> None:
        self._read_rows, self._lock = read_rows, threading.Lock()
        # Study's id -> (id of the last settled row, counts up to it).
        self._settled: dict[int, tuple[int, Counter[Any]]] = {}

    def count(self, study: Study) -> Counter[Any]:
        """Return the counts of a study, in one query."""
        with self._lock:
            last, settled_counts = self._settled.get(study.pk, (0, Counter()))
            settled, total, has_open_row = Counter(settled_counts), Counter(settled_counts), False
            for pk, can_change, counts in self._read_rows(study.pk, last, timezone.now()):
                total.update(counts)
                has_open_row = has_open_row or can_change
                if not has_open_row:
                    settled.update(counts)
                    last = pk
            if len(self._settled) >= MAX_STUDIES:
                self._settled.clear()
            self._settled[study.pk] = (last, settled)
            return total

    def clear(self) -> None:
        with self._lock:
            self._settled.clear()


def _read_requests(study: int, last: int, now: datetime) -> Iterator[CountedRow]:
    """Yield the study's requests to models after the id `last`.

    The keys of the counts are ("asked", backend), ("in", backend) and ("out", backend) for tokens,
    ("retries", backend), and ("failed", cause).
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
        token_usage = usage if isinstance(usage, dict) else {}
        counts = Counter(
            {
                ("asked", backend): 1,
                ("in", backend): _int_or_zero(token_usage.get("prompt_tokens")),
                ("out", backend): _int_or_zero(token_usage.get("completion_tokens")),
                ("retries", backend): _int_or_zero(retries),
            }
        )
        if failure:
            counts["failed", failure] += 1
        yield pk, in_flight or now - at < SETTLED_AFTER, counts


def _read_labels(study: int, last: int, now: datetime) -> Iterator[CountedRow]:
    """Yield the study's events after the id `last`, counted by the labels that concern models."""
    rows = Event.objects.filter(game__slot__study=study, pk__gt=last).exclude(labels=[])
    for pk, at, labels_given in rows.order_by("pk").values_list("pk", "at", "labels"):
        model_labels = [label for label in labels_given if labels.label_kind(label) in MODEL_LABELS]
        yield pk, now - at < SETTLED_AFTER, Counter(model_labels)


def _int_or_zero(value: Any) -> int:
    """Return an integer that a server reported, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


request_tally, label_tally = StudyTally(_read_requests), StudyTally(_read_labels)


@dataclass(frozen=True)
class ModelUsage:
    """Requests to one model. The cost is None if the price is unknown."""

    name: str
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str


@dataclass(frozen=True)
class RequestStats:
    models: Sequence[ModelUsage]
    retries: int
    failed: Sequence[tuple[str, int]]  # (cause, number of requests)
    fallbacks: int
    degraded: Sequence[tuple[str, int]]  # (kind of label, number of answers)
    today: Sequence[tuple[str, int, int]]  # (unit, used, limit) of each daily limit of the site

    @property
    def requests(self) -> int:
        return sum(model.requests for model in self.models)

    @property
    def tokens_in(self) -> int:
        return sum(model.tokens_in for model in self.models)

    @property
    def tokens_out(self) -> int:
        return sum(model.tokens_out for model in self.models)

    @property
    def costs(self) -> Mapping[str, float]:
        """Currency -> sum, for models with a known price."""
        sums = defaultdict[str, float](float)
        for model in self.models:
            if model.cost is not None:
                sums[model.currency] += model.cost
        return dict(sums)

    @property
    def has_unpriced_model(self) -> bool:
        return any(model.cost is None for model in self.models)

    @property
    def failures(self) -> int:
        return sum(n for _cause, n in self.failed)


def request_stats(study: Study) -> RequestStats:
    """Return the statistics of requests to models from the study's games."""
    request_counts, label_counts = request_tally.count(study), label_tally.count(study)
    names = sorted(name for count_kind, name in request_counts if count_kind == "asked")
    prices = model_catalog.valid_chat_models()
    kinds: Counter[str] = Counter()
    for label, number in label_counts.items():
        kinds[labels.label_kind(label)] += number
    failed = {name: n for (count_kind, name), n in request_counts.items() if count_kind == "failed"}
    return RequestStats(
        models=[_build_usage(name, request_counts, prices) for name in names],
        retries=sum(request_counts["retries", name] for name in names),
        failed=sorted(failed.items()),
        fallbacks=kinds[labels.FALLBACK],
        degraded=sorted(kinds.items()),
        today=_usage_today(),
    )


def _build_usage(
    name: str, request_counts: Counter[Any], prices: Mapping[str, model_catalog.ModelSettings]
) -> ModelUsage:
    tokens_in, tokens_out = request_counts["in", name], request_counts["out", name]
    price = prices.get(name)
    return ModelUsage(
        name=name,
        requests=request_counts["asked", name],
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=price.cost(tokens_in, tokens_out) if price else None,
        currency=price.currency if price else "",
    )


def _usage_today() -> list[tuple[str, int, int]]:
    limits = {unit: limit for unit, limit in settings.BUDGET["site"].items() if limit is not None}
    if not limits:
        return []
    used = daily_budget.used_today()
    return [(unit, used[unit], limit) for unit, limit in limits.items()]
