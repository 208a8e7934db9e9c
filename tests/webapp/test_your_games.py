"""Tests of a visitor's finished games: their owner, the counts, and what removes them."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import cast

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import team_of
from game.models import Game, Player
from tests.game.table import finish
from tests.webapp.tables import finish_at_once, host_table, join_table, player_of, post_act
from webapp.play.models import Desk, Table
from webapp.play.page.desk_storage import GUESS_KEY
from webapp.play.tables.your_games import HOUSE_MEAN, GameResult, RatedGame, rate_player

pytestmark = pytest.mark.django_db


def play_single_game(client: Client, address: str = "/play") -> Game:
    code = client.post(address).headers["Location"].strip("/").split("/")[-1]
    return finish_at_once(Game.objects.get(code=code))


def page_of(client: Client) -> BeautifulSoup:
    response = client.get("/your-games")
    assert response.status_code == 200
    return BeautifulSoup(response.content.decode(), "html.parser")


def read_tallies(page: BeautifulSoup) -> dict[str, str]:
    rows = page.select(".tallies > div")
    return {r.select("dt")[0].text.strip(): " ".join(r.select("dd")[0].text.split()) for r in rows}


def listed_codes(page: BeautifulSoup) -> set[str]:
    return {str(a["href"]).strip("/").split("/")[-1] for a in page.select(".games a")}


def table_of(page: BeautifulSoup, section: str) -> list[list[str]]:
    rows = page.select(f"[aria-labelledby={section}] tbody tr")
    return [[" ".join(cell.text.split()) for cell in row.select("th, td")] for row in rows]


def test_page_counts_match_the_ends_of_the_games() -> None:
    client = Client()
    assert "You have no finished games yet" in page_of(client).text
    games = [play_single_game(client, address) for address in ("/daily", "/play")]
    games.append(finish(host_table(client, guests=0)))
    host_table(client, guests=0)  # not finished
    called_off = host_table(client, guests=0)
    assert post_act(client, called_off, "call_off") == 200
    results, roles, votes = [], [], []
    for game in games:
        view = selectors.view_for(game, visibility.AFTERMATH)
        player = game.players.get(kind=Player.PERSON)
        roles_of = view.state.roles
        game_over = next(e for e in view.events if e.kind == "game_over")
        results.append(player.seat in game_over["winners"])
        roles.append(roles_of[player.seat])
        ruleset = rulesets.get(game.ruleset)
        vote = next(e for e in view.events if e.kind == "vote" and e["seat"] == player.seat)
        teams = [team_of(ruleset, roles_of[seat]) for seat in (player.seat, *vote["targets"])]
        votes.append(teams[0] != teams[1])
        wolf = next(seat for seat, role in roles_of.items() if role == "werewolf")
        notes = {
            GUESS_KEY: {"phase": 1, "seat": wolf},
            "1": {"value": roles_of[1], "text": ""},
            "2": {"value": "seer" if roles_of[2] != "seer" else "mason", "text": ""},
            "3": {"value": "", "text": "talks much"},
        }
        Desk.objects.filter(player=player).update(notes=notes)
    page = page_of(client)
    counts = read_tallies(page)
    assert counts["Won"] == f"{sum(results)} of 3"
    streak = next((n for n, won in enumerate(reversed(results)) if not won), 3)
    assert counts["Won in a row"].startswith(str(streak))
    assert counts["Daily games in a row"] == "1"
    assert counts["Votes against another team"] == f"{sum(votes)} of 3"
    assert counts["Correct guesses"].startswith("6 of 9")
    assert listed_codes(page) == {game.code for game in games}
    by_role = {row[0]: row[1:] for row in table_of(page, "by-role")}
    names = {role.key: role.name for role in rulesets.get("one-night").roles}
    for key in roles:
        won = sum(w for w, role in zip(results, roles, strict=True) if role == key)
        assert by_role[names[key]][0] == f"{won} of {roles.count(key)}"
        assert "±" in by_role[names[key]][2]
    assert sum(int(row[1].split(" of ")[1]) for row in table_of(page, "by-team")) == 3
    assert 'href="/your-games"' in client.get("/").content.decode()
    assert 'href="/your-games"' in client.get(f"/games/{games[0].code}/").content.decode()
    assert not listed_codes(page_of(Client()))


def test_private_link_shares_games_until_it_is_revoked() -> None:
    desk, phone = Client(), Client()
    games = [play_single_game(desk), play_single_game(desk)]
    link = page_of(desk).select("#own-link")[0]["value"]
    phone_game = play_single_game(phone)
    assert "each other’s finished games" in phone.get(str(link)).content.decode()
    assert len(page_of(phone).select(".game")) == 1, "a view of the link changes nothing"
    phone.post(str(link))
    for client, games_of_client in ((desk, games), (phone, [phone_game, games[1]])):
        page = page_of(client)
        assert len(page.select(".game")) == 3
        assert listed_codes(page) == {game.code for game in games_of_client}, (
            "a listed game of another seat has no link"
        )
    assert phone.get(f"/games/{games[0].code}/").status_code == 403
    assert post_act(desk, games[1], "renew_link") == 200
    assert listed_codes(page_of(desk)) == {game.code for game in games}
    assert listed_codes(page_of(phone)) == {phone_game.code}


def test_erased_hidden_and_study_games_are_not_listed() -> None:
    host = Client()
    game, blind = host_table(host, guests=1), host_table(host, guests=1, blind="on")
    zoe = join_table(game, "Zoë")
    link = f"/seat/{Desk.objects.get(player=player_of(zoe, game)).key}/"
    phone = Client()
    phone.post(link)
    guest = join_table(blind)
    for client, table in ((host, game), (host, blind)):
        assert post_act(client, table, "start") == 200
        finish(table)
    study = play_single_game(host)
    Table.objects.filter(game=study).update(onward="/take/abc/")
    assert listed_codes(page_of(host)) == {game.code}
    assert "±" not in page_of(host).text, "another person played"
    assert not listed_codes(page_of(guest))
    assert post_act(host, blind, "reveal") == 200
    assert listed_codes(page_of(host)) == {game.code, blind.code}
    assert listed_codes(page_of(guest)) == {blind.code}
    assert "Zoë" in page_of(phone).text
    assert post_act(zoe, game, "erase") == 200
    for client in (zoe, phone):
        assert "You have no finished games yet" in page_of(client).text
    assert listed_codes(page_of(host)) == {game.code, blind.code}


def test_player_with_the_house_win_rate_has_the_house_rating_in_every_team() -> None:
    """Regardless of the sides' chances. A player who wins more has a higher rating."""
    random_source = random.Random(1)
    for team, share in (("tanner", 0.071), ("village", 0.396), ("werewolf", 0.533)):
        for win_rate, bounds in ((share, (-4, 4)), (share + 0.3, (4, 25))):
            results = ["won" if random_source.random() < win_rate else "lost" for _ in range(400)]
            games = [RatedGame("one-night", team, cast("GameResult", r)) for r in results]
            rating = rate_player(games)
            assert bounds[0] < rating.mu - HOUSE_MEAN < bounds[1], (team, win_rate, rating)
            assert rating.sigma < rate_player(games[:5]).sigma


