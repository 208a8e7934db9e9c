"""At a blind table no byte that anybody gets tells who is a person, until it is revealed."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from game import clock, host_actions, selectors, services
from game.engine import rulesets
from game.engine.beside import FORM
from game.engine.events import RECORD
from game.engine.seeded_random import SeededRandom
from game.models import Game, Player
from tests.engine.playing import drawing_hand
from tests.game.table import new_game
from webapp.play import drafts, push, visitors
from webapp.play.guest import Guest
from webapp.play.models import Desk, Table
from webapp.play.page_builder import page_for

pytestmark = pytest.mark.django_db
WHO = (1, 3)  # seat 1 looks; seat 3 is a person at one table and a computer player at the other
AT = timezone.now()
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
ALIKE = 2  # answers of seat 3 after which all is compared, of a kind in a phase; of others' one
SEEDS = {"one-night": "1", "sheriff": "10"}  # ruleset -> the seed of its game; of any other "2"
ASKED = {"rate_people", "ask_why", "poll_people"}  # settings by which people are asked more
GAMES = [(ruleset, SEEDS.get(ruleset, "2")) for ruleset in rulesets.names()]


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: AT)


def client_of(game: Game, seat: int | None) -> Client:
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    player = Player.objects.get(game=game, seat=seat) if seat else None
    visitors.seat_visitor(visitor, game, player, host=seat == 1)
    return client


def secrets_of(game: Game) -> list[str]:
    """What differs between any two tables, and may: random names and keys."""
    keys = [*Desk.objects.filter(player__game=game).values_list("key", flat=True)]
    return [game.code, Table.objects.get(game=game).invitation, *keys]


def plain(text: str, game: Game) -> str:
    for secret in secrets_of(game):
        text = text.replace(secret, "X")
    return re.sub(r'(name="csrfmiddlewaretoken"\s+value|csrf[^"]*)="[^"]+"', "token", text)


class TwoTables:
    """The same game twice; seat 3 is a person at the first and a computer player at the second."""

    def __init__(self, ruleset: str, seed: str = "1", **settings: bool) -> None:
        self.hand, self.lots = drawing_hand(seed), SeededRandom(seed)
        self.games = [
            blind_game(ruleset, *people, seed=seed, **settings) for people in (WHO, WHO[:1])
        ]
        for game in self.games:
            Table.objects.create(game=game, spectators=True)
        self.clients = [client_of(game, 1) for game in self.games]
        client_of(self.games[0], 3)
        self.compared = 0

    def compare(self) -> None:
        """Everything the player in seat 1 and a spectator can get is the same, byte by byte, and it
        will go on at the same time."""
        clocks = [clocks_of(game) for game in self.games]
        assert clocks[0] == clocks[1]
        pages = [self.everything(*both) for both in zip(self.games, self.clients, strict=True)]
        for one, other in zip(*pages, strict=True):
            assert one == other
        self.compared += 1

    def compare_replays(self) -> None:
        """Every line of the finished game, as the public, as oneself, and as others (refused)."""
        statuses = set()
        for query in [f"?as={s}&at={n}" for s in ("public", "1", "3") for n in (1, 15, 999)]:
            for who in ("player", "spectator"):
                pages = []
                for game, client in zip(self.games, self.clients, strict=True):
                    browser = client if who == "player" else Client()
                    answer = browser.get(f"/games/{game.code}/replay{query}")
                    statuses.add(answer.status_code)
                    pages.append(plain(answer.content.decode(), game))
                assert pages[0] == pages[1]
        assert statuses == {200, 403, 404}

    @staticmethod
    def everything(game: Game, client: Client) -> list[str]:
        game.refresh_from_db()
        host = Player.objects.get(game=game, seat=1)
        guests = [Guest(game, host, host=True, member=True), Guest(game, None)]
        found = [push.frame(page_for(guest)) for guest in guests]
        for who in (client, Client()):
            for name in ("", "transcript.txt", "transcript.jsonl"):
                answer = who.get(f"/games/{game.code}/{name}")
                assert answer.status_code == 200
                found.append(answer.content.decode() + str(sorted(answer.headers.items())))
        found.append(re.sub("<time.*?</time>", "", client.get("/").content.decode()))
        return [re.sub("'Content-Length', '\\d+'", "", plain(text, game)) for text in found]

    def steps(self) -> Iterator[tuple[str, str, bool]]:
        """Both games to their end, an answer at a time; gives the kind of window, "" where time
        went by, its phase, and whether it was seat 3 that answered."""
        while windows := selectors.open_windows(self.games[0]):
            self.poll()
            windows = selectors.open_windows(self.games[0])
            window = next((w for w in windows if w.missing), None)
            for game in self.games:
                if window is None:
                    services.settle_deadlines(game.pk)
                elif window.window.kind != FORM or window.missing[0] == 1 or game == self.games[0]:
                    self.answer(game, window, window.missing[0])
            if window is None:
                global AT
                AT = max(AT, *(w.not_before for w in windows))
            kind, seat = (window.window.kind, window.missing[0]) if window else ("", 0)
            yield kind, windows[0].window.moment.phase, seat == 3

    def poll(self) -> None:
        """Straw polls, which no player sees, ask the agents alone."""
        for game in self.games:
            for window in selectors.open_windows(game):
                for seat in window.missing if window.window.window_audience == RECORD else ():
                    self.answer(game, window, seat)

    def answer(self, game: Game, window: selectors.OpenWindow, seat: int) -> None:
        """As the lots fall; seats 3 and 4 now and then don't, a person late, an agent broken."""
        person = game == self.games[0] and seat == 3
        key, action, labels = window.window.key, self.hand(window.window, seat), list[str]()
        if seat in (3, 4) and self.lots.below(f"missed/{key}/{seat}", 3) == 0:
            action = window.window.fallback_for(seat, self.lots, "").action
            labels = ["timeout" if person else "fallback:crash"]
        if person:
            drafts.note_typing(Player.objects.get(game=game, seat=3))
        services.answer(game.pk, seat, key, action, labels=labels, agent=not (person or seat == 1))


