"""Tests of participants' questionnaires: questions, drafts, submission, order and errors."""

from __future__ import annotations

import re
from typing import Any

import pytest

from game.engine import rulesets
from game.models import Game
from tests.study import taking, world
from tests.study.pages import html_of
from tests.study.questionnaire_pages import (
    OWN,
    add_respondent,
    current_step,
    get_page,
    hidden_value,
    post_page,
)
from webapp.study.design import instruments
from webapp.study.models import Participant, Response, Study
from webapp.study.sessions import participant_state, question_checks, questions, responses
from webapp.study.sessions.responses import Answer

pytestmark = pytest.mark.django_db

VALID_ANSWERS = {"own/mood": "4", "own/age": "30", "own/words": "fine", "own/tools": ["a", "b"]}


def add_player(*questionnaires: Any, game: Game, seat: int = 2) -> Participant:
    """Add a participant who is asked after the game that they played in that seat."""
    after = {"kind": "questionnaire", "instruments": list(questionnaires), "each_game": True}
    study = taking.create_study({"kind": "game"}, after, {"kind": "debriefing"})
    participant = taking.add_participant(study, "questionnaire")
    taking.add_played_game(participant, game, seat)
    return participant


def checked_options(page: str) -> list[tuple[str, str]]:
    """Return (field, value) of each selected option."""
    boxes = re.findall(r"<input type=\"(?:radio|checkbox)\"[^>]*>", page)
    return [
        (re.findall(r'name="([^"]*)"', box)[0], re.findall(r'value="([^"]*)"', box)[0])
        for box in boxes
        if "checked" in box
    ]


# -- answers


def test_submitted_answers_are_stored_and_advance_the_participant() -> None:
    participant = add_respondent(OWN)
    response = post_page(participant, VALID_ANSWERS)
    assert response.status_code == 302, html_of(response)
    assert current_step(participant) == 2
    stored = {
        r.item: (r.number, r.text, r.choice, r.state)
        for r in responses.read_rows(participant.study)
    }
    assert stored == {
        "mood": (4, "", None, "given"),
        "age": (30, "", None, "given"),
        "words": (None, "fine", None, "given"),
        "tools": (None, "", ["a", "b"], "given"),
    }


def test_rejected_page_marks_each_error_and_keeps_the_input() -> None:
    participant = add_respondent(OWN)
    long_text = "much more than twenty characters"
    response = post_page(
        participant, {"own/age": "seventeen", "own/words": long_text, "own/tools": "b"}
    )
    page = html_of(response)
    assert response.status_code == 422
    assert current_step(participant) == 1
    assert "Please check 3 answers" in page
    errors = dict(re.findall(r'id="own-(\w+)-error">.*?<span>([^<]*)</span>', page, re.DOTALL))
    assert errors == {
        "mood": "Choose a value on the scale.",
        "age": "Enter a whole number from 18 to 99.",
        "words": f"Your text has {len(long_text)} characters. Shorten it to 20.",
    }
    for html in (page, get_page(participant)):  # The same after a reload or on another device.
        assert 'value="seventeen"' in html
        assert f">\n{long_text}</textarea>" in html
        assert checked_options(html) == [("own/tools", "b")]


def test_optional_items_may_be_left_empty() -> None:
    participant = add_respondent(OWN)
    assert post_page(participant, {"own/mood": "1", "own/age": "18"}).status_code == 302
    assert {r.item for r in responses.read_rows(participant.study)} == {"mood", "age"}


def test_optional_choice_can_be_withdrawn() -> None:
    participant = add_respondent("background", kind="background")
    post_page(participant, {"background/age": "age-25-34"}, do="save")
    assert ("background/age", "age-25-34") in checked_options(get_page(participant))
    post_page(participant, {"background/age": ""}, do="save")
    assert ("background/age", "") in checked_options(get_page(participant))
    assert not list(responses.read_rows(participant.study))


def test_built_in_stages_accept_their_own_answers() -> None:
    participant = add_respondent("background", kind="background")
    assert post_page(participant, {"background/experience": "played"}).status_code == 302
    participant = add_respondent("chatbots")
    assert post_page(participant, {"chatbots/chatbots": "daily"}).status_code == 302
    participant = add_respondent("interview")
    answers = {f"interview/{k}": "3" for k in ("rules", "logic", "told_apart")}
    assert post_page(participant, answers).status_code == 302


