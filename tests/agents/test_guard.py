"""Guard rules: each situation and each pair of neighboring cases, for several talk lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.faculties import guard
from agents.faculties.guard import ChosenLine, Situation, choose_line

SIZES = [(4, 5), (5, 5), (10, 5), (4, 13)]  # (talks a day, players)
pytestmark = pytest.mark.parametrize(("talks", "players"), SIZES)


def seat(seats: Sequence[int]) -> int:
    return seats[-1]


def line_for(now: Situation, *, toss: bool = False) -> ChosenLine | None:
    return choose_line(now, lambda: toss, seat)


def line_key(now: Situation, *, toss: bool = False) -> str:
    line = line_for(now, toss=toss)
    return line.key if line else "model"


@pytest.fixture
def at(talks: int, players: int) -> Callable[..., Situation]:
    """Factory of situations: day 1, middle of the talk, no player has decided."""
    other_seats = tuple(range(2, players + 1))

    def build_situation(talk: int = 2, day: int = 1, **changes: Any) -> Situation:
        now = Situation(talk, talks, day, "plain", other_seats, other_seats)
        return replace(now, **changes)

    return build_situation


DECIDED: dict[str, Any] = {"undecided": (), "is_undecided": False}
ACCUSED: dict[str, Any] = {"lookers": (3,), "accusers": (3,), "finders": (3,)}


def test_each_situation_gets_its_line(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    other_seats = tuple(range(2, players + 1))
    assert line_key(at()) == "model"
    assert line_key(at(has_ended_talk=True)) == "over"
    assert (line_key(at(1, day=0)), line_key(at(2, day=0))) == ("greeting", "over")
    assert line_for(at(talks - 1)) == ChosenLine("inquiry", players)
    assert line_key(at(talks, **DECIDED)) == "closing_first"
    assert line_key(at(talks - 1, day=2, **DECIDED)) == "closing"
    assert line_key(at(talks, votes_against=players, **DECIDED)) == "resignation_first"
    assert line_key(at(talks, day=2, votes_against=players, **DECIDED)) == "resignation"
    assert line_key(at(talks, day=2, part="helper", **DECIDED)) == "farewell"
    assert line_for(at(1, part="wolf", **ACCUSED)) == ChosenLine("counter", 3)
    assert line_for(at(1, part="helper"), toss=True) == ChosenLine(
        "report", players, is_accusation=True
    )
    assert line_for(at(2, part="helper")) == ChosenLine("report", players, is_accusation=True)
    seen_accusers = {"lookers": (3,), "finders": (3,)}
    assert line_for(at(2, part="helper", **seen_accusers)) == ChosenLine("counter", 3)
    report = ChosenLine("report", other_seats[0])
    assert line_for(at(1, part="looker", own_report=report)) is report
    assert line_key(at(1, day=2, part="helper")) == "pose"
    assert (line_key(at(1, opens_day=True)), line_key(at(1, day=2, opens_day=True))) == (
        "morning_first",
        "morning",
    )


def test_talk_ends_when_all_players_have_decided(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    """k > n - 1 + U on day 1, k > n - 2 + U later. U includes the agent itself."""
    assert line_key(at(talks, undecided=(), is_undecided=True)) == "model"
    assert line_key(at(talks, day=2, undecided=(), is_undecided=True)) == "closing"
    assert line_key(at(talks, day=2, undecided=(2,), is_undecided=True)) == "model"
    assert line_key(at(talks - 1, day=2, undecided=(2,), is_undecided=False)) == "model"
    assert line_key(at(talks - 2, day=2, **DECIDED)) == "model"
    # More than half of the living, the agent included.
    assert line_key(at(talks, votes_against=players // 2, **DECIDED)) == "closing_first"
    assert line_key(at(talks, votes_against=players // 2 + 1, **DECIDED)) == "resignation_first"


def test_pressed_agent_does_not_ask_and_addressed_agent_answers(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    assert line_key(at(talks - 1, votes_against=1)) == "inquiry"
    assert line_key(at(talks - 1, votes_against=2)) == "model"
    assert line_key(at(talks - 1, day=2)) == "model"
    assert line_key(at(talks - 1, is_addressed=True)) == "model"
    assert line_key(at(talks, is_addressed=True, **DECIDED)) == "model"
    assert line_key(at(1, part="wolf", is_addressed=True, **ACCUSED)) == "counter"


@pytest.mark.parametrize(
    ("part", "talk", "changes", "toss"),
    [
        ("wolf", 1, {"lookers": (3, 4), "accusers": (3,)}, False),  # two Seers
        ("wolf", 1, {"lookers": (3,)}, False),  # the only Seer does not accuse us
        ("wolf", 1, {**ACCUSED, "claims_looker": True}, False),
        ("wolf", 1, {**ACCUSED, "day": 2}, False),
        ("plain", 1, ACCUSED, True),
        ("helper", 1, {}, False),
        ("helper", 1, {"lookers": (3, 4)}, True),
        ("helper", 2, {"lookers": (3,)}, True),  # no accusation
        ("helper", 2, {"claims_looker": True}, True),
    ],
)
def test_agent_does_not_lie_without_need(
    at: Callable[..., Situation],
    talks: int,
    players: int,
    part: str,
    talk: int,
    changes: dict[str, Any],
    toss: bool,
) -> None:
    assert line_key(at(talk, part=part, **changes), toss=toss) == "model"


def test_werewolf_counters_until_two_talks_remain(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    situation = {"is_addressed": True, "part": "wolf", **ACCUSED}
    assert line_key(at(talks - 2, **situation)) == "counter"
    assert line_key(at(talks - 1, **situation)) == "model"


def _overlaps(at: Callable[..., Situation], talks: int, players: int) -> list[Any]:
    """Return (situation in which two cases match, result of the toss, key of the first)."""
    report, all_against = ChosenLine("report", 2), {"votes_against": players, **DECIDED}
    return [
        (at(1, day=0, has_ended_talk=True), False, "over"),  # closed, day 0
        (at(1, day=0, part="looker", own_report=report, opens_day=True), False, "greeting"),
        (at(talks, day=0, **DECIDED), False, "over"),  # day 0, end
        (at(talks, has_ended_talk=True, **DECIDED), False, "over"),  # closed, end
        (at(talks, day=2, part="helper", **all_against), False, "farewell"),  # and resignation
        (at(1, part="helper", opens_day=True), False, "morning_first"),  # lies fail, first speaker
        (at(1, part="helper", opens_day=True), True, "report"),  # lies, first speaker
        (
            at(1, part="looker", own_report=report, opens_day=True),
            False,
            "report",
        ),  # first speaker
        (at(1, day=2, part="helper", opens_day=True), False, "pose"),  # pose, first speaker
    ]


# Pairs of cases to swap. With at least four talks a day no other neighbors overlap: the ending
# comes later than the lies of day 1, and lies and reports belong to different roles.
BROKEN = [
    (guard._line_after_end, guard._greeting_line),
    (guard._greeting_line, guard._ending_line),
    (guard._false_claim_line, guard._opening_line),
    (guard._report_line, guard._opening_line),
    (guard._pose_line, guard._opening_line),
]


def test_first_of_two_matching_cases_wins(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    for number, (now, toss, expected) in enumerate(_overlaps(at, talks, players)):
        assert line_key(now, toss=toss) == expected, number


@pytest.mark.parametrize("pair", BROKEN)
def test_swapped_case_order_is_detected(
    at: Callable[..., Situation],
    talks: int,
    players: int,
    pair: tuple[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = list(guard.RULES)
    first, second = map(order.index, pair)
    order[first], order[second] = order[second], order[first]
    monkeypatch.setattr(guard, "RULES", order)
    overlaps = _overlaps(at, talks, players)
    assert any(line_key(now, toss=toss) != expected for now, toss, expected in overlaps)


def test_model_must_name_a_vote_in_time(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    """From talk n - 2 (n - 3 after day 1) on, once, and never in the first talk."""
    ks = range(1, talks + 1)
    required = {day: [k for k in ks if at(k, day=day).must_name_vote] for day in range(3)}
    first_required = {1: talks - 2, 2: max(2, talks - 3)}
    assert required == {
        0: [],
        **{day: list(range(k, talks + 1)) for day, k in first_required.items()},
    }
    assert not any(
        at(k, day=day, was_vote_required=True).must_name_vote for k in ks for day in (1, 2)
    )
