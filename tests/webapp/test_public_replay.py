"""Tests of the public replay: with everybody's agreement, without names, until withdrawal."""

from __future__ import annotations

import re
from datetime import timedelta
from io import BytesIO

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone
from PIL import Image

from game import lobby, locked_game, selectors
from game.engine import rulesets
from game.engine.events import say
from game.models import Game, Player, Window
from tests.game.table import any_answer, finish
from tests.webapp.tables import host_table, join_table, player_of, post_act, read_page
from webapp.play import daily_deal, rate_limits
from webapp.play.models import Desk, Hindsight, Membership, PublicReplay, Table
from webapp.play.turns import withdrawals
from webapp.rate_counters import Rate

pytestmark = pytest.mark.django_db

HOST, GUEST = "Zsófia Kettle", "Hildegard-Lou"
# Text that may never appear: names, their parts and variants. All are so long that
# no key and no picture contains them by chance.
NAMES = ("Zsófia", "Zsofia", "Kettle", "Hildegard", "Hildegard-Lou", "HildegardLou")
STATEMENT = (
    f"I trust {HOST}, but zsofia and KETTLE? {GUEST} is quiet. Hildegard, speak! (Lou’s turn.)"
)


def start_table(**choices: object) -> tuple[Game, Client, Client]:
    """Start a table of two people with names of their own."""
    host = Client()
    game = host_table(host, **choices)
    assert post_act(host, game, "name", name=HOST) == 200
    guest = join_table(game, GUEST)
    lobby.start(game.pk)
    return game, host, guest


def play_table(**choices: object) -> tuple[Game, Client, Client]:
    """Play such a table to its end. Everybody names the people in statements."""
    game, host, guest = start_table(**choices)
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                answer = say(STATEMENT) if window.window.kind == "statement" else None
                locked_game.record_answer(
                    game.pk, seat, window.window.key, answer or any_answer(window, seat)
                )
    game.refresh_from_db()
    return game, host, guest


def public_address(client: Client, game: Game) -> str:
    """Return the public link that the end page shows, "" if there is none."""
    match = re.search(r'href="(/replays/\w+/)"', read_page(client, game))
    return match[1] if match else ""


def publish_table(**choices: object) -> tuple[Game, Client, Client, str]:
    game, host, guest = play_table(**choices)
    assert post_act(host, game, "publish") == 200
    assert post_act(guest, game, "publish") == 200
    return game, host, guest, public_address(guest, game)


def test_public_replay_requires_agreement_of_all_people() -> None:
    game, host, guest = play_table()
    assert "I agree to a public link" in read_page(host, game)
    assert post_act(host, game, "publish") == 200
    assert f"Agreed: {HOST}. Still to agree: {GUEST}." in read_page(guest, game)
    assert not public_address(host, game)
    key = PublicReplay.objects.get().key
    assert Client().get(f"/replays/{key}/").status_code == 404, "one of two is not enough"
    assert Client().get(f"/replays/{key}/votes.png").status_code == 404
    assert post_act(host, game, "unpublish") == 200
    assert post_act(guest, game, "publish") == 200
    assert not public_address(host, game), "an agreement that was taken back does not count"
    assert post_act(host, game, "publish") == 200
    link = public_address(host, game)
    assert link == public_address(guest, game) != ""
    assert len(link.strip("/").split("/")[-1]) == 24
    response = Client().get(link)
    assert response.status_code == 200
    assert "I agree" not in read_page(host, game)
    assert post_act(host, game, "publish") == 200, "a repeated agreement changes nothing"
    assert PublicReplay.objects.count() == 1


