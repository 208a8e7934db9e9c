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
from game.engine.events import Event
from game.engine.roles import Ruleset
from game.engine.rules import Wait, decide
from game.engine.state import fold
from game.engine.windows import Action, Answer, Illegal
from game.models import Answer as AnswerRow
from game.models import Game, Player
from game.models import Window as WindowRow
from game.signals import game_changed

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
        portraits = Draws(seed).shuffled("portraits", range(1, 25))
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
        _advance(game, [], at, opening={"seats": names, "settings": chosen})
    return game


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

    Raises Illegal with the rules' code, or `too_late`, `not_asked`, `game_over`.
    """
    post = post or uuid.uuid4()
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=game_id)
        at = clock.now()
        log = _settle(game, at)
        row = WindowRow.objects.filter(game=game, key=window_key).first()
        if row and AnswerRow.objects.filter(window=row, seat=seat, post=post).exists():
            return False
        refusal = _refusal(game, row, seat, action)
        if refusal is None:
            assert row is not None
            _take(game, row, seat, Answer(action, label), post, at)
            _advance(game, log, at)
    # Raised out here: a settled deadline stays settled when the late answer is refused.
    if refusal:
        raise refusal
    return True


def _refusal(game: Game, row: WindowRow | None, seat: int, action: Action) -> Illegal | None:
    if row is None:
        return Illegal("no_such_window")
    if seat not in row.asked:
        return Illegal("not_asked")
    if row.closed_at:
        return Illegal("game_over" if game.ended_at else "too_late")
    try:
        store.window(row).check(seat, action)
    except Illegal as illegal:
        return illegal
    player = Player.objects.get(game=game, seat=seat)
    answered = AnswerRow.objects.filter(window=row, seat=seat).exists()
    if answered and (player.kind == Player.AGENT or row.data["legal"]["form"] == "speech"):
        return Illegal("answered")
    return None


def _take(
    game: Game, row: WindowRow, seat: int, given: Answer, post: uuid.UUID, at: datetime
) -> None:
    """Keep the answer; an agent's statement takes the time that saying it takes."""
    store.save_answer(row, seat, given, post, at)
    if Player.objects.get(game=game, seat=seat).kind == Player.AGENT:
        row.agents_missing -= 1
        if given.action.manner == "say":
            row.not_before = clock.statement_ends(game.pace, row.opened_at, given.action.text)
        row.save(update_fields=["not_before", "agents_missing"])


def expire(game_id: int) -> None:
    """Let the clock act: defaults for those whose time ran out, and whatever follows.

    Safe to call at any time, any number of times.
    """
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=game_id)
        _settle(game, clock.now())


def _settle(game: Game, at: datetime) -> list[Event]:
    """Bring the game up to `at`; give its log."""
    log = store.load(game)
    if game.due_at is None or game.due_at > at:
        return log
    draws = Draws(game.seed)
    for row in WindowRow.objects.filter(game=game, closed_at=None, expires_at__lte=at):
        window = store.window(row)
        answered = set(store.answers([row])[row.key])
        for seat in row.asked:
            if seat not in answered:
                default = window.default_for(seat, draws)
                store.save_answer(row, seat, default, uuid.uuid4(), at)
        row.agents_missing = 0
        row.save(update_fields=["agents_missing"])
    _advance(game, log, at)
    return store.load(game)


def _advance(
    game: Game, log: list[Event], at: datetime, *, opening: Mapping[str, Any] | None = None
) -> None:
    """Let the rules decide, write what they say, and note when the game is next due."""
    rows = {w.key: w for w in WindowRow.objects.filter(game=game, closed_at=None)}
    given = store.answers(list(rows.values()))
    people = set(
        Player.objects.filter(game=game, kind=Player.PERSON).values_list("seat", flat=True)
    )

    def ready(wait: Wait) -> bool:
        row = rows.get(wait.window.key)
        if row is None:  # it opened in this very step
            asked = _asked(wait.window.data(), people)
            return not _awaited(asked, wait.whom, people)
        awaited = _awaited(row.asked, wait.whom, people)
        closing = wait.whom == "all"
        return awaited <= set(given[row.key]) and (not closing or row.not_before <= at)

    events = decide(
        rulesets.get(game.ruleset),
        log,
        answers=given,
        ready=ready,
        draws=Draws(game.seed),
        opening=opening,
    )
    opened = store.append(game, fold(log), len(log), events, at)
    if any(e.kind == "phase_opened" for e in events):
        game.phase_at = at
    for row in opened:
        row.asked = sorted(_asked(row.data, people))
        row.agents_missing = len(set(row.asked) - people)
        _start_clock(game, row, people, at)
    WindowRow.objects.bulk_create(opened)
    over = next((e for e in events if e.kind == "game_over"), None)
    if over:
        game.winner, game.ended_at = over["winner"], at
    game.due_at = _due(game, at)
    game.save()
    keys = [row.key for row in opened if row.agents_missing]
    transaction.on_commit(partial(_announce, game.pk, keys))


def _announce(game_id: int, opened: list[str]) -> None:
    game_changed.send_robust(sender=Game, game=game_id, opened=opened)


def _asked(window: Mapping[str, Any], people: set[int]) -> set[int]:
    seats = set(window["seats"])
    if window["asks"] == "agents":
        return seats - people
    return seats & people if window["asks"] == "people" else seats


def _awaited(asked: Sequence[int] | set[int], whom: str, people: set[int]) -> set[int]:
    if whom == "nobody":
        return set()
    return set(asked) & people if whom == "people" else set(asked)


def _start_clock(game: Game, row: WindowRow, people: set[int], at: datetime) -> None:
    """Set the pause for pace and the deadline of a window that opens now."""
    kind = row.data["clock"]
    if kind == "night":
        row.not_before = clock.night_ends(game.pace, game.phase_at)
    elif kind == "vote":
        row.not_before = clock.vote_ends(game.pace, at)
    seconds = game.limits.get(kind)
    if kind == "poll" and not seconds:
        seconds = None if people & set(row.asked) else POLL_SECONDS
    if seconds:
        row.expires_at = at + timedelta(seconds=seconds)


def _due(game: Game, at: datetime) -> datetime | None:
    """When the game next needs attention by itself: a deadline, or the end of a pause."""
    rows = list(WindowRow.objects.filter(game=game, closed_at=None))
    given = store.answers(rows)
    times = []
    for row in rows:
        if set(row.asked) <= set(given[row.key]):
            if row.not_before > at:
                times.append(row.not_before)
        elif row.expires_at:
            times.append(row.expires_at)
    return min(times, default=None)
