"""Decides what pages may reveal about who is a person. `engine.visibility` covers the rest.

A blind table hides it from everyone until the host reveals it after the game. Pages, pushes and
actions use this module instead of the column `Game.blind`. Labels of answers, which would reveal it
too, are removed by `engine.visibility`, from the agents' views as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.engine import visibility
from game.engine.visibility import Viewer
from game.models import Game, Player

PERSON, COMPUTER, UNKNOWN = "person", "computer", ""
_KINDS = {Player.PERSON: PERSON, Player.AGENT: COMPUTER}


@dataclass(frozen=True)
class Disclosure:
    """The disclosure rules of one game, for one viewer."""

    game: Game
    viewer: Viewer = visibility.PUBLIC  # only the rules of the replay depend on it

    @property
    def is_blind(self) -> bool:
        """Whether the table is blind: no page reveals who is a person."""
        return self.game.blind

    @property
    def owner_address(self) -> str:
        """The address at which people continue if another app, the owner, runs the table, else "".

        A table with an owner has no host, no chat, no invitation, no replay and no private links of
        its seats.
        """
        table = getattr(self.game, "table", None)
        return table.onward if table else ""

    # -- one player

    def kind_of(self, player: Player) -> str:
        """Return PERSON, COMPUTER, or UNKNOWN at a blind table."""
        return UNKNOWN if self.is_blind else _KINDS.get(player.kind, UNKNOWN)

    def is_erased(self, player: Player) -> bool:
        """Return whether pages may show that the person withdrew all their statements."""
        return player.erased_at is not None and not self.is_blind

    def has_stand_in(self, player: Player) -> bool:
        """Return whether pages may show that a computer player stands in for the person."""
        return self.can_show_away and player.stand_in

    def has_left(self, player: Player) -> bool:
        """Return whether pages may show that the person has left for good."""
        return self.can_show_away and player.left_at is not None

    def is_shown_writing(self, player: Player) -> bool:
        """Return whether the player is shown as writing while their statement is awaited."""
        return self.is_blind or not player.is_person_now

    def can_show_deadline(self, player: Player) -> bool:
        """Return whether pages show the player's deadline: not while a computer player answers.

        At a blind table they always do, because a missing deadline would reveal who is a person.
        """
        return player.is_person_now or self.is_blind

    # -- the table

    @property
    def can_show_away(self) -> bool:
        """Whether the running game shows who is away and who has a stand-in."""
        return not self.is_blind and not self.game.ended_at

    @property
    def can_name_people(self) -> bool:
        """Whether people are shown as such, and actions can name their seat."""
        return not self.is_blind

    can_show_agent_traits = can_name_people  # what only agents have: faces, personas, minds
    # Computer players answer at once, so the number would reveal how many people there are.
    can_show_answer_count = can_name_people
    can_change_pace = can_name_people  # a change would reveal whose statements follow the pace

    @property
    def can_show_host_away(self) -> bool:
        """Whether pages may show that the host is away.

        During the game of a blind table it would reveal who is a person.
        """
        has_begun_blind = self.is_blind and self.game.started_at
        return not (self.game.ended_at or has_begun_blind or self.owner_address)

    @property
    def can_chat(self) -> bool:
        """Whether people may chat: before the game, and after it has ended.

        A table that was called off in its lobby has ended without having started: it has no chat.
        """
        is_before_or_after = bool(self.game.started_at) == bool(self.game.ended_at)
        return is_before_or_after and not (self.is_blind or self.owner_address)

    @property
    def can_reveal(self) -> bool:
        """Whether the host may now reveal who was a person."""
        return self.is_blind and self.game.status == Game.OVER

    # -- a finished game

    @property
    def can_publish(self) -> bool:
        """Whether the game's people may agree to a public replay.

        They may not if the table was opened as blind, even if it was revealed since, or if research
        may use the game.
        """
        table = getattr(self.game, "table", None)
        is_private = self.game.settings.get("blind") or table is None or table.research
        return self.game.status == Game.OVER and not (is_private or self.owner_address)

    @property
    def default_viewer(self) -> Viewer:
        return self.viewer if self.is_blind else visibility.MODERATOR

    def can_use_view(self, viewer: Viewer) -> bool:
        """Return whether the replay may use this view: at a blind table, public or own."""
        return not self.is_blind or viewer in (visibility.PUBLIC, self.viewer)


def will_be_blind(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("blind"))
