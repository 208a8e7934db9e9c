"""The study: what turns finished games into ratings and figures."""

from django.apps import AppConfig
from django.db.models import Q


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"

    def ready(self) -> None:
        from webapp.play import unwatched

        unwatched.spare(Q(campaigngame__isnull=False))
