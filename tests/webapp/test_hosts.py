"""Who hosts a table when its host is gone; and what the table is told of those who are away."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from game import cached_games, host_actions, lobby, portraits, services
from game.engine.forms import Illegal, say
from game.engine.rulesets.one_night import OneNight
from game.models import Game, Heartbeat, Player
from tests.game.table import answer, finish, new_game, open_window, play_until
from tests.webapp.test_invitations import act, join, seat_of, set_table
from webapp.play import visitors
from webapp.play.live.sweeper import Sweeper
from webapp.play.models import Desk, Membership, Table
from webapp.play.page.page_builder import page_for
from webapp.play.page.snapshot import HOST_AWAY_AFTER, change_key, presence_at
from webapp.play.posted_answers import Forbidden, perform_action
from webapp.play.tables import opening
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


def gone(game: Game) -> None:
    """The host has had no page open for as long as it takes."""
    Table.objects.filter(game=game).update(host_seen_at=timezone.now() - 2 * HOST_AWAY_AFTER)


def page(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.code}/").content.decode()


def two(**choices: object) -> tuple[Game, Client, Client]:
    host = Client()
    game = set_table(host, **choices)
    return game, host, join(game, "Anna" if "blind" not in choices else "")


@pytest.mark.parametrize("running", [False, True])
def test_a_guest_takes_over_from_a_host_who_is_away_and_keeps_it(running: bool) -> None:
    game, host, anna = two()
    if running:
        lobby.start(game.pk)
    assert 'value="take_over"' not in page(anna, game)
    assert act(anna, game, "take_over") == 409
    game.refresh_from_db()
    before = change_key(game, presence_at(game))
    gone(game)
    assert change_key(game, presence_at(game)) != before, "open pages are told"
    assert 'value="take_over"' in page(anna, game)
    assert 'value="take_over"' not in page(host, game)
    assert act(anna, game, "take_over") == 200
    assert act(host, game, "call_off") == 403
    gone(game)
    seat = seat_of(host, game)
    assert seat
    assert act(anna, game, f"make_host:{seat.seat}") == 200, "back from who has it now"
    assert act(anna, game, "call_off") == 403
    assert act(host, game, "call_off") == 200


@pytest.mark.parametrize("away", [timedelta(hours=1), timedelta(days=3)])
def test_host_is_not_away_while_nothing_ran(away: timedelta) -> None:
    game, _host, anna = two()
    now = timezone.now()
    Heartbeat.objects.create(pk=1, at=now - away)
    Table.objects.filter(game=game).update(host_seen_at=now - away - timedelta(seconds=3))
    Sweeper().sweep()
    assert act(anna, game, "take_over") == 409
    gone(game)
    assert act(anna, game, "take_over") == 200


def test_host_who_is_gone_is_away_after_the_clock_was_set_back() -> None:
    game, _host, anna = two()
    Table.objects.filter(game=game).update(host_seen_at=timezone.now() + timedelta(hours=1))
    assert act(anna, game, "take_over") == 200


def as_let_in(client: Client, game: Game) -> Guest:
    """Who asks, as a request is let in: what happens before it does anything changes nothing."""
    found = visitors.find_guest(uuid.UUID(client.session["visitor"]), game.code)
    assert found
    return found


def hosts(game: Game) -> list[Player | None]:
    return [row.player for row in Membership.objects.filter(game=game, host=True)]


def test_guest_who_is_removed_at_that_instant_does_not_take_over() -> None:
    game, host, anna = two()
    gone(game)
    slow = as_let_in(anna, game)
    seat = seat_of(anna, game)
    assert seat
    assert act(host, game, f"remove:{seat.seat}") == 200
    with pytest.raises(Forbidden):
        perform_action(slow, "take_over")
    assert hosts(game) == [seat_of(host, game)]
    assert act(anna, game, "take_over") == 403


def test_host_who_returns_as_another_takes_over_does_nothing_more_as_host() -> None:
    game, host, anna = two()
    gone(game)
    calls_off, leaves = as_let_in(host, game), as_let_in(host, game)
    host.get(f"/games/{game.code}/")
    assert act(anna, game, "take_over") == 200
    with pytest.raises(Forbidden):
        perform_action(calls_off, "call_off")
    assert not Game.objects.get(pk=game.pk).called_off
    perform_action(leaves, "leave")
    assert hosts(game) == [seat_of(anna, game)], "one table, one host"


@pytest.mark.parametrize("change", ["start", "call_off"])
@pytest.mark.parametrize("blind", [False, True])
def test_take_over_goes_by_the_game_as_it_is_by_then(change: str, blind: bool) -> None:
    game, _host, anna = two(**({"blind": "on"} if blind else {}))
    gone(game)
    slow = as_let_in(anna, game)
    getattr(lobby, change)(game.pk)
    gone(game)
    if change == "start" and not blind:
        perform_action(slow, "take_over")
        assert hosts(game) == [seat_of(anna, game)]
        return
    with pytest.raises(Illegal) as refused:
        perform_action(slow, "take_over")
    assert refused.value.code == ("over" if change == "call_off" else "host_here")
    assert hosts(game) != [seat_of(anna, game)]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_over_at_the_same_time_one_does() -> None:
    game, _host, anna = two()
    ben = join(game, "Ben")
    gone(game)
    start = threading.Barrier(2)

    def press(client: Client) -> int:
        try:
            start.wait(10)
            return act(client, game, "take_over")
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(press, (anna, ben)))
    assert sorted(answers) == [200, 409]
    winner = (anna, ben)[answers.index(200)]
    assert hosts(game) == [seat_of(winner, game)]


def test_a_page_of_the_host_keeps_the_host_there() -> None:
    game, host, anna = two()
    gone(game)
    host.get(f"/games/{game.code}/news", {"lobby": "1", "cursor": "0"})
    assert act(anna, game, "take_over") == 409


def test_a_blind_game_does_not_tell_that_its_host_is_away() -> None:
    game, _host, anna = two(blind="on")
    gone(game)
    assert 'value="take_over"' in page(anna, game), "the lobby tells who of the guests is here"
    lobby.start(game.pk)
    gone(game)
    assert 'value="take_over"' not in page(anna, game)
    assert act(anna, game, "take_over") == 409
    assert Membership.objects.filter(game=game, host=True).count() == 1


def test_the_lobby_says_who_has_come_and_is_not_here() -> None:
    host = Client()
    game = set_table(host, guests=1)
    anna = join(game, "Anna")
    assert "Away: Anna" in page(host, game)
    assert "Everyone is here" not in page(host, game)
    Desk.objects.filter(player=seat_of(anna, game)).update(seen_at=timezone.now())
    assert "Everyone is here" in page(host, game)


def test_the_same_people_keep_their_portraits() -> None:
    game, host, anna = two()
    lobby.start(game.pk)
    for client in (host, anna):
        seat = seat_of(client, game)
        assert seat
        act(client, game, f"portrait:{portraits.free_portraits(game)[-1]}")
    finish(game)
    faces = {c: getattr(seat_of(c, game), "portrait", 0) for c in (host, anna)}
    same = opening.open_similar_table(Membership.objects.get(game=game, host=True).visitor, game)
    assert {c: getattr(seat_of(c, same), "portrait", 0) for c in (host, anna)} == faces
    assert len(set(same.players.values_list("portrait", flat=True))) == same.players.count()


def late_vote(settings: dict[str, object]) -> Game:
    """A game whose last vote seat 1, a person, has let pass."""
    game = new_game(1, 2, limits={"vote": 60}, settings=settings)
    play_until(game, "vote")
    vote = open_window(game, "vote")
    for window in (open_window(game, "poll"), vote):
        for seat in window.missing:
            if seat != 1:
                answer(game, seat, window)
    past = timezone.now() - timedelta(seconds=1)
    game.windows.filter(key=vote.window.key).update(expires_at=past)
    Game.objects.filter(pk=game.pk).update(due_at=past)
    cached_games.clear_cache()
    services.settle_deadlines(game.pk)
    game.refresh_from_db()
    assert game.ended_at
    return game


@pytest.mark.parametrize("blind", [False, True])
def test_a_vote_that_was_drawn_says_so(blind: bool) -> None:
    game = late_vote({"blind": blind})
    shown = page_for(Guest(game, game.players.get(seat=1)))
    assert shown.end
    told = "" if blind else "time ran out: drawn at random"
    votes = {e.speaker.number: e.label for e in shown.entries if e.kind == "vote" and e.speaker}
    assert (votes[1], votes[3]) == (told, "")
    rows = {row.seat.number: row.vote_label for row in shown.end.rows}
    assert (rows[1], rows[3]) == (told, "")


def looking(game: Game, seat: int):  # type: ignore[no-untyped-def]
    game.refresh_from_db()
    return page_for(Guest(game, game.players.get(seat=seat)))


def test_words_that_are_in_are_said_to_be_in() -> None:
    game = new_game(1, 2, pace="even", settings={"blind": True})
    night = open_window(game, "divination")
    answer(game, night.asked[0], night)
    game.windows.update(not_before=timezone.now())  # the night is over at once
    Game.objects.filter(pk=game.pk).update(due_at=timezone.now())
    cached_games.clear_cache()
    services.settle_deadlines(game.pk)
    window = open_window(game, "statement")
    services.answer(game.pk, 1, window.window.key, say("I slept well, and so did you all."))
    mine, other = looking(game, 1), looking(game, 2)
    assert "Your statement is in" in mine.awaited.text
    assert "Your statement is in" in mine.turn.hint
    assert not mine.awaited.deadline
    assert "is speaking" in other.awaited.text


def hints_after_each_round() -> list[str]:
    """What seat 1 reads at the composer when it has spoken in each of the three rounds."""
    game = new_game(1)
    play_until(game, "statement")
    hints = []
    for number in range(1, 4):
        while (window := open_window(game, "statement")).window.key != f"statement.1.{number}.2":
            answer(game, window.asked[0], window)
            play_until(game, "statement")
        hints.append(looking(game, 1).turn.hint)
    return hints


def test_after_the_last_words_no_turn_is_promised() -> None:
    hints = hints_after_each_round()
    assert "when your turn comes" in hints[0]
    assert "when your turn comes" in hints[1]
    assert "cannot speak again" in hints[2]
    assert "The vote" in hints[2]


def test_what_follows_the_last_words_is_what_the_rules_say(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [("talk", n) for n in (1, 2, 3)]
    monkeypatch.setattr(
        OneNight, "day_phases", lambda self, day, settings: [*talk, ("night", 0), ("vote", 0)]
    )
    hint = hints_after_each_round()[2]
    assert "cannot speak again" in hint
    assert "Night" in hint
    assert "vote" not in hint.lower()
    monkeypatch.setattr(
        OneNight, "day_phases", lambda self, day, settings: [*talk, ("vote", 0), ("talk", 4)]
    )
    assert "when your turn comes" in hints_after_each_round()[2], "one speaks again that day"


def test_a_paused_table_shows_nobody_speaking() -> None:
    game = new_game(1)
    play_until(game, "statement")
    assert any(seat.is_speaking for seat in looking(game, 1).seats)
    host_actions.pause(game.pk)
    assert not any(seat.is_speaking or seat.is_typing for seat in looking(game, 1).seats)


def test_who_is_away_when_all_vote_is_named() -> None:
    game = new_game(1, 2)
    play_until(game, "vote")
    vote = open_window(game, "vote")
    answer(game, 1, vote)
    away = game.players.get(seat=2).name
    assert f"{away} is away." in looking(game, 1).awaited.text
    answer(game, 2, open_window(game, "vote"))
    assert "is away" not in looking(game, 1).awaited.text


def test_a_called_off_game_says_so_and_can_be_played_again() -> None:
    game, host, anna = two()
    lobby.start(game.pk)
    assert act(host, game, "call_off") == 200
    shown = page(anna, game)
    assert "Called off" in shown
    assert f'action="/games/{game.code}/again"' in shown
    assert act(anna, game, "chat", words="A pity!") == 200
    assert "A pity!" in page(host, game)


def test_who_was_removed_is_told_so() -> None:
    game, host, anna = two()
    seat = seat_of(anna, game)
    assert seat
    lobby.start(game.pk)
    assert act(host, game, f"remove:{seat.seat}") == 200
    answer_ = anna.get(f"/games/{game.code}/")
    assert answer_.status_code == 403
    assert "The host has removed you" in answer_.content.decode()
    shown = looking(game, Player.objects.get(membership__visitor=host.session["visitor"]).seat)
    assert next(s for s in shown.seats if s.number == seat.seat).has_left
