"""Work sent to the queue, where that can be reached."""

from __future__ import annotations

import logging

from celery import current_app

logger = logging.getLogger(__name__)


def send(task: str, *args: int) -> bool:
    """Put `task` (by its name) into the queue.

    Returns False where that is away: the page that asks again makes up for it.
    """
    try:
        current_app.send_task(task, args)
    except Exception as error:  # every kind of broker has its own
        logger.warning("%s could not be queued: %s", task, error)
        return False
    return True
