"""The study: what turns finished games into ratings and figures."""

from django.apps import AppConfig


class StudyConfig(AppConfig):
    name = "webapp.study"
    label = "study"
