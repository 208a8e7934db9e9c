"""Converts between rows and events, and is the only writer of the game's rows.

Actions and `LockedGame` decide what to write. The caller of a writing function holds the game's
row lock (`game.locked_game.lock_game`), except for heartbeats.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F

from game import clock, sql_statements
from game.engine.events import Action, Audience, Event
from game.engine.state import State, evolve
from game.engine.windows import Answer, Window
from game.models import Answer as AnswerRow
from game.models import Event as EventRow
from game.models import Game, Heartbeat, Player, Utterance, Vote, moment_columns
from game.models import Window as WindowRow

# The fields of a stored window that may change.
CHANGING_FIELDS = ("opened_at", "not_before", "expires_at", "closed_at", "agents_missing")
TEMPORARY_SEAT_OFFSET = 1000  # moves seats above every seat number


def load_log(game: Game | int) -> list[Event]:
    """Return all events of a game, with the players' texts."""
    rows = EventRow.objects.filter(game=game).order_by("seq")
    columns = rows.values_list("kind", "audience", "data", "labels", "utterance__text")
    log = []
    for kind, audience, data, labels, text in columns:
        if data.get("manner") == "say":
            data["text"] = text or ""
        log.append(Event(kind, Audience.parse(audience), data, tuple(labels)))
    return log


def load_new_events(game_id: int, skip: int) -> list[Event]:
    """Return the log without its first `skip` events. Use it if few are left."""
    rows = sql_statements.select(EventRow, order="seq", above="seq", game_id=game_id, seq=skip)
    statements = [row for row in rows if row.data.get("manner") == "say"]
    if len(statements) > sql_statements.MAX_VALUES_PER_STATEMENT:
        return load_log(game_id)[skip:]
    utterances = sql_statements.select(Utterance, event_id=[row.pk for row in statements])
    texts = {utterance.event_id: utterance.text for utterance in utterances}
    for row in statements:
        row.data["text"] = texts.get(row.pk, "")
    return [Event(r.kind, Audience.parse(r.audience), r.data, tuple(r.labels)) for r in rows]


