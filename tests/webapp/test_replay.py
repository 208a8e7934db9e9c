"""The replay of a finished game: every viewer sees exactly what the engine's views allow."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from agents.recipe import Recipe
from game import host_actions, selectors, services
from game.engine import visibility
from game.models import Event, Game, Player
from tests.game import kept_games
from tests.game.table import any_answer, finish, new_game
from webapp.play.models import Table
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import TranscriptLine
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.turns.answering import answer_window
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
HTMX = {"HX-Request": "true"}
ME = 2
SECRETS = ("looks at", "The roles are dealt", "Straw poll", "learn of each")


def thought_through(*people: int, recipe: Recipe | None = None, **choices: Any) -> Game:
    """A finished game whose computer players really thought; people give any answer.

    The same game is played once a run.
    """
    key = ("thought through", people, recipe, choices)
    game = kept_games.once(key, lambda: _played(*people, recipe=recipe, **choices))
    Table.objects.create(game=game, spectators=True)
    return game


def _played(*people: int, recipe: Recipe | None, **choices: Any) -> Game:
    game = new_game(*people, **choices)
    for player in game.players.filter(kind=Player.AGENT):
        player.recipe = (recipe or Recipe()).cast(str(player.seat)).data()
        player.save()
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                if seat in people:
                    services.answer(game.pk, seat, window.window.key, any_answer(window, seat))
                else:
                    answer_window(game.pk, seat, window.window.key, use_lease=False)
    game.refresh_from_db()
    return game


def look(client: Client, game: Game, query: str = "", **headers: str) -> HttpResponse:
    return client.get(f"/games/{game.code}/replay{query}", headers=headers)


def text(answer: HttpResponse) -> str:
    assert answer.status_code == 200, answer.content.decode()[:3000]
    return answer.content.decode()


def guest(game: Game, seat: int | None = ME) -> Guest:
    player = Player.objects.get(game=game, seat=seat) if seat else None
    return Guest(game, player, is_member=True)


def lines_of(game: Game, key: str) -> list[TranscriptLine]:
    replayed = ReplayedGame(guest(game))
    viewer = replayed.viewer_of(key)
    assert viewer
    return replayed.transcript_of(viewer).entries


def line_where(game: Game, key: str, kind: str, seat: int, nth: int = 1) -> int:
    """The nth line of that kind that is the seat's."""
    found = [
        at
        for at, line in enumerate(lines_of(game, key), 1)
        if line.kind == kind and line.speaker and line.speaker.number == seat
    ]
    return found[nth - 1]


def test_every_line_of_every_viewer_is_drawn_and_nothing_comes_early(sit: Sit) -> None:
    game = thought_through(ME)
    client = sit(game, ME)
    for key in ("public", "moderator", "1", str(ME)):
        viewer = ReplayedGame(guest(game)).viewer_of(key)
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


def test_lines_are_built_once_and_again_after_words_are_taken_out(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, built = thought_through(ME), list[int]()
    build = TranscriptLines.line

    def line(lines: TranscriptLines, position: int) -> TranscriptLine | None:
        built.append(position)
        return build(lines, position)

    monkeypatch.setattr(TranscriptLines, "line", line)
    client, at = sit(game, ME), line_where(game, "public", "statement", ME)
    before = text(look(client, game, f"?as=public&at={at}"))
    assert built
    built.clear()
    text(look(client, game, f"?as={ME}&at={at}"))
    assert not built
    said = lines_of(game, "public")[at - 1]
    event = selectors.view_for(game, visibility.PUBLIC).events[said.position - 1]
    host_actions.remove_words(game.pk, event["window"], ME)
    after = text(look(client, game, f"?as=public&at={at}"))
    assert said.text in before
    assert said.text not in after
    assert built


@pytest.mark.parametrize("key", ["public", "1", "5", "8", "moderator"])
def test_a_viewer_is_told_what_the_engine_lets_it_see(key: str) -> None:
    game = thought_through(ME)
    viewer = ReplayedGame(guest(game)).viewer_of(key)
    assert viewer
    view = selectors.view_for(game, viewer)
    lines = lines_of(game, key)
    last = len(lines)
    for at in (1, 2, 3, *range(4, last - 2, 4), last - 2, last - 1, last):
        page = build_guest_replay(guest(game), key, str(at))
        ends = lines[at].position - 1 if at < last else len(view.events)
        state = visibility.view_prefix(view, ends).state
        assert {s.number: s.role_key for s in page.seats if s.role_key} == state.roles
        assert {s.number for s in page.seats if s.is_out} == set(state.out)
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
    for sight in build_guest_replay(guest(game), "moderator", str(at)).views:
        there = build_guest_replay(guest(game), sight.key, str(sight.at)).entries[-1]
        assert there.kind == "statement"
        assert there.speaker
        assert there.speaker.number == 5


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("?at=0", 404, "a line from 1 to"),
        ("?at=9999", 404, "a line from 1 to"),
        ("?at=" + "9" * 5000, 404, "a line from 1 to"),
        ("?at=-1", 404, "a line from 1 to"),
        ("?at=three", 404, "a line from 1 to"),
        ("?as=9", 404, "View not found"),
        ("?as=aftermath", 404, "View not found"),
        ("?as=Alpha", 404, "View not found"),
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
    host_actions.call_off(game.pk)
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
    assert text(part).count('hx-swap-oob="true"') == 11
    for name in re.findall(r'<\w+ id="([\w-]+)"[^>]*hx-swap-oob', text(part)):
        assert text(whole).count(f'id="{name}"') == 1
    assert "hx-swap-oob" not in text(whole)
    for answer in (part, whole):
        assert "HX-Request" in answer.headers["Vary"]
        assert "no-store" in answer.headers["Cache-Control"]


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
    host_actions.reveal(game.pk)
    assert look(client, game, "?as=moderator").status_code == 200


def test_the_votes_told_so_far_stand_by_whom_they_are_for() -> None:
    game = new_game()
    finish(game)
    lines = lines_of(game, "public")
    first = next(at for at, line in enumerate(lines, 1) if line.kind == "vote")
    assert not build_guest_replay(guest(game), "public", str(first - 1)).tally
    for at in range(first, first + 8):
        tally = build_guest_replay(guest(game), "public", str(at)).tally
        told = [(vote.speaker, vote.target) for vote in lines[first - 1 : at]]
        assert sum(len(ballot.voters) for ballot in tally) == len(told)
        for ballot in tally:
            voters = {seat.number for _order, seat in ballot.voters}
            own = [s for s, target in told if target and target.number == ballot.seat.number]
            assert voters == {s.number for s in own if s}
    out = build_guest_replay(guest(game), "public", str(first + 8))
    assert out.entries[-1].kind == "out"
    assert len(out.tally) == len(tally)
    assert len(out.seats_out) == 1
    assert {*out.seats_out} <= {ballot.seat.number for ballot in out.tally}
    assert not build_guest_replay(guest(game), "public", str(len(lines))).tally
