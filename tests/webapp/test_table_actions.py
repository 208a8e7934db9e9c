"""Tests of every act in every state of a table, by host, guest, spectator and outsider."""

from __future__ import annotations

import re
import uuid
from itertools import product

import pytest
from django.db import transaction
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from agents.recipe import Recipe
from game import cached_games, game_actions, lobby
from game.engine import rulesets
from game.models import Game, Player, Utterance
from tests.game.table import answer, finish, open_window, play_until
from tests.webapp.tables import host_table, invitation_path, join_table, player_of, post_act
from webapp.play.models import AuditEntry, ChatLine, Desk, Membership, PublicReplay, Removed, Report
from webapp.play.tables import opening
from webapp.play.tables.actions import ACTIONS_BY_HOST, ACTIONS_BY_SEAT

pytestmark = pytest.mark.django_db

# Acts that come too late change nothing and are no error.
IGNORED_ACTS = {("next", "over"), ("next", "called_off")}
STATES = ("gathering", "running", "paused", "over", "called_off")
ALLOWED: dict[str, tuple[str, ...]] = {  # act -> states in which the host may do it
    "start": ("gathering",),
    "fill:O": ("gathering",),
    "invite:A": ("gathering",),
    "remove:G": ("gathering", "running", "paused"),
    "remove_guest:1": (),  # of blind tables
    "readmit": (),  # nobody was removed
    "renew_invitation": ("gathering",),
    "call_off": ("gathering", "running", "paused"),
    "pause": ("running",),
    "resume": ("paused",),
    "more_time": ("running", "paused"),
    "pace:brisk": (),  # a guest sits there: nobody is alone with computer players
    "next": (),
    "hand_over:G": ("running", "paused"),
    "give_back:G": (),  # not handed over
    "make_host:G": ("gathering", "running", "paused"),
    "remove_words:W": ("running", "paused", "over", "called_off"),
    "reveal": (),  # of blind tables
    "research_on": (),  # a guest sits there
    "research_off": (),  # it is off
    # acts of any player with a seat
    "name": ("gathering",),
    "portrait:P": ("gathering", "running", "paused"),
    "take_back": (),  # not handed over
    "renew_link": STATES,
    "take_over": (),  # the host is here
    "leave": ("gathering", "running", "paused"),
    "report:W": ("running", "paused", "over", "called_off"),
    "erase": ("over", "called_off"),
    "publish": ("over",),
    "unpublish": (),  # nobody agreed
    "chat": ("gathering", "over", "called_off"),
    "chat_out:1": (),  # nothing is written
}


class TableScene:
    """A table in one state: a host, an absent guest, and an open seat."""

    def __init__(self, state: str) -> None:
        self.host, self.speaker = Client(), 1
        self.game = host_table(self.host, spectators="on", statement_seconds=60)
        self.guest = join_table(self.game, "Anna")
        self.people = {
            "host": self.host,
            "guest": self.guest,
            "spectator": Client(),
            "outsider": join_table(host_table(Client())),
        }
        if state != "gathering":
            lobby.start(self.game.pk)
            play_until(self.game, "statement")
            self.let_an_agent_speak()
            {
                "running": lambda: None,
                "paused": lambda: game_actions.pause(self.game.pk),
                "over": lambda: finish(self.game),
                "called_off": lambda: game_actions.call_off(self.game.pk),
            }[state]()

    def let_an_agent_speak(self) -> None:
        """Make the first agent's statement, and the statements before it."""
        self.speaker = self.game.players.filter(kind=Player.AGENT).first().seat  # type: ignore[union-attr]
        for seat in range(1, self.speaker + 1):
            answer(self.game, seat, open_window(self.game, "statement"))

    @property
    def statement_key(self) -> str:
        """The agent's statement as acts name it."""
        return f"statement.1.1.{self.speaker}:{self.speaker}"

    def fill_in(self, do: str) -> str:
        """Replace the placeholders of an act by seats of this table.

        O: open, A: an agent's, G: the guest's, W: a statement, P: a free portrait.
        """
        guest = player_of(self.guest, self.game)
        seats = {
            ":O": self.game.players.filter(kind=Player.OPEN).first(),
            ":A": self.game.players.filter(kind=Player.AGENT).first(),
            ":G": guest,
        }
        for letter, player in seats.items():
            do = do.replace(letter, f":{player.seat if player else 0}")
        do = do.replace(":P", f":{next(iter(game_actions.free_portraits(self.game)), 99)}")
        return do.replace(":W", f":{self.statement_key}")

    def facts(self) -> list[object]:
        """Return everything that an act may change."""
        game = Game.objects.get(pk=self.game.pk)
        rows = [*game.players.all(), *Membership.objects.all(), *Report.objects.all()]
        rows += Removed.objects.all()
        return [
            game.status,
            game.revealed_at,
            *(model_to_dict(row) for row in rows),
            *Desk.objects.order_by("pk").values_list("key", flat=True),
            game.table.invitation,
            *(str(w.expires_at) for w in game.windows.all()),
            *Utterance.objects.filter(game=game).values_list("text", flat=True),
            *ChatLine.objects.filter(game=game).values_list("text", flat=True),
            *PublicReplay.objects.filter(game=game).values_list("key", "agreed"),
        ]


