"""Tests of mind panels in the replay: hidden from others, never early and never broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from game import game_actions, selectors
from game.engine import visibility
from game.models import Game
from tests.game.table import finish, new_game
from tests.webapp.replays import (
    add_model_records,
    find_line,
    get_replay,
    guest_in_seat,
    mind_of,
    page_html,
    play_with_minds,
    replay_lines,
    round_two,
    true_role,
)
from webapp.play.models import LLMCall, MindNote, Table
from webapp.play.replay.mind_panels import VOTE_REASONS, MindPanel
from webapp.play.replay.replay_builder import build_guest_replay

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
OWN_SEAT = 2


def test_moderator_sees_the_mind_of_the_speaker(sit: Sit) -> None:
    game = play_with_minds(OWN_SEAT)
    line = find_line(game, "moderator", "statement", 5, nth=3)
    mind = mind_of(game, "moderator", line)
    assert mind.seat.number == 5
    assert mind.is_own_line
    assert len(mind.bars) == 5
    assert mind.stance
    note = MindNote.objects.get(game=game, seat=5, faculty="memory", window="statement.1.3.5")
    assert [r.turn for r in mind.recalled_statements] == [r["turn"] for r in note.data["retrieved"]]
    statements = [
        e["text"] for e in selectors.view_for(game, visibility.PUBLIC).events if "text" in e.data
    ]
    assert all(r.text == statements[r.turn - 1] for r in mind.recalled_statements)
    assert [a.step for a in mind.requests] == [
        "favor/first",
        "judgement/first",
        "strategy/first",
        "answer/first",
    ]
    assert mind.role_probabilities
    brief = LLMCall.objects.get(game=game, seat=5, window="statement.1.3.5", kind="statement").brief
    roles = {p.seat: r for p in game.players.all() for r in [true_role(game, p.seat)]}
    for row in mind.role_probabilities.rows:
        odds = brief["judgement"]["roles"][str(row.seat.number)]
        for (key, _name), cell in zip(mind.role_probabilities.roles, row.cells, strict=True):
            assert cell
            assert cell.text == str(round(100 * odds.get(key, 0)))
            assert cell.is_true == (roles[row.seat.number] == key)
    page = page_html(get_replay(sit(game, OWN_SEAT), game, f"?at={line}&as=moderator"))
    assert "Inside Epsilon’s mind" in page
    assert "Neuroticism" in page


def test_favor_table_shows_the_values_in_effect_at_the_line() -> None:
    game = play_with_minds()
    line = find_line(game, "moderator", "statement", 4, nth=3)
    minds = build_guest_replay(guest_in_seat(game, None), "moderator", str(line)).minds
    assert minds
    (heat,) = minds.heats
    assert [step.title for step in heat.steps] == ["Round 1", "Round 2", "Round 3"]
    for row in heat.rows:
        notes = MindNote.objects.filter(game=game, seat=row.seat.number, faculty="favor")
        favor = notes.order_by("phase_number").last().data["favor"]  # type: ignore[union-attr]
        for seat, cell in zip(heat.columns, row.cells, strict=True):
            expected = favor.get(str(seat.number))
            assert (cell and cell.text) == (None if expected is None else str(round(expected)))
    first = build_guest_replay(
        guest_in_seat(game, None), "moderator", str(heat.steps[1].at)
    ).entries[-1]
    assert first.title == "Round 2 of 3"


def test_mind_is_hidden_from_other_seats_and_the_public() -> None:
    game = play_with_minds(OWN_SEAT)
    LLMCall.objects.filter(game=game, seat=4).update(brief={"marked": "thought of four"})
    for note in MindNote.objects.filter(game=game, seat=4, faculty="favor"):
        note.data["favor"] = {str(s): 77 for s in range(1, 9)}
        note.save()
    client = Client()
    for key in ("public", str(OWN_SEAT), "5"):
        last = len(replay_lines(game, key))
        own_lines = [find_line(game, key, "statement", seat, 2) for seat in (4, 5)]
        for line in (1, 2, 9, *own_lines, last - 3, last):
            replay = build_guest_replay(guest_in_seat(game), key, str(line))
            page = page_html(get_replay(client, game, f"?at={line}&as={key}"))
            assert "thought of four" not in page
            assert ">77<" not in page
            if key != "5":
                assert replay.minds is None
                assert not re.search(r"Inside \w+’s mind|Likes and dislikes", page)
            else:
                assert replay.minds
                assert replay.minds.mind
                assert replay.minds.mind.seat.number == 5
                (heat,) = replay.minds.heats
                assert [row.seat.number for row in heat.rows] == [5]
                speaker = replay.entries[-1].speaker
                is_own_line = speaker and speaker.number == 5 and replay.entries[-1].kind != "out"
                assert bool(replay.minds.mind.requests) == bool(is_own_line)
    line = find_line(game, "4", "statement", 4)
    assert "thought of four" in page_html(get_replay(client, game, f"?at={line}&as=4"))


def test_later_plan_is_not_shown_at_earlier_lines() -> None:
    game = play_with_minds()
    MindNote.objects.create(
        game=game,
        seat=3,
        window="prepare.1.2",
        preparation=True,
        faculty="strategy",
        data={"plan": "Wait for the second."},
        **round_two(game),
    )
    second_last = find_line(game, "moderator", "statement", 3, nth=1)
    after = find_line(game, "moderator", "statement", 3, nth=2)
    assert mind_of(game, "moderator", second_last).plan != "Wait for the second."
    assert mind_of(game, "moderator", after).plan == "Wait for the second."


def test_beliefs_at_the_vote_are_those_after_the_talk() -> None:
    """Also at lines without a speaker, and for a mind without requests since the round began."""
    game = play_with_minds()
    lines = replay_lines(game, "moderator")
    (vote_line,) = (
        n for n, e in enumerate(lines, 1) if e.kind == "phase" and e.title == "The vote"
    )
    statement_call = LLMCall.objects.filter(game=game, seat=8, kind="statement").latest("pk")
    vote_call = LLMCall.objects.get(game=game, seat=8, kind="vote")
    for line, row in ((vote_line, statement_call), (len(lines), vote_call)):
        mind = mind_of(game, "moderator", line)
        assert mind.seat.number == 8
        assert shown_odds(mind) == odds_of(row.brief["judgement"]["roles"], mind)
        assert "Judged when the round began" not in page_html(
            get_replay(Client(), game, f"?at={line}&as=moderator")
        )
    LLMCall.objects.filter(game=game, seat=8).exclude(purpose=LLMCall.PREPARATION).update(brief={})
    note = MindNote.objects.filter(game=game, seat=8, faculty="judgement").latest("pk")
    mind = mind_of(game, "moderator", vote_line)
    assert shown_odds(mind) == odds_of(note.data["roles"], mind)
    assert "Judged when the round began" in page_html(
        get_replay(Client(), game, f"?at={vote_line}&as=moderator")
    )


def shown_odds(mind: MindPanel) -> dict[int, list[str]]:
    assert mind.role_probabilities
    rows = mind.role_probabilities.rows
    return {r.seat.number: [cell.text for cell in r.cells if cell] for r in rows}


def odds_of(roles: dict[str, dict[str, float]], mind: MindPanel) -> dict[int, list[str]]:
    assert mind.role_probabilities
    keys = [key for key, _name in mind.role_probabilities.roles]
    return {int(s): [str(round(100 * row.get(k, 0))) for k in keys] for s, row in roles.items()}


def test_plan_guesses_no_role_more_often_than_the_deck_has_it() -> None:
    """The plan's list has two Werewolves. The surer guess stays."""
    game = play_with_minds()
    seat = next(p.seat for p in game.players.all() if true_role(game, p.seat) == "villager")
    note = MindNote.objects.filter(game=game, seat=seat, faculty="judgement").latest("pk")
    first_suspect, surer_suspect = [
        s for s in range(1, 9) if s != seat and true_role(game, s) != "mason"
    ][:2]
    for number, probability in ((first_suspect, 0.6), (surer_suspect, 0.8)):
        note.data["roles"][str(number)] = {"werewolf": probability, "minion": 1 - probability}
        note.data["list"][str(number)] = {"role": "werewolf", "side": "opponent"}
    note.save()
    line = find_line(game, "moderator", "vote", seat)
    guesses = mind_of(game, "moderator", line).guesses
    assert [g.seat.number for g in guesses if g.role == "Werewolf"] == [surer_suspect]
    assert len(guesses) == 7
    deck = Counter(true_role(game, s) for s in range(1, 9))
    guess_counts = Counter(g.role.lower() for g in guesses)
    assert guess_counts <= deck
    assert "no role more often than in the deck" in page_html(
        get_replay(Client(), game, f"?at={line}&as=moderator")
    )


