"""At a blind table no byte that anybody gets tells who is a person, until it is revealed."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from game import clock, host_actions, selectors, services
from game.engine import rulesets
from game.engine.events import PUBLIC, RECORD
from game.engine.forms import Action, Speech
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import RATING_KIND
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from webapp.play import visitors
from webapp.play.live import push
from webapp.play.live.broadcaster import OpenPage, _SharedPages
from webapp.play.models import Desk, Table
from webapp.play.page import drafts
from webapp.play.page.page_builder import page_for
from webapp.play.page.snapshot import take_snapshot
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
WHO = (1, 3)  # seat 1 looks; seat 3 is a person at one table and a computer player at the other
AT = timezone.now()
TODAY = AT.date()
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
ALIKE = 2  # answers of seat 3 after which all is compared, of a kind in a phase; of others' one
SEEDS = {"one-night": "1", "sheriff": "10"}  # ruleset -> the seed of its game; of any other "2"
SLOW = clock.timedelta(seconds=8)  # what a person takes where a computer player takes none
ASKED = {"rate_people", "ask_why", "poll_people"}  # settings by which people are asked more
# The game of five has no window that the game of thirteen lacks.
GAMES = [(name, SEEDS.get(name, "2")) for name in rulesets.names() if name != "aiwolf-5"]
DOWNLOADS = 4  # every so many comparisons of pages, downloads and the front page are compared too


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: AT)
    monkeypatch.setattr(timezone, "localdate", lambda: TODAY)  # on the front page


def client_of(game: Game, seat: int | None) -> Client:
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    player = Player.objects.get(game=game, seat=seat) if seat else None
    visitors.seat_visitor(visitor, game, player, is_host=seat == 1)
    return client


def secrets_of(game: Game) -> list[str]:
    """What differs between any two tables, and may: random names and keys."""
    keys = [*Desk.objects.filter(player__game=game).values_list("key", flat=True)]
    return [game.code, Table.objects.get(game=game).invitation, *keys]


def plain(text: str, game: Game, secrets: Sequence[str] = ()) -> str:
    for secret in secrets or secrets_of(game):
        text = text.replace(secret, "X")
    return re.sub(r'(name="csrfmiddlewaretoken"\s+value|csrf[^"]*)="[^"]+"', "token", text)


def frames(game: Game, page: OpenPage, viewer: Guest) -> list[str]:
    """Return what the viewer's open page is sent now."""
    game.refresh_from_db()
    update = _SharedPages(take_snapshot(game)).find_update(page, viewer)
    return [plain(frame, game) for frame in update.frames] if update else []


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
        self.pages = [OpenPage(None, _nowhere, _nowhere, cursor=0) for _ in self.games]

    def compare(self) -> None:
        """Everything the player in seat 1 and a spectator can get is the same, byte by byte, and it
        will go on at the same time."""
        clocks = [clocks_of(game) for game in self.games]
        assert clocks[0] == clocks[1]
        self.compare_pages()

    def compare_pages(self) -> None:
        """Only the pages, at a moment when seat 3 has answered at one table and not at the other.

        The host's open page gets the same frames, or none, too.
        """
        hosts = [Player.objects.get(game=game, seat=1) for game in self.games]
        looking = [Guest(p.game, p, is_host=True, is_member=True) for p in hosts]
        pushed = [frames(*each) for each in zip(self.games, self.pages, looking, strict=True)]
        assert pushed[0] == pushed[1]
        whole = self.compared % DOWNLOADS == 0 or bool(self.games[0].ended_at)
        both = zip(self.games, self.clients, strict=True)
        pages = [self.everything(game, client, whole) for game, client in both]
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
    def everything(game: Game, client: Client, whole: bool) -> list[str]:
        """Return the frames and pages of seat 1 and a spectator.

        whole: also the transcripts, and the front page of seat 1.
        """
        game.refresh_from_db()
        host = Player.objects.get(game=game, seat=1)
        guests = [Guest(game, host, is_host=True, is_member=True), Guest(game, None)]
        found = [push.render_frame(page_for(guest)) for guest in guests]
        for who in (client, Client()):
            for name in ("", *(("transcript.txt", "transcript.jsonl") if whole else ())):
                answer = who.get(f"/games/{game.code}/{name}")
                assert answer.status_code == 200
                found.append(answer.content.decode() + str(sorted(answer.headers.items())))
        if whole:
            found.append(re.sub("<time.*?</time>", "", client.get("/").content.decode()))
        secrets = secrets_of(game)
        return [re.sub("'Content-Length', '\\d+'", "", plain(t, game, secrets)) for t in found]

    def more_time(self) -> bool:
        """The host gives a minute more at both tables; whether that is accepted, as at both."""
        answers = [
            client.post(f"/games/{game.code}/act", {"do": "more_time"}, HTTP_HX_REQUEST="true")
            for game, client in zip(self.games, self.clients, strict=True)
        ]
        told = [
            (answer.status_code, plain(answer.content.decode(), game))
            for game, answer in zip(self.games, answers, strict=True)
        ]
        assert told[0] == told[1]
        return answers[0].status_code == 200

    def answer_apart(self, window: selectors.OpenWindow, nth: int) -> bool:
        """Seat 3 answers at once at the computer player's table and later at the person's.

        Whether the host could give more time meanwhile. nth: how many windows of the kind there
        have been; all is compared at the first, and after the answer at the next.
        """
        person, computer = self.games
        could = True
        self.answer(computer, window, 3)
        if nth == 1:
            self.compare_pages()
            could = self.more_time()
            self.compare_pages()
        pass_to(AT + SLOW)
        self.answer(person, window, 3)
        if nth <= ALIKE:
            self.compare()
        return could

    def steps(self) -> Iterator[tuple[str, str, bool]]:
        """Both games to their end, an answer at a time.

        Gives the kind of window, "" where time went by, its phase, and whether it was seat 3 that
        answered.
        """
        while windows := selectors.open_windows(self.games[0]):
            self.poll()
            windows = selectors.open_windows(self.games[0])
            window = next((w for w in windows if w.missing), None)
            for game in self.games:
                if window is None:
                    services.settle_deadlines(game.pk)
                elif (
                    window.window.kind != RATING_KIND
                    or window.missing[0] == 1
                    or game == self.games[0]
                ):
                    self.answer(game, window, window.missing[0])
            if window is None:
                pass_to(max(w.not_before for w in windows))
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
        services.answer(
            game.pk, seat, key, action, labels=labels, is_agent=not (person or seat == 1)
        )


