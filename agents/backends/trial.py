"""Trial of a language model with the requests of a real game: can it play?"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from agents.backends.house import HouseBackend
from agents.backends.openai import OpenAIBackend
from agents.decision import BackendError, Decision, Mind, Reply, Request
from agents.llm.capabilities import Capabilities
from agents.model_catalog import ModelSettings
from agents.recipe import Recipe
from agents.think import prepare, think
from game.engine import rulesets
from game.engine.position import Position
from game.engine.seeded_random import SeededRandom

# The game whose requests are tried.
RULESET = "one-night"
SEED = "trial"
TRIED_KINDS = ("statement", "favor", "judgement", "strategy", "vote")
TESTED_ROUND = 2  # the round of the tested statement and preparation
CHECK_TIMEOUT_S = 20.0  # maximum seconds of the check before a table opens
# Causes that may not occur again with the next request.
TRANSIENT_CAUSES = ("empty", "refusal", "rate", "unspeakable")


@dataclass
class TrialResult:
    """Result of one kind of request."""

    kind: str
    cause: str = ""  # the error as one word, "" if the answer is usable
    detail: str = ""  # the error as a sentence, "" if the answer is usable
    exchange: dict[str, Any] = field(default_factory=dict)  # the messages sent and received
    seconds: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        """Tokens of the answer per second, 0 if the server does not count them."""
        count = (self.exchange.get("usage") or {}).get("completion_tokens", 0)
        return count / self.seconds if self.seconds else 0.0


def try_requests(settings: ModelSettings) -> Iterator[TrialResult]:
    """Yield the result of each kind of request of a real game, one after the other.

    The stored capabilities of the server are discarded first, so that they are found anew.
    """
    OpenAIBackend(settings).client.capabilities.forget()
    requests_by_kind = sample_requests()
    for kind in TRIED_KINDS:
        yield _try_request(settings, kind, requests_by_kind[kind])


def known_capabilities(settings: ModelSettings) -> Capabilities:
    """Return the known capabilities of a backend's server."""
    return OpenAIBackend(settings).client.capabilities.current


def find_backend_error(settings: ModelSettings) -> str:
    """Return why a model cannot play, as a one-word cause, or "" if it can.

    Causes are key, model, unreachable, unusable and others. The check sends the request of a real
    statement. A cause in TRANSIENT_CAUSES counts as success. A mistake of the model is retried
    once.
    """
    quick = replace(settings, retries=1)
    deadline = time.monotonic() + min(CHECK_TIMEOUT_S, settings.seconds)
    request, cause = first_statement_request(), ""
    for _ in range(2):  # an answer may fail once
        try:
            OpenAIBackend(quick).reply("check", request, deadline - time.monotonic())
            return ""
        except BackendError as error:
            if error.cause in TRANSIENT_CAUSES:
                return ""
            cause = cause or error.cause
            if not error.is_mistake:
                break
    return cause


@cache
def first_statement_request() -> Request:
    """Return the request of the game's first statement, for an agent without any method."""
    return next(r for r in _play_requests(Recipe(method="baseline"), 1) if r.kind == "statement")


@cache
def sample_requests() -> dict[str, Request]:
    """Return kind -> request of a real game, for all TRIED_KINDS."""
    return {r.kind: r for r in _play_requests(Recipe(method="full"), TESTED_ROUND)}


def _try_request(settings: ModelSettings, kind: str, request: Request) -> TrialResult:
    began = time.monotonic()
    result = TrialResult(kind)
    try:
        reply = OpenAIBackend(settings).reply("trial", request)
        result.exchange = reply["exchange"]
    except BackendError as error:
        result.cause, result.detail = error.cause, error.detail
        result.exchange = error.exchange or {}
    result.seconds = float(result.exchange.get("seconds") or time.monotonic() - began)
    return result


def _play_requests(recipe: Recipe, round_: int) -> Iterator[Request]:
    """Yield the requests that an agent of the recipe gets in a game of house players.

    They are those of one preparation and statement in round `round_`, and of one vote.
    """
    ruleset = rulesets.get(RULESET)
    recipe = recipe.cast(SEED)
    position = Position.start(ruleset, SEED)
    remaining_kinds = {"statement", "vote"}
    while not position.is_over:
        question = position.pending[0]
        window, seat = question
        if window.waits_for == "nobody":
            position.apply(question, None)
            continue
        rng = SeededRandom(f"{SEED}/{seat}/{window.key}")
        decision = Decision(ruleset, position.view(seat), window, Mind(), rng)
        is_due = window.kind == "vote" or position.state.round == round_
        if is_due and window.kind in remaining_kinds:
            remaining_kinds.remove(window.kind)
            yield from _record_requests(recipe, decision)
        thought = think(Recipe(method="baseline"), decision, HouseBackend().reply)
        position.apply(question, thought.answer.action)


def _record_requests(recipe: Recipe, decision: Decision) -> list[Request]:
    """Return the requests that a recipe makes for a decision. The house player answers them."""
    requests: list[Request] = []

    def send(step: str, request: Request) -> Reply:
        requests.append(request)
        return HouseBackend().reply(step, request)

    notes = prepare(recipe, decision, send) if decision.window.kind == "statement" else ()
    think(recipe, replace(decision, mind=decision.mind.plus(notes)), send)
    return requests
