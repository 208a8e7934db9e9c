"""Tolerant parsing of names, scores and probabilities in a model's rows.

A function with the parameter `problems` appends a sentence to it for each unusable or adjusted
value.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.decision import BackendError, Decision
from agents.llm.player_names import find_seat_by_number, find_seats_by_name
from agents.llm.reasoning import strip_thoughts_in_json
from agents.prompts import is_placeholder
from agents.quotation import quote_text

MIN_SCORE, MAX_SCORE = 1, 10  # bounds of a score of favor
MAX_CITATIONS = 40  # further line numbers of a row are not read
MAX_SENTENCE_VALUE_CHARS = 40
MAX_STORED_REASON_CHARS = 600
# A row is in percent if its largest number exceeds the first bound, and its sum not the second.
PERCENT_BOUNDS = (10, 120)
_NUMBER = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(%)?\s*(?:/\s*\d+|out of \d+)?\s*")


def parse_seat(value: Any, decision: Decision) -> int | None:
    """Return the seat for a name, None if it names no player or several.

    Accepts "Beta", "beta.", "Player Beta (Seer)", {"name": "Beta"}, and for "player_3" also "Player
    3" and 3.
    """
    if isinstance(value, Mapping):
        value = value.get("player", value.get("name"))
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    seats = decision.view.state.seats
    seats_by_name = {name.casefold(): seat for seat, name in enumerate(seats, 1)}
    normal_name = value.strip().casefold()
    if normal_name in seats_by_name:
        return seats_by_name[normal_name]
    named_seats = find_seats_by_name(normal_name, seats)
    return named_seats.pop() if len(named_seats) == 1 else find_seat_by_number(normal_name, seats)


def parse_role(value: Any, decision: Decision) -> str | None:
    """Return the deck's role for a word, None for none or several.

    Accepts "Werewolf", "wolf", "the wolves", "Villagers (good)".
    """
    if not isinstance(value, str):
        return None
    normal_role = re.sub(r"\(.*?\)|\b(?:the|an?)\b|[^\w\s-]", " ", value.casefold()).strip()
    normal_role = re.sub(r"wolves\b", "wolf", normal_role)
    names_by_role = {
        role.key: {role.key.casefold(), role.name.casefold()}
        for role in decision.ruleset.roles
        if role.key in decision.ruleset.deck
    }
    for word in (normal_role, normal_role.removesuffix("s")):
        if equal := [key for key, names in names_by_role.items() if word in names]:
            return equal[0]
    if len(normal_role) <= 2:  # too short for a part of a name
        return None
    similar = [
        key
        for key, names in names_by_role.items()
        if any(name in normal_role or normal_role in name for name in names)
    ]
    return similar[0] if len(similar) == 1 else None


def parse_number(value: Any) -> float | None:
    """Return the number in 7, "7", "7/10", 7.5 or "70 %" (which is 0.7), None for others."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value)
        if not match:
            return None
        value = float(match[1].replace(",", ".")) / (100 if match[2] else 1)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def parse_citations(value: Any) -> list[int]:
    """Return the cited line numbers, each once, in [3, "[7]", "line 9"] or "3, 7"."""
    items = value if isinstance(value, list) else [value]
    numbers = (int(n) for item in items for n in re.findall(r"\d+", str(item))[:MAX_CITATIONS])
    return list(dict.fromkeys(numbers))[:MAX_CITATIONS]


def reason_field(data: Mapping[str, Any]) -> dict[str, str]:
    """Return {"reason": str} of a reply or a row, {} if it gives none."""
    reason_text = strip_thoughts_in_json(data.get("reason"))
    if not isinstance(reason_text, str) or not reason_text.strip() or is_placeholder(reason_text):
        return {}
    return {"reason": reason_text.strip()[:MAX_STORED_REASON_CHARS]}


