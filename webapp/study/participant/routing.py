"""WebSocket routes of participants."""

from django.urls import path

from webapp.study.participant.consumer import WayConsumer

websocket_urlpatterns = [path("ws/take/<str:key>/", WayConsumer.as_asgi())]  # type: ignore[arg-type]
