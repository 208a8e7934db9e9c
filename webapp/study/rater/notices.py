"""Pages that say what is the matter, for raters: nothing on them leads away from the survey."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def notice(
    request: HttpRequest, status: int, title: str, text: str, way: tuple[str, str] | None = None
) -> HttpResponse:
    """What is the matter, and where to go on: `way` (label, address)."""
    label, address = way or ("", "")
    context = {"title": title, "text": text, "label": label, "address": address}
    return render(request, "study/rater/notice.html", context, status=status)
