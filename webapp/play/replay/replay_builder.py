"""Builds the page of the replay of a finished game.

A line is counted from 1 in the transcript of the present view. In this folder, fields named `at`
are such numbers.
"""

from dataclasses import dataclass
from itertools import dropwhile, takewhile

from django.urls import reverse
from django.utils.translation import gettext as _

from game.engine import visibility
from game.engine.events import Moment
from game.engine.visibility import Viewer
from webapp.play.error_pages import Link
from webapp.play.page.ending import VotesForSeat
from webapp.play.page.game_course import brief_text
from webapp.play.page.narrator import Narrator
from webapp.play.page.transcript_parts import Phase, Seat, TranscriptLine
from webapp.play.replay.mind_panels import build_minds_panel
from webapp.play.replay.text_export import line_text
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript
from webapp.play.replay_access import NoReplay, check_replayable
from webapp.play.visitors import Guest
from webapp.storable_text import read_number

LAST_CHAPTER = -1  # Stands for the end of the game, in place of a chapter's day.
_VOTE_RESULT_KINDS = ("moderator", "out")  # Kinds of the lines that show the result of votes.


def build_guest_replay(guest: Guest, view_key: str = "", at: str = "") -> "Replay":
    """Build the replay for a guest. The arguments and errors are those of `build_replay`."""
    check_replayable(guest.game)
    begin = Link(_("Go to the beginning"), reverse("replay", args=[guest.game.code]))
    return build_replay(ReplayedGame(guest), view_key, at, begin)


def build_replay(
    replayed: ReplayedGame, view_key: str, at: str, begin: Link | None = None
) -> "Replay":
    """Build the replay of a game that may be replayed, or raise NoReplay.

    Args:
        view_key: The view as in the address, "" for the default one.
        at: The line as in the address, "" for the first.
        begin: The link on an error page, None for the home page.
    """
    viewer = replayed.viewer_of(view_key) if view_key else replayed.disclosed.default_viewer
    if viewer is None:
        text = _("No player with this name was at this table. Choose another view.")
        raise NoReplay(404, _("View not found"), text, begin)
    if not replayed.disclosed.can_use_view(viewer):
        text = _("This table is blind. You can see what everyone saw, or what you saw yourself.")
        raise NoReplay(403, _("View not available"), text, begin)
    transcript = replayed.transcript_of(viewer)
    line = read_number(at or "1")
    if not 1 <= line <= transcript.line_count:
        text = _("Choose a line from 1 to {last}.").format(last=transcript.line_count)
        raise NoReplay(404, _("Line not found"), text, begin)
    return Replay(transcript.get_point(line))


@dataclass(frozen=True)
class ReplayViewer:
    key: str  # value in the address: "public", "moderator", or a seat's number
    name: str
    at: int  # the line that shows this viewer the present moment
    is_current: bool


@dataclass(frozen=True)
class Chapter:
    """A phase, a whole day or a deciding event to which the replay can jump."""

    title: str
    at: int
    is_current: bool


class Replay:
    """A finished game at line `at` of `last`, from one view."""

    def __init__(self, point: ReplayPoint) -> None:
        line, state, narrator = point.line, point.view.state, Narrator.of(point.view)
        replayed, transcript, seats = point.replayed, point.transcript, point.seats
        self.code, self.ruleset_title = replayed.game.code, _(replayed.ruleset.title)
        self.view_key = viewer_key(transcript.viewer)
        # None: the view is the public or the all-knowing one.
        self.viewer_seat = seats.get(transcript.viewer.seat)
        self.at, self.last = point.line_number, transcript.line_count
        self.previous, self.next = (
            max(1, point.line_number - 1),
            min(transcript.line_count, point.line_number + 1),
        )
        text = _("Line {at} of {last}. {words}")  # screen readers announce this
        self.announcement = text.format(at=self.at, last=self.last, words=line_text(line))
        is_night, icon = narrator.is_night(state.phase), narrator.phase_icon(state.phase)
        title = narrator.present_title(state)
        self.phase = Phase(state.phase, title, is_night=is_night, icon=icon)
        self.seats = list(seats.values())
        self.entries = transcript.entries[: point.line_number]
        self.views = _build_viewers(point)
        self.days, self.chapters = _build_chapters(point)
        # (seat, window) of the present line's statement.
        self.statement_key = point.answer_key if line.kind == "statement" else (0, "")
        self.minds = build_minds_panel(point)
        self.tally = _build_tally(point)  # the votes, while they are shown
        self.seats_out = [line.speaker.number] if line.kind == "out" and line.speaker else []


