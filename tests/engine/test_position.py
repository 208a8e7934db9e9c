"""Public methods of `Position`, as a search uses them, for every ruleset."""

from __future__ import annotations

import random

import pytest

from game.engine import rulesets
from game.engine.events import pick
from game.engine.forms import Illegal
from game.engine.position import Position
from game.engine.ruleset import Ruleset, team_of

RULESETS = [rulesets.get(name) for name in rulesets.names()]
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda r: r.name)
TEXTS = ("I trust nobody.", "Let us vote.")


def advance(position: Position, chance: random.Random, moves: int = 100_000) -> Position:
    """Make random legal moves."""
    while moves and not position.is_over:
        request = chance.choice(position.pending)
        position.apply(request, chance.choice(position.legal_actions(request, TEXTS)))
        moves -= 1
    return position


@each_ruleset
def test_clone_is_independent_and_deterministic(ruleset: Ruleset) -> None:
    for moves in (0, 7, 20):
        position = advance(Position.start(ruleset, "s"), random.Random(moves), moves)
        log, pending = list(position.log), position.pending
        first, second = position.clone(), position.clone()
        advance(first, random.Random(1))
        assert (position.log, position.pending) == (log, pending), "the original is unchanged"
        advance(second, random.Random(1))
        assert first.log == second.log == advance(position, random.Random(1)).log
        assert first.log[: len(log)] == log


@each_ruleset
def test_clone_with_another_seed_shares_only_the_past(ruleset: Ruleset) -> None:
    position = advance(Position.start(ruleset, "s"), random.Random(2), 3)
    copies = [advance(position.clone(f"sample {n}"), random.Random(3)) for n in range(8)]
    assert all(copy.log[: len(position.log)] == position.log for copy in copies)
    assert all(copy.state.roles == copies[0].state.roles for copy in copies), (
        "roles are dealt before"
    )


@each_ruleset
def test_returns_follow_the_winning_team(ruleset: Ruleset) -> None:
    winners = set()
    for number in range(6):
        position = Position.start(ruleset, str(number))
        assert set(position.returns().values()) == {0.0}
        advance(position, random.Random(number))
        winner = position.state.winner
        winners.add(winner)
        for seat, value in position.returns().items():
            side = team_of(ruleset, position.state.roles[seat])
            final_value = 1.0 if side == winner else -1.0
            assert value == (final_value if winner else 0.0)
    assert winners - {""}


@each_ruleset
def test_rejected_action_changes_nothing(ruleset: Ruleset) -> None:
    position = Position.start(ruleset, "s")
    log, pending = list(position.log), position.pending
    with pytest.raises(Illegal):
        position.apply(pending[0], pick(99))
    assert (position.log, position.pending) == (log, pending)
