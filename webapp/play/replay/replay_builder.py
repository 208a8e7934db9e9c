"""The page of the replay, or why there is none."""

from __future__ import annotations

from itertools import dropwhile, takewhile

from django.urls import reverse
from django.utils.translation import gettext as _

from game.engine import visibility
from game.engine.visibility import Viewer
from game.models import Game
from webapp.play.guest import Guest
from webapp.play.narrator import Narrator
from webapp.play.page_parts import Ballot, Phase, Seat, TranscriptLine
from webapp.play.replay.mind_panels import minds_at
from webapp.play.replay.replay_parts import Chapter, Replay, Sight
from webapp.play.replay.viewer_transcript import ReplayedGame, ReplayPoint, ViewerTranscript, spoken


class NoReplay(Exception):
    """Why there is nothing to see: status and words for a page, and the way on (label, address)."""

    def __init__(self, status: int, title: str, text: str, way: tuple[str, str]) -> None:
        super().__init__(title)
        self.status, self.title, self.text, self.way = status, title, text, way


def replay_for(guest: Guest, sight: str = "", at: str = "") -> Replay:
    """The replay through the eyes of `sight` at line `at`, both as in the address.

    Raises NoReplay where the game isn't over, the viewer or the line is unknown, or the guest may
    not look through those eyes.
    """
    _must_be_over(guest.game)
    replayed = ReplayedGame(guest)
    viewer = replayed.viewer_of(sight) if sight else replayed.disclosed.usual_eyes
    begin = (_("To the beginning"), reverse("replay", args=[guest.game.code]))
    if viewer is None:
        text = _("Nobody of that name was at this table. Look as one of those who were.")
        raise NoReplay(404, _("There is no such viewer"), text, begin)
    if not replayed.disclosed.may_look_as(viewer):
        text = _("This table is blind: you see what everyone saw, or what you saw yourself.")
        raise NoReplay(403, _("Not through these eyes"), text, begin)
    told = replayed.told(viewer)
    line = int(at or "1") if len(at) < 7 and (at or "1").isdecimal() else 0
    if not 1 <= line <= told.last:
        text = _("This story has lines 1 to {last}.").format(last=told.last)
        raise NoReplay(404, _("There is no such line"), text, begin)
    return _page(replayed, told, told.moment(line))


def _must_be_over(game: Game) -> None:
    table = (_("To the table"), reverse("table", args=[game.code]))
    if game.status == Game.CALLED_OFF:
        text = _("The host has called this table off. Only a game that was played out is shown.")
        raise NoReplay(410, _("There is nothing to look back at"), text, table)
    if game.status != Game.OVER:
        text = _("Once the game is over you can go through it here, line by line.")
        raise NoReplay(409, _("This game is not over"), text, table)


def _page(replayed: ReplayedGame, told: ViewerTranscript, moment: ReplayPoint) -> Replay:
    speaking = moment.line.speaker if moment.line.kind == "statement" else None
    seats = replayed.seats_in(moment.view, speaking.number if speaking else 0)
    text = _("Line {at} of {last}. {words}")
    return Replay(
        game=replayed.game.code,
        ruleset_title=_(replayed.ruleset.title),
        sight=_key(told.viewer),
        eyes=seats.get(told.viewer.seat),
        at=moment.at,
        last=told.last,
        told=text.format(at=moment.at, last=told.last, words=spoken(moment.line)),
        phase=_phase(replayed, moment),
        seats=list(seats.values()),
        entries=told.entries[: moment.at],
        sights=_sights(replayed, told, moment, seats),
        chapters=_chapters(told, moment),
        minds=minds_at(replayed, told, moment, seats),
        tally=_tally(told, moment, seats),
        gone=_gone(moment.line),
    )


def _gone(line: TranscriptLine) -> list[int]:
    """The seat that a line puts out, if it does."""
    return [line.speaker.number] if line.kind == "out" and line.speaker else []


def _tally(told: ViewerTranscript, moment: ReplayPoint, seats: dict[int, Seat]) -> list[Ballot]:
    """Whoever has votes by the present line, of those that are told in it and just before it."""
    before = told.entries[: moment.at]
    if _gone(moment.line):
        before = list(dropwhile(lambda line: line.kind == "out", reversed(before)))[::-1]
    votes = list(takewhile(lambda line: line.kind == "vote", reversed(before)))[::-1]
    got: dict[int, list[tuple[int, Seat]]] = {}
    for order, vote in enumerate(votes):
        if vote.target and vote.speaker:
            got.setdefault(vote.target.number, []).append((order, seats[vote.speaker.number]))
    return [Ballot(seats[number], got[number]) for number in sorted(got)]


def _key(viewer: Viewer) -> str:
    return str(viewer.seat) if viewer.seat else viewer.kind


def _phase(replayed: ReplayedGame, moment: ReplayPoint) -> Phase:
    state = moment.view.state
    narrator = Narrator.of(moment.view)
    title, icon = narrator.title_of(state), narrator.icon(state.phase)
    return Phase(state.phase, title, night=narrator.night(state.phase), icon=icon)


def _sights(
    replayed: ReplayedGame, told: ViewerTranscript, moment: ReplayPoint, seats: dict[int, Seat]
) -> list[Sight]:
    """Everybody through whose eyes the guest may look, each at this same moment."""
    place = replayed.places(told.viewer)[moment.line.position - 1]
    plain = {visibility.PUBLIC: _("Everyone"), visibility.MODERATOR: _("All-knowing")}
    return [
        Sight(
            _key(viewer),
            plain.get(viewer) or seats[viewer.seat].name,
            moment.at if viewer == told.viewer else replayed.told(viewer).line_at(place),
            viewer == told.viewer,
        )
        for viewer in replayed.viewers()
    ]


def _chapters(told: ViewerTranscript, moment: ReplayPoint) -> list[Chapter]:
    found = [
        (line.title or (_("The end") if line.kind == "over" else line.text), at)
        for at, line in enumerate(told.entries, 1)
        if line.chapter
    ]
    begun = [at for _title, at in found if at <= moment.at]
    return [Chapter(title, at, at == max(begun, default=0)) for title, at in found]
