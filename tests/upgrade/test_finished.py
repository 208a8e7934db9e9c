"""Finished games of earlier revisions keep their facts, replays and mind panels."""

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


def statement_lines(game: Game) -> Iterator[tuple[int, Player, str]]:
    """Yield (line of the moderator's replay, speaker, window) of every statement."""
    transcript = ReplayedGame(Guest(game, None)).transcript_of(visibility.MODERATOR)
    for at, line in enumerate(transcript.entries, 1):
        if line.kind == "statement" and line.speaker:
            window = transcript.view.events[line.position - 1]["window"]
            yield at, game.players.get(seat=line.speaker.number), window


@pytest.mark.parametrize("name", ["models", "people", "blind"])
def test_finished_game_keeps_its_facts(old: Old, name: str) -> None:
    assert facts.to_json_types(facts.game_facts(old.game(name))) == old.games[name]


@pytest.mark.parametrize("name", ["models", "people"])
def test_every_viewer_has_a_replay_and_seats_see_their_mind_panel(old: Old, name: str) -> None:
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


def test_replay_of_models_shows_their_minds(old: Old) -> None:
    game, spectator = old.game("models"), Person()
    parts: set[str] = set()
    for at, player, window in list(statement_lines(game))[
        8:
    ]:  # from round 2 on all models have favor and judgement
        page = spectator.page(f"/games/{game.code}/replay?at={at}&as=moderator")
        assert f"Inside {player.name}’s mind" in page
        plans = MindNote.objects.filter(game=game, seat=player.seat, faculty="strategy")
        assert any(note.data.get("plan") and note.data["plan"] in page for note in plans)
        section_ids = set(re.findall(r'id="(\w+)-title"', page))
        assert {"plan", "asked"} <= section_ids
        assert 'id="heat-favor"' in page
        parts |= section_ids
        calls = LLMCall.objects.filter(game=game, seat=player.seat, window=window, failure="")
        assert all(row.exchange["answer"] in page for row in calls if row.exchange)
    assert {"judged", "memory", "persona", "said"} <= parts


def test_removed_text_stays_hidden_in_replays_and_requests(old: Old) -> None:
    game, spectator = old.game("people"), Person()
    request_panels = 0
    for at, _player, _window in list(statement_lines(game))[8:]:
        page = spectator.page(f"/games/{game.code}/replay?at={at}&as=moderator")
        assert "The host removed this text." in page
        if 'id="asked-title"' in page:
            request_panels += 1
            assert "Text was removed from this game." in page
    assert request_panels


def test_blind_game_stays_blind_until_its_host_reveals_it(old: Old) -> None:
    game = old.game("blind")
    people = people_of(game)
    address = f"/games/{game.code}/replay?at=20&as="
    agent = game.players.filter(kind=Player.AGENT)[0].seat
    for seat, person in people.items():
        for key, status in (("public", 200), (seat, 200), ("moderator", 403), (agent, 403)):
            assert person.get(f"{address}{key}").status_code == status
        assert "’s mind" not in person.page(f"{address}{seat}")
    assert Person().get(f"{address}public").status_code == 403
    host = people[host_of(game)]
    host.act(game, "reveal")
    assert "’s mind" in host.page(f"{address}{agent}")


def test_person_finds_the_game_and_its_result_in_their_list(old: Old) -> None:
    game = old.game("people")
    winners = game.events.get(kind="game_over").data["winners"]
    for seat, person in people_of(game).items():
        page = person.page("/your-games")
        assert game.code in page
        assert f"{int(seat in winners)} of 1" in page


@pytest.mark.parametrize("name", ["models", "people"])
def test_next_game_can_be_opened_from_an_old_one(old: Old, name: str) -> None:
    game = old.game(name)
    people = people_of(game)
    person = people[host_of(game)] if people else Person()
    if not people:  # a watching visitor is known only by the browser session
        Membership.objects.filter(game=game).update(visitor=person.visitor)
    assert game.code in person.page("/")
    address = person.post(f"/games/{game.code}/again")["Location"]
    assert Game.objects.get(code=address.split("/")[-2]).pk > game.pk
    person.page(address)
