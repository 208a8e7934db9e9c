"""The replay of a finished game: every viewer sees exactly what the engine's views allow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from agents.recipe import Recipe
from game import hosting, selectors, services
from game.engine import views
from game.models import Event, Game, Player
from tests.game.table import any_answer, finish, new_game
from webapp.play.build import Guest
from webapp.play.filling import fill
from webapp.play.models import Asked, MindNote, Table
from webapp.play.page import Entry
from webapp.play.replay.build import replay_for
from webapp.play.replay.moment import Story
from webapp.play.replay.page import Mind

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
HTMX = {"HX-Request": "true"}
ME = 2
SECRETS = ("looks at", "The roles are dealt", "Straw poll", "learn of each")


def thought_through(*people: int, **choices: Any) -> Game:
    """A finished game whose computer players really thought; people give any answer."""
    game = new_game(*people, **choices)
    for player in game.players.filter(kind=Player.AGENT):
        player.recipe = Recipe().cast(str(player.seat)).data()
        player.save()
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                if seat in people:
                    services.answer(game.pk, seat, window.window.key, any_answer(window, seat))
                else:
                    fill(game.pk, seat, window.window.key, leased=False)
    game.refresh_from_db()
    Table.objects.create(game=game, spectators=True)
    return game


def look(client: Client, game: Game, query: str = "", **headers: str) -> HttpResponse:
    return client.get(f"/games/{game.code}/replay{query}", headers=headers)


def text(answer: HttpResponse) -> str:
    assert answer.status_code == 200, answer.content.decode()[:3000]
    return answer.content.decode()


def guest(game: Game, seat: int | None = ME) -> Guest:
    player = Player.objects.get(game=game, seat=seat) if seat else None
    return Guest(game, player, member=True)


def lines_of(game: Game, key: str) -> list[Entry]:
    story = Story(guest(game))
    viewer = story.viewer_of(key)
    assert viewer
    return story.told(viewer).entries


def line_where(game: Game, key: str, kind: str, seat: int, nth: int = 1) -> int:
    """The nth line of that kind that is the seat's."""
    found = [
        at
        for at, line in enumerate(lines_of(game, key), 1)
        if line.kind == kind and line.speaker and line.speaker.number == seat
    ]
    return found[nth - 1]


def mind_of(game: Game, key: str, at: int) -> Mind:
    minds = replay_for(guest(game), key, str(at)).minds
    assert minds
    assert minds.mind
    return minds.mind


def test_every_line_of_every_viewer_is_drawn_and_nothing_comes_early(sit: Sit) -> None:
    game = thought_through(ME)
    client = sit(game, ME)
    for key in ("public", "moderator", "1", str(ME)):
        viewer = Story(guest(game)).viewer_of(key)
        assert viewer
        view = selectors.view_for(game, viewer)
        last = len(lines_of(game, key))
        for at in (*range(1, last, 5), last):
            page = text(look(client, game, f"?at={at}&as={key}"))
            shown = [int(n) for n in re.findall(r'<li id="e(\d+)"', page)]
            assert len(shown) == at
            seen = {e.data.get("text") for e in view.events[: shown[-1]]} - {None}
            later = {e.data.get("text") for e in view.events[shown[-1] :]} - {None} - seen
            transcript = page.split('id="transcript"')[1].split("</ol>")[0]
            assert not [words for words in later if words and words[:60] in transcript]
        assert f"{last} of {last}" in page


@pytest.mark.parametrize("key", ["public", "1", "5", "8", "moderator"])
def test_a_viewer_is_told_what_the_engine_lets_it_see(key: str) -> None:
    game = thought_through(ME)
    viewer = Story(guest(game)).viewer_of(key)
    assert viewer
    view = selectors.view_for(game, viewer)
    lines = lines_of(game, key)
    last = len(lines)
    for at in (1, 2, 3, *range(4, last - 2, 4), last - 2, last - 1, last):
        page = replay_for(guest(game), key, str(at))
        ends = lines[at].position - 1 if at < last else len(view.events)
        state = views.upto(view, ends).state
        assert {s.number: s.role_key for s in page.seats if s.role_key} == state.roles
        assert {s.number for s in page.seats if s.out} == set(state.out)
        assert page.phase.key == state.phase
    statements = [line.text for line in lines if line.kind == "statement"]
    assert statements == [e["text"] for e in view.events if e.kind == "statement"]
    told = [line.text for line in lines if line.kind == "told"]
    private = [line.text for line in lines if line.kind == "private"]
    assert bool(told) == (key == "moderator")
    own = [e for e in view.events if e.audience.kind == "seats" and viewer.seat]
    kinds = ("role_dealt", "acquainted", "divined")
    assert len(private) == sum(e.kind in kinds for e in own)