def find_rows(data: Mapping[str, Any], key: str) -> Any:
    """Return the rows of a reply, for `iter_pairs`. Raise BackendError if they are no list."""
    rows: Any
    if key in data:  # {"scores": [{"player": "Beta", "score": 7}, …]}
        rows = data[key]
    elif "player" in data:  # {"player": "Beta", "score": 7}: a single row
        rows = [data]
    else:  # {"Beta": 7, …}
        rows = {name: value for name, value in data.items() if name != "reason"}
    if not isinstance(rows, list | Mapping):
        raise BackendError("unusable", f"there was no list of {key} in it")
    return rows


def require_usable(parsed: Mapping[str, Any], raw: Any, problems: list[str]) -> None:
    """Raise BackendError if there are rows and none could be used."""
    if raw and not parsed:
        raise BackendError("unusable", "; ".join(problems[:4]) or "no row in it could be used")


def iter_pairs(rows: Any, value: str) -> Iterator[tuple[Any, Any]]:
    """Yield (player, value) of [{"player": …, value: …}, …], [{"Beta": 7}] or {"Beta": 7, …}."""
    if isinstance(rows, Mapping):
        yield from rows.items()
        return
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping) and (name := row.get("player", row.get("name"))) is not None:
            yield name, row.get(value, row)
        elif isinstance(row, Mapping) and len(row) == 1:
            yield from row.items()
        else:
            yield None, row


def parse_other_seat(name: Any, decision: Decision, problems: list[str]) -> int | None:
    """Return the seat of another player, None if the name is none."""
    seat = parse_seat(name, decision)
    if seat == decision.seat:
        problems.append("a row on yourself")
        return None
    if seat is None:
        problems.append(f"a row on {short_text(name)}, who is no player")
    return seat


def parse_score(
    value: Any,
    label: str,
    problems: list[str],
    min_score: int = MIN_SCORE,
    max_score: int = MAX_SCORE,
) -> int | None:
    """Return a score within the bounds, halves rounded up, None if the value is none."""
    number = parse_number(value)
    if number is None or not min_score <= number <= max_score:
        problems.append(f"{label}: {short_text(value)} is no score from {min_score} to {max_score}")
        return None
    if not number.is_integer():
        problems.append(f"{label}: {number:g} was rounded")
    return math.floor(number + 0.5)


def parse_role_shares(
    role_shares: Any, label: str, decision: Decision, problems: list[str]
) -> dict[str, float]:
    """Return role -> probability from 0 to 1 of one row, {} if nothing is usable."""
    if isinstance(role_shares, str):  # {"player": …, "roles": "Seer"}: one role for certain
        role_shares = {role_shares: 1.0}
    shares: dict[str, float] = {}
    for name, value in _iter_cells(role_shares):
        role, number = parse_role(name, decision), parse_number(value)
        if role is None or number is None or number < 0:
            cell = f"{short_text(name)}: {short_text(value)}"
            problems.append(f"{label}: {cell} is no probability of a role")
        else:
            shares[role] = shares.get(role, 0.0) + number
    highest, total = max(shares.values(), default=0.0), sum(shares.values())
    if highest > 1:
        is_percent = highest > PERCENT_BOUNDS[0] and total <= PERCENT_BOUNDS[1]
        kind = "percent" if is_percent else "scaled to add up to 1"
        problems.append(f"{label}: the numbers were {kind}")
        shares = {role: p / (100 if is_percent else total) for role, p in shares.items()}
    return {role: round(min(1.0, p), 4) for role, p in shares.items()}


def short_text(value: Any) -> str:
    """Return a value shortened for a sentence, quoted because it may repeat a player's words."""
    if isinstance(value, int | float):
        return str(value)
    return quote_text(
        value if isinstance(value, str) else json.dumps(value, default=str),
        MAX_SENTENCE_VALUE_CHARS,
    )


def _iter_cells(cells: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (role, value) of {"Seer": 0.5, …} or [{"role": "Seer", "probability": 0.5}, …]."""
    if isinstance(cells, Mapping):
        yield from cells.items()
    for row in cells if isinstance(cells, list) else ():
        if isinstance(row, Mapping) and "role" in row:
            other_values = [value for key, value in row.items() if key != "role"]
            yield row["role"], other_values[0] if other_values else 1.0
        elif isinstance(row, Mapping):
            yield from row.items()
