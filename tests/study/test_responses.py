"""Tests that participants' answers are stored with revisions, parsed, checked and exported."""

from __future__ import annotations

import pytest

from tests.study import taking, world
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument, Item, Option
from webapp.study.design.refusals import Refused
from webapp.study.models import Participant, Response
from webapp.study.sessions import lifecycle, participant_state, responses, slots, study_events
from webapp.study.sessions.responses import Answer, AnswerKey, Stale, StepChanged

pytestmark = pytest.mark.django_db

WHY: AnswerKey = ("interview", "why", 0)
RULES: AnswerKey = ("interview", "rules", 0)


@pytest.fixture
def participant() -> Participant:
    return taking.add_participant(
        taking.create_study({"kind": "interview"}, {"kind": "debriefing"})
    )


def save_answer(
    participant: Participant, key: AnswerKey, answer: Answer, revision: int, **more: object
) -> int:
    step = participant_state.current_step(participant)
    return responses.save_answers(participant, step, {key: answer}, revision=revision, **more)  # type: ignore[arg-type]


def stored_answers(participant: Participant) -> dict[AnswerKey, Answer]:
    return dict(
        responses.stored_answers(participant, participant_state.current_step(participant)).answers
    )


def test_each_save_has_a_revision_and_the_last_one_is_stored(participant: Participant) -> None:
    assert save_answer(participant, WHY, Answer(text="The jo"), 0) == 1
    assert save_answer(participant, WHY, Answer(text="The jokes"), 1) == 2
    assert save_answer(participant, RULES, Answer(number=4), 2) == 3
    assert stored_answers(participant) == {WHY: Answer(text="The jokes"), RULES: Answer(number=4)}


def test_older_revision_is_rejected_with_the_stored_answers(participant: Participant) -> None:
    save_answer(participant, WHY, Answer(text="from the phone"), 0)
    with pytest.raises(Stale) as stale:
        save_answer(participant, WHY, Answer(text="from the laptop"), 0)
    assert stale.value.stored.answers == {WHY: Answer(text="from the phone")}
    assert stale.value.stored.revision == 1
    assert stored_answers(participant)[WHY].text == "from the phone"


def test_repeated_save_is_stored_once(participant: Participant) -> None:
    """The reply was lost and the page saves again."""
    assert save_answer(participant, WHY, Answer(text="The jokes"), 0) == 1
    assert save_answer(participant, WHY, Answer(text="The jokes"), 0) == 1
    assert Response.objects.count() == 1


def test_submission_is_newer_than_a_save_of_the_same_page(participant: Participant) -> None:
    save_answer(participant, WHY, Answer(text="The jo"), 0, page_id="one")
    assert (
        save_answer(participant, WHY, Answer(text="The jokes"), 0, page_id="one", is_final=True)
        == 2
    )
    with pytest.raises(Stale):
        save_answer(participant, WHY, Answer(text="Else"), 0, page_id="two", is_final=True)
    with pytest.raises(Stale):
        save_answer(participant, WHY, Answer(text="Delayed"), 0, page_id="one")


def test_page_without_an_id_is_not_the_same_page(participant: Participant) -> None:
    save_answer(participant, WHY, Answer(text="one"), 0)
    with pytest.raises(Stale):
        save_answer(participant, WHY, Answer(text="two"), 0, is_final=True)


def test_answer_can_be_withdrawn_and_no_older_one_returns(participant: Participant) -> None:
    save_answer(participant, RULES, Answer(number=2), 0)
    assert save_answer(participant, RULES, Answer(), 1) == 2
    assert not stored_answers(participant)[RULES]
    with pytest.raises(Stale):
        save_answer(participant, RULES, Answer(number=2), 1)
    assert not list(responses.read_rows(participant.study)), "withdrawn answers are not exported"


def test_participant_who_moved_on_cannot_answer_the_step(participant: Participant) -> None:
    step = participant_state.current_step(participant)
    save_answer(participant, WHY, Answer(text="first"), 0)
    assert lifecycle.advance(participant, participant.step)
    with pytest.raises(StepChanged):
        responses.save_answers(participant, step, {WHY: Answer(text="late")}, revision=1)
    assert Response.objects.get().text == "first"


@pytest.mark.parametrize(
    ("actor", "state"), [(study_events.PARTICIPANT, "given"), (study_events.CLOCK, "expired")]
)
def test_typed_answers_are_submitted_and_labelled(
    participant: Participant, actor: str, state: str
) -> None:
    save_answer(participant, WHY, Answer(text="The jo"), 0)
    assert [r.state for r in responses.read_rows(participant.study)] == ["typed"]
    lifecycle.advance(participant, participant.step, actor=actor)
    assert [(r.text, r.state) for r in responses.read_rows(participant.study)] == [
        ("The jo", state)
    ]


