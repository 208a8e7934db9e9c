"""A local server with Prolific's API and its documented errors.

The protocol: https://docs.prolific.com/api-reference (version 1). As at Prolific, a bulk payment is
paid as often as it is requested.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "a-token-that-nobody-may-see"
Answer = tuple[int, Any]


class Prolific:
    """The studies, submissions and bulk payments on the server.

    faults: responses to the next requests instead of the correct ones. A status is sent. "lost"
    carries the request out and sends no response. requests: (method, path) of all requests.
    """

    def __init__(self) -> None:
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, dict[str, Any]] = {}
        self.bulk: dict[str, dict[str, Decimal]] = {}
        self.paid: list[tuple[str, Decimal]] = []
        self.faults: list[int | str] = []
        self.requests: list[tuple[str, str]] = []
        self.address = ""

    def add_study(self, key: str, status: str = "ACTIVE", place_count: int = 10) -> None:
        self.studies[key] = {
            "id": key, "status": status, "total_available_places": place_count, "places_taken": 0,
            "reward": 450, "presentment_currency_code": "GBP",
        }  # fmt: skip

    def add_submission(self, key: str, study: str, person: str, status: str, code: str) -> None:
        self.submissions[key] = {
            "id": key, "study_id": study, "participant_id": person, "status": status,
            "study_code": code,
        }  # fmt: skip

    def answer(self, method: str, path: str, body: Any) -> Answer:
        for pattern, act in self._routes().items():
            verb, regex = pattern.split(" ")
            if verb == method and (match := re.fullmatch(regex, path.partition("?")[0])):
                return act(*match.groups(), body=body, query=path.partition("?")[2])
        return 404, error_body(404, "Not found", "The resource does not exist.")

    def _routes(self) -> dict[str, Any]:
        return {
            "GET studies/(\\w+)/": self._study,
            "PATCH studies/(\\w+)/": self._change,
            "POST studies/(\\w+)/transition/": self._transition,
            "GET studies/(\\w+)/submissions/": self._list,
            "POST studies/(\\w+)/screen-out-submissions/": self._screen_out,
            "POST submissions/bulk-approve/": self._approve,
            "POST submissions/bonus-payments/": self._bonuses,
            "POST bulk-bonus-payments/(\\w+)/pay/": self._pay,
        }

    def _study(self, key: str, **_more: Any) -> Answer:
        if key not in self.studies:
            return 404, error_body(404, "Not found", "The resource does not exist.")
        return 200, self.studies[key]

    def _change(self, key: str, body: Any, **_more: Any) -> Answer:
        study = self.studies[key]
        if body["total_available_places"] < study["total_available_places"]:
            details = {"total_available_places": ["Places can only be increased."]}
            return 400, error_body(400, "Bad request", details)
        study.update(body)
        return 200, study

    def _transition(self, key: str, body: Any, **_more: Any) -> Answer:
        status_by_action = {
            "PUBLISH": "ACTIVE",
            "PAUSE": "PAUSED",
            "START": "ACTIVE",
            "STOP": "AWAITING REVIEW",
        }
        self.studies[key]["status"] = status_by_action[body["action"]]
        return 200, self.studies[key]

    def _list(self, key: str, query: str, **_more: Any) -> Answer:
        parameters = dict(part.split("=") for part in query.split("&"))
        rows = [one for one in self.submissions.values() if one["study_id"] == key]
        start, limit = int(parameters["offset"]), int(parameters["limit"])
        return 200, {"results": rows[start : start + limit], "meta": {"count": len(rows)}}

    def _approve(self, body: Any, **_more: Any) -> Answer:
        for key in body["submission_ids"]:
            self.submissions[key]["status"] = "APPROVED"
        return 200, {"message": "The request to bulk approve has been made successfully."}

    def _screen_out(self, _study: str, body: Any, **_more: Any) -> Answer:
        rows = [self.submissions[key] for key in body["submission_ids"]]
        if any(row["status"] != "ACTIVE" for row in rows):
            return 400, error_body(
                400, "Bad request", "Only active submissions can be screened out."
            )
        for row in rows:
            row["status"] = "SCREENED OUT"
            self.paid.append((row["participant_id"], Decimal(str(body["bonus_per_submission"]))))
        return 200, {"message": "The request to bulk screen out has been made successfully."}

    def _bonuses(self, body: Any, **_more: Any) -> Answer:
        lines = dict(line.split(",") for line in body["csv_bonuses"].split("\n"))
        participant_ids = {one["participant_id"] for one in self.submissions.values()}
        if wrong := sorted(set(lines) - participant_ids):
            return 400, error_body(400, "Bad request", f"Not in the study: {', '.join(wrong)}")
        key = f"bulk{len(self.bulk) + 1}"
        self.bulk[key] = {person: Decimal(amount) for person, amount in lines.items()}
        total = sum(self.bulk[key].values())
        return 201, {"id": key, "study": body["study_id"], "amount": float(total * 100)}

    def _pay(self, key: str, **_more: Any) -> Answer:
        self.paid += self.bulk[key].items()
        return 202, f"Bulk bonus payment with ID {key} is being processed asynchronously."


def error_body(status: int, title: str, detail: Any) -> dict[str, Any]:
    """Return the body of an error in Prolific's format."""
    return {"error": {"status": status, "error_code": 140000 + status, "title": title,
                      "detail": detail, "additional_information": ""}}  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    prolific: Prolific

    def _do(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.removeprefix("/api/v1/")
        self.prolific.requests.append((self.command, path.partition("?")[0]))
        fault = self.prolific.faults.pop(0) if self.prolific.faults else 0
        if self.headers["Authorization"] != f"Token {TOKEN}":
            self._send(401, error_body(401, "Unauthorized", "No valid token was provided."))
        elif fault == "lost":
            self.prolific.answer(self.command, path, json.loads(body or b"null"))
            self.close_connection = True
        elif isinstance(fault, int) and fault:
            self._send(fault, error_body(fault, "Try again", ""))
        else:
            self._send(*self.prolific.answer(self.command, path, json.loads(body or b"null")))

    do_GET = do_POST = do_PATCH = _do

    def _send(self, status: int, data: Any) -> None:
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_args: Any) -> None: ...


@contextmanager
def run_prolific() -> Iterator[Prolific]:
    prolific = Prolific()
    handler = type("Handler", (_Handler,), {"prolific": prolific})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    prolific.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield prolific
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
