"""The Django app of the lab."""

from django.apps import AppConfig


class LabConfig(AppConfig):
    """Without tables: an app so that `manage.py metrics` is found."""

    name = "webapp.lab"
    label = "lab"
