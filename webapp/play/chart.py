"""The votes as a picture: everyone on the left, whom they voted for on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.page import Seat

ROW, WIDTH, LEFT, RIGHT, TOP = 34, 360, 110, 250, 20


def vote_chart(seats: Sequence[Seat], votes: Mapping[int, int]) -> SafeString:
    """An SVG of `votes` (voter seat -> target seat); its description says the same in words."""
    y = {seat.number: TOP + ROW * i for i, seat in enumerate(seats)}
    name = {seat.number: seat.name for seat in seats}
    counts = {n: sum(t == n for t in votes.values()) for n in y}
    most = max(counts.values(), default=0)
    lines = format_html_join(
        "",
        '<path class="vote-line{}" d="M{} {} C{} {} {} {} {} {}"/>',
        (
            (
                " vote-line-most" if counts[t] == most else "",
                LEFT + 8,
                y[v],
                LEFT + 70,
                y[v],
                RIGHT - 70,
                y[t],
                RIGHT - 8 - 2 * counts[t],
                y[t],
            )
            for v, t in votes.items()
        ),
    )
    voters = format_html_join(
        "",
        '<text class="vote-name" x="{}" y="{}" text-anchor="end">{}</text>'
        '<circle class="vote-dot" cx="{}" cy="{}" r="3"/>',
        ((LEFT - 6, y[n] + 5, name[n], LEFT + 4, y[n]) for n in y),
    )
    targets = format_html_join(
        "",
        '<circle class="vote-target{}" cx="{}" cy="{}" r="{}"/>'
        '<text class="vote-name" x="{}" y="{}">{}{}</text>',
        (
            (
                " vote-target-most" if counts[n] and counts[n] == most else "",
                RIGHT,
                y[n],
                3 + 2 * counts[n],
                RIGHT + 14 + counts[n],
                y[n] + 5,
                name[n],
                f" · {counts[n]}" if counts[n] else "",
            )
            for n in y
        ),
    )
    words = "; ".join(
        _("{voter} voted for {target}").format(voter=name[v], target=name[t])
        for v, t in votes.items()
    )
    title = ngettext("{count} vote", "{count} votes", len(votes)).format(count=len(votes))
    return format_html(
        '<svg class="vote-chart" viewBox="0 0 {} {}" role="img" aria-labelledby="vc-t vc-d">'
        '<title id="vc-t">{}</title><desc id="vc-d">{}</desc>{}{}{}</svg>',
        WIDTH,
        2 * TOP + ROW * (len(seats) - 1),
        title,
        words,
        lines,
        voters,
        targets,
    )