def test_public_replay_holds_no_personal_or_table_data() -> None:
    game, host, guest, link = publish_table()
    seats = {p.seat: p for p in (player_of(host, game), player_of(guest, game)) if p}
    secrets = [
        *NAMES,
        game.code,
        game.seed if len(game.seed) > 4 else game.code,
        Table.objects.get(game=game).invitation,
        *Desk.objects.filter(player__game=game).values_list("key", flat=True),
        *(v.hex for v in Membership.objects.values_list("visitor", flat=True)),
        *(str(v) for v in Membership.objects.values_list("visitor", flat=True)),
    ]
    stranger = Client()
    first = stranger.get(f"{link}?as=moderator").content.decode()
    last = int(re.search(r'data-last="(\d+)"', first)[1])  # type: ignore[index]
    responses = [stranger.get(link), stranger.get(f"{link}votes.png")]
    for sight in ("public", "moderator"):
        for line in (1, 2, 9, 20, last - 1, last):
            query = f"{link}?at={line}&as={sight}"
            page = stranger.get(query)
            if page.status_code == 200:
                responses += [page, stranger.get(query, headers={"HX-Request": "true"})]
    assert len(responses) > 20
    for response in responses:
        response_bytes = response.content + repr(response.headers).encode()
        for secret in secrets:
            is_leaked = secret.lower().encode() in response_bytes.lower()
            assert not is_leaked, (secret, response_bytes[:2000])
    last_page = stranger.get(f"{link}?at={last}&as=moderator").content.decode()
    names = {p.name for p in game.players.exclude(pk__in=[p.pk for p in seats.values()])}
    for name in names:
        assert name in last_page, "computer players keep their names"
    seat_names = rulesets.get(game.ruleset).table_names
    players = filter(None, (player_of(host, game), player_of(guest, game)))
    host_name, guest_name = (seat_names[player.seat - 1] for player in players)
    masked = f"I trust {host_name}, but {host_name} and {host_name}? {guest_name} is quiet."
    assert masked in last_page
    assert 'id="minds" hidden' in last_page
    assert stranger.get(f"{link}?as={min(seats)}").status_code == 404, (
        "private views are not public"
    )
    game.refresh_from_db()
    assert {p.name for p in game.players.all()} >= {HOST, GUEST}, "the table keeps its names"


def test_public_replay_opens_on_the_public_view_without_roles() -> None:
    game, _host, _guest, link = publish_table()
    page = BeautifulSoup(Client().get(link).content.decode(), "html.parser")
    current_view = page.select_one("#sights [aria-current]")
    assert current_view
    assert current_view.get_text(strip=True) == "Everyone"
    moderator_link = page.find("a", href=re.compile("as=moderator"))
    assert moderator_link, "the moderator view is one link away"
    roles = {role.name for role in rulesets.get(game.ruleset).roles} - {"Villager"}
    transcript = page.select_one("#transcript")
    assert transcript
    assert not [name for name in roles if name in transcript.get_text()]
    moderator_page = BeautifulSoup(
        Client().get(f"{link}?as=moderator").content.decode(), "html.parser"
    )
    assert [name for name in roles if name in moderator_page.select_one("#transcript").get_text()]  # type: ignore[union-attr]


def test_public_replay_shows_decisive_lines_after_hindsight_is_computed() -> None:
    game, host, guest, link = publish_table()
    voter, target = player_of(host, game), player_of(guest, game)
    assert voter
    assert target
    assert "What decided this game" not in Client().get(link).content.decode()
    row = Hindsight.objects.get(game=game)
    assert row.asked_at, "the first visit requests it"
    vote = game.events.filter(kind="vote", data__seat=voter.seat).last()
    voter_before = next(seat for seat in range(1, 9) if seat not in (voter.seat, target.seat))
    line = {"kind": "vote", "position": vote.seq, "seat": voter.seat, "target": target.seat}
    figures = {"other_seats": [voter_before], "counts": [4, 4], "before": 0.5, "after": 0.25}
    row.lines, row.game_version = [line | figures], game.version
    row.save()
    html = Client().get(link).content.decode()
    assert "What decided this game" in html
    seat_names = rulesets.get(game.ruleset).table_names
    assert f"{seat_names[target.seat - 1]} was voted out with 4 votes" in html
    link_match = re.search(rf'href="{link}(\?at=\d+)&amp;(as=\w+)"', html)
    assert link_match
    linked_page = Client().get(f"{link}{link_match[1]}&{link_match[2]}").content.decode()
    assert seat_names[voter.seat - 1] in linked_page
    assert not any(name in html for name in (*NAMES, game.code))


def test_public_replays_have_their_own_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    _game, _host, _guest, link = publish_table()
    monkeypatch.setattr(rate_limits, "public_replay_rate", Rate("replays/address", 3, 60))
    client = Client(REMOTE_ADDR="192.0.2.8")
    paths = [link, f"{link}?at=2", f"{link}votes.png", link, f"{link}votes.png"]
    assert [client.get(path).status_code for path in paths] == [200] * 3 + [429] * 2
    assert "Wait a minute" in client.get(link).content.decode()
    assert Client(REMOTE_ADDR="192.0.2.9").get(link).status_code == 200


