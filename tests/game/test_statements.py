"""Statements that are put together once write and read what Django's own would."""

from __future__ import annotations

import pytest
from django.utils import timezone

from game import host_actions, selectors, sql_statements
from game.models import Event, Game
from tests.game.table import answer, new_game, open_window, play_until

pytestmark = pytest.mark.django_db(transaction=True)


def test_many_rows_get_their_keys_and_are_read_as_written() -> None:
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
        for i in range(2 * sql_statements.MAX_VALUES // 8 + 3)
    ]
    sql_statements.insert(rows)
    found = list(Event.objects.filter(game=game, kind="told").order_by("seq"))
    assert found == rows
    assert [(e.data, e.labels, e.at) for e in found] == [(e.data, e.labels, e.at) for e in rows]
    read = sql_statements.select(Event, order="seq", game_id=game.pk, kind="told")
    assert [vars(e) | {"_state": 0} for e in read] == [vars(e) | {"_state": 0} for e in found]


def test_only_the_named_fields_are_updated_and_a_row_in_place_stays() -> None:
    game = new_game()
    changed = Game.objects.get(pk=game.pk)
    changed.winner, changed.pace = "village", "even"
    sql_statements.update(changed, ["winner"])
    now = Game.objects.get(pk=game.pk)
    assert (now.winner, now.pace) == ("village", "none")
    first = Event.objects.filter(game=game).first()
    assert first
    again = Event(game=game, seq=first.seq, kind="other", audience="public", at=first.at)
    sql_statements.insert_missing([again])
    assert Event.objects.get(game=game, seq=first.seq).kind == first.kind


def test_who_is_alone_with_a_game_still_sees_what_a_host_did() -> None:
    game = new_game(1)
    play_until(game, "statement")
    window = open_window(game, "statement")
    answer(game, window.asked[0], window)
    held, position = selectors.current_game(game.pk, is_only_writer=True)
    assert (held.version, position.version) == (Game.objects.get(pk=game.pk).version,) * 2
    host_actions.pause(game.pk)
    held, _position = selectors.current_game(game.pk, is_only_writer=True)
    assert held.paused_at
    assert held.version == Game.objects.get(pk=game.pk).version
