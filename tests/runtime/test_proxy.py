"""A reverse proxy in front of the real server: whose address counts, cookies, posts, sockets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.clients import FORM, together, token_of
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
    """Speaks to an address as a browser does that came there by https.

    The proxy ends TLS, which this one never began, so that it sends cookies marked Secure by
    itself.
    """

    def __init__(self, url: str, **headers: str) -> None:
        self.host = urlsplit(url).netloc
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=60)
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []

    def send(self, method: str, path: str, *, origin: str = "", **more: object) -> httpx2.Response:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        headers |= {"Origin": origin, "Referer": f"{origin}/"} if origin else {}
        answer = self.http.request(method, path, headers=headers, **more)  # type: ignore[arg-type]
        for cookie in answer.headers.get_list("set-cookie"):
            self.set_cookies.append(cookie)
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def fail_to_sign_in(self, origin: str) -> int:
        form = {"username": "nobody", "password": "x"}
        form |= token_of(self.send("GET", "/study/sign-in").text)
        return self.send("POST", "/study/sign-in", data=form, origin=origin).status_code

    def open_table(self, origin: str) -> str:
        form = {**FORM, **token_of(self.send("GET", "/tables/new").text)}
        answer = self.send("POST", "/tables/new", data=form, origin=origin)
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])


async def first_frame(browser: Browser, table: str, origin: str) -> str:
    """What the table's socket sends first."""
    address = f"ws://{browser.host}/ws{table}"
    headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in browser.cookies.items())}
    async with connect(address, additional_headers=headers, origin=origin, open_timeout=60) as line:  # type: ignore[arg-type]
        await line.send('{"cursor": 0}')
        return str(await asyncio.wait_for(line.recv(), 60))


def addresses(stack: Stack) -> list[str]:
    """From where somebody failed to sign in, as it is on record."""
    rows = "AuditLine.objects.filter(what='sign_in_failed').order_by('pk').values_list('address')"
    code = f"from webapp.study.models import AuditLine; print([a for a, in {rows}])"
    return re.findall(r"'([^']*)'", stack.shell(code).splitlines()[-1])


def test_client_address_comes_from_the_proxy_and_not_from_spoofed_headers(
    stack: Stack, proxy: Proxy
) -> None:
    before = len(addresses(stack))
    spoof = {"X-Forwarded-For": SPOOFED, "X-Forwarded-Proto": "https"}
    through, lying = Browser(proxy.url), Browser(proxy.url, **spoof)
    for browser in (through, lying):
        assert browser.fail_to_sign_in(f"https://{browser.host}") == 422
    direct = Browser(stack.url, **spoof)
    assert direct.fail_to_sign_in(f"http://{direct.host}") == 422
    assert addresses(stack)[before:] == [Proxy.client, Proxy.client, "127.0.0.1"]
    assert all("Secure" in cookie for cookie in through.set_cookies)
    assert not [cookie for cookie in direct.set_cookies if "Secure" in cookie]


def test_posts_and_sockets_are_accepted_from_the_visible_origin_only(proxy: Proxy) -> None:
    browser = Browser(proxy.url)
    own, other = f"https://{browser.host}", f"http://{browser.host}"
    assert browser.fail_to_sign_in(other) == 403
    assert browser.fail_to_sign_in("https://evil.example") == 403
    table = browser.open_table(own)

    async def all_of_it() -> str:
        for origin in (other, "https://evil.example"):
            with pytest.raises(InvalidStatus) as refused:
                await first_frame(browser, table, origin)
            assert refused.value.response.status_code == 403
        return await first_frame(browser, table, own)

    assert 'id="cursor"' in together(all_of_it())


def test_table_socket_opens_while_redis_is_down(stack: Stack) -> None:
    browser = Browser(stack.url)
    own = f"http://{browser.host}"
    table = browser.open_table(own)
    stack.kill("redis")
    assert 'id="cursor"' in together(first_frame(browser, table, own))
