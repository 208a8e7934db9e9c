"""Draws a vote as a picture (PNG), which other sites show as the preview of a public replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

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


@lru_cache(maxsize=32)  # a few kilobytes each; sites that show a link load it several times
def draw_votes(
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
