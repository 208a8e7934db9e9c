"""Tests of the routes to a table: invitations, private links, spectators and repeated tables."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from game import game_actions, lobby
from game.engine import rulesets
from game.models import Game, Player
from tests.game.table import finish
from tests.webapp.tables import host_table, invitation_path, join_table, player_of, post_act
from webapp.play.models import AuditEntry, Desk, Membership

pytestmark = pytest.mark.django_db


def test_invitation_enrols_nobody_before_its_button_is_pressed() -> None:
    game = host_table(Client())
    scanner = Client()
    for _ in range(3):
        page = scanner.get(invitation_path(game))
        assert page.status_code == 200
        assert "<form" in page.content.decode()
    assert game.players.filter(kind=Player.OPEN).count() == 2
    assert settings.SESSION_COOKIE_NAME not in scanner.cookies
    assert Membership.objects.filter(game=game).count() == 1


def test_guest_joins_by_the_lobby_link_and_plays() -> None:
    host = Client()
    game = host_table(host)
    page = host.get(f"/games/{game.code}/").content.decode()
    assert invitation_path(game) in page
    guest = join_table(game, "Anna")
    assert "Anna" in host.get(f"/games/{game.code}/").content.decode()
    assert post_act(guest, game, "start") == 403
    assert post_act(host, game, "start") == 200
    page = guest.get(f"/games/{game.code}/").content.decode()
    assert 'id="transcript"' in page
    assert "You are" in page


def test_refused_name_stays_in_the_form() -> None:
    game = host_table(Client())
    response = Client().post(invitation_path(game), {"name": "The Moderator of <all>"})
    assert response.status_code == 422
    assert 'value="The Moderator of &lt;all&gt;"' in response.content.decode()
    assert game.players.filter(kind=Player.OPEN).count() == 2


def test_second_press_takes_no_second_seat() -> None:
    game = host_table(Client())
    guest = join_table(game)
    assert guest.post(invitation_path(game), {"name": ""}).status_code == 302
    assert guest.get(invitation_path(game)).status_code == 302
    assert game.players.filter(kind=Player.PERSON).count() == 2


def test_full_started_and_called_off_tables_explain_the_refusal() -> None:
    host = Client()
    full, started, called_off = (host_table(host, guests=1) for _ in range(3))
    join_table(full)
    lobby.start(started.pk)
    game_actions.call_off(called_off.pk)
    for game, status, word in (
        (full, 409, "taken"),
        (started, 409, "begun"),
        (called_off, 410, "called"),
    ):
        for method in (Client().get, Client().post):
            response = method(invitation_path(game))
            assert response.status_code == status
            assert word in response.content.decode()
    assert Client().get("/join/nothing/").status_code == 404


def test_private_link_opens_the_same_seat_in_another_browser() -> None:
    game = host_table(Client())
    guest = join_table(game, "Anna")
    seat = player_of(guest, game)
    key = Desk.objects.get(player=seat).key
    assert f"/seat/{key}/" in guest.get(f"/games/{game.code}/").content.decode()
    phone = Client()
    page = phone.get(f"/seat/{key}/")
    assert page.status_code == 200
    assert "Yes, continue as Anna" in page.content.decode()
    assert settings.SESSION_COOKIE_NAME not in phone.cookies
    assert player_of(phone, game) is None, "a view of the link changes nothing"
    assert phone.post(f"/seat/{key}/").status_code == 302
    assert player_of(phone, game) == seat
    lobby.start(game.pk)
    pages = [c.get(f"/games/{game.code}/").content.decode() for c in (guest, phone)]
    secrets = [re.findall(r'class="secret-text">([^<]+)', page) for page in pages]
    assert secrets[0] == secrets[1] != []
    assert Client().get("/seat/nothing/").status_code == 404


def test_private_link_of_the_host_carries_host_rights() -> None:
    host = Client()
    game = host_table(host)
    guest = join_table(game)
    phones = []
    for person in (host, guest):
        phone = Client()
        phone.post(f"/seat/{Desk.objects.get(player=player_of(person, game)).key}/")
        phones.append(phone)
    assert post_act(phones[1], game, "start") == 403
    assert post_act(phones[0], game, "start") == 200


def test_browser_changes_seats_only_after_confirmation() -> None:
    game = host_table(Client())
    first_guest, second_guest = join_table(game), join_table(game)
    second_seat = player_of(second_guest, game)
    link = f"/seat/{Desk.objects.get(player=second_seat).key}/"
    response = first_guest.get(link)
    assert response.status_code == 200
    assert player_of(first_guest, game) != second_seat
    assert first_guest.post(link).status_code == 302
    assert player_of(first_guest, game) == second_seat


def test_removed_or_departed_guest_is_an_outsider() -> None:
    host = Client()
    game = host_table(host)
    name = "Hildegard"  # too long to be part of a random key
    removed, departed = join_table(game, name), join_table(game, "Berta")
    links = [f"/seat/{d.key}/" for d in Desk.objects.filter(player__name__in=[name, "Berta"])]
    seat = player_of(removed, game)
    assert post_act(host, game, f"remove:{seat.seat if seat else 0}") == 200
    assert post_act(departed, game, "leave") == 302
    for client in (removed, departed):
        assert client.get(f"/games/{game.code}/").status_code == 403
    assert [Client().get(link).status_code for link in links] == [404, 404]
    assert game.players.filter(kind=Player.OPEN).count() == 2
    assert name not in host.get(f"/games/{game.code}/").content.decode()


def test_removed_player_cannot_rejoin_before_host_allows_it() -> None:
    host = Client()
    game = host_table(host, spectators="on")
    removed, guest = join_table(game, "Anna"), join_table(game, "Berta")
    seat, guest_seat = player_of(removed, game), player_of(guest, game)
    assert seat
    assert post_act(host, game, f"remove:{seat.seat}") == 200
    for path in (invitation_path(game), f"/seat/{Desk.objects.get(player=guest_seat).key}/"):
        for method in (removed.get, removed.post):
            assert method(path).status_code == 403
    assert removed.get(f"/games/{game.code}/").status_code == 403, "not even as a spectator"
    assert game.players.filter(kind=Player.OPEN).count() == 1
    assert 'value="readmit"' in host.get(f"/games/{game.code}/").content.decode()
    assert 'value="readmit"' not in guest.get(f"/games/{game.code}/").content.decode()
    assert post_act(host, game, "readmit") == 200
    assert removed.post(invitation_path(game)).status_code == 302


def test_departed_guest_can_rejoin() -> None:
    game = host_table(Client())
    guest = join_table(game, "Anna")
    assert post_act(guest, game, "leave") == 302
    assert guest.post(invitation_path(game)).status_code == 302


def test_renewed_invitation_replaces_the_old_one() -> None:
    host = Client()
    game = host_table(host)
    guest, old_invitation = join_table(game, "Anna"), invitation_path(game)
    assert 'value="renew_invitation"' in host.get(f"/games/{game.code}/").content.decode()
    assert post_act(host, game, "renew_invitation") == 200
    assert Client().post(old_invitation).status_code == 404
    assert guest.get(f"/games/{game.code}/").status_code == 200
    assert Client().post(invitation_path(game)).status_code == 302


def test_renewed_private_link_revokes_browsers_of_the_old_one() -> None:
    game = host_table(Client())
    owner, thief = join_table(game, "Anna"), Client()
    seat = player_of(owner, game)
    old_link = f"/seat/{Desk.objects.get(player=seat).key}/"
    assert thief.post(old_link).status_code == 302
    assert post_act(thief, game, "renew_link") == 200
    assert player_of(owner, game) == seat, "a later browser does not revoke the owner"
    assert 'value="renew_link"' in owner.get(f"/games/{game.code}/").content.decode()
    assert post_act(owner, game, "renew_link") == 200
    assert [player_of(owner, game), player_of(thief, game)] == [seat, None]
    assert thief.get(f"/games/{game.code}/").status_code == 403
    assert Client().post(old_link).status_code == 404
    assert Client().post(f"/seat/{Desk.objects.get(player=seat).key}/").status_code == 302


def test_departing_host_passes_the_table_to_a_guest() -> None:
    host = Client()
    game = host_table(host)
    guest = join_table(game)
    assert post_act(host, game, "leave") == 302
    assert post_act(guest, game, "start") == 200


def test_spectators_see_public_information_where_allowed() -> None:
    private_game, public_game = host_table(Client()), host_table(Client(), spectators="on")
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
    game = host_table(host)
    anna, berta = join_table(game, "Anna"), join_table(game, "Berta")
    phone = Client()
    phone.post(f"/seat/{Desk.objects.get(player=player_of(anna, game)).key}/")
    assert post_act(host, game, "start") == 200
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
    assert player_of(phone, similar) == player_of(anna, similar) != player_of(berta, similar)
    assert post_act(host, similar, "start") == 403, "the player who repeated the table is the host"
    assert post_act(anna, similar, "start") == 200


def test_name_refused_by_newer_rules_is_replaced_by_the_seat_name() -> None:
    host = Client()
    game = host_table(host)
    anna = join_table(game, "Anna")
    Player.objects.filter(name="Anna").update(name="Seer Anna")
    post_act(host, game, "start")
    finish(game)
    address = host.post(f"/games/{game.code}/again")["Location"]
    similar = Game.objects.get(code=address.strip("/").split("/")[-1])
    seat = player_of(anna, similar)
    assert seat
    assert seat.name in rulesets.get("one-night").seat_names


def test_similar_table_of_a_single_player_starts_at_once() -> None:
    player = Client()
    game = host_table(player, guests=0)
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
    assert host_table(Client(), guests=7).players.filter(kind=Player.OPEN).count() == 7
    game = host_table(Client(), guests=8, mode="watch")
    assert game.players.filter(kind=Player.OPEN).count() == 8
    guests = [join_table(game) for _ in range(8)]
    assert len({player_of(guest, game) for guest in guests}) == 8


def test_transcript_of_a_gathering_table_is_empty() -> None:
    client = Client()
    game = host_table(client, guests=1)
    response = client.get(f"/games/{game.code}/transcript.txt")
    assert response.status_code == 200
    assert "The game has not begun." in response.content.decode()
    assert client.get(f"/games/{game.code}/transcript.jsonl").content == b""


def test_removal_renews_the_invitation() -> None:
    host = Client()
    game = host_table(host)
    removed, old_invitation = join_table(game, "Anna"), invitation_path(game)
    seat = player_of(removed, game)
    assert seat
    response = host.post(
        f"/games/{game.code}/act", {"do": f"remove:{seat.seat}"}, HTTP_HX_REQUEST="true"
    )
    assert Client().post(old_invitation, {"name": "Anna"}).status_code == 404
    new_invitation = invitation_path(game)
    assert new_invitation != old_invitation
    assert f'data-invitation="{new_invitation}"' in response.content.decode(), (
        "the open page gets the new invitation"
    )
    assert join_table(game, "Berta").get(f"/games/{game.code}/").status_code == 200
    assert post_act(host, game, "start") == 200
    host_seat = player_of(host, game)
    assert host_seat


def test_use_of_links_is_audited() -> None:
    game = host_table(Client())
    guest = join_table(game, "Anna")
    seat = player_of(guest, game)
    assert seat
    key = Desk.objects.get(player=seat).key
    Client().get(f"/seat/{key}/")
    for _ in range(2):
        Client().post(f"/seat/{key}/")
    entries = AuditEntry.objects.order_by("pk").values_list("what", "seat", "by_host")
    assert list(entries) == [("join", seat.seat, False)] + [("open_link", seat.seat, False)] * 2


def test_guest_with_a_stolen_link_cannot_revoke_its_owner() -> None:
    game = host_table(Client())
    thief, owner = join_table(game, "Eve"), join_table(game, "Anna")  # the thief joined first
    seat = player_of(owner, game)
    assert seat
    thief.post(f"/seat/{Desk.objects.get(player=seat).key}/")
    assert player_of(thief, game) == seat
    assert post_act(thief, game, "renew_link") == 200
    assert player_of(owner, game) == seat
    assert post_act(owner, game, "renew_link") == 200
    assert player_of(thief, game) is None


def test_refused_guest_leaves_no_session() -> None:
    game = host_table(Client())
    assert Client().post(invitation_path(game), {"name": "Moderator"}).status_code == 422
    assert Session.objects.count() == 1, "the host's"
