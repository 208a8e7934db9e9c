"""A request's body is read as far as anything here would take it, and no farther."""

from __future__ import annotations

import socket
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.live import Stack
from webapp.runtime.daphne import MAX_BODY_BYTES

HEAD = "POST /play HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\n{}\r\n\r\n"


def answer(stack: Stack, header: str, *, piece: bytes = b"", times: int = 0) -> bytes:
    """What comes back; b"" where the server has closed the line while it was being sent to."""
    place = urlsplit(stack.url)
    with socket.create_connection((place.hostname, place.port), 30) as line:
        try:
            line.sendall(HEAD.format(place.netloc, header).encode())
            for _ in range(times):
                line.sendall(piece)
            return line.recv(200)
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_oversized_body_is_refused_by_its_length_header(stack: Stack) -> None:
    assert b" 413 " in answer(stack, "Content-Length: 3000000000")
    assert b" 413 " in answer(stack, f"Content-Length: {MAX_BODY_BYTES + 1}")


def test_chunks_without_a_length_are_counted(stack: Stack) -> None:
    piece = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    found = answer(stack, "Transfer-Encoding: chunked", piece=piece, times=2000)
    assert found == b"" or b" 413 " in found


@pytest.mark.parametrize("size", [10, 200_000, MAX_BODY_BYTES])
def test_body_within_the_limit_reaches_the_application(stack: Stack, size: int) -> None:
    found = answer(stack, f"Content-Length: {size}", piece=b"a" * size, times=1)
    assert b" 403 " in found, "it came without this site's own token"
    assert urllib.request.urlopen(stack.url, timeout=10).status == 200
