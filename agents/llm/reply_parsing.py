"""Parses a model's text into a reply: strictly if it is JSON, else tolerantly."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from agents.decision import BackendError, Decision, Reply, Request
from agents.llm import contest_replies, row_parsing
from agents.llm.json_objects import fits, objects_in, unfinished
from agents.llm.narration import EVERYONE, NOBODY, UNSURE, option
from agents.llm.numbered_context import positions
from agents.llm.prompting import template_of
from agents.llm.question_fields import MOST_CITED, passes
from agents.llm.quoting import is_placeholder
from agents.llm.reasoning import cleaned, parts, spoken_of, without_thoughts
from agents.llm.refusals import DETAIL, has_refusal, is_refusal
from agents.llm.schemas import schema_of
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.reliability_scale import REQUEST
from agents.reliability_scores import rating_form
from game.engine.forms import UNCERTAIN, Option, Ratings

REASON = 600  # characters of a reason that are stored
NONE = re.compile(
    rf"\W*(?:(?:i |to )?(?:abstain(?:s|ed|ing)?|pass|skip)|(?:an )?abstention|null|no vote|"
    rf"(?:(?:i )?vote for )?(?:{NOBODY}|no[ -]?one|none)(?: of (?:them|these))?)\W*",
    re.I,
)
ALL = (EVERYONE, "everybody", "all", "the table", "the whole table", "")
UNKNOWN = (UNSURE.casefold(), "unsure", "unknown", "not sure", "can't tell", "cannot tell", "?")
CHOICES = ("choice", "choices", "vote", "target", "targets", "name", "player", "players", "answer")
TO = ("to", "addressed", "addressee")
WORDS = ("statement", "text", "speech", "say", "message")


def reply_of(text: str, request: Request) -> Reply:
    """Return the reply that `text` gives to `request`.

    The reply has {"unread": [what could not be used, …]} if anything was unusable, and {"reason":
    str} if the model gave a reason. Marked reasoning is ignored. If there are several objects, the
    last one that fits the schema counts, then the last readable one.

    Raises:
        BackendError: if there is no answer, with a sentence that says what is wrong. The cause is
            `refusal` if the model refused, in any string of the object or in prose.
    """
    text = without_thoughts(text)
    if not text.strip():
        raise BackendError("empty", "the answer was empty")
    name, names = template_of(request), _names(request.decision)
    wrong: BackendError | None = None
    for part in parts(text):
        for data in _by_rank(objects_in(part), request):
            if has_refusal(data, names):
                raise BackendError("refusal", DETAIL)
            unread: list[str] = []
            try:
                parsed = _READERS.get(name, _chosen)(cleaned(data), request.decision, unread)
            except BackendError as error:
                wrong = wrong or error
                continue
            parsed = {**parsed, **_with_answer(cleaned(data), request, unread)}
            return {**parsed, **_reason(data), **({"unread": unread} if unread else {})}
    if is_refusal(text, names):
        raise BackendError("refusal", DETAIL)
    if wrong is None and name in _OF_ROWS and (cut := unfinished(text)):
        unread = ["the answer was cut off after its last whole row"]
        parsed = _READERS[name](cleaned(cut), request.decision, unread)
        return {**parsed, **_reason(cut), "unread": unread}
    if wrong is None and name in _SPOKEN and (spoken := spoken_of(text)):
        return {"text": spoken}
    raise wrong or BackendError("unusable", "the answer was no JSON object")


def is_prose(text: str) -> bool:
    """Check whether `text` is an answer without the beginning of any JSON."""
    text = without_thoughts(text)
    return bool(text.strip()) and "{" not in text


def is_refused(text: str) -> bool:
    """Check whether an answer is a refusal in prose, which tells nothing about the format."""
    return is_prose(text) and is_refusal(without_thoughts(text))


def _names(decision: Decision) -> list[str]:
    """Return the names of the players and roles of a game."""
    return [*decision.view.state.seats, *(role.name for role in decision.ruleset.roles)]


def _by_rank(rows: list[dict[str, Any]], request: Request) -> list[dict[str, Any]]:
    """Return the objects that fit the schema first, later ones before earlier ones."""
    rows = rows[::-1]
    if len(rows) > 1:
        schema = schema_of(request)
        rows.sort(key=lambda data: not fits(data, schema))
    return rows


def _reason(data: Mapping[str, Any]) -> dict[str, str]:
    reason_text = cleaned(data.get("reason"))
    if not isinstance(reason_text, str) or not reason_text.strip() or is_placeholder(reason_text):
        return {}
    return {"reason": reason_text.strip()[:REASON]}


def _first(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((data[key] for key in keys if key in data), None)


def _text(value: Any) -> str:
    """Return a string, or a list of strings joined. Returns "" for anything else."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = " ".join(value)
    return value.strip() if isinstance(value, str) else ""


