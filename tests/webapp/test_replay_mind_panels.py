"""Inside the computer players: only for whom it is meant, never ahead of time, never broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from game import host_actions, selectors
from game.engine import visibility
from game.models import Game, moment_columns
from tests.game.table import finish, new_game
from tests.webapp.test_replay import guest, line_where, lines_of, look, text, thought_through
from webapp.play.models import LLMCall, MindNote, Table
from webapp.play.replay.mind_panels import VOTE_REASONS
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.replay_parts import MindPanel

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
ME = 2


def mind_of(game: Game, key: str, at: int) -> MindPanel:
    minds = build_guest_replay(guest(game), key, str(at)).minds
    assert minds
    assert minds.mind
    return minds.mind


def test_the_all_knowing_looks_inside_the_one_who_speaks(sit: Sit) -> None:
    game = thought_through(ME)
    at = line_where(game, "moderator", "statement", 5, nth=3)
    mind = mind_of(game, "moderator", at)
    assert mind.seat.number == 5
    assert mind.is_own_line
    assert len(mind.bars) == 5
    assert mind.stance
    note = MindNote.objects.get(game=game, seat=5, faculty="memory", window="statement.1.3.5")
    assert [r.turn for r in mind.recalled] == [r["turn"] for r in note.data["retrieved"]]
    words = [
        e["text"] for e in selectors.view_for(game, visibility.PUBLIC).events if "text" in e.data
    ]
    assert all(r.text == words[r.turn - 1] for r in mind.recalled)
    assert [a.step for a in mind.requests] == [
        "favor/first",
        "judgement/first",
        "strategy/first",
        "answer/first",
    ]
    assert mind.judged
    brief = LLMCall.objects.get(game=game, seat=5, window="statement.1.3.5", kind="statement").brief
    roles = {p.seat: r for p in game.players.all() for r in [true_role(game, p.seat)]}
    for row in mind.judged.rows:
        odds = brief["judgement"]["roles"][str(row.seat.number)]
        for (key, _name), cell in zip(mind.judged.roles, row.cells, strict=True):
            assert cell
            assert cell.text == str(round(100 * odds.get(key, 0)))
            assert cell.is_true == (roles[row.seat.number] == key)
    page = text(look(sit(game, ME), game, f"?at={at}&as=moderator"))
    assert "Inside Epsilon’s mind" in page
    assert "Neuroticism" in page


def true_role(game: Game, seat: int) -> str:
    return selectors.view_for(game, visibility.MODERATOR).state.roles[seat]


def test_favor_is_what_was_in_force_at_the_line() -> None:
    game = thought_through()
    at = line_where(game, "moderator", "statement", 4, nth=3)
    minds = build_guest_replay(guest(game, None), "moderator", str(at)).minds
    assert minds
    (heat,) = minds.heats
    assert [step.title for step in heat.steps] == ["Round 1", "Round 2", "Round 3"]
    for row in heat.rows:
        notes = MindNote.objects.filter(game=game, seat=row.seat.number, faculty="favor")
        favor = notes.order_by("phase_number").last().data["favor"]  # type: ignore[union-attr]
        for seat, cell in zip(heat.columns, row.cells, strict=True):
            expected = favor.get(str(seat.number))
            assert (cell and cell.text) == (None if expected is None else str(round(expected)))
    first = build_guest_replay(guest(game, None), "moderator", str(heat.steps[1].at)).entries[-1]
    assert first.title == "Round 2 of 3"


def test_one_seats_mind_is_shown_to_nobody_else_and_none_to_the_public() -> None:
    game = thought_through(ME)
    LLMCall.objects.filter(game=game, seat=4).update(brief={"marked": "thought of four"})
    for note in MindNote.objects.filter(game=game, seat=4, faculty="favor"):
        note.data["favor"] = {str(s): 77 for s in range(1, 9)}
        note.save()
    client = Client()
    for key in ("public", str(ME), "5"):
        last = len(lines_of(game, key))
        own_lines = [line_where(game, key, "statement", seat, 2) for seat in (4, 5)]
        for at in (1, 2, 9, *own_lines, last - 3, last):
            replay = build_guest_replay(guest(game), key, str(at))
            page = text(look(client, game, f"?at={at}&as={key}"))
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
                here = replay.entries[-1].speaker
                own = here and here.number == 5 and replay.entries[-1].kind != "out"
                assert bool(replay.minds.mind.requests) == bool(own)
    at = line_where(game, "4", "statement", 4)
    assert "thought of four" in text(look(client, game, f"?at={at}&as=4"))


def test_nothing_a_mind_thought_later_is_shown_before() -> None:
    game = thought_through()
    MindNote.objects.create(
        game=game,
        seat=3,
        window="prepare.1.2",
        preparation=True,
        faculty="strategy",
        data={"plan": "Wait for the second."},
        **round_two(game),
    )
    before = line_where(game, "moderator", "statement", 3, nth=1)
    after = line_where(game, "moderator", "statement", 3, nth=2)
    assert mind_of(game, "moderator", before).plan != "Wait for the second."
    assert mind_of(game, "moderator", after).plan == "Wait for the second."


def test_beliefs_at_the_vote_are_those_after_the_talk() -> None:
    """Also at lines without a speaker, and for a mind that was only asked when the round began."""
    game = thought_through()
    lines = lines_of(game, "moderator")
    (vote,) = (n for n, e in enumerate(lines, 1) if e.kind == "phase" and e.title == "The vote")
    spoken = LLMCall.objects.filter(game=game, seat=8, kind="statement").latest("pk")
    voted = LLMCall.objects.get(game=game, seat=8, kind="vote")
    for at, row in ((vote, spoken), (len(lines), voted)):
        mind = mind_of(game, "moderator", at)
        assert mind.seat.number == 8
        assert shown_odds(mind) == odds_of(row.brief["judgement"]["roles"], mind)
        assert "Judged when the round began" not in text(
            look(Client(), game, f"?at={at}&as=moderator")
        )
    LLMCall.objects.filter(game=game, seat=8).exclude(purpose=LLMCall.PREPARATION).update(brief={})
    note = MindNote.objects.filter(game=game, seat=8, faculty="judgement").latest("pk")
    mind = mind_of(game, "moderator", vote)
    assert shown_odds(mind) == odds_of(note.data["roles"], mind)
    assert "Judged when the round began" in text(look(Client(), game, f"?at={vote}&as=moderator"))


def shown_odds(mind: MindPanel) -> dict[int, list[str]]:
    assert mind.judged
    rows = mind.judged.rows
    return {r.seat.number: [cell.text for cell in r.cells if cell] for r in rows}


def odds_of(roles: dict[str, dict[str, float]], mind: MindPanel) -> dict[int, list[str]]:
    assert mind.judged
    keys = [key for key, _name in mind.judged.roles]
    return {int(s): [str(round(100 * row.get(k, 0))) for k in keys] for s, row in roles.items()}


def test_a_plan_guesses_no_role_more_often_than_the_deck_has_it() -> None:
    """The list that the plan read has two Werewolves: the surer one stays."""
    game = thought_through()
    seat = next(p.seat for p in game.players.all() if true_role(game, p.seat) == "villager")
    note = MindNote.objects.filter(game=game, seat=seat, faculty="judgement").latest("pk")
    one, other = [s for s in range(1, 9) if s != seat and true_role(game, s) != "mason"][:2]
    for number, share in ((one, 0.6), (other, 0.8)):
        note.data["roles"][str(number)] = {"werewolf": share, "minion": 1 - share}
        note.data["list"][str(number)] = {"role": "werewolf", "side": "opponent"}
    note.save()
    at = line_where(game, "moderator", "vote", seat)
    guesses = mind_of(game, "moderator", at).guesses
    assert [g.seat.number for g in guesses if g.role == "Werewolf"] == [other]
    assert len(guesses) == 7
    deck = Counter(true_role(game, s) for s in range(1, 9))
    guessed = Counter(g.role.lower() for g in guesses)
    assert guessed <= deck
    assert "no role more often than in the deck" in text(
        look(Client(), game, f"?at={at}&as=moderator")
    )


def round_two(game: Game) -> dict[str, Any]:
    """When the second round began, as the fields of a row."""
    return moment_columns(game.windows.get(key="statement.1.2.1").moment.phase_start)


def dress(game: Game, seat: int) -> LLMCall:
    """One statement of the second round as a language model's, with a request that prepared it."""
    asked = LLMCall.objects.get(game=game, seat=seat, window="statement.1.2.3", kind="statement")
    asked.exchange = {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "You are <b>wary</b>."},
            {"role": "user", "content": "What do you say?"},
        ],
        "answer": '{"text": "Hm."}',
        "usage": {"prompt_tokens": 812, "completion_tokens": 33},
        "retries": 2,
        "template": "abc123",
        "format": "json_schema",
    }
    asked.reply = {**(asked.reply or {}), "reason": "<i>Beta</i> must not know."}
    asked.seconds = 2.41
    asked.save()
    LLMCall.objects.create(
        game=game,
        seat=seat,
        purpose=LLMCall.PREPARATION,
        window="prepare.1.2",
        step="strategy/again",
        **round_two(game),
        backend="openai",
        kind="strategy",
        brief={},
        failure="timeout",
        seconds=0.5,
    )
    return asked


