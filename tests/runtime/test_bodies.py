"""Tests that a request body is read up to the maximum size, and no further."""

from __future__ import annotations

import socket
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.live import Stack
from webapp.runtime.daphne import MAX_BODY_BYTES

HEAD = "POST /play HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\n{}\r\n\r\n"


def send_request(stack: Stack, header: str, *, chunk: bytes = b"", count: int = 0) -> bytes:
    """Return the start of the response, b"" if the server closed the connection."""
    address = urlsplit(stack.url)
    with socket.create_connection((address.hostname, address.port), 30) as connection:
        try:
            connection.sendall(HEAD.format(address.netloc, header).encode())
            for _ in range(count):
                connection.sendall(chunk)
            return connection.recv(200)
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_oversized_body_is_refused_by_its_length_header(stack: Stack) -> None:
    assert b" 413 " in send_request(stack, "Content-Length: 3000000000")
    assert b" 413 " in send_request(stack, f"Content-Length: {MAX_BODY_BYTES + 1}")


def test_chunks_without_a_length_are_counted(stack: Stack) -> None:
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    response = send_request(stack, "Transfer-Encoding: chunked", chunk=chunk, count=2000)
    assert response == b"" or b" 413 " in response


@pytest.mark.parametrize("size", [10, 200_000, MAX_BODY_BYTES])
def test_body_within_the_limit_reaches_the_application(stack: Stack, size: int) -> None:
    response = send_request(stack, f"Content-Length: {size}", chunk=b"a" * size, count=1)
    assert b" 403 " in response, "the post has no CSRF token"
    assert urllib.request.urlopen(stack.url, timeout=10).status == 200