def test_game_times_agree_on_home_and_your_games() -> None:
    client = Client()
    game = play_single_game(client)
    started_at, ended_at = (datetime(2026, 3, 4, 20, n, tzinfo=UTC) for n in (5, 50))
    Game.objects.filter(pk=game.pk).update(created_at=started_at, ended_at=ended_at)
    running = host_table(client, guests=0)
    home = BeautifulSoup(client.get("/").content.decode(), "html.parser")
    for page in (home, page_of(client)):
        (row,) = page.select(f".game:has(a[href='/games/{game.code}/'])")
        assert "ended 4 March, 20:50" in " ".join(row.text.split())
    (row,) = home.select(f".game:has(a[href='/games/{running.code}/'])")
    assert " started " in " ".join(row.text.split())


def test_model_notice_for_players_contains_no_developer_terms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    home = BeautifulSoup(Client().get("/").content.decode(), "html.parser")
    (line,) = home.select(".hero-model")
    assert "OPENAI" not in line.text
    (link,) = line.select("a")
    path, _, section = str(link["href"]).partition("#")
    help_page = BeautifulSoup(Client().get(path, follow=True).content.decode(), "html.parser")
    (heading,) = help_page.select(f"#{section}")
    assert "Language models" in heading.text
    assert "docs/models.md" in help_page.text
