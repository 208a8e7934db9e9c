"""The Celery application: agents' turns run here, away from the browsers' requests."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("fabula")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
