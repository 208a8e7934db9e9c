"""Responses with files that researchers download."""

from __future__ import annotations

from django.http import HttpResponse

# By the extension of a file's name.
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


def download(body: bytes | str, name: str) -> HttpResponse:
    """Return a response that the browser saves as a file. The name's extension gives the type."""
    response = HttpResponse(body, content_type=CONTENT_TYPES[name.rpartition(".")[2]])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
