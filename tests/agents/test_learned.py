"""What was learned beside the rules: it fills, it vetoes, it reads without punctuation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.understanding.breaks import add_punctuation
from agents.understanding.linear_models import WEIGHTS, Linear, load_models, save_models
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import _StatementReader
from tests.agents.labelled import house_lines
from tests.agents.measure import labels, load, main, told, unpunctuated
from tests.agents.table import NAMES, ONE_NIGHT, understand

ME = NAMES.index("Epsilon") + 1
EVERYONE = tuple(seat for seat in range(1, 9) if seat != ME)


def said(text: str, to: str = "Zeta") -> set[str]:
    acts = understand(text, ME, NAMES, NAMES.index(to) + 1)
    return {label for act in acts for label in labels(act)}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "Gamma and I are the two Masons, so Delta and Eta are Minion and Tanner",
            {"claim mason", "companion Gamma mason"},
        ),
        ("Gamma, you agree with Alpha and suspect Alpha", set()),
        ("Gamma, you agree with Epsilon and suspect Epsilon", set()),
        ("Delta and Eta lied", {"accuse Delta", "accuse Eta"}),
        ("Theta, answer Beta: who is your partner?", {"question Theta"}),
        ("Yes Beta, I'm definitely the werewolf, slow clap", set()),
        ("Sure Delta, and I'm the werewolf, slow clap", set()),
        ("Beta is sarcastic, that is all", set()),
    ],
)
def test_a_plain_sentence_is_not_understood_backwards(text: str, meant: set[str]) -> None:
    found = {label for label in said(text) if not label.endswith(("minion", "tanner"))}
    assert found == meant


def test_a_false_seer_is_not_agreed_with() -> None:
    found = said("Zeta is a false Seer", "Beta")
    assert found & {"accuse Zeta", "disagree Zeta"}
    assert not found & {"agree Zeta", "defend Zeta"}


@pytest.mark.parametrize("text", ["So you take that back, Gamma", "Gamma took that back, my, my"])
def test_what_another_takes_back_is_not_the_speakers(text: str) -> None:
    assert "retract" not in said(text)
    assert "retract" not in said(f"{text}. I will remember it.")


@pytest.mark.parametrize("text", ["Everyone, say your role now!", "everybody tell us your role"])
def test_everyone_is_asked(text: str) -> None:
    assert understand(text, ME, NAMES) == (SpeechAct("question", ME, EVERYONE, about="role"),)


@pytest.mark.parametrize("text", ["Fine. I am the Werewolf.", "yes i am the wolf", "I'm the wolf"])
def test_a_plain_confession_is_one(text: str) -> None:
    assert said(text) == {"claim werewolf"}


def test_it_fills_what_rules_leave_silent() -> None:
    """On the working lines, which it was trained on: a sign that it is asked at all."""
    texts = [row["text"] for row in load("work")[::10]]
    silent = [t for t in texts if not _StatementReader(ME, NAMES, 0, ONE_NIGHT).read(t)]
    assert sum(bool(understand(text, ME, NAMES)) for text in silent) > len(silent) / 20


def test_sentences_are_found_without_marks() -> None:
    bare = "im the seer i looked at beta and theta they are both clean delta who are you"
    text = add_punctuation(bare, NAMES)
    assert text.replace(",", "").replace(".", "").replace("?", "") == bare
    assert "seer," in text or "seer." in text
    marked = "I'm the Seer, as I said. Who are you"
    assert add_punctuation(marked, NAMES) == marked


def test_lines_nobody_tuned_to_are_understood() -> None:
    rows = load("held")
    bare = [{**row, "text": unpunctuated(row["text"])} for row in rows]
    figures, without = told(rows)["all"], told(bare)["all"]
    assert figures["precision"] >= 0.85
    assert figures["recall"] >= 0.75
    assert without["recall"] >= 0.70


def test_the_weights_are_small_and_read_back_as_they_were(tmp_path: Path) -> None:
    assert WEIGHTS.stat().st_size < 1 << 20
    known, copy = load_models(), tmp_path / "weights.npz"
    save_models(known, copy)
    again = load_models.__wrapped__(copy)
    assert again.models.keys() == known.models.keys()
    for name, model in known.models.items():
        assert (again.models[name].weights == model.weights).all()
        assert again.models[name].index == model.index
    assert (again.add, again.drop, again.classes) == (known.add, known.drop, known.classes)


def test_a_score_is_a_sum_of_whole_numbers_over_a_root() -> None:
    model = Linear(
        ("suspect",), {"a": 0, "b": 1}, np.array([[64], [32]], np.int16), np.array([-64], np.int16)
    )
    assert model.scores(["a", "a", "unknown"]) == {"suspect": 0.0}
    assert model.scores(["a", "b"])["suspect"] == pytest.approx(1.5 / 2**0.5 - 1)
    assert model.scores([]) == {"suspect": -1.0}


def test_any_lines_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"text": "I'm the Seer.", "acts": ["claim seer"]},
        {"text": "Vote Beta.", "acts": ["vote Beta", "deny tanner"]},
        {"text": "I'm a Villager.", "acts": []},
    ]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    main(["--file", str(path), "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["all"] == {"precision": 2 / 3, "recall": 2 / 3, "labels": 3}
    assert figures["claim"] == {"precision": 0.5, "recall": 1.0, "labels": 1}
    assert figures["deny"] == {"precision": 1.0, "recall": 0.0, "labels": 1}
    main(["--file", str(path), "--unpunctuated"])
    assert "all" in capsys.readouterr().out
    assert unpunctuated("I'm the Seer, Beta -- you?") == "i'm the seer beta you"


def test_every_house_phrase_can_be_a_line_to_train_on() -> None:
    texts = [line.text for line in house_lines(0)]
    assert len(texts) > 4000
    assert not [text for text in texts if "{" in text]