# -- drafts


def test_saved_draft_is_shown_on_another_device() -> None:
    participant = add_respondent(OWN)
    response = post_page(participant, {"own/words": "half a sen"}, do="save")
    assert (response.status_code, response["Revision"]) == (204, "1")
    assert current_step(participant) == 1
    page = get_page(participant)
    assert "half a sen</textarea>" in page
    assert hidden_value(page, "revision") == "1"


def test_stale_save_is_rejected_with_the_stored_values() -> None:
    participant = add_respondent(OWN)
    old = get_page(participant)
    post_page(participant, {"own/words": "newer", "own/mood": "2", "own/tools": "b"}, do="save")
    response = post_page(participant, {"own/words": "older"}, old, do="save")
    assert response.status_code == 409
    assert response["Revision"] == "1"
    assert response.json() == {
        "revision": 1,
        "values": {"own/mood": ["2"], "own/age": [""], "own/words": ["newer"],
                   "own/tools": ["b"]},
    }  # fmt: skip
    assert "newer</textarea>" in get_page(participant)


def test_stale_submission_shows_both_texts_and_can_be_resubmitted() -> None:
    participant = add_respondent(OWN)
    old = get_page(participant)
    post_page(participant, {"own/words": "on the phone", "own/age": "40"}, do="save")
    response = post_page(participant, {"own/words": "on the laptop", "own/mood": "5"}, old)
    page = html_of(response)
    assert response.status_code == 409
    assert current_step(participant) == 1
    assert "on the laptop</textarea>" in page
    assert "<blockquote" in page
    assert "on the phone" in page
    assert 'value="40"' in page, "the value of the other page"
    assert ("own/mood", "5") in checked_options(page)
    resubmitted = {"own/words": "on the laptop", "own/mood": "5", "own/age": "40"}
    assert post_page(participant, resubmitted, page).status_code == 302
    assert current_step(participant) == 2


def test_submission_during_a_save_of_the_same_page_is_accepted() -> None:
    """The reply to `do=save` is outstanding, so the form has the older revision."""
    participant = add_respondent(OWN)
    page = get_page(participant)
    assert post_page(participant, {"own/words": "half"}, page, do="save").status_code == 204
    assert post_page(participant, VALID_ANSWERS, page).status_code == 302
    assert current_step(participant) == 2


# -- order and direction


def add_participants(study: Study, count: int = 24) -> list[Participant]:
    return [taking.add_participant(study) for _ in range(count)]


def test_rotated_order_differs_between_participants_and_is_stable() -> None:
    study = taking.create_study({"kind": "interview", "instruments": [OWN | {"order": "rotated"}]})
    orders = set()
    for participant in add_participants(study):
        order = re.findall(r'id="ask-own-(\w+)"', get_page(participant))
        assert order == re.findall(r'id="ask-own-(\w+)"', get_page(participant))
        start = order.index("mood")
        assert order[start:] + order[:start] == ["mood", "age", "words", "tools"], "it is rotated"
        orders.add(tuple(order))
    assert len(orders) == 4
    fixed = taking.create_study({"kind": "interview", "instruments": [OWN]})
    order = {
        tuple(re.findall(r'id="ask-own-(\w+)"', get_page(w))) for w in add_participants(fixed, 6)
    }
    assert order == {("mood", "age", "words", "tools")}


def test_shown_order_and_direction_are_stored() -> None:
    second_instrument = {**OWN, "key": "other", "title": "Other"}
    both = [OWN | {"order": "rotated"}, second_instrument | {"direction": "drawn"}]
    study = taking.create_study({"kind": "interview", "instruments": both})
    shown_orders = []
    for _ in range(8):
        participant = taking.add_participant(study)
        assert not participant.item_layouts
        page = get_page(participant)
        participant.refresh_from_db()
        stored = participant.item_layouts["interview-1"]
        field_order = re.findall(r'id="ask-own-(\w+)"', page)
        assert stored["own"] == {"order": field_order, "reversed": False}
        shown_orders.append((tuple(stored["own"]["order"]), stored["other"]["reversed"]))
        values = re.findall(r'name="other/mood"\s+value="(\d)"', page)
        assert stored["other"]["reversed"] is (values[0] != "1")
        Study.objects.filter(pk=study.pk).update(seed="another")
        get_page(participant)
        participant.refresh_from_db()
        assert participant.item_layouts == {"interview-1": stored}
        Study.objects.filter(pk=study.pk).update(seed="s")
    assert len({order for order, _turned in shown_orders}) > 1
    assert {turned for _order, turned in shown_orders} == {True, False}


