"""Tests of the daily deal: equal for all visitors, and secret before its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta

import pytest
from bs4 import BeautifulSoup
from django.db import transaction
from django.test import Client
from django.utils import timezone

from game import cached_games, selectors
from game.engine import rulesets, visibility
from game.models import Event, Game, Player
from tests.engine.playing import drawing_hand
from tests.game.clock import Clock
from tests.webapp.tables import finish_at_once
from tests.webapp.viewers import (
    classify_moment,
    discard_frame,
    mask_secrets,
    play_moments,
    pushed_frames,
)
from webapp.play import daily_deal
from webapp.play.live import push
from webapp.play.live.broadcaster import OpenPage
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest, find_guest, visitor_of

pytestmark = pytest.mark.django_db
DAY, ROLE = date(2026, 11, 6), "mason"  # day of the deal, and the person's role in it
MOMENTS_PER_KIND = 1  # moments of one kind at which all responses are compared


@pytest.fixture(autouse=True)
def _fixed_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "localdate", lambda: DAY)


@contextmanager
def rotated_roles(game: Game, seats: Sequence[int]) -> Iterator[None]:
    """Give each of these seats the role of the next one in the log, for the block."""
    with transaction.atomic():
        deal_events = Event.objects.filter(game=game, kind="role_dealt")
        events = [deal_events.get(data__seat=seat) for seat in seats]
        roles = [event.data["role"] for event in events]
        for event, role in zip(events, [*roles[1:], roles[0]], strict=True):
            event.data["role"] = role
            event.save()
        cached_games.clear_cache()
        yield
        transaction.set_rollback(True)
    cached_games.clear_cache()


def read_responses(client: Client, game: Game) -> list[str]:
    """Return everything the browser can get of the game: pages, downloads and frames."""
    game.refresh_from_db()
    table = f"/games/{game.code}/"
    parts = ("", "earlier", "transcript.txt", "transcript.jsonl", "replay")
    paths = [*(table + part for part in parts), "/", "/your-games"]
    responses = [client.get(path) for path in paths]
    viewer = find_guest(visitor_of(client.session), game.code)
    assert viewer
    open_page = OpenPage(None, discard_frame, discard_frame, cursor=0)
    frames = [push.render_frame(Page(viewer)), *pushed_frames(game, open_page, viewer)]
    texts = [f"{a.status_code} {a.content.decode()}" for a in responses] + frames
    return [re.sub("<time.*?</time>", "", mask_secrets(text, game)) for text in texts]


def test_responses_reveal_no_role_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """All hidden roles are exchanged, and a second browser plays the same deal to its end."""
    clock, first, second = Clock(monkeypatch), Client(), Client()
    games = []
    for client in (first, second):
        code = client.post("/daily").headers["Location"].strip("/").split("/")[-1]
        games.append(Game.objects.get(code=code))
    own_seat = games[0].players.get(kind=Player.PERSON).seat
    roles = selectors.view_for(games[0], visibility.MODERATOR).state.roles
    assert roles[own_seat] == ROLE
    hidden_seats = [seat for seat, role in roles.items() if role != ROLE]  # Masons know each other
    before, start = read_responses(first, games[0]), clock.at
    for _moment in play_moments(clock, games[1], drawing_hand(games[1].seed)):
        pass
    clock.at = start
    assert read_responses(first, games[0]) == before, "the end of the other game reveals nothing"
    for part in ("", "replay", "news", "transcript.jsonl", "transcript.txt"):
        assert first.get(f"/games/{games[1].code}/{part}").status_code == 403
    kinds, event_count, compared = Counter[tuple[object, ...]](), 0, 0
    for _moment in play_moments(clock, games[0], drawing_hand(games[0].seed)):
        kind, event_count = classify_moment(games[0], event_count), games[0].events.count()
        kinds[kind] += 1
        if kinds[kind] > MOMENTS_PER_KIND:
            continue
        cached_games.clear_cache()
        usual = read_responses(first, games[0])
        with rotated_roles(games[0], hidden_seats):
            assert read_responses(first, games[0]) == usual
        if compared < 2:
            with rotated_roles(games[0], [own_seat, *hidden_seats]):
                assert read_responses(first, games[0]) != usual, "a known role is shown"
        compared += 1
    assert compared > 8


def test_playable_deal_cannot_be_watched() -> None:
    """A watched game with the deal's seed would show its roles."""
    today = timezone.localdate()
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant"}
    seeds = [daily_deal.seed_of(today + timedelta(days)) for days in (0, 3, -1)]
    for seed in (seeds[0], f"{seeds[0]}#2", seeds[1]):
        response = Client().post("/tables/new", {**form, "seed": seed})
        assert response.status_code == 422
        assert "a daily game that can still be played" in response.content.decode()
    assert not Game.objects.exists()
    assert Client().post("/tables/new", {**form, "seed": seeds[2]}).status_code == 302


