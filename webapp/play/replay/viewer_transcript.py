"""The transcripts of a finished game, as its viewers may see them, and the points in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from django.utils.translation import get_language

from game import cached_games
from game.engine import rulesets, visibility
from game.engine.events import Event
from game.engine.visibility import View, Viewer
from game.models import Player
from webapp.play.disclosure import Disclosure
from webapp.play.page.narrator import role_name
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine
from webapp.play.replay.moderator_lines import ModeratorLines
from webapp.play.visitors import Guest

CACHE_SIZE = 48  # cached transcripts; the replay of thirteen players needs fifteen


class ReplayedGame:
    """A finished game for one guest: its log, its players, and the transcript of each viewer."""

    can_show_minds = True

    def __init__(self, guest: Guest) -> None:
        self.guest, self.game = guest, guest.game
        self.disclosed = Disclosure(guest.game, guest.viewer)
        self.ruleset = rulesets.get(guest.game.ruleset)
        self.players = list(Player.objects.filter(game=guest.game))
        self._cached_game = cached_games.cached_game(guest.game)
        self._full_view = self.view(visibility.MODERATOR)
        self._transcripts: dict[Viewer, ViewerTranscript] = {}

    @property
    def dealt_roles(self) -> Mapping[int, str]:
        """Each seat's dealt role. Not every viewer may see it."""
        return self._full_view.state.roles

    def view(self, viewer: Viewer) -> View:
        return self._cached_game.view(viewer)

    def viewer_of(self, key: str) -> Viewer | None:
        """Return the viewer with that `key` in an address, None if there is none."""
        if key in (visibility.PUBLIC.kind, visibility.MODERATOR.kind):
            return Viewer(key)
        numbers = {str(p.seat): p.seat for p in self.players}
        return visibility.seat(numbers[key]) if key in numbers else None

    def viewers(self) -> list[Viewer]:
        """Return the viewers whose views the guest may use."""
        own_views = [visibility.seat(player.seat) for player in self.players]
        viewers = [visibility.PUBLIC, visibility.MODERATOR, *own_views]
        return [viewer for viewer in viewers if self.disclosed.can_use_view(viewer)]

    def transcript_of(self, viewer: Viewer) -> "ViewerTranscript":
        """Return the game as `viewer` sees it, built on first use."""
        if viewer not in self._transcripts:
            self._transcripts[viewer] = ViewerTranscript(self, viewer, self.view(viewer))
        return self._transcripts[viewer]

    def log_positions(self, viewer: Viewer) -> list[int]:
        """Return the positions of the viewer's events in the whole log.

        No page may show them, because gaps would reveal hidden events.
        """
        all_events = enumerate(self._full_view.events, 1)
        return [position for position, event in all_events if viewer.can_see(event.audience)]

    def seats_in(self, view: View, speaking_seat: int = 0) -> dict[int, Seat]:
        return {
            p.seat: self._seat(p, view, is_speaking=p.seat == speaking_seat) for p in self.players
        }

    def _seat(self, player: Player, view: View, *, is_speaking: bool) -> Seat:
        role = view.state.roles.get(player.seat, "")
        return Seat(
            number=player.seat,
            name=player.name,
            portrait=player.portrait_path,
            is_me=bool(self.guest.player and self.guest.player.seat == player.seat),
            is_out=player.seat in view.state.out,
            role=role_name(self.ruleset.name, role),
            role_key=role,
            kind=self.disclosed.kind_of(player),
            is_speaking=is_speaking,
            is_erased=self.disclosed.is_erased(player),
        )


@dataclass(frozen=True)
class _CachedLines:
    """The builder of a transcript, hashed and compared by its key alone.

    The key may hold the `id` of the view: the cache keeps `lines`, and with it the view, alive, so
    that no other view can get this id.
    """

    key: object
    lines: TranscriptLines = field(compare=False)


