"""The deal of the day: the same for everybody, and no byte tells a role before its end."""

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
from game.models import Event, Game, Player, Window
from tests.engine.playing import drawing_hand
from tests.game.table import finish
from tests.game.test_host_actions import Clock
from tests.webapp.test_any_ruleset import kind_of
from tests.webapp.test_blind import _nowhere, frames, plain
from tests.webapp.test_secrecy import moments
from webapp.play import daily_deal
from webapp.play.live import push
from webapp.play.live.broadcaster import OpenPage
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest, find_guest, visitor_of

pytestmark = pytest.mark.django_db
DAY, ROLE = date(2026, 11, 6), "mason"  # whose deal is played, and what the person is dealt
ALIKE = 1  # moments of a kind at which all bytes are compared


@pytest.fixture(autouse=True)
def _no_midnight_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "localdate", lambda: DAY)


@contextmanager
def dealt_otherwise(game: Game, seats: Sequence[int]) -> Iterator[None]:
    """Give every one of these seats the next one's role in the log, for the block."""
    with transaction.atomic():
        dealt = Event.objects.filter(game=game, kind="role_dealt")
        events = [dealt.get(data__seat=seat) for seat in seats]
        roles = [event.data["role"] for event in events]
        for event, role in zip(events, [*roles[1:], roles[0]], strict=True):
            event.data["role"] = role
            event.save()
        cached_games.clear_cache()
        yield
        transaction.set_rollback(True)
    cached_games.clear_cache()


def bytes_of(client: Client, game: Game) -> list[str]:
    """Everything that the browser can get of the game: pages, downloads and a socket's frames."""
    game.refresh_from_db()
    table = f"/games/{game.code}/"
    parts = ("", "earlier", "transcript.txt", "transcript.jsonl", "replay")
    paths = [*(table + part for part in parts), "/", "/your-games"]
    answers = [client.get(path) for path in paths]
    viewer = find_guest(visitor_of(client.session), game.code)
    assert viewer
    open_page = OpenPage(None, _nowhere, _nowhere, cursor=0)
    pushed = [push.render_frame(page_for(viewer)), *frames(game, open_page, viewer)]
    texts = [f"{a.status_code} {a.content.decode()}" for a in answers] + pushed
    return [re.sub("<time.*?</time>", "", plain(text, game)) for text in texts]


def test_no_byte_tells_a_role_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """All hidden roles change places, and a second browser plays the same deal to its end."""
    time, first, second = Clock(monkeypatch), Client(), Client()
    games = []
    for client in (first, second):
        code = client.post("/daily").headers["Location"].strip("/").split("/")[-1]
        games.append(Game.objects.get(code=code))
    mine = games[0].players.get(kind=Player.PERSON).seat
    roles = selectors.view_for(games[0], visibility.MODERATOR).state.roles
    assert roles[mine] == ROLE
    hidden = [seat for seat, role in roles.items() if role != ROLE]  # Masons know each other
    before, now = bytes_of(first, games[0]), time.at
    for _moment in moments(time, games[1], drawing_hand(games[1].seed)):
        pass
    time.at = now
    assert bytes_of(first, games[0]) == before, "the other browser's end tells this one nothing"
    for part in ("", "replay", "news", "transcript.jsonl", "transcript.txt"):
        assert first.get(f"/games/{games[1].code}/{part}").status_code == 403
    kinds, seen, compared = Counter[tuple[object, ...]](), 0, 0
    for _moment in moments(time, games[0], drawing_hand(games[0].seed)):
        kind, seen = kind_of(games[0], seen), games[0].events.count()
        kinds[kind] += 1
        if kinds[kind] > ALIKE:
            continue
        cached_games.clear_cache()
        usual = bytes_of(first, games[0])
        with dealt_otherwise(games[0], hidden):
            assert bytes_of(first, games[0]) == usual
        if compared < 2:
            with dealt_otherwise(games[0], [mine, *hidden]):
                assert bytes_of(first, games[0]) != usual, "a role that is known is told"
        compared += 1
    assert compared > 8


