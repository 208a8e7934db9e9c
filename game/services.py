"""Every change of a game: one transaction each, the game's row locked, nothing external inside."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from game import clock, store
from game.engine import rulesets
from game.engine.draws import Draws
from game.engine.roles import Ruleset
from game.engine.rules import Wait, decide
from game.engine.state import fold
from game.engine.windows import Action, Answer, Illegal
from game.models import Answer as AnswerRow
from game.models import Game, Player
from game.models import Window as WindowRow
from game.signals import game_changed

PORTRAITS = 24  # in static/portraits
POLL_SECONDS = 120  # agents' polls hold nobody up, but they do end


@dataclass(frozen=True)
class SeatPlan:
    """Who is to sit in a seat. `recipe` is an agent's; `name` "" takes the ruleset's."""

    kind: str
    recipe: Mapping[str, Any] | None = None
    name: str = ""


class BadSetup(ValueError):
    """A table that can't be: the message says why."""


def create(
    ruleset_name: str,
    seats: Sequence[SeatPlan],
    *,
    seed: str,
    settings: Mapping[str, Any] | None = None,
    pace: str = "natural",
    limits: Mapping[str, int] | None = None,
) -> Game:
    """Seat everyone, deal, and open the first windows.

    limits: seconds by clock (`clock.CLOCKS`), none where missing. Raises BadSetup.
    """
    ruleset = rulesets.get(ruleset_name)
    if len(seats) != len(ruleset.deck):
        raise BadSetup(f"{ruleset.name} is played by {len(ruleset.deck)}, not {len(seats)}")
    chosen = _settings(ruleset, settings or {})
    if pace not in clock.PACES:
        raise BadSetup(f"unknown pace {pace!r}; known: {', '.join(clock.PACES)}")
    at = clock.now()
    names = [p.name or n for p, n in zip(seats, ruleset.seat_names, strict=True)]
    if len({n.casefold() for n in names}) < len(names):
        raise BadSetup("two players can't have the same name")
    with transaction.atomic():
        game = Game.objects.create(
            ruleset=ruleset.name,
            seed=seed,
            settings=chosen,
            pace=pace,
            limits=dict(limits or {}),
            created_at=at,
            phase_at=at,
        )
        _seat_everyone(game, seats, names)
        Move(game.pk).advance(opening={"seats": names, "settings": chosen})
    game.refresh_from_db()
    return game


def _seat_everyone(game: Game, seats: Sequence[SeatPlan], names: Sequence[str]) -> None:
    """A player in every seat; portraits are drawn, so that they tell nothing of who plays."""
    portraits = Draws(game.seed).shuffled("portraits", range(1, PORTRAITS + 1))
    Player.objects.bulk_create(
        Player(
            game=game,
            seat=i + 1,
            name=names[i],
            kind=plan.kind,
            portrait=portraits[i],
            recipe=dict(plan.recipe or {}),
        )
        for i, plan in enumerate(seats)
    )


