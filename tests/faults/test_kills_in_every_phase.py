"""Tests of kill -9 of each process in every phase, of one night and of games of days."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import httpx2
import pytest
from django.conf import settings

from tests.live import Stack, wait_until
from webapp.middleware import browser_cookie_name

PAIRS = [["worker", "web"], ["redis", "sweeper"]]
# Games of days: (ruleset, settings, phases of the kills, method, role of the person).
# In the third phase all are killed: there the game waits for the person, who is still in the game.
SHORT = {"talk_per_agent": 1, "max_day": 1}
DAYS = [
    ("two-days", {}, ("election", "talk", "vote", "night"), "full", "werewolf"),
    ("aiwolf-5", SHORT, ("talk", "night", "vote"), "full", "seer"),
    ("aiwolf-5", SHORT, ("talk", "night", "vote"), "guarded", "seer"),
    ("aiwolf-13", SHORT, ("evening", "talk", "night", "vote"), "contest", "werewolf"),
]
ONE_AND_ALL = [["sweeper"], ["redis"], ["web", "worker", "sweeper", "redis"], ["web"]]

# One person in each game, of the role ROLE, so that the night waits for a post too.
TABLES = """
import json, uuid
from itertools import count
from django.contrib.sessions.backends.db import SessionStore
from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from agents.recipe import Recipe
from webapp.play.tables import seat_plans, opening as tables
from webapp.play import visitors
deck, found = rulesets.get("RULESET").deck, []
for number in count():
    seed = f"kill {number}"
    made = {"recipe": Recipe(method="METHOD"), "casting": {}, "use_characters": True}
    mine = seat_plans.draw_seat_plans("RULESET", seed, 0, is_host_playing=True, **made)[1]
    if SeededRandom(seed).shuffled("deal", deck)[mine - 1] != "ROLE":
        continue
    visitor, session = uuid.uuid4(), SessionStore()
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    game = tables.open_table(
        visitor,
        tables.TableOptions(
            ruleset="RULESET", seed=seed, pace="instant", settings=SETTINGS, recipe=made["recipe"]
        ),
    )
    found.append([game.code, session.session_key, mine])
    if len(found) == COUNT:
        break
print(json.dumps(found))
"""


@dataclass
class Game:
    """One person's game over plain HTTP."""

    code: str
    seat: int
    client: httpx2.Client
    statements: list[str] = field(default_factory=list)
    voted: str = ""

    def page(self) -> str:
        """Return the page, requested until a web process responds."""
        html = ""

        def is_loaded() -> bool:
            nonlocal html
            try:
                response = self.client.get(f"/games/{self.code}/")
            except httpx2.TransportError:
                return False
            html = response.text
            return response.status_code == 200

        wait_until(is_loaded, "the page of a game", 120)
        return html

    def find_question(self) -> tuple[str, dict[str, object]] | None:
        """Return (phase, form) of the page's question, None if there is none."""
        page = self.page()
        if window := re.search(r'name="window"\s+value="(statement[^"]+)"', page):
            return "talk", {
                "window": window[1],
                "text": f"I am still here, {len(self.statements)}.",
            }
        window = re.search(r'name="window"\s+value="((?:divination|vote)[^"]+)"', page)
        if window is None or "is-answered" in page or self.voted:
            return None
        options = re.findall(r'name="target"\s+value="(\d+)"', page)
        if window[1].startswith("vote"):
            return "vote", {"window": window[1], "target": options[0]}
        return "night", {"window": window[1], "target": options[:2]}

    def reach(self, phase: str) -> dict[str, object]:
        """Play until the person is asked in that phase. Return the form without posting it."""
        form: dict[str, object] = {}

        def is_reached() -> bool:
            nonlocal form
            question = self.find_question()
            if question is None:
                return False
            if question[0] == phase:
                form = question[1]
                return True
            self.post(question[1])
            return False

        wait_until(is_reached, f"{self.code} asks its person in the {phase}", 300, every=0.2)
        return form

    def post(self, form: dict[str, object]) -> None:
        """Post an answer. It counts as accepted only after the server has confirmed it."""
        token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', self.page())
        assert token
        data = {**form, "post": str(uuid.uuid4()), "csrfmiddlewaretoken": token[1]}
        response = self.client.post(f"/games/{self.code}/answer", data=data)
        assert response.status_code == 302, response.text
        if "text" in form:
            self.statements.append(str(form["text"]))
        if str(form["window"]).startswith("vote"):
            self.voted = str(form["target"])

    def play_step(self) -> bool:
        """Answer a pending question. Return whether the game is over."""
        if 'id="end-title"' in self.page():
            return True
        if question := self.find_question():
            self.post(question[1])
        return False


