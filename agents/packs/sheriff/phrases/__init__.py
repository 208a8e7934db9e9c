"""The phrases of the game with a Sheriff, by kind of remark (`agents.house.phrasing`)."""

from __future__ import annotations

from agents.packs.sheriff.phrases.ballots import BALLOTS
from agents.packs.sheriff.phrases.claims import CLAIMS
from agents.packs.sheriff.phrases.nights import NIGHTS
from agents.packs.sheriff.phrases.office import OFFICE
from agents.packs.sheriff.phrases.seers import SEERS
from agents.packs.sheriff.phrases.visions import VISIONS

PHRASES: dict[str, tuple[str, ...]] = {
    **CLAIMS,
    **VISIONS,
    **SEERS,
    **NIGHTS,
    **BALLOTS,
    **OFFICE,
}
