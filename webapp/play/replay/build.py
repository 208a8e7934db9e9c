"""The page of the replay, or why there is none."""

from __future__ import annotations

from itertools import dropwhile, takewhile

from django.urls import reverse
from django.utils.translation import gettext as _

from game.engine import views
from game.engine.views import Viewer
from game.models import Game
from webapp.play.guest import Guest
from webapp.play.narrator import Narrator
from webapp.play.page import Ballot, Entry, Phase, Seat
from webapp.play.replay.minds import minds_at
from webapp.play.replay.moment import Moment, Story, Told, spoken
from webapp.play.replay.page import Chapter, Replay, Sight


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
    story = Story(guest)
    viewer = story.viewer_of(sight) if sight else story.disclosed.usual_eyes
    begin = (_("To the beginning"), reverse("replay", args=[guest.game.code]))
    if viewer is None:
        text = _("Nobody of that name was at this table. Look as one of those who were.")
        raise NoReplay(404, _("There is no such viewer"), text, begin)
    if not story.disclosed.may_look_as(viewer):
        text = _("This table is blind: you see what everyone saw, or what you saw yourself.")
        raise NoReplay(403, _("Not through these eyes"), text, begin)
    told = story.told(viewer)
    line = int(at or "1") if len(at) < 7 and (at or "1").isdecimal() else 0
    if not 1 <= line <= told.last:
        text = _("This story has lines 1 to {last}.").format(last=told.last)
        raise NoReplay(404, _("There is no such line"), text, begin)
    return _page(story, told, told.moment(line))


def _must_be_over(game: Game) -> None:
    table = (_("To the table"), reverse("table", args=[game.code]))
    if game.status == Game.CALLED_OFF:
        text = _("The host has called this table off. Only a game that was played out is shown.")
        raise NoReplay(410, _("There is nothing to look back at"), text, table)
    if game.status != Game.OVER:
        text = _("Once the game is over you can go through it here, line by line.")
        raise NoReplay(409, _("This game is not over"), text, table)


def _page(story: Story, told: Told, moment: Moment) -> Replay:
    speaking = moment.line.speaker if moment.line.kind == "statement" else None
    seats = story.seats_in(moment.view, speaking.number if speaking else 0)
    text = _("Line {at} of {last}. {words}")
    return Replay(
        game=story.game.code,
        ruleset_title=_(story.ruleset.title),
        sight=_key(told.viewer),
        eyes=seats.get(told.viewer.seat),
        at=moment.at,
        last=told.last,
        told=text.format(at=moment.at, last=told.last, words=spoken(moment.line)),
        phase=_phase(story, moment),
        seats=list(seats.values()),
        entries=told.entries[: moment.at],
        sights=_sights(story, told, moment, seats),
        chapters=_chapters(told, moment),
        minds=minds_at(story, told, moment, seats),
        tally=_tally(told, moment, seats),
        gone=_gone(moment.line),
    )


def _gone(line: Entry) -> list[int]:
    """The seat that a line puts out, if it does."""
    return [line.speaker.number] if line.kind == "out" and line.speaker else []


def _tally(told: Told, moment: Moment, seats: dict[int, Seat]) -> list[Ballot]:
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


def _phase(story: Story, moment: Moment) -> Phase:
    state = moment.view.state
    narrator = Narrator.of(moment.view)
    title, icon = narrator.title_of(state), narrator.icon(state.phase)
    return Phase(state.phase, title, night=narrator.night(state.phase), icon=icon)


def _sights(story: Story, told: Told, moment: Moment, seats: dict[int, Seat]) -> list[Sight]:
    """Everybody through whose eyes the guest may look, each at this same moment."""
    place = story.places(told.viewer)[moment.line.position - 1]
    plain = {views.PUBLIC: _("Everyone"), views.MODERATOR: _("All-knowing")}
    return [
        Sight(
            _key(viewer),
            plain.get(viewer) or seats[viewer.seat].name,
            moment.at if viewer == told.viewer else story.told(viewer).line_at(place),
            viewer == told.viewer,
        )
        for viewer in story.viewers()
    ]


def _chapters(told: Told, moment: Moment) -> list[Chapter]:
    found = [
        (line.title or (_("The end") if line.kind == "over" else line.text), at)
        for at, line in enumerate(told.entries, 1)
        if line.chapter
    ]
    begun = [at for _title, at in found if at <= moment.at]
    return [Chapter(title, at, at == max(begun, default=0)) for title, at in found]