def test_table_of_acts_is_complete() -> None:
    assert {do.split(":")[0] for do in ALLOWED} == {*ACTIONS_BY_HOST, *ACTIONS_BY_SEAT}


@pytest.mark.parametrize("state", STATES)
def test_acts_are_allowed_by_role_and_state(state: str) -> None:
    """Visitors without a seat are refused in any state, so two states suffice for them."""
    scene = TableScene(state)
    roles = ("outsider", "spectator", "guest", "host")
    before, entry_count = scene.facts(), AuditEntry.objects.count()
    for do, role in product(ALLOWED, roles[0 if state in ("running", "over") else 2 :]):
        act_name = do.split(":")[0]
        savepoint = transaction.savepoint()
        status = post_act(
            scene.people[role], scene.game, scene.fill_in(do), name="Berta", words="Hi"
        )
        is_permitted = role == "host" or (act_name in ACTIONS_BY_SEAT and role == "guest")
        is_done = is_permitted and state in ALLOWED[do]
        if is_done or (is_permitted and (do, state) in IGNORED_ACTS):
            assert (do, role, status) == (do, role, 302 if do == "leave" else 200)
        else:
            assert (do, role, status) == (do, role, 409 if is_permitted else 403)
        assert (scene.facts() != before) == is_done, (do, role, status)
        assert AuditEntry.objects.count() - entry_count == is_done, "each change is audited once"
        transaction.savepoint_rollback(savepoint)
        cached_games.clear_cache()
        scene.game.refresh_from_db()


@pytest.mark.parametrize("state", ["gathering", "running"])
@pytest.mark.parametrize("suffix", ["", ":", ":x", f":{'9' * 20}", ":1:2:3", ":1\n", ":\x00", ":٣"])
def test_malformed_arguments_change_nothing(state: str, suffix: str) -> None:
    scene = TableScene(state)
    before, entry_count = scene.facts(), AuditEntry.objects.count()
    for act_name, action in {**ACTIONS_BY_HOST, **ACTIONS_BY_SEAT}.items():
        if suffix or action.argument:
            assert (act_name, post_act(scene.host, scene.game, act_name + suffix)) == (
                act_name,
                400,
            )
    assert (scene.facts(), AuditEntry.objects.count()) == (before, entry_count)


@pytest.mark.parametrize("do", ["", "dance", ":", "dance:1", "\x00"])
def test_unknown_acts_are_refused(do: str) -> None:
    host = Client()
    assert post_act(host, host_table(host), do) == 400


def test_audit_entry_names_the_affected_seat() -> None:
    scene = TableScene("running")
    guest = player_of(scene.guest, scene.game)
    assert guest
    post_act(scene.host, scene.game, f"hand_over:{guest.seat}")
    post_act(scene.guest, scene.game, "take_back")
    post_act(scene.guest, scene.game, f"report:{scene.statement_key}")
    post_act(scene.guest, scene.game, f"report:{scene.statement_key}")  # changes nothing
    post_act(scene.host, scene.game, "pause")
    entries = AuditEntry.objects.exclude(what="join").order_by("pk")
    assert list(entries.values_list("what", "seat", "by_host")) == [
        ("hand_over", guest.seat, True),
        ("take_back", guest.seat, False),
        ("report", scene.speaker, False),
        ("pause", None, True),
    ]


