"""Checks that templates look up only what their objects have.

Django renders a missing attribute as an empty text, so a template that was forgotten when a field
was renamed shows a wrong page, and no error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.forms import BaseForm, Field, Widget
from django.http import HttpRequest
from django.template.base import Variable, VariableDoesNotExist
from django.template.context import BaseContext

# Objects that may lack what a template looks up.
OPEN_TYPES = (BaseContext, Mapping, str, type(None), HttpRequest, BaseForm, Field, Widget)
# Templates that several kinds of objects share.
SHARED_LOOKUPS = {"page.next_game", "page.owner_address", "plan.rules"}


@contextmanager
def checked_template_lookups() -> Iterator[None]:
    """Fail at the end of the block if a template has looked up a missing attribute."""
    missing: set[str] = set()
    resolve = Variable._resolve_lookup

    def resolve_and_record(variable: Variable, context: Any) -> Any:
        try:
            return resolve(variable, context)
        except VariableDoesNotExist as error:
            _name, owner = error.params
            if not isinstance(owner, OPEN_TYPES) and variable.var not in SHARED_LOOKUPS:
                missing.add(f"{context.template.name}: {variable.var} of {type(owner).__name__}")
            raise

    with patch.object(Variable, "_resolve_lookup", resolve_and_record):
        yield
    assert not missing
