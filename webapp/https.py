"""Sets the scheme of the browser's request. Links, cookies and the origin check depend on it."""

from __future__ import annotations

from typing import Any

from webapp.cookies import App, Scope
from webapp.proxies import scheme_of_scope


def with_browser_scheme(inner: App) -> App:
    """ASGI middleware: set the scope's scheme to the browser's."""

    async def app(scope: Scope, receive: Any, send: Any) -> Any:
        if scope["type"] in ("http", "websocket"):
            secure = scheme_of_scope(scope) == "https"
            scheme = "http" if scope["type"] == "http" else "ws"
            scope = {**scope, "scheme": f"{scheme}s" if secure else scheme}
        return await inner(scope, receive, send)

    return app
