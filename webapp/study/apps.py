"""The study: what turns finished games into ratings and figures."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"

    def ready(self) -> None:
        from webapp.play.signals import name_erased
        from webapp.study import erasure

        name_erased.connect(erasure.forget_name)
