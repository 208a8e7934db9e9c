"""Unfinished games of earlier revisions continue without a lost turn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from game import selectors
from game.cached_games import OpenWindow
from game.engine import visibility
from game.engine.events import Event
from game.models import Game, Player
from tests.upgrade import facts
from tests.upgrade.conftest import Old
from tests.upgrade.playing import Person, World, answer_anything, host_of, is_open, people_of
from webapp.play.models import Desk, LLMCall

LATER = datetime(2026, 6, 1, tzinfo=UTC)  # no sweeper has run since
STATES = ("running", "voting", "paused", "gathering")
FIRST = {"paused": "resume", "gathering": "start"}  # the host's next action


@pytest.mark.parametrize("name", STATES)
def test_unfinished_game_keeps_its_facts(old: Old, name: str) -> None:
    assert facts.to_json_types(facts.game_facts(old.game(name))) == old.games[name]


@pytest.mark.parametrize("name", STATES)
def test_unfinished_game_can_be_finished(old: Old, name: str) -> None:
    game = old.game(name)
    with World(LATER).running() as world:
        people = people_of(game)
        for person in people.values():
            person.page(f"/games/{game.code}/")
        if name in FIRST:
            people[host_of(game)].act(game, FIRST[name])
        world.go_on(game, lambda window, seat: answer_anything(people[seat], game, window, seat))
        for person in people.values():
            assert 'id="end-title"' in person.page(f"/games/{game.code}/")
            person.page(f"/games/{game.code}/replay?as=moderator")
    assert_complete(game, old.games[name])
    assert not LLMCall.objects.filter(game=game, reply__isnull=True, failure="").exists()


def assert_complete(game: Game, before: facts.Facts) -> None:
    """Assert that the log extends the old one and contains all statements, votes and polls."""
    view = selectors.view_for(game, visibility.MODERATOR)
    assert facts.log_text(view, before["events"]) == before["transcript"]
    windows = [e["window"] for e in view.events if e.kind == "statement"]
    assert len(windows) == len(set(windows)) == 24
    agents = game.players.filter(kind=Player.AGENT).count()
    kinds = [event.kind for event in view.events]
    assert (kinds.count("vote"), kinds.count("poll")) == (8, 3 * agents)
    assert not missing_answer_labels(view.events[before["events"] :])


def missing_answer_labels(log: Sequence[Event]) -> list[str]:
    """Return the labels of missing answers."""
    labels = [label for event in log for label in facts.event_labels(event)]
    return [label for label in labels if label.startswith(("timeout", "fallback"))]


def test_open_vote_can_be_cast_and_changed(old: Old) -> None:
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


def test_draft_and_notes_are_preserved(old: Old) -> None:
    game = old.game("running")
    host = host_of(game)
    desk = Desk.objects.get(player__game=game, player__seat=host)
    assert (desk.draft, desk.notes["1"]["text"]) == ("I was going to say that", "claims it")
    page = people_of(game)[host].page(f"/games/{game.code}/")
    assert desk.draft in page
    assert desk.notes["1"]["text"] in page


def test_stored_reply_is_used_and_interrupted_request_is_repeated(
    old: Old,
) -> None:
    """One poll was answered but not stored, another poll was being requested."""
    game = old.game("running")
    calls = LLMCall.objects.filter(game=game, kind="poll", backend="openai")
    stored, interrupted = calls.get(reply__isnull=False), calls.get(reply__isnull=True)
    with World(LATER).running() as world:
        people: dict[int, Person] = people_of(game)
        world.go_on(
            game,
            lambda window, seat: answer_anything(people[seat], game, window, seat),
            until=lambda: not is_open(game, stored.window),
        )
    log = selectors.view_for(game, visibility.MODERATOR).events
    polls = {e["seat"]: e for e in log if e.kind == "poll" and e["window"] == stored.window}
    assert list(polls[stored.seat]["targets"]) == stored.reply["targets"]
    assert interrupted.seat in polls
    assert not missing_answer_labels(log)
    repeated = {row.seat: row.exchange["again"] for row in calls.filter(window=stored.window)}
    assert repeated == {stored.seat: False, interrupted.seat: True}
