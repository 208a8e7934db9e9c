"""Prolific's API: one function for each request that a study makes.

The protocol is version 1 of https://docs.prolific.com/api-reference. The token is read from the
environment and is in no row, page, log or error. Without a token, researchers use CSV files
(`batches`, `submissions`). Only `payments.platform_requests` calls these functions, in a worker.

Every function raises PlatformError if the platform refuses the request or cannot be reached. A
request that may be repeated is retried after 429, 5xx and broken connections, with growing pauses.
A request that pays is not repeated once it may have been received; it raises `AnswerUnknown`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from webapp.study.payments.submissions import Submission, parse_status

if TYPE_CHECKING:
    import httpx2

TOKEN_VARIABLE, ADDRESS_VARIABLE = "PROLIFIC_API_TOKEN", "PROLIFIC_API_URL"  # environment variables
DEFAULT_ADDRESS = "https://api.prolific.com"
RETURN_ADDRESS = "https://app.prolific.com/submissions/complete?cc="  # a completion code follows
ID_PATTERN = re.compile(r"[0-9a-f]{24}")
REQUEST_TIMEOUT_S = 20.0
MAX_TRIES, MAX_PAUSE_S = 4, 30.0  # tries of one request, and the longest pause between two tries
PAGE_SIZE, MAX_SUBMISSIONS = 200, 20_000
MAX_PLATFORM_MESSAGE_CHARS = 300
sleep = time.sleep  # tests replace it


class PlatformError(Exception):
    """The platform refused a request, or could not be reached. Nothing was done.

    The message is the platform's, without the token, or says why it could not be reached.
    """


class AnswerUnknown(Exception):
    """A request that pays was sent, and no answer says whether it was carried out."""


def has_token() -> bool:
    return bool(os.environ.get(TOKEN_VARIABLE))


def get_study(study: str) -> dict[str, Any]:
    """Return the data of the platform's study with that id."""
    return _parse_json(_send("GET", f"studies/{study}/"))


def list_submissions(study: str) -> list[Submission]:
    """Return all submissions of the platform's study with that id."""
    rows: list[Submission] = []
    while len(rows) < MAX_SUBMISSIONS:
        path = f"studies/{study}/submissions/?limit={PAGE_SIZE}&offset={len(rows)}"
        page = _parse_json(_send("GET", path)).get("results", [])
        rows += map(_parse_submission, page)
        if len(page) < PAGE_SIZE:
            break
    return rows


def _parse_submission(row: Mapping[str, Any]) -> Submission:
    return Submission(
        submission=str(row["id"]),
        person=str(row.get("participant_id") or row.get("participant") or ""),
        status=parse_status(str(row["status"])),
        code=row.get("study_code") or row.get("entered_code") or "",
    )


def transition_study(study: str, action: str) -> None:
    """Change the study's status by PUBLISH, PAUSE, START or STOP."""
    _send("POST", f"studies/{study}/transition/", {"action": action})


def set_places(study: str, number_of_places: int) -> None:
    """Set the total number of places. A published study can only get more."""
    _send("PATCH", f"studies/{study}/", {"total_available_places": number_of_places})


def approve(submissions: Sequence[str]) -> None:
    """Approve submissions by their ids. Repeating it has no effect."""
    _send("POST", "submissions/bulk-approve/", {"submission_ids": list(submissions)})


def screen_out(study: str, submissions: Sequence[str], amount: Decimal) -> None:
    """Screen out active submissions, and pay `amount` for each. Their places become free."""
    body = {
        "submission_ids": list(submissions),
        "bonus_per_submission": float(amount),
        "increase_places": True,
    }
    _send("POST", f"studies/{study}/screen-out-submissions/", body, is_payment=True)


class BulkPayment(NamedTuple):
    """A bulk payment that the platform has created, but not paid yet."""

    id: str
    amount: Decimal  # sum of the bulk payment without fees, in hundredths of the currency


def create_bonuses(study: str, lines: str) -> BulkPayment:
    """Create a bulk payment of lines `id,amount`."""
    body = {"study_id": study, "csv_bonuses": lines.strip()}
    answer = _parse_json(_send("POST", "submissions/bonus-payments/", body))
    if not answer.get("id") or "amount" not in answer:
        raise PlatformError("its answer names no bulk payment")
    return BulkPayment(str(answer["id"]), Decimal(str(answer["amount"])))


def pay_bonuses(bulk_payment_id: str) -> None:
    """Pay a bulk payment. Each call makes the platform pay."""
    _send("POST", f"bulk-bonus-payments/{bulk_payment_id}/pay/", is_payment=True)


def _send(
    method: str, path: str, body: Mapping[str, Any] | None = None, *, is_payment: bool = False
) -> httpx2.Response:
    """Send a request, and repeat it unless the platform may have paid (`is_payment`)."""
    import httpx2  # imported here because only workers need it

    address = f"{os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS}/api/v1/{path}"
    headers = {"Authorization": f"Token {os.environ.get(TOKEN_VARIABLE, '').strip()}"}
    for number in range(1, MAX_TRIES + 1):
        try:
            response = httpx2.request(
                method, address, json=body, headers=headers, timeout=REQUEST_TIMEOUT_S
            )
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            response, problem = None, "it could not be reached"  # nothing was sent
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if is_payment:
                raise AnswerUnknown(type(error).__name__) from None
            response, problem = None, f"it did not answer ({type(error).__name__})"
        if response is not None:
            if response.status_code < 300:
                return response
            problem = _error_text(response)
            if response.status_code >= 500 and is_payment:
                raise AnswerUnknown(problem)
            if response.status_code != 429 and response.status_code < 500:
                raise PlatformError(problem)
        if number < MAX_TRIES:
            sleep(_pause_s(response, number))
    raise PlatformError(problem)


def _pause_s(response: httpx2.Response | None, number: int) -> float:
    """Return the seconds before the next try: those that the platform requires, else 2, 4, 8 …"""
    retry_after = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(retry_after) if retry_after.isdecimal() else 2.0**number, MAX_PAUSE_S)


def _error_text(response: httpx2.Response) -> str:
    """Return the status and the error text of a response."""
    if response.status_code == 401:
        return f"401: it does not accept the token ({TOKEN_VARIABLE})"
    try:
        data = response.json()
    except ValueError:
        return str(response.status_code)
    error = data.get("error", data) if isinstance(data, dict) else {}
    error = error if isinstance(error, dict) else {"detail": error}
    details = [error.get("title"), error.get("detail") or error.get("message")]
    text = ": ".join(_flatten_detail(part) for part in details if part)
    return f"{response.status_code}: {text}"[:MAX_PLATFORM_MESSAGE_CHARS]


def _flatten_detail(detail: Any) -> str:
    """Return an error's detail, which may be a list or sentences by field, as one text."""
    if isinstance(detail, dict):
        return "; ".join(f"{field}: {_flatten_detail(text)}" for field, text in detail.items())
    return " ".join(map(_flatten_detail, detail)) if isinstance(detail, list) else str(detail)


def _parse_json(response: httpx2.Response) -> dict[str, Any]:
    try:
        data = response.json()
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise PlatformError("its answer can't be read")
    return data
