"""Where a request really comes from: its address, and whether the browser came by TLS.

Only proxies named in FABULA_PROXIES are believed; anybody else could write the headers too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"


@cache
def _networks(given: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(ip_network(text, strict=False) for text in given)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address as proxies write it: with a port, in brackets, with a zone or not."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_proxy(peer: str) -> bool:
    """Whether the other end of the connection is one of FABULA_PROXIES."""
    found = _parsed(peer)
    return found is not None and any(found in n for n in _networks(tuple(settings.PROXIES)))


def client_of(peer: str, forwarded: str) -> str:
    """The address of whoever is asking: the last in X-Forwarded-For that is no proxy of ours.

    An IPv6 network of 64 bits counts as one address: whoever has one has them all.
    """
    way = [peer, *reversed(forwarded.split(","))] if forwarded else [peer]
    client = peer
    for hop in way:
        if _parsed(hop) is None:
            break
        client = hop
        if not is_proxy(hop):
            break
    found = _parsed(client)
    if found is None:
        return UNKNOWN
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, 64), strict=False))
    return str(found)


def address_of(request: HttpRequest) -> str:
    """The address that a request came from."""
    meta = request.META
    return client_of(meta.get("REMOTE_ADDR") or "", meta.get("HTTP_X_FORWARDED_FOR", ""))


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """The headers of an ASGI scope, names in lower case.

    What comes twice joined by commas.
    """
    found: dict[str, str] = {}
    pairs: Iterable[tuple[bytes, bytes]] = scope.get("headers", ())
    for name, value in pairs:
        key, text = name.decode("latin1").lower(), value.decode("latin1")
        found[key] = f"{found[key]},{text}" if key in found else text
    return found


def _peer(scope: Mapping[str, Any]) -> str:
    return str((scope.get("client") or [""])[0])


def address_of_scope(scope: Mapping[str, Any]) -> str:
    """The address that a socket was opened from."""
    return client_of(_peer(scope), headers_of(scope).get("x-forwarded-for", ""))


def scheme_of_scope(scope: Mapping[str, Any]) -> str:
    """ "https" or "http": what the browser came by.

    https wherever FABULA_HTTPS says so, else what a proxy of ours tells, else the connection's.
    """
    if settings.HTTPS:
        return "https"
    told = headers_of(scope).get("x-forwarded-proto", "").split(",")[-1].strip().lower()
    if told in ("http", "https", "ws", "wss") and is_proxy(_peer(scope)):
        return "https" if told in ("https", "wss") else "http"
    return "https" if scope.get("scheme") in ("wss", "https") else "http"