def test_typed_answers_of_a_leaving_participant_are_labelled(participant: Participant) -> None:
    save_answer(participant, WHY, Answer(text="The jo"), 0)
    lifecycle.leave_by(participant, "left")
    assert [(r.text, r.state) for r in responses.read_rows(participant.study)] == [
        ("The jo", "left")
    ]


def test_moments_of_a_step_have_their_own_revisions(participant: Participant) -> None:
    assert save_answer(participant, WHY, Answer(text="a"), 0, moment="vote.1") == 1
    assert save_answer(participant, WHY, Answer(text="b"), 0, moment="vote.2") == 1
    assert [(r.moment, r.text) for r in responses.read_rows(participant.study)] == [
        ("vote.1", "a"),
        ("vote.2", "b"),
    ]


def test_rows_state_their_game_and_seat() -> None:
    study = taking.create_study({"kind": "game"}, {"kind": "questionnaire", "each_game": True})
    participant = taking.add_participant(study, "questionnaire")
    slot = taking.add_played_game(participant, world.ended_game())
    key: AnswerKey = ("who-is-human", "kind", 3)
    save_answer(participant, key, Answer(choice="person", number=4), 0, slot=slot)
    (row,) = responses.read_rows(study)
    assert (row.participant, row.step) == (
        participant,
        participant_state.current_step(participant).key,
    )
    assert (row.slot, row.about_seat) == (slot, 3)
    assert (row.instrument, row.item, row.choice, row.number) == (*key[:2], "person", 4)
    assert (row.revision, row.text, row.moment) == (1, "", "")


def test_rows_of_a_void_game_keep_its_slot() -> None:
    study = taking.create_study({"kind": "game"}, {"kind": "questionnaire", "each_game": True})
    participant = taking.add_participant(study, "questionnaire")
    slot = taking.add_played_game(participant, world.ended_game())
    save_answer(
        participant, ("who-is-human", "kind", 3), Answer(choice="person", number=4), 0, slot=slot
    )
    slots.void_slot(slot, "dropout", actor="ada")
    save_answer(participant, RULES, Answer(number=4), 1)
    rows = {row.instrument: row.slot for row in responses.read_rows(study)}
    assert rows == {"who-is-human": slot, "interview": None}


def test_answers_about_slots_created_during_an_export_are_not_read() -> None:
    study = taking.create_study({"kind": "game"}, {"kind": "questionnaire", "each_game": True})
    participant = taking.add_participant(study, "questionnaire")
    slot = taking.add_played_game(participant, world.ended_game())
    save_answer(participant, ("who-is-human", "kind", 3), Answer(choice="person"), 0, slot=slot)
    source = StudySource(study)
    assert [answered_slot for _row, answered_slot in source.read_answers()] == [slot]
    source.slots.clear()  # as if they had been read before the slot was created
    assert not list(source.read_answers())


def test_withdrawn_participant_has_no_rows(participant: Participant) -> None:
    save_answer(participant, WHY, Answer(text="mine"), 0)
    Participant.objects.update(withdrew=True)
    assert not list(responses.read_rows(participant.study))


# -- parsing


def item(answer: str, **more: object) -> Item:
    return Item("i", "I", "What?", "low", "high", answer=answer, **more)  # type: ignore[arg-type]


AB = (Option("a", "A"), Option("b", "B"))
SEAT = (Option("person", "A person"), Option("computer", "One"), Option("unsure", "?"))


@pytest.mark.parametrize(
    ("question", "options", "values", "sure", "expected"),
    [
        (item("scale"), (), ["4"], "", Answer(number=4)),
        (item("scale"), (), ["6"], "", Answer()),
        (item("scale"), (), ["４"], "", Answer()),
        (item("text"), (), ["a\r\nb "], "", Answer(text="a\nb")),
        (item("text"), (), ["  \n"], "", Answer()),
        (item("text"), (), ["a\x00b"], "", Answer(text="ab")),
        (item("number", max=90), (), [" 17 "], "", Answer(number=17)),
        (item("number", max=90), (), ["91"], "", Answer(text="91")),
        (item("number", max=90), (), ["a few"], "", Answer(text="a few")),
        (item("one"), AB, ["b"], "", Answer(choice="b")),
        (item("one"), AB, ["c"], "", Answer()),
        (item("many"), AB, ["b", "a", "c"], "", Answer(choice=["a", "b"])),
        (item("many"), AB, [], "", Answer()),
        (item("human"), SEAT, ["person"], "5", Answer(choice="person", number=5)),
        (item("human"), SEAT, ["person"], "9", Answer(choice="person")),
        (item("human"), SEAT, ["unsure"], "5", Answer(choice="unsure")),
        (item("human"), SEAT, [], "5", Answer(number=5)),
        (item("human", required=False), SEAT, [""], "5", Answer()),
    ],
)
def test_typed_values_are_parsed(
    question: Item, options: tuple[Option, ...], values: list[str], sure: str, expected: Answer
) -> None:
    assert responses.parse_answer(question, options, values, sure) == expected


