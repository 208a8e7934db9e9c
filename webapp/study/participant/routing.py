"""WebSocket routes of participants."""

from django.urls import path

from webapp.study.participant.consumer import ParticipantConsumer

websocket_urlpatterns = [path("ws/take/<str:key>/", ParticipantConsumer.as_asgi())]  # type: ignore[arg-type]
