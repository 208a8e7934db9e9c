"""Pages of studies as text, and addresses of the researcher pages."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from webapp.study.models import Study


def html_of(response: HttpResponse) -> str:
    return response.content.decode()


def text_of(response: HttpResponse) -> str:
    """Return the text of a page without tags and with single spaces."""
    text = re.sub(r"<[^>]+>", " ", html_of(response))
    return " ".join(unescape(text).split())


def page_url(name: str, study: Study, *more: Any) -> str:
    return reverse(f"study:{name}", args=[study.code, *more])


def unescaped_html(page: HttpResponse) -> str:
    return unescape(re.sub(r"\s+", " ", page.content.decode()))


def post_and_follow(client: Client, study: Study, name: str, **form: str) -> str:
    """Return the page after a post."""
    response = client.post(reverse(f"study:{name}", args=[study.code]), form, follow=True)
    return unescape(response.content.decode())
