"""Retries of requests to a server of language models: after which failures, and how long after."""

import random
import time
from http import HTTPStatus

import openai

from agents.decision import BackendError

BACKOFF_S = 0.3  # base of the wait before the first retry; it doubles with each further retry
BACKOFF_JITTER = 0.25  # up to this share of a wait is added at random
# Client errors that pass: the server's own timeout, a lock, and too many requests. Other 4xx are
# mistakes in the request.
RETRIED_CLIENT_ERRORS = (
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS,
)
# Causes of a BackendError from a broken connection, or from a response that is no completion.
RETRIED_CAUSES = ("garbage", "unreachable")


def status_delay_s(error: openai.APIStatusError, retries: int) -> float | None:
    """Return the seconds before a retry after an error status, None if a retry is useless.

    `Retry-After` counts if it is a number of seconds. A date there is ignored.
    """
    status = error.status_code
    if status not in RETRIED_CLIENT_ERRORS and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return None
    retry_after = error.response.headers.get("retry-after", "")
    if retry_after.replace(".", "", 1).isdigit():
        return float(retry_after)
    return None if status == HTTPStatus.NOT_IMPLEMENTED else backoff_s(retries)


def backoff_s(retries: int) -> float:
    """Return the seconds before the next retry, random so that requests do not retry together."""
    return float(BACKOFF_S * 2**retries * (1 + random.random() * BACKOFF_JITTER))


def wait_for_retry(failure: BackendError, delay_s: float | None, seconds_left: float) -> None:
    """Sleep `delay_s` seconds. Raise `failure` if that is None, or if there is no time for it."""
    if delay_s is None or delay_s >= seconds_left:
        raise failure
    time.sleep(delay_s)
