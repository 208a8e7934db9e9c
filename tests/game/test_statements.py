"""Prepared SQL statements write and read the same as Django's own."""

from __future__ import annotations

import pytest
from django.utils import timezone

from game import cached_games, game_actions, sql_statements
from game.models import Event, Game
from tests.game.table import answer, new_game, open_window, play_until

pytestmark = pytest.mark.django_db(transaction=True)


def test_inserted_rows_get_keys_and_are_read_unchanged() -> None:
    game = new_game()
    begins = Event.objects.filter(game=game).count() + 1
    rows = [
        Event(
            game=game,
            seq=begins + i,
            kind="told",
            audience="public",
            data={"n": i, "text": "„ä“ %s"},
            labels=["a"] if i % 2 else [],
            at=timezone.now(),
        )
        for i in range(2 * sql_statements.MAX_VALUES_PER_STATEMENT // 8 + 3)
    ]
    sql_statements.insert(rows)
    stored = list(Event.objects.filter(game=game, kind="told").order_by("seq"))
    assert stored == rows
    assert [(e.data, e.labels, e.at) for e in stored] == [(e.data, e.labels, e.at) for e in rows]
    selected = sql_statements.select(Event, order="seq", game_id=game.pk, kind="told")
    assert [vars(e) | {"_state": 0} for e in selected] == [vars(e) | {"_state": 0} for e in stored]


def test_update_writes_only_named_fields_and_insert_keeps_existing_rows() -> None:
    game = new_game()
    modified = Game.objects.get(pk=game.pk)
    modified.winner, modified.pace = "village", "even"
    sql_statements.update(modified, ["winner"])
    stored = Game.objects.get(pk=game.pk)
    assert (stored.winner, stored.pace) == ("village", "none")
    first = Event.objects.filter(game=game).first()
    assert first
    duplicate = Event(game=game, seq=first.seq, kind="other", audience="public", at=first.at)
    sql_statements.insert_missing([duplicate])
    assert Event.objects.get(game=game, seq=first.seq).kind == first.kind


def test_only_writer_still_sees_host_actions() -> None:
    game = new_game(1)
    play_until(game, "statement")
    window = open_window(game, "statement")
    answer(game, window.asked[0], window)
    cached, position = cached_games.current_game(game.pk, is_only_writer=True)
    assert (cached.version, position.version) == (Game.objects.get(pk=game.pk).version,) * 2
    game_actions.pause(game.pk)
    cached, _position = cached_games.current_game(game.pk, is_only_writer=True)
    assert cached.paused_at
    assert cached.version == Game.objects.get(pk=game.pk).version
