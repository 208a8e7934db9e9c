"""The guard: each situation and each neighbouring pair of the order, at several lengths of talk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents import guard_rules
from agents.guard_rules import Line, Situation, choose_line

SIZES = [(4, 5), (5, 5), (10, 5), (4, 13)]  # (talks a day, players)
pytestmark = pytest.mark.parametrize(("talks", "players"), SIZES)


def seat(seats: Sequence[int]) -> int:
    return seats[-1]


def spoken(now: Situation, *, toss: bool = False) -> Line | None:
    return choose_line(now, lambda: toss, seat)


def key(now: Situation, *, toss: bool = False) -> str:
    line = spoken(now, toss=toss)
    return line.key if line else "model"


@pytest.fixture
def at(talks: int, players: int) -> Callable[..., Situation]:
    """A situation on day 1 in the middle of the talk, nobody has decided; changed as given."""
    others = tuple(range(2, players + 1))

    def made(talk: int = 2, day: int = 1, **changed: Any) -> Situation:
        now = Situation(talk, talks, day, "plain", others, others)
        return replace(now, **changed)

    return made


DECIDED: dict[str, Any] = {"undecided": (), "is_undecided": False}
ACCUSED: dict[str, Any] = {"lookers": (3,), "accusers": (3,), "finders": (3,)}


def test_each_situation_alone(at: Callable[..., Situation], talks: int, players: int) -> None:
    others = tuple(range(2, players + 1))
    assert key(at()) == "model"
    assert key(at(is_closed=True)) == "over"
    assert (key(at(1, day=0)), key(at(2, day=0))) == ("greeting", "over")
    assert spoken(at(talks - 1)) == Line("inquiry", players)
    assert key(at(talks, **DECIDED)) == "closing_first"
    assert key(at(talks - 1, day=2, **DECIDED)) == "closing"
    assert key(at(talks, votes_against=players, **DECIDED)) == "resignation_first"
    assert key(at(talks, day=2, votes_against=players, **DECIDED)) == "resignation"
    assert key(at(talks, day=2, part="helper", **DECIDED)) == "farewell"
    assert spoken(at(1, part="wolf", **ACCUSED)) == Line("counter", 3)
    assert spoken(at(1, part="helper"), toss=True) == Line("report", players, is_accusation=True)
    assert spoken(at(2, part="helper")) == Line("report", players, is_accusation=True)
    found = {"lookers": (3,), "finders": (3,)}
    assert spoken(at(2, part="helper", **found)) == Line("counter", 3)
    report = Line("report", others[0])
    assert spoken(at(1, part="looker", own_report=report)) is report
    assert key(at(1, day=2, part="helper")) == "pose"
    assert (key(at(1, is_first=True)), key(at(1, day=2, is_first=True))) == (
        "morning_first",
        "morning",
    )


def test_the_talk_ends_once_everybody_has_decided(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    """k > n - 1 + U on the first day, k > n - 2 + U later; the agent itself is one of the U."""
    assert key(at(talks, undecided=(), is_undecided=True)) == "model"
    assert key(at(talks, day=2, undecided=(), is_undecided=True)) == "closing"
    assert key(at(talks, day=2, undecided=(2,), is_undecided=True)) == "model"
    assert key(at(talks - 1, day=2, undecided=(2,), is_undecided=False)) == "model"
    assert key(at(talks - 2, day=2, **DECIDED)) == "model"
    # More than half of the living, the agent included.
    assert key(at(talks, votes_against=players // 2, **DECIDED)) == "closing_first"
    assert key(at(talks, votes_against=players // 2 + 1, **DECIDED)) == "resignation_first"


def test_whoever_is_pressed_asks_nobody_and_who_is_asked_answers(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    assert key(at(talks - 1, votes_against=1)) == "inquiry"
    assert key(at(talks - 1, votes_against=2)) == "model"
    assert key(at(talks - 1, day=2)) == "model"
    assert key(at(talks - 1, is_addressed=True)) == "model"
    assert key(at(talks, is_addressed=True, **DECIDED)) == "model"
    assert key(at(1, part="wolf", is_addressed=True, **ACCUSED)) == "counter"


@pytest.mark.parametrize(
    ("part", "talk", "changed", "toss"),
    [
        ("wolf", 1, {"lookers": (3, 4), "accusers": (3,)}, False),  # two claim it
        ("wolf", 1, {"lookers": (3,)}, False),  # the one claims nothing of us
        ("wolf", 1, {**ACCUSED, "has_claimed": True}, False),
        ("wolf", 1, {**ACCUSED, "day": 2}, False),
        ("plain", 1, ACCUSED, True),
        ("helper", 1, {}, False),
        ("helper", 1, {"lookers": (3, 4)}, True),
        ("helper", 2, {"lookers": (3,)}, True),  # it found nobody
        ("helper", 2, {"has_claimed": True}, True),
    ],
)
def test_nobody_lies_without_need(
    at: Callable[..., Situation],
    talks: int,
    players: int,
    part: str,
    talk: int,
    changed: dict[str, Any],
    toss: bool,
) -> None:
    assert key(at(talk, part=part, **changed), toss=toss) == "model"


def test_a_werewolf_counters_until_two_talks_are_left(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    said = {"is_addressed": True, "part": "wolf", **ACCUSED}
    assert key(at(talks - 2, **said)) == "counter"
    assert key(at(talks - 1, **said)) == "model"


def _overlaps(at: Callable[..., Situation], talks: int, players: int) -> list[Any]:
    """Return (situation in which two cases match, result of the toss, key of the first)."""
    report, all_against = Line("report", 2), {"votes_against": players, **DECIDED}
    return [
        (at(1, day=0, is_closed=True), False, "over"),  # closed, day 0
        (at(1, day=0, part="looker", own_report=report, is_first=True), False, "greeting"),
        (at(talks, day=0, **DECIDED), False, "over"),  # day 0, end
        (at(talks, is_closed=True, **DECIDED), False, "over"),  # closed, end
        (at(talks, day=2, part="helper", **all_against), False, "farewell"),  # and resignation
        (at(1, part="helper", is_first=True), False, "morning_first"),  # lies fail, first speaker
        (at(1, part="helper", is_first=True), True, "report"),  # lies, first speaker
        (
            at(1, part="looker", own_report=report, is_first=True),
            False,
            "report",
        ),  # first speaker
        (at(1, day=2, part="helper", is_first=True), False, "pose"),  # pose, first speaker
    ]


# Pairs of cases that swap. With four talks a day or more no other two neighbours ever overlap: the
# end comes later than the lies of the first day, and these belong to other roles than the reports.
BROKEN = [
    (guard_rules._line_after_end, guard_rules._greeting_line),
    (guard_rules._greeting_line, guard_rules._ending_line),
    (guard_rules._false_claim_line, guard_rules._opening_line),
    (guard_rules._report_line, guard_rules._opening_line),
    (guard_rules._pose_line, guard_rules._opening_line),
]


def test_of_two_neighbours_the_first_speaks(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    for number, (now, toss, expected) in enumerate(_overlaps(at, talks, players)):
        assert key(now, toss=toss) == expected, number


@pytest.mark.parametrize("pair", BROKEN)
def test_a_broken_order_would_show(
    at: Callable[..., Situation],
    talks: int,
    players: int,
    pair: tuple[Any, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = list(guard_rules.CASES)
    first, second = map(order.index, pair)
    order[first], order[second] = order[second], order[first]
    monkeypatch.setattr(guard_rules, "CASES", order)
    overlaps = _overlaps(at, talks, players)
    assert any(key(now, toss=toss) != expected for now, toss, expected in overlaps)


def test_the_model_names_a_vote_in_time(
    at: Callable[..., Situation], talks: int, players: int
) -> None:
    """From n - 2 (later n - 3) on, once, and never in the first talk, which reports have."""
    ks = range(1, talks + 1)
    asked = {day: [k for k in ks if at(k, day=day).must_name_vote] for day in range(3)}
    first = {1: talks - 2, 2: max(2, talks - 3)}
    assert asked == {0: [], **{day: list(range(k, talks + 1)) for day, k in first.items()}}
    assert not any(
        at(k, day=day, was_vote_required=True).must_name_vote for k in ks for day in (1, 2)
    )
