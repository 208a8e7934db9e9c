"""Checks and tries out the styles that hosts write: how do agents understand their lines?

The language understanding takes megabytes, so a web process never loads it. It starts another
process that reads the styles, one such process at a time.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.backends import HOUSE
from agents.personas import own_style
from agents.personas.styles import BadStyle
from game import name_rules
from game.engine import rulesets
from webapp.play.turns import daily_budget, model_choices

# The process is ended after this time; the second if a model writes a statement.
TIMEOUT_S, MODEL_TIMEOUT_S = 20, 45
MAX_CACHED = 200  # readings of styles; with more, the cache is emptied
SITUATIONS: dict[str, Any] = {
    "greeting": gettext_lazy("A day without a vote"),
    "morning_first": gettext_lazy("First to speak on day 1"),
    "morning": gettext_lazy("First to speak on a later day"),
    "report": gettext_lazy("The result of an inspection"),
    "counter": gettext_lazy("Disputes another player’s claim"),
    "pose": gettext_lazy("Pretends to be the hunted player"),
    "inquiry": gettext_lazy("Asks for a vote"),
    "closing_first": gettext_lazy("Ends the talk of day 1"),
    "closing": gettext_lazy("Ends the talk of a later day"),
    "resignation_first": gettext_lazy("Gives up on day 1"),
    "resignation": gettext_lazy("Gives up on a later day"),
    "farewell": gettext_lazy("Farewell of the helper"),
    "waiting": gettext_lazy("The model fails"),
    "over": gettext_lazy("Has finished speaking"),
}
NAME_ERRORS = {
    "name_long": gettext_lazy("it has more than 20 characters."),
    "name_form": gettext_lazy("a name is letters and digits, and begins with a letter."),
    "name_scripts": gettext_lazy("it mixes letters of several alphabets."),
    "name_misleads": gettext_lazy("it reads as a role, the moderator, or everyone."),
    "name_order": gettext_lazy("it reads like a sentence."),
    "name_taken": gettext_lazy("it is, or looks like, {seat}, the name of a seat."),
}
_reader_lock = threading.Lock()
_cache: dict[tuple[str, str], list[dict[str, str]]] = {}  # (ruleset, style) -> reading


class UnreadStyle(Exception):
    """The process gave no answer in time."""


def read_in_process(
    ruleset: str, texts: Iterable[str], backend: str = ""
) -> tuple[list[list[dict[str, str]]], dict[str, str]]:
    """Read styles in another process (`agents.style_reading`). Every text must parse.

    If `backend` names a model, it makes a statement in the first style. Return the readings of each
    text, and the statement as {"text": …} or {"trouble": cause}. Raise UnreadStyle if it takes too
    long.
    """
    all_texts = list(texts)
    cache = _cache.copy()  # another thread may clear it
    readings = {t: cache[ruleset, t] for t in all_texts if (ruleset, t) in cache}
    uncached = [text for text in all_texts if backend or text not in readings]
    statement: dict[str, str] = {}
    if uncached:
        request = {"ruleset": ruleset, "styles": uncached, "backend": backend}
        answer = _run_reader(request, MODEL_TIMEOUT_S if backend else TIMEOUT_S)
        statement = answer["statement"]
        readings |= zip(uncached, answer["readings"], strict=True)
        if len(_cache) + len(uncached) > MAX_CACHED:
            _cache.clear()
        _cache.update({(ruleset, text): readings[text] for text in uncached})
    return [readings[text] for text in all_texts], statement


def _run_reader(request: dict[str, Any], seconds: float) -> Any:
    if not _reader_lock.acquire(timeout=seconds):
        raise UnreadStyle
    try:
        process = subprocess.run(
            [sys.executable, "-m", "agents.style_reading"],
            input=json.dumps(request),
            cwd=settings.BASE_DIR,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise UnreadStyle from error
    finally:
        _reader_lock.release()
    return json.loads(process.stdout)


def style_errors(ruleset: str, texts: Iterable[str]) -> dict[str, str]:
    """Return text -> error, of the texts of one table that cannot be a style in the game."""
    errors: dict[str, str] = {}
    parsed: dict[str, own_style.OwnStyle] = {}
    for text in dict.fromkeys(texts):
        try:
            parsed[text] = own_style.parse_own_style(text)
        except BadStyle as error:
            errors[text] = str(error)
    try:
        all_readings, _statement = read_in_process(ruleset, parsed)
    except UnreadStyle:
        return errors | dict.fromkeys(parsed, _("The style could not be checked. Try again."))
    names: set[str] = set()
    for (text, style), readings in zip(parsed.items(), all_readings, strict=True):
        name = style.character.name
        sentences = list(_style_errors(ruleset, style, readings))
        if name.casefold() in names:
            sentence = _("Another style at this table is also called “{name}”. Rename one of them.")
            sentences.append(sentence.format(name=name[:40]))
        names.add(name.casefold())
        if sentences:
            errors[text] = " ".join(sentences)
    return errors


def _style_errors(
    ruleset: str, style: own_style.OwnStyle, readings: list[dict[str, str]]
) -> Iterator[str]:
    """Yield what is wrong with the style's name and lines, in sentences."""
    game, name = rulesets.get(ruleset), style.character.name
    roles, seats = [role.name for role in game.roles], [*game.table_names, *game.seat_names]
    rejection = name_rules.chosen_name_error(name, roles=roles, seats=seats, other_names=())
    if rejection:
        text = _("A player cannot be called “{name}”: {why} Choose another name.")
        reason = NAME_ERRORS.get(rejection.code, NAME_ERRORS["name_form"])
        yield text.format(name=name[:40], why=str(reason).format(seat=rejection.other_name))
    for reading in readings:
        if reading["fault"]:
            yield f"{line_label(reading['key'])}: {reading['fault']}"


def line_label(key: str) -> str:
    """Return the label of a style's line, its situation and key, or the key of another text."""
    return f"{SITUATIONS[key]} ({key})" if key in SITUATIONS else key


def try_style(posted: Mapping[str, str], seat: str, ruleset: str) -> dict[str, Any]:
    """Return how the style of a seat is understood, and a statement of a model in it.

    Args:
        posted: The form of a table or of a study's table.

    Returns:
        "errors": a sentence; "lines": the style's lines, each with its reading; "text": a statement
        of the model "model"; "model_error": why there is no statement.
    """
    text = posted.get(f"seat-{seat}-style", "").replace("\r\n", "\n").strip()
    try:
        parsed_style = own_style.parse_own_style(text)
    except BadStyle as error:
        return {"errors": str(error)}
    chosen = posted.get(f"seat-{seat}-backend") or posted.get("backend", "")
    backend, model_error = _choose_model(chosen)
    try:
        (readings,), statement = read_in_process(ruleset, [text], backend)
    except UnreadStyle:
        return {"errors": _("The style could not be checked. Try again.")}
    if cause := statement.get("trouble"):
        reason = model_choices.ERROR_TEXTS.get(cause, _("its answer could not be used"))
        model_error = _("{model} gave no answer: {why}.").format(model=backend, why=reason)
    own_keys, label = parsed_style.own_keys, line_label
    lines = [{**r, "label": label(r["key"]), "is_own": r["key"] in own_keys} for r in readings]
    return {
        "errors": style_errors(ruleset, [text]).get(text, ""),
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
