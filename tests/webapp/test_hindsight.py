"""Tests of hindsight: a worker finds the decisive lines once, and the page links to them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from game import game_actions
from game.cached_games import OpenWindow
from game.engine.events import Action, pick, say
from game.models import Game, Player
from tests.game.table import any_answer, new_game
from tests.webapp.ignored_seer import (
    play_game_with_ignored_seer,
    play_with_answers,
    roles_of,
    seat_name,
)
from tests.webapp.replays import get_replay, page_html
from webapp.play.models import Hindsight, Table
from webapp.play.replay.hindsight import TASK
from webapp.play.tasks import find_decisive_lines
from webapp.play.turns import withdrawals

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
HTMX = {"HX-Request": "true"}


def read_hindsight(client: Client, game: Game, **headers: str) -> str:
    return page_html(client.get(f"/games/{game.code}/hindsight", headers=headers))


def test_worker_finds_decisive_lines_once_and_the_page_links_to_them(
    sit: Sit,
    queued_tasks: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    game = play_game_with_ignored_seer()
    client = sit(game, 1)
    assert f"/games/{game.code}/hindsight" in page_html(client.get(f"/games/{game.code}/"))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        fragment = read_hindsight(client, game, **HTMX)
        read_hindsight(client, game, **HTMX)
    assert queued_tasks == [(TASK, game.pk)]
    assert 'hx-trigger="load delay:1s"' in fragment, "the fragment reloads itself"
    assert "<html" not in fragment
    find_decisive_lines(game.pk)
    page = read_hindsight(client, game)
    assert "hx-trigger" not in page
    seer = next(seat for seat, role in roles_of(game).items() if role == "seer")
    for title in ("The most revealing statement", "The truth that was ignored"):
        assert title in page
    assert "(Seer) spoke the truth about" in page
    addresses = re.findall(r'<a href="/games/\w+/replay(\?at=\d+&amp;as=moderator)"', page)
    assert addresses
    page = page_html(get_replay(client, game, addresses[0].replace("&amp;", "&")))
    assert re.search(rf"Line \d+ of \d+. {seat_name(seer)}: I am the Seer.", page)


def test_removed_text_deletes_the_hindsight_that_quotes_it(sit: Sit) -> None:
    game = play_game_with_ignored_seer()
    client = sit(game, 1)
    read_hindsight(client, game)
    find_decisive_lines(game.pk)
    assert "I am the Seer" in read_hindsight(client, game)
    seer = next(seat for seat, role in roles_of(game).items() if role == "seer")
    utterances = game.utterances.filter(seat=seer)
    for row in utterances:
        withdrawals.request_text_removal(game.pk, row.window, seer)
        withdrawals.complete_withdrawals(game.pk)
    assert not Hindsight.objects.exists()
    # A key in an address may hold the word by chance.
    visible_text = re.sub(r"<[^>]*>", " ", read_hindsight(client, game))
    assert "Seer" not in visible_text
    find_decisive_lines(game.pk)
    assert "I am the Seer" not in read_hindsight(client, game)


def test_game_without_a_decisive_line_gets_a_notice(sit: Sit) -> None:
    def quiet(window: OpenWindow, seat: int) -> Action:
        if window.window.kind == "statement":
            return say("Nothing from me.")
        options = window.window.options_for(seat)
        return pick(options[0]) if window.window.kind == "vote" else any_answer(window, seat)

    game = play_with_answers(quiet)
    read_hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    assert "Nothing decided this game alone" in read_hindsight(sit(game, 1), game)


def test_hindsight_is_available_after_the_game_to_replay_viewers_only(sit: Sit) -> None:
    game = new_game(1)
    Table.objects.create(game=game)
    address = f"/games/{game.code}/hindsight"
    assert sit(game, 1).get(address).status_code == 409
    assert Client().get(address).status_code == 403
    game_actions.call_off(game.pk)
    assert sit(game, 1).get(address).status_code == 410
    study_game = play_game_with_ignored_seer()
    Table.objects.filter(game=study_game).update(onward="/study/")
    assert sit(study_game, 1).get(f"/games/{study_game.code}/hindsight").status_code == 403
    assert f"/games/{study_game.code}/hindsight" not in page_html(
        sit(study_game, 1).get(f"/games/{study_game.code}/")
    )
    assert not Hindsight.objects.exists()


def test_links_at_a_blind_table_lead_to_the_own_view(sit: Sit) -> None:
    game = play_game_with_ignored_seer(settings={"blind": True})
    read_hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = read_hindsight(sit(game, 1), game)
    assert "as=moderator" not in page
    assert "&amp;as=1" in page


def test_line_decisive_in_two_ways_is_listed_once(sit: Sit) -> None:
    game = play_game_with_ignored_seer()
    read_hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = read_hindsight(sit(game, 1), game)
    assert page.count("I am the Seer.") == 1
    assert "The most revealing statement · The truth that was ignored" in page
    addresses = re.findall(r"replay(\?at=\d+)", page)
    assert len(addresses) == len(set(addresses))


def test_minion_reads_how_lines_affected_its_side(sit: Sit) -> None:
    game = play_game_with_ignored_seer()
    read_hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    row = Hindsight.objects.get(game=game)
    shift = next(line for line in row.lines if line["kind"] == "shift")
    for role, helps in (("minion", True), ("werewolf", True), ("villager", False)):
        seat = next(seat for seat, dealt_role in roles_of(game).items() if dealt_role == role)
        Player.objects.filter(game=game, seat=seat).update(kind=Player.PERSON)
        page = read_hindsight(sit(game, seat), game)
        assert ("It gave your side away." in page) == helps
        assert ("Your side benefited because no one followed it." in page) == helps
    minion = next(seat for seat, dealt_role in roles_of(game).items() if dealt_role == "minion")
    is_werewolf = roles_of(game)[shift["target"]] == "werewolf"
    shift["before"], shift["after"] = (
        (0.5, 0.1) if is_werewolf else (0.1, 0.5)
    )  # the statement misled
    vote = shift | {"kind": "vote", "position": game.events.count(), "other_seats": [minion]}
    for role, effect in (
        ("werewolf", "It hit a player on your side."),
        ("seer", "It hit no one on your side."),
    ):
        target = next(seat for seat, dealt_role in roles_of(game).items() if dealt_role == role)
        row.lines = [shift, vote | {"target": target, "counts": [4, 3]}]
        row.save()
        page = read_hindsight(sit(game, minion), game)
        assert "It helped your side." in page
        assert effect in page


def test_page_explains_how_the_tanner_could_have_won(sit: Sit) -> None:
    """Three votes for the Tanner, four for a Mason."""
    roles = roles_of(new_game(1))
    tanner = next(seat for seat, role in roles.items() if role == "tanner")
    mason = next(seat for seat, role in roles.items() if role == "mason")
    voters = [seat for seat in roles if seat not in (tanner, mason)]

    def vote(window: OpenWindow, seat: int) -> Action:
        if window.window.kind == "statement":
            return say("Nothing from me.")
        if window.window.kind != "vote":
            return any_answer(window, seat)
        if seat in (mason, *voters[:2]):
            return pick(tanner)
        return pick(voters[0] if seat == tanner else mason)

    game = play_with_answers(vote)
    read_hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = re.sub(r"\s+", " ", read_hindsight(sit(game, 1), game))
    tanner_name, exiled_name = seat_name(tanner), seat_name(mason)
    assert "How the Tanner could have won" in page
    assert f"{tanner_name} was the Tanner, who wins by being voted out." in page
    assert f"{tanner_name} had 3 votes, and {exiled_name} was voted out with 4 votes." in page
    assert f" had voted for {tanner_name}, {tanner_name} would have been out." in page
