"""Stores the detected capabilities of model servers in the database, for all processes."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.db import DatabaseError

from agents.llm.capabilities import CapabilityStore
from webapp.play.models import BackendFacts
from webapp.play.turns.agent_records import without_api_keys

logger = logging.getLogger(__name__)

MAX_MODEL_CHARS = 200  # The length of the column `BackendFacts.model`.


class DatabaseCapabilityStore(CapabilityStore):
    """Storage in the database, with this process's memory as the fallback."""

    def load(self, backend: str, model: str) -> dict[str, Any]:
        try:
            key = {"backend": backend, "model": model[:MAX_MODEL_CHARS]}
            row = BackendFacts.objects.filter(**key).first()
        except DatabaseError as error:  # the table is missing, or the disk is full
            logger.debug("can't read capabilities of %s: %s", backend, error)
            return super().load(backend, model)
        return dict(row.facts) if row else {}

    def save(self, backend: str, model: str, facts: Mapping[str, Any]) -> None:
        try:
            BackendFacts.objects.update_or_create(
                backend=backend,
                model=model[:MAX_MODEL_CHARS],
                defaults={"facts": without_api_keys(dict(facts))},
            )
        except DatabaseError as error:
            logger.debug("can't store capabilities of %s: %s", backend, error)
            super().save(backend, model, facts)
