"""The claims table and a player's own story, read by rule from the viewer's events."""

from __future__ import annotations

import pytest

from agents.claims import claim_reading
from agents.packs import pack_of
from agents.talk.claim_steps import ClaimStep, contested_roles, current_claims
from agents.talk.dialogue import Dialogue
from game.engine import rulesets, visibility
from game.engine.events import Event, say
from game.engine.ruleset import Ruleset
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import divination, log_of, play

RULES = rulesets.get("one-night")
ROLES = {2: "mason", 4: "mason", 5: "seer", 7: "minion"}
UNRELATED_TALK = ((1, "Hello everyone."), (3, "Good morning."))


def steps_of(view: View, ruleset: Ruleset) -> list[ClaimStep]:
    return claim_reading.read_steps(Dialogue.of(view, pack_of(ruleset)))


def steps(log: list[Event], seat: int) -> list[ClaimStep]:
    return steps_of(visibility.view_of(log, visibility.seat(seat)), RULES)


def test_claims_partners_and_looks_keep_their_round() -> None:
    log = log_of(
        ROLES,
        (1, "I'm a Villager."),
        (2, "I am a Mason, and Delta is the other Mason."),
        (3, "I'm the Seer: I looked at Beta and Eta, and the Werewolf is one of them."),
        (3, "As I said, I'm the Seer."),
        round=2,
    )
    claim_steps = steps(log, 6)
    assert claim_steps == [
        ClaimStep(1, 2, "role", "villager"),
        ClaimStep(2, 2, "role", "mason"),
        ClaimStep(2, 2, "partner", "mason", (4,)),
        ClaimStep(3, 2, "role", "seer"),
        ClaimStep(3, 2, "look", "seer", (2, 8), "werewolf"),
    ]
    rows = claim_reading.claims_by_seat(claim_steps, range(1, 9))
    assert [s for s, own in rows.items() if not own] == [4, 5, 6, 7, 8]


def test_retraction_is_a_step_and_the_claim_can_be_repeated() -> None:
    log = log_of(
        ROLES,
        (1, "I'm the Seer."),
        (1, "I take back my Seer claim, that was a lie."),
        (1, "I'm a Villager."),
        (1, "Fine, I'm the Seer after all."),
        (4, "I'm a Villager."),
        (4, "I take that back, I am not a Villager."),
        (4, "I'm a Villager."),
    )
    read_steps = steps(log, 2)
    assert [(s.kind, s.role) for s in read_steps if s.seat == 1] == [
        ("role", "seer"),
        ("back", "seer"),
        ("role", "villager"),
        ("role", "seer"),
    ]
    assert current_claims(read_steps[:2]) == {}
    assert [s.kind for s in read_steps if s.seat == 4] == ["role", "back", "role"]
    assert current_claims(read_steps) == {1: "seer", 4: "villager"}


def test_roles_claimed_beyond_the_deck_are_contested() -> None:
    log = log_of(ROLES, (1, "I'm the Seer."), (3, "I'm the Seer."), (2, "I'm a Mason."))
    assert contested_roles(current_claims(steps(log, 6)), RULES.deck) == {"seer": [1, 3]}


def test_last_announced_vote_counts() -> None:
    log = log_of(
        ROLES,
        (1, "I'll vote for Beta."),
        (3, "My vote goes to Beta."),
        (1, "I'll vote for Delta."),
        (1, "I'll vote for Beta."),
        (6, "I'll vote for Delta."),
    )
    assert claim_reading.voters_by_target(steps(log, 2)) == {2: [1, 3], 4: [6]}


@pytest.mark.parametrize(
    ("seat", "text", "true"),
    [
        (7, "I'm the Seer: I looked at Beta and Eta, no Werewolf there.", [False, False]),
        (5, "I'm the Seer: I looked at Beta and Eta, no Werewolf there.", [True, False]),
        (5, "I'm the Seer: I looked at Alpha and Gamma, no Werewolf there.", [True, True]),
        (2, "I am a Mason, and Delta is the other Mason.", [True, True]),
        (2, "I am a Mason, and Alpha is the other Mason.", [True, False]),
    ],
)
def test_own_lies_are_distinguished_from_true_claims(
    seat: int, text: str, true: list[bool]
) -> None:
    log = [*log_of(ROLES, *UNRELATED_TALK, (seat, text)), divination(5, (1, 3), False)]
    view = visibility.view_of(log, visibility.seat(seat))
    own = claim_reading.own_story(steps_of(view, RULES), view, pack_of(RULES))
    assert [s.is_true for s in own] == true
    assert {s.seat for s in own} == {seat}


def test_whole_games_give_only_seats_and_roles() -> None:
    for seed in ("claims/1", "claims/2"):
        log = play(seed, method="baseline").log
        claim_steps = steps(log, 1)
        assert {s.kind for s in claim_steps} >= {"role", "look", "vote"}
        for step in claim_steps:
            assert step.role in {"", *RULES.deck}
            assert set(step.targets) <= set(range(1, 9))


@pytest.mark.parametrize(
    "words",
    [
        "I'm the Seer. I looked at player_1 and player_2. One of these two is the Werewolf.",
        "I'm the Seer: one of player_1 and player_2 is a Werewolf.",
    ],
)
def test_result_about_one_of_two_stays_a_pair(words: str) -> None:
    """Regression: read as two looks, the result called both players Werewolves."""

    def person(view: View, window: Window) -> Answer | None:
        mine = window.kind == "statement" and view.seat == 5
        return Answer(say(words)) if mine else None

    pair_steps = next(
        steps
        for decision, _ in play("pair", "sheriff", person=person, keep=True).decisions
        if decision.window.kind == "vote"
        and decision.seat != 5
        and (steps := steps_of(decision.view, decision.ruleset))
        and any(step.seat == 5 for step in steps)
    )
    looks = [step for step in pair_steps if step.seat == 5 and step.kind == "look"]
    assert [(step.targets, step.value) for step in looks] == [((1, 2), "werewolf")]
