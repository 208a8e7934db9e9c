"""Replays of finished games: the page, its lines, and the minds at a line."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from agents.recipe import Recipe
from game import locked_game, selectors
from game.engine import visibility
from game.models import Game, Player, moment_columns
from tests.game import kept_games
from tests.game.table import any_answer, new_game
from webapp.play.models import LLMCall, Table
from webapp.play.page.transcript_parts import TranscriptLine
from webapp.play.replay.mind_panels import MindPanel
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.turns.answering import answer_window
from webapp.play.visitors import Guest

OWN_SEAT = 2


def play_with_minds(*people: int, recipe: Recipe | None = None, **choices: Any) -> Game:
    """Return a finished game whose agents ran their real faculties. People give any answer.

    The same game is played once per test run.
    """
    key = ("thought through", people, recipe, choices)
    game = kept_games.once(key, lambda: _play_game(*people, recipe=recipe, **choices))
    Table.objects.create(game=game, spectators=True)
    return game


def _play_game(*people: int, recipe: Recipe | None, **choices: Any) -> Game:
    game = new_game(*people, **choices)
    for player in game.players.filter(kind=Player.AGENT):
        player.recipe = (recipe or Recipe()).cast(str(player.seat)).data()
        player.save()
    while windows := selectors.open_windows(game):
        for window in windows:
            for seat in window.missing:
                if seat in people:
                    locked_game.record_answer(
                        game.pk, seat, window.window.key, any_answer(window, seat)
                    )
                else:
                    answer_window(game.pk, seat, window.window.key, use_lease=False)
    game.refresh_from_db()
    return game


def get_replay(client: Client, game: Game, query: str = "", **headers: str) -> HttpResponse:
    return client.get(f"/games/{game.code}/replay{query}", headers=headers)


def page_html(response: HttpResponse) -> str:
    assert response.status_code == 200, response.content.decode()[:3000]
    return response.content.decode()


def guest_in_seat(game: Game, seat: int | None = OWN_SEAT) -> Guest:
    player = Player.objects.get(game=game, seat=seat) if seat else None
    return Guest(game, player, is_member=True)


def replay_lines(game: Game, key: str) -> list[TranscriptLine]:
    replayed = ReplayedGame(guest_in_seat(game))
    viewer = replayed.viewer_of(key)
    assert viewer
    return replayed.transcript_of(viewer).entries


def find_line(game: Game, key: str, kind: str, seat: int, nth: int = 1) -> int:
    """Return the number of the nth line of that kind by the seat."""
    numbers = [
        number
        for number, line in enumerate(replay_lines(game, key), 1)
        if line.kind == kind and line.speaker and line.speaker.number == seat
    ]
    return numbers[nth - 1]


def mind_of(game: Game, key: str, line: int) -> MindPanel:
    minds = build_guest_replay(guest_in_seat(game), key, str(line)).minds
    assert minds
    assert minds.mind
    return minds.mind


def true_role(game: Game, seat: int) -> str:
    return selectors.view_for(game, visibility.MODERATOR).state.roles[seat]


def round_two(game: Game) -> dict[str, Any]:
    """Return the columns of the moment when the second round began."""
    return moment_columns(game.windows.get(key="statement.1.2.1").moment.phase_start)


def add_model_records(game: Game, seat: int) -> LLMCall:
    """Give a statement of round two the record of a model, and add a failed preparation."""
    call = LLMCall.objects.get(game=game, seat=seat, window="statement.1.2.3", kind="statement")
    call.exchange = {
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
    call.reply = {**(call.reply or {}), "reason": "<i>Beta</i> must not know."}
    call.seconds = 2.41
    call.save()
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
    return call
