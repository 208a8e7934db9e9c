"""An agent's decision at a window, and its recorded requests to backends (`LLMCall`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.utils import timezone

from agents import backends
from agents.decision import SEAT_MARK, BackendError, Decision, Reply, Request
from agents.mind import Note, mind_at
from agents.recipe import Recipe
from game import selectors, sql_statements
from game.cached_games import CachedGame
from game.engine import rulesets, visibility
from game.engine.moments import Moment
from game.engine.seeded_random import SeededRandom
from game.engine.visibility import View
from game.models import Game, Window, moment_columns
from webapp.play.models import LLMCall
from webapp.play.turns import daily_budget
from webapp.play.turns.api_key_scrubbing import without_api_keys
from webapp.play.turns.mind_notes import WITHDRAWN, usable_notes
from webapp.play.turns.record_redaction import blank, outdated

# fields of a row, set when the reply arrives
ANSWERED = ("reply", "failure", "exchange", "seconds", "withdrawn")
MARGIN = 1.0  # seconds before a window closes by which an answer should arrive


def decision_for(
    game: Game,
    seat: int,
    opened: Window,
    position: CachedGame | None = None,
    mind: Sequence[Note] | None = None,
    *,
    purpose: str = "",
) -> Decision:
    """Return the seat's decision at a window, as the game was when the window opened.

    position, mind: the game's position and the seat's usable notes (`usable_notes`), passed if the
    caller has read them already.
    """
    view, window, closed = selectors.view_at(game, visibility.seat(seat), opened, position)
    notes_held = usable_notes(game, seat) if mind is None else mind
    return Decision(
        ruleset=rulesets.get(game.ruleset),
        view=view,
        window=window,
        mind=mind_at(notes_held, window.moment, closed),
        rng=SeededRandom(f"{game.seed}{SEAT_MARK}{seat}/{purpose or window.key}"),
    )


class RecordedAsk:
    """The `ask` of an agent: it returns a recorded reply, else the backend's, which it records.

    A request to a model is recorded before it is sent, and its reply at once. The built-in player
    gives the same reply to the same request at no cost, so its requests are written together with
    the answer (`keep`).
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
        """Prepare the requests of one window or preparation.

        closes_at: the window's deadline, None if it has none.
        """
        self.game, self.seat, self.key, self.recipe = game, seat, key, recipe
        self.moment, self.purpose, self.closes_at = moment, purpose, closes_at
        self.lost: set[str] = set()  # steps whose answers were removed from the record
        self.prefix = ""  # of the steps in the record
        self.counted = purpose != LLMCall.RIVAL and daily_budget.counts(game)
        self._found: dict[str, LLMCall] | None = None
        self._made: list[tuple[LLMCall, View]] = []  # not yet written

    def instead(self, recipe: Recipe, prefix: str) -> RecordedAsk:
        """Return a copy that uses another recipe for the same window, in place of this one.

        prefix: of its steps in the record.
        """
        fallback = copy(self)
        fallback.recipe, fallback.prefix, fallback.closes_at = recipe, prefix, None
        return fallback

    def __call__(self, step: str, request: Request) -> Reply:
        """Return the reply to a request, from the record or from the backend.

        A request that was in flight when its worker died is sent once more, and marked. A request
        whose reply contained text that has been removed since is not: it fails with the cause
        `withdrawn`.

        Raises:
            BackendError: As the backend raised it, also from the record.
            daily_budget.Exhausted: No more requests to models are permitted today.
        """
        step = f"{self.prefix}{step}"
        backend = backends.get(self.recipe.backend_for(request.kind, request.decision))
        if backend.name == backends.HOUSE:
            return self._answered(self._row(step, request, backend), backend, step, request)
        row = self._recorded(step)
        if row and row.failure:
            raise BackendError(row.failure, (row.exchange or {}).get("why", ""), row.exchange)
        part = step.rpartition("/")[0]
        if part in self.lost or (row and row.reply and row.reply.get(WITHDRAWN)):
            self.lost.add(part)  # its second attempt would repeat the same question
            raise BackendError(WITHDRAWN)
        if row and row.reply is not None:
            return {**row.reply, "exchange": row.exchange}
        again = row is not None
        if row:
            row.brief, row.withdrawn = dict(request.brief), False
        else:
            if self.counted:
                daily_budget.count_request(self.game)
            row = self._row(step, request, backend)
            try:
                self._write(row, request.decision.view)
            except IntegrityError:  # another worker, wrongly considered dead, is working on it too
                self._found = None
                return self(step.removeprefix(self.prefix), request)
        return self._answered(row, backend, step, request, again=again)

    def _recorded(self, step: str) -> LLMCall | None:
        """Return the record of the step. All steps of this turn are read once."""
        if self._found is None:
            rows = LLMCall.objects.filter(game=self.game, seat=self.seat, window=self.key)
            self._found = {row.step: row for row in rows}
        return self._found.get(step)

    def _row(self, step: str, request: Request, backend: backends.Backend) -> LLMCall:
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

    def _answered(
        self,
        row: LLMCall,
        backend: backends.Backend,
        step: str,
        request: Request,
        *,
        again: bool = False,
    ) -> Reply:
        began = time.monotonic()
        failure: BackendError | None = None
        exchange: dict[str, Any] | None = None
        reply: dict[str, Any] = {}
        try:
            request = replace(request, temperature=self.recipe.temperature)
            reply = without_api_keys(dict(backend.reply(step, request, self._time_left())))
            exchange = reply.pop("exchange", None)
            row.reply = dict(reply)
        except BackendError as error:
            exchange = without_api_keys(error.exchange)
            failure = BackendError(error.cause, without_api_keys(error.detail), exchange)
            row.failure = error.cause
        if exchange is not None:
            exchange = {**exchange, "again": again, "why": failure.detail if failure else ""}
        row.exchange = exchange
        row.seconds = time.monotonic() - began
        if backend.name == backends.HOUSE:
            self._made.append((row, request.decision.view))
        else:
            self._write(row, request.decision.view, *ANSWERED, *(("brief",) if again else ()))
            if self.counted:
                daily_budget.charge(self.game, tokens_of(exchange))
        if failure:
            raise failure
        return {**reply, "exchange": exchange}

    def _write(self, row: LLMCall, view: View, *fields: str) -> None:
        """Write the row, or only the given fields of it.

        If the view holds text that was removed meanwhile, only figures are written. Removal locks
        the game as well, so neither can miss the other.
        """
        with selectors.locked_position(self.game.pk) as now:
            if outdated(view, now):
                blank(row)
                fields = (*fields, "brief") if fields else ()
            if row.pk:
                sql_statements.update(row, fields)
            else:
                sql_statements.insert([row])

    def store_calls(self, now: CachedGame) -> None:
        """Write all requests to the built-in player at once.

        now: the position of the locked game.
        """
        calls_made, self._made[:] = list(self._made), []
        for row, view in calls_made:
            if outdated(view, now):
                blank(row)
        sql_statements.insert_missing([row for row, _view in calls_made])

    def _time_left(self) -> float | None:
        """Return the seconds left for a reply before the window closes, None without a deadline."""
        if self.closes_at is None:
            return None
        left = (self.closes_at - timezone.now()).total_seconds() - MARGIN
        return max(1.0, left)


def tokens_of(exchange: dict[str, Any] | None) -> int:
    """Return the tokens of a request and its reply, as the server counted them.

    If it replied without a count, every four characters count as a token.
    """
    exchange_data = exchange or {}
    usage = exchange_data.get("usage") or {}
    if isinstance(total := usage.get("total_tokens"), int):
        return total
    parts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    if counted := sum(part for part in parts if isinstance(part, int)):
        return counted
    if not (answer := str(exchange_data.get("answer") or "")):
        return 0
    words = [str(row.get("content", "")) for row in exchange_data.get("messages") or ()]
    return sum(map(len, [*words, answer])) // 4