@lru_cache(maxsize=CACHE_SIZE)
def _build_entries(cached: _CachedLines) -> list[TranscriptLine]:
    return cached.lines.entries()


class ViewerTranscript:
    """The game's lines as one viewer sees them."""

    def __init__(self, replayed: ReplayedGame, viewer: Viewer, view: View) -> None:
        self.replayed, self.viewer, self.view = replayed, viewer, view

    @cached_property
    def entries(self) -> list[TranscriptLine]:
        """The lines. They are cached: each page of a replay needs those of all its viewers."""
        seats = self.replayed.seats_in(self.view)
        agents = frozenset(p.seat for p in self.replayed.players if p.kind == Player.AGENT)
        lines = TranscriptLines(self.view, seats)
        if self.viewer == visibility.MODERATOR:
            lines = ModeratorLines(self.view, seats, polled=agents)
        key = (id(self.view), agents, tuple(seats.values()), get_language())
        return _build_entries(_CachedLines(key, lines))

    @property
    def line_count(self) -> int:
        return len(self.entries)

    def get_point(self, line_number: int) -> "ReplayPoint":
        """Return a line, counted from 1, with everything up to where the next line begins."""
        ends = [*(e.position - 1 for e in self.entries[1:]), len(self.view.events)]
        line = self.entries[line_number - 1]
        view = visibility.view_prefix(self.view, ends[line_number - 1])
        return ReplayPoint(self, line_number, line, self.view.events[line.position - 1], view)

    def day_of(self, line: TranscriptLine) -> int:
        """Return the day of a line's phase, 0 before the first."""
        opened = self.view.phase_position(line.position)
        return int(self.view.events[opened - 1]["day"]) if opened else 0

    def find_line_by_log_position(self, position: int) -> int:
        """Return the line that shows what the viewer knew when the log had `position` events."""
        positions = self.replayed.log_positions(self.viewer)
        return max(1, sum(positions[e.position - 1] <= position for e in self.entries))

    def find_line_by_phase(self, number: int) -> int:
        """Return the line at which phase `number` opens, 1 if there is none."""
        positions = self.view.positions_by_kind.get("phase_opened", ())
        if not 1 <= number <= len(positions):
            return 1
        return self.find_line_by_view_position(positions[number - 1])

    def find_line_by_view_position(self, position: int) -> int:
        """Return the last line that begins no later than that position of the viewer's events."""
        return max(1, sum(e.position <= position for e in self.entries))


@dataclass(frozen=True)
class ReplayPoint:
    """A position in the replay: the line, its event, and the view of everything up to it."""

    transcript: ViewerTranscript
    line_number: int  # from 1
    line: TranscriptLine
    event: Event
    view: View

    @property
    def replayed(self) -> ReplayedGame:
        return self.transcript.replayed

    @cached_property
    def seats(self) -> dict[int, Seat]:
        speaker = self.line.speaker if self.line.kind == "statement" else None
        return self.replayed.seats_in(self.view, speaker.number if speaker else 0)

    @property
    def answer_key(self) -> tuple[int, str]:
        """(seat, window key) of the answer that the line shows, (0, "") for none."""
        if "window" in self.event.data and "seat" in self.event.data:
            return self.event["seat"], self.event["window"]
        if "seat" in self.event.data and self.event.audience.kind == "seats":
            return self._answer_before_result(self.event["seat"])
        return 0, ""

    def _answer_before_result(self, seat: int) -> tuple[int, str]:
        """Return the seat's last answer in this phase, whose secret result the line shows."""
        for event in reversed(self.view.events):
            if event.kind == "phase_opened":
                break
            if "window" in event.data and event.data.get("seat") == seat:
                return seat, event["window"]
        return 0, ""

    @property
    def closed_window_keys(self) -> frozenset[str]:
        """Keys of the windows that the viewer knows to be closed, including the line's own."""
        events = self.view.events
        keys = {e["window"] for e in events if e.kind == "window_closed"}
        return frozenset({*keys, self.answer_key[1]} - {""})
