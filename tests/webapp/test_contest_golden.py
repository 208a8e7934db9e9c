"""Golden games of contest and guarded agents on the test endpoint: log, digest and notes.

`FABULA_REWRITE=1 .venv/bin/python -m pytest tests/webapp/test_contest_golden.py` writes it afresh:
do so only after an intended change of the method, and read the difference. The endpoint's answers
depend on the player, the kind and the number of requests, not on the text of prompts.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents import contest
from agents.recipe import Recipe
from game import cached_games
from game.engine import visibility
from game.engine.events import digest
from game.models import Game
from tests.endpoint import Call, Endpoint
from tests.endpoint.answers import Maker
from tests.endpoint.clients import set_up
from tests.simulated_games import simulate
from webapp.play.models import MindNote

pytestmark = pytest.mark.django_db(transaction=True)

FOLDER = Path(__file__).parent
SWITCHES = {"contest": {"claims": "both"}, "guarded": {"analysis": "both"}}
NAME = re.compile(r"You are (\w+), one of")


class Speaker(Maker):
    """Answer with statements that players of a contest game make."""

    sentences = (
        "I'm the Seer. I looked at Bram: Bram is a Werewolf.",
        "I'm the Seer. I looked at Dara, and Dara is human.",
        "I'm a Villager, and I don't trust Cleo.",
        "Vote for Ezra with me, all of you, or we lose.",
        "Isn't that a little too convenient, Arlo?",
        "I'd rather hear Dara first.",
    )


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    counts, lock = Counter[tuple[str, str]](), threading.Lock()

    def answer(call: Call) -> str:
        name_match, kind = NAME.search(call.prompt), call.format["json_schema"]["name"]
        assert name_match
        with lock:
            counts[name_match[1], kind] += 1
            seed = f"{name_match[1]} {kind} {counts[name_match[1], kind]}"
        answer_maker = (
            Maker if kind == contest.CHARACTER else Speaker
        )  # a description is no statement
        return answer_maker(call.schema or {}, seed).json()

    with Endpoint(models=["m"], answer=answer) as server:
        set_up(monkeypatch, server)
        yield server


def golden_lines(game: Game) -> Iterator[str]:
    """Yield the log without its questions, the digest, and the notes of each seat."""
    _game, position = cached_games.current_game(game.pk)
    for event in position.view(visibility.MODERATOR).events:
        if not event.kind.startswith(("window", "game_opened", "phase")):
            data = {k: v for k, v in event.data.items() if k not in ("window", "sha256")}
            yield json.dumps([event.kind, data, *event.labels], ensure_ascii=False)
    yield f"digest {digest(position.view(visibility.MODERATOR).events)}"
    for note in MindNote.objects.filter(game=game).order_by("seat", "pk"):
        if note.data and note.faculty != "prepared":
            yield json.dumps([f"seat {note.seat}", note.faculty, note.data], ensure_ascii=False)


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize("method", SWITCHES)
def test_game_on_the_endpoint_matches_its_golden_file(method: str) -> None:
    recipe = Recipe("openai", method, switches=SWITCHES[method])
    file = FOLDER / f"{method}_golden.txt"
    (result,) = simulate("aiwolf-5", games=1, seed="golden", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    assert not result["failed_preparations"]
    assert not result["fallbacks"]
    lines = "\n".join(golden_lines(Game.objects.get(code=result["game"]))) + "\n"
    if os.environ.get("FABULA_REWRITE"):
        file.write_text(lines, "utf-8")
    assert lines == file.read_text("utf-8"), "see this module's first lines"
