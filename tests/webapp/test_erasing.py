"""After the game a person can take back what they said and who they were; its shape stays."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from agents.recipe import Recipe
from game import host_actions, lobby, selectors, services
from game.engine import rulesets, visibility
from game.engine.events import text_hash
from game.engine.forms import say
from game.engine.visibility import View
from game.models import Event, Game, Player, Utterance
from tests.crashes import crash_everywhere
from tests.game.table import any_answer, finish
from tests.webapp.test_invitations import act, join, seat_of, set_table
from webapp.play.models import AuditEntry, Desk, LLMCall, Membership, Table, Withdrawal
from webapp.play.turns import withdrawals
from webapp.play.turns.answering import answer_window

pytestmark = pytest.mark.django_db
WORDS = "Marmalade is my alibi, I was in the pantry."
ASKED = "Zoe, is that so? ZOË! I ask Zoë’s friends."


def everything() -> str:
    """All rows of all tables, sessions decoded, plain and as JSON escapes them."""
    rows = [list(m._default_manager.values_list()) for m in apps.get_models() if m != Session]
    told = [repr(rows), json.dumps(rows, default=str, ensure_ascii=False)]
    return "\n".join([*told, *(repr(s.get_decoded()) for s in Session.objects.all())])


def played(**choices: object) -> tuple[Game, Client, Client]:
    """A finished game, its host, and Zoë, who said WORDS.

    Computer players thought, others called her by her name.
    """
    host = Client()
    game = set_table(host, guests=1, **choices)
    zoe = join(game, "" if choices.get("blind") else "Zoë")
    act(host, game, "start")
    her, his = seat_of(zoe, game), seat_of(host, game)
    assert her
    assert his
    for player in game.players.filter(kind=Player.AGENT):
        player.recipe = Recipe().cast(str(player.seat)).data()
        player.save()
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                key = window.window.key
                if seat in (her.seat, his.seat):
                    speaks = window.window.legal.name == "speech"
                    words = WORDS if seat == her.seat else ASKED
                    action = say(words) if speaks else any_answer(window, seat)
                    services.answer(game.pk, seat, key, action)
                else:
                    answer_window(game.pk, seat, key, use_lease=False)
    game.refresh_from_db()
    Desk.objects.filter(player=his).update(
        draft="Zoë again?", notes={str(her.seat): {"value": "seer", "text": "zoë lies"}}
    )
    return game, host, zoe


def asked() -> list[object]:
    return list(
        LLMCall.objects.order_by("pk").values_list("pk", "kind", "seconds", "reply__targets")
    )


def shape(game: Game) -> list[object]:
    """Everything of the log but words and names."""
    view = selectors.view_for(game, visibility.MODERATOR)
    return [
        (e.kind, str(e.audience), e.labels, {k: v for k, v in e.data.items() if k != "text"})
        for e in view.events[1:]
    ]


def told(game: Game) -> View:
    return selectors.view_for(game, visibility.MODERATOR)


def test_erasure_removes_text_and_name_from_all_rows_and_keeps_the_log_shape() -> None:
    game, host, zoe = played(spectators="on")
    seat = seat_of(zoe, game)
    assert seat
    before, own = shape(game), list(told(game).state.seats)
    seat_names = rulesets.get(game.ruleset).seat_names
    figures = asked()
    assert "Marmalade" in everything()
    assert "Zoë" in everything()
    answer = zoe.post(f"/games/{game.code}/act", {"do": "erase"})
    assert answer.status_code == 200
    assert "Your text has been withdrawn" in answer.content.decode()
    left = everything()
    for trace in ("Marmalade", "pantry", "Zoë", "Zoe,", "ZOË", "zoë", "Zo\\u00eb"):
        assert trace not in left
    assert shape(game) == before
    assert figures == asked()
    her = Player.objects.get(pk=seat.pk)
    assert (her.kind, her.name) == (Player.PERSON, seat_names[her.seat - 1])
    assert list(told(game).state.seats) == [*own[: her.seat - 1], her.name, *own[her.seat :]]
    his = seat_of(host, game)
    assert his
    said = Utterance.objects.filter(game=game, seat=his.seat, event__isnull=False)[0]
    assert said.text == f"{her.name}, is that so? {her.name}! I ask {her.name}’s friends."


def test_pages_work_after_an_erasure() -> None:
    game, host, zoe = played(spectators="on")
    assert act(zoe, game, "erase") == 200
    code = game.code
    for client in (host, Client()):
        for page in ("", "replay?at=12&as=moderator", "replay?at=20", "transcript.txt"):
            answer = client.get(f"/games/{code}/{page}")
            assert answer.status_code == 200
            body = answer.content.decode()
            assert "Marmalade" not in body
            assert "Zoë" not in body
    assert "has withdrawn this text" in host.get(f"/games/{code}/").content.decode()
    again = host.post(f"/games/{code}/again")["Location"].strip("/").split("/")[-1]
    assert Game.objects.get(code=again).players.filter(kind=Player.PERSON).count() == 1


def test_erased_player_has_no_access() -> None:
    game, _host, zoe = played()
    link = f"/seat/{Desk.objects.get(player=seat_of(zoe, game)).key}/"
    page = zoe.get(f"/games/{game.code}/").content.decode()
    assert 'value="erase"' in page
    assert act(zoe, game, "erase") == 200
    assert zoe.get(f"/games/{game.code}/").status_code == 403
    assert zoe.get(link).status_code == 404
    assert act(zoe, game, "erase") == 403
    assert game.code not in zoe.get("/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_erasure_is_finished_by_the_sweeper_after_a_crash_at_any_step() -> None:
    if connection.vendor != "sqlite":
        return
    game, _host, zoe = played()
    requests: list[str] = []

    def check() -> None:
        done = Withdrawal.objects.first()
        requests.append("done" if done and done.done_at else "on record" if done else "none")
        erased = Player.objects.exclude(erased_at=None).exists()
        assert not erased or done, "the request is on record before anything is deleted"
        Withdrawal.objects.update(at=timezone.now() - timedelta(minutes=1))
        withdrawals.resume_withdrawals()
        if done:
            left = everything()
            assert not [trace for trace in ("Marmalade", "Zoë", "Zo\\u00eb") if trace in left]
            assert AuditEntry.objects.filter(what="erase").count() == 1
            assert not Membership.objects.filter(player__erased_at__isnull=False).exists()

    crash_everywhere(lambda: act(zoe, game, "erase"), check)
    assert requests.count("on record") > 3
    before = requests.index("on record")
    assert requests[:before] == ["none"] * before
    assert "none" not in requests[before:]


def test_erasure_is_refused_before_the_end_and_to_spectators() -> None:
    host = Client()
    game = set_table(host, guests=0, spectators="on")
    assert act(host, game, "erase") == 409
    assert 'value="erase"' not in host.get(f"/games/{game.code}/").content.decode()
    finish(game)
    watcher = Client()
    assert act(watcher, game, "erase") == 403
    assert 'value="erase"' not in watcher.get(f"/games/{game.code}/").content.decode()
    assert not Withdrawal.objects.exists()


def test_erasure_works_at_a_called_off_table() -> None:
    host = Client()
    game = set_table(host, guests=1)
    zoe = join(game, "Zoë")
    act(host, game, "start")
    act(host, game, "call_off")
    assert 'value="erase"' in zoe.get(f"/games/{game.code}/").content.decode()
    assert act(zoe, game, "erase") == 200
    assert "Zoë" not in everything()


def test_erasure_keeps_statements_of_the_stand_in() -> None:
    host = Client()
    game = set_table(host, guests=1)
    zoe = join(game, "Zoë")
    act(host, game, "start")
    seat = seat_of(zoe, game)
    assert seat
    host_actions.hand_over(game.pk, seat.seat)
    finish(game)
    assert act(zoe, game, "erase") == 200
    texts = Utterance.objects.filter(game=game, seat=seat.seat).values_list("text", flat=True)
    assert len(texts) == 3
    assert all(texts)


def test_erasure_at_a_blind_table_does_not_reveal_a_person() -> None:
    game, host, zoe = played(blind="on")
    assert act(zoe, game, "erase") == 200
    page = host.get(f"/games/{game.code}/").content.decode()
    assert "This text was removed." in page
    assert "withdrawn this text" not in page
    act(host, game, "reveal")
    assert "withdrawn this text" in host.get(f"/games/{game.code}/").content.decode()


def test_erased_host_keeps_host_rights_without_a_seat() -> None:
    game, host, _zoe = played()
    assert act(host, game, "erase") == 200
    assert Membership.objects.get(game=game, host=True).player is None
    assert "is that so" not in everything()


def test_erase_player_command_erases_one_person_after_the_game() -> None:
    game, _host, zoe = played()
    seat = seat_of(zoe, game)
    assert seat
    agent = game.players.filter(kind=Player.AGENT)[0].seat
    for arguments in (("nothing", "1"), (game.code, str(agent))):
        with pytest.raises(CommandError):
            call_command("erase_player", *arguments)
    out = StringIO()
    call_command("erase_player", game.code, str(seat.seat), stdout=out)
    assert game.code in out.getvalue()
    assert "Marmalade" not in everything()
    with pytest.raises(CommandError, match="changed"):
        call_command("erase_player", game.code, str(seat.seat))
    gathered = set_table(Client())
    with pytest.raises(CommandError, match="after the game"):
        call_command("erase_player", gathered.code, str(person_of(gathered)))
    assert Event.objects.filter(game=game, kind="game_over").exists()
    assert Table.objects.filter(game=game).exists()


def test_downloads_hold_no_hash_that_confirms_a_guessed_text() -> None:
    game, host, zoe = played()

    def downloads() -> list[str]:
        out = StringIO()
        call_command("transcript", game.code, "--viewer", "moderator", stdout=out)
        return [host.get(f"/games/{game.code}/transcript.jsonl").content.decode(), out.getvalue()]

    first = downloads()
    digests = {e["data"]["digest"] for e in map(json.loads, first[0].splitlines()) if said(e)}
    assert digests
    assert act(zoe, game, "erase") == 200
    for body in (*first, *downloads()):
        assert text_hash(WORDS) not in body
        assert "sha256" not in body
        assert all(digest in body for digest in digests), "it stays, and is the same everywhere"
    assert Event.objects.filter(game=game, data__sha256=text_hash(WORDS)).exists()
    with override_settings(SECRET_KEY="another one"):
        assert not [d for d in digests if d in downloads()[0]]


def said(event: dict[str, Any]) -> bool:
    return event["data"].get("manner") == "say"


def person_of(game: Game) -> int:
    lobby.start(game.pk)
    return game.players.filter(kind=Player.PERSON)[0].seat
