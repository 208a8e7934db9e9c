"""The one-night game's phrases, by the kind of remark they express (`agents.house.phrasing`)."""

from __future__ import annotations

from agents.packs.one_night.phrases.claims import CLAIMS
from agents.packs.one_night.phrases.courtesies import COURTESIES
from agents.packs.one_night.phrases.doubts import DOUBTS
from agents.packs.one_night.phrases.observations import TABLE
from agents.packs.one_night.phrases.replies import REPLIES
from agents.packs.one_night.phrases.seers import SEERS
from agents.packs.one_night.phrases.visions import VISIONS

PHRASES: dict[str, tuple[str, ...]] = {
    **CLAIMS,
    **VISIONS,
    **REPLIES,
    **SEERS,
    **TABLE,
    **DOUBTS,
    **COURTESIES,
}
