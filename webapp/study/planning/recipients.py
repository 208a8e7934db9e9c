"""Who gets the words of a study's games: the servers that its computer players ask."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from agents import backends, catalog
from webapp.study.design import conditions
from webapp.study.design.stages import Design
from webapp.study.design.value_checks import Refused

USUAL_HOST = "api.openai.com"  # where a backend names no address of its own


@dataclass(frozen=True)
class Recipient:
    """One backend.

    model, host: "" where the catalog of models no longer has it; conditions: the names of those in
    which it plays.
    """

    backend: str
    model: str
    host: str
    conditions: tuple[str, ...]


def backends_of(design: Design) -> dict[str, tuple[str, ...]]:
    """Backend -> the conditions that it plays in.

    The built-in players are no recipient.
    """
    found: dict[str, list[str]] = {}
    try:
        cells = conditions.conditions(design)
    except Refused:
        return {}
    for cell in cells:
        table = cell.table
        asked = {table.backend} | {str(c.get("backend") or "") for c in table.casting.values()}
        for name in sorted(asked - {"", backends.HOUSE}):
            found.setdefault(name, []).append(cell.name)
    return {name: tuple(cells) for name, cells in sorted(found.items())}


def recipients(design: Design) -> list[Recipient]:
    """The recipients, as the catalog of models has them now."""
    try:
        known = catalog.settings()
    except catalog.BadCatalog:
        known = {}
    found = []
    for name, cells in backends_of(design).items():
        settings = known.get(name)
        host = (urlsplit(settings.url).hostname or USUAL_HOST) if settings else ""
        found.append(Recipient(name, settings.model if settings else "", host, cells))
    return found
