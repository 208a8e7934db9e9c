"""The WebSocket routes of play."""

from django.urls import path

from webapp.play.live.consumers import TableConsumer

websocket_urlpatterns = [path("ws/games/<str:code>/", TableConsumer.as_asgi())]  # type: ignore[arg-type]