def test_a_deal_that_can_still_be_played_can_not_be_watched() -> None:
    """Not by its seed, whose pattern the end of every deal shows."""
    today = timezone.localdate()
    form = {"ruleset": "one-night", "mode": "watch", "pace": "instant"}
    seeds = [daily_deal.seed_of(today + timedelta(days)) for days in (0, 3, -1)]
    for seed in (seeds[0], f"{seeds[0]}#2", seeds[1]):
        answer = Client().post("/tables/new", {**form, "seed": seed})
        assert answer.status_code == 422
        assert "a daily game that can still be played" in answer.content.decode()
    assert not Game.objects.exists()
    assert Client().post("/tables/new", {**form, "seed": seeds[2]}).status_code == 302


def finish_at_once(game: Game) -> Game:
    """Play on to the end, without the waits between statements."""
    Game.objects.filter(pk=game.pk).update(pace="none")
    Window.objects.filter(game=game).update(not_before=timezone.now())
    cached_games.clear_cache()
    game.refresh_from_db()
    return finish(game)


def test_the_daily_deal_is_the_same_for_everybody_and_played_once() -> None:
    first, second = Client(), Client()
    address = first.post("/daily").headers["Location"]
    other = second.post("/daily").headers["Location"]
    assert other != address
    mine, theirs = Game.objects.order_by("pk")
    roles = [
        {e["seat"]: e["role"] for e in selectors.view_for(g, visibility.MODERATOR).events
         if e.kind == "role_dealt"}
        for g in (mine, theirs)
    ]  # fmt: skip
    assert roles[0] == roles[1]
    seats = [g.players.get(kind=Player.PERSON).seat for g in (mine, theirs)]
    assert seats[0] == seats[1]
    companies = [[p.recipe for p in g.players.exclude(kind=Player.PERSON)] for g in (mine, theirs)]
    assert companies[0] == companies[1]
    assert first.post("/daily").headers["Location"] == address
    assert mine.seed not in first.get(address).content.decode()


def test_the_daily_deals_result_can_be_shared_and_names_no_seat_and_no_role() -> None:
    client = Client()
    address = client.post("/daily").headers["Location"]
    game = finish_at_once(Game.objects.get())
    page = BeautifulSoup(client.get(address).content.decode(), "html.parser")
    field = page.find(id="share")
    assert field is not None
    shared = field.text
    ruleset = rulesets.get(game.ruleset)
    names = (*ruleset.seat_names, *(role.name for role in ruleset.roles))
    assert shared.startswith("Fabula, daily game of ")
    assert shared.endswith(" http://testserver/")
    assert not any(name in shared for name in names)
    assert "See the result" in client.get("/").content.decode()
    quick = client.post("/play").headers["Location"]
    assert 'id="share"' not in client.get(quick).content.decode()


def test_after_the_deal_the_pages_say_the_streak_how_others_did_and_when_the_next_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One person counts per game; games that are not over, or were called off, do not count."""
    day = timezone.localdate()
    noon = datetime.combine(day, time(18, 59), timezone.get_current_timezone())
    monkeypatch.setattr(timezone, "localtime", lambda *_args: noon)
    monkeypatch.setattr(timezone, "localdate", lambda: day - timedelta(1))
    client, pages = Client(), ["/"]
    client.post("/daily")
    finish_at_once(Game.objects.get())
    monkeypatch.setattr(timezone, "localdate", lambda: day)
    assert "Your streak: 1 day." in client.get("/").content.decode()
    pages.append(client.post("/daily").headers["Location"])
    mine = Game.objects.latest("pk")
    assert "Next game" not in client.get("/").content.decode()
    for _other in range(4):
        Client().post("/daily")
    others = list(Game.objects.filter(pk__gt=mine.pk).order_by("pk"))
    for game in others[:3]:
        finish_at_once(game)
    Game.objects.filter(pk=others[2].pk).update(called_off=True)
    assert "have played it" not in client.get("/").content.decode(), "it says something of roles"
    finish_at_once(mine)
    won = 0
    for game in others[:2]:
        over = Event.objects.get(game=game, kind="game_over")
        won += game.players.get(kind=Player.PERSON).seat in over.data["winners"]
    for page in pages:
        text = client.get(page).content.decode()
        assert "Your streak: 2 days in a row." in text
        assert f"2 other players have played it: {won} won." in text
        assert "Next game in 5 h." in text
    pushed = page_for(
        Guest(mine, mine.players.get(kind=Player.PERSON), is_host=True, is_member=True)
    )
    assert "Next game in 5 h." in push.render_frame(pushed), "a push knows no visitor"
    alone = Client().get("/").content.decode()
    assert not any(words in alone for words in ("streak", "played it:", "Next game"))
