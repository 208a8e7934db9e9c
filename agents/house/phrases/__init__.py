"""The house's phrases by the kind of move they put into words: those that name no role.

Those with a game's roles and figures in them stand with its pack; where it has none, a move is said
in the words of `plain`.
"""

from __future__ import annotations

from agents.house.phrases.courtesies import COURTESIES
from agents.house.phrases.doubts import DOUBTS
from agents.house.phrases.manners import MANNERS
from agents.house.phrases.notices import NOTICES
from agents.house.phrases.observations import TABLE
from agents.house.phrases.owed import OWED
from agents.house.phrases.replies import REPLIES
from agents.house.phrases.votes import VOTES

PHRASES: dict[str, tuple[str, ...]] = {
    **REPLIES,
    **OWED,
    **NOTICES,
    **TABLE,
    **DOUBTS,
    **MANNERS,
    **VOTES,
    **COURTESIES,
}
