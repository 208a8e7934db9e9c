"""Builds an agent's decision at a window, and records its requests to backends (`LLMCall`)."""

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from django.db import IntegrityError
from django.utils import timezone

from agents import backends
from agents.decision import SEAT_MARK, BackendError, Decision, Note, Reply, Request, mind_at
from agents.recipe import Recipe
from game import cached_games, sql_statements
from game.cached_games import CachedGame
from game.engine import rulesets, visibility
from game.engine.events import Moment
from game.engine.seeded_random import SeededRandom
from game.engine.visibility import View
from game.models import Game, Window, moment_columns
from webapp.play.models import LLMCall
from webapp.play.turns import daily_budget
from webapp.play.turns.agent_records import (
    WITHDRAWN,
    is_outdated,
    redact_call,
    usable_notes,
    without_api_keys,
)

# The fields of a row that are set when the reply arrives.
REPLY_FIELDS = ("reply", "failure", "exchange", "seconds", "withdrawn")
DEADLINE_MARGIN_S = 1.0  # an answer should arrive this long before its window closes
MIN_REPLY_TIME_S = 1.0  # a model gets at least this long
CHARS_PER_TOKEN = 4  # an estimate, for servers that do not count tokens


def build_decision(
    game: Game,
    seat: int,
    opened: Window,
    position: CachedGame | None = None,
    mind: Sequence[Note] | None = None,
    *,
    purpose: str = "",
) -> Decision:
    """Build the seat's decision at a window, from the game as it was when the window opened.

    The caller may have read the `position` and the usable notes (`mind`) already. `purpose`
    replaces the window's key in the random seed, for other work than the answer.
    """
    position = position or cached_games.cached_game(game)
    view, window, closed = position.view_at(visibility.seat(seat), opened)
    notes_held = usable_notes(game, seat) if mind is None else mind
    return Decision(
        ruleset=rulesets.get(game.ruleset),
        view=view,
        window=window,
        mind=mind_at(notes_held, window.moment, closed),
        rng=SeededRandom(f"{game.seed}{SEAT_MARK}{seat}/{purpose or window.key}"),
    )