def test_daily_deal_is_equal_for_all_visitors_and_played_once() -> None:
    first, second = Client(), Client()
    address = first.post("/daily").headers["Location"]
    second_address = second.post("/daily").headers["Location"]
    assert second_address != address
    first_game, second_game = Game.objects.order_by("pk")
    roles = [
        {e["seat"]: e["role"] for e in selectors.view_for(g, visibility.MODERATOR).events
         if e.kind == "role_dealt"}
        for g in (first_game, second_game)
    ]  # fmt: skip
    assert roles[0] == roles[1]
    seats = [g.players.get(kind=Player.PERSON).seat for g in (first_game, second_game)]
    assert seats[0] == seats[1]
    companies = [
        [p.recipe for p in g.players.exclude(kind=Player.PERSON)] for g in (first_game, second_game)
    ]
    assert companies[0] == companies[1]
    assert first.post("/daily").headers["Location"] == address
    assert first_game.seed not in first.get(address).content.decode()


def test_shared_result_names_no_seat_and_no_role() -> None:
    client = Client()
    address = client.post("/daily").headers["Location"]
    game = finish_at_once(Game.objects.get())
    page = BeautifulSoup(client.get(address).content.decode(), "html.parser")
    field = page.find(id="share")
    assert field is not None
    shared_text = field.text
    ruleset = rulesets.get(game.ruleset)
    names = (*ruleset.seat_names, *(role.name for role in ruleset.roles))
    assert shared_text.startswith("Fabula, daily game of ")
    assert shared_text.endswith(" http://testserver/")
    assert not any(name in shared_text for name in names)
    assert "See the result" in client.get("/").content.decode()
    quick_game_address = client.post("/play").headers["Location"]
    assert 'id="share"' not in client.get(quick_game_address).content.decode()


def test_pages_after_the_deal_show_streak_other_results_and_next_deal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each game counts one person. Running and called-off games do not count."""
    day = timezone.localdate()
    evening = datetime.combine(day, time(18, 59), timezone.get_current_timezone())
    monkeypatch.setattr(timezone, "localtime", lambda *_args: evening)
    monkeypatch.setattr(timezone, "localdate", lambda: day - timedelta(1))
    client, pages = Client(), ["/"]
    client.post("/daily")
    finish_at_once(Game.objects.get())
    monkeypatch.setattr(timezone, "localdate", lambda: day)
    assert "Your streak: 1 day." in client.get("/").content.decode()
    pages.append(client.post("/daily").headers["Location"])
    own_game = Game.objects.latest("pk")
    assert "Next game" not in client.get("/").content.decode()
    for _visitor in range(4):
        Client().post("/daily")
    other_games = list(Game.objects.filter(pk__gt=own_game.pk).order_by("pk"))
    for game in other_games[:3]:
        finish_at_once(game)
    Game.objects.filter(pk=other_games[2].pk).update(called_off=True)
    assert "have played it" not in client.get("/").content.decode(), "the count would reveal roles"
    finish_at_once(own_game)
    won = 0
    for game in other_games[:2]:
        game_over = Event.objects.get(game=game, kind="game_over")
        won += game.players.get(kind=Player.PERSON).seat in game_over.data["winners"]
    for page in pages:
        text = client.get(page).content.decode()
        assert "Your streak: 2 days in a row." in text
        assert f"2 other players have played it: {won} won." in text
        assert "Next game in 5 h." in text
    pushed_page = Page(
        Guest(own_game, own_game.players.get(kind=Player.PERSON), is_host=True, is_member=True)
    )
    assert "Next game in 5 h." in push.render_frame(pushed_page), "a push works without a visitor"
    new_visitor_page = Client().get("/").content.decode()
    assert not any(words in new_visitor_page for words in ("streak", "played it:", "Next game"))
