"""Rows <-> events. The only writer of the log and of its projections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from game.engine.events import Audience, Event
from game.engine.forms import Action
from game.engine.state import State, evolve
from game.engine.windows import Answer, Window
from game.models import Answer as AnswerRow
from game.models import Event as EventRow
from game.models import Game, Utterance, Vote, columns
from game.models import Window as WindowRow

BALLOTS = ("vote", "poll")


def load(game: Game, upto: int | None = None) -> list[Event]:
    """The log, or its first `upto` events, with the players' words."""
    rows = EventRow.objects.filter(game=game).order_by("seq")
    if upto is not None:
        rows = rows.filter(seq__lte=upto)
    log = []
    for kind, audience, data, labels, text in rows.values_list(
        "kind", "audience", "data", "labels", "utterance__text"
    ):
        if data.get("manner") == "say":
            data["text"] = text or ""
        log.append(Event(kind, Audience.parse(audience), data, tuple(labels)))
    return log


def append(
    game: Game, state: State, before: int, events: Sequence[Event], at: datetime
) -> list[WindowRow]:
    """Write `events` after the `before` ones there are; `state` is the state before them.

    Gives the windows that were opened, not yet saved: their clocks are the services' business.
    The caller holds the game's row lock.
    """
    rows = [
        EventRow(
            game=game,
            seq=before + i,
            kind=e.kind,
            audience=str(e.audience),
            data={k: v for k, v in e.data.items() if k != "text"},
            labels=list(e.labels),
            at=at,
        )
        for i, e in enumerate(events, 1)
    ]
    EventRow.objects.bulk_create(rows)
    opened: list[WindowRow] = []
    for row, event in zip(rows, events, strict=True):
        rounds, state = len(state.rounds), evolve(state, event)
        _project(game, state, row, event)
        if event.kind == "window_opened":
            window = WindowRow(
                game=game,
                key=event["key"],
                data=dict(event.data),
                asked=list(event["seats"]),
                opened_seq=row.seq,
                opens_round=len(state.rounds) > rounds,
                **columns(state.windows[event["key"]].moment),
                opened_at=at,
                not_before=at,
            )
            opened.append(window)
        elif event.kind == "window_closed":
            WindowRow.objects.filter(game=game, key=event["window"]).update(closed_at=at)
    return opened


def _project(game: Game, state: State, row: EventRow, event: Event) -> None:
    if event.data.get("manner") == "say":
        said = AnswerRow.objects.filter(
            window__game=game, window__key=event["window"], seat=event["seat"]
        )
        latest = said.order_by("-id").values_list("utterance_id", flat=True)[:1]
        Utterance.objects.filter(id__in=list(latest)).update(event=row)
    if event.kind in BALLOTS:
        targets = event.data.get("targets") or [None]
        when = state.windows[event["window"]].moment
        Vote.objects.create(
            event=row,
            game=game,
            kind=event.kind,
            day=when.day,
            round=when.round,
            seat=event["seat"],
            target=targets[0],
            labels=list(event.labels),
        )


def save_answer(window: WindowRow, seat: int, answer: Answer, post: UUID, at: datetime) -> None:
    """Keep an answer; its words go to an Utterance."""
    data = answer.action.data()
    utterance = None
    if text := data.pop("text", ""):
        utterance = Utterance.objects.create(
            game_id=window.game_id,
            seat=seat,
            window=window.key,
            text=text,
            sha256=data["sha256"],
            words=data["words"],
        )
    AnswerRow.objects.create(
        window=window,
        seat=seat,
        post=post,
        action=data,
        utterance=utterance,
        labels=list(answer.labels),
        at=at,
    )


def answers(windows: Sequence[WindowRow]) -> dict[str, dict[int, Answer]]:
    """The answers that count in `windows`: window key -> seat -> answer."""
    found: dict[str, dict[int, Answer]] = {w.key: {} for w in windows}
    keys = {w.pk: w.key for w in windows}
    rows = AnswerRow.objects.filter(window__in=list(keys)).order_by("id")
    for window, seat, action, labels, text in rows.values_list(
        "window_id", "seat", "action", "labels", "utterance__text"
    ):
        data = action if text is None else {**action, "text": text}
        found[keys[window]][seat] = Answer(Action.of(data), tuple(labels))
    return found


def window(row: WindowRow) -> Window:
    """The engine's window of a row."""
    return Window.of(row.data, row.moment.start)
