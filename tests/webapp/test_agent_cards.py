"""Tests of faces and persona cards: visibility by table setting, and reaction to accusations."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from agents.personas.characters import CHARACTERS
from game import locked_game, selectors
from game.engine.events import say
from game.models import Game, Player, moment_columns
from tests.game.table import any_answer
from tests.webapp.tables import host_table, player_of
from webapp.play.models import MindNote
from webapp.play.page.agent_cards import AgentCard
from webapp.play.page.table_page import Page
from webapp.play.tables import seat_plans
from webapp.play.turns.answering import answer_window
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fixed_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same agents every time. One of them is too calm to mind an accusation."""
    monkeypatch.setattr(seat_plans, "draw_seed", lambda *_: "company")


def open_table_with_personas(client: Client, **choices: object) -> Game:
    return host_table(client, guests=0, personas="on", **choices)


def play_to_round(game: Game, seat: int, number: int, text: str) -> None:
    """Play to the third statement of a round. The person says `text`."""
    while True:
        windows = [w for w in selectors.open_windows(game) if w.missing]
        ready = next(w for w in windows if w.window.kind != "poll")
        if (
            ready.window.key == f"statement.1.{number}.3"
        ):  # at least one of the first two speakers is an agent
            return
        answering_seat = ready.missing[0]
        if answering_seat == seat:
            is_statement = ready.window.kind == "statement"
            action = say(text) if is_statement else any_answer(ready, seat)
            locked_game.record_answer(game.pk, seat, ready.window.key, action)
        else:
            answer_window(game.pk, answering_seat, ready.window.key)


def read_agent_cards(game: Game, seat: int | None) -> dict[int, AgentCard]:
    game.refresh_from_db()
    player = Player.objects.get(game=game, seat=seat) if seat else None
    return {m.seat.number: m for m in Page(Guest(game, player, is_member=True)).agent_cards}


def first_agent(game: Game, seat: int) -> Player:
    """Return an agent that speaks before the person in round two."""
    agents = game.players.filter(kind=Player.AGENT).exclude(seat=seat)
    return agents.order_by("seat")[0]


def test_face_falls_and_gives_reason_after_accusation() -> None:
    client = Client()
    game = open_table_with_personas(client)
    player = player_of(client, game)
    assert player
    agent = first_agent(game, player.seat)
    assert read_agent_cards(game, player.seat)[agent.seat].level == 3
    play_to_round(game, player.seat, 2, f"{agent.name} is the werewolf. I vote for {agent.name}.")
    card = read_agent_cards(game, player.seat)[agent.seat]
    assert card.level < 3
    assert card.favor < 50
    assert card.history[-1].change < 0
    assert "you accused them" in card.history[-1].reason
    page = client.get(f"/games/{game.code}/").content.decode()
    assert f"face-{card.level}" in page
    assert "Neuroticism" in page


def test_table_with_hidden_faces_shows_no_faces_or_cards() -> None:
    client = Client()
    game = host_table(client, guests=0, faces="hidden")
    player = player_of(client, game)
    assert player
    play_to_round(game, player.seat, 2, "Everyone is the werewolf.")
    assert MindNote.objects.filter(game=game, faculty="favor").exists(), (
        "favor is computed but hidden"
    )
    assert read_agent_cards(game, player.seat) == {}
    page = client.get(f"/games/{game.code}/").content.decode()
    assert "face-" not in page
    assert "Neuroticism" not in page


def test_face_level_follows_exact_favor_and_not_rounded_figure() -> None:
    client = Client()
    game = open_table_with_personas(client)
    player = player_of(client, game)
    assert player
    agent = first_agent(game, player.seat)
    play_to_round(game, player.seat, 2, "Hello.")
    MindNote.objects.filter(game=game, seat=agent.seat, faculty="favor").delete()
    favor = {"favor": {str(player.seat): 40.4}, "scores": {}, "why": {}}
    MindNote.objects.create(
        game=game,
        seat=agent.seat,
        window="prepare.1.1",
        preparation=True,
        faculty="favor",
        data=favor,
        **moment_columns(game.windows.get(key="statement.1.1.1").moment.phase_start),
    )
    card = read_agent_cards(game, player.seat)[agent.seat]
    assert (card.favor, card.level) == (40, 3), "40 would be level 2"


def test_table_with_all_faces_shows_favor_toward_everyone() -> None:
    client = Client()
    game = open_table_with_personas(client, faces="all")
    player = player_of(client, game)
    assert player
    cards = read_agent_cards(game, None)
    assert all(len(m.toward) == 7 and not m.level for m in cards.values())
    assert len(cards) == 7


def test_blind_table_shows_no_faces_or_cards() -> None:
    client = Client()
    game = open_table_with_personas(client, faces="all", blind="on")
    player = player_of(client, game)
    assert player
    assert read_agent_cards(game, player.seat) == {}
    assert "Neuroticism" not in client.get(f"/games/{game.code}/").content.decode()


def test_half_of_the_agents_are_characters_with_matching_cards() -> None:
    client = Client()
    game = open_table_with_personas(client)
    player = player_of(client, game)
    assert player
    character_cards = [m for m in read_agent_cards(game, player.seat).values() if m.character]
    assert len(character_cards) == len({m.character for m in character_cards}) == 4, "of seven"
    page = client.get(f"/games/{game.code}/").content.decode()
    for card in character_cards:
        (character,) = [c for c in CHARACTERS.values() if c.name == card.character]
        assert card.description == character.description
        assert {bar.name[0]: bar.score for bar in card.bars} == character.scores
        assert escape(character.name) in page
        assert escape(character.description) in page


def test_blind_table_has_no_characters() -> None:
    client = Client()
    blind = open_table_with_personas(client, blind="on")
    recipes = [p.recipe for p in blind.players.filter(kind=Player.AGENT)]
    assert recipes
    assert not any("character" in r["persona"] for r in recipes)


def test_table_without_cards_does_not_identify_characters() -> None:
    client = Client()
    game = host_table(client, guests=0, faces="all")
    page = client.get(f"/games/{game.code}/").content.decode()
    assert "mate-who" not in page
    assert any("character" in p.recipe["persona"] for p in game.players.filter(kind=Player.AGENT))
