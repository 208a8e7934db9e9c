"""Detected capabilities of the models' servers, in the database for every process."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError

from agents.llm.capabilities import InMemoryCapabilityStore
from webapp.play.models import BackendFacts
from webapp.play.turns.api_key_scrubbing import without_api_keys

logger = logging.getLogger(__name__)


class DatabaseCapabilityStore:
    """Capability store (`agents.llm.capabilities.CapabilityStore`) in the database.

    It stores in this process's memory if the database cannot be used.
    """

    def __init__(self) -> None:
        self._fallback_store = InMemoryCapabilityStore()

    def load(self, backend: str, model: str) -> dict[str, Any]:
        try:
            row = BackendFacts.objects.filter(backend=backend, model=model[:200]).first()
        except DatabaseError as error:  # the table is missing, or the disk is full
            logger.debug("what is known of %s can't be read: %s", backend, error)
            return self._fallback_store.load(backend, model)
        return dict(row.facts) if row else {}

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        try:
            BackendFacts.objects.update_or_create(
                backend=backend,
                model=model[:200],
                defaults={"facts": without_api_keys(dict(facts))},
            )
        except DatabaseError as error:
            logger.debug("what is known of %s can't be kept: %s", backend, error)
            self._fallback_store.save(backend, model, facts)
