"""What thinks for agents knows no ruleset's roles, kinds and phases by name: it asks for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from game.engine import common_words, rulesets
from game.engine.ruleset import Ruleset
from tests.two_days import TwoDays

AGENTS = Path(__file__).parents[2] / "agents"
# What still knows the one-night game, until it becomes data that a ruleset brings.
LEFT = {
    "house": "the built-in player's arguments and phrases are made for the one-night game's roles",
    "talk": "what is understood of talk is claims and reports of the one-night game's roles",
    "evidence.py": "how likely each of the one-night game's roles says what",
    "heard.py": "what claims of the one-night game's roles add up to",
    "strategies.py": "the ways of the one-night game's roles",
    "claims_table.py": "what is claimed of the one-night game's roles and looks",
}
# The same word for something else: (file, literal) -> what it is there.
HOMONYMS = {("faculties/judgement.py", "side"): "in a judgement: teammate or opponent"}


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


def found(folder: Path) -> list[str]:
    kinds = set().union(*map(declared, [*map(rulesets.get, rulesets.names()), TwoDays()]))
    wrong = []
    for file in sorted(folder.rglob("*.py")):
        name = file.relative_to(folder)
        if name.parts[0] in LEFT:
            continue
        for line, text in literals(file.read_text()):
            if text in kinds and (str(name), text) not in HOMONYMS:
                wrong.append(f"{name}:{line}: {text!r}")
    return wrong


def test_no_agent_knows_a_rulesets_keys_by_name() -> None:
    assert not found(AGENTS)


def test_what_is_excused_is_there() -> None:
    for name in LEFT:
        assert (AGENTS / name).exists()
    for file, text in HOMONYMS:
        assert text in {said for _, said in literals((AGENTS / file).read_text())}


def test_a_literal_is_found(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text('"""mason"""\n\nif kind == "whisper":\n    pass\n')
    assert found(tmp_path) == ["new.py:3: 'whisper'"]
