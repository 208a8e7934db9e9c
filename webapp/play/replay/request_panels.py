"""The panels of an agent's requests to a backend: prompt, answer, time and tokens."""

import json
from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.reliability_scale import RATINGS_REQUEST
from game.engine.wording import Wording
from webapp.play.models import LLMCall

FACULTY_LABELS = {
    "favor": gettext_lazy("How others treated it"),
    "judgement": gettext_lazy("Roles of the players"),
    RATINGS_REQUEST: gettext_lazy("Trust in the players"),
    "strategy": gettext_lazy("Plan"),
}


class RequestPanel:
    """One request to a backend, with the parts that may be shown."""

    def __init__(self, row: LLMCall, wording: Wording, is_redacted: bool) -> None:
        exchange = row.exchange if isinstance(row.exchange, dict) else {}
        self.step, self.kind = row.step, _kind_label(row.kind, wording)
        self.is_preparation = row.purpose == LLMCall.PREPARATION  # before the round
        self.backend, self.model = row.backend, str(exchange.get("model") or "")
        self.facts = _fact_rows(row, {**exchange, "unread": ()} if is_redacted else exchange)
        self.failure = row.failure
        self.is_redacted = is_redacted  # the host removed text that it may repeat
        # The prompt, as (role, text), and the input of a backend without prompts.
        self.messages = [] if is_redacted else _list_messages(exchange)
        self.input_json = "" if is_redacted or self.messages else _to_json(row.brief)
        self.answer = "" if is_redacted else _answer_text(row, exchange)
        # The agent's reason for the choice, which the table did not see.
        self.reason = "" if is_redacted else _reason_text(row)


def build_request_panels(
    rows: Iterable[LLMCall], wording: Wording, *, is_redacted: bool
) -> list[RequestPanel]:
    """Build the panels of requests in order, those that prepared the round first.

    `is_redacted` hides prompts and answers, because they may repeat text that was removed.
    """
    ordered = sorted(rows, key=lambda row: row.purpose != LLMCall.PREPARATION)
    return [RequestPanel(row, wording, is_redacted or row.withdrawn) for row in ordered]


def _kind_label(kind: str, wording: Wording) -> str:
    if kind in FACULTY_LABELS:
        return str(FACULTY_LABELS[kind])
    return _(wording.window(kind).name or kind) if kind in wording.windows else kind


def _list_messages(exchange: dict[str, Any]) -> list[tuple[str, str]]:
    role_labels = {"system": _("System"), "user": _("User"), "assistant": _("Assistant")}
    rows = [row for row in exchange.get("messages") or [] if isinstance(row, dict)]
    roles = [str(row.get("role", "")) for row in rows]
    contents = [_to_text(row.get("content")) for row in rows]
    return [(role_labels.get(role, role), text) for role, text in zip(roles, contents, strict=True)]


def _to_text(content: Any) -> str:
    return content if isinstance(content, str) else _to_json(content)


def _answer_text(row: LLMCall, exchange: dict[str, Any]) -> str:
    """Return the answer as the model gave it, else as it was stored."""
    return _to_text(exchange["answer"]) if exchange.get("answer") else _to_json(row.reply)


def _reason_text(row: LLMCall) -> str:
    reason = row.reply.get("reason") if isinstance(row.reply, dict) else None
    return reason.strip() if isinstance(reason, str) else ""


def _fact_rows(row: LLMCall, exchange: dict[str, Any]) -> list[tuple[str, str]]:
    usage = exchange.get("usage") or {}
    retries = int(exchange.get("retries") or 0)
    fact_rows = [
        (_("Step"), row.step),
        (_("Model"), str(exchange.get("model") or "")),
        (_("Latency"), format_latency(row.seconds)),
        (_("Tokens in"), str(usage.get("prompt_tokens") or "")),
        (_("Tokens out"), str(usage.get("completion_tokens") or "")),
        (_("Retries"), str(retries) if exchange else ""),
        (_("Format"), str(exchange.get("format") or "")),
        (_("Oldest turns left out"), str(exchange.get("left_out") or "")),
        (_("Changes to the answer"), "; ".join(exchange.get("unread") or ())),
        (_("Template"), str(exchange.get("template") or "")),
    ]
    return [(name, value) for name, value in fact_rows if value]


def format_latency(seconds: float) -> str:
    """Format a duration: "0.4 ms", "38 ms" or "2.4 s", for example."""
    if seconds >= 1:
        return _("{seconds} s").format(seconds=f"{seconds:.1f}")
    ms = 1000 * seconds
    return _("{ms} ms").format(ms=f"{ms:.0f}" if ms >= 10 else f"{ms:.1f}")


def _to_json(data: Any) -> str:
    return "" if data in (None, {}, []) else json.dumps(data, indent=2, ensure_ascii=False)