def as_stored_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON-shaped data as the database would return them, with lists and text keys."""
    return dict(json.loads(json.dumps(data)))


@dataclass(frozen=True)
class NewAnswer:
    """An accepted answer that is not written yet."""

    window: WindowRow
    seat: int
    answer: Answer
    request_id: UUID


def append_events(
    game: Game,
    state: State,
    log_length: int,
    events: Sequence[Event],
    now: datetime,
    answers: Sequence[NewAnswer] = (),
) -> list[WindowRow]:
    """Write `events` and `answers`.

    Args:
        state: before the events.
        log_length: the number of events in the log so far.
        answers: new answers, whether or not an event publishes them now.

    Returns:
        the opened windows, unsaved, because `LockedGame` sets their clocks.
    """
    rows = [_event_row(game, seq, event, now) for seq, event in enumerate(events, log_length + 1)]
    sql_statements.insert(rows)
    opened: list[WindowRow] = []
    votes: list[Vote] = []
    event_rows: dict[tuple[str, int], EventRow] = {}
    for row, event in zip(rows, events, strict=True):
        rounds, state = len(state.rounds), evolve(state, event)
        if event.data.get("manner") == "say":
            event_rows[event["window"], event["seat"]] = row
        votes += _votes(game, state, row, event)
        if event.kind == "window_opened":
            opened.append(_window_row(row, event, state, opens_round=len(state.rounds) > rounds))
    sql_statements.insert(votes)
    _link_utterances(game, event_rows, answers)
    save_answers(answers, now, event_rows)
    return opened


def _event_row(game: Game, seq: int, event: Event, now: datetime) -> EventRow:
    return EventRow(
        game=game,
        seq=seq,
        kind=event.kind,
        audience=str(event.audience),
        data={k: v for k, v in event.data.items() if k != "text"},
        labels=list(event.labels),
        at=now,
    )


def _window_row(
    row: EventRow, opened: Event, state_after: State, *, opens_round: bool
) -> WindowRow:
    return WindowRow(
        game=row.game,
        key=opened["key"],
        data=as_stored_json(opened.data),
        asked=list(opened["seats"]),
        opened_seq=row.seq,
        opens_round=opens_round,
        **moment_columns(state_after.windows[opened["key"]].moment),
        opened_at=row.at,
        not_before=row.at,
    )


def _votes(game: Game, state: State, row: EventRow, event: Event) -> list[Vote]:
    window = state.windows.get(event.data.get("window", ""))
    if not window or event.kind != window.kind or not window.is_ballot:
        return []
    return [
        Vote(
            event=row,
            game=game,
            kind=event.kind,
            day=window.moment.day,
            round=window.moment.round,
            seat=event["seat"],
            target=(event.data.get("targets") or [None])[0],
            labels=list(event.labels),
        )
    ]


def _link_utterances(
    game: Game, event_rows: Mapping[tuple[str, int], EventRow], answers: Sequence[NewAnswer]
) -> None:
    """Link texts that were stored before this change to their events.

    Of several texts of a seat in one window the latest is linked.
    """
    new_keys = {(new.window.key, new.seat) for new in answers}
    for (key, seat), event in event_rows.items():
        if (key, seat) not in new_keys:
            stored = AnswerRow.objects.filter(window__game=game, window__key=key, seat=seat)
            latest = stored.order_by("-id").values("utterance")[:1]
            Utterance.objects.filter(id__in=latest).update(event=event)


def save_answers(
    answers: Sequence[NewAnswer],
    now: datetime,
    event_rows: Mapping[tuple[str, int], EventRow] | None = None,
) -> None:
    """Write answers, and their texts as Utterances.

    `event_rows`: (window key, seat) -> the event of that statement, if there is one already.
    """
    rows: list[AnswerRow] = []
    for new in answers:
        row = AnswerRow(
            window=new.window,
            seat=new.seat,
            post=new.request_id,
            action=new.answer.action.to_json(),
            labels=list(new.answer.labels),
            at=now,
        )
        if text := row.action.pop("text", ""):
            row.utterance = Utterance(
                game_id=new.window.game_id,
                seat=new.seat,
                window=new.window.key,
                text=text,
                sha256=row.action["sha256"],
                words=row.action["words"],
                event=(event_rows or {}).get((new.window.key, new.seat)),
            )
        rows.append(row)
    sql_statements.insert([row.utterance for row in rows if row.utterance])
    sql_statements.insert(rows)


def load_answers(windows: Sequence[WindowRow]) -> dict[str, dict[int, Answer]]:
    """Return the answers that count in `windows`: window key -> seat -> answer."""
    answers_by_window: dict[str, dict[int, Answer]] = {w.key: {} for w in windows}
    keys = {w.pk: w.key for w in windows}
    rows = sql_statements.select(AnswerRow, order="id", window_id=list(keys))
    utterance_ids = [row.utterance_id for row in rows if row.utterance_id]
    utterances = sql_statements.select(Utterance, id=utterance_ids)
    texts: dict[UUID | None, dict[str, str]] = {u.pk: {"text": u.text} for u in utterances}
    for row in rows:
        action = Action.from_json({**row.action, **texts.get(row.utterance_id, {})})
        answers_by_window[keys[row.window_id]][row.seat] = Answer(action, tuple(row.labels))
    return answers_by_window


def to_window(row: WindowRow) -> Window:
    return Window.from_json(row.data, row.moment.phase_start)


# -- a table and its players


def load_game(game_id: int, *, should_lock: bool = False) -> Game:
    """Return the game's row, locked until the transaction ends if `should_lock`."""
    for game in sql_statements.select(Game, should_lock=should_lock, id=game_id):
        return game
    raise Game.DoesNotExist


def create_game(**fields: Any) -> Game:
    return Game.objects.create(**fields)


def delete_game(game: Game) -> None:
    game.delete()


def save_game(game: Game) -> None:
    sql_statements.update(game)


def insert_players(players: Iterable[Player]) -> None:
    Player.objects.bulk_create(players)


def swap_portraits(game: Game, player: Player, number: int) -> None:
    """Exchange the player's portrait with that of the owner of portrait `number`."""
    Player.objects.filter(game=game, portrait=number).update(portrait=player.portrait)
    Player.objects.filter(pk=player.pk).update(portrait=number)


def save_player(player: Player, *fields: str) -> None:
    """Write these fields of a player, all of them if none is named."""
    player.save(update_fields=fields or None)


