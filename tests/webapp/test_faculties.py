"""What a faculty made reaches every later decision of its agent, and no other agent's or method's.

Whole games of models through the real `fill`, over every ruleset and every method. Every answer of
the model carries marks, so that what a later prompt holds can be told from everything else.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Iterator

import pytest

from agents import contest
from agents.mind import Note, mind_at
from agents.recipe import METHODS, Recipe
from game import selectors
from game.engine import visibility
from game.models import Game
from game.models import Window as WindowRow
from tests.endpoint import Call, Endpoint, shaped
from tests.endpoint.clients import set_up
from tests.engine.playing import FEW_STATEMENTS
from webapp.play.models import LLMCall, MindNote
from webapp.play.simulation.game_pool import simulate
from webapp.play.turns.mind_notes import load_notes

pytestmark = pytest.mark.django_db(transaction=True)

MARKS = re.compile(r"mark-\d+")
# Every method in one game; in others those in which all faculties are on.
ALL_ON = [
    ("aiwolf-5", "full"),
    ("aiwolf-5", "helmsman"),
    ("two-days", "full"),
    ("sheriff", "helmsman"),
]
CONTEST = "contest"  # its faculties make notes of other kinds
GAMES = [*(("one-night", method) for method in METHODS if method != CONTEST), *ALL_ON]
# What a request of the contest agent's faculties is answered with, beside its mark.
IN_WORDS = {
    contest.CHARACTER: lambda answer, mark: {**answer, "description": f"A baker, {mark}."},
    contest.SUMMARY: lambda answer, mark: {"lines": [f"It was quiet, {mark}."]},
    contest.GUESS: lambda answer, mark: {
        **answer, "first_reason": f"So sure, {mark}.", "second": "nobody"
    },
}  # fmt: skip
MADE = {"favor": 2, "judgement": 2, "strategy": 1}  # faculty -> from which round on it is made


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    numbers, lock = itertools.count(100_000), threading.Lock()

    def marked(call: Call) -> str:
        """As its schema wants it; every favor, judgement and plan has a mark of its own."""
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
            share = 0.5 + int(mark[5:]) % 49 / 100  # as good as a mark: it is told in percent
            sure = dict.fromkeys(roles, 0.01) | {next(iter(roles)): share}
            answer["players"] = [{"player": n, "roles": sure} for n in rows["player"]["enum"]]
        elif kind == "strategy":
            answer["plan"] = f"Press on, {mark}."
        elif kind in IN_WORDS:
            if kind == contest.GUESS:  # a name, not "nobody": a result follows from it
                answer["first"] = call.schema["properties"]["first"]["enum"][0]
            answer = IN_WORDS[kind](answer, mark)
        elif "content" in answer:
            answer["over"] = False
        return json.dumps(answer)

    with Endpoint(models=["m"], answer=marked) as found:
        set_up(monkeypatch, found)
        yield found


def rounds_by_window(windows: list[WindowRow]) -> dict[str, int]:
    """window -> how many rounds of talk had begun when it opened. windows: in that order."""
    begun = itertools.accumulate(window.opens_round for window in windows)
    return {window.key: number for window, number in zip(windows, begun, strict=True)}


def notes_by_faculty(game: Game) -> dict[tuple[int, str], list[dict[str, object]]]:
    """(seat, faculty) -> what it prepared, oldest first."""
    notes: dict[tuple[int, str], list[dict[str, object]]] = {}
    for note in MindNote.objects.filter(game=game, preparation=True).order_by("pk"):
        notes.setdefault((note.seat, note.faculty), []).append(note.data)
    return notes


@pytest.mark.parametrize(("ruleset", "method"), GAMES)
@pytest.mark.usefixtures("endpoint")
def test_what_a_faculty_made_last_reaches_every_answer(ruleset: str, method: str) -> None:
    recipe, few = Recipe("openai", method), FEW_STATEMENTS.get(ruleset)
    (result,) = simulate(ruleset, games=1, seed="reach", recipe=recipe, concurrency=1, settings=few)
    assert isinstance(result, dict), result
    assert not result["failed_preparations"]
    assert not result["fallbacks"]
    game = Game.objects.get(code=result["game"])
    windows = list(game.windows.order_by("opened_seq"))
    rounds, notes = rounds_by_window(windows), notes_by_faculty(game)
    on = {f for f in ("favor", "strategy") if f in recipe.faculties}
    on |= {"judgement"} if "strategy" in on else set()
    kinds = set()
    for row in LLMCall.objects.filter(game=game, purpose=LLMCall.ANSWER):
        last = {}
        for faculty in on:  # nothing where it does not prepare so early
            index = rounds[row.window] - MADE[faculty]
            last[faculty] = notes[row.seat, faculty][index] if index >= 0 else None
        _check(row, last)
        kinds |= {(row.kind, f) for f in on if last[f]}
    asked = [w for w in windows if w.data["seats"]]  # no one, for a night of fixed length
    answered = {w.data["kind"] for w in asked if rounds[w.key] >= 2}
    assert {(k, f) for k in answered for f in on} <= kinds, "every faculty reached every kind"
    prepared = LLMCall.objects.filter(game=game, purpose=LLMCall.PREPARATION)
    assert prepared.exists() == bool("strategy" in on or (on and answered))
    for off in {"favor", "strategy"} - on:
        assert not [row for row in prepared if off in row.brief], "of what is off nothing is known"


def _check(row: LLMCall, last: dict[str, dict[str, object] | None]) -> None:
    prompt = "\n".join(m["content"] for m in row.exchange["messages"])
    brief, marks = row.brief, set()
    if favor := last.get("favor"):
        assert brief["favor"]["favor"] == favor["favor"]
        marks |= set(MARKS.findall(str(favor["reason"])))
    if plan := last.get("strategy"):
        assert brief["strategy"]["plan"] == plan["plan"]
        marks |= set(MARKS.findall(str(plan["plan"])))
    if judged := last.get("judgement"):
        assert brief["strategy"]["list"] == judged["list"]
        told = [p for r in judged["roles"].values() for p in r.values()]  # type: ignore[attr-defined]
        unsure = [p for p in told if p < 1]  # what is known for certain says so instead
        assert not unsure or f"{round(100 * max(unsure))} %" in prompt
    assert set(MARKS.findall(prompt)) == marks, "just what was made last"
    assert ("favor" in brief) == ("favor" in last)
    assert ("strategy" in brief) == ("strategy" in last)
    traits = "How far you agree with these statements" in prompt
    character = "Your character is" in prompt  # a guarded agent is that alone
    assert (traits or character) == bool(brief.get("persona"))


@pytest.mark.parametrize("requests", ["together", "apart"])
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "one-night"])
@pytest.mark.usefixtures("endpoint")
def test_what_the_contest_agent_made_last_reaches_every_answer(ruleset: str, requests: str) -> None:
    recipe = Recipe("openai", CONTEST, switches={"requests": requests})
    (result,) = simulate(ruleset, games=1, seed="reach", recipe=recipe, concurrency=1)
    assert isinstance(result, dict), result
    assert not result["fallbacks"]
    assert not result["failed_preparations"]
    game = Game.objects.get(code=result["game"])
    notes: dict[int, list[Note]] = {p.seat: load_notes(game, p.seat) for p in game.players.all()}
    reached = set()
    answers = LLMCall.objects.filter(game=game, purpose=LLMCall.ANSWER, step__startswith="answer")
    for row in answers:
        window = WindowRow.objects.get(game=game, key=row.window)
        _view, opened, closed = selectors.view_at(game, visibility.seat(row.seat), window)
        own = [n for n in notes[row.seat] if n.window == row.window]  # made right before it
        held = mind_at(notes[row.seat], opened.moment, closed).plus(own)
        made = {name: str(held.latest(name)) for name in IN_WORDS}
        marks = {name: set(MARKS.findall(text)) for name, text in made.items()}
        prompt = "\n".join(message["content"] for message in row.exchange["messages"])
        if row.kind == "whisper" or not row.brief.get(contest.GUESS):
            marks.pop(contest.GUESS)
        assert set(MARKS.findall(prompt)) == set().union(*marks.values()), row
        reached |= {(row.kind, name) for name, found in marks.items() if found}
    kinds = {row.kind for row in answers}
    assert {(kind, contest.CHARACTER) for kind in kinds} <= reached
    assert {("statement", contest.SUMMARY), ("vote", contest.SUMMARY)} <= reached
    assert ruleset != "aiwolf-5" or ("statement", contest.GUESS) in reached
