"""Tests that a blind table reveals to nobody who is a person, until the host reveals it."""

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
from game.engine.side_questions import ROLE_GUESS_KIND
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from webapp.play import visitors
from webapp.play.live import push
from webapp.play.live.broadcaster import OpenPage, _SharedPages
from webapp.play.models import Desk, Table
from webapp.play.page import desk_storage
from webapp.play.page.page_builder import page_for
from webapp.play.page.snapshot import take_snapshot
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
PEOPLE_SEATS = (1, 3)  # seat 1 observes, seat 3 is a person at one table only
CURRENT_TIME = timezone.now()
TODAY = CURRENT_TIME.date()
each_ruleset = pytest.mark.parametrize("ruleset", rulesets.names())
COMPARISONS_PER_KIND = 2  # compared answers of seat 3, per kind and phase
SEEDS = {"one-night": "1", "sheriff": "10"}  # ruleset -> seed of its game, "2" for others
PERSON_DELAY = clock.timedelta(seconds=8)  # time of a person's answer
PEOPLE_SETTINGS = {"rate_people", "ask_why", "poll_people"}  # ask people more questions
# The game of five has no window that the game of thirteen lacks.
GAMES = [(name, SEEDS.get(name, "2")) for name in rulesets.names() if name != "aiwolf-5"]
DOWNLOAD_INTERVAL = 4  # comparisons of pages between two that include downloads


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: CURRENT_TIME)
    monkeypatch.setattr(timezone, "localdate", lambda: TODAY)  # on the front page


def client_in_seat(game: Game, seat: int | None) -> Client:
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    player = Player.objects.get(game=game, seat=seat) if seat else None
    visitors.seat_visitor(visitor, game, player, is_host=seat == 1)
    return client


def table_secrets(game: Game) -> list[str]:
    """Return the random names and keys, which differ between any two tables."""
    keys = [*Desk.objects.filter(player__game=game).values_list("key", flat=True)]
    return [game.code, Table.objects.get(game=game).invitation, *keys]


def mask_secrets(text: str, game: Game, secrets: Sequence[str] = ()) -> str:
    """Replace the random names, keys and tokens in a text."""
    for secret in secrets or table_secrets(game):
        text = text.replace(secret, "X")
    return re.sub(r'(name="csrfmiddlewaretoken"\s+value|csrf[^"]*)="[^"]+"', "token", text)


def pushed_frames(game: Game, page: OpenPage, viewer: Guest) -> list[str]:
    """Return the frames that the viewer's open page is sent now."""
    game.refresh_from_db()
    update = _SharedPages(take_snapshot(game)).find_update(page, viewer)
    return [mask_secrets(frame, game) for frame in update.frames] if update else []


