"""Tests of a reverse proxy before the server: client address, cookies, posts and sockets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.clients import FORM, run_together, token_of
from tests.line import Proxy
from tests.live import Stack

SPOOFED = "198.51.100.77"


@pytest.fixture
def proxy(stack: Stack) -> Iterator[Proxy]:
    port = urlsplit(stack.url).port
    assert port
    with Proxy(port) as proxy:
        yield proxy


class Browser:
    """Sends requests as a browser that came by https.

    The proxy ends TLS, which this client does not use. So it also sends cookies marked Secure.
    """

    def __init__(self, url: str, **headers: str) -> None:
        self.host = urlsplit(url).netloc
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=60)
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []

    def send(
        self, method: str, path: str, *, origin: str = "", **options: object
    ) -> httpx2.Response:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        headers |= {"Origin": origin, "Referer": f"{origin}/"} if origin else {}
        response = self.http.request(method, path, headers=headers, **options)  # type: ignore[arg-type]
        for cookie in response.headers.get_list("set-cookie"):
            self.set_cookies.append(cookie)
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response

    def fail_to_sign_in(self, origin: str) -> int:
        form = {"username": "nobody", "password": "x"}
        form |= token_of(self.send("GET", "/study/sign-in").text)
        return self.send("POST", "/study/sign-in", data=form, origin=origin).status_code

    def open_table(self, origin: str) -> str:
        form = {**FORM, **token_of(self.send("GET", "/tables/new").text)}
        response = self.send("POST", "/tables/new", data=form, origin=origin)
        assert response.status_code == 302, response.text
        return str(response.headers["location"])


async def first_frame(browser: Browser, table: str, origin: str) -> str:
    """Return the first message of the table's socket."""
    address = f"ws://{browser.host}/ws{table}"
    headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in browser.cookies.items())}
    async with connect(
        address, additional_headers=headers, origin=origin, open_timeout=60
    ) as socket:  # type: ignore[arg-type]
        await socket.send('{"cursor": 0}')
        return str(await asyncio.wait_for(socket.recv(), 60))


def failed_sign_in_addresses(stack: Stack) -> list[str]:
    """Return the audited addresses of failed attempts to sign in."""
    rows = "AuditLine.objects.filter(what='sign_in_failed').order_by('pk').values_list('address')"
    code = f"from webapp.study.models import AuditLine; print([a for a, in {rows}])"
    return re.findall(r"'([^']*)'", stack.shell(code).splitlines()[-1])


def test_client_address_comes_from_the_proxy_and_not_from_spoofed_headers(
    stack: Stack, proxy: Proxy
) -> None:
    count = len(failed_sign_in_addresses(stack))
    headers = {"X-Forwarded-For": SPOOFED, "X-Forwarded-Proto": "https"}
    proxied, spoofing = Browser(proxy.url), Browser(proxy.url, **headers)
    for browser in (proxied, spoofing):
        assert browser.fail_to_sign_in(f"https://{browser.host}") == 422
    direct = Browser(stack.url, **headers)
    assert direct.fail_to_sign_in(f"http://{direct.host}") == 422
    assert failed_sign_in_addresses(stack)[count:] == [Proxy.client, Proxy.client, "127.0.0.1"]
    assert all("Secure" in cookie for cookie in proxied.set_cookies)
    assert not [cookie for cookie in direct.set_cookies if "Secure" in cookie]


def test_posts_and_sockets_are_accepted_from_the_visible_origin_only(proxy: Proxy) -> None:
    browser = Browser(proxy.url)
    origin_https, origin_http = f"https://{browser.host}", f"http://{browser.host}"
    assert browser.fail_to_sign_in(origin_http) == 403
    assert browser.fail_to_sign_in("https://evil.example") == 403
    table = browser.open_table(origin_https)

    async def try_origins() -> str:
        for tried_origin in (origin_http, "https://evil.example"):
            with pytest.raises(InvalidStatus) as raised:
                await first_frame(browser, table, tried_origin)
            assert raised.value.response.status_code == 403
        return await first_frame(browser, table, origin_https)

    assert 'id="cursor"' in run_together(try_origins())


def test_table_socket_opens_while_redis_is_down(stack: Stack) -> None:
    browser = Browser(stack.url)
    origin = f"http://{browser.host}"
    table = browser.open_table(origin)
    stack.kill("redis")
    assert 'id="cursor"' in run_together(first_frame(browser, table, origin))
