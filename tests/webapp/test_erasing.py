"""Tests of the erasure of a player after the game: text and name go, the log keeps its shape."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from agents.recipe import Recipe
from game import game_actions, lobby, locked_game, selectors
from game.engine import rulesets, visibility
from game.engine.events import say, text_hash
from game.engine.visibility import View
from game.models import Event, Game, Player, Utterance
from tests.crashes import crash_everywhere
from tests.game.table import any_answer, finish
from tests.study.personal_data import dump_database
from tests.webapp.tables import host_table, join_table, player_of, post_act
from webapp.play.models import AuditEntry, Desk, LLMCall, Membership, Table, Withdrawal
from webapp.play.turns import withdrawals
from webapp.play.turns.answering import answer_window

pytestmark = pytest.mark.django_db
STATEMENT = "Marmalade is my alibi, I was in the pantry."
REPLY_WITH_NAME = "Zoe, is that so? ZOË! I ask Zoë’s friends."


def play_game_with_zoe(**choices: object) -> tuple[Game, Client, Client]:
    """Return a finished game, its host and Zoë, who said STATEMENT.

    Agents thought about her, and others called her by her name.
    """
    host = Client()
    game = host_table(host, guests=1, **choices)
    zoe = join_table(game, "" if choices.get("blind") else "Zoë")
    post_act(host, game, "start")
    zoe_seat, host_seat = player_of(zoe, game), player_of(host, game)
    assert zoe_seat
    assert host_seat
    for player in game.players.filter(kind=Player.AGENT):
        player.recipe = Recipe().cast(str(player.seat)).data()
        player.save()
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                key = window.window.key
                if seat in (zoe_seat.seat, host_seat.seat):
                    is_speech = window.window.legal.name == "speech"
                    text = STATEMENT if seat == zoe_seat.seat else REPLY_WITH_NAME
                    action = say(text) if is_speech else any_answer(window, seat)
                    locked_game.record_answer(game.pk, seat, key, action)
                else:
                    answer_window(game.pk, seat, key, use_lease=False)
    game.refresh_from_db()
    Desk.objects.filter(player=host_seat).update(
        draft="Zoë again?", notes={str(zoe_seat.seat): {"value": "seer", "text": "zoë lies"}}
    )
    return game, host, zoe


def read_request_figures() -> list[object]:
    return list(
        LLMCall.objects.order_by("pk").values_list("pk", "kind", "seconds", "reply__targets")
    )


def log_shape(game: Game) -> list[object]:
    """Return everything in the log except text and names."""
    view = selectors.view_for(game, visibility.MODERATOR)
    return [
        (e.kind, str(e.audience), e.labels, {k: v for k, v in e.data.items() if k != "text"})
        for e in view.events[1:]
    ]


def moderator_view(game: Game) -> View:
    return selectors.view_for(game, visibility.MODERATOR)


def test_erasure_removes_text_and_name_from_all_rows_and_keeps_the_log_shape() -> None:
    game, host, zoe = play_game_with_zoe(spectators="on")
    seat = player_of(zoe, game)
    assert seat
    shape, names = log_shape(game), list(moderator_view(game).state.seats)
    seat_names = rulesets.get(game.ruleset).seat_names
    figures = read_request_figures()
    assert "Marmalade" in dump_database()
    assert "Zoë" in dump_database()
    response = zoe.post(f"/games/{game.code}/act", {"do": "erase"})
    assert response.status_code == 200
    assert "Your text has been withdrawn" in response.content.decode()
    rows = dump_database()
    for trace in ("Marmalade", "pantry", "Zoë", "Zoe,", "ZOË", "zoë", "Zo\\u00eb"):
        assert trace not in rows
    assert log_shape(game) == shape
    assert figures == read_request_figures()
    erased = Player.objects.get(pk=seat.pk)
    assert (erased.kind, erased.name) == (Player.PERSON, seat_names[erased.seat - 1])
    assert list(moderator_view(game).state.seats) == [
        *names[: erased.seat - 1],
        erased.name,
        *names[erased.seat :],
    ]
    host_seat = player_of(host, game)
    assert host_seat
    reply = Utterance.objects.filter(game=game, seat=host_seat.seat, event__isnull=False)[0]
    assert reply.text == f"{erased.name}, is that so? {erased.name}! I ask {erased.name}’s friends."


def test_pages_work_after_an_erasure() -> None:
    game, host, zoe = play_game_with_zoe(spectators="on")
    assert post_act(zoe, game, "erase") == 200
    code = game.code
    for client in (host, Client()):
        for page in ("", "replay?at=12&as=moderator", "replay?at=20", "transcript.txt"):
            response = client.get(f"/games/{code}/{page}")
            assert response.status_code == 200
            body = response.content.decode()
            assert "Marmalade" not in body
            assert "Zoë" not in body
    assert "has withdrawn this text" in host.get(f"/games/{code}/").content.decode()
    next_code = host.post(f"/games/{code}/again")["Location"].strip("/").split("/")[-1]
    assert Game.objects.get(code=next_code).players.filter(kind=Player.PERSON).count() == 1


def test_erased_player_has_no_access() -> None:
    game, _host, zoe = play_game_with_zoe()
    link = f"/seat/{Desk.objects.get(player=player_of(zoe, game)).key}/"
    page = zoe.get(f"/games/{game.code}/").content.decode()
    assert 'value="erase"' in page
    assert post_act(zoe, game, "erase") == 200
    assert zoe.get(f"/games/{game.code}/").status_code == 403
    assert zoe.get(link).status_code == 404
    assert post_act(zoe, game, "erase") == 403
    assert game.code not in zoe.get("/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_erasure_is_finished_by_the_sweeper_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    game, _host, zoe = play_game_with_zoe()
    request_states: list[str] = []

    def check() -> None:
        withdrawal = Withdrawal.objects.first()
        request_states.append(
            "done" if withdrawal and withdrawal.done_at else "on record" if withdrawal else "none"
        )
        erased = Player.objects.exclude(erased_at=None).exists()
        assert not erased or withdrawal, "the request is stored before anything is deleted"
        Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
        withdrawals.resume_withdrawals()
        if withdrawal:
            rows = dump_database()
            assert not [trace for trace in ("Marmalade", "Zoë", "Zo\\u00eb") if trace in rows]
            assert AuditEntry.objects.filter(what="erase").count() == 1
            assert not Membership.objects.filter(player__erased_at__isnull=False).exists()

    crash_everywhere(lambda: post_act(zoe, game, "erase"), check)
    assert request_states.count("on record") > 3
    before = request_states.index("on record")
    assert request_states[:before] == ["none"] * before
    assert "none" not in request_states[before:]


def test_erasure_is_refused_before_the_end_and_to_spectators() -> None:
    host = Client()
    game = host_table(host, guests=0, spectators="on")
    assert post_act(host, game, "erase") == 409
    assert 'value="erase"' not in host.get(f"/games/{game.code}/").content.decode()
    finish(game)
    watcher = Client()
    assert post_act(watcher, game, "erase") == 403
    assert 'value="erase"' not in watcher.get(f"/games/{game.code}/").content.decode()
    assert not Withdrawal.objects.exists()


def test_erasure_works_at_a_called_off_table() -> None:
    host = Client()
    game = host_table(host, guests=1)
    zoe = join_table(game, "Zoë")
    post_act(host, game, "start")
    post_act(host, game, "call_off")
    assert 'value="erase"' in zoe.get(f"/games/{game.code}/").content.decode()
    assert post_act(zoe, game, "erase") == 200
    assert "Zoë" not in dump_database()


def test_erasure_keeps_statements_of_the_stand_in() -> None:
    host = Client()
    game = host_table(host, guests=1)
    zoe = join_table(game, "Zoë")
    post_act(host, game, "start")
    seat = player_of(zoe, game)
    assert seat
    game_actions.hand_over(game.pk, seat.seat)
    finish(game)
    assert post_act(zoe, game, "erase") == 200
    texts = Utterance.objects.filter(game=game, seat=seat.seat).values_list("text", flat=True)
    assert len(texts) == 3
    assert all(texts)


def test_erasure_at_a_blind_table_does_not_reveal_a_person() -> None:
    game, host, zoe = play_game_with_zoe(blind="on")
    assert post_act(zoe, game, "erase") == 200
    page = host.get(f"/games/{game.code}/").content.decode()
    assert "This text was removed." in page
    assert "withdrawn this text" not in page
    post_act(host, game, "reveal")
    assert "withdrawn this text" in host.get(f"/games/{game.code}/").content.decode()


def test_erased_host_keeps_host_rights_without_a_seat() -> None:
    game, host, _zoe = play_game_with_zoe()
    assert post_act(host, game, "erase") == 200
    assert Membership.objects.get(game=game, host=True).player is None
    assert "is that so" not in dump_database()


def test_erase_player_command_erases_one_person_after_the_game() -> None:
    game, _host, zoe = play_game_with_zoe()
    seat = player_of(zoe, game)
    assert seat
    agent = game.players.filter(kind=Player.AGENT)[0].seat
    for arguments in (("nothing", "1"), (game.code, str(agent))):
        with pytest.raises(CommandError):
            call_command("erase_player", *arguments)
    out = StringIO()
    call_command("erase_player", game.code, str(seat.seat), stdout=out)
    assert game.code in out.getvalue()
    assert "Marmalade" not in dump_database()
    with pytest.raises(CommandError, match="changed"):
        call_command("erase_player", game.code, str(seat.seat))
    gathered = host_table(Client())
    with pytest.raises(CommandError, match="after the game"):
        call_command("erase_player", gathered.code, str(start_and_find_person(gathered)))
    assert Event.objects.filter(game=game, kind="game_over").exists()
    assert Table.objects.filter(game=game).exists()


def test_downloads_hold_no_hash_that_confirms_a_guessed_text() -> None:
    game, host, zoe = play_game_with_zoe()

    def downloads() -> list[str]:
        out = StringIO()
        call_command("transcript", game.code, "--viewer", "moderator", stdout=out)
        return [host.get(f"/games/{game.code}/transcript.jsonl").content.decode(), out.getvalue()]

    first_downloads = downloads()
    digests = {
        e["data"]["digest"]
        for e in map(json.loads, first_downloads[0].splitlines())
        if is_statement(e)
    }
    assert digests
    assert post_act(zoe, game, "erase") == 200
    for body in (*first_downloads, *downloads()):
        assert text_hash(STATEMENT) not in body
        assert "sha256" not in body
        assert all(digest in body for digest in digests), (
            "the digest stays, and is equal everywhere"
        )
    assert Event.objects.filter(game=game, data__sha256=text_hash(STATEMENT)).exists()
    with override_settings(SECRET_KEY="another one"):
        assert not [d for d in digests if d in downloads()[0]]


def is_statement(event: dict[str, Any]) -> bool:
    return event["data"].get("manner") == "say"


def start_and_find_person(game: Game) -> int:
    lobby.start(game.pk)
    return game.players.filter(kind=Player.PERSON)[0].seat