def test_the_all_knowing_is_told_of_the_deal_the_night_the_polls_and_the_votes() -> None:
    game = thought_through()
    told = " ".join(line.text for line in lines_of(game, "moderator") if line.kind == "told")
    for words in ("The roles are dealt", "learn of each other", "looks at", "after round 3"):
        assert words in told
    votes = [line for line in lines_of(game, "moderator") if line.kind == "vote"]
    assert len(votes) == 8
    for key in ("public", "1"):
        lines = [line for line in lines_of(game, key) if line.kind not in ("statement", "private")]
        everything = " ".join(line.text for line in lines)
        assert not [words for words in SECRETS if words in everything]


def test_nobody_is_ever_told_what_people_answered_in_a_straw_poll() -> None:
    """They were promised so."""
    game = thought_through(ME, settings={"poll_people": True})
    polls = Event.objects.filter(game=game, kind="poll")
    assert ME in [p.data["seat"] for p in polls]
    name = game.players.get(seat=ME).name
    for line in lines_of(game, "moderator"):
        for part in line.text.split("; ") if "Straw poll" in line.text else []:
            assert name not in part.split(" suspect")[0].split(". ")[-1]


def test_each_viewer_is_led_to_the_same_moment() -> None:
    game = thought_through(ME)
    at = line_where(game, "moderator", "statement", 5)
    for sight in replay_for(guest(game), "moderator", str(at)).sights:
        there = replay_for(guest(game), sight.key, str(sight.at)).entries[-1]
        assert there.kind == "statement"
        assert there.speaker
        assert there.speaker.number == 5


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("?at=0", 404, "lines 1 to"),
        ("?at=9999", 404, "lines 1 to"),
        ("?at=" + "9" * 5000, 404, "lines 1 to"),
        ("?at=-1", 404, "lines 1 to"),
        ("?at=three", 404, "lines 1 to"),
        ("?as=9", 404, "no such viewer"),
        ("?as=aftermath", 404, "no such viewer"),
        ("?as=Alpha", 404, "no such viewer"),
    ],
)
def test_unknown_lines_and_viewers_are_not_found(
    query: str, status: int, words: str, sit: Sit
) -> None:
    game = finish(new_game(ME))
    answer = look(sit(game, ME), game, query)
    assert answer.status_code == status
    assert words in answer.content.decode()
    assert f"/games/{game.code}/replay" in answer.content.decode()


def test_only_a_game_that_is_over_is_shown(sit: Sit) -> None:
    game = new_game(ME)
    client = sit(game, ME)
    for query in ("", "?as=moderator", "?as=2&at=1"):
        answer = look(client, game, query)
        assert answer.status_code == 409
        assert "not over" in answer.content.decode()
        assert "Mason" not in answer.content.decode()
    hosting.call_off(game.pk)
    assert look(client, game).status_code == 410


def test_the_end_leads_there_and_outsiders_stay_outside(sit: Sit) -> None:
    game = finish(new_game(ME))
    page = sit(game, ME).get(f"/games/{game.code}/").content.decode()
    assert f'href="/games/{game.code}/replay"' in page
    assert look(Client(), game).status_code == 403
    Table.objects.create(game=game, spectators=True)
    assert look(Client(), game).status_code == 200
    assert Client().post(f"/games/{game.code}/replay").status_code == 405


def test_the_script_gets_only_the_parts_and_no_cache_mixes_them_up(sit: Sit) -> None:
    game = finish(new_game(ME))
    client = sit(game, ME)
    part, whole = look(client, game, "?at=3", **HTMX), look(client, game, "?at=3")
    assert "<html" not in text(part)
    assert text(part).count('hx-swap-oob="true"') == 10
    for name in re.findall(r'<\w+ id="([\w-]+)"[^>]*hx-swap-oob', text(part)):
        assert text(whole).count(f'id="{name}"') == 1
    assert "hx-swap-oob" not in text(whole)
    for answer in (part, whole):
        assert "HX-Request" in answer.headers["Vary"]
        assert "no-store" in answer.headers["Cache-Control"]


# -- minds


