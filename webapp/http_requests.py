"""An ASGI handler that keeps each HTTP request in one thread, from middleware to view and back."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.response import HttpResponseBase


class OneThread(ASGIHandler):
    """Django's handler without its changes between threads.

    The site has no async view, and otherwise every synchronous middleware would change to a thread
    and back for each of its halves.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: ASGIRequest) -> HttpResponseBase:  # type: ignore[override]
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)
