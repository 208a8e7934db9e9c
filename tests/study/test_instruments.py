"""Tests that instruments are validated, round trip through JSON and report clear errors."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument


def data(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(instruments.get("guarded").to_json()) | changes


def data_with_item(number: int = 0, **changes: Any) -> dict[str, Any]:
    instrument = data()
    instrument["dimensions"][number].update(changes)
    return instrument


def ranking_with_item(*, number: int | None = 0, **changes: Any) -> dict[str, Any]:
    """Return a ranking with one item changed, or all of them."""
    instrument = copy.deepcopy(instruments.get("contest-5").to_json())
    for index, row in enumerate(instrument["dimensions"]):
        if number in (None, index):
            row.update(changes)
    return instrument


@pytest.mark.parametrize("instrument", instruments.for_raters(), ids=lambda i: i.key)
def test_built_in_instrument_is_valid_and_survives_json(instrument: Instrument) -> None:
    stored = json.loads(json.dumps(instrument.to_json()))
    assert Instrument.check(stored) == []
    assert Instrument.from_json(stored) == instrument
    assert instrument.example.values, "raters see a worked example"


def test_guarded_items_depend_on_their_situations() -> None:
    guarded = instruments.get("guarded")
    keys = lambda *s: [d.key for d in guarded.dimensions_in(s)]  # noqa: E731
    assert keys() == ["individuality", "naturalness", "interest"]
    assert keys("called_werewolf") == ["individuality", "naturalness", "interest", "deceiving"]
    assert keys("closing")[-1] == "closing"
    assert len(keys("called_werewolf", "closing")) == 5


@pytest.mark.parametrize(
    ("seats", "items"), [(5, "ABCDE"), (7, "ABCDEF"), (8, "ABCDEF"), (13, "ABCDEF")]
)
def test_contest_instrument_ranks_all_seats(seats: int, items: str) -> None:
    contest = instruments.get(f"contest-{seats}")
    assert [d.label[0] for d in contest.dimensions] == list(items)
    assert contest.is_ranking
    assert all((d.min, d.max) == (1, seats) for d in contest.dimensions)
    deeds = {d.label[0] for d in contest.dimensions if d.deeds}
    assert deeds == set("DF") & set(items), "these items need the players' actions"
    assert contest.example.values["coherency"] == seats - 1, "the first place is the highest rank"
    assert str(seats) in contest.title
    assert str(seats) in contest.intro


def test_players_instrument_has_five_steps_and_its_own_name() -> None:
    players = instruments.get("players")
    assert not players.is_ranking
    assert all((d.min, d.max) == (1, 5) for d in players.dimensions)
    assert "contest" not in f"{players.key} {players.title} {players.intro}".casefold()


def test_guarded_naturalness_is_about_language_and_fit_is_separate() -> None:
    """In Table 5 of the paper a grammar error is the low end."""
    items = {d.key: d for d in instruments.get("guarded").dimensions}
    assert "grammar" in items["naturalness"].question
    speech_items = {d.key: d for d in instruments.get("speech").dimensions}
    assert not {*speech_items} & {*items}
    assert "at this point of the talk" in speech_items["fit"].question


# Words that reveal the comparison or the kind of a speaker.
REVEALING_WORDS = ("machine", "robot", "computer", "human", "person", "model", "bot ", "artificial")


@pytest.mark.parametrize("instrument", instruments.for_raters(), ids=lambda i: i.key)
def test_instrument_text_does_not_reveal_the_hypothesis(instrument: Instrument) -> None:
    text = json.dumps(instrument.to_json(), ensure_ascii=False).casefold()
    assert not [word for word in REVEALING_WORDS if word in text]


def test_unknown_instrument_key_raises_lookup_error() -> None:
    with pytest.raises(LookupError, match="nothing-such"):
        instruments.get("nothing-such")


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (None, "table"),
        ([], "table"),
        (data(title=""), "Title: this is missing"),
        (data(title="x" * 10_000), "Title: this has 10000 characters. The maximum is 120"),
        (data(unit="sentence"), "Unit: choose one of utterance, player, game"),
        (data(dimensions=[]), "The items: the minimum is 1"),
        (data(dimensions=["a"]), "The items, no. 1: enter a table"),
        (data(key="Has Spaces"), "Key: use lowercase letters"),
        (data(colour="red"), "Colour: this setting does not exist"),
        (
            data_with_item(label="x" * 10_000),
            "The items, no. 1, label: this has 10000 characters. The maximum is 60",
        ),
        (data_with_item(question=" "), "The items, no. 1, question: this is missing"),
        (data_with_item(low_pole=7), "no. 1, low pole: enter a text"),
        (
            data_with_item(min=5, max=5),
            "enter whole numbers: a lowest value, and a greater highest value of at most 100",
        ),
        (data_with_item(min="1"), "min: enter a whole number"),
        (data_with_item(max=True), "max: enter a whole number"),
        (data_with_item(min=-1), "min: enter 0 or more"),
        (data_with_item(max=99), "20 steps"),
        (data_with_item(situation="at_noon"), "choose one of called_werewolf"),
        (data_with_item(rank=True), "only players can be ranked"),
        (data_with_item(deeds=True), "without roles and actions"),
        (data_with_item(deeds=1), "deeds: enter true or false"),
        (ranking_with_item(rank=False), "rankings for all items or for none"),
        (ranking_with_item(max=8), "the same scale"),
        (ranking_with_item(min=0, number=None), "from 1 to the number of players"),
        (data_with_item(key="naturalness"), "same key"),
        (data(unit="game"), "only statements can have a situation"),
        (data(example={"values": {"individuality": 9}, "speaker": "A"}), "cannot be 9"),
        (data(example={"values": {"colour": 2}, "speaker": "A"}), "does not exist"),
        (data(example={"values": {}, "speaker": "A", "text": "b"}), "“Individuality” has no"),
        (
            data(example={"speaker": "A", "context": [{"who": "B"}]}),
            "context, no. 1, speaker: this is missing",
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_instrument_errors_are_reported(bad: Any, error: str) -> None:
    assert error in " ".join(Instrument.check(bad))
