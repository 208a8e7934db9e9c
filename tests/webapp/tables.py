"""Tables of tests as visitors use them: the form, the invitation, the posts, the page."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from game import cached_games
from game.models import Game, Player, Window
from tests.game.table import finish
from webapp.play.models import Table
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

HTMX = {"HX-Request": "true"}


def host_table(client: Client, *, host: str = "testserver", **choices: object) -> Game:
    """Open a table by the form. The client has a seat unless `mode` says otherwise."""
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": 2, **choices}
    response = client.post("/tables/new", form, headers={"host": host})
    assert response.status_code == 302, response.content.decode()
    games = Game.objects.filter(code=response["Location"].strip("/").split("/")[-1])
    games.update(pace="none")  # no wait between statements
    Window.objects.update(not_before=timezone.now())
    return games.get()


def invitation_path(game: Game) -> str:
    return f"/join/{Table.objects.get(game=game).invitation}/"


def join_table(game: Game, name: str = "", **fields: object) -> Client:
    client = Client()
    response = client.post(invitation_path(game), {"name": name, "told": "research", **fields})
    assert response.status_code == 302, response.content.decode()
    return client


def post_act(client: Client, game: Game, do: str, **more: str) -> int:
    return client.post(
        f"/games/{game.code}/act", {"do": do, **more}, HTTP_HX_REQUEST="true"
    ).status_code


def player_of(client: Client, game: Game) -> Player | None:
    visitor = client.session.get("visitor")
    return Player.objects.filter(membership__visitor=visitor, membership__game=game).first()


def open_watched_table(**fields: object) -> Game:
    """Open a watched table by the form. An agent sits in every seat."""
    data = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "house"}
    response = Client().post("/tables/new", {**data, **fields})
    assert response.status_code == 302, response.content.decode()[:3000]
    return Game.objects.latest("pk")


def post_refused_form(**fields: object) -> str:
    data = {"ruleset": "one-night", "mode": "watch", "pace": "instant", "backend": "house"}
    response = Client().post("/tables/new", {**data, **fields})
    assert response.status_code == 422
    assert not Game.objects.exists()
    return str(response.content.decode())


def recipes_by_seat(game: Game) -> Mapping[int, dict]:
    return {p.seat: p.recipe for p in game.players.all()}


def finish_at_once(game: Game) -> Game:
    """Play to the end without pauses between statements."""
    Game.objects.filter(pk=game.pk).update(pace="none")
    Window.objects.filter(game=game).update(not_before=timezone.now())
    cached_games.clear_cache()
    game.refresh_from_db()
    return finish(game)


def post_answer(client: Client, game: Game, **form: object) -> HttpResponse:
    return client.post(f"/games/{game.code}/answer", form, headers=HTMX)


def build_page(game: Game, seat: int) -> Page:
    game.refresh_from_db()
    return Page(Guest(game, Player.objects.get(game=game, seat=seat), is_member=True))


def read_page(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.code}/").content.decode()
