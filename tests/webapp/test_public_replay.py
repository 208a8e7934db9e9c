"""The public replay: only if all people agree, without their names, until one takes it back."""

from __future__ import annotations

import re
from datetime import timedelta
from io import BytesIO

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.utils import timezone
from PIL import Image

from game import lobby, selectors, services
from game.engine import rulesets
from game.engine.forms import say
from game.models import Game, Player, Window
from tests.game.table import any_answer, finish
from tests.webapp.test_invitations import act, join, seat_of, set_table
from webapp.play import daily_deal, rate_limits
from webapp.play.models import Desk, Hindsight, Membership, PublicReplay, Table
from webapp.play.turns import withdrawals
from webapp.rate_counters import Rate

pytestmark = pytest.mark.django_db

HOST, GUEST = "Zsófia Kettle", "Hildegard-Lou"
# What may never be found: whole names, their parts, and forms that others use. All are so long that
# no key and no picture holds them by chance.
NAMES = ("Zsófia", "Zsofia", "Kettle", "Hildegard", "Hildegard-Lou", "HildegardLou")
TALK = f"I trust {HOST}, but zsofia and KETTLE? {GUEST} is quiet. Hildegard, speak! (Lou’s turn.)"


def table(**choices: object) -> tuple[Game, Client, Client]:
    """A running table of two people with names of their own."""
    host = Client()
    game = set_table(host, **choices)
    assert act(host, game, "name", name=HOST) == 200
    guest = join(game, GUEST)
    lobby.start(game.pk)
    return game, host, guest


def played(**choices: object) -> tuple[Game, Client, Client]:
    """The same table after the game, in which everybody named the people."""
    game, host, guest = table(**choices)
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                answer = say(TALK) if window.window.kind == "statement" else None
                services.answer(
                    game.pk, seat, window.window.key, answer or any_answer(window, seat)
                )
    game.refresh_from_db()
    return game, host, guest


def page(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.code}/").content.decode()


def address(client: Client, game: Game) -> str:
    """The public link that the end page shows, "" for none."""
    found = re.search(r'href="(/replays/\w+/)"', page(client, game))
    return found[1] if found else ""


def opened(**choices: object) -> tuple[Game, Client, Client, str]:
    game, host, guest = played(**choices)
    assert act(host, game, "publish") == 200
    assert act(guest, game, "publish") == 200
    return game, host, guest, address(guest, game)


def test_public_replay_requires_agreement_of_all_people() -> None:
    game, host, guest = played()
    assert "I agree to a public link" in page(host, game)
    assert act(host, game, "publish") == 200
    assert f"Agreed: {HOST}. Still to agree: {GUEST}." in page(guest, game)
    assert not address(host, game)
    key = PublicReplay.objects.get().key
    assert Client().get(f"/replays/{key}/").status_code == 404, "one of two is not enough"
    assert Client().get(f"/replays/{key}/votes.png").status_code == 404
    assert act(host, game, "unpublish") == 200
    assert act(guest, game, "publish") == 200
    assert not address(host, game), "an agreement that was taken back does not count"
    assert act(host, game, "publish") == 200
    link = address(host, game)
    assert link == address(guest, game) != ""
    assert len(link.strip("/").split("/")[-1]) == 24
    answer = Client().get(link)
    assert answer.status_code == 200
    assert "I agree" not in page(host, game)
    assert act(host, game, "publish") == 200, "twice is once"
    assert PublicReplay.objects.count() == 1


