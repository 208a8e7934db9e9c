"""Tests of the replay's trust panels: whom an agent believes, and by which lines."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from game import selectors
from game.engine import visibility
from game.models import Game
from tests.webapp.replays import (
    get_replay,
    guest_in_seat,
    mind_of,
    page_html,
    play_with_minds,
    replay_lines,
    true_role,
)
from webapp.play.models import LLMCall, MindNote
from webapp.play.replay.replay_builder import build_guest_replay

pytestmark = pytest.mark.django_db
OWN_SEAT = 2


def play_sheriff_game(*people: int) -> Game:
    """Return a finished game with a Sheriff whose agents judged before each action."""
    return play_with_minds(*people, recipe=Recipe(method="helmsman"), ruleset="sheriff", seed="1")


def judgements(game: Game, seat: int) -> list[MindNote]:
    rows = MindNote.objects.filter(game=game, seat=seat, faculty=FACULTY).order_by("pk")
    return [row for row in rows if row.data["standing"]]


def trust_score(game: Game, seat: int, judgement: dict[str, Any]) -> int:
    """Return how far the seat relies on the player of that judgement, 1 to 10."""
    is_doubted = judgement["role"] == "werewolf" != true_role(game, seat)
    return int(11 - judgement["confidence"] if is_doubted else judgement["confidence"])


def second_day_speaker(game: Game) -> int:
    """Return the last speaker of the second day."""
    calls = LLMCall.objects.filter(game=game, kind="statement", window__startswith="statement.2")
    last_call = calls.order_by("pk").last()
    assert last_call, "the game has two days"
    return last_call.seat


def test_mind_at_its_own_line_shows_trust_and_evidence() -> None:
    game = play_sheriff_game()
    seat = second_day_speaker(game)
    line_number = max(
        number
        for number, line in enumerate(replay_lines(game, "moderator"), 1)
        if line.kind == "statement" and line.speaker and line.speaker.number == seat
    )
    visible_events = selectors.view_for(game, visibility.seat(seat)).events
    lines = replay_lines(game, "moderator")
    replay = build_guest_replay(guest_in_seat(game, None), "moderator", str(line_number))
    assert replay.minds
    assert replay.minds.mind
    trust = replay.minds.mind.trust
    assert trust
    assert (trust.has_ratings, trust.has_failed) == (True, False)
    all_events = selectors.view_for(game, visibility.MODERATOR).events
    window = all_events[lines[line_number - 1].position - 1]["window"]
    (note,) = [number for number in judgements(game, seat) if number.window == window]
    judgements_by_seat = {row["seat"]: row for row in note.data["ratings"]}
    quoted_count = 0
    for row in trust.rows:
        if row.is_unchanged or not row.role:
            assert row.seat.number not in judgements_by_seat
            continue
        judgement = judgements_by_seat[row.seat.number]
        assert row.score == trust_score(game, seat, judgement)
        assert row.confidence == judgement["confidence"]
        for line in row.evidence:
            evidence_line = lines[line.at - 1]
            assert line.at < line_number
            texts = [
                visible_events[position - 1].data.get("text") for position in judgement["evidence"]
            ]
            if evidence_line.kind == "statement":
                assert evidence_line.text in texts
                quoted_count += 1
    assert quoted_count, "a statement is evidence"
    assert any(row.is_unchanged for row in trust.rows), "judgements of eliminated players stay"
    page = page_html(get_replay(Client(), game, f"?at={line_number}&as=moderator"))
    name = replay.minds.mind.seat.name
    assert f"{name}’s trust in others" in page
    assert re.search(r"(believes|doubts): \d+ of 10", page)
    assert "unchanged" in page
    note.data = {"failed": "timeout"}
    note.save()
    mind = mind_of(game, "moderator", line_number)
    assert mind.trust
    assert mind.trust.has_failed
    assert "judgement for this line failed" in page_html(
        get_replay(Client(), game, f"?at={line_number}&as=moderator")
    )


def test_trust_history_shows_each_judgement_and_the_statements_between() -> None:
    game = play_sheriff_game()
    seat = second_day_speaker(game)
    last = len(replay_lines(game, str(seat)))
    mind = mind_of(game, str(seat), last)
    assert mind.seat.number == seat
    history = mind.trust_course
    assert history
    notes = judgements(game, seat)
    assert len([judgement for judgement in history.judgements if judgement.at]) == len(notes)
    judgement_lines = [judgement.at for judgement in history.judgements if judgement.at]
    assert judgement_lines == sorted(judgement_lines)
    for row in history.rows:
        score = ""
        for cell, note in zip(row.cells, notes, strict=False):
            for judgement in note.data["ratings"]:
                if judgement["seat"] == row.seat.number:
                    score = str(trust_score(game, seat, judgement))
            assert cell.score.text == score
        statement_lines = [line.at for cell in row.cells for line in cell.spoken]
        assert statement_lines == [
            number
            for number, line in enumerate(replay_lines(game, str(seat)), 1)
            if line.kind == "statement" and line.speaker and line.speaker.number == row.seat.number
        ]
    early_history = mind_of(game, str(seat), judgement_lines[2]).trust_course
    assert early_history
    assert len(early_history.judgements) < len(history.judgements)
    assert all(
        statement.at <= judgement_lines[2]
        for row in early_history.rows
        for cell in row.cells
        for statement in cell.spoken
    )


def test_trust_table_shows_the_scores_at_the_line_to_the_moderator_only() -> None:
    game = play_sheriff_game(OWN_SEAT)
    last = len(replay_lines(game, "moderator"))
    minds = build_guest_replay(guest_in_seat(game), "moderator", str(last)).minds
    assert minds
    (heat,) = minds.heats
    assert [row.seat.number for row in heat.rows] == [
        other_seat for other_seat in range(1, 8) if other_seat != OWN_SEAT
    ]
    assert any(seat.is_out for seat in heat.columns)
    for row in heat.rows:
        scores: dict[int, str] = {}
        for note in judgements(game, row.seat.number):
            scores |= {
                judgement["seat"]: str(trust_score(game, row.seat.number, judgement))
                for judgement in note.data["ratings"]
            }
        for seat, cell in zip(heat.columns, row.cells, strict=True):
            assert (cell and cell.text) == (
                None if seat.number == row.seat.number else scores.get(seat.number, "")
            )
    for key in ("public", str(OWN_SEAT)):
        page = page_html(get_replay(Client(), game, f"?at={len(replay_lines(game, key))}&as={key}"))
        assert not re.search(r">Trust<|trust in others|trust changed", page)
    own_minds = build_guest_replay(
        guest_in_seat(game), "5", str(len(replay_lines(game, "5")))
    ).minds
    assert own_minds
    assert [row.seat.number for heat in own_minds.heats for row in heat.rows] == [5]
