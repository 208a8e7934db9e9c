"""Tests of the claims of a finished game, read once by the worker that ends it."""

from __future__ import annotations

import pytest

from agents.understanding import understand
from game import selectors
from game.models import Game
from tests.game.table import new_game
from tests.webapp.ignored_seer import play_game_with_ignored_seer, roles_of
from webapp.lab import stored_games
from webapp.measures.game_record import Claim
from webapp.play.models import FinalClaims
from webapp.play.turns import withdrawals
from webapp.play.turns.answering import answer_window

pytestmark = pytest.mark.django_db


def claims_of(game: Game) -> tuple[Claim, ...]:
    return stored_games.load_record(Game.objects.get(pk=game.pk)).claims


def test_worker_that_ends_a_game_stores_its_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    game = new_game(ruleset="aiwolf-5", seed="claims")
    while missing := [
        (seat, window.window.key)
        for window in selectors.open_windows(game)
        for seat in window.missing
    ]:
        for seat, key in missing:
            answer_window(game.pk, seat, key)
    stored_row = FinalClaims.objects.get(game=game)
    assert not any("is_true" in step for step in stored_row.steps), "the row holds what was said"
    with monkeypatch.context() as patch:
        patch.setattr(understand, "understand", None)  # the metrics read no text
        claims = claims_of(game)
    assert {claim.role for claim in claims} & {"seer", "villager"}
    stored_row.delete()
    assert claims_of(game) == claims
    assert FinalClaims.objects.filter(game=game).exists(), "the next metrics use the stored claims"


def test_removed_text_loses_its_final_claims() -> None:
    game = play_game_with_ignored_seer()
    seer = next(seat for seat, role in roles_of(game).items() if role == "seer")
    assert "look" in {claim.kind for claim in claims_of(game) if claim.seat == seer}
    for row in game.utterances.filter(seat=seer):
        withdrawals.request_text_removal(game.pk, row.window, seer)
        withdrawals.complete_withdrawals(game.pk)
    assert not FinalClaims.objects.exists()
    assert not [claim for claim in claims_of(game) if claim.seat == seer]
