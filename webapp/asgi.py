"""The one entry point of Daphne: HTTP goes to Django, WebSockets to the consumers."""

import gc
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import CookieMiddleware, SessionMiddleware  # noqa: E402

from webapp.cookies import own_socket_cookies  # noqa: E402
from webapp.http_requests import OneThread  # noqa: E402
from webapp.https import with_browser_scheme  # noqa: E402
from webapp.origins import own_pages_only  # noqa: E402
from webapp.play.live import routing as play  # noqa: E402
from webapp.study.participant import consumer  # noqa: E402
from webapp.study.researcher.running import monitor_socket  # noqa: E402

addresses = [
    *play.websocket_urlpatterns,
    *consumer.websocket_urlpatterns,
    *monitor_socket.websocket_urlpatterns,
]
sockets = SessionMiddleware(URLRouter(addresses))  # type: ignore[arg-type]
application = with_browser_scheme(
    ProtocolTypeRouter(
        {
            "http": OneThread(),
            "websocket": own_pages_only(CookieMiddleware(own_socket_cookies(sockets))),
        }
    )
)
# Excludes loaded objects from garbage collection. A full run delayed pages by 0.1 s.
gc.freeze()
