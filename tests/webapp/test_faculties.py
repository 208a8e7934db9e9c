"""Tests that a faculty's latest output reaches every later decision of its agent only.

Whole games of models run through the real `fill`, over every ruleset and every method. Every answer
of the model carries a mark, which identifies it in later prompts.

"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator

import pytest

from agents import contest
from agents.decision import Note, mind_at
from agents.recipe import METHODS, Recipe
from game import cached_games
from game.engine import visibility
from game.models import Game
from game.models import Window as WindowRow
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from tests.engine.playing import FEW_STATEMENTS
from tests.simulated_games import simulate
from webapp.play.models import LLMCall, MindNote
from webapp.play.turns.agent_records import load_notes

pytestmark = pytest.mark.django_db(transaction=True)

MARKS = re.compile(r"mark-\d+")
# Every method in one game. In others the methods with all faculties.
ALL_FACULTIES = [
    ("aiwolf-5", "full"),
    ("aiwolf-5", "helmsman"),
    ("two-days", "full"),
    ("sheriff", "helmsman"),
]
CONTEST = "contest"  # its faculties make notes of other kinds
GAMES = [*(("one-night", method) for method in METHODS if method != CONTEST), *ALL_FACULTIES]
# The answers to requests of the contest agent's faculties, with a mark.
MARK_ANSWER = {
    contest.CHARACTER: lambda answer, mark: {**answer, "description": f"A baker, {mark}."},
    contest.SUMMARY: lambda answer, mark: {"lines": [f"It was quiet, {mark}."]},
    contest.GUESS: lambda answer, mark: {
        **answer, "first_reason": f"So sure, {mark}.", "second": "nobody"
    },
}  # fmt: skip
FIRST_ROUND = {
    "favor": 2,
    "judgement": 2,
    "strategy": 1,
}  # faculty -> the round of its first output


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    numbers, lock = itertools.count(100_000), threading.Lock()

    def answer_with_mark(call: Call) -> str:
        """Return an answer of the schema, with its own mark in each favor, judgement and plan."""
        answer = json.loads(shaped(call))
        with lock:
            mark = f"mark-{next(numbers)}"
        kind = call.format["json_schema"]["name"]
        if kind == "favor":
            names = call.schema["properties"]["scores"]["items"]["properties"]["player"]["enum"]
            answer["scores"] = [{"player": name, "score": 10} for name in names]
            answer["reason"] = f"They pleased me: {mark}."
        elif kind == "judgement":
            rows = call.schema["properties"]["players"]["items"]["properties"]
            roles = rows["roles"]["properties"]
            # The share identifies the answer, because prompts show it in percent.
            share = 0.5 + int(mark[5:]) % 49 / 100
            sure = dict.fromkeys(roles, 0.01) | {next(iter(roles)): share}
            answer["players"] = [{"player": n, "roles": sure} for n in rows["player"]["enum"]]
        elif kind == "strategy":
            answer["plan"] = f"Press on, {mark}."
        elif kind in MARK_ANSWER:
            if kind == contest.GUESS:  # a name instead of "nobody", so that a result follows
                answer["first"] = call.schema["properties"]["first"]["enum"][0]
            answer = MARK_ANSWER[kind](answer, mark)
        elif "content" in answer:
            answer["over"] = False
        return json.dumps(answer)

    with Endpoint(models=["m"], answer=answer_with_mark) as server:
        set_up(monkeypatch, server)
        yield server


def rounds_by_window(windows: list[WindowRow]) -> dict[str, int]:
    """Return the number of rounds of talk begun when each window opened."""
    round_counts = itertools.accumulate(window.opens_round for window in windows)
    return {window.key: number for window, number in zip(windows, round_counts, strict=True)}


def notes_by_faculty(game: Game) -> dict[tuple[int, str], list[dict[str, object]]]:
    """Return the prepared notes by (seat, faculty), oldest first."""
    notes: dict[tuple[int, str], list[dict[str, object]]] = {}
    for note in MindNote.objects.filter(game=game, preparation=True).order_by("pk"):
        notes.setdefault((note.seat, note.faculty), []).append(note.data)
    return notes


@pytest.mark.parametrize(("ruleset", "method"), GAMES)
@pytest.mark.usefixtures("endpoint")
def test_latest_faculty_output_reaches_every_answer(ruleset: str, method: str) -> None:
    recipe, settings = Recipe("openai", method), FEW_STATEMENTS.get(ruleset)
    (result,) = simulate(
        ruleset, games=1, seed="reach", recipe=recipe, concurrency=1, settings=settings
    )
    assert isinstance(result, dict), result
    assert not result["failed_preparations"]
    assert not result["fallbacks"]
    game = Game.objects.get(code=result["game"])
    windows = list(game.windows.order_by("opened_seq"))
    rounds, notes = rounds_by_window(windows), notes_by_faculty(game)
    enabled = {faculty for faculty in ("favor", "strategy") if faculty in recipe.faculties}
    enabled |= {"judgement"} if "strategy" in enabled else set()
    kinds = set()
    for row in LLMCall.objects.filter(game=game, purpose=LLMCall.ANSWER):
        latest = {}
        for faculty in enabled:  # None before the first preparation
            index = rounds[row.window] - FIRST_ROUND[faculty]
            latest[faculty] = notes[row.seat, faculty][index] if index >= 0 else None
        check_request(row, latest)
        kinds |= {(row.kind, faculty) for faculty in enabled if latest[faculty]}
    asked_windows = [w for w in windows if w.data["seats"]]  # a night of fixed length asks nobody
    answered = {w.data["kind"] for w in asked_windows if rounds[w.key] >= 2}
    assert {(kind, faculty) for kind in answered for faculty in enabled} <= kinds, (
        "every faculty reached every kind"
    )
    prepared = LLMCall.objects.filter(game=game, purpose=LLMCall.PREPARATION)
    assert prepared.exists() == bool("strategy" in enabled or (enabled and answered))
    for disabled in {"favor", "strategy"} - enabled:
        assert not [row for row in prepared if disabled in row.brief], (
            "requests hold nothing of a disabled faculty"
        )


def check_request(row: LLMCall, latest: dict[str, dict[str, object] | None]) -> None:
    prompt = "\n".join(m["content"] for m in row.exchange["messages"])
    brief, marks = row.brief, set()
    if favor := latest.get("favor"):
        assert brief["favor"]["favor"] == favor["favor"]
        marks |= set(MARKS.findall(str(favor["reason"])))
    if strategy := latest.get("strategy"):
        assert brief["strategy"]["plan"] == strategy["plan"]
        marks |= set(MARKS.findall(str(strategy["plan"])))
    if judgement := latest.get("judgement"):
        assert brief["strategy"]["list"] == judgement["list"]
        probabilities = [p for r in judgement["roles"].values() for p in r.values()]  # type: ignore[attr-defined]
        # Certain roles are shown without a percentage.
        uncertain = [p for p in probabilities if p < 1]
        assert not uncertain or f"{round(100 * max(uncertain))} %" in prompt
    assert set(MARKS.findall(prompt)) == marks, "exactly the latest marks"
    assert ("favor" in brief) == ("favor" in latest)
    assert ("strategy" in brief) == ("strategy" in latest)
    traits = "How far you agree with these statements" in prompt
    character = "Your character is" in prompt  # a guarded agent has only the character
    assert (traits or character) == bool(brief.get("persona"))


@pytest.mark.parametrize("requests", ["together", "apart"])
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "one-night"])
@pytest.mark.usefixtures("endpoint")
def test_latest_contest_agent_output_reaches_every_answer(ruleset: str, requests: str) -> None:
    recipe = Recipe("openai", CONTEST, switches={"requests": requests})
    (result,) = simulate(ruleset, games=1, seed="reach", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    assert not result["fallbacks"]
    assert not result["failed_preparations"]
    game = Game.objects.get(code=result["game"])
    notes: dict[int, list[Note]] = {p.seat: load_notes(game, p.seat) for p in game.players.all()}
    kinds_with_marks = set()
    answers = LLMCall.objects.filter(game=game, purpose=LLMCall.ANSWER, step__startswith="answer")
    for row in answers:
        window = WindowRow.objects.get(game=game, key=row.window)
        position = cached_games.cached_game(game)
        _view, opening, closing = position.view_at(visibility.seat(row.seat), window)
        # These notes are made right before the answer.
        own_notes = [n for n in notes[row.seat] if n.window == row.window]
        mind = mind_at(notes[row.seat], opening.moment, closing).plus(own_notes)
        latest = {name: str(mind.latest(name)) for name in MARK_ANSWER}
        marks = {name: set(MARKS.findall(text)) for name, text in latest.items()}
        prompt = "\n".join(message["content"] for message in row.exchange["messages"])
        if row.kind == "whisper" or not row.brief.get(contest.GUESS):
            marks.pop(contest.GUESS)
        assert set(MARKS.findall(prompt)) == set().union(*marks.values()), row
        kinds_with_marks |= {(row.kind, name) for name, row_marks in marks.items() if row_marks}
    kinds = {row.kind for row in answers}
    assert {(kind, contest.CHARACTER) for kind in kinds} <= kinds_with_marks
    assert {("statement", contest.SUMMARY), ("vote", contest.SUMMARY)} <= kinds_with_marks
    assert ruleset != "aiwolf-5" or ("statement", contest.GUESS) in kinds_with_marks
