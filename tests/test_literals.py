"""The house knows no ruleset's roles, kinds and phases by name: it asks for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from game.engine import common_words, rulesets
from game.engine.ruleset import Ruleset
from game.engine.windows import Clock
from game.engine.wording import Light

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "game", "webapp")
RULES = "game/engine/rulesets"
# What still knows the one-night game, until it becomes data that a ruleset brings.
LEFT = {
    "agents/house": "the built-in player's arguments and phrases are made for the one-night game",
    "agents/talk": "what is understood of talk is claims and reports of the one-night game's roles",
    "agents/evidence.py": "how likely each of the one-night game's roles says what",
    "agents/heard.py": "what claims of the one-night game's roles add up to",
    "agents/strategies.py": "the ways of the one-night game's roles",
    "agents/claims_table.py": "what is claimed of the one-night game's roles and looks",
    "webapp/study/situations.py": "who names whom in the one-night game's talk",
}
# The same word for something else: (file, literal) -> what it is there.
HOMONYMS = {
    ("webapp/play/replay/minds.py", "werewolf"): "a part of the built-in player's sum",
    ("webapp/lights.py", "night"): "a colour of the pages",
}
# Words of the engine's own: clocks of windows, and the light of a phase.
CLOCKS = {*get_args(Clock), *get_args(Light)}


def declared(ruleset: Ruleset) -> set[str]:
    """The roles, kinds and phases of `ruleset` that the engine's shared steps don't declare."""
    words = ruleset.wording
    own = {*(role.key for role in ruleset.roles), *words.events, *words.windows, *words.phases}
    return own - {*common_words.EVENTS, *common_words.WINDOWS}


def literals(source: str) -> Iterator[tuple[int, str]]:
    """(line, string) of every string constant that is no docstring; parts of f-strings too."""
    tree = ast.parse(source)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def found(root: Path) -> list[str]:
    kinds = set().union(*(declared(rulesets.get(name)) for name in rulesets.names())) - CLOCKS
    wrong = []
    for file in (f for folder in FOLDERS for f in sorted((root / folder).rglob("*.py"))):
        name = file.relative_to(root).as_posix()
        if name.startswith((RULES, *LEFT)) or "/migrations/" in name:
            continue
        for line, text in literals(file.read_text()):
            if text in kinds and (name, text) not in HOMONYMS:
                wrong.append(f"{name}:{line}: {text!r}")
    return wrong


def test_the_house_knows_no_rulesets_keys_by_name() -> None:
    assert not found(ROOT)


def test_what_is_excused_is_there() -> None:
    for name in LEFT:
        assert (ROOT / name).exists()
    for file, text in HOMONYMS:
        assert text in {said for _, said in literals((ROOT / file).read_text())}


def test_a_literal_is_found(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game/new.py").write_text('"""mason"""\n\nif kind == "whisper":\n    pass\n')
    assert found(tmp_path) == ["game/new.py:3: 'whisper'"]
