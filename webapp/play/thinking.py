"""An agent's thought of a window: the scene it is in, and whom it may ask."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents import backends
from agents.mind import mind_at
from agents.recipe import Recipe
from agents.scene import BackendError, Reply, Request, Scene
from game import selectors
from game.engine import rulesets, views
from game.engine.draws import Draws
from game.engine.moments import Moment
from game.models import Game, Window, columns
from webapp.play import budget
from webapp.play.forgetting import blank, outdated
from webapp.play.models import Asked
from webapp.play.notes import WITHDRAWN, remembered
from webapp.play.redaction import redacted

MARGIN = 1.0  # seconds before a window closes by when an answer should be in


def scene_of(game: Game, seat: int, opened: Window, *, purpose: str = "") -> Scene:
    """The seat before a window, as it was when that opened."""
    view, window, closed = selectors.view_at(game, views.seat(seat), opened)
    return Scene(
        ruleset=rulesets.get(game.ruleset),
        view=view,
        window=window,
        mind=mind_at(remembered(game, seat), window.moment, closed),
        draws=Draws(f"{game.seed}/agent/{seat}/{purpose or window.key}"),
    )


class Asker:
    """The `ask` an agent is given: a recorded reply first, else the backend, and record that."""

    def __init__(
        self,
        game: Game,
        seat: int,
        key: str,
        recipe: Recipe,
        moment: Moment,
        purpose: str = Asked.ANSWER,
        closes_at: datetime | None = None,
        prefix: str = "",
    ) -> None:
        """closes_at: when the window that is answered closes by itself, where it does. prefix: of
        the steps in the record, where somebody else thinks about the same window once more."""
        self.game, self.seat, self.key, self.recipe = game, seat, key, recipe
        self.moment, self.purpose, self.closes_at = moment, purpose, closes_at
        self.lost: set[str] = set()  # steps whose answers were taken out of the record
        self.prefix = prefix
        self.counted = purpose != Asked.RIVAL and budget.counts(game)

    def __call__(self, step: str, request: Request) -> Reply:
        """Raises BackendError, again from the record if it was raised before; budget.Exhausted
        where no model may be asked any more today.

        A request that was in flight when its worker died is asked once more, and marked. What was
        answered in words that are taken out since is not: the cause is `withdrawn`.
        """
        step = f"{self.prefix}{step}"
        what = {"game": self.game, "seat": self.seat, "window": self.key, "step": step}
        row = Asked.objects.filter(**what).first()
        if row and row.failure:
            raise BackendError(row.failure, (row.exchange or {}).get("why", ""), row.exchange)
        part = step.rpartition("/")[0]
        if part in self.lost or (row and row.reply and row.reply.get(WITHDRAWN)):
            self.lost.add(part)  # its second attempt would be the same question once more
            raise BackendError(WITHDRAWN)
        if row and row.reply is not None:
            return {**row.reply, "exchange": row.exchange}
        backend = backends.get(self.recipe.backend_for(request.kind))
        again = row is not None
        if row:
            row.brief, row.withdrawn = dict(request.brief), False
        else:
            if self.counted and backend.name != backends.HOUSE:
                budget.take(self.game)
            row = Asked(
                **what,
                purpose=self.purpose,
                backend=backend.name,
                kind=request.kind,
                brief=dict(request.brief),
                seconds=0.0,
                **columns(self.moment),
            )
            if backend.name != backends.HOUSE:  # what is built in answers at once
                try:
                    with transaction.atomic():
                        self._keep(row, request)
                except IntegrityError:  # another one, thought dead, is at it as well
                    return self(step.removeprefix(self.prefix), request)
        return self._answered(row, backend, step, request, again)

    def _answered(
        self, row: Asked, backend: backends.Backend, step: str, request: Request, again: bool
    ) -> Reply:
        began = time.monotonic()
        failure: BackendError | None = None
        exchange: dict[str, Any] | None = None
        reply: dict[str, Any] = {}
        try:
            request = replace(request, temperature=self.recipe.temperature)
            reply = redacted(dict(backend.reply(step, request, self._time_left())))
            exchange = reply.pop("exchange", None)
            row.reply = dict(reply)
        except BackendError as error:
            exchange = redacted(error.exchange)
            failure = BackendError(error.cause, redacted(error.detail), exchange)
            row.failure = error.cause
        if exchange is not None:
            exchange = {**exchange, "again": again, "why": failure.detail if failure else ""}
        row.exchange = exchange
        row.seconds = time.monotonic() - began
        self._keep(row, request)
        if self.counted and backend.name != backends.HOUSE:
            budget.charge(self.game, tokens_of(exchange))
        if failure:
            raise failure
        return {**reply, "exchange": exchange}

    def _keep(self, row: Asked, request: Request) -> None:
        """Write the row; only its figures where it holds words that were taken out meanwhile.

        Looked up again when it is written: whoever takes words out does it the other way round.
        """
        if outdated(self.game, request.scene.view):
            blank(row)
        row.save()
        if not row.withdrawn and outdated(self.game, request.scene.view):
            blank(row)
            row.save()

    def _time_left(self) -> float | None:
        """Seconds until the window at hand closes by itself; None where it waits."""
        if self.closes_at is None:
            return None
        left = (self.closes_at - timezone.now()).total_seconds() - MARGIN
        return max(1.0, left)


def tokens_of(exchange: dict[str, Any] | None) -> int:
    """What a request took, in and out, as the server counted; where it answered and did not say,
    a token for every four characters."""
    told = exchange or {}
    usage = told.get("usage") or {}
    if isinstance(total := usage.get("total_tokens"), int):
        return total
    parts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    if counted := sum(part for part in parts if isinstance(part, int)):
        return counted
    if not (answer := str(told.get("answer") or "")):
        return 0
    words = [str(row.get("content", "")) for row in told.get("messages") or ()]
    return sum(map(len, [*words, answer])) // 4
