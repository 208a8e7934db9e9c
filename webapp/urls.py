"""The URLs of the site."""

from django.urls import include, path

from webapp import theme
from webapp.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("light", theme.choose, name="light"),
    path("study/", include("webapp.study.researcher.urls")),
    path("rate/", include("webapp.study.rater.urls")),
    path("take/", include("webapp.study.participant.urls")),
    path("", include("webapp.play.urls")),
]

handler400 = "webapp.play.error_pages.bad_request"
handler500 = "webapp.play.error_pages.server_error"