def test_what_was_asked_of_a_language_model_is_laid_open_and_escaped() -> None:
    game = thought_through(ME)
    dress(game, 3)
    at = line_where(game, "moderator", "statement", 3, nth=2)
    mind = mind_of(game, "moderator", at)
    assert [(a.step, a.is_preparation, a.failure) for a in mind.requests] == [
        ("favor/first", True, ""),
        ("judgement/first", True, ""),
        ("strategy/first", True, ""),
        ("strategy/again", True, "timeout"),
        ("answer/first", False, ""),
    ]
    said = mind.requests[-1]
    assert [m.text for m in said.messages] == ["You are <b>wary</b>.", "What do you say?"]
    facts = dict(said.facts)
    assert facts["Tokens in"] == "812"
    assert facts["Tokens out"] == "33"
    assert facts["Latency"] == "2.4 s"
    assert facts["Retries"] == "2"
    page = text(look(Client(), game, f"?at={at}&as=moderator"))
    for words in ("some-model", "failed: timeout", "&lt;b&gt;wary&lt;/b&gt;", "abc123"):
        assert words in page
    assert "<b>wary" not in page
    assert said.reason == "<i>Beta</i> must not know."
    assert "hidden from the table" in page
    assert "&lt;i&gt;Beta&lt;/i&gt; must not know." in page
    for key in ("public", "5"):
        last = len(lines_of(game, key))
        seen = text(look(Client(), game, f"?at={last}&as={key}"))
        assert "must not know" not in seen


