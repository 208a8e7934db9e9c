"""What a model may answer, as a JSON schema: with the legal names and roles only."""

from __future__ import annotations

from typing import Any

from agents.faculties.favor import others_of
from agents.model.prompting import template_of
from agents.scene import Request, Scene

Schema = dict[str, Any]


def schema_of(request: Request) -> Schema:
    """The schema of the object that answers `request`."""
    scene, name = request.scene, template_of(request)
    if name == "statement":
        return _object(statement={"type": "string"})
    if name == "strategy":
        return _object(plan={"type": "string"})
    if name == "favor":
        score = {"type": "integer", "minimum": 1, "maximum": 10}
        return _object(scores=_list(_object(player=_one_of(_others(scene)), score=score)))
    if name == "judgement":
        share = {"type": "number", "minimum": 0.01, "maximum": 1}
        roles = _object(**dict.fromkeys(dict.fromkeys(scene.ruleset.deck), share))
        return _object(players=_list(_object(player=_one_of(_others(scene)), roles=roles)))
    options = [
        scene.view.name(o) for o in scene.window.options_for(scene.seat) if isinstance(o, int)
    ]
    if scene.window.legal.may_abstain:
        options.append("nobody")
    if name == "choice":
        count = scene.window.legal.count
        rows = {"type": "array", "items": _one_of(options), "minItems": count, "maxItems": count}
        return _object(choices=rows)
    return _object(choice=_one_of(options))


def _others(scene: Scene) -> list[str]:
    return [scene.view.name(s) for s in others_of(scene)]


def _object(**properties: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    """At most a row a player: a small model bound to a grammar goes on and on otherwise."""
    most = len(items["properties"]["player"]["enum"])
    return {"type": "array", "items": items, "maxItems": most}


def _one_of(names: list[str]) -> Schema:
    return {"type": "string", "enum": names}
