"""A rater's page as a prompt for a judge, and the strict parsing of judges' replies.

The prompt contains what `rater_view` shows and nothing else. A judge is a language model that does
the work of a rater. Its persona in the prompt is the critic. Parsing raises BackendError for
replies that are unusable.
"""

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from agents.decision import BackendError
from agents.llm.json_objects import find_objects, is_valid
from agents.llm.reasoning import strip_thoughts_in_json
from agents.prompts import is_placeholder
from agents.quotation import quote_text
from webapp.study.design.instruments import Dimension, Instrument
from webapp.study.judging.criteria import RATER_PERSONA
from webapp.study.judging.prompts import (
    Messages,
    build_messages,
    fill_template,
    format_lines,
    format_reveal,
)
from webapp.study.models import Assignment, Judge, Unit
from webapp.study.rating.rater_view import RenderedUnit, render_unit
from webapp.study.rating.stimuli import RatingField, RatingFields, build_fields

REQUEST_KIND = "judge"  # the kind of request in the stored capabilities of a server
# The values by name, as `JudgeDraw.values` stores them, and the reason.
JudgeReply = tuple[dict[str, Any], str]
MAX_REASON_CHARS = 2000  # longer reasons are cut
NUMBER_PATTERN = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*(?:/\s*\d{1,3})?\s*")


@dataclass(frozen=True)
class JudgeQuestion:
    """One question to a judge."""

    messages: Messages
    schema: dict[str, Any]  # JSON schema of the reply
    parse: Callable[[str], JudgeReply]  # raises BackendError if the text of the reply is unusable


def value_key(field: RatingField) -> str:
    """Return the key under which a value is stored, the same on either side of a pair."""
    return f"{field.stimulus}/{field.dimension.key}"


def page_question(judge: Judge, assignment: Assignment, *, swapped: bool = False) -> JudgeQuestion:
    """Build the question of an assignment's page. If `swapped`, a pair's answers are exchanged."""
    if swapped:
        assignment = copy(assignment)
        assignment.swapped = not assignment.swapped
    unit = assignment.unit
    page = render_unit(unit, swapped=assignment.swapped, rotation=assignment.rotation)
    rating_fields = build_fields(assignment)
    is_ranking = unit.kind == Unit.RANKING
    form: _RankingForm | _ScalesForm = (
        _RankingForm(rating_fields, page) if is_ranking else _ScalesForm(rating_fields)
    )
    reveal = f"WHAT EVERYBODY TRULY WAS\n{format_reveal(page.deeds)}" if page.deeds else ""
    page_text = fill_template(
        "page",
        talk=f"THE TALK\n{format_lines(page.context)}" if page.context else "",
        moment=page.moment,
        rated="\n".join([_rated_text(page, is_ranking), *_profile_lines(page)]),
        deeds=reveal,
        questions="\n".join(form.questions),
        what=form.answer_description,
        shape=form.reply_example,
    )
    instructions = rater_instructions(judge, Instrument.from_json(judge.campaign.instrument))
    return JudgeQuestion(build_messages(instructions, page_text), form.schema, form.parse)


def rater_instructions(judge: Judge, instrument: Instrument) -> str:
    """Return the system prompt: the critic's persona, the introduction and the worked example."""
    return fill_template(
        "rater",
        persona=judge.personas.get("") or RATER_PERSONA,
        title=instrument.title,
        intro=instrument.intro,
        example=_example_text(instrument),
    )


def _example_text(instrument: Instrument) -> str:
    example = instrument.example
    if not example:
        return ""
    lines = ["", "AN EXAMPLE"]
    lines += [f"{line.speaker}: {quote_text(line.text)}" for line in example.context]
    lines += [f"To be rated: {example.speaker}: {quote_text(example.text)}"]
    for dimension in instrument.dimensions:
        if dimension.key in example.values:
            reason = example.why.get(dimension.key, "")
            lines.append(f"{dimension.label}: {example.values[dimension.key]}. {reason}".rstrip())
    return "\n".join([*lines, ""])


def _rated_text(page: RenderedUnit, is_ranking: bool) -> str:
    if page.instruction:
        return page.instruction
    if is_ranking:
        return "All players of this game: " + ", ".join(side.speaker for side in page.sides)
    if page.kind == Unit.GAME:
        return "The game as a whole."
    if page.kind == Unit.PLAYER:
        return f"How {page.speaker} played and talked, over the whole game."
    if len(page.sides) == 1:
        (side,) = page.sides
        return f"{_speaker_label(side.speaker, side.apart)}: {quote_text(side.text)}"
    side_lines = [f"{side.slot.upper()}: {quote_text(side.text)}" for side in page.sides]
    speaker = _speaker_label(page.speaker, page.sides[0].apart)
    count = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}[len(page.sides)]
    return "\n".join([f"{count} answers of {speaker} to the same moment:", *side_lines])


