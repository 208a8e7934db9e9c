"""Whom a computer player believes, and by which lines, in the replay."""

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
from tests.webapp.test_replay import guest, lines_of, look, text, thought_through
from tests.webapp.test_replay_mind_panels import mind_of, true_role
from webapp.play.models import LLMCall, MindNote
from webapp.play.replay.replay_builder import build_guest_replay

pytestmark = pytest.mark.django_db
ME = 2


def trusting(*people: int) -> Game:
    """A finished game with a Sheriff whose computer players judged before each action."""
    return thought_through(*people, recipe=Recipe(method="helmsman"), ruleset="sheriff", seed="1")


def judgements(game: Game, seat: int) -> list[MindNote]:
    rows = MindNote.objects.filter(game=game, seat=seat, faculty=FACULTY).order_by("pk")
    return [row for row in rows if row.data["standing"]]


def relied_on(game: Game, seat: int, row: dict[str, Any]) -> int:
    """How far the seat relies on whom it judged so."""
    doubted = row["role"] == "werewolf" != true_role(game, seat)
    return int(11 - row["confidence"] if doubted else row["confidence"])


def speaker_late(game: Game) -> int:
    """Who spoke on the second day."""
    row = LLMCall.objects.filter(game=game, kind="statement", window__startswith="statement.2")
    found = row.order_by("pk").last()
    assert found, "the game has two days"
    return found.seat


def test_mind_at_its_own_line_shows_trust_and_evidence() -> None:
    game = trusting()
    seat = speaker_late(game)
    at = max(
        n
        for n, line in enumerate(lines_of(game, "moderator"), 1)
        if line.kind == "statement" and line.speaker and line.speaker.number == seat
    )
    own = selectors.view_for(game, visibility.seat(seat)).events
    told = lines_of(game, "moderator")
    key = build_guest_replay(guest(game, None), "moderator", str(at))
    assert key.minds
    assert key.minds.mind
    trust = key.minds.mind.trust
    assert trust
    assert (trust.has_ratings, trust.has_failed) == (True, False)
    whole = selectors.view_for(game, visibility.MODERATOR).events
    window = whole[told[at - 1].position - 1]["window"]
    (note,) = [n for n in judgements(game, seat) if n.window == window]
    judged = {row["seat"]: row for row in note.data["ratings"]}
    quoted = 0
    for row in trust.rows:
        if row.is_unchanged or not row.role:
            assert row.seat.number not in judged
            continue
        kept = judged[row.seat.number]
        assert row.score == relied_on(game, seat, kept)
        assert row.confidence == kept["confidence"]
        for line in row.evidence:
            shown = told[line.at - 1]
            assert line.at < at
            words = [own[p - 1].data.get("text") for p in kept["evidence"]]
            if shown.kind == "statement":
                assert shown.text in words
                quoted += 1
    assert quoted, "somebody's words are evidence"
    assert any(row.is_unchanged for row in trust.rows), "who is out keeps what was thought of them"
    page = text(look(Client(), game, f"?at={at}&as=moderator"))
    name = key.minds.mind.seat.name
    assert f"{name}’s trust in others" in page
    assert re.search(r"(believes|doubts): \d+ of 10", page)
    assert "unchanged" in page
    note.data = {"failed": "timeout"}
    note.save()
    mind = mind_of(game, "moderator", at)
    assert mind.trust
    assert mind.trust.has_failed
    assert "judgement for this line failed" in text(look(Client(), game, f"?at={at}&as=moderator"))


def test_trust_history_shows_each_judgement_and_the_statements_between() -> None:
    game = trusting()
    seat = speaker_late(game)
    last = len(lines_of(game, str(seat)))
    mind = mind_of(game, str(seat), last)
    assert mind.seat.number == seat
    course = mind.course
    assert course
    notes = judgements(game, seat)
    assert len([c for c in course.columns if c.at]) == len(notes)
    ats = [c.at for c in course.columns if c.at]
    assert ats == sorted(ats)
    for row in course.rows:
        m = ""
        for cell, note in zip(row.cells, notes, strict=False):
            for judged in note.data["ratings"]:
                if judged["seat"] == row.seat.number:
                    m = str(relied_on(game, seat, judged))
            assert cell.score.text == m
        said = [line.at for cell in row.cells for line in cell.spoken]
        assert said == [
            n
            for n, line in enumerate(lines_of(game, str(seat)), 1)
            if line.kind == "statement" and line.speaker and line.speaker.number == row.seat.number
        ]
    early = mind_of(game, str(seat), ats[2]).course
    assert early
    assert len(early.columns) < len(course.columns)
    assert all(x.at <= ats[2] for row in early.rows for cell in row.cells for x in cell.spoken)


def test_trust_table_shows_the_scores_at_the_line_to_the_moderator_only() -> None:
    game = trusting(ME)
    last = len(lines_of(game, "moderator"))
    minds = build_guest_replay(guest(game), "moderator", str(last)).minds
    assert minds
    (heat,) = minds.heats
    assert [row.seat.number for row in heat.rows] == [s for s in range(1, 8) if s != ME]
    assert any(seat.is_out for seat in heat.columns)
    for row in heat.rows:
        m: dict[int, str] = {}
        for note in judgements(game, row.seat.number):
            m |= {r["seat"]: str(relied_on(game, row.seat.number, r)) for r in note.data["ratings"]}
        for seat, cell in zip(heat.columns, row.cells, strict=True):
            assert (cell and cell.text) == (
                None if seat.number == row.seat.number else m.get(seat.number, "")
            )
    for key in ("public", str(ME)):
        page = text(look(Client(), game, f"?at={len(lines_of(game, key))}&as={key}"))
        assert not re.search(r">Trust<|trust in others|trust changed", page)
    own = build_guest_replay(guest(game), "5", str(len(lines_of(game, "5")))).minds
    assert own
    assert [row.seat.number for heat in own.heats for row in heat.rows] == [5]