def test_the_all_knowing_looks_inside_the_one_who_speaks(sit: Sit) -> None:
    game = thought_through(ME)
    at = line_where(game, "moderator", "statement", 5, nth=3)
    mind = mind_of(game, "moderator", at)
    assert mind.seat.number == 5
    assert mind.here
    assert len(mind.bars) == 5
    assert mind.stance
    note = MindNote.objects.get(game=game, seat=5, faculty="memory", window="statement.1.3.5")
    assert [r.turn for r in mind.recalled] == [r["turn"] for r in note.data["retrieved"]]
    words = [e["text"] for e in selectors.view_for(game, views.PUBLIC).events if "text" in e.data]
    assert all(r.text == words[r.turn - 1] for r in mind.recalled)
    assert [a.step for a in mind.askings] == ["favor", "answer/first"]
    assert mind.judged
    brief = Asked.objects.get(game=game, seat=5, window="statement.1.3.5", kind="statement").brief
    roles = {p.seat: r for p in game.players.all() for r in [true_role(game, p.seat)]}
    for row in mind.judged.rows:
        odds = brief["judgement"]["roles"][str(row.seat.number)]
        for (key, _name), cell in zip(mind.judged.roles, row.cells, strict=True):
            assert cell
            assert cell.text == str(round(100 * odds.get(key, 0)))
            assert cell.true == (roles[row.seat.number] == key)
    page = text(look(sit(game, ME), game, f"?at={at}&as=moderator"))
    assert "Inside Epsilon’s mind" in page
    assert "Neuroticism" in page


def true_role(game: Game, seat: int) -> str:
    return selectors.view_for(game, views.MODERATOR).state.roles[seat]


def test_favor_is_what_was_in_force_at_the_line() -> None:
    game = thought_through()
    at = line_where(game, "moderator", "statement", 4, nth=3)
    minds = replay_for(guest(game, None), "moderator", str(at)).minds
    assert minds
    assert minds.heat
    assert [step.title for step in minds.heat.steps] == ["Round 1", "Round 2", "Round 3"]
    for row in minds.heat.rows:
        number = 3 if row.seat.number <= 4 else 2  # seat 5 has yet to feel anew
        notes = MindNote.objects.filter(
            game=game, seat=row.seat.number, faculty="favor", round__lte=number
        )
        favor = notes.order_by("round").last().data["favor"]  # type: ignore[union-attr]
        for seat, cell in zip(minds.heat.columns, row.cells, strict=True):
            expected = favor.get(str(seat.number))
            assert (cell and cell.text) == (None if expected is None else str(round(expected)))
    first = replay_for(guest(game, None), "moderator", str(minds.heat.steps[1].at)).entries[-1]
    assert first.title == "Round 2 of 3"


def test_one_seats_mind_is_shown_to_nobody_else_and_none_to_the_public() -> None:
    game = thought_through(ME)
    Asked.objects.filter(game=game, seat=4).update(brief={"marked": "thought of four"})
    for note in MindNote.objects.filter(game=game, seat=4, faculty="favor"):
        note.data["favor"] = {str(s): 77 for s in range(1, 9)}
        note.save()
    client = Client()
    for key in ("public", str(ME), "5"):
        last = len(lines_of(game, key))
        own_lines = [line_where(game, key, "statement", seat, 2) for seat in (4, 5)]
        for at in (1, 2, 9, *own_lines, last - 3, last):
            replay = replay_for(guest(game), key, str(at))
            page = text(look(client, game, f"?at={at}&as={key}"))
            assert "thought of four" not in page
            assert ">77<" not in page
            if key != "5":
                assert replay.minds is None
                assert not re.search(r"Inside \w+’s mind|Who likes whom", page)
            else:
                assert replay.minds
                assert replay.minds.mind
                assert replay.minds.mind.seat.number == 5
                assert replay.minds.heat
                assert [row.seat.number for row in replay.minds.heat.rows] == [5]
                here = replay.entries[-1].speaker
                own = here and here.number == 5 and replay.entries[-1].kind != "out"
                assert bool(replay.minds.mind.askings) == bool(own)
    at = line_where(game, "4", "statement", 4)
    assert "thought of four" in text(look(client, game, f"?at={at}&as=4"))


