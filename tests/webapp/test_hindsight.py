"""The lines that decided a game: a worker finds them once, the page links each to its line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from game import host_actions, selectors, services
from game.engine.forms import Action, pick, say
from game.models import Game, Player
from game.selectors import OpenWindow
from tests.game.table import any_answer, new_game
from tests.webapp.test_replay import look, text
from webapp.play import readings
from webapp.play.models import Hindsight, Table
from webapp.play.replay.hindsight import TASK
from webapp.play.tasks import find_decisive_lines
from webapp.play.turns import withdrawals

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
Hand = Callable[[OpenWindow, int], Action]
HTMX = {"HX-Request": "true"}


def played(hand: Hand, **choices: object) -> Game:
    game = new_game(1, **choices)  # type: ignore[arg-type]
    Table.objects.create(game=game)
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                services.answer(game.pk, seat, window.window.key, hand(window, seat))
    game.refresh_from_db()
    return game


def seer_finds(game_roles: dict[int, str], window: OpenWindow, seat: int) -> Action:
    """The Seer finds the Werewolf and says so; the vote falls on a Mason, four votes to three."""
    (wolf,) = (s for s, role in game_roles.items() if role == "werewolf")
    mason, other = (s for s, role in game_roles.items() if role == "mason")
    kind = window.window.kind
    if game_roles[seat] == "seer" and kind == "statement":
        names = {s: window_name(s) for s in (wolf, other)}
        looked = f"I looked at {names[wolf]} and {names[other]}"
        return say(f"I am the Seer. {looked}, and the Werewolf is one of them.")
    if kind == "statement":
        return say("Nothing from me.")
    if kind == "vote":
        wolves = sorted(s for s in game_roles if s != wolf)[:3]
        return pick(wolf if seat in wolves and seat != wolf else mason if seat != mason else other)
    if game_roles[seat] == "seer" and kind == "divination":
        return pick(wolf, other)
    return any_answer(window, seat)


def window_name(seat: int) -> str:
    return ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Theta", "Zeta", "Eta")[seat - 1]


def found_out(**choices: object) -> Game:
    """A game in which the Seer's true words were not followed."""
    roles = roles_of(new_game(1))
    return played(lambda window, seat: seer_finds(roles, window, seat), **choices)


def roles_of(game: Game) -> dict[int, str]:
    dealt = game.events.filter(kind="role_dealt")
    return {e.data["seat"]: e.data["role"] for e in dealt}


def hindsight(client: Client, game: Game, **headers: str) -> str:
    return text(client.get(f"/games/{game.code}/hindsight", headers=headers))


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(readings, "send", lambda *task: sent.append(task) or True)
    return sent


