"""Limits by address and in total: a class goes through, an army does not; Redis or no Redis."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory

from game.models import Game
from tests.live import wait_until
from webapp import proxies, rate_counters
from webapp.play import rate_limits, visitors
from webapp.play.rate_limits import OpenSockets
from webapp.rate_counters import EscalatingRate, Rate, RedisOrMemory
from webapp.runtime.embedded import EmbeddedRedis
from webapp.runtime.process_group import ProcessGroup

HERE, THERE = "192.0.2.7", "198.51.100.9"


def play(address: str = HERE, **more: str) -> int:
    client = Client(REMOTE_ADDR=address)
    return client.post("/play", {"backend": "house"}, **more).status_code


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test reaches soon."""
    monkeypatch.setattr(rate_limits, "tables_by_address_now", Rate("tables/address", 6, 600))
    monkeypatch.setattr(rate_limits, "tables_in_all", Rate("tables/site", 9, 600))


@pytest.mark.django_db
@pytest.mark.usefixtures("few")
def test_an_address_opens_so_many_tables_and_all_together_so_many() -> None:
    assert [play() for _ in range(8)] == [302] * 6 + [429] * 2
    assert [play(THERE) for _ in range(4)] == [302] * 3 + [429]
    refused = Client(REMOTE_ADDR=HERE).post("/play")
    assert "Wait a few minutes" in refused.content.decode()
    assert Game.objects.count() == 9
    assert Session.objects.count() == 9, "who is refused leaves none"


def test_a_class_of_forty_has_three_tables_each_within_minutes() -> None:
    allowed = [
        not rate_limits.count_table(uuid.uuid4(), {}, HERE)
        for _person in range(40)
        for _ in range(3)
    ]
    assert all(allowed)
    assert rate_limits.count_table(uuid.uuid4(), {}, HERE)
    assert not rate_limits.count_table(uuid.uuid4(), {}, THERE)


@pytest.mark.parametrize("jump", [-30 * 86_400, -3600, 3600, 30 * 86_400])
def test_limits_survive_a_clock_that_is_set_anew(
    jump: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    rate, growing = Rate("clock", 3, 60), EscalatingRate("clock/growing", [(3, 60), (5, 600)])
    for limit in (rate, growing):
        assert [limit.allows("x") for _ in range(4)] == [True] * 3 + [False]
    now[0] += jump
    for limit in (rate, growing):
        assert [limit.allows("x") for _ in range(4)].count(True) <= 3
        assert limit.wait("x") <= 600
    now[0] += 61
    for limit in (rate, growing):
        assert limit.allows("x"), "nobody waits for the old clock"


def test_who_came_by_a_personal_link_is_counted_by_that_link() -> None:
    while not rate_limits.count_table(uuid.uuid4(), {}, HERE):
        pass
    session = {visitors.LINK: uuid.uuid4().hex}
    mine = [rate_limits.count_table(uuid.uuid4(), session, HERE) for _ in range(25)]
    assert mine == [""] * 20 + ["many_tables"] * 5


@pytest.mark.django_db
def test_link_and_address_open_a_limited_number_of_tables_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits.tables, "max_calls", 1_000)  # as if they took their time
    monkeypatch.setattr(rate_limits, "tables_by_address_now", Rate("tables/address", 1_000, 600))

    def opened(address: str, link: str = "") -> int:
        session = {visitors.LINK: link} if link else {}
        allowed = [not rate_limits.count_table(uuid.uuid4(), session, address) for _ in range(450)]
        return allowed.count(True)

    link = uuid.uuid4().hex
    assert opened(HERE, link) == 40
    assert opened(THERE, link) == 0, "one link, many addresses"
    assert opened(HERE) == 400 - 40
    assert opened(HERE, uuid.uuid4().hex) == 0, "many links, one address"
    client = Client(REMOTE_ADDR=THERE)
    session = client.session
    session[visitors.LINK] = link
    session.save()
    refused = client.post("/play", {"backend": "house"})
    assert refused.status_code == 429
    assert "You can open more tomorrow." in refused.content.decode()
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("proxy", "peer", "forwarded", "client"),
    [
        ("", HERE, "203.0.113.5", HERE),
        ("10.0.0.0/8", HERE, "203.0.113.5", HERE),
        ("10.0.0.0/8", "10.1.2.3", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.0/8", "10.1.2.3", "", "10.1.2.3"),
        ("10.0.0.0/8", "10.1.2.3", "1.2.3.4, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.0/8", "10.1.2.3", "203.0.113.5, 10.9.9.9", "203.0.113.5"),
        ("10.0.0.0/8", "10.1.2.3", "203.0.113.5, nonsense", "10.1.2.3"),
        ("10.0.0.0/8", "10.1.2.3", "203.0.113.5:4711", "203.0.113.5"),
        ("10.0.0.0/8,fd00::/8", "fd00::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("10.0.0.0/8", "::ffff:10.1.2.3", "[2001:db8:1:2::9]:80", "2001:db8:1:2::/64"),
        ("", "", "203.0.113.5", proxies.UNKNOWN),
    ],
)
def test_the_address_is_taken_from_a_trusted_proxys_header_alone(
    monkeypatch: pytest.MonkeyPatch, proxy: str, peer: str, forwarded: str, client: str
) -> None:
    monkeypatch.setattr(settings, "PROXIES", proxy.split(",") if proxy else [])
    headers = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **headers)
    assert proxies.address_of(request) == client
    scope = {"client": [peer, 1] if peer else None, "headers": []}
    if forwarded:
        scope["headers"] = [(b"x-forwarded-for", forwarded.encode())]
    assert proxies.address_of_scope(scope) == client


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EmbeddedRedis, ProcessGroup]]:
    folder: Path = tmp_path_factory.mktemp("redis")
    with ProcessGroup(folder / "logs") as pack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_counters, "REDIS_TIMEOUT_S", 1.5)  # a busy machine's Redis is not away
        server = EmbeddedRedis(folder)
        pack.start(server.child())
        wait_until(server.answers, "Redis answers")
        yield server, pack