def test_model_request_is_shown_complete_and_escaped() -> None:
    game = play_with_minds(OWN_SEAT)
    add_model_records(game, 3)
    line = find_line(game, "moderator", "statement", 3, nth=2)
    mind = mind_of(game, "moderator", line)
    assert [(a.step, a.is_preparation, a.failure) for a in mind.requests] == [
        ("favor/first", True, ""),
        ("judgement/first", True, ""),
        ("strategy/first", True, ""),
        ("strategy/again", True, "timeout"),
        ("answer/first", False, ""),
    ]
    request = mind.requests[-1]
    assert [text for _role, text in request.messages] == [
        "You are <b>wary</b>.",
        "What do you say?",
    ]
    facts = dict(request.facts)
    assert facts["Tokens in"] == "812"
    assert facts["Tokens out"] == "33"
    assert facts["Latency"] == "2.4 s"
    assert facts["Retries"] == "2"
    page = page_html(get_replay(Client(), game, f"?at={line}&as=moderator"))
    for text in ("some-model", "failed: timeout", "&lt;b&gt;wary&lt;/b&gt;", "abc123"):
        assert text in page
    assert "<b>wary" not in page
    assert request.reason == "<i>Beta</i> must not know."
    assert "hidden from the table" in page
    assert "&lt;i&gt;Beta&lt;/i&gt; must not know." in page
    for key in ("public", "5"):
        last = len(replay_lines(game, key))
        viewer_page = page_html(get_replay(Client(), game, f"?at={last}&as={key}"))
        assert "must not know" not in viewer_page


