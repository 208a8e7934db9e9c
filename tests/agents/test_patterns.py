"""The patterns of the understanding are checked when they are loaded, and none is without a use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import agents.understanding
from agents.understanding.patterns import FOLDER, SHARED, BadPatternError, load

SOURCES = sorted(Path(agents.understanding.__path__[0]).rglob("*.py"))


def names_used() -> dict[str, set[str]]:
    """Return file -> the names that modules look up in it."""
    used: dict[str, set[str]] = {}
    for path in SOURCES:
        source = path.read_text("utf-8")
        files = dict(re.findall(r"(\w+) = load\(\"(\w+)\"\)", source))
        files["LEXICON"] = SHARED
        for module, alias in re.findall(r"from \S+\.(\w+) import P as (\w+)", source):
            files[alias] = module
        for alias, name in re.findall(r"\b([A-Z]+)\.([a-z]\w*)\b", source):
            if alias in files:
                used.setdefault(files[alias], set()).add(name)
        for alias, step in re.findall(r"\b([A-Z]+)\.(?:rewrite\(|words\[)\"(\w+)\"", source):
            used.setdefault(files[alias], set()).add(step)
    return used


def test_every_pattern_is_used_and_every_name_in_use_exists() -> None:
    used = names_used()
    for path in FOLDER.glob("*.toml"):
        loaded = load(path.stem)
        names = {*loaded.patterns, *loaded.words, *loaded.rewrites}
        uses = used.get(path.stem, set()) - {"rewrite", "words", "spellings", "patterns"}
        assert uses <= names, path
        text = path.read_text("utf-8")
        parts = set(re.findall(r"\{([a-z]\w*)\}", text)) | (names if path.stem == SHARED else set())
        assert names <= uses | parts, path


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = '(b'", "bad.toml: a: missing \\)"),
        ("a = '{colour}'", "there is no part colour"),
        ("role = 'a'", "role stands in lexicon.toml too"),
        ("words = 'a'", "no pattern may be called words"),
    ],
)
def test_invalid_pattern_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "lexicon.toml").write_text("[parts]\nrole = 'x'\n", "utf-8")
    (tmp_path / "bad.toml").write_text(text, "utf-8")
    with pytest.raises(BadPatternError, match=problem):
        load("bad", tmp_path)
