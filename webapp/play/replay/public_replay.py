"""The public replay of a finished game, and the preview that other sites show of it.

It has the public and the moderator's view. People's names are replaced by the names of their seats.
Agents' reasoning and requests are omitted, because names in free text cannot be replaced reliably.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.visibility import View, Viewer
from game.models import Game, Player
from webapp.play.page.ending import last_votes
from webapp.play.page.narrator import Narrator
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.replay.vote_picture import draw_votes
from webapp.play.visitors import Guest


class AnonymousGame(ReplayedGame):
    """A finished game as everyone may see it, with the names of seats in place of people's."""

    can_show_minds = False

    def __init__(self, game: Game) -> None:
        super().__init__(Guest(game, None))
        for player, name in zip(self.players, self._public_names, strict=True):
            player.name = name  # renames only these objects, which nothing saves

    def viewers(self) -> list[Viewer]:
        return [visibility.PUBLIC, visibility.MODERATOR]

    def viewer_of(self, key: str) -> Viewer | None:
        return next((viewer for viewer in self.viewers() if viewer.kind == key), None)

    def view(self, viewer: Viewer) -> View:
        events = super().view(viewer).events
        return visibility.extend_view(View(viewer), map(self._anonymize_event, events))

    def _anonymize_event(self, event: Event) -> Event:
        if event.kind == "game_opened":
            return replace(event, data={**event.data, "seats": self._public_names})
        if text := event.data.get("text"):
            return replace(event, data={**event.data, "text": self._rename(text)})
        return event

    @cached_property
    def _rename(self) -> Callable[[str], str]:
        return build_name_replacer(self._position.log[0]["seats"], self._public_names)

    @cached_property
    def _public_names(self) -> list[str]:
        """The name of each of `players`: of a person's seat, or of the agent."""
        seat_names = rulesets.get(self.game.ruleset).table_names
        return [
            seat_names[player.seat - 1] if player.kind == Player.PERSON else player.name
            for player in self.players
        ]


def build_preview(game: AnonymousGame) -> dict[str, str]:
    """Build the preview that other sites show of the link. It names the winner but no role."""
    view = game.view(visibility.MODERATOR)
    narrator = Narrator.of(view)
    _position, over = next(view.newest_events(["game_over"]))
    players = ngettext("{n} player", "{n} players", len(game.players)).format(n=len(game.players))
    return {
        "title": _("Replay: {title}").format(title=_(game.ruleset.title)),
        "text": f"{narrator.headline(over['winner'])} {players}.",
        # Screen readers read this in place of the picture.
        "picture_text": _("Each player’s vote in the last vote."),
    }


def draw_last_vote(game: AnonymousGame) -> bytes:
    """Return a PNG of the last vote.

    Of the players with most votes, those who went out are highlighted, or all if none did.
    """
    view = game.view(visibility.MODERATOR)
    ballots = [event for event in last_votes(view) if event.data.get("targets")]
    votes = {event["seat"]: event["targets"][0] for event in ballots}
    names = tuple(player.name for player in game.players)
    counts = Counter(votes.values())
    most_voted = {seat for seat, count in counts.items() if count == max(counts.values())}
    highlighted = frozenset(most_voted & set(view.state.out) or most_voted)
    preview = build_preview(game)
    return draw_votes(
        preview["title"], preview["text"], names, tuple(sorted(votes.items())), highlighted
    )
