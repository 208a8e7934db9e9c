"""Decisive lines of constructed games whose correct result is known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agents.hindsight import DecisiveLine, decisive_lines
from game.engine import rulesets
from game.engine.events import PUBLIC, Action, Event, say
from game.engine.windows import Window
from tests.agents.table import divination, log_of
from tests.engine import sheriff

ONE_NIGHT = rulesets.get("one-night")
ROLES = dict(
    enumerate(("seer", "mason", "mason", "werewolf", "villager", "villager", "minion", "tanner"), 1)
)
SEER_REPORT = "I am the Seer. I looked at Gamma and Delta, and the Werewolf is one of them."


def finished_game(
    votes: Mapping[int, int], *statements: tuple[int, str], has_found: bool = True, exiled: int = 0
) -> list[Event]:
    """Return a one-night log with a look at seats 3 and 4 (or 5 and 6), talk and a vote."""
    log = log_of(ROLES, *statements)
    log.insert(2 + len(ROLES), divination(1, (3, 4) if has_found else (5, 6), has_found))
    log.append(Event("phase_opened", PUBLIC, {"phase": "vote", "day": 1, "round": 0}))
    log += [
        Event("vote", PUBLIC, {"manner": "pick", "seat": s, "targets": [t], "window": "vote.1"})
        for s, t in votes.items()
    ]
    exile = {"seat": exiled, "cause": "vote", "role": ROLES[exiled]}
    return [*log, Event("out", PUBLIC, exile)]


def lines(log: list[Event]) -> dict[str, DecisiveLine]:
    return {line.kind: line for line in decisive_lines(log, ONE_NIGHT)}


def text_of(log: list[Event], line: DecisiveLine) -> str:
    return str(log[line.position - 1]["text"])


def test_ignored_true_report_is_decisive() -> None:
    votes = {1: 4, 2: 4, 3: 4, 4: 5, 5: 8, 6: 5, 7: 5, 8: 5}
    log = finished_game(votes, (2, "Good evening."), (1, SEER_REPORT), exiled=5)
    by_kind = lines(log)
    assert [line.position for line in decisive_lines(log, ONE_NIGHT)] == sorted(
        line.position for line in by_kind.values()
    )
    shift, ignored, vote = by_kind["shift"], by_kind["ignored"], by_kind["vote"]
    assert text_of(log, shift) == text_of(log, ignored) == SEER_REPORT
    assert shift.target in (3, 4)
    assert shift.after > 2 * shift.before
    assert (ignored.neglect, ignored.role, ignored.targets) == ("found", "seer", (3, 4))
    assert (ignored.other_seats, ignored.counts) == ((5,), (3, 8))
    # four votes to three: of seats 4, 6, 7 and 8 only seat 6 is of the village
    assert (vote.seat, vote.target, vote.other_seats, vote.counts) == (6, 5, (4,), (4, 3))
    assert vote.after > vote.before, "the alternative was visibly likelier"


def test_vote_for_either_reported_player_follows_the_report() -> None:
    votes = {1: 3, 2: 3, 3: 4, 4: 3, 5: 8, 6: 3, 7: 5, 8: 3}
    assert "ignored" not in lines(finished_game(votes, (1, SEER_REPORT), exiled=3))


def test_false_report_shifts_the_deduction_but_is_not_ignored() -> None:
    lie = "I am the Seer. I looked at Alpha and Beta, and the Werewolf is one of them."
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    by_kind = lines(finished_game(votes, (7, lie), exiled=4))
    assert set(by_kind) == {"shift"}
    assert by_kind["shift"].seat == 7
    assert ROLES[by_kind["shift"].target] != "werewolf"


def test_exile_of_a_cleared_player_ignores_the_report() -> None:
    cleared = "I am the Seer. I looked at Epsilon and Theta, and neither of them is the Werewolf."
    votes = dict.fromkeys((2, 3, 4, 6, 7, 8), 5) | {1: 4, 5: 4}
    ignored = lines(finished_game(votes, (1, cleared), has_found=False, exiled=5))["ignored"]
    assert (ignored.neglect, ignored.targets, ignored.counts) == ("cleared", (5, 6), (2, 8))


def test_more_serious_neglect_counts() -> None:
    mason = "I am a Mason, and Gamma is the other Mason."
    votes = dict.fromkeys((3, 4, 5, 6, 7, 8), 2) | {1: 4, 2: 4}
    claims = ((2, mason), (1, SEER_REPORT))
    assert lines(finished_game(votes, *claims[:1], exiled=2))["ignored"].neglect == "claimant"
    assert lines(finished_game(votes, *claims, exiled=2))["ignored"].neglect == "found"


def test_each_vote_for_the_drawn_player_decides_a_tie() -> None:
    votes = {1: 4, 3: 4, 5: 4, 6: 4, 2: 6, 4: 6, 7: 6, 8: 6}
    vote = lines(finished_game(votes, exiled=6))["vote"]
    assert (vote.seat, vote.target, vote.counts) == (2, 6, (4, 4)), "the only village voter"


def test_vote_against_own_knowledge_is_decisive() -> None:
    """Seats 6, 2 and 1 exile a Villager, although the Seer in seat 1 knows better."""
    votes = {6: 5, 2: 5, 1: 5, 3: 4, 5: 4, 4: 7, 7: 8, 8: 7}
    vote = lines(finished_game(votes, exiled=5))["vote"]
    assert (vote.seat, vote.before) == (1, 0)
    assert vote.after == pytest.approx(0.5)


def test_tanner_lacking_one_vote_gets_a_bait_line() -> None:
    votes = {1: 4, 2: 4, 3: 4, 8: 4, 4: 8, 5: 8, 6: 8, 7: 5}
    log = finished_game(votes, exiled=4)
    bait = lines(log)["bait"]
    assert (bait.seat, bait.target, bait.other_seats, bait.counts) == (1, 8, (4,), (3, 4))
    assert log[bait.position - 1]["seat"] == 1
    # If a third player had as many votes, a draw would have decided.
    third = {1: 4, 2: 4, 3: 4, 4: 8, 5: 8, 6: 3, 7: 3, 8: 3}
    assert "bait" not in lines(finished_game(third, exiled=4))
    assert lines(finished_game(third | {6: 5}, exiled=4))["bait"].counts == (2, 3)


def test_statement_about_the_tanner_raises_or_lowers_its_chance() -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    accused = (7, "I am the Seer. I looked at Epsilon and Eta, and the Werewolf is one of them.")
    mason = (8, "I am a Mason, and Gamma is the other Mason.")
    for statements, rises in (((accused,), True), ((accused, mason), False)):
        bait = lines(finished_game(votes, *statements, exiled=4))["bait"]
        assert (bait.seat, bait.target) == (statements[-1][0], 8)
        assert (bait.after > bait.before) == rises


def test_exiled_tanner_gets_no_bait_line() -> None:
    votes = {1: 8, 2: 8, 3: 8, 4: 8, 8: 4, 5: 4, 6: 4, 7: 5}
    assert "bait" not in lines(finished_game(votes, exiled=8))


@pytest.mark.parametrize("statements", [(), ((5, "Good evening."), (6, "Nothing from me."))])
def test_quiet_game_with_a_clear_vote_has_no_decisive_line(
    statements: tuple[tuple[int, str], ...],
) -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    assert decisive_lines(finished_game(votes, *statements, exiled=4), ONE_NIGHT) == []


def test_statements_after_the_last_vote_are_not_decisive() -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    log = finished_game(votes, exiled=4)
    late = finished_game(votes, (1, SEER_REPORT), exiled=4)
    assert not decisive_lines([*log, *(e for e in late if e.kind == "statement")], ONE_NIGHT)


def test_claim_is_measured_by_the_vote_of_the_same_day() -> None:
    """The Seer reports a Werewolf on day 2, and the village exiles a Villager."""
    wolf, victim = sheriff.WOLVES[0], sheriff.VILLAGERS[0]
    name = sheriff.RULESET.seat_names[wolf - 1]

    def seer_statement(window: Window, seat: int) -> Action:
        if seat == sheriff.SEER and window.moment.day == 2:
            return say(f"I am the Seer. I checked {name}, and {name} is a Werewolf.")
        return say("Nothing from me.")

    game = sheriff.run(
        {"max_rounds": 2},
        divination=sheriff.all_for(wolf),
        statement=seer_statement,
        vote=sheriff.all_for(0, victim),
    )
    by_kind = {line.kind: line for line in decisive_lines(game.log, sheriff.RULESET)}
    assert (by_kind["ignored"].seat, by_kind["ignored"].targets) == (sheriff.SEER, (wolf,))
    assert by_kind["ignored"].other_seats == (victim,)
    assert (by_kind["shift"].seat, by_kind["shift"].target) == (sheriff.SEER, wolf)
