"""An instrument is data: read strictly, written back the same, mended with clear sentences."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument


def data(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(instruments.get("guarded").to_json()) | changes


def item(number: int = 0, **changes: Any) -> dict[str, Any]:
    found = data()
    found["dimensions"][number].update(changes)
    return found


def ranking(*, number: int | None = 0, **changes: Any) -> dict[str, Any]:
    """A ranking with one item changed, or all of them."""
    found = copy.deepcopy(instruments.get("contest-5").to_json())
    for at, row in enumerate(found["dimensions"]):
        if number in (None, at):
            row.update(changes)
    return found


@pytest.mark.parametrize("instrument", instruments.for_raters(), ids=lambda i: i.key)
def test_what_is_built_in_is_whole_and_survives_json(instrument: Instrument) -> None:
    stored = json.loads(json.dumps(instrument.to_json()))
    assert Instrument.check(stored) == []
    assert Instrument.from_json(stored) == instrument
    assert instrument.example.values, "raters see a worked example"


def test_the_guarded_items_belong_to_their_situations() -> None:
    guarded = instruments.get("guarded")
    keys = lambda *s: [d.key for d in guarded.dimensions_in(s)]  # noqa: E731
    assert keys() == ["individuality", "naturalness", "interest"]
    assert keys("called_werewolf") == ["individuality", "naturalness", "interest", "deceiving"]
    assert keys("closing")[-1] == "closing"
    assert len(keys("called_werewolf", "closing")) == 5


@pytest.mark.parametrize(
    ("seats", "items"), [(5, "ABCDE"), (7, "ABCDEF"), (8, "ABCDEF"), (13, "ABCDEF")]
)
def test_the_contest_ranks_all_seats_at_five_too(seats: int, items: str) -> None:
    contest = instruments.get(f"contest-{seats}")
    assert [d.label[0] for d in contest.dimensions] == list(items)
    assert contest.is_ranking
    assert all((d.min, d.max) == (1, seats) for d in contest.dimensions)
    deeds = {d.label[0] for d in contest.dimensions if d.deeds}
    assert deeds == set("DF") & set(items), "what can't be judged from the talk alone"
    assert contest.example.values["coherency"] == seats - 1, "the first place is the highest rank"
    assert str(seats) in contest.title
    assert str(seats) in contest.intro


def test_the_scale_of_five_steps_is_an_instrument_of_our_own() -> None:
    players = instruments.get("players")
    assert not players.is_ranking
    assert all((d.min, d.max) == (1, 5) for d in players.dimensions)
    assert "contest" not in f"{players.key} {players.title} {players.intro}".casefold()


def test_the_guarded_naturalness_is_of_the_language_and_ours_is_asked_elsewhere() -> None:
    """Table 5 of the paper: a fault of grammar is the low end."""
    items = {d.key: d for d in instruments.get("guarded").dimensions}
    assert "grammar" in items["naturalness"].question
    own = {d.key: d for d in instruments.get("speech").dimensions}
    assert not {*own} & {*items}
    assert "at this point of the talk" in own["fit"].question


# Words that tell raters what is compared, or which of the speakers to look out for.
GIVEAWAYS = ("machine", "robot", "computer", "human", "person", "model", "bot ", "artificial")


@pytest.mark.parametrize("instrument", instruments.for_raters(), ids=lambda i: i.key)
def test_no_wording_gives_the_hypothesis_away(instrument: Instrument) -> None:
    told = json.dumps(instrument.to_json(), ensure_ascii=False).casefold()
    assert not [word for word in GIVEAWAYS if word in told]


def test_an_unknown_key_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="nothing-such"):
        instruments.get("nothing-such")


@pytest.mark.parametrize(
    ("bad", "told"),
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
            item(label="x" * 10_000),
            "The items, no. 1, label: this has 10000 characters. The maximum is 60",
        ),
        (item(question=" "), "The items, no. 1, question: this is missing"),
        (item(low_pole=7), "no. 1, low pole: enter a text"),
        (
            item(min=5, max=5),
            "enter whole numbers: a lowest value, and a greater highest value of at most 100",
        ),
        (item(min="1"), "min: enter a whole number"),
        (item(max=True), "max: enter a whole number"),
        (item(min=-1), "min: enter 0 or more"),
        (item(max=99), "20 steps"),
        (item(situation="at_noon"), "choose one of called_werewolf"),
        (item(rank=True), "only players can be ranked"),
        (item(deeds=True), "without roles and actions"),
        (item(deeds=1), "deeds: enter true or false"),
        (ranking(rank=False), "rankings for all items or for none"),
        (ranking(max=8), "the same scale"),
        (ranking(min=0, number=None), "from 1 to the number of players"),
        (item(key="naturalness"), "same key"),
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
def test_what_is_wrong_is_said(bad: Any, told: str) -> None:
    assert told in " ".join(Instrument.check(bad))
