"""The page of the replay, or the reason why there is none."""

from __future__ import annotations

from itertools import dropwhile, takewhile

from django.urls import reverse
from django.utils.translation import gettext as _

from game.engine import visibility
from game.engine.moments import Moment
from game.engine.visibility import Viewer
from game.models import Game
from webapp.play.disclosure import Disclosure
from webapp.play.guest import Guest
from webapp.play.page.game_course import brief_text
from webapp.play.page.narrator import Narrator
from webapp.play.page.transcript_parts import Phase, Seat, TranscriptLine
from webapp.play.replay.mind_panels import minds_at
from webapp.play.replay.replay_parts import Chapter, Replay, ReplayViewer, TallyRow
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript, spoken

END = -1  # of a chapter: the end, which is no day
_COMES = ("moderator", "out")  # the lines that tell what comes of votes


class NoReplay(Exception):
    """There is no replay: status and text for a page that explains it.

    link: (label, address) of a useful page.
    """

    def __init__(
        self, status: int, title: str, text: str, link: tuple[str, str] | None = None
    ) -> None:
        super().__init__(title)
        self.status, self.title, self.text, self.link = status, title, text, link


def replay_for(guest: Guest, sight: str = "", at: str = "") -> Replay:
    """Build the replay from the view `sight` at line `at`, both as in the address.

    Raises NoReplay as `check_replayable`, and if the viewer or the line is unknown, or the guest
    may not use that view.
    """
    check_replayable(guest.game)
    begin = (_("To the beginning"), reverse("replay", args=[guest.game.code]))
    return replay_of(ReplayedGame(guest), sight, at, begin)


def replay_of(
    replayed: ReplayedGame, sight: str, at: str, begin: tuple[str, str] | None = None
) -> Replay:
    """Build the replay of a game that may be seen.

    sight, at: as in the address. begin: the link of a page that explains why there is none. Raises
    NoReplay if the viewer or the line is unknown, or may not be used.
    """
    viewer = replayed.viewer_of(sight) if sight else replayed.disclosed.usual_eyes
    if viewer is None:
        text = _("Nobody of that name was at this table. Look as one of those who were.")
        raise NoReplay(404, _("There is no such viewer"), text, begin)
    if not replayed.disclosed.may_look_as(viewer):
        text = _("This table is blind: you see what everyone saw, or what you saw yourself.")
        raise NoReplay(403, _("Not through these eyes"), text, begin)
    transcript = replayed.transcript_of(viewer)
    line = int(at or "1") if len(at) < 7 and (at or "1").isdecimal() else 0
    if not 1 <= line <= transcript.last:
        text = _("This story has lines 1 to {last}.").format(last=transcript.last)
        raise NoReplay(404, _("There is no such line"), text, begin)
    return _page(replayed, transcript, transcript.moment(line))


def check_replayable(game: Game) -> None:
    """Raise NoReplay if the game is not over, or another app runs its table."""
    if owner_address := Disclosure(game).onward:
        text = _("This game belongs to a study. Its people don’t go through it again.")
        raise NoReplay(403, _("There is no looking back here"), text, (_("Go on"), owner_address))
    table = (_("To the table"), reverse("table", args=[game.code]))
    if game.status == Game.CALLED_OFF:
        text = _("The host has called this table off. Only a game that was played out is shown.")
        raise NoReplay(410, _("There is nothing to look back at"), text, table)
    if game.status != Game.OVER:
        text = _("Once the game is over you can go through it here, line by line.")
        raise NoReplay(409, _("This game is not over"), text, table)


def _page(replayed: ReplayedGame, transcript: ViewerTranscript, moment: ReplayPoint) -> Replay:
    speaking = moment.line.speaker if moment.line.kind == "statement" else None
    seats = replayed.seats_in(moment.view, speaking.number if speaking else 0)
    text = _("Line {at} of {last}. {words}")
    days, chapters = _chapters(transcript, moment)
    return Replay(
        game=replayed.game.code,
        ruleset_title=_(replayed.ruleset.title),
        sight=key_of(transcript.viewer),
        eyes=seats.get(transcript.viewer.seat),
        at=moment.at,
        last=transcript.last,
        told=text.format(at=moment.at, last=transcript.last, words=spoken(moment.line)),
        phase=_phase(replayed, moment),
        seats=list(seats.values()),
        entries=transcript.entries[: moment.at],
        sights=_sights(replayed, transcript, moment, seats),
        days=days,
        chapters=chapters,
        statement_key=moment.answered if moment.line.kind == "statement" else (0, ""),
        minds=minds_at(replayed, transcript, moment, seats),
        tally=_tally(transcript, moment, seats),
        gone=_exiled_seats(moment.line),
    )


