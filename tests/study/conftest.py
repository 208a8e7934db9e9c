"""Researchers and their campaigns. Nobody is told that games changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from webapp.play import dispatch
from webapp.play.limits import Limit
from webapp.study.researcher import accounts

PASSWORD = "lamplight-and-paper"


@pytest.fixture(autouse=True)
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield


@pytest.fixture(autouse=True)
def _fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "attempts", Limit(10, 60))


@pytest.fixture
def researcher() -> Callable[[str], Client]:
    """A browser in which the researcher of a name is signed in."""

    def _researcher(name: str = "ada") -> Client:
        user = User.objects.filter(username=name).first()
        client = Client()
        client.force_login(user or User.objects.create_user(name, password=PASSWORD))
        return client

    return _researcher
