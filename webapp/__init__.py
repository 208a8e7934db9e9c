"""The web site: all code that handles requests, sockets or task queues."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
