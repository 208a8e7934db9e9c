"""The sheet of claims: what a worker reads from the talk stands beside it, and goes with it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from game import selectors, services
from game.engine import rulesets
from game.engine.forms import say
from game.models import Game
from tests.asked_queries import asked
from tests.game.table import any_answer, finish, new_game, play_until
from tests.webapp.test_invitations import act, set_table
from webapp.play import claim_reading, readings
from webapp.play.live.notifier import Notifier
from webapp.play.models import ClaimsSheet, Membership, StatedClaim, Table
from webapp.play.page.snapshot import change_key, presence_at
from webapp.play.tables.opening import TableOptions, open_similar_table, open_table
from webapp.play.turns import withdrawals

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
LIES = {  # ruleset -> what the first speakers say, by the names of seats 1, 2 and 3
    "one-night": (
        "I am the Seer. I looked at {3} and {4}, and the Werewolf is one of them.",
        "I am the Seer. I looked at {3} and {4}, and neither of them is the Werewolf.",
        "I am a Villager.",
    ),
    "sheriff": (
        "I am the Seer. I checked {3}, and {3} is a Werewolf.",
        "I am the Seer. I checked {3}, and {3} is a Villager.",
        "I am a Villager.",
    ),
    "aiwolf-5": (
        "I am the Seer. I divined {3}, and {3} is a Werewolf.",
        "I am the Seer. I divined {3}, and {3} is human.",
        "I am a Villager.",
    ),
}


def table_with_sheet(ruleset: str = "one-night", *people: int) -> Game:
    game = new_game(*(people or (1,)), ruleset=ruleset)
    Table.objects.create(game=game)
    ClaimsSheet.objects.create(game=game)
    return game


def speak(game: Game, seat: int, text: str) -> str:
    """Let the game go on until `seat` speaks, and say that. Gives the window's key."""
    for _ in range(200):
        for window in selectors.open_windows(game):
            for awaited in window.missing:
                if window.window.kind == "statement" and awaited == seat:
                    services.answer(game.pk, seat, window.window.key, say(text))
                    return window.window.key
                services.answer(game.pk, awaited, window.window.key, any_answer(window, awaited))
    raise AssertionError("it never spoke")


def talk(game: Game) -> list[str]:
    """The first three seats say what LIES has. Gives the windows' keys."""
    names = dict(enumerate(["", *rulesets.get(game.ruleset).seat_names]))
    lines = (re.sub(r"\{(\d)\}", lambda m: names[int(m[1])], line) for line in LIES[game.ruleset])
    return [speak(game, seat, line) for seat, line in enumerate(lines, 1)]


def sheet(client: Client, game: Game) -> str:
    """The sheet's text on the page, "" for none."""
    page = client.get(f"/games/{game.code}/").content.decode()
    part = re.search(r'<section id="claims".*?</section>', page, re.S)
    assert part
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", part[0])).strip()


@pytest.mark.parametrize("ruleset", LIES)
def test_claims_stand_side_by_side(ruleset: str, sit: Sit) -> None:
    game = table_with_sheet(ruleset)
    client = sit(game, 1)
    assert "No one has claimed a role yet." in sheet(client, game)
    talk(game)
    claim_reading.read_new_statements(game.pk)
    text = sheet(client, game)
    names = rulesets.get(ruleset).seat_names
    assert "2 players claim this role, but the game has only 1 such card." in text
    assert "These results contradict each other." in text
    for name in names[:2]:
        assert f"{name} claimed Seer" in text
    assert re.search(rf"Villager {names[2]} (day \d|round \d|in the greetings)", text)
    for name, roles in zip(names, ("Werewolf", "Villager, Possessed"), strict=False):
        pattern = f"{name} as Seer {names[2]} {roles}"
        assert (pattern in text) == (ruleset == "aiwolf-5"), "where talk runs in passes"
    assert "All others" not in text, "they could be anything"