@dataclass
class OtherGame(Game):
    """A game of any ruleset: answers any form that the page shows."""

    answered_forms: list[dict[str, object]] = field(default_factory=list)

    def find_question(self) -> tuple[str, dict[str, object]] | None:
        page = self.page()
        phase = re.search(r'data-phase="(\w+)"', page)
        assert phase
        windows = re.findall(r'name="window"\s+value="([^"]+)"', page)
        answered_windows = {form["window"] for form in self.answered_forms}
        window = next(
            (w for w in windows if w not in answered_windows and not w.startswith("guess")), ""
        )
        if not window:
            return None
        form: dict[str, object] = {"window": window}
        if rated_seats := re.findall(r'name="rated"\s+value="(\d+)"', page):
            form |= {"rated": rated_seats[0], f"role-{rated_seats[0]}": "villager"}
            form |= {f"confidence-{rated_seats[0]}": "7"}
        elif options := re.findall(r'name="target"\s+value="(\w+)"', page):
            form["target"] = options[0]
        else:
            form["text"] = f"I am still here, {len(self.statements)}."
        return phase[1], form

    def reach(self, phase: str) -> dict[str, object]:
        """Play until the person is asked in that phase, or is out.

        Returns: the form, empty if the person is out. Such a game does not wait for the person, and
        may be over.
        """
        form: dict[str, object] = {}

        def is_reached() -> bool:
            page, question = self.page(), self.find_question()
            if question and question[0] == phase:
                form.update(question[1])
            elif question:
                self.post(question[1])
            is_phase_shown = f'data-phase="{phase}"' in page or 'id="end-title"' in page
            return bool(form) or (is_phase_shown and "is-me is-out" in page)

        wait_until(is_reached, f"{self.code} comes to the {phase}", 300, every=0.2)
        return form

    def post(self, form: dict[str, object]) -> None:
        super().post(form)
        self.answered_forms.append(form)


def open_games(
    stack: Stack,
    ruleset: str,
    role: str,
    count: int,
    rules: Mapping[str, int] | None = None,
    method: str = "full",
) -> list[tuple[str, str, int]]:
    """Open that many games and return (code, session, seat of the person) of each."""
    code = TABLES.replace("RULESET", ruleset).replace("ROLE", role).replace("COUNT", str(count))
    code = code.replace("SETTINGS", repr(dict(rules or {}))).replace("METHOD", method)
    return [tuple(row) for row in json.loads(stack.shell(code).splitlines()[-1])]


def browser(stack: Stack, session: str) -> httpx2.Client:
    name = browser_cookie_name(settings.SESSION_COOKIE_NAME, stack.url)
    return httpx2.Client(base_url=stack.url, cookies={name: session}, timeout=60)


@pytest.fixture
def games(stack: Stack) -> list[Game]:
    opened_games = open_games(stack, "one-night", "seer", len(PAIRS))
    return [Game(code, seat, browser(stack, session)) for code, session, seat in opened_games]


def check_log(stack: Stack, game: Game) -> None:
    """The log has every accepted post once and no answer of a stand-in."""
    lines = stack.manage("transcript", game.code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statement_data = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statement_data] == [*range(1, 9)] * 3
    assert [s["text"] for s in statement_data if s["seat"] == game.seat] == game.statements
    votes = {e["data"]["seat"]: e["data"]["targets"] for e in log if e["kind"] == "vote"}
    assert len(votes) == 8 == len([e for e in log if e["kind"] == "vote"])
    assert votes[game.seat] == [int(game.voted)]
    kinds = [e["kind"] for e in log]
    assert [kinds.count(k) for k in ("divination", "divined", "out", "game_over")] == [1] * 4
    assert not [e for e in log if e["labels"]], "nobody needed a stand-in"


def test_one_night_game_survives_kills_in_every_phase(stack: Stack, games: list[Game]) -> None:
    for phase in ("night", "talk", "vote"):
        for game, names in zip(games, PAIRS, strict=True):
            form = game.reach(phase)
            game.post(form)  # accepted: from here on it must not be forgotten
            stack.kill_and_restart(names)
    for game in games:
        wait_until(game.play_step, f"the end of {game.code}", 300, every=0.2)
        check_log(stack, game)


def check_days(stack: Stack, game: OtherGame) -> None:
    """The log has every accepted post once, in order, and no answer of a stand-in."""
    lines = stack.manage("transcript", game.code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    answers = [(e["data"]["window"], e["data"]["seat"]) for e in log if "manner" in e["data"]]
    assert len(answers) == len(set(answers)), "every answer once"
    own_windows = [window for window, seat in answers if seat == game.seat]
    assert own_windows == [form["window"] for form in game.answered_forms]
    statements = [e["data"] for e in log if e["data"].get("text")]
    assert [line["text"] for line in statements if line["seat"] == game.seat] == game.statements
    assert [e["kind"] for e in log].count("game_over") == 1
    labelled = [e for e in log if not all(label.startswith("template:") for label in e["labels"])]
    assert not labelled, "nobody needed a stand-in"


def test_games_of_days_survive_kills_in_every_phase(stack: Stack) -> None:
    """Each kill affects all these games, in the next phase of each."""
    games: list[tuple[OtherGame, Sequence[str]]] = []
    for ruleset, rules, phases, method, role in DAYS:
        ((code, session, seat),) = open_games(stack, ruleset, role, 1, rules, method)
        games.append((OtherGame(code, seat, browser(stack, session)), phases))
    for number, names in enumerate(ONE_AND_ALL):
        forms_by_game = [
            (game, game.reach(phases[number])) for game, phases in games if phases[number:]
        ]
        for game, form in forms_by_game:
            if form:
                game.post(form)  # accepted: from here on it must not be forgotten
        stack.kill_and_restart(names)
    for game, _phases in games:
        wait_until(game.play_step, f"the end of {game.code}", 300, every=0.2)
        check_days(stack, game)