def _exiled_seats(line: TranscriptLine) -> list[int]:
    """Return the seat that a line eliminates, if it does."""
    return [line.speaker.number] if line.kind == "out" and line.speaker else []


def _tally(
    transcript: ViewerTranscript, moment: ReplayPoint, seats: dict[int, Seat]
) -> list[TallyRow]:
    """List the votes of the ballot that the present line belongs to or directly follows.

    The votes stay while the lines after them show their result.
    """
    before = dropwhile(lambda line: line.kind in _COMES, reversed(transcript.entries[: moment.at]))
    votes = list(takewhile(lambda line: line.kind == "vote", before))[::-1]
    windows = [transcript.view.events[vote.position - 1]["window"] for vote in votes]
    votes = [vote for vote, window in zip(votes, windows, strict=True) if window == windows[-1]]
    votes_by_target: dict[int, list[tuple[int, Seat]]] = {}
    for order, vote in enumerate(votes):
        if vote.speaker:
            target = vote.target.number if vote.target else 0
            votes_by_target.setdefault(target, []).append((order, seats[vote.speaker.number]))
    return [
        TallyRow(seats.get(number), votes_by_target[number])
        for number in sorted(votes_by_target, key=_nobody_last)
    ]


def _nobody_last(seat: int) -> tuple[bool, int]:
    return seat == 0, seat


def key_of(viewer: Viewer) -> str:
    """Return the viewer's key in an address, as `ReplayedGame.viewer_of` reads it."""
    return str(viewer.seat) if viewer.seat else viewer.kind


def _phase(replayed: ReplayedGame, moment: ReplayPoint) -> Phase:
    state = moment.view.state
    narrator = Narrator.of(moment.view)
    title, icon = narrator.present_title(state), narrator.icon(state.phase)
    return Phase(state.phase, title, night=narrator.is_night(state.phase), icon=icon)


def _sights(
    replayed: ReplayedGame,
    transcript: ViewerTranscript,
    moment: ReplayPoint,
    seats: dict[int, Seat],
) -> list[ReplayViewer]:
    """List the views that the guest may use, each at this same moment."""
    position = replayed.log_positions(transcript.viewer)[moment.line.position - 1]
    viewer_names = {visibility.PUBLIC: _("Everyone"), visibility.MODERATOR: _("All-knowing")}
    return [
        ReplayViewer(
            key_of(viewer),
            viewer_names.get(viewer) or seats[viewer.seat].name,
            moment.at
            if viewer == transcript.viewer
            else replayed.transcript_of(viewer).line_at(position),
            viewer == transcript.viewer,
        )
        for viewer in replayed.viewers()
    ]


def _chapters(
    transcript: ViewerTranscript, moment: ReplayPoint
) -> tuple[list[Chapter], list[Chapter]]:
    """Return (the days and the end, the chapters of the present day).

    For a game of one day: (no days, all its chapters).
    """
    chapter_lines = {at: line for at, line in enumerate(transcript.entries, 1) if line.chapter}
    days = {
        at: END if line.kind == "over" else transcript.day_of(line)
        for at, line in chapter_lines.items()
    }
    several = len({*days.values()} - {0, END}) > 1
    titles = {at: _chapter(transcript, line, several) for at, line in chapter_lines.items()}
    if not several:
        return [], _marked(titles, moment.at)
    first: dict[int, int] = {}
    for at, day in days.items():
        first.setdefault(day, at)
    name = _("Day {number}")
    special = {0: _("The beginning"), END: titles[max(titles)]}
    every = {at: special.get(day) or name.format(number=day) for day, at in first.items()}
    here = max((day for at, day in days.items() if at <= moment.at), default=next(iter(first)))
    inside = {at: title for at, title in titles.items() if days[at] == here}
    return _marked(every, moment.at), _marked(inside, moment.at)


def _chapter(transcript: ViewerTranscript, line: TranscriptLine, several: bool) -> str:
    """Return a chapter's title. With several days a phase has its name in the day's bar."""
    event, narrator = transcript.view.events[line.position - 1], Narrator.of(transcript.view)
    if line.kind == "over":
        return line.title or _("The end")
    if line.kind != "phase":
        return brief_text(narrator, event)
    when = Moment(day=event["day"], phase=event["phase"], round=event["round"])
    return (several and narrator.step(when.phase, when)) or line.title


def _marked(titles: dict[int, str], now: int) -> list[Chapter]:
    """Build chapters from line -> title. The last one that has begun is the present one."""
    begun = max((at for at in titles if at <= now), default=0)
    return [Chapter(title, at, at == begun) for at, title in titles.items()]
