"""Faces and persona cards: shown as the table says, moved by how one treats a computer player."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from agents.personas.characters import CHARACTERS
from game import selectors, services
from game.engine.forms import say
from game.models import Game, Player, moment_columns
from tests.game.table import any_answer
from tests.webapp.test_invitations import seat_of, set_table
from webapp.play.models import MindNote
from webapp.play.page.agent_cards import AgentCard
from webapp.play.page.page_builder import page_for
from webapp.play.tables import seat_plans
from webapp.play.turns.answering import answer_window
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _always_the_same_company(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody very calm and kind, who is answered, hardly minds to be accused."""
    monkeypatch.setattr(seat_plans, "draw_seed", lambda *_: "company")


def table(client: Client, **choices: object) -> Game:
    return set_table(client, guests=0, personas="on", **choices)


def play_to_round(game: Game, seat: int, number: int, text: str) -> None:
    """Up to the third statement of a round: computer players think, the person says `text`."""
    while True:
        windows = [w for w in selectors.open_windows(game) if w.missing]
        ready = next(w for w in windows if w.window.kind != "poll")
        if ready.window.key == f"statement.1.{number}.3":  # of two that spoke one is no person
            return
        asked = ready.missing[0]
        if asked == seat:
            speaks = ready.window.kind == "statement"
            action = say(text) if speaks else any_answer(ready, seat)
            services.answer(game.pk, seat, ready.window.key, action)
        else:
            answer_window(game.pk, asked, ready.window.key)


def mates(game: Game, seat: int | None) -> dict[int, AgentCard]:
    game.refresh_from_db()
    player = Player.objects.get(game=game, seat=seat) if seat else None
    return {m.seat.number: m for m in page_for(Guest(game, player, is_member=True)).company}


def someone(game: Game, seat: int) -> Player:
    """A computer player that has spoken before the person does in round two."""
    found = game.players.filter(kind=Player.AGENT).exclude(seat=seat)
    return found.order_by("seat")[0]


def test_a_face_falls_when_one_accuses_and_says_why() -> None:
    client = Client()
    game = table(client)
    me = seat_of(client, game)
    assert me
    other = someone(game, me.seat)
    assert mates(game, me.seat)[other.seat].level == 3
    play_to_round(game, me.seat, 2, f"{other.name} is the werewolf. I vote for {other.name}.")
    mate = mates(game, me.seat)[other.seat]
    assert mate.level < 3
    assert mate.favor < 50
    assert mate.history[-1].change < 0
    assert "you accused them" in mate.history[-1].reason
    page = client.get(f"/games/{game.code}/").content.decode()
    assert f"face-{mate.level}" in page
    assert "Neuroticism" in page


def test_a_table_hides_what_it_was_told_to_hide() -> None:
    client = Client()
    game = set_table(client, guests=0, faces="hidden")
    me = seat_of(client, game)
    assert me
    play_to_round(game, me.seat, 2, "Everyone is the werewolf.")
    assert MindNote.objects.filter(game=game, faculty="favor").exists(), "felt, but not shown"
    assert mates(game, me.seat) == {}
    page = client.get(f"/games/{game.code}/").content.decode()
    assert "face-" not in page
    assert "Neuroticism" not in page


def test_a_face_goes_by_the_favor_and_not_by_the_figure_shown() -> None:
    client = Client()
    game = table(client)
    me = seat_of(client, game)
    assert me
    other = someone(game, me.seat)
    play_to_round(game, me.seat, 2, "Hello.")
    MindNote.objects.filter(game=game, seat=other.seat, faculty="favor").delete()
    favor = {"favor": {str(me.seat): 40.4}, "scores": {}, "why": {}}
    MindNote.objects.create(
        game=game,
        seat=other.seat,
        window="prepare.1.1",
        preparation=True,
        faculty="favor",
        data=favor,
        **moment_columns(game.windows.get(key="statement.1.1.1").moment.phase_start),
    )
    mate = mates(game, me.seat)[other.seat]
    assert (mate.favor, mate.level) == (40, 3), "40 would be level 2"


def test_toward_everyone() -> None:
    client = Client()
    game = table(client, faces="all")
    me = seat_of(client, game)
    assert me
    shown = mates(game, None)
    assert all(len(m.toward) == 7 and not m.level for m in shown.values())
    assert len(shown) == 7


def test_at_a_blind_table_there_are_no_faces_and_no_cards() -> None:
    client = Client()
    game = table(client, faces="all", blind="on")
    me = seat_of(client, game)
    assert me
    assert mates(game, me.seat) == {}
    assert "Neuroticism" not in client.get(f"/games/{game.code}/").content.decode()


def test_half_of_the_computer_players_are_characters_and_their_cards_say_who() -> None:
    client = Client()
    game = table(client)
    me = seat_of(client, game)
    assert me
    shown = [m for m in mates(game, me.seat).values() if m.character]
    assert len(shown) == len({m.character for m in shown}) == 4, "of seven"
    page = client.get(f"/games/{game.code}/").content.decode()
    for mate in shown:
        (one,) = [c for c in CHARACTERS.values() if c.name == mate.character]
        assert mate.description == one.description
        assert {bar.name[0]: bar.score for bar in mate.bars} == one.scores
        assert escape(one.name) in page
        assert escape(one.description) in page


def test_a_voice_tells_nobody_apart_at_a_blind_table() -> None:
    client = Client()
    blind = table(client, blind="on")
    recipes = [p.recipe for p in blind.players.filter(kind=Player.AGENT)]
    assert recipes
    assert not any("character" in r["persona"] for r in recipes)


def test_a_table_without_cards_does_not_say_who_they_are() -> None:
    client = Client()
    game = set_table(client, guests=0, faces="all")
    page = client.get(f"/games/{game.code}/").content.decode()
    assert "mate-who" not in page
    assert any("character" in p.recipe["persona"] for p in game.players.filter(kind=Player.AGENT))