def move_to_seats(players: Sequence[Player]) -> None:
    """Write seat, name and recipe of all players of a game after they have changed seats."""
    seats = [player.seat for player in players]
    for player in players:  # the unique constraint holds at every moment
        player.seat += TEMPORARY_SEAT_OFFSET
    Player.objects.bulk_update(players, ["seat"])
    for player, seat in zip(players, seats, strict=True):
        player.seat = seat
    Player.objects.bulk_update(players, ["seat", "name", "recipe"])


def assign_agents_to_open_seats(game_id: int) -> None:
    Player.objects.filter(game=game_id, kind=Player.OPEN).update(kind=Player.AGENT)


def set_stand_in(game: Game, seat: int, *, is_stand_in: bool) -> None:
    Player.objects.filter(game=game, seat=seat).update(stand_in=is_stand_in)


def mark_left(player: Player, at: datetime) -> None:
    Player.objects.filter(pk=player.pk).update(left_at=at)


# -- windows and their clocks


def save_windows(rows: Sequence[WindowRow]) -> None:
    """Write new windows from `append_events`, and windows with changed clocks, in one statement."""
    for row in rows:
        row.pk = None  # one statement inserts and updates; it returns the key
    sql_statements.insert(rows, updating=CHANGING_FIELDS, unique=("game", "key"))


def close_windows(game: Game, now: datetime) -> None:
    WindowRow.objects.filter(game=game, closed_at=None).update(closed_at=now)


def get_or_create_heartbeat(key: int = Heartbeat.SWEEPER) -> Heartbeat:
    """Return the heartbeat row of `key`. Insert one with the current time if there is none."""
    heartbeats = Heartbeat.objects.filter(pk=key)
    if heartbeat := heartbeats.first():
        return heartbeat
    # Several processes may do this at once. `get_or_create` would log an error in PostgreSQL.
    Heartbeat.objects.bulk_create([Heartbeat(pk=key, at=clock.now())], ignore_conflicts=True)
    return heartbeats.get()


def save_heartbeat(heartbeat: Heartbeat, at: datetime) -> None:
    heartbeat.at = at
    heartbeat.save(update_fields=["at"])


def shift_clocks(last_beat: datetime, now: datetime, beat_interval: timedelta) -> None:
    """Move the clocks of everything that was open at the last heartbeat by the lost time.

    The last heartbeat is in the future if the clock was set back.
    """
    lost = now - last_beat
    games = Game.objects.filter(ended_at=None, paused_at=None, started_at__isnull=False)
    rows = WindowRow.objects.filter(closed_at=None, game__in=games)
    if lost > timedelta():
        rows = rows.filter(opened_at__lte=last_beat)
        old_phases = games.filter(phase_at__lte=last_beat)
    else:  # windows opened by the new clock are at most one heartbeat old
        recent = (now - beat_interval, now)
        rows = rows.exclude(opened_at__range=recent)
        old_phases = games.exclude(phase_at__range=recent)
    # Games before their windows: all other changes lock in this order too.
    old_phases.update(phase_at=F("phase_at") + lost)
    games.exclude(due_at=None).update(due_at=now)  # the sweeper computes the next time anew
    games.update(version=F("version") + 1)
    rows.update(
        opened_at=F("opened_at") + lost,
        not_before=F("not_before") + lost,
        expires_at=F("expires_at") + lost,
    )


# -- removal of text


def remove_text(game: Game, window: str, seat: int) -> bool:
    """Remove the text of a statement and keep its event. Return whether there was any text."""
    utterances = Utterance.objects.filter(game=game, window=window, seat=seat, event__isnull=False)
    return utterances.exclude(text="").update(text="") > 0


def remove_texts(utterance_ids: Sequence[UUID]) -> None:
    """Remove the text of the utterances with these ids, linked to an event or not."""
    Utterance.objects.filter(pk__in=utterance_ids).update(text="")


def rename_seat(game: Game, seat: int, name: str) -> None:
    """Replace a seat's name in `game_opened`, the event that lists all names."""
    for event in EventRow.objects.filter(game=game, kind="game_opened"):
        event.data["seats"][seat - 1] = name
        event.save(update_fields=["data"])


def replace_texts(game: Game, replace: Callable[[str], str]) -> None:
    for utterance in Utterance.objects.filter(game=game).exclude(text=""):
        if (text := replace(utterance.text)) != utterance.text:
            Utterance.objects.filter(pk=utterance.pk).update(text=text)