@pytest.mark.parametrize("data", [{}, {"favor": {}}, {"roles": {}}, {"plan": None, "list": {}}])
def test_parts_that_are_missing_are_left_out(data: dict[str, Any]) -> None:
    game = finish(new_game(ME))
    for faculty in ("favor", "memory", "judgement", "strategy", "stance", "unheard-of"):
        MindNote.objects.create(
            game=game, seat=3, window="statement.1.1.3", faculty=faculty, data=data
        )
    what = {"game": game, "seat": 3, "backend": "openai", "kind": "odd", "seconds": 0.0}
    for number, exchange in enumerate((None, {}, {"messages": None, "usage": None})):
        step = {"window": "statement.1.1.3", "step": f"odd/{number}"}
        LLMCall.objects.create(**what, **step, brief=data, reply=None, exchange=exchange)
    Table.objects.create(game=game, spectators=True)
    at = line_where(game, "moderator", "statement", 3)
    for key in ("moderator", "3"):
        line = line_where(game, key, "statement", 3)
        assert "Inside Gamma’s mind" in text(look(Client(), game, f"?at={line}&as={key}"))
    assert len(mind_of(game, "moderator", at).requests) == 3


def test_words_that_the_host_took_out_are_not_repeated_by_a_prompt() -> None:
    game = thought_through(ME)
    words = f"Seat {ME} speaks in statement.1.1.{ME}"
    later = line_where(game, "moderator", "statement", 7, nth=3)
    repeating = {"text": "x", "reason": f"because of: {words}"}
    LLMCall.objects.filter(game=game, seat=7, window="statement.1.3.7").update(reply=repeating)
    client = Client()
    assert "because of" in text(look(client, game, f"?at={later}&as=moderator"))
    assert words in text(look(client, game, f"?at={later}&as=moderator"))
    host_actions.remove_words(game.pk, f"statement.1.1.{ME}", ME)
    for at in (5, 6, *range(7, len(lines_of(game, "moderator")), 6), later):
        assert words not in text(look(client, game, f"?at={at}&as=moderator"))
    assert "Text was removed" in text(look(client, game, f"?at={later}&as=moderator"))


