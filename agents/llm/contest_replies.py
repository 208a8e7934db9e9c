"""Parsing of replies to the contest agent's requests (Impressions A.4 to A.9).

Each parser takes the reply's JSON object. It leaves out an unusable part and appends a sentence on
it to `problems`, or raises BackendError if the answer makes no sense without that part.
"""

import re
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm import row_parsing
from agents.llm.contest_prompts import addressees, look_answers
from agents.prompts import is_placeholder

CONTENT_KEYS = ("content", "statement", "text")
OVER_PATTERN = re.compile(r"\W*over\W*", re.IGNORECASE)
NOBODY_PATTERN = re.compile(r"\W*(?:nobody|no[ -]?one|none|unknown|null)?\W*", re.IGNORECASE)
TRUE_VALUES = (True, "true", "yes", "over")


def parse_conversation(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return the statement of a reply, or {"pass": "over"}.

    A statement is {"text", "to", "closing": whether it ends the agent's talk}.
    """
    legal = decision.window.speech
    content = _spoken_text(next((data[key] for key in CONTENT_KEYS if key in data), ""))
    addressee = _parse_addressee(data.get("to"), decision, problems)
    addressed_text = _spoken_text(data.get("to_them")) if addressee else ""
    raw_over = data.get("over")
    declared_over = raw_over.casefold() if isinstance(raw_over, str) else raw_over
    is_over = legal.may_over and declared_over in TRUE_VALUES
    if legal.may_over and (OVER_PATTERN.fullmatch(content) if content else is_over):
        return {"pass": "over"}
    if not content and not addressed_text:
        raise BackendError("unusable", 'nothing was said: "content" holds the spoken words')
    reply: dict[str, Any] = {"text": content, **({"closing": True} if is_over else {})}
    if not addressed_text:
        return reply
    if legal.has_mentions:
        text = _text_with_mention(content, addressee, addressed_text, decision, problems)
        return {**reply, "text": text}
    name = decision.view.name(addressee)
    return {**reply, "text": f"{content} {name}, {addressed_text}".strip(), "to": addressee}


def _text_with_mention(
    content: str, addressee: int, addressed_text: str, decision: Decision, problems: list[str]
) -> str:
    """Return both parts of a statement, the second after a mention of the addressee.

    The first @Name of a statement names the addressee, so no other name may stand before it.
    """
    name = decision.view.name(addressee)
    unmentioned_content = _without_mentions(content, decision)
    if unmentioned_content != content:
        problems.append(f"content spoke to somebody else than {name}")
    words = _without_mentions(addressed_text.removeprefix(f"@{name}").lstrip(" ,:"), decision)
    return f"{unmentioned_content} @{name} {words}".strip()


def parse_character(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return {"lines": [description, habit, …]}."""
    return {"lines": [*_split_lines(data.get("description")), *_split_lines(data.get("habits"))]}


def parse_summary(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    return {"lines": _split_lines(data.get("lines", data.get("summary")))}


def parse_claims(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return {"claims": [{"turn", "role", "targets", "result"}, …]} of the usable rows."""
    rows = data.get("claims")
    if not isinstance(rows, list):
        raise BackendError("unusable", "there was no list of claims in it")
    claims = (_parse_claim_row(row, decision, problems) for row in rows)
    return {"claims": [claim for claim in claims if claim]}


def parse_votes(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return {"votes": [{"turn", "role": "", "targets": [seat], "result": ""}, …]}."""
    rows = data.get("votes")
    if not isinstance(rows, list):
        raise BackendError("unusable", "there was no list of votes in it")
    votes = []
    for row in rows:
        number = row_parsing.parse_number(row.get("number")) if isinstance(row, Mapping) else None
        seat = row_parsing.parse_seat(row.get("target"), decision) if number is not None else None
        if number is None or not seat:
            problems.append(f"{row_parsing.short_text(row)} is no announced vote")
            continue
        votes.append({"turn": int(number), "role": "", "targets": [seat], "result": ""})
    return {"votes": votes}


def parse_guess(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return {"looker": seat or 0, "hunted": seat or 0, "why": {seat: [reason]}}."""
    seats: dict[str, int] = {}
    reasons: dict[str, list[str]] = {}
    # The prompt (guess.txt) asks for "first" and "second", which name no role of the game.
    for key, field in (("looker", "first"), ("hunted", "second")):
        name = data.get(field)
        seat = row_parsing.parse_seat(name, decision)
        if seat is None and not NOBODY_PATTERN.fullmatch(str(name or "")):
            raise BackendError("unusable", f"{row_parsing.short_text(name)} is no player")
        seats[key] = seat or 0
        if seat and (reason := _spoken_text(data.get(f"{field}_reason"))):
            reasons[str(seat)] = [reason[: row_parsing.MAX_STORED_REASON_CHARS]]
    return {**seats, "why": reasons}


def _spoken_text(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return "" if is_placeholder(text) else text


def _without_mentions(text: str, decision: Decision) -> str:
    names = "|".join(re.escape(name) for name in decision.view.state.seats)
    return re.sub(rf"@(?=(?:{names})(?!\w))", "", text)


def _parse_addressee(value: Any, decision: Decision, problems: list[str]) -> int:
    """Return the addressed seat, the first of several, 0 for all players."""
    options = addressees(decision)
    values = value if isinstance(value, list) else [value]
    seats = [row_parsing.parse_seat(name, decision) for name in values]
    legal = [seat for seat in seats if seat and seat in options]
    pairs = zip(values, seats, strict=True)
    illegal = [name for name, seat in pairs if seat and seat not in options]
    problems += [f"{row_parsing.short_text(name)} can't be spoken to" for name in illegal]
    if len(legal) > 1:
        problems.append("only one player can be spoken to")
    return legal[0] if legal else 0


def _split_lines(value: Any) -> list[str]:
    """Return the lines of a list, or of one text, without bullets, numbers and empty lines."""
    rows = value if isinstance(value, list) else [value]
    texts = [line for row in rows if isinstance(row, str) for line in row.split("\n")]
    lines = (re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", text).strip() for text in texts)
    return [line for line in lines if not is_placeholder(line)]


def _parse_claim_row(row: Any, decision: Decision, problems: list[str]) -> dict[str, Any] | None:
    """Return the claim in a row as `parse_claims` lists it, None if the row is unusable."""
    if not isinstance(row, Mapping):
        problems.append(f"{row_parsing.short_text(row)} is no row")
        return None
    number = row_parsing.parse_number(row.get("number"))
    if number is None:
        problems.append(f"{row_parsing.short_text(row.get('number'))} is no number of a statement")
        return None
    role = row_parsing.parse_role(row.get("role"), decision)
    if role is None:
        problems.append(f"{row_parsing.short_text(row.get('role'))} is no role of this game")
        return None
    names = row.get("targets") if isinstance(row.get("targets"), list) else [row.get("targets")]
    seats = sorted({s for name in names or () if (s := row_parsing.parse_seat(name, decision))})
    result = str(row.get("result") or "").strip().casefold()
    look = decision.pack.look(role)
    is_report = look is not None and len(seats) == look.seats and result in look_answers(decision)
    if not is_report and result:
        problems.append(f"a result of {row_parsing.short_text(row.get('role'))} could not be read")
    targets, result = (seats, result) if is_report else ([], "")
    return {"turn": int(number), "role": role, "targets": targets, "result": result}


# Name of a request's template -> the parser of its replies.
PARSERS = {
    "contest_talk": parse_conversation,
    "contest_whisper": parse_conversation,
    "character": parse_character,
    "summary": parse_summary,
    "claims": parse_claims,
    "votes": parse_votes,
    "guess": parse_guess,
}