def test_worker_finds_decisive_lines_once_and_the_page_links_to_them(
    sit: Sit,
    queue: list[tuple[str, int]],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    game = found_out()
    client = sit(game, 1)
    assert f"/games/{game.code}/hindsight" in text(client.get(f"/games/{game.code}/"))
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        part = hindsight(client, game, **HTMX)
        hindsight(client, game, **HTMX)
    assert queue == [(TASK, game.pk)]
    assert 'hx-trigger="load delay:1s"' in part, "it asks again by itself"
    assert "<html" not in part
    find_decisive_lines(game.pk)
    whole = hindsight(client, game)
    assert "hx-trigger" not in whole
    seer = next(seat for seat, role in roles_of(game).items() if role == "seer")
    for title in ("The most revealing statement", "The truth that was ignored"):
        assert title in whole
    assert "(Seer) spoke the truth about" in whole
    addresses = re.findall(r'<a href="/games/\w+/replay(\?at=\d+&amp;as=moderator)"', whole)
    assert addresses
    page = text(look(client, game, addresses[0].replace("&amp;", "&")))
    assert re.search(rf"Line \d+ of \d+. {window_name(seer)}: I am the Seer.", page)


def test_removed_text_deletes_the_hindsight_that_quotes_it(sit: Sit) -> None:
    game = found_out()
    client = sit(game, 1)
    hindsight(client, game)
    find_decisive_lines(game.pk)
    assert "I am the Seer" in hindsight(client, game)
    seer = next(seat for seat, role in roles_of(game).items() if role == "seer")
    spoken = game.utterances.filter(seat=seer)
    for row in spoken:
        withdrawals.remove_text(game.pk, row.window, seer)
    assert not Hindsight.objects.exists()
    # A key in an address may hold the word by chance.
    visible_text = re.sub(r"<[^>]*>", " ", hindsight(client, game))
    assert "Seer" not in visible_text
    find_decisive_lines(game.pk)
    assert "I am the Seer" not in hindsight(client, game)


def test_game_without_a_decisive_line_gets_a_notice(sit: Sit) -> None:
    def quiet(window: OpenWindow, seat: int) -> Action:
        if window.window.kind == "statement":
            return say("Nothing from me.")
        options = window.window.options_for(seat)
        return pick(options[0]) if window.window.kind == "vote" else any_answer(window, seat)

    game = played(quiet)
    hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    assert "Nothing decided this game alone" in hindsight(sit(game, 1), game)


def test_hindsight_is_available_after_the_game_to_replay_viewers_only(sit: Sit) -> None:
    game = new_game(1)
    Table.objects.create(game=game)
    address = f"/games/{game.code}/hindsight"
    assert sit(game, 1).get(address).status_code == 409
    assert Client().get(address).status_code == 403
    host_actions.call_off(game.pk)
    assert sit(game, 1).get(address).status_code == 410
    studied = found_out()
    Table.objects.filter(game=studied).update(onward="/study/")
    assert sit(studied, 1).get(f"/games/{studied.code}/hindsight").status_code == 403
    assert f"/games/{studied.code}/hindsight" not in text(
        sit(studied, 1).get(f"/games/{studied.code}/")
    )
    assert not Hindsight.objects.exists()


def test_links_at_a_blind_table_lead_to_the_own_view(sit: Sit) -> None:
    game = found_out(settings={"blind": True})
    hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = hindsight(sit(game, 1), game)
    assert "as=moderator" not in page
    assert "&amp;as=1" in page


def test_line_decisive_in_two_ways_is_listed_once(sit: Sit) -> None:
    game = found_out()
    hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = hindsight(sit(game, 1), game)
    assert page.count("I am the Seer.") == 1
    assert "The most revealing statement · The truth that was ignored" in page
    addresses = re.findall(r"replay(\?at=\d+)", page)
    assert len(addresses) == len(set(addresses))


def test_minion_reads_how_lines_affected_its_side(sit: Sit) -> None:
    game = found_out()
    hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    row = Hindsight.objects.get(game=game)
    shift = next(line for line in row.lines if line["kind"] == "shift")
    for role, helps in (("minion", True), ("werewolf", True), ("villager", False)):
        seat = next(seat for seat, dealt in roles_of(game).items() if dealt == role)
        Player.objects.filter(game=game, seat=seat).update(kind=Player.PERSON)
        page = hindsight(sit(game, seat), game)
        assert ("It gave your side away." in page) == helps
        assert ("Your side benefited because no one followed it." in page) == helps
    minion = next(seat for seat, dealt in roles_of(game).items() if dealt == "minion")
    hunted = roles_of(game)[shift["target"]] == "werewolf"
    shift["before"], shift["after"] = (0.5, 0.1) if hunted else (0.1, 0.5)  # the words misled
    cast = shift | {"kind": "vote", "position": game.events.count(), "other_seats": [minion]}
    for role, said in (
        ("werewolf", "It hit a player on your side."),
        ("seer", "It hit no one on your side."),
    ):
        target = next(seat for seat, dealt in roles_of(game).items() if dealt == role)
        row.lines = [shift, cast | {"target": target, "counts": [4, 3]}]
        row.save()
        page = hindsight(sit(game, minion), game)
        assert "It helped your side." in page
        assert said in page


def test_page_explains_how_the_tanner_could_have_won(sit: Sit) -> None:
    """Three votes for the Tanner, four for a Mason."""
    roles = roles_of(new_game(1))
    tanner = next(seat for seat, role in roles.items() if role == "tanner")
    mason = next(seat for seat, role in roles.items() if role == "mason")
    others = [seat for seat in roles if seat not in (tanner, mason)]

    def vote(window: OpenWindow, seat: int) -> Action:
        if window.window.kind == "statement":
            return say("Nothing from me.")
        if window.window.kind != "vote":
            return any_answer(window, seat)
        if seat in (mason, *others[:2]):
            return pick(tanner)
        return pick(others[0] if seat == tanner else mason)

    game = played(vote)
    hindsight(sit(game, 1), game)
    find_decisive_lines(game.pk)
    page = re.sub(r"\s+", " ", hindsight(sit(game, 1), game))
    loser, out = window_name(tanner), window_name(mason)
    assert "How the Tanner could have won" in page
    assert f"{loser} was the Tanner, who wins by being voted out." in page
    assert f"{loser} had 3 votes, and {out} was voted out with 4 votes." in page
    assert f" had voted for {loser}, {loser} would have been out." in page
