"""Stores and loads the notes of agents' minds, and redacts stored notes and requests.

A prompt quotes statements that were removed from a game since. Answers, reasons and plans
paraphrase them at unpredictable places. So all text is deleted, and all figures are kept: choices,
scores, probabilities, tokens, seconds. `withdrawals` selects the rows.

API keys are removed before a reply is stored, spoken or forwarded (`without_api_keys`).
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from agents import model_catalog
from agents.decision import Note
from agents.favor_scale import REACTION_BY_DEED
from agents.model_catalog import InvalidCatalog
from game import sql_statements
from game.cached_games import CachedGame
from game.engine import rulesets
from game.engine.state import SPEECH_MANNERS
from game.engine.visibility import View
from game.models import Game, moment_columns
from webapp.play.models import LLMCall, MindNote

# Key in the data of a note or a reply that held only text, which was removed.
WITHDRAWN = "withdrawn"
# The keys of an exchange that hold no text.
KEPT_FIELDS = ("model", "usage", "retries", "format", "template", "seconds", "again", "left_out")
# The keys under which the data of a note or a reply hold text.
REASON = "reason"  # a text beside figures
WHY = "why"  # in notes of favor: seat -> reasons
PLAN = "plan"  # in notes of the strategy; they hold no other text
LINES = "lines"  # in notes of a summary or a character; they hold no other text
TEXT = "text"  # text of a statement, in a reply or an event
RATINGS = "ratings"  # in notes of reliability: rows, each with its reason
REMOVED_KEY = "[key taken out]"
MIN_KEY_CHARS = 8  # a shorter "key", such as "none", is an ordinary word and no secret


def load_notes(game: Game, seat: int) -> list[Note]:
    """Return all notes of the seat's mind, in the order they were written."""
    rows = sql_statements.select(MindNote, order="id", game_id=game.pk, seat=seat)
    return [note_of(row) for row in rows]


def usable_notes(game: Game, seat: int) -> list[Note]:
    """Return the notes that the mind may still use, without withdrawn ones."""
    return [n for n in load_notes(game, seat) if not n.data.get(WITHDRAWN)]


def note_of(row: MindNote) -> Note:
    return Note(row.faculty, row.moment, row.data, "" if row.preparation else row.window)


def store_notes(game: Game, seat: int, key: str, notes: Iterable[Note]) -> None:
    """Store the notes that a mind made. `key` is that of the window or of the preparation."""
    rows = [
        MindNote(
            game=game,
            seat=seat,
            window=key,
            preparation=not n.window,
            faculty=n.faculty,
            data=n.data,
            **moment_columns(n.moment),
        )
        for n in notes
    ]
    sql_statements.insert(rows)


def redact_call(row: LLMCall) -> None:
    """Remove everything but figures from a request. The caller saves it.

    An answered request still counts as answered: `llm_calls.RequestRecorder` does not repeat it.
    """
    roles = {role.key for role in rulesets.get(row.game.ruleset).roles}
    row.brief = {}
    if isinstance(row.reply, dict):
        row.reply = _reply_figures(row.reply, roles)
    if isinstance(row.exchange, dict):
        row.exchange = {key: row.exchange[key] for key in KEPT_FIELDS if key in row.exchange}
    row.withdrawn = True


def _reply_figures(reply: Mapping[str, Any], roles: Collection[str]) -> dict[str, Any]:
    """Return a reply's figures, marked as withdrawn if the reply held only text."""
    figures: dict[str, Any] = {}
    if reply.get("pass") in SPEECH_MANNERS:
        figures["pass"] = reply["pass"]
    for key in ("targets", "labels"):
        if key in reply:
            figures[key] = reply[key]
    if isinstance(scores := reply.get("scores"), dict):
        figures["scores"] = {s: n for s, n in scores.items() if _is_number(n)}
    if isinstance(role_rows := reply.get("roles"), dict):
        figures["roles"] = {
            seat: {role: p for role, p in row.items() if role in roles and _is_number(p)}
            for seat, row in role_rows.items()
            if isinstance(row, dict)
        }
    return {WITHDRAWN: True, **figures} if {TEXT, PLAN, LINES} & set(reply) else figures


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def redact_note_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note's data without text, marked as withdrawn if they held only text."""
    redacted = {key: "" if key in (REASON, PLAN) else value for key, value in data.items()}
    if isinstance(reasons := data.get(WHY), dict):
        # The built-in player's reasons are keys and stay. A model's are text.
        redacted[WHY] = {
            s: [reason for reason in whys if reason in REACTION_BY_DEED]
            for s, whys in reasons.items()
        }
    if isinstance(rows := data.get(RATINGS), list):
        redacted[RATINGS] = [{k: v for k, v in row.items() if k != REASON} for row in rows]
    if LINES in redacted:
        redacted[LINES] = []
    return {**redacted, WITHDRAWN: True} if {PLAN, LINES} & set(redacted) else redacted


def is_outdated(view: View, now: CachedGame) -> bool:
    """Return whether the view holds text, or a name, that has been removed since.

    `now` is the game's current version, locked by `cached_games.locked_cached_game`.
    """
    if not now.reworded:
        return False  # nothing was ever removed: avoids reading the log
    removed_statements = {(e["window"], e["seat"]) for e in now.log if e.data.get(TEXT) == ""}
    viewed_statements = {(e["window"], e["seat"]) for e in view.events if e.data.get(TEXT)}
    has_new_names = tuple(now.log[0]["seats"]) != view.state.seats
    return has_new_names or bool(removed_statements & viewed_statements)


def redact_outdated_notes(view: View, now: CachedGame, notes: Iterable[Note]) -> list[Note]:
    """Return the notes made from the view, without text if the view is outdated."""
    if not is_outdated(view, now):
        return list(notes)
    return [replace(n, data=redact_note_data(n.data)) for n in notes]


def without_api_keys(data: Any) -> Any:
    """Return JSON-shaped `data` without the keys of the configured servers.

    A key is found in its plain form, in JSON's escaping, and in URL encoding.
    """
    secrets = _key_forms()
    return _replace_secrets(data, secrets) if secrets else data


def _key_forms() -> list[str]:
    """List the keys in all their forms, longest first, because one may be a prefix of another."""
    try:
        configured_keys = {settings.api_key for settings in model_catalog.all_models().values()}
    except InvalidCatalog:
        configured_keys = set()
    keys = {key for key in configured_keys if len(key) >= MIN_KEY_CHARS}
    forms = {f for key in keys for f in (key, json.dumps(key)[1:-1], quote(key, safe=""))}
    return sorted(forms | {key.replace("/", r"\/") for key in keys}, key=lambda f: (-len(f), f))


def _replace_secrets(data: Any, secrets: list[str]) -> Any:
    if isinstance(data, str):
        for secret in secrets:
            data = data.replace(secret, REMOVED_KEY)
        return data
    if isinstance(data, dict):
        return {_replace_secrets(k, secrets): _replace_secrets(v, secrets) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_replace_secrets(item, secrets) for item in data]
    return data