def test_each_statement_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game, read = table_with_sheet(), list[str]()
    understand = claim_reading.statement_acts

    def noted(text: str, *more: object) -> object:
        read.append(text)
        return understand(text, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(claim_reading, "statement_acts", noted)
    speak(game, 1, "I am the Seer.")
    claim_reading.read_new_statements(game.pk)
    speak(game, 2, "I am a Villager.")
    claim_reading.read_new_statements(game.pk)
    claim_reading.read_new_statements(game.pk)
    assert read == ["I am the Seer.", "I am a Villager."]
    assert [row.role for row in StatedClaim.objects.order_by("pk")] == ["seer", "villager"]


def test_a_claim_that_is_taken_back_is_marked(sit: Sit) -> None:
    game = table_with_sheet()
    speak(game, 1, "I am the Seer.")
    speak(game, 1, "I take back my claim. I am not the Seer.")
    speak(game, 1, "I am a Villager.")
    claim_reading.read_new_statements(game.pk)
    text = sheet(sit(game, 1), game)
    assert "round 1; withdrawn: round 2" in text
    assert re.search(r"Villager \S+ round 3", text)


def test_removed_words_take_their_claims_with_them(sit: Sit) -> None:
    game = table_with_sheet()
    first, second, _third = talk(game)
    claim_reading.read_new_statements(game.pk)
    withdrawals.remove_text(game.pk, first, 1)
    assert not StatedClaim.objects.filter(seat=1).exists()
    assert " claimed Seer" not in sheet(sit(game, 1), game)
    claim_reading.read_new_statements(game.pk)
    names = rulesets.get("one-night").seat_names
    text = sheet(sit(game, 2), game)
    assert f"{names[1]} claimed Seer" in text
    assert f"{names[0]} claimed Seer" not in text
    assert second in {row.utterance.window for row in StatedClaim.objects.filter(seat=2)}


def test_a_worker_that_read_before_the_removal_adds_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = table_with_sheet()
    (first, *_others) = talk(game)
    read = claim_reading._read_claims

    def while_words_go(*given: object) -> object:
        claims = list(read(*given))  # type: ignore[arg-type]
        withdrawals.remove_text(game.pk, first, 1)
        return claims

    monkeypatch.setattr(claim_reading, "_read_claims", while_words_go)
    claim_reading.read_new_statements(game.pk)
    assert not StatedClaim.objects.exists()


def test_an_erased_player_leaves_no_claim() -> None:
    game = table_with_sheet()
    talk(game)
    finish(game)
    claim_reading.read_new_statements(game.pk)
    assert StatedClaim.objects.filter(seat=1).exists()
    withdrawals.erase_person(game.players.get(seat=1))
    claim_reading.read_new_statements(game.pk)
    assert not StatedClaim.objects.filter(seat=1).exists()
    assert StatedClaim.objects.filter(seat=2).exists()


def test_whispers_are_not_read() -> None:
    game = table_with_sheet("aiwolf-13")
    play_until(game, "whisper")
    for window in selectors.open_windows(game):
        for seat in window.missing:
            services.answer(game.pk, seat, window.window.key, say("I will claim: I am the Seer."))
    claim_reading.read_new_statements(game.pk)
    assert not StatedClaim.objects.exists()


def test_open_pages_are_told_of_claims() -> None:
    game = table_with_sheet()
    talk(game)
    game.refresh_from_db()
    before = change_key(game, presence_at(game))
    claim_reading.read_new_statements(game.pk)
    game.refresh_from_db()
    assert change_key(game, presence_at(game)) != before


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(readings, "send", lambda *task: sent.append(task) or True)
    return sent


def test_a_statement_is_queued_once(
    queue: list[tuple[str, int]], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    game = table_with_sheet()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        Notifier._queue_work(game.pk, [])
        assert not queue, "nothing was said"
        speak(game, 1, "I am the Seer.")
        Notifier._queue_work(game.pk, [])
        Notifier._queue_work(game.pk, [])
    assert queue == [(readings.CLAIMS_TASK, game.pk)]


def test_a_lost_request_is_made_anew(
    queue: list[tuple[str, int]], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    game = table_with_sheet()
    speak(game, 1, "I am the Seer.")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        readings.request_claims(game.pk)
        readings.request_overdue_claims()
        assert not queue[1:], "it was requested just now"
        ClaimsSheet.objects.update(asked_at=timezone.now() - readings.REQUEST_TIMEOUT)
        readings.request_overdue_claims()
    assert len(queue) == 2


def test_tables_without_the_sheet_cost_one_query() -> None:
    game = new_game(1)
    Table.objects.create(game=game)
    with asked() as found:
        Notifier._queue_work(game.pk, [])
    assert found == {"SELECT play_claimssheet": 1}


@pytest.mark.parametrize(
    ("chosen", "research", "shown"),
    [("", "", True), ("", "on", False), ("shown", "on", True), ("hidden", "", False)],
)
def test_the_table_chooses(chosen: str, research: str, shown: bool) -> None:
    host = Client()
    more = {"claims": chosen, **({"research": research} if research else {})}
    game = set_table(host, guests=1, **more)
    act(host, game, "start")
    assert ClaimsSheet.objects.filter(game=game).exists() is shown
    assert bool(sheet(host, game)) is shown


def test_playing_again_keeps_the_choice() -> None:

    visitor = uuid.uuid4()
    game = finish(open_table(visitor, TableOptions(show_claims=False, pace="none")))
    assert Membership.objects.get(game=game).visitor == visitor
    assert not ClaimsSheet.objects.filter(game=open_similar_table(visitor, game)).exists()
