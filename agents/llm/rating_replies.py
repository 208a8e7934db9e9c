"""Parsing of replies with ratings of players: role, confidence, evidence (SPEC 2.6).

Parsers append a sentence to `problems` for each unusable part.
"""

from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply, Request
from agents.faculties.reliability import rating_form, seats_to_rate
from agents.llm import row_parsing
from agents.llm.narration import UNSURE
from agents.llm.numbered_context import map_lines_to_positions
from agents.llm.question_fields import MAX_CITED
from agents.llm.quoting import player_name
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.actions import UNCERTAIN
from game.engine.forms import Ratings

UNSURE_NAMES = (
    UNSURE.casefold(), "unsure", "unknown", "not sure", "can't tell", "cannot tell", "?",
)  # fmt: skip


def parse_ratings_reply(data: Mapping[str, Any], decision: Decision, problems: list[str]) -> Reply:
    """Return the ratings. A player without a usable row keeps the previous rating."""
    legal = decision.window.legal
    assert isinstance(legal, Ratings)
    return {
        "ratings": _rating_rows(row_parsing.find_rows(data, "ratings"), legal, decision, problems)
    }


def parse_ratings_beside_answer(
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
