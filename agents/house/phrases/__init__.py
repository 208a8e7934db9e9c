"""All phrases by the kind of move they put into words."""

from __future__ import annotations

from agents.house.phrases.claims import CLAIMS
from agents.house.phrases.courtesies import COURTESIES
from agents.house.phrases.doubts import DOUBTS
from agents.house.phrases.replies import REPLIES
from agents.house.phrases.table import TABLE

PHRASES: dict[str, tuple[str, ...]] = {**CLAIMS, **REPLIES, **TABLE, **DOUBTS, **COURTESIES}