def test_two_processes_count_together(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (RedisOrMemory(redis[0].url) for _ in range(2))
    rate, allowed = Rate("together", 5, 60), []
    for shared in (one, two, one, two, one, two, one):
        monkeypatch.setattr(rate_counters, "shared", shared)
        allowed.append(rate.allows("x"))
    assert allowed == [True] * 5 + [False] * 2
    assert not one.is_redis_down
    assert 50 < rate.wait("x") <= 60
    assert rate.wait("y") == 0
    kept = [key.decode() for key in one.redis.keys("*")]
    assert kept
    assert not any(key[-1] == "x" for key in kept), "keys are digests"
    rate.forget("x")
    assert rate.allows("x")


def test_while_redis_is_away_each_process_counts_and_nobody_waits(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, pack = redis
    shared = RedisOrMemory(server.url)
    monkeypatch.setattr(rate_counters, "shared", shared)
    monkeypatch.setattr(rate_counters, "RECONNECT_INTERVAL_S", 0.05)
    rate = EscalatingRate("away", [(3, 60), (100, 3600)])
    assert rate.allows("x")
    import signal

    pack.signal("redis", signal.SIGSTOP)  # it takes connections and does not answer
    try:
        asked, looks = [], shared.redis.execute_command
        assert [rate.allows("x") for _ in range(4)] == [True] * 3 + [False]
        assert shared.is_redis_down
        monkeypatch.setattr(
            shared.redis, "execute_command", lambda *a, **k: asked.append(threading.get_ident())
        )
        rate.allows("y")
        assert threading.get_ident() not in asked, "only a thread of its own asks again"
        monkeypatch.setattr(shared.redis, "execute_command", looks)
    finally:
        pack.signal("redis", signal.SIGCONT)
    wait_until(lambda: not shared.is_redis_down, "all count together again")
    assert rate.allows("x")


def test_places_are_held_over_processes_left_and_lapse(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = RedisOrMemory(redis[0].url)
    monkeypatch.setattr(rate_limits, "shared", shared)
    one, two = OpenSockets(), OpenSockets()
    assert [p.acquire("k", 3, f"{n}") for n, p in enumerate((one, two, one, two))] == [
        True, True, True, False,
    ]  # fmt: skip
    one.release("k", "0")
    assert two.acquire("k", 3, "4")
    key = rate_limits._redis_key("k")
    long_ago = time.time() - rate_limits.EXPIRY_S - 5
    shared.redis.zadd(key, dict.fromkeys(["1", "2", "4"], long_ago))
    two.renew()  # the other process has died
    assert [two.acquire("k", 3, "5"), two.acquire("k", 3, "6")] == [True, False]


def test_places_are_held_without_redis_too() -> None:
    places = OpenSockets()
    assert [places.acquire("k", 2, str(n)) for n in range(3)] == [True, True, False]
    places.release("k", "0")
    assert places.acquire("k", 2, "3")
    assert rate_counters.shared.is_redis_down
