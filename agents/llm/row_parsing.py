"""Names, scores and probabilities as models write them, read with tolerance, row by row.

What is usable is kept; what is not is noted in a sentence, in `unread`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.decision import Decision
from agents.llm import names
from agents.llm.quoting import called, quoted

LEAST, MOST = 1, 10  # of a score
PERCENT = (10, 120)  # a row of numbers beyond 1 is in percent: its largest, its sum at most
_NUMBER = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(%)?\s*(?:/\s*\d+|out of \d+)?\s*")


def seat_of(value: Any, decision: Decision) -> int | None:
    """The seat that a name stands for: "Beta", "beta.", "Player Beta (Seer)", {"name": "Beta"}, and
    of "player_3" also "Player 3" and 3; none where no player is named, or several are."""
    if isinstance(value, Mapping):
        value = value.get("player", value.get("name"))
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    seats = decision.view.state.seats
    known = {name.casefold(): seat for seat, name in enumerate(seats, 1)}
    said = value.strip().casefold()
    if said in known:
        return known[said]
    named = names.within(said, seats)
    return named.pop() if len(named) == 1 else names.by_number(said, seats)


def role_of(value: Any, decision: Decision) -> str | None:
    """The role that a word stands for: "Werewolf", "wolf", "the wolves", "Villagers (good)"."""
    if not isinstance(value, str):
        return None
    said = re.sub(r"\(.*?\)|\b(?:the|an?)\b|[^\w\s-]", " ", value.casefold()).strip()
    said = re.sub(r"wolves\b", "wolf", said)
    roles = {r.key: {r.key.casefold(), r.name.casefold()} for r in decision.ruleset.roles}
    roles = {key: words for key, words in roles.items() if key in decision.ruleset.deck}
    for word in (said, said.removesuffix("s")):
        if same := [key for key, words in roles.items() if word in words]:
            return same[0]
    found = [
        key
        for key, words in roles.items()
        if len(said) > 2 and any(w in said or said in w for w in words)
    ]
    return found[0] if len(found) == 1 else None


def number_of(value: Any) -> float | None:
    """7, "7", "7/10", 7.5, "70 %" (which is 0.7)."""
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


def numbers_of(given: Any) -> list[int]:
    """The numbers of lines that are cited: [3, "[7]", "line 9"], or "3, 7".

    Each once.
    """
    told = given if isinstance(given, list) else [given]
    found = (int(n) for one in told for n in re.findall(r"\d+", str(one))[:40])
    return list(dict.fromkeys(found))[:40]


def pairs(given: Any, value: str) -> Iterator[tuple[Any, Any]]:
    """(player, value) of rows: [{"player": …, value: …}, …], [{"Beta": 7}] or {"Beta": 7, …}."""
    if isinstance(given, Mapping):
        yield from given.items()
        return
    for row in given if isinstance(given, list) else ():
        if isinstance(row, Mapping) and (name := row.get("player", row.get("name"))) is not None:
            yield name, row.get(value, row)
        elif isinstance(row, Mapping) and len(row) == 1:
            yield from row.items()
        else:
            yield None, row


def name_of(seat: int, decision: Decision) -> str:
    """A seat's name as prompts write it."""
    return called(decision.view.name(seat), decision)


def other(name: Any, decision: Decision, unread: list[str]) -> int | None:
    """The seat of another player.

    Oneself and nobody known are noted and none.
    """
    seat = seat_of(name, decision)
    if seat == decision.seat:
        unread.append("a row on yourself")
        return None
    if seat is None:
        unread.append(f"a row on {brief(name)}, who is no player")
    return seat


def score_of(
    value: Any, who: str, unread: list[str], least: int = LEAST, most: int = MOST
) -> int | None:
    """A score from `least` to `most`, a half rounded up.

    Others are noted and none.
    """
    number = number_of(value)
    if number is None or not least <= number <= most:
        unread.append(f"{who}: {brief(value)} is no score from {least} to {most}")
        return None
    if not number.is_integer():
        unread.append(f"{who}: {number:g} was rounded")
    return math.floor(number + 0.5)


def shares_of(given: Any, who: str, decision: Decision, unread: list[str]) -> dict[str, float]:
    """role -> probability, from 0 to 1, of one row.

    Returns {} where nothing in it can be used.
    """
    if isinstance(given, str):  # {"player": …, "roles": "Seer"}: one role for certain
        given = {given: 1.0}
    found: dict[str, float] = {}
    for name, value in _cells(given):
        role, number = role_of(name, decision), number_of(value)
        if role is None or number is None or number < 0:
            unread.append(f"{who}: {brief(name)}: {brief(value)} is no probability of a role")
        else:
            found[role] = found.get(role, 0.0) + number
    highest, total = max(found.values(), default=0.0), sum(found.values())
    if highest > 1:
        percent = highest > PERCENT[0] and total <= PERCENT[1]
        unread.append(
            f"{who}: the numbers were {'percent' if percent else 'scaled to add up to 1'}"
        )
        found = {role: p / (100 if percent else total) for role, p in found.items()}
    return {role: round(min(1.0, p), 4) for role, p in found.items()}


def _cells(given: Any) -> Iterator[tuple[Any, Any]]:
    """(role, value) of {"Seer": 0.5, …} or [{"role": "Seer", "probability": 0.5}, …]."""
    if isinstance(given, Mapping):
        yield from given.items()
    for row in given if isinstance(given, list) else ():
        if isinstance(row, Mapping) and "role" in row:
            others = [value for key, value in row.items() if key != "role"]
            yield row["role"], others[0] if others else 1.0
        elif isinstance(row, Mapping):
            yield from row.items()


def brief(value: Any) -> str:
    """A value as a sentence may repeat it: what a model wrote may be another player's words."""
    if isinstance(value, int | float):
        return str(value)
    return quoted(value if isinstance(value, str) else json.dumps(value, default=str), 40)
