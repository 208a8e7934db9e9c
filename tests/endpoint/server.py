"""An endpoint with the OpenAI Chat Completions protocol, for tests and experiments.

    with Endpoint(latency=0.1) as endpoint:
        client = openai.OpenAI(base_url=endpoint.url, api_key="any")
        endpoint.say("I vote for nobody.", when="your vote")   # used for the first match
        endpoint.fail("http500", times=2)                      # the next two requests fail
        ...
        assert "your vote" in endpoint.calls[0].prompt

It runs as soon as it is created, in threads, on its own port.
"""

from __future__ import annotations

import json
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from tests.endpoint import faults as faulty
from tests.endpoint import protocol
from tests.endpoint.answers import sentence, shaped
from tests.endpoint.calls import Body, Call, Ledger, When, matches
from tests.endpoint.protocol import Reply, Rules
from tests.endpoint.wire import Gate, Incoming, Line, Server

KEYS = ("authorization", "api-key", "x-api-key")  # headers whose value is not recorded

Latency = float | Callable[[Call], float]


class Endpoint:
    """A model endpoint on 127.0.0.1.

    These attributes can be changed while it runs: `answer`, `message` (builds the fields of the
    answer's message, for example with reasoning, see tests/endpoint/reasoning.py), `latency`
    (seconds from arrival, except for rejections and the list of models), `rules`, `faults` (shares
    by name), `retry_after` and `drip_every` (seconds). `keep` limits the number of remembered
    calls. `errors` collects exceptions of the test's callables, whose requests get a 500.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        answer: Callable[[Call], str] = shaped,
        latency: Latency = 0.0,
        key: str | None = None,
        models: Sequence[str] | None = None,
        structured: bool = True,
        json_mode: bool = True,
        refuses: Sequence[str] = (),
        heeds: bool = True,
        refusal: int = 400,
        explains: bool = True,
        system: bool = True,
        alternate: bool = False,
        context: int | None = None,
        message: Callable[[Call, str], Body] | None = None,
        faults: Mapping[str, float] | None = None,
        seed: int = 0,
        retry_after: float = 1,
        drip_every: float = 1.0,
        keep: int | None = None,
    ) -> None:
        self.answer = answer
        self.latency = latency
        self.message = message
        self.rules = Rules(
            key,
            models,
            structured,
            json_mode,
            refuses,
            heeds,
            refusal,
            explains,
            system,
            alternate,
            context,
        )
        self.retry_after = retry_after
        self.drip_every = drip_every
        self.errors: list[Exception] = []
        self.fault_counts: Counter[str] = Counter()
        self._plan = faulty.Plan(faults or {}, seed)
        self._canned: list[tuple[str, When]] = []
        self._ledger = Ledger(keep)
        self._gate = Gate()
        self._server = Server(port, self._serve)
        self.url = f"http://127.0.0.1:{self._server.port}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections, including hanging and held ones. Can be repeated."""
        self._server.close()
        self._gate.close()

    # Control

    @property
    def faults(self) -> dict[str, float]:
        """The share of requests by drawn fault."""
        return dict(self._plan.shares)

    @faults.setter
    def faults(self, shares: Mapping[str, float]) -> None:
        self._plan.shares = faulty.validate_shares(shares)

    def say(self, text: str, when: When = None, times: int = 1) -> None:
        """Queue an answer for the next matching completions without fault."""
        with self._ledger.changed:
            self._canned += [(text, when)] * times

    def fail(self, name: str, times: int = 1, when: When = None) -> None:
        """Queue a fault for the next matching requests."""
        with self._ledger.changed:
            self._plan.queue(name, times, when)

    def hold(self) -> None:
        """Hold all new requests until `release`."""
        self._gate.shut()

    def release(self) -> None:
        """Release the held requests."""
        self._gate.open()

    # Records

    @property
    def calls(self) -> list[Call]:
        """All requests so far, in the order of arrival."""
        return self._ledger.calls()

    @property
    def in_flight(self) -> int:
        """The number of unanswered requests."""
        return self._ledger.open()

    @property
    def most_in_flight(self) -> int:
        """The maximum number of concurrent requests."""
        return self._ledger.most_open

    @property
    def count(self) -> int:
        """The number of requests so far, including forgotten ones."""
        return self._ledger.count

    def wait_for(self, n: int, timeout: float = 10.0, when: When = None) -> list[Call]:
        """Wait for n (matching) calls and return them. Raises TimeoutError after `timeout`."""

        def matching() -> list[Call]:
            return [call for call in self.calls if matches(call, when)]

        def has_enough() -> bool:
            return (self.count if when is None else len(matching())) >= n

        self._ledger.wait(has_enough, lambda: f"{n} calls, but {len(matching())}", timeout)
        return matching()

    def wait_idle(self, timeout: float = 10.0) -> None:
        """Wait until no request is in flight. Raises TimeoutError after `timeout` seconds."""
        self._ledger.wait(lambda: not self.in_flight, lambda: f"{self.in_flight} open", timeout)

    # Implementation

    def _serve(self, incoming: Incoming, line: Line) -> None:
        """Handle one request. Runs in the connection's thread."""
        arrived = time.monotonic()
        call, reply, latency = self._receive(incoming)
        try:
            has_waited = self._wait(line, arrived + latency - time.monotonic())
            if not has_waited or not self._deliver(call, reply, line):
                call.left, call.answered, call.status = True, None, 0
        finally:
            self._ledger.close(call)

    def _receive(self, incoming: Incoming) -> tuple[Call, Reply, float]:
        """Record a request and decide its reply and latency.

        Faults and canned answers follow the order of arrival, calls of `answer` do not.
        """
        headers = {name: mask_key(name, value) for name, value in incoming.headers.items()}
        body = parse_body(incoming.body)
        call = Call(0, time.time(), incoming.method, incoming.path, headers, body)
        try:
            with self._ledger.changed:
                self._ledger.add(call)
                authorization = incoming.headers.get("authorization", "")
                rejection = protocol.refusal(call, authorization, self.rules)
                call.fault = "" if rejection else self._plan.take(call)
                self.fault_counts[call.fault] += 1
                canned = None if rejection or call.fault else self._next_canned(call)
            reply = rejection or self._reply(call, canned)
            return call, reply, 0.0 if reply.instant else self._latency(call)
        except Exception as error:
            traceback.print_exc()
            self.errors.append(error)
            message = f"A callable of the test has raised {error!r}."
            return call, protocol.error(500, message, "test_error", kind="server_error"), 0.0

    def _next_canned(self, call: Call) -> str | None:
        if call.path != protocol.CHAT:
            return None
        for i, (text, when) in enumerate(self._canned):
            if matches(call, when):
                del self._canned[i]
                return text
        return None

    def _reply(self, call: Call, canned: str | None) -> Reply:
        def faultless_reply() -> Reply:
            if call.method == "GET":
                return protocol.models(call, self.rules)
            if call.path == protocol.EMBEDDINGS:
                return protocol.embeddings(call)
            text = self.answer(call) if canned is None else canned
            if canned is None and call.format and not self.rules.heeds:
                text = sentence(call)
            more = self.message(call, text) if self.message else None
            return protocol.json_reply(protocol.completion(call, text, more=more), text=text)

        return (
            faulty.reply(call, faultless_reply, self.retry_after)
            if call.fault
            else faultless_reply()
        )

    def _latency(self, call: Call) -> float:
        return self.latency(call) if callable(self.latency) else self.latency

    def _wait(self, line: Line, seconds: float) -> bool:
        """Wait `seconds`, then for the gate. Returns: False if the client has left."""
        if seconds > 0 and not line.wait(seconds):
            return False
        while barrier := self._gate.barrier():
            if not line.wait(None, until=barrier):
                return False
        return True

    def _deliver(self, call: Call, reply: Reply, line: Line) -> bool:
        """Send the reply. The record is complete before the client gets the answer."""
        if reply.manner == "hang":
            return line.wait(None)
        if reply.manner == "reset":
            self._ledger.close(call)
            line.reset()
        if reply.manner == "drip":
            if not line.drip(reply, call.number, self.drip_every):
                return False
            self._record(call, reply)
            return True
        self._record(call, reply)
        return line.send(reply, call.number)

    def _record(self, call: Call, reply: Reply) -> None:
        call.status = reply.status
        call.answer = reply.text
        call.answered = time.time()
        self._ledger.close(call)


def parse_body(raw: bytes) -> Body:
    """Parse the JSON object of a body, or return an empty one."""
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def mask_key(name: str, value: str) -> str:
    """Return the value of a header, with masked keys."""
    if name not in KEYS:
        return value
    scheme, space, _ = value.rpartition(" ")
    return f"{scheme}{space}***"