def _profile_lines(page: RenderedUnit) -> list[str]:
    lines = [f"{name}: {quote_text(profile)}" for name, profile in page.profiles]
    return ["The profile that was given to", *lines] if lines else []


def _speaker_label(name: str, apart: str) -> str:
    return f"{name} ({apart})" if apart else name


def _question_text(dimension: Dimension, key: str) -> str:
    ends = f"{dimension.min}: {dimension.low_pole} … {dimension.max}: {dimension.high_pole}"
    return f"- {key}: {dimension.label}. {dimension.question} ({ends})"


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


class _ScalesForm:
    """Form of a reply with a whole number for each scale of the page."""

    answer_description = "a whole number for every question"

    def __init__(self, rating_fields: RatingFields) -> None:
        is_pair = len({field.slot for field in rating_fields.values()}) > 1
        self.fields_by_key = {
            f"{f.slot.upper()}_{f.dimension.key}" if is_pair else f.dimension.key: f
            for f in rating_fields.values()
        }
        self.questions = [_question_text(f.dimension, key) for key, f in self.fields_by_key.items()]
        rows = ", ".join(f'"{key}": …' for key in self.fields_by_key)
        self.reply_example = f'{{"reason": "…", {rows}}}'
        numbers = {
            key: {"type": "integer", "minimum": f.dimension.min, "maximum": f.dimension.max}
            for key, f in self.fields_by_key.items()
        }
        self.schema = object_schema({"reason": {"type": "string"}, **numbers})

    def parse(self, text: str) -> JudgeReply:
        data = parse_object(text, self.schema)
        values = {
            value_key(f): parse_whole(data.get(key), key, f.dimension.min, f.dimension.max)
            for key, f in self.fields_by_key.items()
        }
        return values, parse_reason(data)


class _RankingForm:
    """Form of a reply with the order of all players for each question of the page."""

    answer_description = "all players in order for every question, the best first"

    def __init__(self, rating_fields: RatingFields, page: RenderedUnit) -> None:
        self.names = {side.slot: side.speaker for side in page.sides}
        self.fields = list(rating_fields.values())
        self.dimensions = {f.dimension.key: f.dimension for f in self.fields}
        self.questions = [
            f"- {key}: {d.label}. {d.question} (first: {d.high_pole}; last: {d.low_pole})"
            for key, d in self.dimensions.items()
        ]
        rows = ", ".join(f'"{key}": ["…", …]' for key in self.dimensions)
        self.reply_example = f'{{"reason": "…", {rows}}}'
        order = {
            "type": "array",
            "items": {"type": "string", "enum": list(self.names.values())},
            "minItems": len(self.names),
            "maxItems": len(self.names),
        }
        self.schema = object_schema(
            {"reason": {"type": "string"}, **dict.fromkeys(self.dimensions, order)}
        )

    def parse(self, text: str) -> JudgeReply:
        data = parse_object(text, self.schema)
        values: dict[str, int] = {}
        names = sorted(self.names.values())
        for key, dimension in self.dimensions.items():
            ranking = data.get(key)
            if not isinstance(ranking, list) or sorted(map(str, ranking)) != names:
                raise unusable_error(f"{key} takes every player once, the best first")
            for field in self.fields:
                if field.dimension.key == key:
                    rank = ranking.index(self.names[field.slot])
                    values[value_key(field)] = dimension.max - rank
        return values, parse_reason(data)


def unusable_error(reason: str) -> BackendError:
    """Build the error of an unusable reply. The model gets the reason and may correct it."""
    return BackendError("unusable", reason)


def parse_object(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last JSON object that fits the schema, or else the last one."""
    if not text.strip():
        raise BackendError("empty", "the answer was empty")
    objects = [strip_thoughts_in_json(candidate) for candidate in find_objects(text)]
    if not objects:
        raise unusable_error("the answer was not a JSON object")
    return next(
        (candidate for candidate in reversed(objects) if is_valid(candidate, schema)), objects[-1]
    )


def parse_reason(data: Mapping[str, Any]) -> str:
    reason = data.get("reason")
    if not isinstance(reason, str) or is_placeholder(reason):
        raise unusable_error("the answer has no reason")
    return reason.strip()[:MAX_REASON_CHARS]


def parse_number(value: Any, subject: str, low: float, high: float) -> float:
    """Return a number on the scale from 7, "7" or "7/10"."""
    if isinstance(value, str) and (match := NUMBER_PATTERN.fullmatch(value)):
        value = float(match[1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise unusable_error(f"{subject} takes a number from {low:g} to {high:g}")
    return float(value)


def parse_whole(value: Any, subject: str, low: int, high: int) -> int:
    number = parse_number(value, subject, low, high)
    if number != int(number):
        raise unusable_error(f"{subject} takes a whole number from {low} to {high}")
    return int(number)
