"""The Django app of the lab."""

from django.apps import AppConfig


class LabConfig(AppConfig):
    """An app without tables, so that Django finds `manage.py metrics`."""

    name = "webapp.lab"
    label = "lab"
