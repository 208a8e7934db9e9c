"""The chart of a vote as inline SVG: a curve from each voter to their target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play.page.transcript_parts import Seat

# In units of the SVG.
WIDTH = 360
ROW_HEIGHT = 34
FIRST_ROW_Y = 20
VOTER_X, TARGET_X = 110, 250


def vote_chart(seats: Sequence[Seat], votes: Mapping[int, int]) -> SafeString:
    """Draw `votes` (voter's seat -> target's seat) as an SVG, with a text for screen readers."""
    chart = _Chart(seats, votes)
    return format_html(
        '<svg class="vote-chart" viewBox="0 0 {} {}" role="img" aria-labelledby="vc-t vc-d">'
        '<title id="vc-t">{}</title><desc id="vc-d">{}</desc>{}{}{}</svg>',
        WIDTH,
        2 * FIRST_ROW_Y + ROW_HEIGHT * (len(seats) - 1),
        ngettext("{count} vote", "{count} votes", len(votes)).format(count=len(votes)),
        chart.description(),
        chart.lines(),
        chart.voters(),
        chart.targets(),
    )


class _Chart:
    """The parts of one chart. The targets with most votes are highlighted."""

    def __init__(self, seats: Sequence[Seat], votes: Mapping[int, int]) -> None:
        self.targets_by_voter = votes
        self.y_by_seat = {seat.number: FIRST_ROW_Y + ROW_HEIGHT * i for i, seat in enumerate(seats)}
        self.names = {seat.number: seat.name for seat in seats}
        self.counts = {n: sum(t == n for t in votes.values()) for n in self.y_by_seat}
        self.most_votes = max(self.counts.values(), default=0)

    def _highlight(self, seat: int, css: str) -> str:
        return f" {css}" if self.counts[seat] and self.counts[seat] == self.most_votes else ""

    def lines(self) -> SafeString:
        """Return a curve from every voter to the target of the vote."""
        rows = []
        for voter, target in self.targets_by_voter.items():
            y, target_y = self.y_by_seat[voter], self.y_by_seat[target]
            start = f"M{VOTER_X + 8} {y} C{VOTER_X + 70} {y}"
            end_x = TARGET_X - 8 - 2 * self.counts[target]
            curve = f"{start} {TARGET_X - 70} {target_y} {end_x} {target_y}"
            rows.append((self._highlight(target, "vote-line-most"), curve))
        return format_html_join("", '<path class="vote-line{}" d="{}"/>', rows)

    def voters(self) -> SafeString:
        """Return the name and the dot of every voter."""
        rows = ((self.names[seat], y) for seat, y in self.y_by_seat.items())
        return format_html_join(
            "",
            '<text class="vote-name" x="{}" y="{}" text-anchor="end">{}</text>'
            '<circle class="vote-dot" cx="{}" cy="{}" r="3"/>',
            ((VOTER_X - 6, y + 5, name, VOTER_X + 4, y) for name, y in rows),
        )

    def targets(self) -> SafeString:
        """Return everyone as a target, larger with more votes."""
        rows = []
        for seat, y in self.y_by_seat.items():
            count = self.counts[seat]
            label = f"{self.names[seat]} · {count}" if count else self.names[seat]
            css = self._highlight(seat, "vote-target-most")
            rows.append((css, TARGET_X, y, 3 + 2 * count, TARGET_X + 14 + count, y + 5, label))
        return format_html_join(
            "",
            '<circle class="vote-target{}" cx="{}" cy="{}" r="{}"/>'
            '<text class="vote-name" x="{}" y="{}">{}</text>',
            rows,
        )

    def description(self) -> str:
        """Return the votes as text, for a screen reader."""
        vote_text = _("{voter} voted for {target}")
        pairs = self.targets_by_voter.items()
        return "; ".join(
            vote_text.format(voter=self.names[v], target=self.names[t]) for v, t in pairs
        )
