"""Parsing of replies to the contest agent's requests (Impressions A.4 to A.9).

Each parser takes the reply's JSON object and appends a sentence to `problems` for each unusable
part. It raises BackendError if the whole reply is unusable.
"""

import re
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm import row_parsing
from agents.llm.contest_prompts import addressees, look_answers
from agents.llm.quoting import is_placeholder

CONTENT_KEYS = ("content", "statement", "text")
OVER_PATTERN = re.compile(r"\W*over\W*", re.IGNORECASE)
NOBODY_PATTERN = re.compile(r"\W*(?:nobody|no[ -]?one|none|unknown|null)?\W*", re.IGNORECASE)
TRUE_VALUES = (True, "true", "yes", "over")


def parse_conversation(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return the statement of a reply, or {"pass": "over"}.

    A statement is {"text", "to", "closing": whether it ends the agent's talk}.
    """
    legal = decision.window.speech
    raw_over = data.get("over")
    over = raw_over.casefold() if isinstance(raw_over, str) else raw_over
    is_over = legal.may_over and over in TRUE_VALUES
    content = _spoken_text(next((data[key] for key in CONTENT_KEYS if key in data), ""))
    to = _parse_addressee(data.get("to"), decision, problems)
    to_them = _spoken_text(data.get("to_them"))
    speaks_to_one = bool(to and to_them)
    if legal.may_over and (OVER_PATTERN.fullmatch(content) if content else is_over):
        return {"pass": "over"}
    if not content and not speaks_to_one:
        raise BackendError("unusable", 'nothing was said: "content" holds the spoken words')
    reply: dict[str, Any] = {"text": content, **({"closing": True} if is_over else {})}
    if not speaks_to_one:
        return reply
    name = decision.view.name(to)
    if not legal.has_mentions:
        return {**reply, "text": f"{content} {name}, {to_them}".strip(), "to": to}
    # The first @Name of a statement names the addressee: no other name may stand before it.
    spoken = _without_mentions(content, decision)
    if spoken != content:
        problems.append(f"content spoke to somebody else than {name}")
    them = to_them.removeprefix(f"@{name}").lstrip(" ,:")
    return {**reply, "text": f"{spoken} @{name} {_without_mentions(them, decision)}".strip()}


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
    problems += ["only one player can be spoken to"] if len(legal) > 1 else []
    return legal[0] if legal else 0


def _split_lines(value: Any) -> list[str]:
    """Return the lines of a list, or of one text, without bullets."""
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
    role = row_parsing.parse_role(row.get("role"), decision)
    if number is None or role is None:
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


PARSERS = {
    "contest_talk": parse_conversation,
    "contest_whisper": parse_conversation,
    "character": parse_character,
    "summary": parse_summary,
    "claims": parse_claims,
    "votes": parse_votes,
    "guess": parse_guess,
}
