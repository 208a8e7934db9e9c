"""Cost of moves and pages in games of 100, 1,000 and 5,000 events, and of thirteen people.

Runs in a separate process and database with the ruleset `tests.long_talk`: five seats, two of them
people with open pages (the first is the host). Every answer goes through the game's actions, with
statements of 28 words. Every second answer simulates another process by exchanging the cache, as
agents' answers do in production. There is no network, browser or queue: a push is one poll of the
broadcaster, from the database to the frames of all open pages.

The second game has thirteen people with open pages, the claims sheet, and a talk that begins with
claims. It is measured at 500 lines of talk.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tests.bench import measure_apart

SIZES = (100, 1_000, 5_000)  # events
MOVES = 40  # statements per figure, which is their median
LINES = 500  # lines of talk with thirteen people
WORDS = " ".join(["Perhaps", "it", "was", "somebody", "who", "says", "little."] * 4)


def main() -> None:
    measure_apart("long", FABULA_TEST_RUN="{data}", DJANGO_SETTINGS_MODULE="tests.settings")


def measure() -> None:
    import django

    django.setup()
    from django.conf import settings

    from game.engine import rulesets
    from tests.long_talk import LARGE, RULESET
    from webapp.play.live import notifier

    rulesets.register(RULESET)
    rulesets.register(LARGE)
    settings.ALLOWED_HOSTS = ["testserver"]
    print("events | move | push to all pages (processor) | size | page | size | nothing at hand")
    with notifier.diverted(lambda game, opened: None):
        game, clients, members = _table(RULESET, 2)
        for size in SIZES:
            _grow(game, lambda size=size: _events(game) >= size)
            print(_figures(game, clients, members), flush=True)
        game, clients, members = _table(LARGE, 13)
        _claim(game)
        _grow(game, lambda: _lines(game) >= LINES)
        print(f"thirteen people, {_lines(game)} lines of talk:")
        print(_figures(game, clients, members), flush=True)


def _table(ruleset: Any, people: int) -> tuple[Any, list[Any], list[Any]]:
    """Create a game. Returns: the game, its people's clients, and their open pages."""
    from django.conf import settings
    from django.test import Client

    from tests.game.table import new_game
    from webapp.play import visitors
    from webapp.play.live.broadcaster import OpenPage
    from webapp.play.models import ClaimsSheet, Desk, Table

    seats = range(1, people + 1)
    game = new_game(*seats, ruleset=ruleset.name)
    Table.objects.create(game=game)
    ClaimsSheet.objects.create(game=game)
    clients, members = [], []
    for player in game.players.filter(seat__in=seats).order_by("seat"):
        client, visitor = Client(), uuid.uuid4()
        session = client.session
        session[visitors.VISITOR_KEY] = visitor.hex
        session.save()
        client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
        visitors.seat_visitor(visitor, game, player, is_host=player.seat == 1)
        Desk.objects.get_or_create(player=player)
        clients.append(client)
        members.append(OpenPage(visitor, None, None))  # type: ignore[arg-type]
    return game, clients, members


def _move(game: Any) -> tuple[str, float]:
    """Send the next awaited answer. Returns: the kind of its window, milliseconds to store it."""
    from game import locked_game, selectors
    from game.engine.events import say
    from tests.game.table import any_answer

    window = next(o for o in selectors.open_windows(game) if o.missing)
    seat, kind = window.missing[0], window.window.kind
    action = say(WORDS) if kind == "statement" else any_answer(window, seat)
    began = time.perf_counter()
    locked_game.record_answer(game.pk, seat, window.window.key, action)
    return kind, 1000 * (time.perf_counter() - began)


def _events(game: Any) -> int:
    from game.models import Event

    return Event.objects.filter(game=game).count()


def _lines(game: Any) -> int:
    from game.models import Event

    return Event.objects.filter(game=game, kind="statement").count()


def _claim(game: Any) -> None:
    """Let all seats claim a role in the first pass."""
    from game import locked_game, selectors
    from game.engine.events import say

    names = [p.name for p in game.players.order_by("seat")]
    for _ in names:
        window = selectors.open_windows(game)[0]
        (seat,) = window.missing
        target = names[seat % len(names)]
        text = f"I am the Augur. I looked at {target}, and {target} is a Werewolf."
        locked_game.record_answer(
            game.pk, seat, window.window.key, say(text if seat % 2 else "A Villager.")
        )


def _grow(game: Any, is_grown: Callable[[], bool]) -> None:
    while not is_grown():
        for _ in range(10):
            _move(game)


def _figures(game: Any, clients: list[Any], members: list[Any]) -> str:
    from game import cached_games
    from webapp.play.claim_reading import read_new_statements
    from webapp.play.live.broadcaster import Broadcaster
    from webapp.play.page.table_page import Page
    from webapp.play.visitors import Guest

    broadcaster = object.__new__(Broadcaster)
    broadcaster.game_id = game.pk
    broadcaster._change_key = ()
    broadcaster._presence_noted_at = float("inf")
    players = list(game.players.order_by("seat"))
    for member, player in zip(members, players, strict=False):
        member.new_cursor = Page(Guest(game, player)).cursor
    broadcaster._poll(members)
    moves, pushes, sizes = [], [], []
    other_cache: Any = OrderedDict()
    for number in range(MOVES):
        own_cache = cached_games._cached_games
        cached_games._cached_games = other_cache if number % 2 else own_cache
        kind, ms = _move(game)
        cached_games._cached_games = own_cache
        read_new_statements(game.pk)
        began = time.process_time()
        updates = broadcaster._poll(members)
        if kind == "statement":
            moves.append(ms)
            pushes.append(1000 * (time.process_time() - began))
            sizes.append(sum(len(frame.encode()) for news in updates for frame in news.frames))
    address = f"/games/{game.code}/"
    page, size = _measure_request(lambda: clients[1].get(address))
    cached_games.clear_cache()
    uncached, _size = _measure_request(
        lambda: (cached_games.clear_cache(), clients[1].get(address))[1]
    )
    return (
        f"{_events(game):>6} | {statistics.median(moves):.1f} ms"
        f" | {statistics.median(pushes):.1f} ms | {statistics.median(sizes) / 1024:.1f} KB"
        f" | {page:.0f} ms | {size / 1024:.0f} KB | {uncached:.0f} ms"
    )


def _measure_request(request: Callable[[], Any], times: int = 5) -> tuple[float, int]:
    """Return (median milliseconds, bytes) of a response."""
    durations = []
    for _ in range(times):
        began = time.perf_counter()
        body = request().content
        durations.append(1000 * (time.perf_counter() - began))
    return statistics.median(durations), len(body)