class TwoTables:
    """The same game twice. Seat 3 is a person at the first table and an agent at the second."""

    def __init__(self, ruleset: str, seed: str = "1", **settings: bool) -> None:
        self.hand, self.random = drawing_hand(seed), SeededRandom(seed)
        self.games = [
            create_blind_game(ruleset, *people, seed=seed, **settings)
            for people in (PEOPLE_SEATS, PEOPLE_SEATS[:1])
        ]
        for game in self.games:
            Table.objects.create(game=game, spectators=True)
        self.clients = [client_in_seat(game, 1) for game in self.games]
        client_in_seat(self.games[0], 3)
        self.comparison_count = 0
        self.pages = [OpenPage(None, discard_frame, discard_frame, cursor=0) for _ in self.games]

    def compare(self) -> None:
        """Check that all output for seat 1 and a spectator is equal, and so are the deadlines."""
        times = [window_times(game) for game in self.games]
        assert times[0] == times[1]
        self.compare_pages()

    def compare_pages(self) -> None:
        """Compare pages only, also when seat 3 has answered at one table and not at the other.

        The host's open page must get equal frames, or none.
        """
        hosts = [Player.objects.get(game=game, seat=1) for game in self.games]
        viewers = [Guest(p.game, p, is_host=True, is_member=True) for p in hosts]
        frames_by_table = [
            pushed_frames(*arguments)
            for arguments in zip(self.games, self.pages, viewers, strict=True)
        ]
        assert frames_by_table[0] == frames_by_table[1]
        has_downloads = self.comparison_count % DOWNLOAD_INTERVAL == 0 or bool(
            self.games[0].ended_at
        )
        tables = zip(self.games, self.clients, strict=True)
        pages_by_table = [self.read_all(game, client, has_downloads) for game, client in tables]
        for person_page, agent_page in zip(*pages_by_table, strict=True):
            assert person_page == agent_page
        self.comparison_count += 1

    def compare_replays(self) -> None:
        """Compare every line of the finished game in the public, own and refused views."""
        statuses = set()
        for query in [
            f"?as={sight}&at={line}" for sight in ("public", "1", "3") for line in (1, 15, 999)
        ]:
            for viewer in ("player", "spectator"):
                pages = []
                for game, client in zip(self.games, self.clients, strict=True):
                    browser = client if viewer == "player" else Client()
                    response = browser.get(f"/games/{game.code}/replay{query}")
                    statuses.add(response.status_code)
                    pages.append(mask_secrets(response.content.decode(), game))
                assert pages[0] == pages[1]
        assert statuses == {200, 403, 404}

    @staticmethod
    def read_all(game: Game, client: Client, with_downloads: bool) -> list[str]:
        """Return the frames and pages of seat 1 and a spectator.

        with_downloads: add the transcripts, and the front page of seat 1.
        """
        game.refresh_from_db()
        host = Player.objects.get(game=game, seat=1)
        guests = [Guest(game, host, is_host=True, is_member=True), Guest(game, None)]
        texts = [push.render_frame(page_for(guest)) for guest in guests]
        for browser in (client, Client()):
            for name in ("", *(("transcript.txt", "transcript.jsonl") if with_downloads else ())):
                response = browser.get(f"/games/{game.code}/{name}")
                assert response.status_code == 200
                texts.append(response.content.decode() + str(sorted(response.headers.items())))
        if with_downloads:
            texts.append(re.sub("<time.*?</time>", "", client.get("/").content.decode()))
        secrets = table_secrets(game)
        return [
            re.sub("'Content-Length', '\\d+'", "", mask_secrets(text, game, secrets))
            for text in texts
        ]

    def extend_time(self) -> bool:
        """Let the host extend the time at both tables. Return whether that is accepted."""
        responses = [
            client.post(f"/games/{game.code}/act", {"do": "more_time"}, HTTP_HX_REQUEST="true")
            for game, client in zip(self.games, self.clients, strict=True)
        ]
        results = [
            (response.status_code, mask_secrets(response.content.decode(), game))
            for game, response in zip(self.games, responses, strict=True)
        ]
        assert results[0] == results[1]
        return responses[0].status_code == 200

    def answer_apart(self, window: selectors.OpenWindow, nth: int) -> bool:
        """Let seat 3 answer at once at the agent's table, and later at the person's.

        nth: the number of windows of the kind so far. The first is compared, and the next after the
        answer. Returns: whether the host could give more time between the answers.
        """
        person_game, agent_game = self.games
        could_extend = True
        self.answer(agent_game, window, 3)
        if nth == 1:
            self.compare_pages()
            could_extend = self.extend_time()
            self.compare_pages()
        move_clock_to(CURRENT_TIME + PERSON_DELAY)
        self.answer(person_game, window, 3)
        if nth <= COMPARISONS_PER_KIND:
            self.compare()
        return could_extend

    def play_steps(self) -> Iterator[tuple[str, str, bool]]:
        """Play both games to their end, one answer at a time.

        Yields the kind of window ("" for a deadline), its phase, and whether seat 3 answered.
        """
        while windows := selectors.open_windows(self.games[0]):
            self.answer_polls()
            windows = selectors.open_windows(self.games[0])
            window = next((w for w in windows if w.missing), None)
            for game in self.games:
                if window is None:
                    services.settle_deadlines(game.pk)
                elif (
                    window.window.kind != ROLE_GUESS_KIND
                    or window.missing[0] == 1
                    or game == self.games[0]
                ):
                    self.answer(game, window, window.missing[0])
            if window is None:
                move_clock_to(max(w.not_before for w in windows))
            kind, seat = (window.window.kind, window.missing[0]) if window else ("", 0)
            yield kind, windows[0].window.moment.phase, seat == 3

    def answer_polls(self) -> None:
        """Answer straw polls, which no player sees, for the agents."""
        for game in self.games:
            for window in selectors.open_windows(game):
                for seat in window.missing if window.window.window_audience == RECORD else ():
                    self.answer(game, window, seat)

    def answer(self, game: Game, window: selectors.OpenWindow, seat: int) -> None:
        """Answer at random. Seats 3 and 4 sometimes miss: a person is late, an agent fails."""
        is_person = game == self.games[0] and seat == 3
        key, action, labels = window.window.key, self.hand(window.window, seat), list[str]()
        if seat in (3, 4) and self.random.below(f"missed/{key}/{seat}", 3) == 0:
            action = window.window.fallback_for(seat, self.random, "").action
            labels = ["timeout" if is_person else "fallback:crash"]
        if is_person:
            desk_storage.note_typing(Player.objects.get(game=game, seat=3))
        services.answer(
            game.pk, seat, key, action, labels=labels, is_agent=not (is_person or seat == 1)
        )