def mark_present(client: Client, game: Game) -> None:
    """Let the client's page be open."""
    Desk.objects.filter(player=player_of(client, game)).update(seen_at=timezone.now())


def test_only_the_seat_of_an_absent_player_is_handed_over() -> None:
    scene = TableScene("running")
    guest = player_of(scene.guest, scene.game)
    assert guest
    mark_present(scene.guest, scene.game)
    assert post_act(scene.host, scene.game, f"hand_over:{guest.seat}") == 409
    Desk.objects.update(seen_at=None)
    assert post_act(scene.host, scene.game, f"hand_over:{guest.seat}") == 200
    assert Player.objects.get(pk=guest.pk).stand_in
    page = scene.guest.get(f"/games/{scene.game.code}/").content.decode()
    assert 'value="take_back"' in page
    assert post_act(scene.guest, scene.game, "take_back") == 200
    assert not Player.objects.get(pk=guest.pk).stand_in


@pytest.fixture
def blind_scene() -> TableScene:
    scene = TableScene("gathering")
    Game.objects.filter(pk=scene.game.pk).update(settings={"blind": True, "poll_people": False})
    scene.game.refresh_from_db()
    return scene


def test_acts_at_a_blind_table_name_no_seat(blind_scene: TableScene) -> None:
    guest = player_of(blind_scene.guest, blind_scene.game)
    assert guest
    assert post_act(blind_scene.host, blind_scene.game, f"remove:{guest.seat}") == 409
    assert post_act(blind_scene.host, blind_scene.game, "fill:any") == 200
    assert post_act(blind_scene.host, blind_scene.game, "invite:any") == 200
    lobby.start(blind_scene.game.pk)
    guest.refresh_from_db()
    mark_present(blind_scene.host, blind_scene.game)
    assert post_act(blind_scene.host, blind_scene.game, f"give_back:{guest.seat}") == 409
    statuses = [post_act(blind_scene.host, blind_scene.game, "hand_over:any") for _ in range(2)]
    assert statuses == [200, 200], "equal whether or not a player was absent"
    stand_ins = Player.objects.filter(game=blind_scene.game, stand_in=True)
    assert list(stand_ins) == [Player.objects.get(pk=guest.pk)]
    assert list(AuditEntry.objects.filter(what="hand_over").values_list("seat", flat=True)) == [
        guest.seat
    ]


def test_seats_of_people_at_a_blind_table_are_drawn_at_the_start() -> None:
    """Neither a host who fills seats nor a guest who tries them all knows the seats."""
    seat_shifts = set()
    for number in range(6):
        host = Client()
        game = host_table(host, guests=1, blind="on")
        guest = join_table(game)
        Game.objects.filter(pk=game.pk).update(seed=f"blind {number}")
        for client in (host, guest):
            page = client.get(f"/games/{game.code}/", follow=True).content.decode()
            words = set(re.sub(r"<[^>]+>", " ", page).split())
            assert not words & set(rulesets.get(game.ruleset).table_names)
        people = game.players.filter(kind=Player.PERSON)
        before = dict(people.values_list("pk", "seat"))
        recipes = list(game.players.values_list("seat", "recipe"))
        lobby.start(game.pk)
        seat_shifts |= {people.get(pk=pk).seat - seat for pk, seat in before.items()}
        names = game.players.values_list("name", flat=True)
        assert list(names) == list(rulesets.get(game.ruleset).table_names)
        assert list(game.players.values_list("seat", "recipe")) == recipes
    assert len(seat_shifts) > 2  # the earlier seats come from a new seed in each run


def test_agents_of_a_blind_table_do_not_reveal_the_former_seat_of_the_host() -> None:
    """All seats have one recipe. A different one would show the host's former seat."""
    host = uuid.uuid4()
    game = opening.open_table(
        host, opening.TableOptions(guests=1, settings={"blind": True}, recipe=Recipe("llm:any"))
    )
    assert {player.recipe["backend"] for player in game.players.all()} == {"llm:any"}


