"""An endpoint that speaks the OpenAI Chat Completions protocol, for tests and for trying things.

    with Endpoint(latency=0.1) as endpoint:
        client = openai.OpenAI(base_url=endpoint.url, api_key="any")
        endpoint.say("I vote for nobody.", when="your vote")   # used first where it matches
        endpoint.fail("http500", times=2)                      # the next two requests fail
        ...
        assert "your vote" in endpoint.calls[0].prompt

It runs from the moment it is made, in threads, on a port of its own.
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

    May be changed while it runs: `answer`, `message` (what an answer's message is made of, such as
    one with reasoning round it: tests/endpoint/reasoning.py), `latency` (seconds from arrival, not
    for refusals and the list of models), `rules`, `faults` (shares by name), `retry_after` and
    `drip_every` (seconds). `keep`: how many calls are remembered, all unless given. What a callable
    of the test raised is in `errors`; its request got a 500.
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
        """Ends everything, requests that hang or are held included. May be said twice."""
        self._server.close()
        self._gate.close()

    # What it shall do

    @property
    def faults(self) -> dict[str, float]:
        """Which faults are drawn, each with its share of the requests."""
        return dict(self._plan.shares)

    @faults.setter
    def faults(self, shares: Mapping[str, float]) -> None:
        self._plan.shares = faulty.checked(shares)

    def say(self, text: str, when: When = None, times: int = 1) -> None:
        """Queues an answer for the next completions to arrive that match and have no fault."""
        with self._ledger.changed:
            self._canned += [(text, when)] * times

    def fail(self, name: str, times: int = 1, when: When = None) -> None:
        """Queues a fault for the next requests to arrive that match."""
        with self._ledger.changed:
            self._plan.queue(name, times, when)

    def hold(self) -> None:
        """Makes all requests wait from now on, until `release`."""
        self._gate.shut()

    def release(self) -> None:
        """Lets the waiting requests go on."""
        self._gate.open()

    # What it has seen

    @property
    def calls(self) -> list[Call]:
        """All requests so far, in the order of arrival."""
        return self._ledger.calls()

    @property
    def in_flight(self) -> int:
        """How many requests have arrived and aren't answered."""
        return self._ledger.open()

    @property
    def most_in_flight(self) -> int:
        """How many there were at most at once."""
        return self._ledger.most_open

    @property
    def count(self) -> int:
        """How many requests have arrived, forgotten ones included."""
        return self._ledger.count

    def wait_for(self, n: int, timeout: float = 10.0, when: When = None) -> list[Call]:
        """The calls (that match), as soon as n have arrived. TimeoutError after `timeout`."""

        def seen() -> list[Call]:
            return [call for call in self.calls if matches(call, when)]

        def enough() -> bool:
            return (self.count if when is None else len(seen())) >= n

        self._ledger.wait(enough, lambda: f"{n} calls, but {len(seen())}", timeout)
        return seen()

    def wait_idle(self, timeout: float = 10.0) -> None:
        """Returns when no request is in flight. TimeoutError after `timeout` seconds."""
        self._ledger.wait(lambda: not self.in_flight, lambda: f"{self.in_flight} open", timeout)

    # How it works

    def _serve(self, incoming: Incoming, line: Line) -> None:
        """One request from arrival to answer. Runs in the connection's thread."""
        arrived = time.monotonic()
        call, reply, latency = self._receive(incoming)
        try:
            waited = self._waited(line, arrived + latency - time.monotonic())
            if not waited or not self._deliver(call, reply, line):
                call.left, call.answered, call.status = True, None, 0
        finally:
            self._ledger.close(call)

    def _receive(self, incoming: Incoming) -> tuple[Call, Reply, float]:
        """Records a request and decides its reply and latency.

        Faults and canned answers go by the order of arrival; `answer` is not called in order.
        """
        headers = {name: starred(name, value) for name, value in incoming.headers.items()}
        body = parsed(incoming.body)
        call = Call(0, time.time(), incoming.method, incoming.path, headers, body)
        try:
            with self._ledger.changed:
                self._ledger.add(call)
                authorization = incoming.headers.get("authorization", "")
                refused = protocol.refusal(call, authorization, self.rules)
                call.fault = "" if refused else self._plan.take(call)
                self.fault_counts[call.fault] += 1
                canned = None if refused or call.fault else self._next_canned(call)
            reply = refused or self._reply(call, canned)
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
        def proper() -> Reply:
            if call.method == "GET":
                return protocol.models(call, self.rules)
            if call.path == protocol.EMBEDDINGS:
                return protocol.embeddings(call)
            text = self.answer(call) if canned is None else canned
            if canned is None and call.format and not self.rules.heeds:
                text = sentence(call)
            more = self.message(call, text) if self.message else None
            return protocol.told(protocol.completion(call, text, more=more), text=text)

        return faulty.reply(call, proper, self.retry_after) if call.fault else proper()

    def _latency(self, call: Call) -> float:
        return self.latency(call) if callable(self.latency) else self.latency

    def _waited(self, line: Line, seconds: float) -> bool:
        """Waits so long, then for the gate. False: the client left meanwhile."""
        if seconds > 0 and not line.stays(seconds):
            return False
        while barrier := self._gate.barrier():
            if not line.stays(None, until=barrier):
                return False
        return True

    def _deliver(self, call: Call, reply: Reply, line: Line) -> bool:
        """Answers. The record is complete before the client can have the answer."""
        if reply.manner == "hang":
            return line.stays(None)
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
        call.status, call.answer, call.answered = reply.status, reply.text, time.time()
        self._ledger.close(call)


def parsed(raw: bytes) -> Body:
    """The JSON object in a body, empty where there is none."""
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def starred(name: str, value: str) -> str:
    """A header's value, the key in it hidden."""
    if name not in KEYS:
        return value
    scheme, space, _ = value.rpartition(" ")
    return f"{scheme}{space}***"
