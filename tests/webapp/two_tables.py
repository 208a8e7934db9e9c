"""Two tables with the same game, which must look identical to every other player."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from django.test import Client
from django.utils import timezone

from game import clock, deadlines, locked_game, selectors
from game.engine.events import RECORD
from game.engine.seeded_random import SeededRandom
from game.engine.side_questions import ROLE_GUESS_KIND
from game.models import Game, Player
from tests.engine.playing import FEW_STATEMENTS, drawing_hand
from tests.game.table import new_game
from tests.webapp.viewers import (
    client_in_seat,
    discard_frame,
    mask_secrets,
    pushed_frames,
    table_secrets,
)
from webapp.play.live import push
from webapp.play.live.broadcaster import OpenPage
from webapp.play.models import Table
from webapp.play.page import desk_storage
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

PEOPLE_SEATS = (1, 3)  # seat 1 observes, seat 3 is a person at one table only
CURRENT_TIME = timezone.now()
TODAY = CURRENT_TIME.date()
COMPARISONS_PER_KIND = 2  # compared answers of seat 3, per kind and phase
PERSON_DELAY = clock.timedelta(seconds=8)  # time of a person's answer
PEOPLE_SETTINGS = {"rate_people", "ask_why", "poll_people"}  # ask people more questions
DOWNLOAD_INTERVAL = 4  # comparisons of pages between two that include downloads


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
        self.clients = [client_in_seat(game, 1, is_host=True) for game in self.games]
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
        texts = [push.render_frame(Page(guest)) for guest in guests]
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
                    deadlines.settle_deadlines(game.pk)
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
        locked_game.record_answer(
            game.pk, seat, key, action, labels=labels, is_agent=not (is_person or seat == 1)
        )


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
