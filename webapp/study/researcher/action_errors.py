"""Error messages of refused actions on the researchers' pages."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest

from webapp.study.design.refusals import Refused


def run_or_show_errors(request: HttpRequest, action: Callable[[], object]) -> bool:
    """Run `action`. If it is refused, show the errors on the next page and return False."""
    try:
        action()
    except Refused as refused:
        for sentence in refused.sentences:
            messages.error(request, sentence)
        return False
    return True