async def _nowhere(_message: object) -> None:
    """Stand in for an open page's socket: its frames are read where they are made."""


def pass_to(at: datetime) -> None:
    """No earlier than now, it is `at`."""
    global AT
    AT = max(AT, at)


def clocks_of(game: Game) -> list[tuple[object, ...]]:
    """When the open windows close, but for those that nobody ever sees and nothing waits for."""
    open_ = [
        o
        for o in selectors.open_windows(game)
        if o.window.waits_for == "all" and o.window.kind != RATING_KIND
    ]
    return [(o.window.key, o.opened_at, o.not_before, o.expires_at) for o in open_]


def blind_game(ruleset: str, *people: int, seed: str = "1", **settings: bool) -> Game:
    chosen = {"blind": True, **FEW_STATEMENTS.get(ruleset, {}), **settings}
    return new_game(*people, ruleset=ruleset, seed=seed, pace="even", settings=chosen)


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_a_persons_and_a_computers_seat_look_the_same_all_through(ruleset: str, seed: str) -> None:
    """Also where people are asked more, as in a study.

    Ratings before each act, a line with a vote, polls; of seat 3 at one table alone.
    """
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
        assert sum(n for (kind, *_), n in steps.items() if kind == RATING_KIND) > 4
    game = tables.games[0]
    assert game.ended_at, "to the end page"
    tables.compare_replays()
    shown = tables.clients[0].get(f"/games/{game.code}/").content.decode()
    host_actions.reveal(game.pk)
    assert tables.clients[0].get(f"/games/{game.code}/").content.decode() != shown


