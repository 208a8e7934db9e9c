"""Learned models that extend and veto the rules and read unpunctuated text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.understanding.features import WEIGHTS, Linear, load_models, save_models
from agents.understanding.punctuation import add_punctuation
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import _StatementReader
from tests.agents.labelled import house_lines
from tests.agents.measure import labels, load, main, remove_punctuation, scores_by_kind
from tests.agents.table import NAMES, ONE_NIGHT, understand

ME = NAMES.index("Epsilon") + 1
EVERYONE = tuple(seat for seat in range(1, 9) if seat != ME)


def read_labels(text: str, to: str = "Zeta") -> set[str]:
    acts = understand(text, ME, NAMES, NAMES.index(to) + 1)
    return {label for act in acts for label in labels(act)}


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_plain_sentence_is_not_misread(text: str, expected: set[str]) -> None:
    recognized = {label for label in read_labels(text) if not label.endswith(("minion", "tanner"))}
    assert recognized == expected


def test_false_seer_accusation_is_not_read_as_agreement() -> None:
    recognized = read_labels("Zeta is a false Seer", "Beta")
    assert recognized & {"accuse Zeta", "disagree Zeta"}
    assert not recognized & {"agree Zeta", "defend Zeta"}


@pytest.mark.parametrize("text", ["So you take that back, Gamma", "Gamma took that back, my, my"])
def test_retraction_of_another_player_is_not_the_speakers(text: str) -> None:
    assert "retract" not in read_labels(text)
    assert "retract" not in read_labels(f"{text}. I will remember it.")


@pytest.mark.parametrize("text", ["Everyone, say your role now!", "everybody tell us your role"])
def test_question_to_everyone_addresses_all_seats(text: str) -> None:
    assert understand(text, ME, NAMES) == (SpeechAct("question", ME, EVERYONE, about="role"),)


@pytest.mark.parametrize("text", ["Fine. I am the Werewolf.", "yes i am the wolf", "I'm the wolf"])
def test_plain_confession_is_recognized(text: str) -> None:
    assert read_labels(text) == {"claim werewolf"}


def test_models_find_acts_that_rules_miss() -> None:
    """Uses the training lines: the test only shows that the models are consulted."""
    texts = [row["text"] for row in load("work")[::10]]
    silent = [t for t in texts if not _StatementReader(ME, NAMES, 0, ONE_NIGHT).read(t)]
    assert sum(bool(understand(text, ME, NAMES)) for text in silent) > len(silent) / 20


def test_punctuation_is_added_to_bare_text() -> None:
    bare = "im the seer i looked at beta and theta they are both clean delta who are you"
    text = add_punctuation(bare, NAMES)
    assert text.replace(",", "").replace(".", "").replace("?", "") == bare
    assert "seer," in text or "seer." in text
    marked = "I'm the Seer, as I said. Who are you"
    assert add_punctuation(marked, NAMES) == marked


def test_held_out_lines_reach_the_required_accuracy() -> None:
    rows = load("held")
    bare = [{**row, "text": remove_punctuation(row["text"])} for row in rows]
    figures, without = scores_by_kind(rows)["all"], scores_by_kind(bare)["all"]
    assert figures["precision"] >= 0.85
    assert figures["recall"] >= 0.75
    assert without["recall"] >= 0.70


def test_weights_are_small_and_survive_saving(tmp_path: Path) -> None:
    assert WEIGHTS.stat().st_size < 1 << 20
    saved, copy = load_models(), tmp_path / "weights.npz"
    save_models(saved, copy)
    loaded = load_models.__wrapped__(copy)
    assert loaded.models.keys() == saved.models.keys()
    for name, model in saved.models.items():
        assert (loaded.models[name].weights == model.weights).all()
        assert loaded.models[name].index == model.index
    assert (loaded.add_thresholds, loaded.drop_thresholds, loaded.classes) == (
        saved.add_thresholds,
        saved.drop_thresholds,
        saved.classes,
    )


def test_score_is_an_integer_sum_over_a_square_root() -> None:
    model = Linear(
        ("suspect",), {"a": 0, "b": 1}, np.array([[64], [32]], np.int16), np.array([-64], np.int16)
    )
    assert model.scores(["a", "a", "unknown"]) == {"suspect": 0.0}
    assert model.scores(["a", "b"])["suspect"] == pytest.approx(1.5 / 2**0.5 - 1)
    assert model.scores([]) == {"suspect": -1.0}


def test_measure_command_accepts_any_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    assert remove_punctuation("I'm the Seer, Beta -- you?") == "i'm the seer beta you"


def test_every_house_phrase_becomes_a_training_line() -> None:
    texts = [line.text for line in house_lines(0)]
    assert len(texts) > 4000
    assert not [text for text in texts if "{" in text]
