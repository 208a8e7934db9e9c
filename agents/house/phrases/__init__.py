"""All phrases by the kind of move they put into words."""

from __future__ import annotations

from agents.house.phrases.claims import CLAIMS
from agents.house.phrases.courtesies import COURTESIES
from agents.house.phrases.doubts import DOUBTS
from agents.house.phrases.manners import MANNERS
from agents.house.phrases.notices import NOTICES
from agents.house.phrases.replies import REPLIES
from agents.house.phrases.seers import SEERS
from agents.house.phrases.table import TABLE
from agents.house.phrases.visions import VISIONS
from agents.house.phrases.votes import VOTES

PHRASES: dict[str, tuple[str, ...]] = {
    **CLAIMS,
    **VISIONS,
    **REPLIES,
    **NOTICES,
    **SEERS,
    **TABLE,
    **DOUBTS,
    **MANNERS,
    **VOTES,
    **COURTESIES,
}
