"""Tests of the routes to a table: invitations, private links, spectators and repeated tables."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from game import host_actions, lobby
from game.engine import rulesets
from game.models import Game, Player, Window
from tests.game.table import finish
from webapp.play.models import AuditEntry, Desk, Membership, Table

pytestmark = pytest.mark.django_db


def set_table(client: Client, *, host: str = "testserver", **choices: object) -> Game:
    """Open a table by the form. The client has a seat unless `mode` says otherwise."""
    form = {"ruleset": "one-night", "mode": "play", "pace": "instant", "guests": 2, **choices}
    response = client.post("/tables/new", form, headers={"host": host})
    assert response.status_code == 302, response.content.decode()
    games = Game.objects.filter(code=response["Location"].strip("/").split("/")[-1])
    games.update(pace="none")  # no wait between statements
    Window.objects.update(not_before=timezone.now())
    return games.get()


def invitation(game: Game) -> str:
    return f"/join/{Table.objects.get(game=game).invitation}/"


def join(game: Game, name: str = "", **fields: object) -> Client:
    client = Client()
    response = client.post(invitation(game), {"name": name, "told": "research", **fields})
    assert response.status_code == 302, response.content.decode()
    return client


def act(client: Client, game: Game, do: str, **more: str) -> int:
    return client.post(
        f"/games/{game.code}/act", {"do": do, **more}, HTTP_HX_REQUEST="true"
    ).status_code


def seat_of(client: Client, game: Game) -> Player | None:
    visitor = client.session.get("visitor")
    return Player.objects.filter(membership__visitor=visitor, membership__game=game).first()


def test_invitation_enrols_nobody_before_its_button_is_pressed() -> None:
    game = set_table(Client())
    scanner = Client()
    for _ in range(3):
        page = scanner.get(invitation(game))
        assert page.status_code == 200
        assert "<form" in page.content.decode()
    assert game.players.filter(kind=Player.OPEN).count() == 2
    assert settings.SESSION_COOKIE_NAME not in scanner.cookies
    assert Membership.objects.filter(game=game).count() == 1


def test_guest_joins_by_the_lobby_link_and_plays() -> None:
    host = Client()
    game = set_table(host)
    page = host.get(f"/games/{game.code}/").content.decode()
    assert invitation(game) in page
    guest = join(game, "Anna")
    assert "Anna" in host.get(f"/games/{game.code}/").content.decode()
    assert act(guest, game, "start") == 403
    assert act(host, game, "start") == 200
    page = guest.get(f"/games/{game.code}/").content.decode()
    assert 'id="transcript"' in page
    assert "You are" in page


def test_refused_name_stays_in_the_form() -> None:
    game = set_table(Client())
    response = Client().post(invitation(game), {"name": "The Moderator of <all>"})
    assert response.status_code == 422
    assert 'value="The Moderator of &lt;all&gt;"' in response.content.decode()
    assert game.players.filter(kind=Player.OPEN).count() == 2


def test_second_press_takes_no_second_seat() -> None:
    game = set_table(Client())
    guest = join(game)
    assert guest.post(invitation(game), {"name": ""}).status_code == 302
    assert guest.get(invitation(game)).status_code == 302
    assert game.players.filter(kind=Player.PERSON).count() == 2


def test_full_started_and_called_off_tables_explain_the_refusal() -> None:
    host = Client()
    full, started, called_off = (set_table(host, guests=1) for _ in range(3))
    join(full)
    lobby.start(started.pk)
    host_actions.call_off(called_off.pk)
    for game, status, word in (
        (full, 409, "taken"),
        (started, 409, "begun"),
        (called_off, 410, "called"),
    ):
        for method in (Client().get, Client().post):
            response = method(invitation(game))
            assert response.status_code == status
            assert word in response.content.decode()
    assert Client().get("/join/nothing/").status_code == 404


def test_private_link_opens_the_same_seat_in_another_browser() -> None:
    game = set_table(Client())
    guest = join(game, "Anna")
    seat = seat_of(guest, game)
    key = Desk.objects.get(player=seat).key
    assert f"/seat/{key}/" in guest.get(f"/games/{game.code}/").content.decode()
    phone = Client()
    page = phone.get(f"/seat/{key}/")
    assert page.status_code == 200
    assert "Yes, continue as Anna" in page.content.decode()
    assert settings.SESSION_COOKIE_NAME not in phone.cookies
    assert seat_of(phone, game) is None, "a view of the link changes nothing"
    assert phone.post(f"/seat/{key}/").status_code == 302
    assert seat_of(phone, game) == seat
    lobby.start(game.pk)
    pages = [c.get(f"/games/{game.code}/").content.decode() for c in (guest, phone)]
    secrets = [re.findall(r'class="secret-text">([^<]+)', page) for page in pages]
    assert secrets[0] == secrets[1] != []
    assert Client().get("/seat/nothing/").status_code == 404


def test_private_link_of_the_host_carries_host_rights() -> None:
    host = Client()
    game = set_table(host)
    guest = join(game)
    phones = []
    for person in (host, guest):
        phone = Client()
        phone.post(f"/seat/{Desk.objects.get(player=seat_of(person, game)).key}/")
        phones.append(phone)
    assert act(phones[1], game, "start") == 403
    assert act(phones[0], game, "start") == 200


def test_browser_changes_seats_only_after_confirmation() -> None:
    game = set_table(Client())
    first_guest, second_guest = join(game), join(game)
    second_seat = seat_of(second_guest, game)
    link = f"/seat/{Desk.objects.get(player=second_seat).key}/"
    response = first_guest.get(link)
    assert response.status_code == 200
    assert seat_of(first_guest, game) != second_seat
    assert first_guest.post(link).status_code == 302
    assert seat_of(first_guest, game) == second_seat


def test_removed_or_departed_guest_is_an_outsider() -> None:
    host = Client()
    game = set_table(host)
    name = "Hildegard"  # too long to be part of a random key
    removed, departed = join(game, name), join(game, "Berta")
    links = [f"/seat/{d.key}/" for d in Desk.objects.filter(player__name__in=[name, "Berta"])]
    seat = seat_of(removed, game)
    assert act(host, game, f"remove:{seat.seat if seat else 0}") == 200
    assert act(departed, game, "leave") == 302
    for client in (removed, departed):
        assert client.get(f"/games/{game.code}/").status_code == 403
    assert [Client().get(link).status_code for link in links] == [404, 404]
    assert game.players.filter(kind=Player.OPEN).count() == 2
    assert name not in host.get(f"/games/{game.code}/").content.decode()


def test_removed_player_cannot_rejoin_before_host_allows_it() -> None:
    host = Client()
    game = set_table(host, spectators="on")
    removed, guest = join(game, "Anna"), join(game, "Berta")
    seat, guest_seat = seat_of(removed, game), seat_of(guest, game)
    assert seat
    assert act(host, game, f"remove:{seat.seat}") == 200
    for path in (invitation(game), f"/seat/{Desk.objects.get(player=guest_seat).key}/"):
        for method in (removed.get, removed.post):
            assert method(path).status_code == 403
    assert removed.get(f"/games/{game.code}/").status_code == 403, "not even as a spectator"
    assert game.players.filter(kind=Player.OPEN).count() == 1
    assert 'value="readmit"' in host.get(f"/games/{game.code}/").content.decode()
    assert 'value="readmit"' not in guest.get(f"/games/{game.code}/").content.decode()
    assert act(host, game, "readmit") == 200
    assert removed.post(invitation(game)).status_code == 302


def test_departed_guest_can_rejoin() -> None:
    game = set_table(Client())
    guest = join(game, "Anna")
    assert act(guest, game, "leave") == 302
    assert guest.post(invitation(game)).status_code == 302


def test_renewed_invitation_replaces_the_old_one() -> None:
    host = Client()
    game = set_table(host)
    guest, old_invitation = join(game, "Anna"), invitation(game)
    assert 'value="renew_invitation"' in host.get(f"/games/{game.code}/").content.decode()
    assert act(host, game, "renew_invitation") == 200
    assert Client().post(old_invitation).status_code == 404
    assert guest.get(f"/games/{game.code}/").status_code == 200
    assert Client().post(invitation(game)).status_code == 302


def test_renewed_private_link_revokes_browsers_of_the_old_one() -> None:
    game = set_table(Client())
    owner, thief = join(game, "Anna"), Client()
    seat = seat_of(owner, game)
    old_link = f"/seat/{Desk.objects.get(player=seat).key}/"
    assert thief.post(old_link).status_code == 302
    assert act(thief, game, "renew_link") == 200
    assert seat_of(owner, game) == seat, "a later browser does not revoke the owner"
    assert 'value="renew_link"' in owner.get(f"/games/{game.code}/").content.decode()
    assert act(owner, game, "renew_link") == 200
    assert [seat_of(owner, game), seat_of(thief, game)] == [seat, None]
    assert thief.get(f"/games/{game.code}/").status_code == 403
    assert Client().post(old_link).status_code == 404
    assert Client().post(f"/seat/{Desk.objects.get(player=seat).key}/").status_code == 302


def test_departing_host_passes_the_table_to_a_guest() -> None:
    host = Client()
    game = set_table(host)
    guest = join(game)
    assert act(host, game, "leave") == 302
    assert act(guest, game, "start") == 200


def test_spectators_see_public_information_where_allowed() -> None:
    private_game, public_game = set_table(Client()), set_table(Client(), spectators="on")
    for game in (private_game, public_game):
        lobby.start(game.pk)
    assert Client().get(f"/games/{private_game.code}/").status_code == 403
    watcher = Client()
    page = watcher.get(f"/games/{public_game.code}/").content.decode()
    assert 'id="transcript"' in page
    assert "secret-text" not in page
    assert 'id="say"' not in page
    assert not re.search("/(seat|join)/", page)
    for address in ("answer", "act", "again", "note", "draft"):
        form = {"do": "pause", "window": "statement.1.1.1", "text": "Hi"}
        assert watcher.post(f"/games/{public_game.code}/{address}", form).status_code == 403
    assert settings.SESSION_COOKIE_NAME not in watcher.cookies


def test_similar_table_is_created_once_for_all_players() -> None:
    host = Client()
    game = set_table(host)
    anna, berta = join(game, "Anna"), join(game, "Berta")
    phone = Client()
    phone.post(f"/seat/{Desk.objects.get(player=seat_of(anna, game)).key}/")
    assert act(host, game, "start") == 200
    assert anna.post(f"/games/{game.code}/again").status_code == 409, "not before the end"
    finish(game)
    first = anna.post(f"/games/{game.code}/again")["Location"]
    assert host.post(f"/games/{game.code}/again")["Location"] == first
    assert first in berta.get(f"/games/{game.code}/").content.decode()
    similar = Game.objects.get(code=first.strip("/").split("/")[-1])
    assert similar.status == Game.GATHERING
    people = similar.players.filter(kind=Player.PERSON)
    assert people.count() == 3
    assert {"Anna", "Berta"} < set(people.values_list("name", flat=True))
    assert seat_of(phone, similar) == seat_of(anna, similar) != seat_of(berta, similar)
    assert act(host, similar, "start") == 403, "the player who repeated the table is the host"
    assert act(anna, similar, "start") == 200


def test_name_refused_by_newer_rules_is_replaced_by_the_seat_name() -> None:
    host = Client()
    game = set_table(host)
    anna = join(game, "Anna")
    Player.objects.filter(name="Anna").update(name="Seer Anna")
    act(host, game, "start")
    finish(game)
    address = host.post(f"/games/{game.code}/again")["Location"]
    similar = Game.objects.get(code=address.strip("/").split("/")[-1])
    seat = seat_of(anna, similar)
    assert seat
    assert seat.name in rulesets.get("one-night").seat_names


def test_similar_table_of_a_single_player_starts_at_once() -> None:
    player = Client()
    game = set_table(player, guests=0)
    finish(game)
    similar_address = player.post(f"/games/{game.code}/again")["Location"]
    assert Game.objects.get(code=similar_address.strip("/").split("/")[-1]).status == Game.RUNNING


@pytest.mark.parametrize("guests", ["-1", "8", "99", "x"])
def test_invalid_guest_count_is_refused_and_form_values_kept(guests: str) -> None:
    form = {"ruleset": "one-night", "mode": "play", "pace": "natural", "guests": guests}
    response = Client().post("/tables/new", {**form, "vote_seconds": "77"})
    assert response.status_code == 422
    assert 'value="77"' in response.content.decode()
    assert not Game.objects.exists()


def test_eight_people_can_play_and_a_host_can_watch() -> None:
    assert set_table(Client(), guests=7).players.filter(kind=Player.OPEN).count() == 7
    game = set_table(Client(), guests=8, mode="watch")
    assert game.players.filter(kind=Player.OPEN).count() == 8
    guests = [join(game) for _ in range(8)]
    assert len({seat_of(guest, game) for guest in guests}) == 8


def test_transcript_of_a_gathering_table_is_empty() -> None:
    client = Client()
    game = set_table(client, guests=1)
    response = client.get(f"/games/{game.code}/transcript.txt")
    assert response.status_code == 200
    assert "The game has not begun." in response.content.decode()
    assert client.get(f"/games/{game.code}/transcript.jsonl").content == b""


def test_removal_renews_the_invitation() -> None:
    host = Client()
    game = set_table(host)
    removed, old_invitation = join(game, "Anna"), invitation(game)
    seat = seat_of(removed, game)
    assert seat
    response = host.post(
        f"/games/{game.code}/act", {"do": f"remove:{seat.seat}"}, HTTP_HX_REQUEST="true"
    )
    assert Client().post(old_invitation, {"name": "Anna"}).status_code == 404
    new_invitation = invitation(game)
    assert new_invitation != old_invitation
    assert f'data-invitation="{new_invitation}"' in response.content.decode(), (
        "the open page gets the new invitation"
    )
    assert join(game, "Berta").get(f"/games/{game.code}/").status_code == 200
    assert act(host, game, "start") == 200
    host_seat = seat_of(host, game)
    assert host_seat


def test_use_of_links_is_audited() -> None:
    game = set_table(Client())
    guest = join(game, "Anna")
    seat = seat_of(guest, game)
    assert seat
    key = Desk.objects.get(player=seat).key
    Client().get(f"/seat/{key}/")
    for _ in range(2):
        Client().post(f"/seat/{key}/")
    entries = AuditEntry.objects.order_by("pk").values_list("what", "seat", "by_host")
    assert list(entries) == [("join", seat.seat, False)] + [("open_link", seat.seat, False)] * 2


def test_guest_with_a_stolen_link_cannot_revoke_its_owner() -> None:
    game = set_table(Client())
    thief, owner = join(game, "Eve"), join(game, "Anna")  # the thief joined first
    seat = seat_of(owner, game)
    assert seat
    thief.post(f"/seat/{Desk.objects.get(player=seat).key}/")
    assert seat_of(thief, game) == seat
    assert act(thief, game, "renew_link") == 200
    assert seat_of(owner, game) == seat
    assert act(owner, game, "renew_link") == 200
    assert seat_of(thief, game) is None


def test_refused_guest_leaves_no_session() -> None:
    game = set_table(Client())
    assert Client().post(invitation(game), {"name": "Moderator"}).status_code == 422
    assert Session.objects.count() == 1, "the host's"