def test_nothing_a_mind_thought_later_is_shown_before() -> None:
    game = thought_through()
    note = {"game": game, "seat": 3, "round": 2, "window": "prepare/2"}
    MindNote.objects.create(**note, faculty="strategy", data={"plan": "Wait for the second."})
    before = line_where(game, "moderator", "statement", 3, nth=1)
    after = line_where(game, "moderator", "statement", 3, nth=2)
    assert mind_of(game, "moderator", before).plan == ""
    assert mind_of(game, "moderator", after).plan == "Wait for the second."


def dress(game: Game, seat: int) -> Asked:
    """One statement of the second round as a language model's, with a request that prepared it."""
    asked = Asked.objects.get(game=game, seat=seat, window="statement.1.2.3", kind="statement")
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
    asked.seconds = 2.41
    asked.save()
    Asked.objects.create(
        game=game,
        seat=seat,
        window="prepare/2",
        step="strategy",
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
    assert [(a.step, a.preparing, a.failure) for a in mind.askings] == [
        ("strategy", True, "timeout"),
        ("favor", False, ""),
        ("answer/first", False, ""),
    ]
    said = mind.askings[-1]
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


@pytest.mark.parametrize("data", [{}, {"favor": {}}, {"roles": {}}, {"plan": None, "list": {}}])
def test_parts_that_are_missing_are_left_out(data: dict[str, Any]) -> None:
    game = finish(new_game(ME))
    for faculty in ("favor", "memory", "judgement", "strategy", "stance", "unheard-of"):
        MindNote.objects.create(
            game=game, seat=3, window="statement.1.1.3", round=1, faculty=faculty, data=data
        )
    what = {"game": game, "seat": 3, "backend": "openai", "kind": "odd", "seconds": 0.0}
    for number, exchange in enumerate((None, {}, {"messages": None, "usage": None})):
        step = {"window": "statement.1.1.3", "step": f"odd/{number}"}
        Asked.objects.create(**what, **step, brief=data, reply=None, exchange=exchange)
    Table.objects.create(game=game, spectators=True)
    at = line_where(game, "moderator", "statement", 3)
    for key in ("moderator", "3"):
        line = line_where(game, key, "statement", 3)
        assert "Inside Gamma’s mind" in text(look(Client(), game, f"?at={line}&as={key}"))
    assert len(mind_of(game, "moderator", at).askings) == 3


def test_words_that_the_host_took_out_are_not_repeated_by_a_prompt() -> None:
    game = thought_through(ME)
    words = f"Seat {ME} speaks in statement.1.1.{ME}"
    later = line_where(game, "moderator", "statement", 7, nth=3)
    client = Client()
    assert words in text(look(client, game, f"?at={later}&as=moderator"))
    hosting.remove_words(game.pk, f"statement.1.1.{ME}", ME)
    for at in (5, 6, *range(7, len(lines_of(game, "moderator")), 6), later):
        assert words not in text(look(client, game, f"?at={at}&as=moderator"))
    assert "The host took words out" in text(look(client, game, f"?at={later}&as=moderator"))


# -- blind tables


def test_at_a_blind_table_one_looks_as_the_public_or_as_oneself(sit: Sit) -> None:
    game = thought_through(ME, settings={"blind": True})
    client, spectator = sit(game, ME), Client()
    for key, inside, outside in (("public", 200, 200), (str(ME), 200, 403)):
        assert look(client, game, f"?as={key}").status_code == inside
        assert look(spectator, game, f"?as={key}").status_code == outside
    for key in ("moderator", "1", "5"):
        for who in (client, spectator):
            answer = look(who, game, f"?as={key}&at=12")
            assert answer.status_code == 403
            assert "This table is blind" in answer.content.decode()
    for who in (client, spectator):
        page = text(look(who, game, "?at=12"))
        assert "as=moderator" not in page
        assert "Inside" not in page
        assert "computer</span>" not in page
    hosting.reveal(game.pk)
    assert look(client, game, "?as=moderator").status_code == 200


def test_a_stand_ins_mind_is_its_seats_own() -> None:
    game = thought_through(ME)
    what = {"game": game, "seat": ME, "window": f"statement.1.1.{ME}"}
    Asked.objects.create(
        **what,
        step="answer/first",
        backend="house",
        kind="statement",
        brief=json.loads('{"judgement": {"roles": {"1": {"seer": 1.0}}}}'),
        reply={"text": "x"},
        seconds=0.1,
    )
    at = line_where(game, str(ME), "statement", ME)
    mind = mind_of(game, str(ME), at)
    assert mind.judged
    assert len(mind.judged.rows) == 1
