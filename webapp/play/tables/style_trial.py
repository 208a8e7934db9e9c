"""Tries out a style of speaking that the host of a table writes for a computer player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from agents.backends import HOUSE
from agents.personas import own_style
from agents.personas.styles import BadStyle
from game.engine import rulesets
from webapp.play.tables.rules_pages import DEFAULT_RULESET
from webapp.play.turns import daily_budget, model_choices, style_checks


def try_style(posted: Mapping[str, str], seat: str) -> dict[str, Any]:
    """Return how the style of a seat is understood, and a statement of a model in it.

    Args:
        posted: The form of a table or of a study's table.

    Returns:
        "errors": a sentence; "lines": the style's lines, each with its reading; "text": a statement
        of the model "model"; "model_error": why there is no statement.
    """
    text = posted.get(f"seat-{seat}-style", "").replace("\r\n", "\n").strip()
    ruleset = posted.get("ruleset", "")
    ruleset = ruleset if ruleset in rulesets.names() else DEFAULT_RULESET
    try:
        parsed_style = own_style.parse_own_style(text)
    except BadStyle as error:
        return {"errors": str(error)}
    chosen = posted.get(f"seat-{seat}-backend") or posted.get("backend", "")
    backend, model_error = _choose_model(chosen)
    try:
        (readings,), statement = style_checks.read_in_process(ruleset, [text], backend)
    except style_checks.UnreadStyle:
        return {"errors": _("The style could not be checked. Try again.")}
    if cause := statement.get("trouble"):
        reason = model_choices.ERROR_TEXTS.get(cause, _("its answer could not be used"))
        model_error = _("{model} gave no answer: {why}.").format(model=backend, why=reason)
    own_keys, label = parsed_style.own_keys, style_checks.line_label
    lines = [{**r, "label": label(r["key"]), "is_own": r["key"] in own_keys} for r in readings]
    return {
        "errors": style_checks.style_errors(ruleset, [text]).get(text, ""),
        "lines": lines,
        "model": backend,
        "text": statement.get("text", ""),
        "model_error": model_error,
    }


def _choose_model(chosen: str) -> tuple[str, str]:
    """Return (the model that makes a statement, ""), or ("", why no model does)."""
    backend = model_choices.default_backend() if chosen in ("", HOUSE) else chosen
    if backend == HOUSE or backend not in model_choices.known_backends():
        return "", _("No language model is available here to try this style.")
    if daily_budget.is_spent():
        text = _("The daily limit for language models is reached. Try again after midnight (UTC).")
        return "", text
    daily_budget.count_trial()
    return backend, ""