async def discard_frame(_message: object) -> None:
    """Replace an open page's socket. Frames are read where they are made."""


def move_clock_to(at: datetime) -> None:
    """Move the fixed clock forward to `at`."""
    global CURRENT_TIME
    CURRENT_TIME = max(CURRENT_TIME, at)


def window_times(game: Game) -> list[tuple[object, ...]]:
    """Return the times of open windows, except those that nobody sees or waits for."""
    windows = [
        window
        for window in selectors.open_windows(game)
        if window.window.waits_for == "all" and window.window.kind != ROLE_GUESS_KIND
    ]
    return [
        (window.window.key, window.opened_at, window.not_before, window.expires_at)
        for window in windows
    ]


def create_blind_game(ruleset: str, *people: int, seed: str = "1", **settings: bool) -> Game:
    all_settings = {"blind": True, **FEW_STATEMENTS.get(ruleset, {}), **settings}
    return new_game(*people, ruleset=ruleset, seed=seed, pace="even", settings=all_settings)


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_seats_of_person_and_agent_look_identical_throughout_a_game(
    ruleset: str, seed: str
) -> None:
    """Also with study settings that ask only people: ratings, vote reasons and polls."""
    settings = dict.fromkeys(
        PEOPLE_SETTINGS & {s.key for s in rulesets.get(ruleset).settings}, True
    )
    tables = TwoTables(ruleset, seed, **settings)
    tables.compare()
    steps = Counter[tuple[str, str, bool]]()
    for step in tables.play_steps():
        steps[step] += 1
        if steps[step] <= (COMPARISONS_PER_KIND if step[-1] else 1):
            tables.compare()
    tables.compare()
    assert tables.comparison_count > 15, tables.comparison_count
    if settings:
        assert sum(n for (kind, *_), n in steps.items() if kind == ROLE_GUESS_KIND) > 4
    game = tables.games[0]
    assert game.ended_at, "the end page is compared"
    tables.compare_replays()
    end_page = tables.clients[0].get(f"/games/{game.code}/").content.decode()
    host_actions.reveal(game.pk)
    assert tables.clients[0].get(f"/games/{game.code}/").content.decode() != end_page


@pytest.mark.parametrize(("ruleset", "seed"), [("one-night", "1"), ("aiwolf-5", "2")])
def test_host_does_not_learn_when_a_seat_has_answered(ruleset: str, seed: str) -> None:
    """A person takes longer than an agent.

    Until the table learns of an answer, no page, frame or result of "One more minute" shows it.
    """
    tables, counts = TwoTables(ruleset, seed), Counter[str]()
    tables.compare()
    person_game, agent_game = tables.games
    while selectors.open_windows(person_game) and sum(counts.values()) < 9:
        tables.answer_polls()
        windows = selectors.open_windows(person_game)
        pending = [
            window
            for window in windows
            if window.missing and window.window.window_audience != RECORD
        ]
        if seat_3_window := next((window for window in pending if window.missing[0] == 3), None):
            kind = seat_3_window.window.kind
            counts[kind] += 1
            could_extend = tables.answer_apart(seat_3_window, counts[kind])
            assert could_extend or seat_3_window.window.window_audience != PUBLIC, kind
        elif pending:
            for game in tables.games:
                tables.answer(game, pending[0], pending[0].missing[0])
        else:
            assert person_game.due_at
            move_clock_to(person_game.due_at)
            for game in tables.games:
                services.settle_deadlines(game.pk)
            assert window_times(person_game) == window_times(agent_game)
        person_game.refresh_from_db()
    assert len(counts) > 1, "windows of several kinds"


