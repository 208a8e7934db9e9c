"""Unfinished games of earlier revisions go on, and nobody has lost a turn meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from game import selectors
from game.engine import visibility
from game.engine.events import Event
from game.models import Game, Player
from game.selectors import OpenWindow
from tests.upgrade import facts
from tests.upgrade.conftest import Old
from tests.upgrade.playing import Person, World, anything, host_of, is_open, people_of
from webapp.play.models import Desk, LLMCall

LATER = datetime(2026, 6, 1, tzinfo=UTC)  # nobody has kept the time since
STATES = ("running", "voting", "paused", "gathering")
FIRST = {"paused": "resume", "gathering": "start"}  # what the host does


@pytest.mark.parametrize("name", STATES)
def test_an_unfinished_game_stands_where_it_stood(old: Old, name: str) -> None:
    assert facts.plain(facts.of_game(old.game(name))) == old.games[name]


@pytest.mark.parametrize("name", STATES)
def test_an_unfinished_game_goes_on_to_its_end(old: Old, name: str) -> None:
    game = old.game(name)
    with World(LATER).running() as world:
        there = people_of(game)
        for person in there.values():
            person.page(f"/games/{game.code}/")
        if name in FIRST:
            there[host_of(game)].act(game, FIRST[name])
        world.go_on(game, lambda window, seat: anything(there[seat], game, window, seat))
        for person in there.values():
            assert 'id="end-title"' in person.page(f"/games/{game.code}/")
            person.page(f"/games/{game.code}/replay?as=moderator")
    it_was_played(game, old.games[name])
    assert not LLMCall.objects.filter(game=game, reply__isnull=True, failure="").exists()


def it_was_played(game: Game, before: facts.Facts) -> None:
    """The log begins as it began, and everybody has spoken, voted and been polled."""
    view = selectors.view_for(game, visibility.MODERATOR)
    assert facts.of_log(view, before["events"]) == before["transcript"]
    windows = [e["window"] for e in view.events if e.kind == "statement"]
    assert len(windows) == len(set(windows)) == 24
    agents = game.players.filter(kind=Player.AGENT).count()
    kinds = [event.kind for event in view.events]
    assert (kinds.count("vote"), kinds.count("poll")) == (8, 3 * agents)
    assert not missed(view.events[before["events"] :])


def missed(log: Sequence[Event]) -> list[str]:
    """The labels of answers that were not had."""
    labels = [label for event in log for label in facts.labelled(event)]
    return [label for label in labels if label.startswith(("timeout", "fallback"))]


def test_the_vote_that_is_open_can_be_cast_and_changed(old: Old) -> None:
    game = old.game("voting")
    ((seat, person),) = people_of(game).items()
    window = vote_of(game)
    before = dict(window.answers)
    assert len(before) == 3
    for target in window.window.options_for(seat)[:2]:
        person.pick(game, window, target)
        assert vote_of(game).answers[seat].target == target
        assert len(vote_of(game).answers) == len(before) + 1


def vote_of(game: Game) -> OpenWindow:
    return next(o for o in selectors.open_windows(game) if o.window.kind == "vote")


def test_a_draft_and_notes_lie_where_they_lay(old: Old) -> None:
    game = old.game("running")
    host = host_of(game)
    desk = Desk.objects.get(player__game=game, player__seat=host)
    assert (desk.draft, desk.notes["1"]["text"]) == ("I was going to say that", "claims it")
    page = people_of(game)[host].page(f"/games/{game.code}/")
    assert desk.draft in page
    assert desk.notes["1"]["text"] in page


def test_what_a_killed_worker_had_asked_is_taken_and_what_it_was_asking_asked_again(
    old: Old,
) -> None:
    """One straw poll was answered and not yet stored, another one was on its way."""
    game = old.game("running")
    polled = LLMCall.objects.filter(game=game, kind="poll", backend="openai")
    kept, lost = polled.get(reply__isnull=False), polled.get(reply__isnull=True)
    with World(LATER).running() as world:
        there: dict[int, Person] = people_of(game)
        world.go_on(
            game,
            lambda window, seat: anything(there[seat], game, window, seat),
            until=lambda: not is_open(game, kept.window),
        )
    log = selectors.view_for(game, visibility.MODERATOR).events
    polls = {e["seat"]: e for e in log if e.kind == "poll" and e["window"] == kept.window}
    assert list(polls[kept.seat]["targets"]) == kept.reply["targets"]
    assert lost.seat in polls
    assert not missed(log)
    again = {row.seat: row.exchange["again"] for row in polled.filter(window=kept.window)}
    assert again == {kept.seat: False, lost.seat: True}
