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
    for text, key in (
        ("[settings.nothing]\ndefault = 3\n", "settings.nothing"),
        ('[without]\nroles = ["nobody"]\n', "roles.nobody"),
        ('[without]\nrole = ["augur"]\n', "role.augur"),
    ):
        variant.write_text(text)
        with pytest.raises(InvalidRuleset, match=f"short.toml changes {key}, which the game lacks"):
            load_files(script, variant.name)


def test_variant_replaces_texts_without_fields(tmp_path: Path) -> None:
    (tmp_path / "wording.toml").write_text('[badges]\nmayor = "the mayor"\n')
    (tmp_path / "short.toml").write_text('[badges]\nmayor = "the reeve"\n')
    files = load_files(str(tmp_path / "script.py"), "short.toml")
    assert files.wording.badges == {"mayor": "the reeve"}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[phases.day]\nbase = "dusk"\n[phases.dusk]\nbase = "day"\n', "phases.day.base"),
        ("[phases.day\n", "rules.toml is no TOML file"),
    ],
)
def test_circle_of_bases_and_damaged_file_are_refused(
    tmp_path: Path, text: str, error: str
) -> None:
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(InvalidRuleset, match=error):
        load_files(str(tmp_path / "script.py"))
