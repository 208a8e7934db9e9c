"""Limits what a viewer learns about who is a person, beyond the game's rules.

(`engine.visibility` has those rules.) At a blind table nothing reveals it to anybody, until the
owner reveals it after the game. This is the only module that checks whether a table is blind: every
page, push and act uses it. Labels of answers are not handled here: `engine.visibility` removes them
from every view, the agents' included.
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
    """The disclosure rules of one game, for one viewer.

    viewer: not needed for rules that are the same for everybody.
    """

    game: Game
    viewer: Viewer = visibility.PUBLIC

    @property
    def says_blind(self) -> bool:
        """Whether the table is shown as blind: nobody learns who is a person."""
        return self.game.blind

    @property
    def onward(self) -> str:
        """The address of the app that runs the table, to which its people return. "" for none.

        A table that another app runs has no host, no chat, no invitation and no replay. No link of
        the table moves a seat to another browser.
        """
        table = getattr(self.game, "table", None)
        return table.onward if table else ""

    # -- of one player

    def kind_of(self, player: Player) -> str:
        """PERSON, COMPUTER, or UNTOLD."""
        return UNTOLD if self.says_blind else _KINDS.get(player.kind, UNTOLD)

    def is_erased(self, player: Player) -> bool:
        """Return whether pages may show that the person withdrew all their statements."""
        return player.erased_at is not None and not self.says_blind

    def has_stand_in(self, player: Player) -> bool:
        """Return whether pages may show that a computer player stands in for the person."""
        return self.may_tell_away and player.stand_in

    def has_left(self, player: Player) -> bool:
        """Return whether pages may show that the person has left for good."""
        return self.may_tell_away and player.left_at is not None

    def always_writing(self, player: Player) -> bool:
        """Return whether the player is shown as writing while their statement is awaited.

        Computer players are. At a blind table everybody is.
        """
        return self.says_blind or not player.by_person

    def unhurried(self, player: Player) -> bool:
        """Return whether the player's deadline need not be shown: a computer player answers."""
        return not player.by_person and not self.says_blind

    # -- of the table

    @property
    def may_tell_away(self) -> bool:
        """Whether the running game shows who is away and who has a stand-in."""
        return not self.says_blind and not self.game.ended_at

    @property
    def may_tell_count(self) -> bool:
        """Whether the number of answers is shown.

        Computer players answer at once, so it would reveal how many people there are.
        """
        return not self.says_blind

    @property
    def names_people(self) -> bool:
        """Whether people are shown as such, and acts can name their seat."""
        return not self.says_blind

    @property
    def shows_minds(self) -> bool:
        """Whether features that only computer players have are shown: faces, personas."""
        return not self.says_blind

    @property
    def may_tell_host_away(self) -> bool:
        """Whether pages may show that the host is away.

        During the game of a blind table it would reveal who is a person.
        """
        is_hidden = not (self.says_blind and self.game.started_at)
        return not self.game.ended_at and is_hidden and not self.onward

    @property
    def may_chat(self) -> bool:
        """Whether people may chat: before the game, and after it has ended or was called off."""
        ended = self.game.ended_at is not None
        return not (self.says_blind or self.onward) and bool(self.game.started_at) == ended

    @property
    def may_change_pace(self) -> bool:
        """Whether the pace can be chosen without revealing whose statements follow it."""
        return not self.says_blind

    @property
    def may_reveal(self) -> bool:
        """Whether the owner may now reveal who was a person."""
        return self.says_blind and self.game.status == Game.OVER

    # -- of a finished game

    @property
    def may_publish(self) -> bool:
        """Whether its people may agree to show the replay to everybody.

        Not at a table that was opened as blind, even if it was revealed since, and not of a game
        that research may use.
        """
        table = getattr(self.game, "table", None)
        is_private = self.game.settings.get("blind") or table is None or table.research
        return self.game.status == Game.OVER and not (is_private or self.onward)

    @property
    def usual_eyes(self) -> Viewer:
        """The viewer a replay starts with."""
        return self.viewer if self.says_blind else visibility.MODERATOR

    def may_look_as(self, viewer: Viewer) -> bool:
        """Return whether the replay may use this view. At a blind table only the guest's own."""
        return not self.says_blind or viewer in (visibility.PUBLIC, self.viewer)


def to_be_blind(settings: Mapping[str, Any] | None) -> bool:
    """Return whether a table opened with these settings will be blind."""
    return bool((settings or {}).get("blind"))
