"""The Celery application: agents' turns run here, away from the browsers' requests."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("fabula")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def give_signs_of_life(**_: Any) -> None:
    """Only in a worker: what else imports this module has no use for the import."""
    from webapp.runtime.beat import Beat

    app.steps["consumer"].add(Beat)
