"""The audit log of sign-ins and downloads: one line each, in the log and in the database, for a
year.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from webapp import proxies
from webapp.housekeeping import delete_some
from webapp.study.models import AuditLine

logger = logging.getLogger("fabula.audit")

RETENTION = timedelta(days=366)


def record_line(
    request: HttpRequest | None, act_name: str, about: str = "", *, name: str = ""
) -> None:
    """Store an audit line. The actor is `name`, or by default the request's researcher."""
    actor = name or (request.user.get_username() if request and hasattr(request, "user") else "")
    address = proxies.address_of(request) if request else "here"
    line = AuditLine.objects.create(who=actor, what=act_name, about=about[:200], address=address)
    logger.info("%s", line)


def on_sign_in(sender: Any, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    record_line(request, "sign_in", name=user.get_username())


def on_sign_out(sender: Any, request: HttpRequest | None, user: Any, **_more: Any) -> None:
    if user:
        record_line(request, "sign_out", name=user.get_username())


def delete_old_lines() -> int:
    """Delete lines older than a year. Return their number. A daily job (webapp.housekeeping)."""
    return delete_some(AuditLine.objects.filter(at__lt=timezone.now() - RETENTION))
