"""JSON schemas of a model's answers, which allow the legal names and roles only.

Most objects begin with a reason, because models that write the reason first base their choice on
it. Most statements have none.
"""

from collections.abc import Iterable
from typing import Any

from agents import contest
from agents.claims.talk_summary import MAX_LINES
from agents.decision import Decision, Request
from agents.faculties.favor import seats_to_score
from agents.faculties.guess import guessable_seats
from agents.faculties.judgement import remaining_roles
from agents.faculties.persona import MAX_CHARACTER_LINES
from agents.faculties.reliability import rating_form, seats_to_rate
from agents.llm import contest_prompts
from agents.llm.narration import EVERYONE, NOBODY, UNSURE, option_name
from agents.llm.prompting import template_name
from agents.llm.question_fields import MAX_CITED, SPEAKS, needs_evidence, permitted_passes
from agents.llm.sections import unknown_seats
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.forms import Ratings, Speech
from game.engine.ruleset import role_of

Schema = dict[str, Any]
MAX_CLAIM_ROWS = 40  # One reading has no more rows. Without a limit a small model never stops.
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
REASON = TEXT  # one or two sentences, which no one at the table sees


def build_schema(request: Request) -> Schema:
    """Return the schema of the object that answers `request`."""
    decision, name = request.decision, template_name(request)
    if name == "strategy":
        return _object(reason=REASON, plan=TEXT)
    if name == "favor":
        players = _player_of(decision, seats_to_score(decision))
        rows = _list(_object(player=players, score=_integer(1, 10)))
        return _object(reason=REASON, scores=rows)
    if name == "judgement":
        share = {"type": "number", "minimum": 0.01, "maximum": 1}
        roles = _object(**dict.fromkeys(remaining_roles(decision), share))
        rows = _list(_object(player=_player_of(decision, unknown_seats(decision)), roles=roles))
        rows["minItems"] = rows["maxItems"]
        return _object(reason=REASON, players=rows)
    if name in contest_prompts.REQUEST_KINDS:
        return _contest_request_schema(name, decision)
    if name == RATINGS_REQUEST:
        assert isinstance(decision.window.legal, Ratings)
        return _object(ratings=_rating_rows_schema(decision, decision.window.legal))
    if contest_prompts.is_contest_agent(decision) and isinstance(decision.window.legal, Speech):
        return _object(**_conversation_properties(decision, decision.window.legal))
    answer = _answer_properties(decision)
    if RELIABILITY in decision.faculties:
        answer = {"reason": REASON, **answer}
    if seats := seats_to_rate(request):
        legal = rating_form(decision, seats)
        reason = {"reason": answer.pop("reason", REASON)}
        answer = {**reason, "ratings": _rating_rows_schema(decision, legal), **answer}
    return _object(**answer)


def _contest_request_schema(name: str, decision: Decision) -> Schema:
    """Return the schema of a request that a faculty of the contest agent makes."""
    if name == contest.CHARACTER:
        habits = _array(TEXT, MAX_CHARACTER_LINES - 1, min_items=1)
        return _object(description=TEXT, habits=habits)
    if name == contest.SUMMARY:
        return _object(lines=_array(TEXT, MAX_LINES, min_items=1))
    if name == contest.GUESS:
        names = _player_of(decision, guessable_seats(decision), NOBODY)
        return _object(first_reason=TEXT, first=names, second_reason=TEXT, second=names)
    if name == contest.VOTES:
        row = _object(number=INTEGER, target=_player_of(decision, decision.view.state.living()))
        return _object(votes=_array(row, MAX_CLAIM_ROWS))
    results = _one_of([*contest_prompts.look_answers(decision), ""])
    targets = _array(_one_of([*decision.view.state.seats]), 2)
    roles = _one_of(contest_prompts.role_names(decision))
    row = _object(number=INTEGER, role=roles, targets=targets, result=results)
    return _object(claims=_array(row, MAX_CLAIM_ROWS))


def _conversation_properties(decision: Decision, legal: Speech) -> dict[str, Schema]:
    """Return the properties of a statement in the contest's form (Impressions A.4.4)."""
    properties: dict[str, Schema] = {"content": TEXT}
    if legal.may_over:
        properties["over"] = {"type": "boolean"}
    if seats := contest_prompts.addressees(decision):
        properties |= {"to": _player_of(decision, seats, EVERYONE), "to_them": TEXT}
    return properties


def _rating_rows_schema(decision: Decision, legal: Ratings) -> Schema:
    """Return the schema of rating rows, each with a reason before the rating.

    In the context `evidence`, rows also cite the numbers of the lines that they rest on.
    """
    row = {"reason": REASON, **_rating_properties(decision, legal)}
    evidence = {"evidence": _array(INTEGER, MAX_CITED)} if needs_evidence(decision) else {}
    rows = _rows_schema(decision, legal, **row, **evidence)
    return {**rows, "minItems": rows["maxItems"]}


def _rating_properties(decision: Decision, legal: Ratings) -> dict[str, Schema]:
    roles = _one_of([*(role_of(decision.ruleset, key).name for key in legal.roles), UNSURE])
    return {"role": roles, "confidence": _integer(legal.min_confidence, legal.max_confidence)}


def _rows_schema(decision: Decision, legal: Ratings, **cells: Schema) -> Schema:
    options = [option_name(o, decision) for o in legal.options_for(decision.seat)]
    return _list(_object(player=_one_of(options), **cells))


def _answer_properties(decision: Decision) -> dict[str, Schema]:
    """Return the properties of the form that the window expects."""
    legal = decision.window.legal
    options = [option_name(o, decision) for o in legal.options_for(decision.seat)]
    if isinstance(legal, Speech):
        # Where words mention players by @, no field of its own says to whom they are spoken.
        to = {"to": _one_of([*options, EVERYONE])} if options and not legal.has_mentions else {}
        allowed_passes = permitted_passes(decision)
        passing = {"pass": _one_of([SPEAKS, *allowed_passes])} if allowed_passes else {}
        return {"statement": TEXT, **to, **passing}
    if isinstance(legal, Ratings):
        return {
            "reason": REASON,
            "ratings": _rows_schema(decision, legal, **_rating_properties(decision, legal)),
        }
    if decision.window.pick.may_abstain:
        options.append(NOBODY)
    count = decision.window.pick.count
    if count == 1:
        return {"reason": REASON, "choice": _one_of(options)}
    return {"reason": REASON, "choices": _array(_one_of(options), count, min_items=count)}


def _player_of(decision: Decision, seats: Iterable[int], *further_names: str) -> Schema:
    return _one_of([*map(decision.view.name, seats), *further_names])


def _object(**properties: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    """Return a list schema with at most one row per player.

    Without the limit, a small model bound to a grammar never stops.
    """
    return _array(items, len(items["properties"]["player"]["enum"]))


def _array(items: Schema, max_items: int, *, min_items: int = 0) -> Schema:
    least = {"minItems": min_items} if min_items else {}
    return {"type": "array", "items": items, **least, "maxItems": max_items}


def _integer(minimum: int, maximum: int) -> Schema:
    return {**INTEGER, "minimum": minimum, "maximum": maximum}


def _one_of(names: list[str]) -> Schema:
    return {"type": "string", "enum": names}