def _statement(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    pass_name = str(data.get("pass") or "").strip().casefold()
    if pass_name in passes(decision):
        return {"pass": pass_name}
    spoken = _text(_first(data, WORDS))
    if not spoken or is_placeholder(spoken):
        raise BackendError("unusable", "there was no statement in it")
    to = _addressed(_first(data, TO), decision, unread)
    return {"text": spoken, **({"to": to} if to else {})}


def _addressed(value: Any, decision: Decision, unread: list[str]) -> int | None:
    """Return the seat that a statement addresses, None if it addresses everybody."""
    options = decision.window.options_for(decision.seat)
    if not options or value is None or NONE.fullmatch(str(value)):
        return None
    if str(value).strip().casefold() in ALL:
        return None
    if (seat := row_parsing.seat_of(value, decision)) in options:
        return seat
    unread.append(f"{row_parsing.brief(value)} can't be spoken to")
    return None


def _strategy(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    plan = _text(data.get("plan"))
    if plan and not is_placeholder(plan):
        return {"plan": plan}
    raise BackendError("unusable", "there was no plan in it")


def _favor(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    rows = _rows(data, "scores")
    scores: dict[str, int] = {}
    for name, value in row_parsing.pairs(rows, "score"):
        seat = row_parsing.other_seat(name, decision, unread)
        if isinstance(value, Mapping):
            value = value.get("score")
        if seat is None or str(seat) in scores:
            continue
        if (
            score := row_parsing.score_of(value, row_parsing.name_of(seat, decision), unread)
        ) is not None:
            scores[str(seat)] = score
    _something(scores, rows, unread)
    reasons = {seat: [reason] for seat, reason in _whys(rows, decision).items() if seat in scores}
    return {"scores": scores, **({"why": reasons} if reasons else {})}


def _whys(rows: Any, decision: Decision) -> dict[str, str]:
    """Return seat -> the reason in its row."""
    reasons = {}
    for row in rows if isinstance(rows, list) else ():
        seat = row_parsing.seat_of(row, decision) if isinstance(row, Mapping) else None
        if seat and (reason := _reason(row)):
            reasons[str(seat)] = reason["reason"]
    return reasons


def _judgement(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    rows = _rows(data, "players")
    judgements: dict[str, dict[str, float]] = {}
    for name, value in row_parsing.pairs(rows, "roles"):
        seat = row_parsing.other_seat(name, decision, unread)
        if seat is None or str(seat) in judgements:
            continue
        # a row without roles: probabilities are in the row itself
        if isinstance(value, Mapping) and "player" in value:
            value = value.get("role") or {k: v for k, v in value.items() if k not in ROW}
        if isinstance(value, Mapping) and set(value) == {"roles"}:
            value = value["roles"]
        if shares := row_parsing.shares_of(
            value, row_parsing.name_of(seat, decision), decision, unread
        ):
            judgements[str(seat)] = shares
    _something(judgements, rows, unread)
    return {"roles": judgements}


ROW = ("player", "name", "reason")


def _rows(data: Mapping[str, Any], key: str) -> Any:
    """Return the rows under `key`, or the object itself if its keys are players."""
    rest = {k: v for k, v in data.items() if k != "reason"}
    rows = data.get(key, rest if key not in data and "player" not in data else [data])
    if not isinstance(rows, list | Mapping):
        raise BackendError("unusable", f"there was no list of {key} in it")
    return rows


def _something(parsed: Mapping[str, Any], raw: Any, unread: list[str]) -> None:
    """Raise BackendError if there are rows and none could be used."""
    if raw and not parsed:
        raise BackendError("unusable", "; ".join(unread[:4]) or "no row in it could be used")


def _ratings(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    """Return the ratings. A player without a usable row keeps the previous rating."""
    legal = decision.window.legal
    assert isinstance(legal, Ratings)
    return {"ratings": _rated(_rows(data, "ratings"), legal, decision, unread)}


def _with_answer(data: Mapping[str, Any], request: Request, unread: list[str]) -> Reply:
    """Return the ratings that were requested together with an answer (SPEC 2.6).

    They never spoil the answer: missing or unusable ratings leave the scores unchanged.
    """
    asked_seats = request.brief.get(RELIABILITY, {}).get("asked")
    if not asked_seats or request.kind == REQUEST:
        return {}
    legal = replace(rating_form(request.decision), options=tuple(asked_seats))
    try:
        return {"ratings": _rated(data.get("ratings", ()), legal, request.decision, unread)}
    except BackendError as error:
        unread.append(f"ratings: {error.detail}")
        return {}


def _rated(
    raw: Any, legal: Ratings, decision: Decision, unread: list[str]
) -> dict[str, dict[str, Any]]:
    """Return seat -> {"role", "confidence"} for the usable rows.

    A rating has {"evidence": positions in the view} and {"reason": str} if the row had them.
    """
    lines: dict[int, int] | None = None
    ratings: dict[str, dict[str, Any]] = {}
    for name, value in row_parsing.pairs(raw, "ratings"):
        seat = row_parsing.other_seat(name, decision, unread)
        if seat is None or str(seat) in ratings:
            continue
        if seat not in legal.options_for(decision.seat):
            unread.append(f"{row_parsing.name_of(seat, decision)} can't be rated")
        elif row := _rating(value, row_parsing.name_of(seat, decision), legal, decision, unread):
            ratings[str(seat)] = row
            row |= _reason(value) if isinstance(value, Mapping) else {}
            if isinstance(value, Mapping) and value.get("evidence"):
                lines = positions(decision) if lines is None else lines
                cited = row_parsing.numbers_of(value["evidence"])
                row["evidence"] = [lines[n] for n in cited if n in lines][:MOST_CITED]
    _something(ratings, raw, unread)
    return ratings


def _rating(
    value: Any, label: str, legal: Ratings, decision: Decision, unread: list[str]
) -> dict[str, Any] | None:
    """Return {"role", "confidence"} of one row, None with a note if it is no rating."""
    row = value if isinstance(value, Mapping) else {}
    role_value = row.get("role")
    doubts = str(role_value).strip().casefold() in UNKNOWN
    role = UNCERTAIN if doubts else row_parsing.role_of(role_value, decision)
    if role not in legal.choices:
        unread.append(f"{label}: {row_parsing.brief(role_value)} is no role of this game")
        return None
    least, most = legal.least, legal.most
    sure = row_parsing.score_of(row.get("confidence"), label, unread, least, most)
    return None if sure is None else {"role": role, "confidence": sure}


def _chosen(data: Mapping[str, Any], decision: Decision, unread: list[str]) -> Reply:
    value = _first(data, CHOICES)
    names = value if isinstance(value, list) else [value]
    legal = decision.window.pick
    options = decision.window.options_for(decision.seat)
    if legal.may_abstain and any(key in data for key in CHOICES) and _nobody(names, decision):
        return {}
    if legal.count > 1 and isinstance(value, str):
        names = _options_in(value, decision)
    options_found: list[Option] = []
    for name in names:
        chosen = _option(name, options, decision)
        if chosen is None:
            unread.append(f"{row_parsing.brief(name)} can't be chosen")
        elif chosen in options_found:
            unread.append(f"{_option_name(chosen, decision)} was named twice")
        else:
            options_found.append(chosen)
    if len(options_found) < legal.count:
        wrong = "there was no choice in it" if value is None else "; ".join(unread[:3])
        wrong = wrong or "that is too few"
        names_of = ", ".join(_option_name(o, decision) for o in options)
        names_of += f" or {NOBODY}" if legal.may_abstain else ""
        cause = "unusable" if value is None else "illegal"
        different = "" if legal.count == 1 else "different ones "
        raise BackendError(cause, f"{wrong}; choose {legal.count} {different}of: {names_of}")
    unread += [
        f"{_option_name(o, decision)} was one too many" for o in options_found[legal.count :]
    ]
    return {"targets": options_found[: legal.count]}


def _nobody(names: list[Any], decision: Decision) -> bool:
    """Check whether the answer chooses nobody, and no player has that name."""
    if len(names) != 1 or row_parsing.seat_of(names[0], decision):
        return False
    return bool(NONE.fullmatch(str(names[0])))


def _option(value: Any, options: Collection[Option], decision: Decision) -> Option | None:
    """Return the named option: a player, or a word by its label or key."""
    seat = row_parsing.seat_of(value, decision)
    if seat is not None and seat in options:
        return seat
    normal_value = str(value).strip().casefold()
    words = [o for o in options if not isinstance(o, int)]
    for same in (_same, _within):
        if len(matching_words := [w for w in words if same(w, normal_value, decision)]) == 1:
            return matching_words[0]
    return None


def _same(word: str, normal_value: str, decision: Decision) -> bool:
    return normal_value in (word.casefold(), option(word, decision).casefold())


def _within(word: str, normal_value: str, decision: Decision) -> bool:
    """Check whether `normal_value` mentions the option: "on my left"."""
    return bool(
        re.search(rf"(?<!\w){re.escape(option(word, decision).casefold())}(?!\w)", normal_value)
    )


def _option_name(chosen: Option, decision: Decision) -> str:
    return (
        row_parsing.name_of(chosen, decision)
        if isinstance(chosen, int)
        else option(chosen, decision)
    )


def _options_in(text: str, decision: Decision) -> list[str]:
    """Return the options' names that occur in a text, in text order."""
    names = [option(o, decision) for o in decision.window.options_for(decision.seat)]
    positions = [(text.find(name), name) for name in names if name in text]
    return [name for _, name in sorted(positions)]


_SPOKEN = ("statement", "contest_talk", "contest_whisper")  # prose may be the words themselves
_OF_ROWS = ("favor", "judgement", "ratings", REQUEST)
_READERS = {
    "statement": _statement,
    "strategy": _strategy,
    "favor": _favor,
    "judgement": _judgement,
    "ratings": _ratings,
    REQUEST: _ratings,
    **contest_replies.READERS,
}
