"""Parsing of a model's text into a reply.

A parser of one kind of answer takes its JSON object. It appends a sentence to `problems` for each
unusable part, and raises BackendError if nothing is usable.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply, Request
from agents.faculties.reliability import rating_form, seats_to_rate
from agents.llm import contest_replies, row_parsing
from agents.llm.json_objects import find_objects, is_valid, parse_unfinished
from agents.llm.narration import EVERYONE, NOBODY, UNSURE, option_name, quoted_option_name
from agents.llm.numbered_context import map_lines_to_positions
from agents.llm.player_names import player_name
from agents.llm.prompting import template_name
from agents.llm.question_fields import MAX_CITED, permitted_passes
from agents.llm.reasoning import (
    answer_candidates,
    extract_spoken,
    strip_thoughts,
    strip_thoughts_in_json,
)
from agents.llm.refusals import REFUSAL_DETAIL, contains_refusal, is_refusal_text
from agents.llm.schemas import build_schema
from agents.prompts import is_placeholder
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.events import UNCERTAIN, Option
from game.engine.forms import Ratings

NOBODY_PATTERN = re.compile(
    rf"\W*(?:(?:i |to )?(?:abstain(?:s|ed|ing)?|pass|skip)|(?:an )?abstention|null|no vote|"
    rf"(?:(?:i )?vote for )?(?:{NOBODY}|no[ -]?one|none)(?: of (?:them|these))?)\W*",
    re.I,
)
UNSURE_NAMES = (
    UNSURE.casefold(), "unsure", "unknown", "not sure", "can't tell", "cannot tell", "?",
)  # fmt: skip
# An empty addressee means everyone.
EVERYONE_NAMES = (EVERYONE, "everybody", "all", "the table", "the whole table", "")
CHOICE_KEYS = (
    "choice", "choices", "vote", "target", "targets", "name", "player", "players", "answer",
)  # fmt: skip
ADDRESSEE_KEYS = ("to", "addressed", "addressee")
STATEMENT_KEYS = ("statement", "text", "speech", "say", "message")
ROW_KEYS = ("player", "name", "reason")  # keys of a row besides its values
# Templates whose replies may be prose, which is the statement itself.
_PROSE_KINDS = ("statement", "contest_talk", "contest_whisper")
# Templates whose replies consist of rows, of which the whole ones of an unfinished reply count.
_ROW_KINDS = ("favor", "judgement", "ratings", RATINGS_REQUEST)


def parse_reply(text: str, request: Request) -> Reply:
    """Parse `text` as the reply to `request`.

    Marked reasoning is ignored. If there are several objects, the last one that fits the schema
    counts, else the last readable one. The reply has {"unread": [sentence, …]} if a part of it was
    unusable, and {"reason": str} if the model gave a reason.

    Raises:
        BackendError: if there is no answer, with the mistake as a sentence. The cause is `refusal`
            if the model refused, in any string of the object or in prose.
    """
    text = strip_thoughts(text)
    if not text.strip():
        raise BackendError("empty", "the answer was empty")
    decision = request.decision
    names = [*decision.view.state.seats, *(role.name for role in decision.ruleset.roles)]
    first_error: BackendError | None = None
    for part in answer_candidates(text):
        for data in _sort_by_fit(find_objects(part), request):
            if contains_refusal(data, names):
                raise BackendError("refusal", REFUSAL_DETAIL)
            try:
                return _parse_object(data, request)
            except BackendError as error:
                first_error = first_error or error
    if is_refusal_text(text, names):
        raise BackendError("refusal", REFUSAL_DETAIL)
    if first_error is None and (reply := _parse_without_object(text, request)):
        return reply
    raise first_error or BackendError("unusable", "the answer was no JSON object")


def is_prose(text: str) -> bool:
    """Return whether `text` is an answer without the beginning of any JSON."""
    text = strip_thoughts(text)
    return bool(text.strip()) and "{" not in text


def is_prose_refusal(text: str) -> bool:
    """Return whether an answer is a refusal in prose, which tells nothing about the format."""
    return is_prose(text) and is_refusal_text(strip_thoughts(text))


def _parse_object(data: Mapping[str, Any], request: Request) -> Reply:
    problems: list[str] = []
    clean_data = strip_thoughts_in_json(data)
    parse = _PARSERS.get(template_name(request), _parse_choice)
    reply = {**parse(clean_data, request.decision, problems)}
    reply |= _parse_ratings_beside_answer(clean_data, request, problems)
    return {**reply, **row_parsing.reason_field(data), **({"unread": problems} if problems else {})}


def _parse_without_object(text: str, request: Request) -> Reply:
    """Return the reply of an unfinished object's whole rows, or a prose statement, or {}."""
    kind = template_name(request)
    if kind in _ROW_KINDS and (data := parse_unfinished(text)):
        problems = ["the answer was cut off after its last whole row"]
        reply = _PARSERS[kind](strip_thoughts_in_json(data), request.decision, problems)
        return {**reply, **row_parsing.reason_field(data), "unread": problems}
    spoken = extract_spoken(text) if kind in _PROSE_KINDS else ""
    return {"text": spoken} if spoken else {}


