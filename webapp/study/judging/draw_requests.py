"""Requests of a judge's answers, called draws. A draw is recorded before it is requested.

- A finished draw is never requested again. If a worker dies during a request, the request is sent
  once more and the draw is marked (`requested_again`).
- After an invalid reply the model gets one correction message. A second invalid reply fails the
  draw.
- After a connection error the draw waits. After three errors, or at once if no later try can help,
  the judge pauses and stores the reason. So no answer is lost while a server is down.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from agents import backends
from agents.decision import BackendError
from agents.model_catalog import InvalidCatalog
from webapp.play.turns.agent_records import without_api_keys
from webapp.study.judging.judge_prompts import REQUEST_KIND, JudgeQuestion
from webapp.study.judging.prompts import fill_template
from webapp.study.models import Judge, JudgeDraw

if TYPE_CHECKING:
    # Imported by workers only, because it loads large modules.
    from agents.backends.openai import OpenAIBackend

logger = logging.getLogger(__name__)

MAX_CONNECTION_ERRORS = 3  # after this many failed tries of one question, the judge pauses
# Time limit of a request, including the wait for a free connection, in units of the backend's
# `seconds`.
REQUEST_TIME_FACTOR = 3
WORKER_GRACE = timedelta(seconds=60)  # A worker is considered dead this long after the time limit.
# Causes of errors that no later try can remove.
PERMANENT_CAUSES = ("key", "model", "refused_request", "unknown")
QUESTION_CAUSES = ("context",)  # causes of errors that concern only this question
# Longest texts of `JudgeDraw`.
MAX_CAUSE_CHARS, MAX_DETAIL_CHARS, MAX_MODEL_CHARS = 60, 300, 120
STORED_FIELDS = (
    "state", "values", "reason", "failure", "detail", "tries", "repaired", "prompt", "model",
    "tokens_in", "tokens_out", "seconds",
)  # fmt: skip


class JudgeStopped(Exception):
    """The judge must not send requests now: it is paused, or its requests are used up."""


def backend_of(judge: Judge) -> OpenAIBackend:
    """Return the judge's backend. Raise BackendError (`unknown`) if it no longer exists."""
    from agents.backends.openai import OpenAIBackend

    try:
        backend = backends.get(judge.backend)
    except (backends.UnknownBackend, InvalidCatalog) as error:
        raise BackendError("unknown", str(error)) from None
    if not isinstance(backend, OpenAIBackend):
        raise BackendError("unknown", "the built-in player can't judge")
    return backend


def answer_draw(
    judge: Judge, number: int, question: Callable[[], JudgeQuestion], **subject: Any
) -> None:
    """Request the answer of a draw, unless the draw is settled or in progress.

    `question` is called only before a request. `subject` are fields of `JudgeDraw` that identify
    the page, or the game and its dimension. Raise JudgeStopped if no request may be sent now.
    """
    try:
        backend = backend_of(judge)
    except BackendError as error:
        _pause(judge, error)
        raise JudgeStopped from None
    row = _claim_draw(judge, number, backend, subject)
    if row is None:
        return
    try:
        _request_answer(judge, row, question(), backend)
    # A DatabaseError is no failure of the model: the request is repeated.
    except (JudgeStopped, DatabaseError):
        raise
    except Exception:
        logger.exception("draw %s of judge %s failed", row.number, judge.pk)
        row.state, row.failure = JudgeDraw.FAILED, "crash"
        _store_draw(row)


def _claim_draw(
    judge: Judge, number: int, backend: OpenAIBackend, subject: dict[str, Any]
) -> JudgeDraw | None:
    """Lease a draw for this worker. Return None if it is settled or leased by another worker."""
    now = timezone.now()
    try:  # not get_or_create: the judge may have been deleted meanwhile, which is no error here
        with transaction.atomic():
            return JudgeDraw.objects.create(judge=judge, number=number, requested_at=now, **subject)
    except IntegrityError:
        pass
    timeout = timedelta(seconds=REQUEST_TIME_FACTOR * backend.settings.seconds) + WORKER_GRACE
    draws = JudgeDraw.objects.filter(judge=judge, number=number, **subject)
    waiting = draws.filter(state=JudgeDraw.WAITING)
    of_dead_worker = draws.filter(state=JudgeDraw.REQUESTED, requested_at__lt=now - timeout)
    is_claimed = waiting.update(state=JudgeDraw.REQUESTED, requested_at=now)
    is_claimed = is_claimed or of_dead_worker.update(requested_at=now, requested_again=True)
    return draws.get() if is_claimed else None


