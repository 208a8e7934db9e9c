"""The one entry point of Daphne: HTTP goes to Django, WebSockets to the consumers."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django_app = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import CookieMiddleware, SessionMiddleware  # noqa: E402

from webapp.cookies import own_socket_cookies  # noqa: E402
from webapp.https import told_scheme  # noqa: E402
from webapp.origins import own_pages_only  # noqa: E402
from webapp.play.routing import websocket_urlpatterns  # noqa: E402

sockets = SessionMiddleware(URLRouter(websocket_urlpatterns))  # type: ignore[arg-type]
application = told_scheme(
    ProtocolTypeRouter(
        {
            "http": django_app,
            "websocket": own_pages_only(CookieMiddleware(own_socket_cookies(sockets))),
        }
    )
)
