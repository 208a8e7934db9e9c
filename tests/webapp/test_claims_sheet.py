"""Tests of the claims sheet: claims a worker reads from the talk are listed beside it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from game import locked_game, selectors
from game.engine import rulesets
from game.engine.events import say
from game.models import Game
from tests.game.table import any_answer, finish, new_game, play_until
from tests.query_counter import count_queries
from tests.webapp.tables import host_table, post_act
from webapp.play import claim_reading, readings
from webapp.play.live.notifier import Notifier
from webapp.play.models import ClaimsSheet, Membership, StatedClaim, Table
from webapp.play.page.snapshot import Snapshot
from webapp.play.tables.opening import TableOptions, open_similar_table, open_table
from webapp.play.turns import withdrawals

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
OPENING_STATEMENTS = {  # ruleset -> statements of the first speakers; {1} is the name of seat 1
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


def play_until_statement(game: Game, seat: int, text: str) -> str:
    """Play until `seat` speaks, say `text` and return the key of the window."""
    for _ in range(200):
        for window in selectors.open_windows(game):
            for awaited in window.missing:
                if window.window.kind == "statement" and awaited == seat:
                    locked_game.record_answer(game.pk, seat, window.window.key, say(text))
                    return window.window.key
                locked_game.record_answer(
                    game.pk, awaited, window.window.key, any_answer(window, awaited)
                )
    raise AssertionError("the seat never spoke")


def make_opening_statements(game: Game) -> list[str]:
    """Make the first three statements of the ruleset. Return the keys of their windows."""
    names = dict(enumerate(["", *rulesets.get(game.ruleset).seat_names]))
    lines = (
        re.sub(r"\{(\d)\}", lambda m: names[int(m[1])], line)
        for line in OPENING_STATEMENTS[game.ruleset]
    )
    return [play_until_statement(game, seat, line) for seat, line in enumerate(lines, 1)]


def read_sheet(client: Client, game: Game) -> str:
    """Return the text of the sheet on the page, "" if there is none."""
    page = client.get(f"/games/{game.code}/").content.decode()
    section = re.search(r'<section id="claims".*?</section>', page, re.S)
    assert section
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", section[0])).strip()


@pytest.mark.parametrize("ruleset", OPENING_STATEMENTS)
def test_claims_and_contradictions_are_listed_by_role(ruleset: str, sit: Sit) -> None:
    game = table_with_sheet(ruleset)
    client = sit(game, 1)
    assert "No one has claimed a role yet." in read_sheet(client, game)
    make_opening_statements(game)
    claim_reading.read_new_statements(game.pk)
    text = read_sheet(client, game)
    names = rulesets.get(ruleset).seat_names
    assert "2 players claim this role, but the game has only 1 such card." in text
    assert "These results contradict each other." in text
    for name in names[:2]:
        assert f"{name} claimed Seer" in text
    assert re.search(rf"Villager {names[2]} (day \d|round \d|in the greetings)", text)
    for name, roles in zip(names, ("Werewolf", "Villager, Possessed"), strict=False):
        pattern = f"{name} as Seer {names[2]} {roles}"
        assert (pattern in text) == (ruleset == "aiwolf-5"), "only where talk runs in passes"
    assert "All others" not in text, "other players could have any role"


def test_each_statement_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game, read_texts = table_with_sheet(), list[str]()
    understand = claim_reading.statement_acts

    def record_and_understand(text: str, *arguments: object) -> object:
        read_texts.append(text)
        return understand(text, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(claim_reading, "statement_acts", record_and_understand)
    play_until_statement(game, 1, "I am the Seer.")
    claim_reading.read_new_statements(game.pk)
    play_until_statement(game, 2, "I am a Villager.")
    claim_reading.read_new_statements(game.pk)
    claim_reading.read_new_statements(game.pk)
    assert read_texts == ["I am the Seer.", "I am a Villager."]
    assert [row.role for row in StatedClaim.objects.order_by("pk")] == ["seer", "villager"]


def test_withdrawn_claim_is_marked(sit: Sit) -> None:
    game = table_with_sheet()
    play_until_statement(game, 1, "I am the Seer.")
    play_until_statement(game, 1, "I take back my claim. I am not the Seer.")
    play_until_statement(game, 1, "I am a Villager.")
    claim_reading.read_new_statements(game.pk)
    text = read_sheet(sit(game, 1), game)
    assert "round 1; withdrawn: round 2" in text
    assert re.search(r"Villager \S+ round 3", text)


def test_removed_text_loses_its_claims(sit: Sit) -> None:
    game = table_with_sheet()
    first, second, _third = make_opening_statements(game)
    claim_reading.read_new_statements(game.pk)
    withdrawals.request_text_removal(game.pk, first, 1)
    withdrawals.complete_withdrawals(game.pk)
    assert not StatedClaim.objects.filter(seat=1).exists()
    assert " claimed Seer" not in read_sheet(sit(game, 1), game)
    claim_reading.read_new_statements(game.pk)
    names = rulesets.get("one-night").seat_names
    text = read_sheet(sit(game, 2), game)
    assert f"{names[1]} claimed Seer" in text
    assert f"{names[0]} claimed Seer" not in text
    assert second in {row.utterance.window for row in StatedClaim.objects.filter(seat=2)}


def test_removal_during_a_reading_leaves_no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    game = table_with_sheet()
    first = make_opening_statements(game)[0]
    read_claims = claim_reading._read_claims

    def remove_text_meanwhile(*arguments: object) -> object:
        claims = list(read_claims(*arguments))  # type: ignore[arg-type]
        withdrawals.request_text_removal(game.pk, first, 1)
        withdrawals.complete_withdrawals(game.pk)
        return claims

    monkeypatch.setattr(claim_reading, "_read_claims", remove_text_meanwhile)
    claim_reading.read_new_statements(game.pk)
    assert not StatedClaim.objects.exists()


def test_erased_player_leaves_no_claims() -> None:
    game = table_with_sheet()
    make_opening_statements(game)
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
            locked_game.record_answer(
                game.pk, seat, window.window.key, say("I will claim: I am the Seer.")
            )
    claim_reading.read_new_statements(game.pk)
    assert not StatedClaim.objects.exists()


def test_new_claims_change_the_page_key() -> None:
    game = table_with_sheet()
    make_opening_statements(game)
    game.refresh_from_db()
    before = Snapshot(game).change_key
    claim_reading.read_new_statements(game.pk)
    game.refresh_from_db()
    assert Snapshot(game).change_key != before


def test_statement_is_queued_for_reading_once(
    queued_tasks: list[tuple[str, int]], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    game = table_with_sheet()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        Notifier._queue_work(game.pk, [])
        assert not queued_tasks, "no statement was made"
        play_until_statement(game, 1, "I am the Seer.")
        Notifier._queue_work(game.pk, [])
        Notifier._queue_work(game.pk, [])
    assert queued_tasks == [(readings.CLAIMS_TASK, game.pk)]


def test_lost_request_is_repeated_after_the_timeout(
    queued_tasks: list[tuple[str, int]], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    game = table_with_sheet()
    play_until_statement(game, 1, "I am the Seer.")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        readings.request_claims(game.pk)
        readings.request_overdue_claims()
        assert not queued_tasks[1:], "it was requested just now"
        ClaimsSheet.objects.update(asked_at=timezone.now() - readings.REQUEST_TIMEOUT)
        readings.request_overdue_claims()
    assert len(queued_tasks) == 2


def test_table_without_a_sheet_costs_one_query() -> None:
    game = new_game(1)
    Table.objects.create(game=game)
    with count_queries() as queries:
        Notifier._queue_work(game.pk, [])
    assert queries == {"SELECT play_claimssheet": 1}


@pytest.mark.parametrize(
    ("setting", "research", "is_shown"),
    [("", "", True), ("", "on", False), ("shown", "on", True), ("hidden", "", False)],
)
def test_table_setting_decides_whether_claims_are_shown(
    setting: str, research: str, is_shown: bool
) -> None:
    host = Client()
    choices = {"claims": setting, **({"research": research} if research else {})}
    game = host_table(host, guests=1, **choices)
    post_act(host, game, "start")
    assert ClaimsSheet.objects.filter(game=game).exists() is is_shown
    assert bool(read_sheet(host, game)) is is_shown


def test_similar_table_keeps_the_claims_setting() -> None:
    visitor = uuid.uuid4()
    game = finish(open_table(visitor, TableOptions(claims=False, pace="none")))
    assert Membership.objects.get(game=game).visitor == visitor
    assert not ClaimsSheet.objects.filter(game=open_similar_table(visitor, game)).exists()