@pytest.mark.parametrize("data", [{}, {"favor": {}}, {"roles": {}}, {"plan": None, "list": {}}])
def test_missing_parts_are_left_out(data: dict[str, Any]) -> None:
    game = finish(new_game(OWN_SEAT))
    for faculty in ("favor", "memory", "judgement", "strategy", "stance", "unheard-of"):
        MindNote.objects.create(
            game=game, seat=3, window="statement.1.1.3", faculty=faculty, data=data
        )
    fields = {"game": game, "seat": 3, "backend": "openai", "kind": "odd", "seconds": 0.0}
    for number, exchange in enumerate((None, {}, {"messages": None, "usage": None})):
        step = {"window": "statement.1.1.3", "step": f"odd/{number}"}
        LLMCall.objects.create(**fields, **step, brief=data, reply=None, exchange=exchange)
    Table.objects.create(game=game, spectators=True)
    moderator_line = find_line(game, "moderator", "statement", 3)
    for key in ("moderator", "3"):
        line = find_line(game, key, "statement", 3)
        assert "Inside Gamma’s mind" in page_html(
            get_replay(Client(), game, f"?at={line}&as={key}")
        )
    assert len(mind_of(game, "moderator", moderator_line).requests) == 3


def test_text_removed_by_the_host_is_not_repeated_in_prompts() -> None:
    game = play_with_minds(OWN_SEAT)
    statement = f"Seat {OWN_SEAT} speaks in statement.1.1.{OWN_SEAT}"
    repeating_line = find_line(game, "moderator", "statement", 7, nth=3)
    reply = {"text": "x", "reason": f"because of: {statement}"}
    LLMCall.objects.filter(game=game, seat=7, window="statement.1.3.7").update(reply=reply)
    client = Client()
    assert "because of" in page_html(get_replay(client, game, f"?at={repeating_line}&as=moderator"))
    assert statement in page_html(get_replay(client, game, f"?at={repeating_line}&as=moderator"))
    game_actions.remove_text(game.pk, f"statement.1.1.{OWN_SEAT}", OWN_SEAT)
    for line in (5, 6, *range(7, len(replay_lines(game, "moderator")), 6), repeating_line):
        assert statement not in page_html(get_replay(client, game, f"?at={line}&as=moderator"))
    assert "Text was removed" in page_html(
        get_replay(client, game, f"?at={repeating_line}&as=moderator")
    )


def test_mind_of_a_stand_in_belongs_to_its_seat() -> None:
    game = play_with_minds(OWN_SEAT)
    fields = {"game": game, "seat": OWN_SEAT, "window": f"statement.1.1.{OWN_SEAT}"}
    LLMCall.objects.create(
        **fields,
        step="answer/first",
        backend="house",
        kind="statement",
        brief={"judgement": {"roles": {"1": {"seer": 1.0}}}},
        reply={"text": "x"},
        seconds=0.1,
    )
    line = find_line(game, str(OWN_SEAT), "statement", OWN_SEAT)
    mind = mind_of(game, str(OWN_SEAT), line)
    assert mind.role_probabilities
    assert len(mind.role_probabilities.rows) == 1


