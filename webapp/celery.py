"""The Celery application, which runs agents' turns outside the web processes, and its queue."""

import gc
import logging
import os
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("fabula")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
logger = logging.getLogger(__name__)


def send(task: str, *args: int | str) -> bool:
    """Put a task into the queue. Return False if the queue cannot be reached."""
    try:
        app.send_task(task, args)
    except Exception as error:  # each kind of broker raises errors of its own
        logger.warning("%s could not be queued: %s", task, error)
        return False
    return True


@worker_init.connect
def prepare_worker(**_: Any) -> None:
    """Prepare a worker. The imports are local because only workers need these modules."""
    from agents import backends
    from webapp.connections import keep_open
    from webapp.runtime.worker_heartbeat import WorkerHeartbeat
    from webapp.watchdog import start_watchdog

    app.steps["consumer"].add(WorkerHeartbeat)
    keep_open()
    start_watchdog()
    # A worker that is killed while it loads what a turn needs has taken no turn yet. Later this
    # would count as a failed attempt at an answer (`turns.leases`).
    for name in backends.names():
        backends.get(name)
    gc.freeze()  # excludes all loaded objects from garbage collection


@task_prerun.connect
@task_postrun.connect
def close_old_connections(**_: Any) -> None:
    """Close old and broken connections. CELERY_DB_REUSE_MAX turns off Celery's own handler."""
    from django import db

    db.close_old_connections()