def clocks_of(game: Game) -> list[tuple[object, ...]]:
    """When the open windows close, but for those that nobody ever sees and nothing waits for."""
    open_ = [
        o
        for o in selectors.open_windows(game)
        if o.window.waits_for == "all" and o.window.kind != FORM
    ]
    return [(o.window.key, o.opened_at, o.not_before, o.expires_at) for o in open_]


def blind_game(ruleset: str, *people: int, seed: str = "1", **settings: bool) -> Game:
    chosen = {"blind": True, **settings}
    return new_game(*people, ruleset=ruleset, seed=seed, pace="even", settings=chosen)


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_a_persons_and_a_computers_seat_look_the_same_all_through(ruleset: str, seed: str) -> None:
    """Also where people are asked more, as in a study: ratings before each act, a line with a vote,
    polls; of seat 3 at one table alone."""
    asked = dict.fromkeys(ASKED & {s.key for s in rulesets.get(ruleset).settings}, True)
    tables = TwoTables(ruleset, seed, **asked)
    tables.compare()
    steps = Counter[tuple[str, str, bool]]()
    for step in tables.steps():
        steps[step] += 1
        if steps[step] <= (ALIKE if step[-1] else 1):
            tables.compare()
    tables.compare()
    assert tables.compared > 15, tables.compared
    if asked:
        assert sum(n for (kind, *_), n in steps.items() if kind == FORM) > 4
    game = tables.games[0]
    assert game.ended_at, "to the end page"
    tables.compare_replays()
    shown = tables.clients[0].get(f"/games/{game.code}/").content.decode()
    host_actions.reveal(game.pk)
    assert tables.clients[0].get(f"/games/{game.code}/").content.decode() != shown


@each_ruleset
def test_a_handed_over_seat_does_not_show_either(ruleset: str) -> None:
    tables = TwoTables(ruleset)
    host_actions.hand_over(tables.games[0].pk, 3)
    tables.compare()
    assert Player.objects.get(game=tables.games[0], seat=3).stand_in, "and nothing shows it"


def gathered(ruleset: str, seat: int) -> tuple[Game, Client]:
    """A blind table that gathers: a person in seat 1, another in `seat`, the last seat open."""
    count = len(rulesets.get(ruleset).deck)
    open_seats = {seat, count}
    plans = [
        services.SeatPlan(
            Player.PERSON if s == 1 else Player.OPEN if s in open_seats else Player.AGENT
        )
        for s in range(1, count + 1)
    ]
    settings = {"blind": True}
    game = services.create(ruleset, plans, seed="1", settings=settings, pace="even", gather=True)
    Table.objects.create(game=game)
    client = client_of(game, 1)
    Player.objects.filter(game=game, seat=seat).update(kind=Player.PERSON)
    client_of(game, seat)
    return game, client


@each_ruleset
def test_a_blind_lobby_does_not_tell_who_sits_where(ruleset: str) -> None:
    pages = []
    for seat in (2, 4):
        game, client = gathered(ruleset, seat)
        text = client.get(f"/games/{game.code}/").content.decode()
        pages.append(re.sub(r"remove_guest:\d+", "remove_guest", plain(text, game)))
    assert pages[0] == pages[1]
    assert "Guest 2" in pages[0]


@each_ruleset
def test_at_a_blind_table_the_time_things_take_tells_nothing(ruleset: str) -> None:
    """What a person says at once is held as long as a computer player would have taken."""
    held = []
    for people in (WHO, ()):
        game = blind_game(ruleset, *people)
        window = selectors.open_windows(game)[0]
        seat = window.asked[0]
        action = drawing_hand("1")(window.window, seat)
        services.answer(game.pk, seat, window.window.key, action)
        game.refresh_from_db()
        assert game.due_at
        held.append(game.due_at - game.created_at)
    assert held[0] == held[1] > clock.timedelta(seconds=10)
