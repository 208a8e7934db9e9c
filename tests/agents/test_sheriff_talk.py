"""Understanding of talk in the Sheriff game.

Covers seat numbers, looks of several nights, announced votes, and support for an office.
"""

from __future__ import annotations

import pytest

from agents.talk.dialogue import Dialogue
from agents.understanding.normalise import expand_seat_numbers
from agents.understanding.statements import protected_seat
from agents.understanding.understand import understand
from game.engine.events import say
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.measure import labels, load, remove_punctuation, scores_by_kind
from tests.agents.table import NAMES, SHERIFF, play

SEATS = tuple(SHERIFF.ruleset.seat_names)
ME = 5


def read_labels(text: str, election: bool = False) -> set[str]:
    acts = understand(text, ME, SEATS, 0, SHERIFF, election)
    return {label for act in acts for label in labels(act, SEATS, SHERIFF)}


def test_held_out_lines_reach_the_required_accuracy() -> None:
    figures = scores_by_kind(load("sheriff_held"))
    for kind, precision, recall in (
        ("claim", 0.85, 0.80),
        ("report", 0.85, 0.70),
        ("pressed", 0.85, 0.70),
    ):
        assert figures[kind]["precision"] >= precision, kind
        assert figures[kind]["recall"] >= recall, kind


def test_unpunctuated_held_out_lines_reach_the_required_accuracy() -> None:
    rows = [{**row, "text": remove_punctuation(row["text"])} for row in load("sheriff_held")]
    figures = scores_by_kind(rows)["all"]
    assert figures["precision"] >= 0.80
    assert figures["recall"] >= 0.75


@pytest.mark.parametrize("name", ["player_3", "Player 3", "player3", "p3", "P3", "#3", "3"])
def test_seat_is_recognized_by_number(name: str) -> None:
    assert read_labels(f"I will vote for {name} today.") == {"vote player_3"}
    assert read_labels(f"{name} is a werewolf") == {"accuse player_3"}


@pytest.mark.parametrize(
    "text",
    [
        "2 wolves left and 5 of us",
        "on day 2 only 4 people voted",
        "3 votes on me",
        "night 1 was quiet, 100%",
        "it is 3 days now, 4 vs 2",
    ],
)
def test_number_used_as_a_count_is_not_a_seat(text: str) -> None:
    assert expand_seat_numbers(text, SEATS) == text
    assert expand_seat_numbers("vote 3", NAMES) == "vote 3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I checked p2, villager, and p6, werewolf", {2: "villager", 6: "werewolf"}),
        ("n1 p4 vil n2 p7 ww", {4: "villager", 7: "werewolf"}),
        ("p3 came up wolf for me", {3: "werewolf"}),
        (
            "I looked at 1 in night one: the Guard. Then at 3: a Werewolf.",
            {1: "guard", 3: "werewolf"},
        ),
        ("player_4 is a werewolf", {}),
        ("player_2 checked player_3: villager", {}),
    ],
)
def test_looks_of_several_nights_are_understood(text: str, expected: dict[int, str]) -> None:
    acts = understand(text, ME, SEATS, 0, SHERIFF)
    assert {a.targets[0]: a.value for a in acts if a.kind == "report"} == expected


@pytest.mark.parametrize(
    "text",
    [
        "Vote for me as Sheriff!",
        "I vote player_3 for sheriff",
        "My vote for the badge goes to p2.",
        "yesterday I voted for player_6",
        "tomorrow we vote 4",
        "Guard, please protect player_3 tonight.",
        "Seer, look at player_2 next.",
        "player_6 died last night, so the wolves feared him.",
    ],
)
def test_remarks_about_elections_and_the_past_are_not_accusations(text: str) -> None:
    assert not read_labels(text)


def test_vote_in_an_election_is_not_an_accusation() -> None:
    text = "My vote goes to player_3. I'm a villager."
    assert read_labels(text) == {"vote player_3", "claim villager"}
    assert read_labels(text, election=True) == {"claim villager"}


def test_sheriff_recommendation_is_read_as_a_vote() -> None:
    assert read_labels("As Sheriff I recommend that we all vote player_4.") == {"vote player_4"}
    assert read_labels("The Sheriff's recommendation for today: player_2.") == {"vote player_2"}


def test_statement_about_two_wolves_accuses_both() -> None:
    assert read_labels("p2 and p7 are the wolves") == {"accuse player_2", "accuse player_7"}
    assert read_labels("the wolf is p2 or p7") == {"suspect player_2", "suspect player_7"}


def test_guard_role_is_understood() -> None:
    assert read_labels("The Guard should stay hidden.") == {"propose guard wait"}
    assert read_labels("im guard, i saved p1 last night") == {"claim guard"}
    assert read_labels("player_2 can't be the Guard.") == {"disagree player_2"}


def test_campaign_speech_announces_no_vote() -> None:
    def candidate(_view: View, window: Window) -> Answer | None:
        return Answer(say("My vote goes to player_3.")) if window.kind == "candidacy" else None

    view = play("campaign/1", "sheriff", candidate, keep=True).decisions[-1][0].view
    statements = Dialogue.of(view, SHERIFF).statements
    campaign = [s for s in statements if s.text == "My vote goes to player_3."]
    assert campaign
    assert not [a for s in campaign for a in s.acts if a.kind == "vote"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm the Seer. I looked at player_2 and she is human, so player_3 is no Werewolf.",
        "I am the Seer, player_2 is human, therefore player_3 can't be a wolf.",
    ],
)
def test_conclusion_from_a_look_is_not_a_report(text: str) -> None:
    acts = understand(text, ME, SEATS, 0, SHERIFF)
    assert [a.targets for a in acts if a.kind == "report"] == [(2,)]
    assert [a.targets for a in acts if a.kind == "defend"] == [(3,)]


def test_claimed_save_is_understood() -> None:
    for text, seat in (
        ("I'm the Guard. I protected player_3 last night, and nobody died.", 3),
        ("I'm the Guard, player_3 was the one I protected last night.", 3),
        ("Guard here, saved player_3", 3),
        ("Guard, please protect player_3 tonight.", 0),
        ("Did I protect player_3?", 0),
    ):
        assert protected_seat(text, SEATS, SHERIFF) == seat, text
