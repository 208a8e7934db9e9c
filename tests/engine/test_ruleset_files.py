"""Tests that wrong files of a ruleset are refused, with the place of the error."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from game.engine.ruleset_files import InvalidRuleset, load_files
from tests import two_days

FOLDER = Path(two_days.__file__).parent


def change_file(folder: Path, name: str, old: str, new: str) -> str:
    """Copy the files of the two-day game, replace a text, and return the path of its script."""
    for path in FOLDER.glob("*.toml"):
        shutil.copy(path, folder)
    text = (FOLDER / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    return str(folder / "script.py")


@pytest.mark.parametrize(
    ("name", "old", "new", "error"),
    [
        ("rules.toml", "wins =", "winning =", "teams.village.wins: Field required"),
        ("rules.toml", "knows =", "known =", "roles.werewolf.known: Unexpected keyword"),
        ("rules.toml", 'knows = "role"', 'knows = "all"', "roles.werewolf.knows: Input should be"),
        ("rules.toml", "max_value = 5", 'max_value = "x"', "settings.candidates.max_value: "),
        ("rules.toml", 'base = "ask_why"', 'base = "ask"', "settings.ask_why.base: Unexpected"),
        ("rules.toml", "[course.night]", "[courses.night]", "unknown section 'courses'"),
        ("quiz.toml", "is_yes = true", 'is_yes = "perhaps"', "quiz.days.is_yes: "),
        ("wording.toml", 'shape = "out"', 'shape = "line"', "events.out.shape: "),
        ("wording.toml", 'purpose = "order", text =', 'purpose = "order", txt =', "events.drawn."),
    ],
)
def test_wrong_file_is_refused_with_the_place(
    tmp_path: Path, name: str, old: str, new: str, error: str
) -> None:
    script = change_file(tmp_path, name, old, new)
    with pytest.raises(InvalidRuleset, match=f"the files of .*{error}"):
        load_files(script)


def test_variant_replaces_fields_and_omits_keys(tmp_path: Path) -> None:
    script = change_file(tmp_path, "quiz.toml", "", "")
    variant = tmp_path / "short.toml"
    variant.write_text('[without]\nroles = ["augur"]\n[settings.candidates]\ndefault = 3\n')
    files = load_files(script, variant.name)
    assert [role.key for role in files.roles] == ["villager", "werewolf"]
    assert files.settings[1].default == 3
    assert files.settings[1].label == "Candidates"
    variant.write_text("[settings.nothing]\ndefault = 3\n")
    with pytest.raises(InvalidRuleset, match=r"short.toml changes settings.nothing"):
        load_files(script, variant.name)
