"""kill -9 of each process in every phase of one night; of each and of all at once in two days."""

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
from webapp.middleware import browser_name

PAIRS = [["worker", "web"], ["redis", "sweeper"]]
# Games of days: (ruleset, its settings, the phases in which processes die, method, person's role).
# In the third phase all die at once: there the game waits for the person, who can't be out by then.
SHORT = {"talk_per_agent": 1, "max_day": 1}
DAYS = [
    ("two-days", {}, ("election", "talk", "vote", "night"), "full", "werewolf"),
    ("aiwolf-5", SHORT, ("talk", "night", "vote"), "full", "seer"),
    ("aiwolf-5", SHORT, ("talk", "night", "vote"), "guarded", "seer"),
    ("aiwolf-13", SHORT, ("evening", "talk", "night", "vote"), "contest", "werewolf"),
]
ONE_AND_ALL = [["sweeper"], ["redis"], ["web", "worker", "sweeper", "redis"], ["web"]]

# One person each, of the role ROLE, so that the night waits for a post as well.
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
    session[visitors.KEY] = visitor.hex
    session.save()
    game = tables.open_table(
        visitor,
        tables.TableOptions(
            ruleset="RULESET", seed=seed, pace="instant", settings=SETTINGS, method="METHOD"
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
    said: list[str] = field(default_factory=list)
    voted: str = ""

    def page(self) -> str:
        """The page, asked for until a web process answers."""
        text = ""

        def answered() -> bool:
            nonlocal text
            try:
                answer = self.client.get(f"/games/{self.code}/")
            except httpx2.TransportError:
                return False
            text = answer.text
            return answer.status_code == 200

        wait_until(answered, "the page of a game", 120)
        return text

    def asked(self) -> tuple[str, dict[str, object]] | None:
        """(phase, form) of what the page asks for; None where it asks nothing."""
        page = self.page()
        if window := re.search(r'name="window"\s+value="(statement[^"]+)"', page):
            return "talk", {"window": window[1], "text": f"I am still here, {len(self.said)}."}
        window = re.search(r'name="window"\s+value="((?:divination|vote)[^"]+)"', page)
        if window is None or "is-answered" in page or self.voted:
            return None
        options = re.findall(r'name="target"\s+value="(\d+)"', page)
        if window[1].startswith("vote"):
            return "vote", {"window": window[1], "target": options[0]}
        return "night", {"window": window[1], "target": options[:2]}

    def reach(self, phase: str) -> dict[str, object]:
        """Play on until the person is asked in that phase; gives the form, not yet posted."""
        form: dict[str, object] = {}

        def there() -> bool:
            nonlocal form
            asked = self.asked()
            if asked is None:
                return False
            if asked[0] == phase:
                form = asked[1]
                return True
            self.post(asked[1])
            return False

        wait_until(there, f"{self.code} asks its person in the {phase}", 300, every=0.2)
        return form

    def post(self, form: dict[str, object]) -> None:
        """Post an answer; it counts as accepted only when the server has said so."""
        token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', self.page())
        assert token
        data = {**form, "post": str(uuid.uuid4()), "csrfmiddlewaretoken": token[1]}
        answer = self.client.post(f"/games/{self.code}/answer", data=data)
        assert answer.status_code == 302, answer.text
        if "text" in form:
            self.said.append(str(form["text"]))
        if str(form["window"]).startswith("vote"):
            self.voted = str(form["target"])

    def over(self) -> bool:
        if 'id="end-title"' in self.page():
            return True
        if asked := self.asked():
            self.post(asked[1])
        return False


@dataclass
class OtherGame(Game):
    """The same of whatever ruleset: answers whatever form the page shows."""

    posted: list[dict[str, object]] = field(default_factory=list)

    def asked(self) -> tuple[str, dict[str, object]] | None:
        page = self.page()
        phase = re.search(r'data-phase="(\w+)"', page)
        assert phase
        windows = re.findall(r'name="window"\s+value="([^"]+)"', page)
        done = {form["window"] for form in self.posted}
        window = next((w for w in windows if w not in done and not w.startswith("guess")), "")
        if not window:
            return None
        form: dict[str, object] = {"window": window}
        if rated := re.findall(r'name="rated"\s+value="(\d+)"', page):
            form |= {"rated": rated[0], f"role-{rated[0]}": "villager"}
            form |= {f"confidence-{rated[0]}": "7"}
        elif options := re.findall(r'name="target"\s+value="(\w+)"', page):
            form["target"] = options[0]
        else:
            form["text"] = f"I am still here, {len(self.said)}."
        return phase[1], form

    def reach(self, phase: str) -> dict[str, object]:
        """The same, or an empty form in that phase where the person is out.

        Then they are only there, and cannot hold the game up: it may be over by then.
        """
        form: dict[str, object] = {}

        def there() -> bool:
            page, asked = self.page(), self.asked()
            if asked and asked[0] == phase:
                form.update(asked[1])
            elif asked:
                self.post(asked[1])
            is_there = f'data-phase="{phase}"' in page or 'id="end-title"' in page
            return bool(form) or (is_there and "is-me is-out" in page)

        wait_until(there, f"{self.code} comes to the {phase}", 300, every=0.2)
        return form

    def post(self, form: dict[str, object]) -> None:
        super().post(form)
        self.posted.append(form)


def open_games(
    stack: Stack,
    ruleset: str,
    role: str,
    count: int,
    rules: Mapping[str, int] | None = None,
    method: str = "full",
) -> list[tuple[str, str, int]]:
    """(code, session, the person's seat) of that many new games."""
    code = TABLES.replace("RULESET", ruleset).replace("ROLE", role).replace("COUNT", str(count))
    code = code.replace("SETTINGS", repr(dict(rules or {}))).replace("METHOD", method)
    return [tuple(row) for row in json.loads(stack.shell(code).splitlines()[-1])]


def browser(stack: Stack, session: str) -> httpx2.Client:
    name = browser_name(settings.SESSION_COOKIE_NAME, stack.url)
    return httpx2.Client(base_url=stack.url, cookies={name: session}, timeout=60)


@pytest.fixture
def games(stack: Stack) -> list[Game]:
    made = open_games(stack, "one-night", "seer", len(PAIRS))
    return [Game(code, seat, browser(stack, session)) for code, session, seat in made]


def check(stack: Stack, game: Game) -> None:
    """The log has every accepted post once, nothing doubled, nothing a stand-in answered."""
    lines = stack.manage("transcript", game.code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    statements = [e["data"] for e in log if e["kind"] == "statement"]
    assert [s["seat"] for s in statements] == [*range(1, 9)] * 3
    assert [s["text"] for s in statements if s["seat"] == game.seat] == game.said
    votes = {e["data"]["seat"]: e["data"]["targets"] for e in log if e["kind"] == "vote"}
    assert len(votes) == 8 == len([e for e in log if e["kind"] == "vote"])
    assert votes[game.seat] == [int(game.voted)]
    kinds = [e["kind"] for e in log]
    assert [kinds.count(k) for k in ("divination", "divined", "out", "game_over")] == [1] * 4
    assert not [e for e in log if e["labels"]], "nobody needed a stand-in"


def test_kills_in_the_night_in_the_talk_and_in_the_vote(stack: Stack, games: list[Game]) -> None:
    for phase in ("night", "talk", "vote"):
        for game, names in zip(games, PAIRS, strict=True):
            form = game.reach(phase)
            game.post(form)  # accepted: from here on it must not be forgotten
            stack.fell(names)
    for game in games:
        wait_until(game.over, f"the end of {game.code}", 300, every=0.2)
        check(stack, game)


def check_days(stack: Stack, game: OtherGame) -> None:
    """The log has every accepted post once, in order, and nothing a stand-in answered."""
    lines = stack.manage("transcript", game.code, "--viewer", "moderator").splitlines()
    log = [json.loads(line) for line in lines]
    given = [(e["data"]["window"], e["data"]["seat"]) for e in log if "manner" in e["data"]]
    assert len(given) == len(set(given)), "no answer twice"
    mine = [window for window, seat in given if seat == game.seat]
    assert mine == [form["window"] for form in game.posted]
    spoken = [e["data"] for e in log if e["data"].get("text")]
    assert [line["text"] for line in spoken if line["seat"] == game.seat] == game.said
    assert [e["kind"] for e in log].count("game_over") == 1
    lacking = [e for e in log if not all(label.startswith("template:") for label in e["labels"])]
    assert not lacking, "nobody needed a stand-in"


def test_kills_in_every_phase_of_days(stack: Stack) -> None:
    """Each kill meets all of these games, in the phase of each that is next."""
    games: list[tuple[OtherGame, Sequence[str]]] = []
    for ruleset, rules, phases, method, role in DAYS:
        ((code, session, seat),) = open_games(stack, ruleset, role, 1, rules, method)
        games.append((OtherGame(code, seat, browser(stack, session)), phases))
    for number, names in enumerate(ONE_AND_ALL):
        reached = [(game, game.reach(phases[number])) for game, phases in games if phases[number:]]
        for game, form in reached:
            if form:
                game.post(form)  # accepted: from here on it must not be forgotten
        stack.fell(names)
    for game, _phases in games:
        wait_until(game.over, f"the end of {game.code}", 300, every=0.2)
        check_days(stack, game)
