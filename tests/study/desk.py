"""Browsers of signed-in researchers."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

PASSWORD = "a long enough one"


def sign_in(name: str = "ada") -> Client:
    """Return a browser in which the researcher of that name is signed in."""
    user = User.objects.filter(username=name).first()
    client = Client()
    client.force_login(user or User.objects.create_user(name, password=PASSWORD))
    return client