def _request_answer(
    judge: Judge, row: JudgeDraw, question: JudgeQuestion, backend: OpenAIBackend
) -> None:
    prompt_messages = list(question.messages)
    row.prompt = hashlib.sha256(json.dumps(prompt_messages).encode()).hexdigest()
    game_version = _game_version(row)
    for attempt in (1, 2):
        _count_request(judge, row)
        reply_text = ""  # stays so if the request gets no reply
        try:
            reply_text = _send(judge, row, question, prompt_messages, backend)
            row.values, reason = question.parse(reply_text)
            # A text that was removed meanwhile must not reappear in a reason.
            row.reason = without_api_keys(reason) if _game_version(row) == game_version else ""
            row.state, row.failure, row.detail = JudgeDraw.ANSWERED, "", ""
            break
        except BackendError as error:
            row.failure = error.cause[:MAX_CAUSE_CHARS]
            row.detail = str(without_api_keys(error.detail))[:MAX_DETAIL_CHARS]
            if error.is_mistake and attempt == 1:
                row.repaired = True
                prompt_messages += _correction_messages(reply_text, error)
                continue
            _handle_failure(judge, row, error)
            break
    _store_draw(row)


def _game_version(row: JudgeDraw) -> int | None:
    """Return the version of the judged game, which every change of its text increases."""
    path = "game__version" if row.game_id else "assignment__unit__game__version"
    return JudgeDraw.objects.filter(pk=row.pk).values_list(path, flat=True).first()


def _count_request(judge: Judge, row: JudgeDraw) -> None:
    """Count a request before it is sent. Raise `JudgeStopped` if it may not be sent."""
    running = Judge.objects.filter(pk=judge.pk, state=Judge.RUNNING)
    with_budget = running.filter(Q(limit=None) | Q(requests__lt=F("limit")))
    if with_budget.update(requests=F("requests") + 1, beat_at=timezone.now()):
        return
    row.state = JudgeDraw.WAITING
    _store_draw(row)
    if running.exists():
        running.update(state=Judge.PAUSED, failure="limit")
    raise JudgeStopped


def _send(
    judge: Judge,
    row: JudgeDraw,
    question: JudgeQuestion,
    prompt_messages: list[dict[str, str]],
    backend: OpenAIBackend,
) -> str:
    """Send a request and add its cost to the row. Return the text of the reply."""
    timeout_s = REQUEST_TIME_FACTOR * backend.settings.seconds
    try:
        text, exchange = backend.complete(
            prompt_messages, question.schema, REQUEST_KIND, timeout_s, judge.temperature
        )
    except BackendError as error:
        _add_usage(row, error.exchange or {})
        raise
    _add_usage(row, exchange)
    return text


def _add_usage(row: JudgeDraw, exchange: dict[str, Any]) -> None:
    usage = exchange.get("usage") or {}
    row.tokens_in += int(usage.get("prompt_tokens") or 0)
    row.tokens_out += int(usage.get("completion_tokens") or 0)
    row.seconds += float(exchange.get("seconds") or 0)
    row.model = str(exchange.get("model") or row.model)[:MAX_MODEL_CHARS]


def _correction_messages(reply_text: str, error: BackendError) -> list[dict[str, str]]:
    answer = [{"role": "assistant", "content": reply_text}] if reply_text else []
    complaint = fill_template("repair", why=error.detail or error.cause)
    return [*answer, {"role": "user", "content": complaint}]


def _handle_failure(judge: Judge, row: JudgeDraw, error: BackendError) -> None:
    """Fail the draw, or let it wait for another try. Pause the judge if none can help now."""
    if error.is_mistake or error.cause in QUESTION_CAUSES:
        row.state = JudgeDraw.FAILED
        return
    row.state, row.tries = JudgeDraw.WAITING, row.tries + 1
    if error.cause in PERMANENT_CAUSES or row.tries >= MAX_CONNECTION_ERRORS:
        row.tries = 0  # a restarted judge has all tries again
        _pause(judge, error)


def _pause(judge: Judge, error: BackendError) -> None:
    logger.warning("judge %s pauses: %s", judge.pk, error.cause)
    running = Judge.objects.filter(pk=judge.pk, state=Judge.RUNNING)
    running.update(state=Judge.PAUSED, failure=error.cause)


def _store_draw(row: JudgeDraw) -> None:
    """Store the draw, unless the judge was removed meanwhile."""
    values = {name: getattr(row, name) for name in STORED_FIELDS}
    JudgeDraw.objects.filter(pk=row.pk).update(**values)
