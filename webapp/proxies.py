"""The address of a request's client, and the address of the site as the browser sees it.

Headers of proxies count only if the peer is one of FABULA_PROXIES, because any client can send
them.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"


@cache
def _networks(network_texts: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(ip_network(text, strict=False) for text in network_texts)


def _parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address as proxies write it: with or without a port, brackets and a zone."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_proxy(peer: str) -> bool:
    """Return whether the other end of the connection is one of FABULA_PROXIES."""
    address = _parse_address(peer)
    return address is not None and any(address in n for n in _networks(tuple(settings.PROXIES)))


def find_client(peer: str, forwarded: str) -> str:
    """Return the client's address: the nearest one to the `peer` that is no trusted proxy.

    Each proxy adds an address at the end of the header X-Forwarded-For (`forwarded`). An IPv6
    network of 64 bits counts as one address, because its owner can use all of it.
    """
    hops = [peer, *reversed(forwarded.split(","))] if forwarded else [peer]  # the nearest first
    client = peer
    for hop in hops:
        if _parse_address(hop) is None:
            break
        client = hop
        if not is_proxy(hop):
            break
    address = _parse_address(client)
    if address is None:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)


def client_address(request: HttpRequest) -> str:
    peer, forwarded = request.META.get("REMOTE_ADDR"), request.META.get("HTTP_X_FORWARDED_FOR", "")
    return find_client(peer or "", forwarded)


def site_address(request: HttpRequest) -> str:
    """Return the site's address as this browser uses it, without a slash at the end."""
    return f"{request.scheme}://{request.get_host()}"


def scope_headers(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of an ASGI scope, names in lower case, repeated ones joined."""
    headers: dict[str, str] = {}
    pairs: Iterable[tuple[bytes, bytes]] = scope.get("headers", ())
    for name, value in pairs:
        key, text = name.decode("latin1").lower(), value.decode("latin1")
        headers[key] = f"{headers[key]},{text}" if key in headers else text
    return headers


def _peer(scope: Mapping[str, Any]) -> str:
    return str((scope.get("client") or [""])[0])


def socket_client_address(scope: Mapping[str, Any]) -> str:
    return find_client(_peer(scope), scope_headers(scope).get("x-forwarded-for", ""))


def browser_scheme(scope: Mapping[str, Any]) -> str:
    """Return the scheme that the browser used, "https" or "http".

    FABULA_HTTPS decides first, then the header of a trusted proxy, then the connection.
    """
    if settings.HTTPS:
        return "https"
    scheme = scope_headers(scope).get("x-forwarded-proto", "").split(",")[-1].strip().lower()
    if scheme in ("http", "https", "ws", "wss") and is_proxy(_peer(scope)):
        return "https" if scheme in ("https", "wss") else "http"
    return "https" if scope.get("scheme") in ("wss", "https") else "http"
