"""The servers that receive the text of a study's games: those that computer players use."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from agents import backends, model_catalog
from webapp.study.design import conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design

USUAL_HOST = "api.openai.com"  # host of a backend without an address of its own


@dataclass(frozen=True)
class Recipient:
    """A backend and its server.

    Attributes:
        model, host: "" if the catalog of models does not have the backend any more.
        conditions: Names of the conditions in which it plays.
    """

    backend: str
    model: str
    host: str
    conditions: tuple[str, ...]


def backends_of(design: Design) -> dict[str, tuple[str, ...]]:
    """Return backend -> names of the conditions in which it plays, without built-in players."""
    cells_by_backend: dict[str, list[str]] = {}
    try:
        cells = conditions.build_conditions(design)
    except Refused:
        return {}
    for cell in cells:
        for name in sorted(cell.table.backend_names - {backends.HOUSE}):
            cells_by_backend.setdefault(name, []).append(cell.name)
    return {name: tuple(cells) for name, cells in sorted(cells_by_backend.items())}


def list_recipients(design: Design) -> list[Recipient]:
    """Return the recipients according to the catalog of models."""
    try:
        known_backends = model_catalog.settings()
    except model_catalog.BadCatalog:
        known_backends = {}
    recipient_list = []
    for name, cells in backends_of(design).items():
        settings = known_backends.get(name)
        host = (urlsplit(settings.url).hostname or USUAL_HOST) if settings else ""
        recipient_list.append(Recipient(name, settings.model if settings else "", host, cells))
    return recipient_list
