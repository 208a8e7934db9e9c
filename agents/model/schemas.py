"""What a model may answer, as a JSON schema: with the legal names and roles only.

Every object but a statement's begins with a reason: models that write it first choose by it.
"""

from __future__ import annotations

from typing import Any

from agents.faculties.favor import others_of
from agents.faculties.judgement import left
from agents.model.prompting import template_of
from agents.model.sections import unsure
from agents.scene import Request, Scene

Schema = dict[str, Any]
REASON: Schema = {"type": "string"}  # one or two sentences, which nobody at the table sees


def schema_of(request: Request) -> Schema:
    """The schema of the object that answers `request`."""
    scene, name = request.scene, template_of(request)
    if name == "statement":
        return _object(statement={"type": "string"})
    if name == "strategy":
        return _object(reason=REASON, plan={"type": "string"})
    if name == "favor":
        score = {"type": "integer", "minimum": 1, "maximum": 10}
        rows = _list(_object(player=_one_of(_names(scene, others_of(scene))), score=score))
        return _object(reason=REASON, scores=rows)
    if name == "judgement":
        share = {"type": "number", "minimum": 0.01, "maximum": 1}
        roles = _object(**dict.fromkeys(left(scene), share))
        rows = _list(_object(player=_one_of(_names(scene, unsure(scene))), roles=roles))
        rows["minItems"] = rows["maxItems"]
        return _object(reason=REASON, players=rows)
    options = [
        scene.view.name(o) for o in scene.window.options_for(scene.seat) if isinstance(o, int)
    ]
    if scene.window.pick.may_abstain:
        options.append("nobody")
    if name == "choice":
        count = scene.window.pick.count
        rows = {"type": "array", "items": _one_of(options), "minItems": count, "maxItems": count}
        return _object(reason=REASON, choices=rows)
    return _object(reason=REASON, choice=_one_of(options))


def _names(scene: Scene, seats: list[int]) -> list[str]:
    return [scene.view.name(s) for s in seats]


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
