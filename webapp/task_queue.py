"""Sends tasks to the queue."""

import logging

from celery import current_app

logger = logging.getLogger(__name__)


def send(task: str, *args: int | str) -> bool:
    """Put a task into the queue. Return False if the queue cannot be reached."""
    try:
        current_app.send_task(task, args)
    except Exception as error:  # each kind of broker raises errors of its own
        logger.warning("%s could not be queued: %s", task, error)
        return False
    return True