def test_second_werewolf_does_not_learn_when_the_first_has_chosen() -> None:
    """The second is asked when the first one's time is over, however early it chose."""
    game = create_blind_game("sheriff", *PEOPLE_SEATS)
    hand = drawing_hand("1")
    while not (attacks := [o for o in selectors.open_windows(game) if o.window.kind == "attack"]):
        pending = [o for o in selectors.open_windows(game) if o.missing]
        for window in pending[:1]:
            seat = window.missing[0]
            services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not pending:
            game.refresh_from_db()
            assert game.due_at
            move_clock_to(game.due_at)
            services.settle_deadlines(game.pk)
    (first,) = attacks
    services.answer(game.pk, first.missing[0], first.window.key, hand(first.window, first.asked[0]))
    (unchanged,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert unchanged.window.key == first.window.key
    assert unchanged.expires_at
    move_clock_to(unchanged.expires_at)
    services.settle_deadlines(game.pk)
    (second,) = (o for o in selectors.open_windows(game) if o.window.kind == "attack")
    assert second.asked != first.asked
    assert second.expires_at
    assert second.expires_at > CURRENT_TIME + clock.timedelta(seconds=9), (
        "the second has its own time"
    )


@each_ruleset
def test_silence_does_not_reveal_a_person(ruleset: str) -> None:
    """A pass takes the time of a short statement.

    A failed agent is silent until the deadline, as an absent person is.
    """
    game = create_blind_game(ruleset, *PEOPLE_SEATS)
    window = play_to_first_statement(game)
    form, seat = window.window.speech, window.missing[0]
    if form.may_skip:
        services.answer(game.pk, seat, window.window.key, Action("skip"))
        (open_window,) = (
            o for o in selectors.open_windows(game) if o.window.key == window.window.key
        )
        assert open_window.not_before > open_window.opened_at + clock.timedelta(seconds=4)
        move_clock_to(open_window.not_before)
        services.settle_deadlines(game.pk)
        window = play_to_first_statement(game)
    fallback = window.window.fallback_for(window.missing[0], SeededRandom("1"), "fallback:crash")
    key, labels = window.window.key, fallback.labels
    services.answer(game.pk, window.missing[0], key, fallback.action, labels=labels)
    (open_window,) = (o for o in selectors.open_windows(game) if o.window.key == window.window.key)
    assert open_window.not_before == open_window.expires_at


def play_to_first_statement(game: Game) -> selectors.OpenWindow:
    """Answer for all until a statement is due in the day."""
    hand = drawing_hand("1")
    while True:
        windows = selectors.open_windows(game)
        pending = [o for o in windows if o.missing]
        for window in pending:
            if isinstance(window.window.legal, Speech) and window.window.clock == "statement":
                return window
        for window in pending[:1]:
            seat = window.missing[0]
            services.answer(game.pk, seat, window.window.key, hand(window.window, seat))
        if not pending:
            move_clock_to(max(o.not_before for o in windows))
            services.settle_deadlines(game.pk)


@each_ruleset
def test_handed_over_seat_looks_identical(ruleset: str) -> None:
    tables = TwoTables(ruleset)
    host_actions.hand_over(tables.games[0].pk, 3)
    tables.compare()
    assert Player.objects.get(game=tables.games[0], seat=3).stand_in, "a stand-in plays the seat"


def open_blind_lobby(ruleset: str, seat: int) -> tuple[Game, Client]:
    """Open a blind lobby: people in seats 1 and `seat`, the last seat open."""
    count = len(rulesets.get(ruleset).deck)
    kinds = dict.fromkeys(range(1, count + 1), Player.AGENT)
    kinds |= {1: Player.PERSON, seat: Player.OPEN, count: Player.OPEN}
    plans = [services.SeatPlan(kind) for kind in kinds.values()]
    settings = {"blind": True}
    game = services.create(
        ruleset, plans, seed="1", settings=settings, pace="even", should_gather=True
    )
    Table.objects.create(game=game)
    client = client_in_seat(game, 1)
    Player.objects.filter(game=game, seat=seat).update(kind=Player.PERSON)
    client_in_seat(game, seat)
    return game, client


@each_ruleset
def test_blind_lobby_does_not_show_where_people_sit(ruleset: str) -> None:
    pages = []
    for seat in (2, 4):
        game, client = open_blind_lobby(ruleset, seat)
        text = client.get(f"/games/{game.code}/").content.decode()
        pages.append(re.sub(r"remove_guest:\d+", "remove_guest", mask_secrets(text, game)))
    assert pages[0] == pages[1]
    assert "Guest 2" in pages[0]


@each_ruleset
@pytest.mark.parametrize("do", ["fill", "invite"])
def test_blind_lobby_rejects_acts_on_single_seats(ruleset: str, do: str) -> None:
    """A refusal of single acts would show that a person sits there."""
    game, client = open_blind_lobby(ruleset, 2)
    for player in game.players.all():
        response = client.post(
            f"/games/{game.code}/act", {"do": f"{do}:{player.seat}"}, HTTP_HX_REQUEST="true"
        )
        assert response.status_code == 409
        assert "This table is blind" in response.content.decode()


@each_ruleset
def test_opening_time_of_next_window_does_not_reveal_a_person(ruleset: str) -> None:
    """An immediate answer of a person is held as long as an agent would have taken."""
    delays = []
    for people in (PEOPLE_SEATS, ()):
        game = create_blind_game(ruleset, *people)
        window = selectors.open_windows(game)[0]
        seat = window.asked[0]
        action = drawing_hand("1")(window.window, seat)
        services.answer(game.pk, seat, window.window.key, action)
        game.refresh_from_db()
        assert game.due_at
        delays.append(game.due_at - game.created_at)
    assert delays[0] == delays[1] > clock.timedelta(seconds=5)