def test_reversed_scale_swaps_its_ends_and_stores_the_same_value() -> None:
    study = taking.create_study(
        {"kind": "interview", "instruments": [OWN | {"direction": "drawn"}]}
    )
    ends = set()
    for participant in add_participants(study, 12):
        page = get_page(participant)
        left = re.findall(r'pole-low" aria-hidden="true">([^<]*)<', page)[0]
        ends.add(left)
        steps = re.findall(
            r'name="own/mood"\s+value="(\d)"[^>]*>\s*<span class="step-dot">(\d)'
            r"(?:<span[^>]*>, ([^<]*))?",
            page,
        )
        assert [label for _value, label, _pole in steps] == list("12345"), "labels count from left"
        value = {pole: value for value, _label, pole in steps if pole}
        assert value == {"Left end": "1", "Right end": "5"}, "values belong to the labels"
        assert steps[0][2] == left
    assert ends == {"Left end", "Right end"}


# -- questions about players


def test_participant_is_asked_about_each_other_player_by_name() -> None:
    game = world.ended_game(blind=True)
    participant = add_player("who-is-human", game=game)
    page = get_page(participant)
    names = dict(game.players.values_list("seat", "name"))
    shown_names = re.findall(r'class="form-name">([^<]*)<', page)
    other_names = [name for seat, name in sorted(names.items()) if seat != 2]
    start = shown_names.index(other_names[0])
    assert shown_names[start:] + shown_names[:start] == other_names, "all other players, rotated"
    assert "t tell" not in page, "there is no third answer"
    answers = {f"who-is-human/kind/{seat}": "computer" for seat in names if seat != 2}
    sure = {f"{field}/sure": "4" for field in answers}
    one = next(iter(answers))
    response = post_page(participant, {**answers, **sure, one: "person", f"{one}/sure": ""})
    assert response.status_code == 422
    assert html_of(response).count("Choose how sure you are.") == 1
    assert post_page(participant, {**answers, **sure, one: "person"}).status_code == 302
    rows = list(responses.read_rows(participant.study))
    rows.sort(key=lambda row: row.about_seat)
    assert [r.about_seat for r in rows] == [seat for seat in sorted(names) if seat != 2]
    assert {r.slot.game for r in rows if r.slot} == {game}
    assert [r.choice for r in rows] == ["person", *["computer"] * (len(names) - 2)]
    assert {r.number for r in rows} == {4}


def test_who_is_human_draws_first_seat_and_option_order() -> None:
    game = world.ended_game(blind=True)
    participant = add_player("who-is-human", game=game)
    seats, options = set(), set()
    for n in range(16):
        Study.objects.update(seed=f"seed {n}")
        page = get_page(participant)
        options_by_seat = re.findall(
            r'name="who-is-human/kind/(\d)"\s+value="(person|computer)"', page
        )
        seats.add(options_by_seat[0][0])
        first = {option for _seat, option in options_by_seat[::2]}
        assert len(first) == 1, "the order is the same for all seats"
        options |= first
    assert len(seats) > 2
    assert options == {"person", "computer"}


@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
def test_role_question_offers_the_roles_of_the_played_game(ruleset: str) -> None:
    game = world.ended_game(ruleset=ruleset)
    participant = add_player("role-guess", game=game)
    page = get_page(participant)
    roles = {r.key for r in rulesets.get(ruleset).roles if r.key in rulesets.get(ruleset).deck}
    offered_roles = set(re.findall(r'name="role-guess/role/1"\s+value="([^"]*)"', page))
    assert offered_roles == roles | {"unsure"}
    other_seats = [s for s in game.players.values_list("seat", flat=True) if s != 2]
    answers = {f"role-guess/role/{seat}": "unsure" for seat in other_seats}
    assert post_page(participant, answers).status_code == 302, "unsure answers need no confidence"


