"""The preview of a study: every page of every stage, marked, and nothing of it is stored."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.study import world
from tests.study.desk import signed_in
from tests.study.test_study_design import study
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.planning import ready, studies
from webapp.study.preview import places

pytestmark = pytest.mark.django_db

OF_PEOPLE = [key for key, one in ready.all_ready().items() if not one.design.is_experiment]


def rows() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def show(client: Client, made: Study, **query: Any) -> HttpResponse:
    return client.get(reverse("study:study_preview", args=[made.code]), query, follow=True)


@pytest.mark.parametrize("key", OF_PEOPLE)
def test_every_page(key: str) -> None:
    ada = signed_in()
    made = studies.create(world.researcher() if False else __import__("django.contrib.auth.models", fromlist=["User"]).User.objects.get(username="ada"), "x", design=ready.get(key).design)
    before = rows()
    design = Design.of(made.design)
    for stop in [*places.stops(design), *places.exit_stops(design)]:
        t = time.monotonic()
        page = show(ada, made, to=stop.value)
        title = re.search(r"<title>(.*?)</title>", page.content.decode(), re.S)
        print(f"{time.monotonic() - t:.2f}", page.status_code, stop.value, stop.label, "|", unescape(re.sub(r"\s+", " ", title[1])) if title else "", len(page.redirect_chain[-1][0]) )
        assert page.status_code == 200, page.content.decode()
        assert "Nothing is stored" in page.content.decode()
    assert rows() == before
