"""The decisive lines of games that were made for it, so that the right ones are known."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agents.hindsight import DecisiveLine, decisive_lines
from game.engine import rulesets
from game.engine.events import PUBLIC, Event
from game.engine.forms import Action, say
from game.engine.windows import Window
from tests.agents.table import divined, log_of
from tests.engine import sheriff

ONE_NIGHT = rulesets.get("one-night")
ROLES = dict(
    enumerate(("seer", "mason", "mason", "werewolf", "villager", "villager", "minion", "tanner"), 1)
)
FOUND = "I am the Seer. I looked at Gamma and Delta, and the Werewolf is one of them."


def ended(
    votes: Mapping[int, int], *said: tuple[int, str], found: bool = True, exiled: int = 0
) -> list[Event]:
    """A one-night game: the Seer looked at seats 3 and 4 (or 5 and 6), then talk, then the vote."""
    log = log_of(ROLES, *said)
    log.insert(2 + len(ROLES), divined(1, (3, 4) if found else (5, 6), found))
    log.append(Event("phase_opened", PUBLIC, {"phase": "vote", "day": 1, "round": 0}))
    log += [
        Event("vote", PUBLIC, {"manner": "pick", "seat": s, "targets": [t], "window": "vote.1"})
        for s, t in votes.items()
    ]
    out = {"seat": exiled, "cause": "vote", "role": ROLES[exiled]}
    return [*log, Event("out", PUBLIC, out)]


def lines(log: list[Event]) -> dict[str, DecisiveLine]:
    return {line.kind: line for line in decisive_lines(log, ONE_NIGHT)}


def words(log: list[Event], line: DecisiveLine) -> str:
    return str(log[line.position - 1]["text"])


def test_a_true_find_that_the_vote_passes_over() -> None:
    votes = {1: 4, 2: 4, 3: 4, 4: 5, 5: 8, 6: 5, 7: 5, 8: 5}
    log = ended(votes, (2, "Good evening."), (1, FOUND), exiled=5)
    found = lines(log)
    assert [line.position for line in decisive_lines(log, ONE_NIGHT)] == sorted(
        line.position for line in found.values()
    )
    shift, ignored, vote = found["shift"], found["ignored"], found["vote"]
    assert words(log, shift) == words(log, ignored) == FOUND
    assert shift.target in (3, 4)
    assert shift.after > 2 * shift.before
    assert (ignored.neglect, ignored.role, ignored.targets) == ("found", "seer", (3, 4))
    assert (ignored.other_seats, ignored.counts) == ((5,), (3, 8))
    # four votes to three: of seats 4, 6, 7 and 8 only seat 6 is of the village
    assert (vote.seat, vote.target, vote.other_seats, vote.counts) == (6, 5, (4,), (4, 3))
    assert vote.after > vote.before, "it could have known that the other one was likelier"


def test_a_vote_for_the_wrong_one_of_two_found_players_follows_the_find() -> None:
    votes = {1: 3, 2: 3, 3: 4, 4: 3, 5: 8, 6: 3, 7: 5, 8: 3}
    assert "ignored" not in lines(ended(votes, (1, FOUND), exiled=3))


def test_a_false_find_is_not_ignored_but_moves_the_deduction() -> None:
    lie = "I am the Seer. I looked at Alpha and Beta, and the Werewolf is one of them."
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    found = lines(ended(votes, (7, lie), exiled=4))
    assert set(found) == {"shift"}
    assert found["shift"].seat == 7
    assert ROLES[found["shift"].target] != "werewolf"


def test_a_cleared_player_who_goes_all_the_same() -> None:
    cleared = "I am the Seer. I looked at Epsilon and Theta, and neither of them is the Werewolf."
    votes = dict.fromkeys((2, 3, 4, 6, 7, 8), 5) | {1: 4, 5: 4}
    ignored = lines(ended(votes, (1, cleared), found=False, exiled=5))["ignored"]
    assert (ignored.neglect, ignored.targets, ignored.counts) == ("cleared", (5, 6), (2, 8))


def test_the_graver_way_of_being_ignored_counts() -> None:
    mason = "I am a Mason, and Gamma is the other Mason."
    votes = dict.fromkeys((3, 4, 5, 6, 7, 8), 2) | {1: 4, 2: 4}
    claims = ((2, mason), (1, FOUND))
    assert lines(ended(votes, *claims[:1], exiled=2))["ignored"].neglect == "claimant"
    assert lines(ended(votes, *claims, exiled=2))["ignored"].neglect == "found"


def test_a_tie_depends_on_each_vote_for_who_is_drawn() -> None:
    votes = {1: 4, 3: 4, 5: 4, 6: 4, 2: 6, 4: 6, 7: 6, 8: 6}
    vote = lines(ended(votes, exiled=6))["vote"]
    assert (vote.seat, vote.target, vote.counts) == (2, 6, (4, 4)), "the only one of the village"


def test_the_vote_against_one_s_own_knowledge_decides() -> None:
    """Seats 6, 2 and 1 vote out a Villager; the Seer of seat 1 knows that he was the wrong one."""
    votes = {6: 5, 2: 5, 1: 5, 3: 4, 5: 4, 4: 7, 7: 8, 8: 7}
    vote = lines(ended(votes, exiled=5))["vote"]
    assert (vote.seat, vote.before) == (1, 0)
    assert vote.after == pytest.approx(0.5)


def test_a_tanner_lacked_one_vote() -> None:
    votes = {1: 4, 2: 4, 3: 4, 8: 4, 4: 8, 5: 8, 6: 8, 7: 5}
    log = ended(votes, exiled=4)
    bait = lines(log)["bait"]
    assert (bait.seat, bait.target, bait.other_seats, bait.counts) == (1, 8, (4,), (3, 4))
    assert log[bait.position - 1]["seat"] == 1
    # Where a third player would have had as many votes, lots would have decided.
    third = {1: 4, 2: 4, 3: 4, 4: 8, 5: 8, 6: 3, 7: 3, 8: 3}
    assert "bait" not in lines(ended(third, exiled=4))
    assert lines(ended(third | {6: 5}, exiled=4))["bait"].counts == (2, 3)


def test_words_about_a_tanner_were_its_chance_or_cost_it_votes() -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    accused = (7, "I am the Seer. I looked at Epsilon and Eta, and the Werewolf is one of them.")
    mason = (8, "I am a Mason, and Gamma is the other Mason.")
    for said, rises in (((accused,), True), ((accused, mason), False)):
        bait = lines(ended(votes, *said, exiled=4))["bait"]
        assert (bait.seat, bait.target) == (said[-1][0], 8)
        assert (bait.after > bait.before) == rises


def test_a_tanner_who_is_voted_out_lacked_nothing() -> None:
    votes = {1: 8, 2: 8, 3: 8, 4: 8, 8: 4, 5: 4, 6: 4, 7: 5}
    assert "bait" not in lines(ended(votes, exiled=8))


@pytest.mark.parametrize("told", [(), ((5, "Good evening."), (6, "Nothing from me."))])
def test_nothing_decides_a_quiet_game_with_a_clear_vote(told: tuple[tuple[int, str], ...]) -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    assert decisive_lines(ended(votes, *told, exiled=4), ONE_NIGHT) == []


def test_words_after_the_last_vote_decide_nothing() -> None:
    votes = dict.fromkeys((1, 2, 3, 5, 6, 7, 8), 4) | {4: 1}
    log = ended(votes, exiled=4)
    late = ended(votes, (1, FOUND), exiled=4)
    assert not decisive_lines([*log, *(e for e in late if e.kind == "statement")], ONE_NIGHT)


def test_a_claim_of_one_day_is_measured_by_the_vote_of_that_day() -> None:
    """The Seer finds a Werewolf on the second day, and the village exiles a Villager."""
    wolf, victim = sheriff.WOLVES[0], sheriff.VILLAGERS[0]
    name = sheriff.RULESET.seat_names[wolf - 1]

    def speaks(window: Window, seat: int) -> Action:
        if seat == sheriff.SEER and window.moment.day == 2:
            return say(f"I am the Seer. I checked {name}, and {name} is a Werewolf.")
        return say("Nothing from me.")

    led = sheriff.led(
        {"max_rounds": 2},
        divination=sheriff.all_for(wolf),
        statement=speaks,
        vote=sheriff.all_for(0, victim),
    )
    found = {line.kind: line for line in decisive_lines(led.log, sheriff.RULESET)}
    assert (found["ignored"].seat, found["ignored"].targets) == (sheriff.SEER, (wolf,))
    assert found["ignored"].other_seats == (victim,)
    assert (found["shift"].seat, found["shift"].target) == (sheriff.SEER, wolf)
