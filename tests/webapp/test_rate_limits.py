"""Tests of limits by address and in total, with and without Redis."""

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
from webapp.play.live import open_sockets
from webapp.play.live.open_sockets import OpenSockets
from webapp.rate_counters import EscalatingRate, Rate, RedisOrMemory
from webapp.runtime.embedded_redis import EmbeddedRedis
from webapp.runtime.process_group import ProcessGroup

ADDRESS, OTHER_ADDRESS = "192.0.2.7", "198.51.100.9"


def post_play(address: str = ADDRESS, **more: str) -> int:
    client = Client(REMOTE_ADDR=address)
    return client.post("/play", {"backend": "house"}, **more).status_code


@pytest.fixture
def low_table_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set limits that a test reaches soon."""
    monkeypatch.setattr(rate_limits, "address_table_rate", Rate("tables/address", 6, 600))
    monkeypatch.setattr(rate_limits, "site_table_rate", Rate("tables/site", 9, 600))


@pytest.mark.django_db
@pytest.mark.usefixtures("low_table_limits")
def test_tables_are_limited_per_address_and_in_total() -> None:
    assert [post_play() for _ in range(8)] == [302] * 6 + [429] * 2
    assert [post_play(OTHER_ADDRESS) for _ in range(4)] == [302] * 3 + [429]
    response = Client(REMOTE_ADDR=ADDRESS).post("/play")
    assert "Wait a few minutes" in response.content.decode()
    assert Game.objects.count() == 9
    assert Session.objects.count() == 9, "a refused visitor leaves no session"


def test_class_of_forty_can_open_three_tables_each_within_minutes() -> None:
    allowed = [
        not rate_limits.count_table(uuid.uuid4(), {}, ADDRESS)
        for _person in range(40)
        for _ in range(3)
    ]
    assert all(allowed)
    assert rate_limits.count_table(uuid.uuid4(), {}, ADDRESS)
    assert not rate_limits.count_table(uuid.uuid4(), {}, OTHER_ADDRESS)


@pytest.mark.parametrize("jump", [-30 * 86_400, -3600, 3600, 30 * 86_400])
def test_limits_survive_a_changed_clock(jump: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    rate, growing = Rate("clock", 3, 60), EscalatingRate("clock/growing", [(3, 60), (5, 600)])
    for limit in (rate, growing):
        assert [limit.try_acquire("x") for _ in range(4)] == [True] * 3 + [False]
    now[0] += jump
    for limit in (rate, growing):
        assert [limit.try_acquire("x") for _ in range(4)].count(True) <= 3
        assert limit.seconds_until_allowed("x") <= 600
    now[0] += 61
    for limit in (rate, growing):
        assert limit.try_acquire("x"), "no limit waits for the old clock"


def test_visitor_with_a_personal_link_is_counted_by_that_link() -> None:
    while not rate_limits.count_table(uuid.uuid4(), {}, ADDRESS):
        pass
    session = {visitors.LINK_KEY: uuid.uuid4().hex}
    errors = [rate_limits.count_table(uuid.uuid4(), session, ADDRESS) for _ in range(25)]
    assert errors == [""] * 20 + ["many_tables"] * 5


@pytest.mark.django_db
def test_link_and_address_open_a_limited_number_of_tables_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits.table_rate, "limit", 1_000)  # as if the visitors were slow
    monkeypatch.setattr(rate_limits, "address_table_rate", Rate("tables/address", 1_000, 600))

    def count_opened(address: str, link: str = "") -> int:
        session = {visitors.LINK_KEY: link} if link else {}
        allowed = [not rate_limits.count_table(uuid.uuid4(), session, address) for _ in range(450)]
        return allowed.count(True)

    link = uuid.uuid4().hex
    assert count_opened(ADDRESS, link) == 40
    assert count_opened(OTHER_ADDRESS, link) == 0, "one link, many addresses"
    assert count_opened(ADDRESS) == 400 - 40
    assert count_opened(ADDRESS, uuid.uuid4().hex) == 0, "many links, one address"
    client = Client(REMOTE_ADDR=OTHER_ADDRESS)
    session = client.session
    session[visitors.LINK_KEY] = link
    session.save()
    response = client.post("/play", {"backend": "house"})
    assert response.status_code == 429
    assert "You can open more tomorrow." in response.content.decode()
    assert not Game.objects.exists()


@pytest.mark.parametrize(
    ("proxy", "peer", "forwarded", "client"),
    [
        ("", ADDRESS, "203.0.113.5", ADDRESS),
        ("10.0.0.0/8", ADDRESS, "203.0.113.5", ADDRESS),
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
def test_client_address_is_taken_from_trusted_proxy_headers_only(
    monkeypatch: pytest.MonkeyPatch, proxy: str, peer: str, forwarded: str, client: str
) -> None:
    monkeypatch.setattr(settings, "PROXIES", proxy.split(",") if proxy else [])
    headers = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **headers)
    assert proxies.client_address(request) == client
    scope = {"client": [peer, 1] if peer else None, "headers": []}
    if forwarded:
        scope["headers"] = [(b"x-forwarded-for", forwarded.encode())]
    assert proxies.socket_client_address(scope) == client


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EmbeddedRedis, ProcessGroup]]:
    folder: Path = tmp_path_factory.mktemp("redis")
    with ProcessGroup(folder / "logs") as processes, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(rate_counters, "REDIS_TIMEOUT_S", 1.5)  # a slow Redis is not down
        server = EmbeddedRedis(folder)
        processes.start(server.child())
        wait_until(server.answers, "Redis answers")
        yield server, processes


def test_two_processes_share_counts(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (RedisOrMemory(redis[0].url) for _ in range(2))
    rate, allowed = Rate("together", 5, 60), []
    for counters in (one, two, one, two, one, two, one):
        monkeypatch.setattr(rate_counters, "rate_storage", counters)
        allowed.append(rate.try_acquire("x"))
    assert allowed == [True] * 5 + [False] * 2
    assert not one.is_redis_down
    assert 50 < rate.seconds_until_allowed("x") <= 60
    assert rate.seconds_until_allowed("y") == 0
    keys = [key.decode() for key in one.redis.keys("*")]
    assert keys
    assert not any(key[-1] == "x" for key in keys), "keys are digests"
    rate.reset("x")
    assert rate.try_acquire("x")


def test_processes_count_separately_without_delay_while_redis_is_down(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, processes = redis
    counters = RedisOrMemory(server.url)
    monkeypatch.setattr(rate_counters, "rate_storage", counters)
    monkeypatch.setattr(rate_counters, "RECONNECT_INTERVAL_S", 0.05)
    rate = EscalatingRate("away", [(3, 60), (100, 3600)])
    assert rate.try_acquire("x")
    import signal

    processes.signal("redis", signal.SIGSTOP)  # it accepts connections and does not answer
    try:
        calling_threads, execute_command = [], counters.redis.execute_command
        assert [rate.try_acquire("x") for _ in range(4)] == [True] * 3 + [False]
        assert counters.is_redis_down
        monkeypatch.setattr(
            counters.redis,
            "execute_command",
            lambda *a, **k: calling_threads.append(threading.get_ident()),
        )
        rate.try_acquire("y")
        assert threading.get_ident() not in calling_threads, "only a background thread reconnects"
        monkeypatch.setattr(counters.redis, "execute_command", execute_command)
    finally:
        processes.signal("redis", signal.SIGCONT)
    wait_until(lambda: not counters.is_redis_down, "processes share counts again")
    assert rate.try_acquire("x")


def test_socket_slots_are_shared_by_processes_released_and_expired(
    redis: tuple[EmbeddedRedis, ProcessGroup], monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = RedisOrMemory(redis[0].url)
    monkeypatch.setattr(open_sockets, "rate_storage", counters)
    one, two = OpenSockets(), OpenSockets()
    results = [sockets.acquire("k", 3, str(n)) for n, sockets in enumerate((one, two, one, two))]
    assert results == [True, True, True, False]
    one.release("k", "0")
    assert two.acquire("k", 3, "4")
    key = open_sockets._redis_key("k")
    expired_at = time.time() - open_sockets.SOCKET_EXPIRY_S - 5
    counters.redis.zadd(key, dict.fromkeys(["1", "2", "4"], expired_at))
    two.renew()  # the slots of the dead process have expired
    assert [two.acquire("k", 3, "5"), two.acquire("k", 3, "6")] == [True, False]


def test_socket_slots_are_counted_without_redis() -> None:
    sockets = OpenSockets()
    assert [sockets.acquire("k", 2, str(number)) for number in range(3)] == [True, True, False]
    sockets.release("k", "0")
    assert sockets.acquire("k", 2, "3")
    assert rate_counters.rate_storage.is_redis_down
