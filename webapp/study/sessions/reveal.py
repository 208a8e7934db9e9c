"""What a participant learns in the end of the games they sat in: the roles, and who was a person.

It is told to each at their own debriefing, when no game lies before them; that the others of a
game may still be asked about it is why nothing of it is on any page of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import role_of
from game.models import Game, Player
from webapp.play.narrator import Narrator
from webapp.study.design import Debriefing
from webapp.study.models import Participant, Seating
from webapp.study.sessions import places
from webapp.study.sessions.places import WAITING, Step


@dataclass(frozen=True)
class RevealedPlayer:
    """taken_over: a computer player answered for the person at some time."""

    name: str
    role: str
    role_key: str
    person: bool
    taken_over: bool
    me: bool


@dataclass(frozen=True)
class RevealedGame:
    """number: which of the participant's games; result: who won, in a sentence, or that nobody
    did."""

    number: int
    title: str
    result: str
    players: tuple[RevealedPlayer, ...]


def may_be_told(participant: Participant, step: Step) -> bool:
    """Whether the study reveals at this step, and no game comes after it."""
    stage = step.stage
    ahead = places.steps(participant)[step.index + 1 :]
    games = any(s.kind in (WAITING, "game") for s in ahead)
    return isinstance(stage, Debriefing) and stage.reveal and not games


def games_of(participant: Participant) -> list[RevealedGame]:
    """The games they sat in that are over, in the order in which they played."""
    sat = Seating.objects.filter(
        participant=participant,
        state__in=(Seating.SEATED, Seating.OUT),
        slot__game__ended_at__isnull=False,
    )
    rows = sat.select_related("slot__game").order_by("round", "pk")
    return [_revealed(n, row.slot.game, row.seat) for n, row in enumerate(rows, 1) if row.slot.game]


def _revealed(number: int, game: Game, mine: int) -> RevealedGame:
    state = selectors.Log(game).view(visibility.MODERATOR).state
    ruleset = rulesets.get(game.ruleset)
    players = []
    for player in game.players.order_by("seat"):
        role = role_of(ruleset, state.roles[player.seat])
        person = player.kind == Player.PERSON
        taken = person and (player.stand_in or player.left_at is not None)
        me = player.seat == mine
        players.append(RevealedPlayer(player.name, _(role.name), role.key, person, taken, me))
    names = [p.name for p in players]
    ended = Narrator(ruleset, names).headline(state.winner) if state.over else _("Called off")
    return RevealedGame(number, _(ruleset.title), ended, tuple(players))
