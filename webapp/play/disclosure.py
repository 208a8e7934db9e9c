"""What a viewer may know of who is a person, beyond what the game tells (`engine.visibility`).

At a blind table nothing that anybody gets tells it, until the owner reveals it after the game. The
one place that asks whether a table is blind: every page, push and act asks here. (The labels of
answers are not here: `engine.visibility` takes them out of every view, the agents' included.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.engine import visibility
from game.engine.visibility import Viewer
from game.models import Game, Player

PERSON, COMPUTER, UNTOLD = "person", "computer", ""
_KINDS = {Player.PERSON: PERSON, Player.AGENT: COMPUTER}


@dataclass(frozen=True)
class Disclosure:
    """viewer: through whose eyes the game is looked at.

    What is told to everybody alike needs none.
    """

    game: Game
    viewer: Viewer = visibility.PUBLIC

    @property
    def says_blind(self) -> bool:
        """Whether the table says of itself that nobody learns who is a person."""
        return self.game.blind

    @property
    def onward(self) -> str:
        """The address from which the table is run, and to which its people go on.

        Returns "" where it is run from here. Such a table has no host, no chat, no invitation and
        nothing to look back at, and nobody moves their seat to another browser by a link of the
        table's.
        """
        table = getattr(self.game, "table", None)
        return table.onward if table else ""

    # -- of one player

    def kind_of(self, player: Player) -> str:
        """PERSON, COMPUTER, or UNTOLD."""
        return UNTOLD if self.says_blind else _KINDS.get(player.kind, UNTOLD)

    def erased(self, player: Player) -> bool:
        """Return whether it is told that the person took back all they had said."""
        return player.erased_at is not None and not self.says_blind

    def handed(self, player: Player) -> bool:
        """Return whether it is told that a computer player stands in for the person."""
        return self.may_tell_away and player.stand_in

    def left(self, player: Player) -> bool:
        """Return whether it is told that the person has left for good."""
        return self.may_tell_away and player.left_at is not None

    def always_writing(self, player: Player) -> bool:
        """Return whether the player is told to be writing as long as their statement is awaited.

        Computer players are; where it isn't told who they are everybody is.
        """
        return self.says_blind or not player.by_person

    def unhurried(self, player: Player) -> bool:
        """Whether nobody has to fear for the player's time, because a computer player answers."""
        return not player.by_person and not self.says_blind

    # -- of the table

    @property
    def may_tell_away(self) -> bool:
        """Whether it is told, while the game runs, who is away and for whom somebody stands in."""
        return not self.says_blind and not self.game.ended_at

    @property
    def may_tell_count(self) -> bool:
        """Whether it is told how many have answered.

        Computer players answer at once, so it would tell how many people there are.
        """
        return not self.says_blind

    @property
    def names_people(self) -> bool:
        """Whether people are told, and can be dealt with, by seat and name."""
        return not self.says_blind

    @property
    def shows_minds(self) -> bool:
        """Whether anything of computer players is shown that no person has: faces, personas."""
        return not self.says_blind

    @property
    def may_tell_host_away(self) -> bool:
        """Whether it is told that the host is away.

        Once a blind table plays, it would tell who is a person.
        """
        is_hidden = not (self.says_blind and self.game.started_at)
        return not self.game.ended_at and is_hidden and not self.onward

    @property
    def may_chat(self) -> bool:
        """Whether people may talk beside the game.

        While the table gathers, or once its game has ended, called off or not.
        """
        ended = self.game.ended_at is not None
        return not (self.says_blind or self.onward) and bool(self.game.started_at) == ended

    @property
    def may_change_pace(self) -> bool:
        """Whether the pace can be chosen without telling who keeps to it."""
        return not self.says_blind

    @property
    def may_reveal(self) -> bool:
        """Whether it is time to tell who was a person."""
        return self.says_blind and self.game.status == Game.OVER

    # -- of a finished game

    @property
    def usual_eyes(self) -> Viewer:
        """The viewer a replay starts with."""
        return self.viewer if self.says_blind else visibility.MODERATOR

    def may_look_as(self, viewer: Viewer) -> bool:
        """Return whether one may look back through these eyes: at a blind table only one's own."""
        return not self.says_blind or viewer in (visibility.PUBLIC, self.viewer)


def to_be_blind(settings: Mapping[str, Any] | None) -> bool:
    """Return whether a table that is opened with these settings will be a blind one."""
    return bool((settings or {}).get("blind"))
