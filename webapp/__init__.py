"""The site: everything that touches a request, a socket or a queue."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
