"""Tests of hosts and absent players: takeover, notices, and what pages show of them."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from game import cached_games, deadlines, game_actions, lobby, locked_game
from game.engine.events import say
from game.engine.forms import Illegal
from game.engine.rulesets.one_night import OneNight
from game.models import Game, Heartbeat, Player
from tests.game.table import answer, finish, new_game, open_window, play_until
from tests.webapp.tables import host_table, join_table, player_of, post_act, read_page
from webapp.play import visitors
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Desk, Membership, Table
from webapp.play.page.snapshot import HOST_AWAY_AFTER, Snapshot
from webapp.play.page.table_page import Page
from webapp.play.tables import opening
from webapp.play.tables.actions import Forbidden, perform_action
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


def mark_host_absent(game: Game) -> None:
    """Let the host have had no open page for longer than the limit."""
    Table.objects.filter(game=game).update(host_seen_at=timezone.now() - 2 * HOST_AWAY_AFTER)


def open_table_with_guest(**choices: object) -> tuple[Game, Client, Client]:
    host = Client()
    game = host_table(host, **choices)
    return game, host, join_table(game, "Anna" if "blind" not in choices else "")


@pytest.mark.parametrize("is_running", [False, True])
def test_guest_takes_over_from_an_absent_host_permanently(is_running: bool) -> None:
    game, host, anna = open_table_with_guest()
    if is_running:
        lobby.start(game.pk)
    assert 'value="take_over"' not in read_page(anna, game)
    assert post_act(anna, game, "take_over") == 409
    game.refresh_from_db()
    before = Snapshot(game).change_key
    mark_host_absent(game)
    assert Snapshot(game).change_key != before, "open pages are updated"
    assert 'value="take_over"' in read_page(anna, game)
    assert 'value="take_over"' not in read_page(host, game)
    assert post_act(anna, game, "take_over") == 200
    assert post_act(host, game, "call_off") == 403
    mark_host_absent(game)
    seat = player_of(host, game)
    assert seat
    assert post_act(anna, game, f"make_host:{seat.seat}") == 200, (
        "the present host can give it back"
    )
    assert post_act(anna, game, "call_off") == 403
    assert post_act(host, game, "call_off") == 200


@pytest.mark.parametrize("away", [timedelta(hours=1), timedelta(days=3)])
def test_host_is_not_away_while_no_process_ran(away: timedelta) -> None:
    game, _host, anna = open_table_with_guest()
    now = timezone.now()
    Heartbeat.objects.create(pk=1, at=now - away)
    Table.objects.filter(game=game).update(host_seen_at=now - away - timedelta(seconds=3))
    Sweeper().sweep()
    assert post_act(anna, game, "take_over") == 409
    mark_host_absent(game)
    assert post_act(anna, game, "take_over") == 200


def test_absent_host_is_away_after_the_clock_was_set_back() -> None:
    game, _host, anna = open_table_with_guest()
    Table.objects.filter(game=game).update(host_seen_at=timezone.now() + timedelta(hours=1))
    assert post_act(anna, game, "take_over") == 200


def load_guest(client: Client, game: Game) -> Guest:
    """Return the guest as the request sees it before its action.

    Later changes do not affect it.
    """
    guest = visitors.find_guest(uuid.UUID(client.session["visitor"]), game.code)
    assert guest
    return guest


def host_players(game: Game) -> list[Player | None]:
    return [row.player for row in Membership.objects.filter(game=game, host=True)]


def test_guest_removed_before_the_action_does_not_take_over() -> None:
    game, host, anna = open_table_with_guest()
    mark_host_absent(game)
    early_guest = load_guest(anna, game)
    seat = player_of(anna, game)
    assert seat
    assert post_act(host, game, f"remove:{seat.seat}") == 200
    with pytest.raises(Forbidden):
        perform_action(early_guest, "take_over")
    assert host_players(game) == [player_of(host, game)]
    assert post_act(anna, game, "take_over") == 403


def test_returning_host_cannot_act_as_host_after_a_takeover() -> None:
    game, host, anna = open_table_with_guest()
    mark_host_absent(game)
    early_host, second_early_host = load_guest(host, game), load_guest(host, game)
    host.get(f"/games/{game.code}/")
    assert post_act(anna, game, "take_over") == 200
    with pytest.raises(Forbidden):
        perform_action(early_host, "call_off")
    assert not Game.objects.get(pk=game.pk).called_off
    perform_action(second_early_host, "leave")
    assert host_players(game) == [player_of(anna, game)], "a table has one host"


@pytest.mark.parametrize("change", ["start", "call_off"])
@pytest.mark.parametrize("blind", [False, True])
def test_takeover_uses_the_current_state_of_the_game(change: str, blind: bool) -> None:
    game, _host, anna = open_table_with_guest(**({"blind": "on"} if blind else {}))
    mark_host_absent(game)
    early_guest = load_guest(anna, game)
    {"start": lobby.start, "call_off": game_actions.call_off}[change](game.pk)
    mark_host_absent(game)
    if change == "start" and not blind:
        perform_action(early_guest, "take_over")
        assert host_players(game) == [player_of(anna, game)]
        return
    with pytest.raises(Illegal) as raised:
        perform_action(early_guest, "take_over")
    assert raised.value.code == ("over" if change == "call_off" else "host_here")
    assert host_players(game) != [player_of(anna, game)]


@pytest.mark.django_db(transaction=True)
def test_concurrent_takeovers_produce_one_host() -> None:
    game, _host, anna = open_table_with_guest()
    ben = join_table(game, "Ben")
    mark_host_absent(game)
    barrier = threading.Barrier(2)

    def press(client: Client) -> int:
        try:
            barrier.wait(10)
            return post_act(client, game, "take_over")
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(press, (anna, ben)))
    assert sorted(statuses) == [200, 409]
    winner = (anna, ben)[statuses.index(200)]
    assert host_players(game) == [player_of(winner, game)]


def test_open_page_of_the_host_prevents_a_takeover() -> None:
    game, host, anna = open_table_with_guest()
    mark_host_absent(game)
    host.get(f"/games/{game.code}/news", {"lobby": "1", "cursor": "0"})
    assert post_act(anna, game, "take_over") == 409


def test_blind_game_does_not_reveal_an_absent_host() -> None:
    game, _host, anna = open_table_with_guest(blind="on")
    mark_host_absent(game)
    assert 'value="take_over"' in read_page(anna, game), "the lobby shows which guests are present"
    lobby.start(game.pk)
    mark_host_absent(game)
    assert 'value="take_over"' not in read_page(anna, game)
    assert post_act(anna, game, "take_over") == 409
    assert Membership.objects.filter(game=game, host=True).count() == 1


def test_lobby_names_absent_guests() -> None:
    host = Client()
    game = host_table(host, guests=1)
    anna = join_table(game, "Anna")
    assert "Away: Anna" in read_page(host, game)
    assert "Everyone is here" not in read_page(host, game)
    Desk.objects.filter(player=player_of(anna, game)).update(seen_at=timezone.now())
    assert "Everyone is here" in read_page(host, game)


def test_similar_table_keeps_portraits_of_the_same_people() -> None:
    game, host, anna = open_table_with_guest()
    lobby.start(game.pk)
    for client in (host, anna):
        seat = player_of(client, game)
        assert seat
        post_act(client, game, f"portrait:{game_actions.free_portraits(game)[-1]}")
    finish(game)
    portraits_before = {c: getattr(player_of(c, game), "portrait", 0) for c in (host, anna)}
    similar = opening.open_similar_table(Membership.objects.get(game=game, host=True).visitor, game)
    assert {
        c: getattr(player_of(c, similar), "portrait", 0) for c in (host, anna)
    } == portraits_before
    assert len(set(similar.players.values_list("portrait", flat=True))) == similar.players.count()


def play_with_timed_out_vote(settings: dict[str, object]) -> Game:
    """Play a game in which seat 1, a person, lets the last vote time out."""
    game = new_game(1, 2, limits={"vote": 60}, settings=settings)
    play_until(game, "vote")
    vote = open_window(game, "vote")
    for window in (open_window(game, "poll"), vote):
        for seat in window.missing:
            if seat != 1:
                answer(game, seat, window)
    deadline = timezone.now() - timedelta(seconds=1)
    game.windows.filter(key=vote.window.key).update(expires_at=deadline)
    Game.objects.filter(pk=game.pk).update(due_at=deadline)
    cached_games.clear_cache()
    deadlines.settle_deadlines(game.pk)
    game.refresh_from_db()
    assert game.ended_at
    return game


@pytest.mark.parametrize("blind", [False, True])
def test_timed_out_vote_is_labelled_except_at_a_blind_table(blind: bool) -> None:
    game = play_with_timed_out_vote({"blind": blind})
    page = Page(Guest(game, game.players.get(seat=1)))
    assert page.end
    label = "" if blind else "time ran out: drawn at random"
    votes = {e.speaker.number: e.label for e in page.entries if e.kind == "vote" and e.speaker}
    assert (votes[1], votes[3]) == (label, "")
    rows = {row.seat.number: row.vote_label for row in page.end.rows}
    assert (rows[1], rows[3]) == (label, "")


def build_page(game: Game, seat: int):  # type: ignore[no-untyped-def]
    game.refresh_from_db()
    return Page(Guest(game, game.players.get(seat=seat)))


def test_held_statement_is_confirmed_to_its_speaker() -> None:
    game = new_game(1, 2, pace="even", settings={"blind": True})
    divination = open_window(game, "divination")
    answer(game, divination.asked[0], divination)
    game.windows.update(not_before=timezone.now())  # ends the night at once
    Game.objects.filter(pk=game.pk).update(due_at=timezone.now())
    cached_games.clear_cache()
    deadlines.settle_deadlines(game.pk)
    window = open_window(game, "statement")
    locked_game.record_answer(
        game.pk, 1, window.window.key, say("I slept well, and so did you all.")
    )
    own_page, other_page = build_page(game, 1), build_page(game, 2)
    assert "Your statement is in" in own_page.awaited.text
    assert "Your statement is in" in own_page.turn.hint
    assert not own_page.awaited.deadline
    assert "is speaking" in other_page.awaited.text


def hints_after_each_round() -> list[str]:
    """Return the composer hint of seat 1 after its statement in each of the three rounds."""
    game = new_game(1)
    play_until(game, "statement")
    hints = []
    for number in range(1, 4):
        while (window := open_window(game, "statement")).window.key != f"statement.1.{number}.2":
            answer(game, window.asked[0], window)
            play_until(game, "statement")
        hints.append(build_page(game, 1).turn.hint)
    return hints


def test_hint_after_the_last_statement_promises_no_turn() -> None:
    hints = hints_after_each_round()
    assert "when your turn comes" in hints[0]
    assert "when your turn comes" in hints[1]
    assert "cannot speak again" in hints[2]
    assert "The vote" in hints[2]


def test_hint_after_the_last_statement_names_the_next_phase(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk_phases = [("talk", n) for n in (1, 2, 3)]
    monkeypatch.setattr(
        OneNight,
        "day_phases",
        lambda self, day, settings: [*talk_phases, ("night", 0), ("vote", 0)],
    )
    hint = hints_after_each_round()[2]
    assert "cannot speak again" in hint
    assert "Night" in hint
    assert "vote" not in hint.lower()
    monkeypatch.setattr(
        OneNight, "day_phases", lambda self, day, settings: [*talk_phases, ("vote", 0), ("talk", 4)]
    )
    assert "when your turn comes" in hints_after_each_round()[2], "seat 1 speaks again that day"


def test_paused_table_shows_nobody_speaking() -> None:
    game = new_game(1)
    play_until(game, "statement")
    assert any(seat.is_speaking for seat in build_page(game, 1).seats)
    game_actions.pause(game.pk)
    assert not any(seat.is_speaking or seat.is_typing for seat in build_page(game, 1).seats)


def test_absent_voter_is_named() -> None:
    game = new_game(1, 2)
    play_until(game, "vote")
    vote = open_window(game, "vote")
    answer(game, 1, vote)
    absent_name = game.players.get(seat=2).name
    assert f"{absent_name} is away." in build_page(game, 1).awaited.text
    answer(game, 2, open_window(game, "vote"))
    assert "is away" not in build_page(game, 1).awaited.text


def test_called_off_game_shows_its_state_and_can_be_repeated() -> None:
    game, host, anna = open_table_with_guest()
    lobby.start(game.pk)
    assert post_act(host, game, "call_off") == 200
    html = read_page(anna, game)
    assert "Called off" in html
    assert f'action="/games/{game.code}/again"' in html
    assert post_act(anna, game, "chat", words="A pity!") == 200
    assert "A pity!" in read_page(host, game)


def test_removed_player_gets_a_notice() -> None:
    game, host, anna = open_table_with_guest()
    seat = player_of(anna, game)
    assert seat
    lobby.start(game.pk)
    assert post_act(host, game, f"remove:{seat.seat}") == 200
    response = anna.get(f"/games/{game.code}/")
    assert response.status_code == 403
    assert "The host has removed you" in response.content.decode()
    page = build_page(game, Player.objects.get(membership__visitor=host.session["visitor"]).seat)
    assert next(s for s in page.seats if s.number == seat.seat).has_left
