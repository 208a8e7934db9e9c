"""The public replay of a finished game, and the preview that other sites show of it.

It has the public and the moderator's view. People's names are replaced by the names of their seats.
Agents' reasoning and requests are omitted, because names in free text cannot be replaced reliably.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from PIL import Image, ImageDraw, ImageFont

from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.visibility import View, Viewer
from game.models import Game, Player
from webapp.play.page.ending import last_votes
from webapp.play.page.narrator import Narrator
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest

WIDTH, HEIGHT = 1200, 630  # other sites show this size without cropping
SCALE = 2  # the picture is drawn larger and scaled down, for smooth lines
LEFT, RIGHT, TOP, BOTTOM = 380, 820, 190, 590  # the area of the votes, in pixels
CURVE_POINTS = 40  # the polygon that approximates a curve has one point more
# The colours of static/css/tokens.css by day.
PAPER, INK, SOFT, EDGE, LAMP = "#f4ead7", "#261d14", "#65553f", "#8f7a58", "#8a4a08"
_FONTS = Path(settings.BASE_DIR) / "static" / "vendor"
_SERIF = _FONTS / "fraunces" / "fraunces-latin-opsz-normal.woff2"
_SANS = _FONTS / "source-sans-3" / "source-sans-3-latin-wght-normal.woff2"
Point = tuple[float, float]
Votes = tuple[tuple[int, int], ...]  # (voter, target)


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
        return build_name_replacer(self._cached_game.log[0]["seats"], self._public_names)

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
    return _draw_votes(
        preview["title"], preview["text"], names, tuple(sorted(votes.items())), highlighted
    )


@lru_cache(maxsize=32)  # a few kilobytes each; sites that show a link load it several times
def _draw_votes(
    title: str, text: str, names: tuple[str, ...], votes: Votes, highlighted: frozenset[int]
) -> bytes:
    """Return a PNG of a vote, with a line from each voter to the target.

    The votes for the seats `highlighted` are highlighted. `names` are in seat order.
    """
    picture = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), PAPER)
    draw = ImageDraw.Draw(picture)
    _write(draw, (60, 70), "Fabula", 34, LAMP, serif=True)
    _write(draw, (60, 112), title, 46, INK, serif=True)
    _write(draw, (WIDTH - 60, 76), text, 26, SOFT, anchor="rm")
    step = (BOTTOM - TOP) / max(len(names) - 1, 1)
    rows = {seat: TOP + step * (seat - 1) for seat in range(1, len(names) + 1)}
    counts = Counter(target for _voter, target in votes)
    for voter, target in sorted(votes, key=lambda vote: vote[1] in highlighted):
        is_highlighted = target in highlighted
        line = _curve((LEFT, rows[voter]), (RIGHT, rows[target]))
        width = (5 if is_highlighted else 3) * SCALE
        draw.line(line, LAMP if is_highlighted else EDGE, width, joint="curve")
    size = min(28, int(step * 0.8))
    for seat, name in enumerate(names, 1):
        colour = LAMP if seat in highlighted else INK
        _dot(draw, (LEFT, rows[seat]), 5, EDGE)
        _write(draw, (LEFT - 22, rows[seat]), name, size, INK, anchor="rm")
        _dot(draw, (RIGHT, rows[seat]), 5 + 2 * counts[seat], LAMP if seat in highlighted else EDGE)
        label = f"{name} · {counts[seat]}" if counts[seat] else name
        _write(draw, (RIGHT + 30 + 2 * counts[seat], rows[seat]), label, size, colour)
    file = BytesIO()
    picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()


def _curve(start: Point, end: Point) -> Sequence[Point]:
    """Return the points of a Bézier curve that leaves and arrives horizontally."""
    middle = (start[0] + end[0]) / 2
    corners = (start, (middle, start[1]), (middle, end[1]), end)
    points = []
    for number in range(CURVE_POINTS + 1):
        t = number / CURVE_POINTS
        shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
        x, y = (sum(s * c[axis] for s, c in zip(shares, corners, strict=True)) for axis in (0, 1))
        points.append((x * SCALE, y * SCALE))
    return points


def _dot(draw: ImageDraw.ImageDraw, at: Point, radius: float, colour: str) -> None:
    x, y = at
    box = (x - radius, y - radius, x + radius, y + radius)
    draw.ellipse([side * SCALE for side in box], colour)


def _write(
    draw: ImageDraw.ImageDraw,
    at: Point,
    text: str,
    size: float,
    colour: str,
    *,
    anchor: str = "lm",
    serif: bool = False,
) -> None:
    point = at[0] * SCALE, at[1] * SCALE
    draw.text(point, text, colour, _font(size * SCALE, serif=serif), anchor=anchor)


@lru_cache(maxsize=16)  # a font file takes 50 ms to unpack
def _font(size: float, *, serif: bool) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(_SERIF if serif else _SANS, size)
    font.set_variation_by_axes([48, 500] if serif else [480])  # optical size, weight
    return font
