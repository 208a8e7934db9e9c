"""The votes as a picture: everyone on the left, whom they voted for on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.page.transcript_parts import Seat

ROW, WIDTH, LEFT, RIGHT, TOP = 34, 360, 110, 250, 20


class _Chart:
    """The layout of one chart."""

    def __init__(self, seats: Sequence[Seat], votes: Mapping[int, int]) -> None:
        self.votes = votes
        self.y = {seat.number: TOP + ROW * i for i, seat in enumerate(seats)}
        self.name = {seat.number: seat.name for seat in seats}
        self.counts = {n: sum(t == n for t in votes.values()) for n in self.y}
        self.most = max(self.counts.values(), default=0)

    def _mark(self, seat: int, css: str) -> str:
        return f" {css}" if self.counts[seat] and self.counts[seat] == self.most else ""

    def lines(self) -> SafeString:
        """A curve from every voter to the one voted for."""
        rows = []
        for voter, target in self.votes.items():
            end = RIGHT - 8 - 2 * self.counts[target]
            begin_y, end_y = self.y[voter], self.y[target]
            curve = (
                f"M{LEFT + 8} {begin_y} C{LEFT + 70} {begin_y} {RIGHT - 70} {end_y} {end} {end_y}"
            )
            rows.append((self._mark(target, "vote-line-most"), curve))
        return format_html_join("", '<path class="vote-line{}" d="{}"/>', rows)

    def voters(self) -> SafeString:
        return format_html_join(
            "",
            '<text class="vote-name" x="{}" y="{}" text-anchor="end">{}</text>'
            '<circle class="vote-dot" cx="{}" cy="{}" r="3"/>',
            ((LEFT - 6, y + 5, self.name[n], LEFT + 4, y) for n, y in self.y.items()),
        )

    def targets(self) -> SafeString:
        """Everyone once more, the larger the more votes they have."""
        rows = []
        for seat, y in self.y.items():
            count = self.counts[seat]
            mark_label = f"{self.name[seat]} · {count}" if count else self.name[seat]
            mark = self._mark(seat, "vote-target-most")
            rows.append((mark, RIGHT, y, 3 + 2 * count, RIGHT + 14 + count, y + 5, mark_label))
        return format_html_join(
            "",
            '<circle class="vote-target{}" cx="{}" cy="{}" r="{}"/>'
            '<text class="vote-name" x="{}" y="{}">{}</text>',
            rows,
        )

    def words(self) -> str:
        vote_text = _("{voter} voted for {target}")
        pairs = self.votes.items()
        return "; ".join(
            vote_text.format(voter=self.name[v], target=self.name[t]) for v, t in pairs
        )


def vote_chart(seats: Sequence[Seat], votes: Mapping[int, int]) -> SafeString:
    """An SVG of `votes` (voter seat -> target seat).

    Its description says the same in words.
    """
    chart = _Chart(seats, votes)
    return format_html(
        '<svg class="vote-chart" viewBox="0 0 {} {}" role="img" aria-labelledby="vc-t vc-d">'
        '<title id="vc-t">{}</title><desc id="vc-d">{}</desc>{}{}{}</svg>',
        WIDTH,
        2 * TOP + ROW * (len(seats) - 1),
        ngettext("{count} vote", "{count} votes", len(votes)).format(count=len(votes)),
        chart.words(),
        chart.lines(),
        chart.voters(),
        chart.targets(),
    )