def _sort_by_fit(objects: list[dict[str, Any]], request: Request) -> list[dict[str, Any]]:
    """Sort the objects: those that fit the schema first, later ones before earlier ones."""
    later_first = objects[::-1]
    if len(later_first) > 1:
        schema = build_schema(request)
        later_first.sort(key=lambda data: not is_valid(data, schema))
    return later_first


def _first_value(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((data[key] for key in keys if key in data), None)


def _join_text(value: Any) -> str:
    """Return a string, or a list of strings as one. "" for other values."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    return value.strip() if isinstance(value, str) else ""


def _parse_statement(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    pass_name = str(data.get("pass") or "").strip().casefold()
    if pass_name in permitted_passes(decision):
        return {"pass": pass_name}
    statement = _join_text(_first_value(data, STATEMENT_KEYS))
    if not statement or is_placeholder(statement):
        raise BackendError("unusable", "there was no statement in it")
    to = _parse_addressee(_first_value(data, ADDRESSEE_KEYS), decision, problems)
    return {"text": statement, **({"to": to} if to else {})}


def _parse_addressee(value: Any, decision: Decision, problems: list[str]) -> int | None:
    """Return the seat that a statement addresses, None if it addresses all players."""
    options = decision.window.options_for(decision.seat)
    if not options or value is None or NOBODY_PATTERN.fullmatch(str(value)):
        return None
    if str(value).strip().casefold() in EVERYONE_NAMES:
        return None
    if (seat := row_parsing.parse_seat(value, decision)) in options:
        return seat
    problems.append(f"{row_parsing.short_text(value)} can't be spoken to")
    return None


def _parse_strategy(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    plan = _join_text(data.get("plan"))
    if plan and not is_placeholder(plan):
        return {"plan": plan}
    raise BackendError("unusable", "there was no plan in it")


def _parse_favor(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    rows = row_parsing.find_rows(data, "scores")
    scores: dict[str, int] = {}
    for name, value in row_parsing.iter_pairs(rows, "score"):
        seat = row_parsing.parse_other_seat(name, decision, problems)
        if isinstance(value, Mapping):
            value = value.get("score")
        if seat is None or str(seat) in scores:
            continue
        score = row_parsing.parse_score(value, player_name(seat, decision), problems)
        if score is not None:
            scores[str(seat)] = score
    row_parsing.require_usable(scores, rows, problems)
    reason_by_seat = _reasons_by_seat(rows, decision)
    reasons = {seat: [reason] for seat, reason in reason_by_seat.items() if seat in scores}
    return {"scores": scores, **({"why": reasons} if reasons else {})}


def _reasons_by_seat(rows: Any, decision: Decision) -> dict[str, str]:
    reasons = {}
    for row in rows if isinstance(rows, list) else ():
        seat = row_parsing.parse_seat(row, decision) if isinstance(row, Mapping) else None
        if seat and (reason := row_parsing.reason_field(row)):
            reasons[str(seat)] = reason["reason"]
    return reasons


def _parse_judgement(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    rows = row_parsing.find_rows(data, "players")
    judgements: dict[str, dict[str, float]] = {}
    for name, value in row_parsing.iter_pairs(rows, "roles"):
        seat = row_parsing.parse_other_seat(name, decision, problems)
        if seat is None or str(seat) in judgements:
            continue
        if isinstance(value, Mapping) and "player" in value:  # the probabilities are in the row
            value = value.get("role") or {k: v for k, v in value.items() if k not in ROW_KEYS}
        if isinstance(value, Mapping) and set(value) == {"roles"}:
            value = value["roles"]
        label = player_name(seat, decision)
        if shares := row_parsing.parse_role_shares(value, label, decision, problems):
            judgements[str(seat)] = shares
    row_parsing.require_usable(judgements, rows, problems)
    return {"roles": judgements}


def _parse_choice(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    value = _first_value(data, CHOICE_KEYS)
    names = value if isinstance(value, list) else [value]
    pick = decision.window.pick
    options = decision.window.options_for(decision.seat)
    has_choice = any(key in data for key in CHOICE_KEYS)
    if pick.may_abstain and has_choice and _is_nobody(names, decision):
        return {}
    if pick.count > 1 and isinstance(value, str):
        names = _options_in(value, decision)
    chosen: list[Option] = []
    for name in names:
        choice = _find_option(name, options, decision)
        if choice is None:
            problems.append(f"{row_parsing.short_text(name)} can't be chosen")
        elif choice in chosen:
            problems.append(f"{quoted_option_name(choice, decision)} was named twice")
        else:
            chosen.append(choice)
    if len(chosen) < pick.count:
        mistake = "there was no choice in it" if value is None else "; ".join(problems[:3])
        option_names = ", ".join(quoted_option_name(o, decision) for o in options)
        option_names += f" or {NOBODY}" if pick.may_abstain else ""
        different = "" if pick.count == 1 else "different ones "
        raise BackendError(
            "unusable" if value is None else "illegal",
            f"{mistake or 'that is too few'}; choose {pick.count} {different}of: {option_names}",
        )
    excess_names = (quoted_option_name(o, decision) for o in chosen[pick.count :])
    problems += [f"{name} was one too many" for name in excess_names]
    return {"targets": chosen[: pick.count]}


def _is_nobody(names: list[Any], decision: Decision) -> bool:
    """Return whether the answer abstains. A player's name never does."""
    if len(names) != 1 or row_parsing.parse_seat(names[0], decision):
        return False
    return bool(NOBODY_PATTERN.fullmatch(str(names[0])))


def _find_option(value: Any, options: Collection[Option], decision: Decision) -> Option | None:
    """Return the named option: a player, or a word by its label or key."""
    seat = row_parsing.parse_seat(value, decision)
    if seat is not None and seat in options:
        return seat
    normal_value = str(value).strip().casefold()
    labels = {o: option_name(o, decision).casefold() for o in options if not isinstance(o, int)}
    equal = [word for word, label in labels.items() if normal_value in (word.casefold(), label)]
    mentioned = [  # as in "on my left"
        word
        for word, label in labels.items()
        if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", normal_value)
    ]
    return next((words[0] for words in (equal, mentioned) if len(words) == 1), None)


def _options_in(text: str, decision: Decision) -> list[str]:
    """Return the options' names that occur in a text, in text order."""
    names = [option_name(o, decision) for o in decision.window.options_for(decision.seat)]
    positions = [(text.find(name), name) for name in names if name in text]
    return [name for _, name in sorted(positions)]


def _parse_ratings(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return the ratings. A player without a usable row keeps the previous rating."""
    legal = decision.window.legal
    assert isinstance(legal, Ratings)
    return {
        "ratings": _rating_rows(row_parsing.find_rows(data, "ratings"), legal, decision, problems)
    }


def _parse_ratings_beside_answer(
    data: Mapping[str, Any], request: Request, problems: list[str]
) -> Reply:
    """Return the ratings that were requested together with an answer (SPEC 2.6).

    Missing or unusable ratings leave the scores unchanged. They never make the answer unusable.
    """
    seats = seats_to_rate(request)
    if not seats or request.kind == RATINGS_REQUEST:
        return {}
    legal, rows = rating_form(request.decision, seats), data.get("ratings", ())
    try:
        return {"ratings": _rating_rows(rows, legal, request.decision, problems)}
    except BackendError as error:
        problems.append(f"ratings: {error.detail}")
        return {}


def _rating_rows(
    raw: Any, legal: Ratings, decision: Decision, problems: list[str]
) -> dict[str, dict[str, Any]]:
    """Return seat -> {"role", "confidence"} for the usable rows.

    A rating has {"evidence": positions in the view} and {"reason": str} if the row had them.
    """
    position_by_line: dict[int, int] | None = None  # costly: computed at the first citation
    ratings: dict[str, dict[str, Any]] = {}
    for name, value in row_parsing.iter_pairs(raw, "ratings"):
        seat = row_parsing.parse_other_seat(name, decision, problems)
        if seat is None or str(seat) in ratings:
            continue
        label = player_name(seat, decision)
        if seat not in legal.options_for(decision.seat):
            problems.append(f"{label} can't be rated")
        elif row := _rating_row(value, label, legal, decision, problems):
            ratings[str(seat)] = row
            row |= row_parsing.reason_field(value) if isinstance(value, Mapping) else {}
            if isinstance(value, Mapping) and value.get("evidence"):
                position_by_line = position_by_line or map_lines_to_positions(decision)
                line_numbers = row_parsing.parse_citations(value["evidence"])
                positions = [position_by_line[n] for n in line_numbers if n in position_by_line]
                row["evidence"] = positions[:MAX_CITED]
    row_parsing.require_usable(ratings, raw, problems)
    return ratings


def _rating_row(
    value: Any, label: str, legal: Ratings, decision: Decision, problems: list[str]
) -> dict[str, Any] | None:
    """Return {"role", "confidence"} of one row, None if it is no rating."""
    row = value if isinstance(value, Mapping) else {}
    role_value = row.get("role")
    is_unsure = str(role_value).strip().casefold() in UNSURE_NAMES
    role = UNCERTAIN if is_unsure else row_parsing.parse_role(role_value, decision)
    if role not in legal.choices:
        problems.append(f"{label}: {row_parsing.short_text(role_value)} is no role of this game")
        return None
    least, most = legal.min_confidence, legal.max_confidence
    confidence = row_parsing.parse_score(row.get("confidence"), label, problems, least, most)
    return None if confidence is None else {"role": role, "confidence": confidence}


_PARSERS = {
    "statement": _parse_statement,
    "strategy": _parse_strategy,
    "favor": _parse_favor,
    "judgement": _parse_judgement,
    "ratings": _parse_ratings,
    RATINGS_REQUEST: _parse_ratings,
    **contest_replies.PARSERS,
}