@pytest.mark.parametrize(("ruleset", "seed"), [("one-night", "1"), ("aiwolf-5", "2")])
def test_the_host_does_not_learn_when_a_seat_has_answered(ruleset: str, seed: str) -> None:
    """A person takes longer than a computer player.

    Until the table hears of an answer, neither a page, nor a frame, nor what becomes of "One more
    minute" tells whether it is in.
    """
    tables, seen = TwoTables(ruleset, seed), Counter[str]()
    tables.compare()
    person, computer = tables.games
    while selectors.open_windows(person) and sum(seen.values()) < 9:
        tables.poll()
        windows = selectors.open_windows(person)
        asked = [o for o in windows if o.missing and o.window.window_audience != RECORD]
        if apart := next((o for o in asked if o.missing[0] == 3), None):
            kind = apart.window.kind
            seen[kind] += 1
            could = tables.answer_apart(apart, seen[kind])
            assert could or apart.window.window_audience != PUBLIC, kind
        elif asked:
            for game in tables.games:
                tables.answer(game, asked[0], asked[0].missing[0])
        else:
            assert person.due_at
            pass_to(person.due_at)
            for game in tables.games:
                services.settle_deadlines(game.pk)
            assert clocks_of(person) == clocks_of(computer)
        person.refresh_from_db()
    assert len(seen) > 1, "of several kinds"


def test_the_next_werewolf_does_not_learn_when_the_one_before_has_chosen() -> None:
    """The next one is asked when the time of the one before is over, however soon it chose."""
    game = blind_game("sheriff", *WHO)
    hand = drawing_hand("1")
    while not (hunt := [o for o in selectors.open_windows(game) if o.window.kind == "attack"]):
        asked = [o for o in selectors.open_windows(game) if o.missing]
        for window in asked[:1]:
            seat = window.missing[0]
            services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not asked:
            game.refresh_from_db()
            assert game.due_at
            pass_to(game.due_at)
            services.settle_deadlines(game.pk)
    (first,) = hunt
    services.answer(game.pk, first.missing[0], first.window.key, hand(first.window, first.asked[0]))
    (still,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert still.window.key == first.window.key
    assert still.expires_at
    pass_to(still.expires_at)
    services.settle_deadlines(game.pk)
    (second,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert second.asked != first.asked
    assert second.expires_at
    assert second.expires_at > AT + clock.timedelta(seconds=9), "and it has its own time"


@each_ruleset
def test_silence_tells_nothing_either(ruleset: str) -> None:
    """A pass takes the time of a short statement.

    A computer player that failed is silent until the deadline, as a person who does not answer is.
    """
    game = blind_game(ruleset, *WHO)
    window = to_first_statement(game)
    legal, seat = window.window.speech, window.missing[0]
    if legal.may_skip:
        services.answer(game.pk, seat, window.window.key, Action("skip"))
        (now,) = (o for o in selectors.open_windows(game) if o.window.key == window.window.key)
        assert now.not_before > now.opened_at + clock.timedelta(seconds=4)
        pass_to(now.not_before)
        services.settle_deadlines(game.pk)
        window = to_first_statement(game)
    failed = window.window.fallback_for(window.missing[0], SeededRandom("1"), "fallback:crash")
    key, labels = window.window.key, failed.labels
    services.answer(game.pk, window.missing[0], key, failed.action, labels=labels)
    (now,) = (o for o in selectors.open_windows(game) if o.window.key == window.window.key)
    assert now.not_before == now.expires_at


def to_first_statement(game: Game) -> selectors.OpenWindow:
    """Everybody answers until somebody is to speak by day."""
    hand = drawing_hand("1")
    while True:
        windows = selectors.open_windows(game)
        asked = [o for o in windows if o.missing]
        for window in asked:
            if isinstance(window.window.legal, Speech) and window.window.clock == "statement":
                return window
        for window in asked[:1]:
            seat = window.missing[0]
            services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not asked:
            pass_to(max(o.not_before for o in windows))
            services.settle_deadlines(game.pk)


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
    game = services.create(
        ruleset, plans, seed="1", settings=settings, pace="even", should_gather=True
    )
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
@pytest.mark.parametrize("do", ["fill", "invite"])
def test_no_seat_of_a_blind_lobby_can_be_tried(ruleset: str, do: str) -> None:
    """A refusal would tell that a person sits there."""
    game, client = gathered(ruleset, 2)
    for player in game.players.all():
        answer = client.post(
            f"/games/{game.code}/act", {"do": f"{do}:{player.seat}"}, HTTP_HX_REQUEST="true"
        )
        assert answer.status_code == 409
        assert "This table is blind" in answer.content.decode()


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
    assert held[0] == held[1] > clock.timedelta(seconds=5)