def _settings(ruleset: Ruleset, given: Mapping[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {s.key: s.default for s in ruleset.settings}
    known["blind"] = False
    if unknown := set(given) - set(known):
        raise BadSetup(f"{ruleset.name} has no setting {', '.join(sorted(unknown))}")
    return {**known, **given}


def answer(
    game_id: int,
    seat: int,
    window_key: str,
    action: Action,
    *,
    post: uuid.UUID | None = None,
    label: str = "",
) -> bool:
    """`seat` answers a window. True if it was taken now, False if this post was taken before.

    Raises Illegal with the rules' code, or `no_such_window`, `not_asked`, `too_late`,
    `game_over`, `answered`.
    """
    post = post or uuid.uuid4()
    with transaction.atomic():
        move = Move(game_id)
        move.settle()
        row = WindowRow.objects.filter(game=move.game, key=window_key).first()
        if row and AnswerRow.objects.filter(window=row, seat=seat, post=post).exists():
            return False
        refusal = move.refusal(row, seat, action)
        if refusal is None:
            move.take(window_key, seat, Answer(action, label), post)
            move.advance()
    # Raised out here: a settled deadline stays settled when the late answer is refused.
    if refusal:
        raise refusal
    return True


def expire(game_id: int) -> None:
    """Let the clock act: defaults for those whose time ran out, and whatever follows.

    Safe to call at any time, any number of times.
    """
    with transaction.atomic():
        Move(game_id).settle()


class Move:
    """One change of one game, inside a transaction that holds the game's row."""

    def __init__(self, game_id: int) -> None:
        self.game = Game.objects.select_for_update().get(pk=game_id)
        self.at = clock.now()
        kinds = Player.objects.filter(game=self.game).values_list("seat", "kind")
        self.people = {seat for seat, kind in kinds if kind == Player.PERSON}
        self.log = store.load(self.game)
        self.rows = {w.key: w for w in WindowRow.objects.filter(game=self.game, closed_at=None)}
        self.given = store.answers(list(self.rows.values()))

    def refusal(self, row: WindowRow | None, seat: int, action: Action) -> Illegal | None:
        """Why `seat` may not answer `action` now; none where it may."""
        if row is None:
            return Illegal("no_such_window")
        if seat not in row.asked:
            return Illegal("not_asked")
        if row.closed_at:
            return Illegal("game_over" if self.game.ended_at else "too_late")
        try:
            store.window(row).check(seat, action)
        except Illegal as illegal:
            return illegal
        revisable = seat in self.people and row.data["legal"]["form"] == "pick"
        if seat in self.given[row.key] and not revisable:
            return Illegal("answered")
        return None

    def take(self, key: str, seat: int, given: Answer, post: uuid.UUID) -> None:
        """Keep an answer; an agent's statement takes the time that saying it takes."""
        row = self.rows[key]
        store.save_answer(row, seat, given, post, self.at)
        self.given[key][seat] = given
        if seat not in self.people:
            row.agents_missing -= 1
            if given.action.manner == "say":
                text = given.action.text
                row.not_before = clock.statement_ends(self.game.pace, row.opened_at, text)
            row.save(update_fields=["not_before", "agents_missing"])

    def settle(self) -> None:
        """Bring the game up to now: answer for those whose time ran out, end pauses."""
        if self.game.due_at is None or self.game.due_at > self.at:
            return
        draws = Draws(self.game.seed)
        for row in list(self.rows.values()):
            if row.expires_at and row.expires_at <= self.at:
                window = store.window(row)
                for seat in set(row.asked) - set(self.given[row.key]):
                    self.take(row.key, seat, window.default_for(seat, draws), uuid.uuid4())
                row.not_before = min(row.not_before, self.at)
        self.advance()

    def _ready(self, wait: Wait) -> bool:
        """Whether those the script waits for have answered, and the pace allows going on."""
        row = self.rows.get(wait.window.key)
        asked = set(row.asked) if row else _asked(wait.window.data(), self.people)
        if wait.whom == "nobody":
            return True
        awaited = asked & self.people if wait.whom == "people" else asked
        if row is None:  # it opens in this very step: nobody has answered yet
            return not awaited
        in_time = wait.whom == "people" or row.not_before <= self.at
        return awaited <= set(self.given[row.key]) and in_time

    def advance(self, opening: Mapping[str, Any] | None = None) -> None:
        """Let the rules decide, write what they say, and note when the game is next due."""
        game = self.game
        events = decide(
            rulesets.get(game.ruleset),
            self.log,
            answers=self.given,
            ready=self._ready,
            draws=Draws(game.seed),
            opening=opening,
        )
        opened = store.append(game, fold(self.log), len(self.log), events, self.at)
        self.log += events
        if any(e.kind == "phase_opened" for e in events):
            game.phase_at = self.at
        closed = {e["window"] for e in events if e.kind == "window_closed"}
        self._open(opened, closed)
        if over := next((e for e in events if e.kind == "game_over"), None):
            game.winner, game.ended_at = over["winner"], self.at
        game.due_at = self._due()
        game.save()
        keys = [row.key for row in opened if row.agents_missing]
        transaction.on_commit(partial(_announce, game.pk, keys))

    def _open(self, opened: list[WindowRow], closed: set[str]) -> None:
        for row in opened:
            row.asked = sorted(_asked(row.data, self.people))
            row.agents_missing = len(set(row.asked) - self.people)
            if row.key in closed:  # nobody was asked
                row.closed_at = self.at
            self._start_clock(row)
        WindowRow.objects.bulk_create(opened)
        self.rows = {
            key: row
            for key, row in {**self.rows, **{r.key: r for r in opened}}.items()
            if key not in closed
        }
        self.given = {key: self.given.get(key, {}) for key in self.rows}

    def _start_clock(self, row: WindowRow) -> None:
        """Set the pause for pace and the deadline of a window that opens now."""
        game, kind = self.game, row.data["clock"]
        if kind == "night":
            row.not_before = clock.night_ends(game.pace, game.phase_at)
        elif kind == "vote":
            row.not_before = clock.vote_ends(game.pace, self.at)
        seconds = game.limits.get(kind)
        if kind == "poll" and not seconds and not self.people & set(row.asked):
            seconds = POLL_SECONDS
        if seconds:
            row.expires_at = self.at + timedelta(seconds=seconds)

    def _due(self) -> datetime | None:
        """When the game next needs attention by itself: a deadline, or the end of a pause."""
        times = []
        for row in self.rows.values():
            if set(row.asked) <= set(self.given[row.key]):
                if row.not_before > self.at:
                    times.append(row.not_before)
            elif row.expires_at:
                times.append(row.expires_at)
        return min(times, default=None)


def _announce(game_id: int, opened: list[str]) -> None:
    game_changed.send_robust(sender=Game, game=game_id, opened=opened)


def _asked(window: Mapping[str, Any], people: set[int]) -> set[int]:
    """The seats a window really asks at a table where `people` are the seats of people."""
    seats = set(window["seats"])
    if window["asks"] == "agents":
        return seats - people
    return seats & people if window["asks"] == "people" else seats
