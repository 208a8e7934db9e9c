"""Answers of the right shape: an instance of the schema a request carries, else a sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from random import Random

from tests.endpoint.calls import Body, Call, Json, text_of
from tests.endpoint.sentences import SENTENCES

DEEP = 8  # levels after which the shortest way out is taken
TOO_DEEP = 60  # levels after which a schema is taken to be endless


def shaped(call: Call) -> str:
    """What the request asks for, drawn by a hash of its body: the same answer to the same body."""
    schema = schema_for(call)
    if schema is None:
        return sentence(call)
    return Maker(schema, call.seed).json()


def sentence(call: Call) -> str:
    """Prose: one of the endpoint's sentences."""
    return Random(call.seed).choice(SENTENCES)


def schema_for(call: Call) -> Body | None:
    """The schema of `response_format`, else one written into the last user message."""
    if call.schema is not None:
        return call.schema
    said = [text_of(m.get("content")) for m in call.messages if m.get("role") == "user"]
    return schema_in(said[-1]) if said else None


def schema_in(text: str) -> Body | None:
    """The first JSON object in a text that looks like a schema."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            found = decoder.raw_decode(text, start)[0]
        except ValueError:
            found = {}
        if _looks_like_schema(found):
            return dict(found)
        start = text.find("{", start + 1)
    return None


def _looks_like_schema(found: Body) -> bool:
    if found.get("type") in ("object", "array") or isinstance(found.get("anyOf"), list):
        return True
    return isinstance(found.get("properties"), dict) or isinstance(found.get("$ref"), str)


class Maker:
    """Makes instances of a JSON schema, the same ones for the same seed.

    Objects have all required properties and some of the others. Lists of an enum's values hold
    each once where there are enough: nobody means the same name twice. Strings without enum are
    sentences, cut to maxLength. `pattern`, `format` and a number's `multipleOf` are not heeded.
    """

    sentences: Sequence[str] = SENTENCES

    def __init__(self, schema: Body, seed: str) -> None:
        self.root = schema
        self.random = Random(seed)
        self._kinds: dict[str, Callable[[Body, int], Json]] = {
            "object": self._object,
            "array": self._array,
            "string": lambda schema, depth: self.text(schema),
            "integer": lambda schema, depth: self._integer(schema),
            "number": lambda schema, depth: self._number(schema),
            "boolean": lambda schema, depth: self.random.random() < 0.5,
            "null": lambda schema, depth: None,
        }

    def json(self) -> str:
        """An instance as JSON text."""
        return json.dumps(self.make(self.root), ensure_ascii=False)

    def make(self, schema: Json, depth: int = 0) -> Json:
        """An instance. ValueError for a schema that never ends or has an unknown type."""
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
        """One of an enum's values."""
        return self.random.choice(options)

    def text(self, schema: Body) -> str:
        """A sentence that keeps to minLength and maxLength."""
        least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        short = [sentence for sentence in self.sentences if len(sentence) <= most]
        text = self.random.choice(short or self.sentences)
        while len(text) < least:
            text = f"{text} {self.random.choice(self.sentences)}"
        if len(text) <= most:
            return text
        whole_words = text[: most + 1].rpartition(" ")[0]
        return whole_words if len(whole_words) >= max(least, 1) else text[:most]

    def _resolved(self, schema: Json) -> Body:
        """The schema with `$ref` and `allOf` put in."""
        for _ in range(TOO_DEEP):
            if not isinstance(schema, dict):
                return {}
            if "$ref" in schema:
                rest = {key: value for key, value in schema.items() if key != "$ref"}
                schema = {**self._at(schema["$ref"]), **rest}
            elif "allOf" in schema:
                parts = [self._resolved(part) for part in schema["allOf"]]
                rest = {key: value for key, value in schema.items() if key != "allOf"}
                schema = _merged([*parts, rest])
            else:
                return schema
        raise ValueError("a $ref leads to itself")

    def _at(self, pointer: str) -> Body:
        """What a local reference such as "#/$defs/Vote" points to."""
        place: Json = self.root
        for step in pointer.removeprefix("#").split("/")[1:]:
            place = place[step.replace("~1", "/").replace("~0", "~")]
        return dict(place)

    def _branch(self, branches: Sequence[Json], depth: int) -> Json:
        if depth < DEEP:
            return self.random.choice(branches)
        return min(branches, key=self._weight)

    def _weight(self, schema: Json) -> int:
        """How likely a branch is to go on: 0 for values, 1 for lists, 2 for the rest."""
        resolved = self._resolved(schema)
        if "const" in resolved or "enum" in resolved:
            return 0
        return {"object": 2, "array": 1}.get(self._kind(resolved, DEEP), 0)

    def _kind(self, schema: Body, depth: int) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            plain = [one for one in kind if one not in ("object", "array")]
            return str(self.random.choice(plain if plain and depth >= DEEP else kind))
        if kind is None:
            return (
                "object" if "properties" in schema else "array" if "items" in schema else "string"
            )
        return str(kind)

    def _object(self, schema: Body, depth: int) -> Body:
        required = set(schema.get("required", ()))
        result: Body = {}
        for name, part in schema.get("properties", {}).items():
            if name in required or (depth < DEEP and self.random.random() < 0.5):
                result[name] = self.make(part, depth + 1)
        return result

    def _array(self, schema: Body, depth: int) -> list[Json]:
        least = schema.get("minItems", 0)
        most = least if depth >= DEEP else schema.get("maxItems", least + 3)
        items = [self.make(part, depth + 1) for part in schema.get("prefixItems", ())]
        wanted = self.random.randint(least, max(least, most))
        options = len(self._resolved(schema.get("items", {})).get("enum", ()))
        for _ in range(20 * wanted):  # where items must differ, some attempts are in vain
            if len(items) >= wanted:
                break
            item = self.make(schema.get("items", {}), depth + 1)
            if item not in items or not (schema.get("uniqueItems") or options >= wanted):
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
        return int(step * self.random.randint(first, last))

    def _number(self, schema: Body) -> float:
        low, high = _bounds(schema)
        value = low + (high - low) * self.random.uniform(0.01, 0.99)
        return round(value, 3) if low < round(value, 3) < high else value


def _bounds(schema: Body) -> tuple[float, float]:
    """From and to, where nothing else is said ten apart and not below zero."""
    lows = [schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema]
    highs = [schema[key] for key in ("maximum", "exclusiveMaximum") if key in schema]
    if lows:
        return max(lows), min(highs) if highs else max(lows) + 10
    high = min(highs) if highs else 10
    return min(0, high - 10) if high <= 0 else 0, high


def _merged(parts: Sequence[Body]) -> Body:
    """Schemas that all hold, as one: later keys win, properties and required add up."""
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
