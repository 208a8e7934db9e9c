"""What a campaign compares: games, or speakers within games."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from game.models import Game
from webapp.study.games.public_talk import MIXED, PERSON, SpeakerSystem
from webapp.study.games.seat_outcomes import get_seat_outcomes

COMPARE_GAMES, KIND, METHOD, ROLE, TEAM = "game", "kind", "method", "role", "team"
COMPARISON_LABELS = {
    COMPARE_GAMES: gettext_lazy("games, by their condition"),
    KIND: gettext_lazy("participants with computer players, within the games"),
    METHOD: gettext_lazy("model and method, within the games"),
    ROLE: gettext_lazy("roles, within the games"),
    TEAM: gettext_lazy("teams, within the games"),
}
COMPARISONS = tuple(COMPARISON_LABELS)
MAX_CONDITION_CHARS = 60  # length of the column in the database
# Comparisons that reveal who is a person at a blind table.
REVEALING_KEYS = (KIND, METHOD)


def condition_of_seat(compare: str, game: Game, seat: int, kind: str, system: SpeakerSystem) -> str:
    """Return the condition of a seat's statement, or of the seat over a whole game.

    The condition is "" if a person and a computer player both spoke for the seat. `kind` says who
    spoke.
    """
    if compare in (ROLE, TEAM):
        seat_outcome = get_seat_outcomes(game)[seat - 1]
        return seat_outcome.role if compare == ROLE else seat_outcome.team
    if kind == MIXED:
        return ""
    return kind if compare == KIND or kind == PERSON else " ".join(system)[:MAX_CONDITION_CHARS]
