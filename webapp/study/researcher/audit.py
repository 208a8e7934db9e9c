"""The audit log: one line for each sign-in, download and post in a study.

The lines are written to the log, and kept in the database for a year.
"""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from webapp import proxies
from webapp.housekeeping import delete_batch
from webapp.study.models import AuditLine
from webapp.study.permissions import Access

logger = logging.getLogger("fabula.audit")

RETENTION = timedelta(days=366)
MAX_ABOUT_CHARS = 200


def record_line(
    request: HttpRequest | None, action: str, about: str = "", *, name: str = "", study: str = ""
) -> None:
    """Store an audit line. On a page of a study it also has the study and the actor's role.

    A command has no request, and names the actor and the `study` (its code).
    """
    actor = name or (request.user.get_username() if request and hasattr(request, "user") else "")
    access: Access | None = getattr(request, "access", None)
    line = AuditLine.objects.create(
        who=actor,
        role=access.role if access else "",
        study=access.study.code if access else study,
        what=action,
        about=about[:MAX_ABOUT_CHARS],
        address=proxies.client_address(request) if request else "here",
    )
    if request:
        request.audited = True  # type: ignore[attr-defined]
    logger.info("%s", line)


def record_post(request: HttpRequest, code: str, url_name: str, details: Iterable[object]) -> None:
    """Store an audit line of a post, with values of the URL, unless the view has stored one."""
    if not getattr(request, "audited", False):
        record_line(request, url_name, " ".join([code, *map(str, filter(None, details))]))


def on_sign_in(sender: Any, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    record_line(request, "sign_in", name=user.get_username())


def on_sign_out(sender: Any, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    if user:
        record_line(request, "sign_out", name=user.get_username())


def delete_old_lines() -> int:
    """Delete lines older than RETENTION, as a daily job. Return their number."""
    return delete_batch(AuditLine.objects.filter(at__lt=timezone.now() - RETENTION))
