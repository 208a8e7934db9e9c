"""Finished games of earlier revisions: told as they were, replayed by everyone, with minds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from game.engine import visibility
from game.models import Game, Player
from tests.upgrade import facts
from tests.upgrade.conftest import Old
from tests.upgrade.playing import Person, host_of, people_of
from webapp.play.models import LLMCall, Membership, MindNote
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest


def spoken(game: Game) -> Iterator[tuple[int, Player, str]]:
    """(line of the all-knowing's replay, speaker, window) of every statement."""
    told = ReplayedGame(Guest(game, None)).transcript_of(visibility.MODERATOR)
    for at, line in enumerate(told.entries, 1):
        if line.kind == "statement" and line.speaker:
            window = told.view.events[line.position - 1]["window"]
            yield at, game.players.get(seat=line.speaker.number), window


@pytest.mark.parametrize("name", ["models", "people", "blind"])
def test_a_finished_game_is_told_as_it_was(old: Old, name: str) -> None:
    assert facts.plain(facts.of_game(old.game(name))) == old.games[name]


@pytest.mark.parametrize("name", ["models", "people"])
def test_every_viewer_has_a_replay_and_a_seat_sees_its_own_mind(old: Old, name: str) -> None:
    game, spectator = old.game(name), Person()
    for key, last in old.games[name]["lines"].items():
        for at in (1, last // 2, last):
            page = spectator.page(f"/games/{game.code}/replay?at={at}&as={key}")
            assert f"{at} of {last}" in page
        own = game.players.filter(seat=key).first() if key.isdecimal() else None
        if own and own.kind == Player.AGENT:
            assert f"Inside {own.name}’s mind" in page
        if key == "public":
            assert "’s mind" not in page


def test_the_replay_of_a_game_of_models_opens_their_minds(old: Old) -> None:
    game, spectator = old.game("models"), Person()
    parts: set[str] = set()
    for at, player, window in list(spoken(game))[8:]:  # by the second round all feel and judge
        page = spectator.page(f"/games/{game.code}/replay?at={at}&as=moderator")
        assert f"Inside {player.name}’s mind" in page
        plans = MindNote.objects.filter(game=game, seat=player.seat, faculty="strategy")
        assert any(note.data.get("plan") and note.data["plan"] in page for note in plans)
        found = set(re.findall(r'id="(\w+)-title"', page))
        assert {"plan", "asked"} <= found
        assert 'id="heat-favor"' in page
        parts |= found
        asked = LLMCall.objects.filter(game=game, seat=player.seat, window=window, failure="")
        assert all(row.exchange["answer"] in page for row in asked if row.exchange)
    assert {"judged", "memory", "persona", "said"} <= parts


def test_words_that_were_taken_out_stay_out_and_what_may_repeat_them_closed(old: Old) -> None:
    game, spectator = old.game("people"), Person()
    asked = 0
    for at, _player, _window in list(spoken(game))[8:]:
        page = spectator.page(f"/games/{game.code}/replay?at={at}&as=moderator")
        assert "The host removed this text." in page
        if 'id="asked-title"' in page:
            asked += 1
            assert "Text was removed from this game." in page
    assert asked


def test_a_blind_table_is_blind_until_its_host_reveals_it(old: Old) -> None:
    game = old.game("blind")
    there = people_of(game)
    address = f"/games/{game.code}/replay?at=20&as="
    agent = game.players.filter(kind=Player.AGENT)[0].seat
    for seat, person in there.items():
        for key, status in (("public", 200), (seat, 200), ("moderator", 403), (agent, 403)):
            assert person.get(f"{address}{key}").status_code == status
        assert "’s mind" not in person.page(f"{address}{seat}")
    assert Person().get(f"{address}public").status_code == 403
    host = there[host_of(game)]
    host.act(game, "reveal")
    assert "’s mind" in host.page(f"{address}{agent}")


def test_a_person_finds_the_game_and_its_result_among_their_games(old: Old) -> None:
    game = old.game("people")
    winners = game.events.get(kind="game_over").data["winners"]
    for seat, person in people_of(game).items():
        page = person.page("/your-games")
        assert game.code in page
        assert f"{int(seat in winners)} of 1" in page


@pytest.mark.parametrize("name", ["models", "people"])
def test_another_game_is_played_at_the_same_table(old: Old, name: str) -> None:
    game = old.game(name)
    there = people_of(game)
    person = there[host_of(game)] if there else Person()
    if not there:  # whoever only watched is known by the browser's session alone
        Membership.objects.filter(game=game).update(visitor=person.visitor)
    assert game.code in person.page("/")
    address = person.post(f"/games/{game.code}/again")["Location"]
    assert Game.objects.get(code=address.split("/")[-2]).pk > game.pk
    person.page(address)