def test_public_replay_holds_no_personal_or_table_data() -> None:
    game, host, guest, link = opened()
    seats = {p.seat: p for p in (seat_of(host, game), seat_of(guest, game)) if p}
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
    answers = [stranger.get(link), stranger.get(f"{link}votes.png")]
    for sight in ("public", "moderator"):
        for at in (1, 2, 9, 20, last - 1, last):
            query = f"{link}?at={at}&as={sight}"
            whole = stranger.get(query)
            if whole.status_code == 200:
                answers += [whole, stranger.get(query, headers={"HX-Request": "true"})]
    assert len(answers) > 20
    for answer in answers:
        sent = answer.content + repr(answer.headers).encode()
        for secret in secrets:
            assert secret.lower().encode() not in sent.lower(), (secret, sent[:2000])
    everything = stranger.get(f"{link}?at={last}&as=moderator").content.decode()
    names = {p.name for p in game.players.exclude(pk__in=[p.pk for p in seats.values()])}
    for name in names:
        assert name in everything, "computer players keep their names"
    seat_names = rulesets.get(game.ruleset).table_names
    players = filter(None, (seat_of(host, game), seat_of(guest, game)))
    own = [seat_names[player.seat - 1] for player in players]
    assert f"I trust {own[0]}, but {own[0]} and {own[0]}? {own[1]} is quiet." in everything
    assert 'id="minds" hidden' in everything
    assert stranger.get(f"{link}?as={min(seats)}").status_code == 404, "nobody's own view"
    game.refresh_from_db()
    assert {p.name for p in game.players.all()} >= {HOST, GUEST}, "the table keeps its names"


def test_public_replay_opens_on_the_public_view_without_roles() -> None:
    game, _host, _guest, link = opened()
    page = BeautifulSoup(Client().get(link).content.decode(), "html.parser")
    here = page.select_one("#sights [aria-current]")
    assert here
    assert here.get_text(strip=True) == "Everyone"
    other = page.find("a", href=re.compile("as=moderator"))
    assert other, "the all-knowing view is a press away"
    roles = {role.name for role in rulesets.get(game.ruleset).roles} - {"Villager"}
    told = page.select_one("#transcript")
    assert told
    assert not [name for name in roles if name in told.get_text()]
    all_told = BeautifulSoup(Client().get(f"{link}?as=moderator").content.decode(), "html.parser")
    assert [name for name in roles if name in all_told.select_one("#transcript").get_text()]  # type: ignore[union-attr]


def test_public_replay_shows_decisive_lines_after_hindsight_is_computed() -> None:
    game, host, guest, link = opened()
    voter, target = seat_of(host, game), seat_of(guest, game)
    assert voter
    assert target
    assert "What decided this game" not in Client().get(link).content.decode()
    row = Hindsight.objects.get(game=game)
    assert row.asked_at, "the first visit asks for it"
    vote = game.events.filter(kind="vote", data__seat=voter.seat).last()
    other = next(seat for seat in range(1, 9) if seat not in (voter.seat, target.seat))
    line = {"kind": "vote", "position": vote.seq, "seat": voter.seat, "target": target.seat}
    figures = {"other_seats": [other], "counts": [4, 4], "before": 0.5, "after": 0.25}
    row.lines, row.game_version = [line | figures], game.version
    row.save()
    shown = Client().get(link).content.decode()
    assert "What decided this game" in shown
    seat_names = rulesets.get(game.ruleset).table_names
    assert f"{seat_names[target.seat - 1]} was voted out with 4 votes" in shown
    at = re.search(rf'href="{link}(\?at=\d+)&amp;(as=\w+)"', shown)
    assert at
    there = Client().get(f"{link}{at[1]}&{at[2]}").content.decode()
    assert seat_names[voter.seat - 1] in there
    assert not any(name in shown for name in (*NAMES, game.code))


def test_public_replays_have_their_own_rate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    _game, _host, _guest, link = opened()
    monkeypatch.setattr(rate_limits, "public_replays", Rate("replays/address", 3, 60))
    here = Client(REMOTE_ADDR="192.0.2.8")
    paths = [link, f"{link}?at=2", f"{link}votes.png", link, f"{link}votes.png"]
    assert [here.get(path).status_code for path in paths] == [200] * 3 + [429] * 2
    assert "Wait a minute" in here.get(link).content.decode()
    assert Client(REMOTE_ADDR="192.0.2.9").get(link).status_code == 200