def test_vote_panel_shows_the_parts_of_its_decision() -> None:
    """Chance, gut feeling and other parts, and their sum.

    The voted seat has the highest sum, or was accused before and is within nine points.
    """
    game = play_with_minds()
    strong_feelings = 0
    for seat in range(1, 9):
        line = find_line(game, "moderator", "vote", seat)
        mind = mind_of(game, "moderator", line)
        assert len(mind.vote_weights) == 7
        best_row, (chosen_row,) = (
            mind.vote_weights[0],
            [row for row in mind.vote_weights if row.is_chosen],
        )
        assert mind.line
        assert mind.line.target
        assert mind.line.target.number == chosen_row.seat.number
        assert best_row.total - chosen_row.total < 9.5
        note = MindNote.objects.filter(game=game, seat=seat, faculty="stance").latest("pk")
        for row in mind.vote_weights:
            assert len(row.parts) == len(mind.vote_part_labels)
            gut_part = row.parts[2]
            assert gut_part == pytest.approx(15 * note.data["gut"][row.seat.number - 1], abs=0.06)
            strong_feelings += abs(gut_part) > 5
    assert strong_feelings, "no gut feeling was decisive"


def test_mind_summary_names_suspect_and_vote_reason_first() -> None:
    game = play_with_minds()
    hunters = {"seer", "mason", "villager", "tanner"}
    for seat in range(1, 9):
        line = find_line(game, "moderator", "vote", seat)
        mind = mind_of(game, "moderator", line)
        chosen_row, runner_up = (
            next(r for r in mind.vote_weights if r.is_chosen == is_chosen)
            for is_chosen in (True, False)
        )
        assert f"Voted for {chosen_row.seat.name}" in mind.summary
        if chosen_row.total >= runner_up.total:
            differences = [a - b for a, b in zip(chosen_row.parts, runner_up.parts, strict=True)]
            reason = [*VOTE_REASONS.values()][differences.index(max(differences))].format(
                name=chosen_row.seat.name
            )
            assert f"rather than {runner_up.seat.name}, mostly because {reason}." in mind.summary
        assert ("Suspects" in mind.summary) == (true_role(game, seat) in hunters)
        assert mind.role_probabilities
        wolf_column = [key for key, _name in mind.role_probabilities.roles].index("werewolf")
        percentages = {
            r.seat.name: int(r.cells[wolf_column].text)
            for r in mind.role_probabilities.rows
            if not r.is_current
        }  # type: ignore[union-attr]
        if true_role(game, seat) in hunters:
            name, percentage = re.findall(r"Suspects (\w+) most: (\d+) %", mind.summary)[0]
            assert percentages[name] == int(percentage) == max(percentages.values())
        page = page_html(get_replay(Client(), game, f"?at={line}&as=moderator"))
        summary_position = page.index(mind.summary.split("’")[0].split("'")[0])
        assert summary_position < page.index("Points of each player")


def test_memory_scores_add_up_on_the_page() -> None:
    game = play_with_minds()
    line = find_line(game, "moderator", "statement", 5, nth=3)
    mind = mind_of(game, "moderator", line)
    assert [weight for _name, weight in mind.memory_weights] == [0.5, 2.0, 2.0]
    for memory in mind.recalled_statements:
        assert memory.total == pytest.approx(sum(memory.parts))
        assert memory.total == pytest.approx(memory.score, abs=0.02)
    page = page_html(get_replay(Client(), game, f"?at={line}&as=moderator"))
    assert "heard recently: up to 0.5" in page
    assert "Each gets up to 4.5 points" in page


def test_mind_stays_open_at_lines_without_a_speaker() -> None:
    game = play_with_minds()
    round_lines = [
        number
        for number, line in enumerate(replay_lines(game, "moderator"), 1)
        if line.kind == "phase" and line.title.startswith("Round")
    ]
    for number in round_lines[1:]:
        mind = mind_of(game, "moderator", number)
        assert mind.seat.number == 8, "the last of the round"
        assert mind.role_probabilities
        assert not any((mind.is_own_line, mind.line, mind.requests))