class RequestRecorder:
    """An `agents.decision.Send`: sends an agent's requests to backends, and records them.

    A request that has a recorded reply is not sent again. A request to a model is recorded before
    it is sent, and its reply on arrival. The built-in player repeats a reply at no cost, so its
    requests are written together with the answer (`store_calls`).
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        key: str,
        recipe: Recipe,
        moment: Moment,
        purpose: str = LLMCall.ANSWER,
        closes_at: datetime | None = None,
    ) -> None:
        """Prepare the requests of one window, which closes at `closes_at`, or of a preparation."""
        self.game, self.seat, self.key, self.recipe = game, seat, key, recipe
        self.moment, self.purpose, self.closes_at = moment, purpose, closes_at
        self.withdrawn_parts: set[str] = set()  # first parts of steps whose replies were withdrawn
        self.prefix = ""  # begins the names of all steps in the record
        self.is_counted = purpose != LLMCall.RIVAL and daily_budget.is_counted(game)
        # Step -> its recorded row; None before the rows are read.
        self._recorded_rows: dict[str, LLMCall] | None = None
        self._unwritten: list[tuple[LLMCall, View]] = []

    def with_recipe(self, recipe: Recipe, prefix: str) -> Self:
        """Return a copy with another recipe for the same window, without a deadline.

        The copy's steps in the record begin with `prefix`.
        """
        other = copy(self)
        other.recipe, other.prefix, other.closes_at = recipe, prefix, None
        return other

    def __call__(self, step: str, request: Request) -> Reply:
        """Return the reply to a request, from the record or from the backend.

        A request that was in flight when its worker died is sent once more, and marked. A request
        whose recorded reply held only text that was removed fails with the cause `withdrawn`.

        Raises:
            BackendError: As the backend raised it, also from the record.
            daily_budget.Exhausted: The budget of today is spent.
        """
        step = f"{self.prefix}{step}"
        backend = backends.get(self.recipe.backend_for(request.kind, request.decision))
        if backend.name == backends.HOUSE:
            return self._send(self._new_row(step, request, backend), backend, step, request)
        row = self._recorded(step)
        if row and row.failure:
            raise BackendError(row.failure, (row.exchange or {}).get("why", ""), row.exchange)
        part = step.rpartition("/")[0]
        if part in self.withdrawn_parts or (row and row.reply and row.reply.get(WITHDRAWN)):
            self.withdrawn_parts.add(part)  # a second attempt would repeat the same prompt
            raise BackendError(WITHDRAWN)
        if row and row.reply is not None:
            return {**row.reply, "exchange": row.exchange}
        is_retry = row is not None
        if row:
            row.brief, row.withdrawn = dict(request.brief), False
        else:
            if self.is_counted:
                daily_budget.count_request(self.game)
            row = self._new_row(step, request, backend)
            try:
                self._write(row, request.decision.view)
            except IntegrityError:  # another worker, wrongly considered dead, recorded it first
                self._recorded_rows = None
                return self(step.removeprefix(self.prefix), request)
        return self._send(row, backend, step, request, is_retry=is_retry)

    def _recorded(self, step: str) -> LLMCall | None:
        """Return the recorded row of the step. The first call reads all steps of the turn."""
        if self._recorded_rows is None:
            rows = LLMCall.objects.filter(game=self.game, seat=self.seat, window=self.key)
            self._recorded_rows = {row.step: row for row in rows}
        return self._recorded_rows.get(step)

    def _new_row(self, step: str, request: Request, backend: backends.Backend) -> LLMCall:
        return LLMCall(
            game=self.game,
            seat=self.seat,
            window=self.key,
            step=step,
            purpose=self.purpose,
            backend=backend.name,
            kind=request.kind,
            brief=dict(request.brief),
            seconds=0.0,
            **moment_columns(self.moment),
        )

    def _send(
        self,
        row: LLMCall,
        backend: backends.Backend,
        step: str,
        request: Request,
        *,
        is_retry: bool = False,
    ) -> Reply:
        """Send the request, record the reply or the failure in `row`, and return the reply."""
        began = time.monotonic()
        failure: BackendError | None = None
        exchange: dict[str, Any] | None = None
        reply: dict[str, Any] = {}
        try:
            request = replace(request, temperature=self.recipe.temperature)
            reply = without_api_keys(dict(backend.reply(step, request, self._seconds_left())))
            exchange = reply.pop("exchange", None)
            row.reply = dict(reply)
        except BackendError as error:
            exchange = without_api_keys(error.exchange)
            failure = BackendError(error.cause, without_api_keys(error.detail), exchange)
            row.failure = error.cause
        if exchange is not None:
            exchange = {**exchange, "again": is_retry, "why": failure.detail if failure else ""}
        row.exchange = exchange
        row.seconds = time.monotonic() - began
        if backend.name == backends.HOUSE:
            self._unwritten.append((row, request.decision.view))
        else:
            fields = (*REPLY_FIELDS, "brief") if is_retry else REPLY_FIELDS
            self._write(row, request.decision.view, *fields)
            if self.is_counted:
                daily_budget.charge_tokens(self.game, exchange_tokens(exchange))
        if failure:
            raise failure
        return {**reply, "exchange": exchange}

    def _write(self, row: LLMCall, view: View, *fields: str) -> None:
        """Insert the row, or update the given fields of it.

        If text of the view was removed meanwhile, only figures are written. A removal locks the
        game, too: it redacts the row, or this call sees the removal.
        """
        with cached_games.locked_cached_game(self.game.pk) as now:
            if is_outdated(view, now):
                redact_call(row)
                fields = (*fields, "brief") if fields else ()
            if row.pk:
                sql_statements.update(row, fields)
            else:
                sql_statements.insert([row])

    def store_calls(self, now: CachedGame) -> None:
        """Write all requests to the built-in player at once. `now` is the locked game."""
        calls, self._unwritten[:] = list(self._unwritten), []
        for row, view in calls:
            if is_outdated(view, now):
                redact_call(row)
        sql_statements.insert_missing([row for row, _view in calls])

    def _seconds_left(self) -> float | None:
        """Return how long the backend may take, None for a window without a deadline."""
        if self.closes_at is None:
            return None
        seconds = (self.closes_at - timezone.now()).total_seconds() - DEADLINE_MARGIN_S
        return max(MIN_REPLY_TIME_S, seconds)


def exchange_tokens(exchange: dict[str, Any] | None) -> int:
    """Return the tokens of a request and its reply, as the server counted them, or an estimate."""
    exchange_data = exchange or {}
    usage = exchange_data.get("usage") or {}
    if isinstance(total := usage.get("total_tokens"), int):
        return total
    parts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    if counted := sum(part for part in parts if isinstance(part, int)):
        return counted
    if not (answer := str(exchange_data.get("answer") or "")):
        return 0
    prompts = [str(row.get("content", "")) for row in exchange_data.get("messages") or ()]
    return sum(map(len, [*prompts, answer])) // CHARS_PER_TOKEN