def test_public_replay_has_preview_tags_and_is_not_indexed() -> None:
    _game, _host, _guest, link = opened()
    answer = Client().get(link)
    head = answer.content.decode().split("</head>")[0]
    tags = dict(re.findall(r'<meta (?:property|name)="([\w:]+)"\s+content="([^"]*)"', head))
    assert tags["og:title"] == "Replay: One night"
    assert "8 players" in tags["og:description"]
    assert tags["og:image"] == f"http://testserver{link}votes.png"
    assert tags["og:url"] == f"http://testserver{link}"
    assert tags["twitter:card"] == "summary_large_image"
    assert tags["robots"] == answer["X-Robots-Tag"] == "noindex, nofollow"
    picture = Client().get(f"{link}votes.png")
    assert picture["Content-Type"] == "image/png"
    assert picture["X-Robots-Tag"] == "noindex, nofollow"
    image = Image.open(BytesIO(picture.content))
    assert image.size == (1200, 630)
    assert len(image.convert("RGB").getcolors(100_000) or []) > 4


@pytest.mark.parametrize("who", [0, 1])
def test_withdrawn_agreement_ends_the_public_replay_permanently(who: int) -> None:
    game, host, guest, link = opened()
    assert act((host, guest)[who], game, "unpublish") == 200
    for gone in (link, f"{link}votes.png", f"{link}?at=3&as=public"):
        answer = Client().get(gone)
        assert answer.status_code == 410
        assert "has withdrawn the link" in answer.content.decode()
    assert not address(host, game)
    for client in (host, guest):
        act(client, game, "publish")
    assert Client().get(address(host, game)).status_code == 200
    assert address(host, game) != link
    assert Client().get(link).status_code == 410, "the old address stays closed"


def test_erasure_ends_the_public_replay_permanently() -> None:
    game, host, guest, link = opened()
    player = seat_of(guest, game)
    assert player
    withdrawals.erase_person(player)
    assert Client().get(link).status_code == 410
    act(host, game, "publish")
    assert not address(host, game)
    assert "There can be no public link" in page(host, game)
    game.delete()
    assert Client().get(link).status_code == 410, "even when the game is deleted"


def test_public_replay_is_impossible_after_a_person_left() -> None:
    game, host, guest = table()
    assert act(guest, game, "leave") == 302
    finish(game)
    assert f"There can be no public link: {GUEST} has left" in page(host, game)
    act(host, game, "publish")
    assert not address(host, game)


@pytest.mark.parametrize("choices", [{"blind": "on"}, {"research": "on"}])
def test_blind_and_research_tables_have_no_public_replay(choices: dict[str, str]) -> None:
    host = Client()
    game = set_table(host, guests=0, **choices)
    if not game.started_at:
        lobby.start(game.pk)
    finish(game)
    if "blind" in choices:
        assert act(host, game, "reveal") == 200
    else:  # a campaign may have drawn it by now
        assert act(host, game, "research_off") == 200
    assert "I agree to a public link" not in page(host, game)
    assert act(host, game, "publish") == 409
    assert not PublicReplay.objects.exists()


def test_daily_deal_can_be_published_from_the_next_day(monkeypatch: pytest.MonkeyPatch) -> None:
    today = timezone.localdate()
    monkeypatch.setattr(timezone, "localdate", lambda: today)  # no midnight comes
    host = Client()
    code = host.post("/daily")["Location"].strip("/").split("/")[-1]
    Game.objects.filter(code=code).update(pace="none")
    Window.objects.update(not_before=timezone.now())
    game = finish(Game.objects.get(code=code))
    assert "public link here from tomorrow" in page(host, game)
    assert act(host, game, "publish") == 409
    yesterday = daily_deal.seed_of(today - timedelta(days=1))
    Game.objects.filter(pk=game.pk).update(seed=yesterday)
    assert act(host, game, "publish") == 200
    link = address(host, game)
    assert Client().get(link).status_code == 200


def test_public_replay_disappears_when_the_table_joins_research() -> None:
    game, _host, _guest, link = opened()
    Table.objects.filter(game=game).update(research=True)
    assert Client().get(link).status_code == 404


def test_spectators_are_not_asked_to_publish() -> None:
    game, _host, _guest = played(spectators="on")
    watcher = Client()
    assert "I agree to a public link" not in page(watcher, game)
    assert act(watcher, game, "publish") == 403
    assert Client().get("/replays/nothing/").status_code == 404
    assert not Player.objects.filter(game=game, kind=Player.OPEN).exists()