def test_private_link_names_no_seat_before_a_blind_game_begins(blind_scene: TableScene) -> None:
    guest = player_of(blind_scene.guest, blind_scene.game)
    assert guest
    link = f"/seat/{guest.desk.key}/"
    names = set(rulesets.get(blind_scene.game.ruleset).table_names)
    for client in (
        Client(),
        blind_scene.host,
    ):  # a visitor without a seat, and one with another seat
        page = client.get(link).content.decode()
        assert not names & set(re.findall(r"\w+", page))
    lobby.start(blind_scene.game.pk)
    guest.refresh_from_db()
    assert guest.name in Client().get(link).content.decode()


def test_guest_of_a_blind_lobby_can_be_removed_by_number(blind_scene: TableScene) -> None:
    number = Membership.objects.get(player=player_of(blind_scene.guest, blind_scene.game)).pk
    assert post_act(blind_scene.host, blind_scene.game, f"remove_guest:{number}") == 200
    assert player_of(blind_scene.guest, blind_scene.game) is None
    assert blind_scene.guest.post(invitation_path(blind_scene.game)).status_code == 403


@pytest.mark.parametrize("mode", ["play", "watch"])
@pytest.mark.parametrize("blind", [False, True])
def test_host_can_remove_unreported_text(mode: str, blind: bool) -> None:
    """A person's statement, or anybody's at a blind table. The log itself has no buttons."""
    host = Client()
    game = host_table(host, guests=1, mode=mode, **({"blind": "on"} if blind else {}))
    guest = join_table(game)
    post_act(host, game, "start")
    finish(game)
    # The newest statements, among them the last round's, are listed beside the log.
    keys = {p.kind: f"statement.1.3.{p.seat}:{p.seat}" for p in game.players.all()}
    body = host.get(f"/games/{game.code}/").content.decode()
    assert f'value="remove_words:{keys[Player.PERSON]}"' in body
    assert (f'value="remove_words:{keys[Player.AGENT]}"' in body) == blind
    for client, act_prefix in ((host, "remove_words:"), (guest, "report:")):
        page = client.get(f"/games/{game.code}/").content.decode()
        assert f'value="{act_prefix}' in page or mode == "watch"
        log = page[page.index('id="transcript"') :].partition("</ol>")[0]
        assert "entry-statement" in log
        assert "<button" not in log
        assert "<summary" not in log
    assert "remove_words" not in guest.get(f"/games/{game.code}/").content.decode()
    assert post_act(host, game, f"remove_words:{keys[Player.PERSON]}") == 200
    body = host.get(f"/games/{game.code}/").content.decode()
    assert f'value="remove_words:{keys[Player.PERSON]}"' not in body
    assert ("This text was removed." if blind else "The host removed this text.") in body


def test_reported_text_reaches_the_host_and_can_be_removed() -> None:
    scene = TableScene("running")
    game = scene.game
    agent_key = scene.statement_key
    host = player_of(scene.host, game)
    assert host
    for seat in range(scene.speaker + 1, host.seat + 1):
        answer(game, seat, open_window(game, "statement"))
    scene.speaker = host.seat
    key, text = scene.statement_key, f"Seat {scene.speaker} speaks"

    def page(client: Client) -> str:
        return client.get(f"/games/{game.code}/").content.decode()

    assert f"report:{key}" in page(scene.guest)
    assert f"report:{agent_key}" not in page(scene.guest), "an agent cannot be reported"
    assert post_act(scene.guest, game, f"report:{key}") == 200
    assert "Reported to the host</p>" in page(scene.guest)
    assert post_act(scene.guest, game, f"report:{key}") == 200
    assert Report.objects.count() == 1
    assert f"remove_words:{key}" in page(scene.host)
    assert f"remove_words:{key}" not in page(scene.guest)
    assert post_act(scene.host, game, f"remove_words:{key}") == 200
    for client in (scene.host, scene.guest, Client()):
        assert text not in page(client)
