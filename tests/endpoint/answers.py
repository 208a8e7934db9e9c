"""Valid answers: an instance of the schema in the request, or a sentence without a schema."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from random import Random

from tests.endpoint.calls import Body, Call, Json, text_of
from tests.endpoint.sentences import SENTENCES

DEEP = 8  # levels after which the shortest branch is taken
TOO_DEEP = 60  # levels after which a schema counts as endless


def shaped(call: Call) -> str:
    """Answer with a valid instance that depends only on a hash of the request's body."""
    schema = schema_for(call)
    if schema is None:
        return sentence(call)
    return Maker(schema, call.seed).json()


def sentence(call: Call) -> str:
    """Return one of the endpoint's sentences."""
    return Random(call.seed).choice(SENTENCES)


def schema_for(call: Call) -> Body | None:
    """Return the schema of `response_format`, or one written in the last user message."""
    if call.schema is not None:
        return call.schema
    user_texts = [text_of(m.get("content")) for m in call.messages if m.get("role") == "user"]
    return schema_in(user_texts[-1]) if user_texts else None


def schema_in(text: str) -> Body | None:
    """Return the first JSON object in a text that looks like a schema."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            candidate = decoder.raw_decode(text, start)[0]
        except ValueError:
            candidate = {}
        if _looks_like_schema(candidate):
            return dict(candidate)
        start = text.find("{", start + 1)
    return None


def _looks_like_schema(candidate: Body) -> bool:
    if candidate.get("type") in ("object", "array") or isinstance(candidate.get("anyOf"), list):
        return True
    return isinstance(candidate.get("properties"), dict) or isinstance(candidate.get("$ref"), str)


class Maker:
    """Generator of instances of a JSON schema, determined by the seed.

    Objects have all required properties and some optional ones. Lists of an enum's values contain
    each value once if there are enough. Strings without enum are sentences, cut to maxLength.
    `pattern`, `format` and a number's `multipleOf` are ignored.
    """

    sentences: Sequence[str] = SENTENCES

    def __init__(self, schema: Body, seed: str) -> None:
        self.root = schema
        self.rng = Random(seed)
        self._kinds: dict[str, Callable[[Body, int], Json]] = {
            "object": self._object,
            "array": self._array,
            "string": lambda schema, depth: self.text(schema),
            "integer": lambda schema, depth: self._integer(schema),
            "number": lambda schema, depth: self._number(schema),
            "boolean": lambda schema, depth: self.rng.random() < 0.5,
            "null": lambda schema, depth: None,
        }

    def json(self) -> str:
        """Return an instance as JSON text."""
        return json.dumps(self.make(self.root), ensure_ascii=False)

    def make(self, schema: Json, depth: int = 0) -> Json:
        """Make an instance. Raises ValueError for an endless schema or an unknown type."""
        if depth > TOO_DEEP:
            raise ValueError("the schema has no end")
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.option(schema["enum"])
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return self.make(self._branch(branches, depth), depth + 1)
        kind = self._kind(schema, depth)
        if kind not in self._kinds:
            raise ValueError(f"no such type: {kind}")
        return self._kinds[kind](schema, depth)

    def option(self, options: Sequence[Json]) -> Json:
        """Return one of an enum's values."""
        return self.rng.choice(options)

    def text(self, schema: Body) -> str:
        """Return a text that respects minLength and maxLength."""
        min_length, max_length = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        fitting = [sentence for sentence in self.sentences if len(sentence) <= max_length]
        text = self.rng.choice(fitting or self.sentences)
        while len(text) < min_length:
            text = f"{text} {self.rng.choice(self.sentences)}"
        if len(text) <= max_length:
            return text
        whole_words = text[: max_length + 1].rpartition(" ")[0]
        return whole_words if len(whole_words) >= max(min_length, 1) else text[:max_length]

    def _resolved(self, schema: Json) -> Body:
        """Return the schema with `$ref` and `allOf` resolved."""
        for _ in range(TOO_DEEP):
            if not isinstance(schema, dict):
                return {}
            if "$ref" in schema:
                rest = {key: value for key, value in schema.items() if key != "$ref"}
                schema = {**self._at(schema["$ref"]), **rest}
            elif "allOf" in schema:
                parts = [self._resolved(part) for part in schema["allOf"]]
                rest = {key: value for key, value in schema.items() if key != "allOf"}
                schema = _merge_schemas([*parts, rest])
            else:
                return schema
        raise ValueError("a $ref leads to itself")

    def _at(self, pointer: str) -> Body:
        """Resolve a local reference such as "#/$defs/Vote"."""
        node: Json = self.root
        for step in pointer.removeprefix("#").split("/")[1:]:
            node = node[step.replace("~1", "/").replace("~0", "~")]
        return dict(node)

    def _branch(self, branches: Sequence[Json], depth: int) -> Json:
        if depth < DEEP:
            return self.rng.choice(branches)
        return min(branches, key=self._weight)

    def _weight(self, schema: Json) -> int:
        """Return the expected depth of a branch: 0 for values, 1 for lists, 2 for other types."""
        resolved = self._resolved(schema)
        if "const" in resolved or "enum" in resolved:
            return 0
        return {"object": 2, "array": 1}.get(self._kind(resolved, DEEP), 0)

    def _kind(self, schema: Body, depth: int) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            scalar_kinds = [name for name in kind if name not in ("object", "array")]
            return str(self.rng.choice(scalar_kinds if scalar_kinds and depth >= DEEP else kind))
        if kind is not None:
            return str(kind)
        if "properties" in schema:
            return "object"
        return "array" if "items" in schema else "string"

    def _object(self, schema: Body, depth: int) -> Body:
        required = set(schema.get("required", ()))
        result: Body = {}
        for name, part in schema.get("properties", {}).items():
            if name in required or (depth < DEEP and self.rng.random() < 0.5):
                result[name] = self.make(part, depth + 1)
        return result

    def _array(self, schema: Body, depth: int) -> list[Json]:
        min_items = schema.get("minItems", 0)
        max_items = min_items if depth >= DEEP else schema.get("maxItems", min_items + 3)
        items = [self.make(part, depth + 1) for part in schema.get("prefixItems", ())]
        count = self.rng.randint(min_items, max(min_items, max_items))
        options = len(self._resolved(schema.get("items", {})).get("enum", ()))
        for _ in range(20 * count):  # some attempts give duplicates where items must differ
            if len(items) >= count:
                break
            item = self.make(schema.get("items", {}), depth + 1)
            if item not in items or not (schema.get("uniqueItems") or options >= count):
                items.append(item)
        return items

    def _integer(self, schema: Body) -> int:
        low, high = _bounds(schema)
        step = schema.get("multipleOf", 1)
        first = math.ceil(low / step)
        if first * step <= schema.get("exclusiveMinimum", -math.inf):
            first += 1
        last = math.floor(high / step)
        if last * step >= schema.get("exclusiveMaximum", math.inf):
            last -= 1
        return int(step * self.rng.randint(first, last))

    def _number(self, schema: Body) -> float:
        low, high = _bounds(schema)
        value = low + (high - low) * self.rng.uniform(0.01, 0.99)
        return round(value, 3) if low < round(value, 3) < high else value


def _bounds(schema: Body) -> tuple[float, float]:
    """Lower and upper bound. By default they are ten apart and not negative."""
    lows = [schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema]
    highs = [schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema]
    if lows:
        return max(lows), min(highs) if highs else max(lows) + 10
    high = min(highs) if highs else 10
    return min(0, high - 10) if high <= 0 else 0, high


def _merge_schemas(parts: Sequence[Body]) -> Body:
    """Merge schemas that all apply: later keys win, properties and required are united."""
    result: Body = {}
    for part in parts:
        properties = {**result.get("properties", {}), **part.get("properties", {})}
        required = [*result.get("required", ()), *part.get("required", ())]
        result = {**result, **part}
        if properties:
            result["properties"] = properties
        if required:
            result["required"] = required
    return result