def test_scales_and_texts_are_asked_about_each_other_player() -> None:
    instrument = OWN | {
        "unit": "seat",
        "dimensions": OWN["dimensions"][:1] + OWN["dimensions"][2:3],
    }
    game = world.ended_game()
    participant = add_player(instrument, game=game)
    page = get_page(participant)
    seats = [s for s in game.players.values_list("seat", flat=True) if s != 2]
    assert re.findall(r'id="ask-own-mood-(\d)"', page) == [str(s) for s in seats]
    answers = {f"own/mood/{s}": str(1 + s % 5) for s in seats} | {"own/words/1": "loud"}
    assert post_page(participant, answers).status_code == 302
    rows = {
        (r.item, r.about_seat): r.number or r.text for r in responses.read_rows(participant.study)
    }
    assert rows == {("words", 1): "loud"} | {("mood", s): 1 + s % 5 for s in seats}


def test_each_game_has_its_own_answers() -> None:
    after = {"kind": "questionnaire", "instruments": ["who-is-human"], "each_game": True}
    study = taking.create_study({"kind": "game"}, after, assignment={"games_each": 2})
    participant = taking.add_participant(study, "questionnaire")
    first, second = world.ended_game("1"), world.ended_game("2")
    taking.add_played_game(participant, first, 1)
    taking.add_played_game(participant, second, 3, number=2)
    steps = [s for s in participant_state.list_steps(participant) if s.kind == "questionnaire"]
    sheets_by_game = [questions.StepQuestions(participant, s).sheets for s in steps]
    seats_by_game = [
        {q.seat for q in questions.list_questions(sheets)} for sheets in sheets_by_game
    ]
    everybody = set(first.players.values_list("seat", flat=True))
    assert seats_by_game == [everybody - {1}, everybody - {3}]


def test_participant_without_a_game_gets_no_questions_about_one() -> None:
    participant = add_respondent("who-is-human", "engagement", kind="questionnaire")
    assert "There are no questions on this page" in get_page(participant)
    assert post_page(participant, {}).status_code == 302


def test_answer_that_was_not_offered_is_rejected() -> None:
    game = world.ended_game()
    participant = add_player("who-is-human", game=game)
    answers = {f"who-is-human/kind/{s}": "unsure" for s in range(9)}
    assert post_page(participant, answers | {"who-is-human/kind/2": "person"}).status_code == 422
    assert not Response.objects.filter(about_seat=2).exists(), "no question about themselves"
    assert not list(responses.read_rows(participant.study))


def test_unsuitable_instruments_are_reported() -> None:
    study = taking.create_study(
        {"kind": "questionnaire", "instruments": ["guarded", "players", "nothing", "engagement"]},
        {"kind": "interview", "instruments": ["interview", "interview", {"key": "x"}]},
    )
    first, second = (
        question_checks.find_instrument_errors(s)
        for s in participant_state.design_of(study).stages[1:]
    )
    assert len(first) == 3
    assert "single statements" in first[0]
    assert "nothing" in first[2]
    assert any("same questions twice" in error for error in second)
    assert len(second) > 1


@pytest.mark.parametrize("instrument", instruments.for_participants(), ids=lambda i: i.key)
def test_built_in_instrument_accepts_the_answers_its_page_offers(instrument: Any) -> None:
    """The first option of each question is submitted and accepted."""
    participant = add_player(instrument.key, game=world.ended_game())
    page = get_page(participant)
    fields = re.findall(r'type="radio"\s+name="([^"]*)"\s+value="([^"]+)"', page)
    assert fields
    assert post_page(participant, dict(fields)).status_code == 302


def test_typed_text_is_escaped_on_the_page() -> None:
    participant = add_respondent(OWN)
    post_page(participant, {"own/words": "</textarea><script>", "own/age": '"><b>'}, do="save")
    page = get_page(participant)
    assert "<script>" not in page
    assert '"><b>' not in page
    stored = responses.stored_answers(
        participant, participant_state.current_step(participant)
    ).answers
    assert stored["own", "words", 0] == Answer(text="</textarea><script>")