def test_public_replay_has_preview_tags_and_is_not_indexed() -> None:
    _game, _host, _guest, link = publish_table()
    response = Client().get(link)
    head = response.content.decode().split("</head>")[0]
    tags = dict(re.findall(r'<meta (?:property|name)="([\w:]+)"\s+content="([^"]*)"', head))
    assert tags["og:title"] == "Replay: One night"
    assert "8 players" in tags["og:description"]
    assert tags["og:image"] == f"http://testserver{link}votes.png"
    assert tags["og:url"] == f"http://testserver{link}"
    assert tags["twitter:card"] == "summary_large_image"
    assert tags["robots"] == response["X-Robots-Tag"] == "noindex, nofollow"
    picture = Client().get(f"{link}votes.png")
    assert picture["Content-Type"] == "image/png"
    assert picture["X-Robots-Tag"] == "noindex, nofollow"
    image = Image.open(BytesIO(picture.content))
    assert image.size == (1200, 630)
    assert len(image.convert("RGB").getcolors(100_000) or []) > 4


@pytest.mark.parametrize("index", [0, 1])
def test_withdrawn_agreement_ends_the_public_replay_permanently(index: int) -> None:
    game, host, guest, link = publish_table()
    assert post_act((host, guest)[index], game, "unpublish") == 200
    for old_path in (link, f"{link}votes.png", f"{link}?at=3&as=public"):
        response = Client().get(old_path)
        assert response.status_code == 410
        assert "has withdrawn the link" in response.content.decode()
    assert not public_address(host, game)
    for client in (host, guest):
        post_act(client, game, "publish")
    assert Client().get(public_address(host, game)).status_code == 200
    assert public_address(host, game) != link
    assert Client().get(link).status_code == 410, "the old address stays closed"


def test_erasure_ends_the_public_replay_permanently() -> None:
    game, host, guest, link = publish_table()
    player = player_of(guest, game)
    assert player
    withdrawals.erase_person(player)
    assert Client().get(link).status_code == 410
    post_act(host, game, "publish")
    assert not public_address(host, game)
    assert "There can be no public link" in read_page(host, game)
    game.delete()
    assert Client().get(link).status_code == 410, "even when the game is deleted"


def test_public_replay_is_impossible_after_a_person_left() -> None:
    game, host, guest = start_table()
    assert post_act(guest, game, "leave") == 302
    finish(game)
    assert f"There can be no public link: {GUEST} has left" in read_page(host, game)
    post_act(host, game, "publish")
    assert not public_address(host, game)


@pytest.mark.parametrize("choices", [{"blind": "on"}, {"research": "on"}])
def test_blind_and_research_tables_have_no_public_replay(choices: dict[str, str]) -> None:
    host = Client()
    game = host_table(host, guests=0, **choices)
    if not game.started_at:
        lobby.start(game.pk)
    finish(game)
    if "blind" in choices:
        assert post_act(host, game, "reveal") == 200
    else:  # a campaign may have drawn the game by now
        assert post_act(host, game, "research_off") == 200
    assert "I agree to a public link" not in read_page(host, game)
    assert post_act(host, game, "publish") == 409
    assert not PublicReplay.objects.exists()


def test_daily_deal_can_be_published_from_the_next_day(monkeypatch: pytest.MonkeyPatch) -> None:
    today = timezone.localdate()
    monkeypatch.setattr(timezone, "localdate", lambda: today)  # the day does not change
    host = Client()
    code = host.post("/daily")["Location"].strip("/").split("/")[-1]
    Game.objects.filter(code=code).update(pace="none")
    Window.objects.update(not_before=timezone.now())
    game = finish(Game.objects.get(code=code))
    assert "public link here from tomorrow" in read_page(host, game)
    assert post_act(host, game, "publish") == 409
    yesterday = daily_deal.seed_of(today - timedelta(days=1))
    Game.objects.filter(pk=game.pk).update(seed=yesterday)
    assert post_act(host, game, "publish") == 200
    link = public_address(host, game)
    assert Client().get(link).status_code == 200


def test_public_replay_disappears_when_the_table_joins_research() -> None:
    game, _host, _guest, link = publish_table()
    Table.objects.filter(game=game).update(research=True)
    assert Client().get(link).status_code == 404


def test_spectators_are_not_asked_to_publish() -> None:
    game, _host, _guest = play_table(spectators="on")
    watcher = Client()
    assert "I agree to a public link" not in read_page(watcher, game)
    assert post_act(watcher, game, "publish") == 403
    assert Client().get("/replays/nothing/").status_code == 404
    assert not Player.objects.filter(game=game, kind=Player.OPEN).exists()
