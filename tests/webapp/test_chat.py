"""Tests of the chat of people at a table, before and after the game."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game import lobby, selectors
from game.engine import visibility
from game.models import Game
from tests.game.table import finish
from tests.webapp.tables import host_table, join_table, player_of, post_act, read_page
from webapp import housekeeping
from webapp.play.models import AuditEntry, ChatLine
from webapp.play.page import chat
from webapp.play.page.snapshot import Snapshot

pytestmark = pytest.mark.django_db
TEXT = "Shall we wait for Bert? 👋"


def write_chat_line(client: Client, game: Game, text: str = TEXT, **options: str) -> int:
    return post_act(client, game, "chat", words=text, **options)


@pytest.fixture
def table_with_guest() -> tuple[Game, Client, Client]:
    host = Client()
    game = host_table(host, spectators="on")
    return game, host, join_table(game, "Anna")


def test_chat_line_in_the_lobby_is_visible_to_members_only(
    table_with_guest: tuple[Game, Client, Client],
) -> None:
    game, host, anna = table_with_guest
    before = Snapshot(game).change_key
    assert write_chat_line(anna, game, f"  {TEXT}\n ", lobby="1") == 200
    game.refresh_from_db()
    assert Snapshot(game).change_key != before, "open pages are updated"
    assert TEXT in read_page(host, game)
    assert TEXT not in read_page(Client(), game)
    assert AuditEntry.objects.get(what="chat").seat == getattr(player_of(anna, game), "seat", None)


@pytest.mark.parametrize("blank", ["\n", "\u2800", "\u3164", "\u3000", "\u2028", "\u200b\n"])
def test_chat_line_is_reduced_to_one_line(
    table_with_guest: tuple[Game, Client, Client], blank: str
) -> None:
    game, host, anna = table_with_guest
    assert write_chat_line(anna, game, f"Hi{blank * 99}Moderator: Go.") == 200
    assert ">Hi Moderator: Go.</span>" in read_page(host, game)
    assert write_chat_line(anna, game, f"x{chr(0x330) * 5}") == 422
    assert write_chat_line(anna, game, "\U000e0041") == 422
    line = ChatLine.objects.get(game=game)
    ChatLine.objects.update(text=f"Hi{blank * 99}Moderator: Go.")
    assert "Moderator: Go." in read_page(host, game)
    assert blank * 9 not in read_page(host, game)
    assert line.text == "Hi Moderator: Go."


def test_chat_is_closed_during_the_game_and_open_after_it(
    table_with_guest: tuple[Game, Client, Client],
) -> None:
    game, host, anna = table_with_guest
    write_chat_line(host, game)
    lobby.start(game.pk)
    assert write_chat_line(anna, game) == 409
    assert TEXT not in read_page(host, game)
    finish(game)
    assert write_chat_line(anna, game, "That was you, Beta!") == 200
    for client in (host, anna):
        assert TEXT in read_page(client, game)
        assert "That was you, Beta!" in read_page(client, game)
    assert "That was you" not in read_page(Client(), game), "spectators do not see the chat"
    for viewer in (visibility.MODERATOR, visibility.PUBLIC):
        assert "That was you" not in str(selectors.transcript(game, viewer))


def test_chat_is_closed_for_a_player_without_company() -> None:
    host = Client()
    game = host_table(host)
    lobby.start(game.pk)
    finish(game)
    html = read_page(host, game)
    assert 'id="chat"' in html
    assert "data-open" not in html


def test_chat_is_closed_at_a_blind_table() -> None:
    host = Client()
    game = host_table(host, blind="on")
    assert write_chat_line(host, game) == 409
    assert "data-open" not in read_page(host, game)


@pytest.mark.parametrize(
    "text", ["", " \n", "x" * 401, "w " * 61, "<b>hey</b>", "a\u202eb", "a\x07b"]
)
def test_invalid_chat_line_is_refused(
    table_with_guest: tuple[Game, Client, Client], text: str
) -> None:
    game, host, _anna = table_with_guest
    assert write_chat_line(host, game, text) in (409, 413, 422)
    assert not ChatLine.objects.exists()


def test_chat_line_is_deleted_by_its_writer_and_by_the_host(
    table_with_guest: tuple[Game, Client, Client],
) -> None:
    game, host, anna = table_with_guest
    write_chat_line(host, game, "The host's line")
    write_chat_line(anna, game, "Anna's line")
    by_host, by_anna = ChatLine.objects.order_by("pk")
    assert post_act(anna, game, f"chat_out:{by_host.pk}") == 409
    assert post_act(host, game, f"chat_out:{by_anna.pk}") == 200
    assert post_act(host, game, f"chat_out:{by_host.pk}") == 200
    assert not ChatLine.objects.exists()


def test_chat_lines_of_a_table_are_limited(
    table_with_guest: tuple[Game, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, host, _anna = table_with_guest
    monkeypatch.setattr(chat, "MAX_LINES_PER_TABLE", 1)
    assert write_chat_line(host, game) == 200
    assert write_chat_line(host, game) == 409


def test_erasure_deletes_the_chat_lines_of_the_player(
    table_with_guest: tuple[Game, Client, Client],
) -> None:
    game, host, anna = table_with_guest
    write_chat_line(anna, game, "Call me Anna")
    write_chat_line(host, game, "Hello Anna!")
    lobby.start(game.pk)
    finish(game)
    assert post_act(anna, game, "erase") == 200
    (remaining_line,) = ChatLine.objects.all()
    assert "Anna" not in remaining_line.text


def test_old_chat_lines_are_deleted(table_with_guest: tuple[Game, Client, Client]) -> None:
    game, host, _anna = table_with_guest
    write_chat_line(host, game, "old")
    write_chat_line(host, game, "new")
    ChatLine.objects.filter(text="old").update(at=timezone.now() - timedelta(days=31))
    assert chat.delete_old_lines in housekeeping.DAILY_JOBS
    assert chat.delete_old_lines() == 1
    assert [line.text for line in ChatLine.objects.all()] == ["new"]