def _build_tally(point: ReplayPoint) -> list[VotesForSeat]:
    """Build the votes of the ballot that the present line belongs to or is a result of."""
    transcript, seats = point.transcript, point.seats
    newest = reversed(transcript.entries[: point.line_number])
    before = dropwhile(lambda line: line.kind in _VOTE_RESULT_KINDS, newest)
    votes = list(takewhile(lambda line: line.kind == "vote", before))[::-1]
    windows = [transcript.view.events[vote.position - 1]["window"] for vote in votes]
    votes = [vote for vote, window in zip(votes, windows, strict=True) if window == windows[-1]]
    votes_by_target: dict[int, list[tuple[int, Seat]]] = {}
    for order, vote in enumerate(votes):
        if vote.speaker:
            target = vote.target.number if vote.target else 0
            votes_by_target.setdefault(target, []).append((order, seats[vote.speaker.number]))
    return [
        VotesForSeat(seats.get(number), votes_by_target[number])
        for number in sorted(votes_by_target, key=lambda seat: (seat == 0, seat))
    ]


def viewer_key(viewer: Viewer) -> str:
    """Return the viewer's key in an address, which `ReplayedGame.viewer_of` parses."""
    return str(viewer.seat) if viewer.seat else viewer.kind


def _build_viewers(point: ReplayPoint) -> list[ReplayViewer]:
    """Build the views that the guest may use, each with its line at the present point."""
    replayed, transcript = point.replayed, point.transcript
    position = replayed.log_positions(transcript.viewer)[point.line.position - 1]
    viewer_names = {visibility.PUBLIC: _("Everyone"), visibility.MODERATOR: _("All-knowing")}
    views = []
    for viewer in replayed.viewers():
        name = viewer_names.get(viewer) or point.seats[viewer.seat].name
        is_current = viewer == transcript.viewer
        same_line = replayed.transcript_of(viewer).find_line_by_log_position(position)
        at = point.line_number if is_current else same_line
        views.append(ReplayViewer(viewer_key(viewer), name, at, is_current))
    return views


def _build_chapters(point: ReplayPoint) -> tuple[list[Chapter], list[Chapter]]:
    """Return the chapters for (the days and the end, the parts of the present day).

    A game of a single day has all its chapters in the second list.
    """
    transcript = point.transcript
    chapter_lines = {at: line for at, line in enumerate(transcript.entries, 1) if line.is_chapter}
    days = {
        at: LAST_CHAPTER if line.kind == "over" else transcript.day_of(line)
        for at, line in chapter_lines.items()
    }
    has_several_days = len({*days.values()} - {0, LAST_CHAPTER}) > 1
    titles = {
        at: _chapter_title(transcript, line, has_several_days) for at, line in chapter_lines.items()
    }
    if not has_several_days:
        return [], _mark_present_chapter(titles, point.line_number)
    first_line_by_day: dict[int, int] = {}
    for at, day in days.items():
        first_line_by_day.setdefault(day, at)
    name = _("Day {number}")
    edge_titles = {0: _("The beginning"), LAST_CHAPTER: titles[max(titles)]}
    day_titles = {
        at: edge_titles.get(day) or name.format(number=day) for day, at in first_line_by_day.items()
    }
    begun_days = (day for at, day in days.items() if at <= point.line_number)
    present_day = max(begun_days, default=next(iter(first_line_by_day)))
    titles_of_day = {at: title for at, title in titles.items() if days[at] == present_day}
    day_chapters = _mark_present_chapter(day_titles, point.line_number)
    return day_chapters, _mark_present_chapter(titles_of_day, point.line_number)


def _chapter_title(
    transcript: ViewerTranscript, line: TranscriptLine, has_several_days: bool
) -> str:
    """Return a chapter's title. In a game of several days a phase has its short name."""
    event, narrator = transcript.view.events[line.position - 1], Narrator.of(transcript.view)
    if line.kind == "over":
        return line.title or _("The end")
    if line.kind != "phase":
        return brief_text(narrator, event)
    when = Moment(day=event["day"], phase=event["phase"], round=event["round"])
    return (has_several_days and narrator.step_name(when.phase, when)) or line.title


def _mark_present_chapter(titles: dict[int, str], now: int) -> list[Chapter]:
    """Build chapters from line -> title. The present one is the last that has begun at `now`."""
    present = max((at for at in titles if at <= now), default=0)
    return [Chapter(title, at, at == present) for at, title in titles.items()]