def test_a_stand_ins_mind_is_its_seats_own() -> None:
    game = thought_through(ME)
    what = {"game": game, "seat": ME, "window": f"statement.1.1.{ME}"}
    LLMCall.objects.create(
        **what,
        step="answer/first",
        backend="house",
        kind="statement",
        brief={"judgement": {"roles": {"1": {"seer": 1.0}}}},
        reply={"text": "x"},
        seconds=0.1,
    )
    at = line_where(game, str(ME), "statement", ME)
    mind = mind_of(game, str(ME), at)
    assert mind.judged
    assert len(mind.judged.rows) == 1


def test_a_vote_shows_what_decided_it() -> None:
    """Chance, gut feeling and all the rest, and their sum.

    Whoever got the vote had the most of it, or was accused before and within nine points.
    """
    game = thought_through()
    seen = 0
    for seat in range(1, 9):
        at = line_where(game, "moderator", "vote", seat)
        mind = mind_of(game, "moderator", at)
        assert len(mind.weighed) == 7
        best, (chosen,) = mind.weighed[0], [row for row in mind.weighed if row.is_chosen]
        assert mind.line
        assert mind.line.target
        assert mind.line.target.number == chosen.seat.number
        assert best.sum - chosen.sum < 9.5
        gut = MindNote.objects.filter(game=game, seat=seat, faculty="stance").latest("pk")
        for row in mind.weighed:
            assert len(row.parts) == len(mind.parts)
            felt = row.parts[2]
            assert felt == pytest.approx(15 * gut.data["gut"][row.seat.number - 1], abs=0.06)
            seen += abs(felt) > 5
    assert seen, "a gut feeling that decides is told"


def test_a_mind_says_first_in_plain_words_whom_it_suspects_and_why_it_votes() -> None:
    game = thought_through()
    hunters = {"seer", "mason", "villager", "tanner"}
    for seat in range(1, 9):
        at = line_where(game, "moderator", "vote", seat)
        mind = mind_of(game, "moderator", at)
        chosen, second = (
            next(r for r in mind.weighed if r.is_chosen == is_chosen) for is_chosen in (True, False)
        )
        assert f"Voted for {chosen.seat.name}" in mind.summary
        if chosen.sum >= second.sum:
            more = [a - b for a, b in zip(chosen.parts, second.parts, strict=True)]
            reason = [*VOTE_REASONS.values()][more.index(max(more))].format(name=chosen.seat.name)
            assert f"rather than {second.seat.name}, mostly because {reason}." in mind.summary
        assert ("Suspects" in mind.summary) == (true_role(game, seat) in hunters)
        assert mind.judged
        wolf = [key for key, _name in mind.judged.roles].index("werewolf")
        odds = {r.seat.name: int(r.cells[wolf].text) for r in mind.judged.rows if not r.is_current}  # type: ignore[union-attr]
        if true_role(game, seat) in hunters:
            name, chance = re.findall(r"Suspects (\w+) most: (\d+) %", mind.summary)[0]
            assert odds[name] == int(chance) == max(odds.values())
        page = text(look(Client(), game, f"?at={at}&as=moderator"))
        first = page.index(mind.summary.split("’")[0].split("'")[0])
        assert first < page.index("Points of each player")


def test_what_came_to_mind_adds_up_on_the_page() -> None:
    game = thought_through()
    at = line_where(game, "moderator", "statement", 5, nth=3)
    mind = mind_of(game, "moderator", at)
    assert [weight for _name, weight in mind.weights] == [0.5, 2.0, 2.0]
    for memory in mind.recalled:
        assert memory.sum == pytest.approx(sum(memory.parts))
        assert memory.sum == pytest.approx(memory.score, abs=0.02)
    page = text(look(Client(), game, f"?at={at}&as=moderator"))
    assert "heard recently: up to 0.5" in page
    assert "Each gets up to 4.5 points" in page


def test_a_mind_stays_open_at_lines_that_nobody_spoke() -> None:
    game = thought_through()
    rounds = [
        at
        for at, line in enumerate(lines_of(game, "moderator"), 1)
        if line.kind == "phase" and line.title.startswith("Round")
    ]
    for at in rounds[1:]:
        mind = mind_of(game, "moderator", at)
        assert mind.seat.number == 8, "the last of the round"
        assert mind.judged
        assert not any((mind.is_own_line, mind.line, mind.requests))


# -- whom one believes
