"""Every address of the site."""

from django.urls import include, path

from webapp import lights
from webapp.health import healthz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("light", lights.choose, name="light"),
    path("study/", include("webapp.study.researcher.urls")),
    path("rate/", include("webapp.study.rater.urls")),
    path("", include("webapp.play.urls")),
]

handler400 = "webapp.play.failures.bad_request"
