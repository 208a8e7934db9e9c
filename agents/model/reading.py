"""From a model's text to a reply: strict where it is JSON, tolerant where it is nearly so."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agents.model.prompting import template_of
from agents.scene import BackendError, Reply, Request, Scene

LONGEST = 20_000  # characters of an answer that are looked at
REASON = 600  # characters of a reason that are kept


def reply_of(text: str, request: Request) -> Reply:
    """What `text` answers, with {"reason": str} where the model gave one. BackendError, with what
    is wrong in a sentence, where it is nothing."""
    if not text.strip():
        raise BackendError("empty", "the answer was empty")
    name = template_of(request)
    data = parsed(text)
    if data is None:
        if name == "statement" and "{" not in text:
            return {"text": text.strip()}
        raise BackendError("unusable", "the answer was no JSON object")
    return {**_READERS.get(name, _chosen)(data, request.scene), **_reason(data)}


def _reason(data: Mapping[str, Any]) -> dict[str, str]:
    said = data.get("reason")
    return {"reason": said.strip()[:REASON]} if isinstance(said, str) and said.strip() else {}


def parsed(text: str) -> dict[str, Any] | None:
    """The first JSON object in `text`, also inside a code fence or between other words."""
    decoder = json.JSONDecoder()
    text = text[:LONGEST]
    for match in re.finditer(r"\{", text):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def _statement(data: Mapping[str, Any], scene: Scene) -> Reply:
    said = data.get("statement")
    if not isinstance(said, str) or not said.strip():
        raise BackendError("unusable", "there was no statement in it")
    return {"text": said.strip()}


def _strategy(data: Mapping[str, Any], scene: Scene) -> Reply:
    if not isinstance(data.get("plan"), str):
        raise BackendError("unusable", "there was no plan in it")
    return {"plan": data["plan"]}


def _favor(data: Mapping[str, Any], scene: Scene) -> Reply:
    scores = {}
    for row in _rows(data, "scores"):
        score = row.get("score")
        if isinstance(score, float) and score.is_integer():
            score = int(score)
        scores[str(_seat(row.get("player"), scene))] = score
    return {"scores": scores}


def _judgement(data: Mapping[str, Any], scene: Scene) -> Reply:
    found = {}
    for row in _rows(data, "players"):
        roles = row.get("roles")
        if not isinstance(roles, Mapping):
            raise BackendError("unusable", "a player had no roles")
        found[str(_seat(row.get("player"), scene))] = {str(r).lower(): p for r, p in roles.items()}
    return {"roles": found}


def _chosen(data: Mapping[str, Any], scene: Scene) -> Reply:
    names = data.get("choices") if "choices" in data else [data.get("choice")]
    if not isinstance(names, list):
        raise BackendError("unusable", "there was no choice in it")
    if scene.window.legal.may_abstain and [str(n).lower() for n in names] == ["nobody"]:
        return {}
    return {"targets": [_seat(name, scene) for name in names]}


def _rows(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    rows = data.get(key)
    if not isinstance(rows, list) or not all(isinstance(r, Mapping) for r in rows):
        raise BackendError("unusable", f"there was no list of {key} in it")
    return rows


def _seat(name: object, scene: Scene) -> int:
    """The seat of a name; small slips of case and space are forgiven."""
    if isinstance(name, str):
        for seat, known in enumerate(scene.view.state.seats, 1):
            if name.strip().casefold() == known.casefold():
                return seat
    raise BackendError("illegal", f"there is no player called {str(name)[:40]!r}")


_READERS = {
    "statement": _statement,
    "strategy": _strategy,
    "favor": _favor,
    "judgement": _judgement,
}
