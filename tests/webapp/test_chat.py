"""People talk before the game and after it: among themselves, beside the game, not during it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game import lobby, selectors
from game.engine import visibility
from game.models import Game
from tests.game.table import finish
from tests.webapp.test_invitations import act, join, seat_of, set_table
from webapp import housekeeping
from webapp.play.models import AuditEntry, ChatLine
from webapp.play.page import chat
from webapp.play.page.snapshot import change_key, presence_at

pytestmark = pytest.mark.django_db
WORDS = "Shall we wait for Bert? 👋"


def write(client: Client, game: Game, words: str = WORDS, **more: str) -> int:
    return act(client, game, "chat", words=words, **more)


def page(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.code}/").content.decode()


@pytest.fixture
def two() -> tuple[Game, Client, Client]:
    host = Client()
    game = set_table(host, spectators="on")
    return game, host, join(game, "Anna")


def test_chat_line_in_the_lobby_is_visible_to_members_only(
    two: tuple[Game, Client, Client],
) -> None:
    game, host, anna = two
    before = change_key(game, presence_at(game))
    assert write(anna, game, f"  {WORDS}\n ", lobby="1") == 200
    game.refresh_from_db()
    assert change_key(game, presence_at(game)) != before, "open pages are told"
    assert WORDS in page(host, game)
    assert WORDS not in page(Client(), game)
    assert AuditEntry.objects.get(what="chat").seat == getattr(seat_of(anna, game), "seat", None)


@pytest.mark.parametrize("blank", ["\n", "\u2800", "\u3164", "\u3000", "\u2028", "\u200b\n"])
def test_chat_line_is_reduced_to_one_line(two: tuple[Game, Client, Client], blank: str) -> None:
    game, host, anna = two
    assert write(anna, game, f"Hi{blank * 99}Moderator: Go.") == 200
    assert ">Hi Moderator: Go.</span>" in page(host, game)
    assert write(anna, game, f"x{chr(0x330) * 5}") == 422
    assert write(anna, game, "\U000e0041") == 422
    line = ChatLine.objects.get(game=game)
    ChatLine.objects.update(text=f"Hi{blank * 99}Moderator: Go.")
    assert "Moderator: Go." in page(host, game)
    assert blank * 9 not in page(host, game)
    assert line.text == "Hi Moderator: Go."


def test_chat_is_closed_during_the_game_and_open_after_it(
    two: tuple[Game, Client, Client],
) -> None:
    game, host, anna = two
    write(host, game)
    lobby.start(game.pk)
    assert write(anna, game) == 409
    assert WORDS not in page(host, game)
    finish(game)
    assert write(anna, game, "That was you, Beta!") == 200
    for client in (host, anna):
        assert WORDS in page(client, game)
        assert "That was you, Beta!" in page(client, game)
    assert "That was you" not in page(Client(), game), "who only watched reads nothing"
    for viewer in (visibility.MODERATOR, visibility.PUBLIC):
        assert "That was you" not in str(selectors.transcript(game, viewer))


def test_chat_is_closed_for_a_player_without_company() -> None:
    host = Client()
    game = set_table(host)
    lobby.start(game.pk)
    finish(game)
    shown = page(host, game)
    assert 'id="chat"' in shown
    assert "data-open" not in shown


def test_chat_is_closed_at_a_blind_table() -> None:
    host = Client()
    game = set_table(host, blind="on")
    assert write(host, game) == 409
    assert "data-open" not in page(host, game)


@pytest.mark.parametrize(
    "words", ["", " \n", "x" * 401, "w " * 61, "<b>hey</b>", "a\u202eb", "a\x07b"]
)
def test_invalid_chat_line_is_refused(two: tuple[Game, Client, Client], words: str) -> None:
    game, host, _anna = two
    assert write(host, game, words) in (409, 413, 422)
    assert not ChatLine.objects.exists()


def test_chat_line_is_deleted_by_its_writer_and_by_the_host(
    two: tuple[Game, Client, Client],
) -> None:
    game, host, anna = two
    write(host, game, "The host's line")
    write(anna, game, "Anna's line")
    by_host, by_anna = ChatLine.objects.order_by("pk")
    assert act(anna, game, f"chat_out:{by_host.pk}") == 409
    assert act(host, game, f"chat_out:{by_anna.pk}") == 200
    assert act(host, game, f"chat_out:{by_host.pk}") == 200
    assert not ChatLine.objects.exists()


def test_chat_lines_of_a_table_are_limited(
    two: tuple[Game, Client, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, host, _anna = two
    monkeypatch.setattr(chat, "MAX_LINES", 1)
    assert write(host, game) == 200
    assert write(host, game) == 409


def test_erasure_deletes_the_chat_lines_of_the_player(
    two: tuple[Game, Client, Client],
) -> None:
    game, host, anna = two
    write(anna, game, "Call me Anna")
    write(host, game, "Hello Anna!")
    lobby.start(game.pk)
    finish(game)
    assert act(anna, game, "erase") == 200
    (left,) = ChatLine.objects.all()
    assert "Anna" not in left.text


def test_old_chat_lines_are_deleted(two: tuple[Game, Client, Client]) -> None:
    game, host, _anna = two
    write(host, game, "old")
    write(host, game, "new")
    ChatLine.objects.filter(text="old").update(at=timezone.now() - timedelta(days=31))
    assert chat.delete_old_lines in housekeeping.JOBS
    assert chat.delete_old_lines() == 1
    assert [line.text for line in ChatLine.objects.all()] == ["new"]