@pytest.mark.parametrize(
    ("question", "answer", "message"),
    [
        (item("scale"), Answer(), "Choose a value"),
        (item("scale", required=False), Answer(), ""),
        (item("text", longest=3), Answer(text="four"), "4 characters. Shorten it to 3"),
        (item("text", required=False, longest=3), Answer(text="four"), "Shorten"),
        (item("text"), Answer(), "A few words are enough"),
        (item("number", min=1, max=9), Answer(text="10"), "from 1 to 9"),
        (item("number", required=False), Answer(text="x"), "whole number"),
        (item("number", required=False), Answer(), ""),
        (item("one"), Answer(), "fits best"),
        (item("many"), Answer(), "at least one"),
        (item("human"), Answer(number=3), "A guess is fine"),
        (item("human"), Answer(choice="person"), "how sure"),
        (item("human", required=False), Answer(choice="person"), "how sure"),
        (item("human", required=False), Answer(), ""),
        (item("role", unsure=True), Answer(choice="unsure"), ""),
        (item("role"), Answer(choice="seer", number=1), ""),
    ],
)
def test_answer_errors_are_reported(question: Item, answer: Answer, message: str) -> None:
    error = responses.find_answer_error(question, answer)
    assert message in error
    assert bool(message) == bool(error)


# -- instruments


@pytest.mark.parametrize("instrument", instruments.for_participants(), ids=lambda i: i.key)
def test_participant_instrument_is_valid_and_askable(instrument: Instrument) -> None:
    assert Instrument.check(instrument.to_json()) == []
    assert Instrument.from_json(instrument.to_json()) == instrument
    assert not instruments.why_not_askable(instrument)


def own_instrument(unit: str = "session", **first: object) -> dict[str, object]:
    row = {"key": "one", "label": "One", "question": "What?", "answer": "text"} | first
    return {"key": "own", "title": "Own", "unit": unit, "intro": "", "dimensions": [row]}


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (own_instrument(answer="song"), "answer: choose one of scale"),
        (own_instrument(answer="human", low_pole="a", high_pole="b"), "every other player"),
        (own_instrument("seat", answer="role"), "low pole: this is missing"),
        (
            own_instrument(answer="scale", low_pole="a", high_pole="b", max=1),
            "a greater highest value",
        ),
        (own_instrument(longest=0), "longest: enter 1 or more"),
        (
            own_instrument(answer="number", min=5, max=5),
            "a greater highest value of at most 1000000",
        ),
        (own_instrument(answer="one"), "options: the minimum is 2"),
        (
            own_instrument(answer="many", options=[{"key": "a", "label": ""}] * 2),
            "options, no. 1, label: this is missing",
        ),
        (own_instrument(answer="one", options=[{"key": "a", "label": "A"}] * 2), "the same key"),
        (own_instrument(rank=True), "rank: this setting does not exist"),
        (own_instrument(required="yes"), "enter true or false"),
        (own_instrument() | {"order": "drawn"}, "choose one of fixed or rotated"),
        (own_instrument() | {"direction": "up"}, "choose one of fixed or drawn"),
        (own_instrument() | {"example": {}}, "example: this setting does not exist"),
        (own_instrument() | {"dimensions": []}, "The items: the minimum is 1"),
        (own_instrument() | {"title": ""}, "Title: this is missing"),
    ],
)
def test_errors_of_an_own_instrument_are_reported(data: object, error: str) -> None:
    assert error in " ".join(Instrument.check(data))


def test_participant_instrument_is_rejected_for_raters() -> None:

    with pytest.raises(Refused, match="not for raters"):
        world.create_campaign(world.ended_game(), instrument=instruments.get("interview").to_json())


def test_rater_instruments_keep_their_stored_format() -> None:
    """The config hashes of campaigns depend on this format."""
    for instrument in instruments.for_raters():
        data = instrument.to_json()
        assert set(data) == {"key", "title", "unit", "intro", "dimensions", "example"}
        assert {*data["dimensions"][0]} == {
            "key", "label", "question", "low_pole", "high_pole", "min", "max", "situation", "rank",
            "deeds",
        }  # fmt: skip
