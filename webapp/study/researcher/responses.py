"""Responses of the researchers' pages: pages with a form, files, and messages of refusals."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from webapp.study.design.refusals import Refused

# Extension of a file's name -> content type.
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "toml": "application/toml; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "zip": "application/zip",
}


def render_form_page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render a page with status 422 if its `form` has errors or an action was `refused`."""
    form = context.get("form")
    is_refused = bool(context.get("refused") or (form and form.errors))
    status = 422 if is_refused else 200
    return render(request, f"study/researcher/{template}.html", context, status=status)


def download(body: bytes | str, name: str) -> HttpResponse:
    """Return a response that the browser saves as a file. The name's extension gives the type."""
    response = HttpResponse(body, content_type=CONTENT_TYPES[name.rpartition(".")[2]])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def run_or_get_errors(action: Callable[[], object]) -> list[str]:
    """Run `action`. Return why it is refused, [] if it succeeds."""
    try:
        action()
    except Refused as refused:
        return refused.sentences
    return []


def run_or_show_errors(request: HttpRequest, action: Callable[[], object]) -> bool:
    """Run `action`. If it is refused, show the errors on the next page and return False."""
    errors = run_or_get_errors(action)
    for sentence in errors:
        messages.error(request, sentence)
    return not errors
