"""Tests that only rulesets and packs name roles, kinds of events and phases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from game.engine import ruleset_files, rulesets
from game.engine.ruleset import Ruleset
from game.engine.windows import Clock
from game.engine.wording import Light

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "game", "webapp")
# Data of rulesets: their folder, and the agents' packs about their roles.
RULESET_FOLDER = "game/engine/rulesets"
PACK_FOLDER = "agents/packs/"
# Equal words with another meaning: (file, literal) -> the meaning.
HOMONYMS = {
    ("webapp/play/replay/mind_panels.py", "werewolf"): "a part of the built-in player's sum",
    ("agents/house/mindset.py", "werewolf"): "the same part, as every stored game names it",
    ("webapp/study/results/archive_data.py", "werewolf"): "in an archive, recomputed",
    ("webapp/study/results/figure_check.py", "tanner"): "in an archive, recomputed",
    ("webapp/study/results/recomputed_leads.py", "pseudo_vote"): "in an archive, recomputed",
    ("webapp/study/results/recomputed_values.py", "werewolf"): "in an archive, recomputed",
    ("webapp/study/results/recomputed_values.py", "tanner"): "in an archive, recomputed",
    **{
        ("webapp/study/results/helmsman_tables.py", role): "a row of the paper's Table 25"
        for role in ("villager", "guard", "seer", "werewolf")
    },
    ("webapp/theme.py", "night"): "a colour of the pages",
    ("agents/reliability_scale.py", "reliability"): "the name of a faculty",
}
# Role names with another meaning in strings: file -> the meaning.
OTHER_WORDS = {
    "agents/house/mindset.py": "the key of a part of a sum, as every stored game has it",
}
# The engine's own words: clocks of windows, and the light of a phase.
CLOCKS = {*get_args(Clock), *get_args(Light)}


def declared_keys(ruleset: Ruleset) -> set[str]:
    """Return the roles, kinds and phases that the ruleset declares beyond the shared steps."""
    wording = ruleset.wording
    keys = {
        *(role.key for role in ruleset.roles),
        *wording.events,
        *wording.windows,
        *wording.phases,
    }
    return keys - {*ruleset_files.EVENTS, *ruleset_files.WINDOWS}


def string_literals(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, string) of every string constant except docstrings. F-strings count too."""
    tree = ast.parse(source)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def role_name_pattern() -> re.Pattern[str]:
    """Return a pattern of all role names of the rulesets, except the wolf of every game."""
    rules = map(rulesets.get, rulesets.names())
    names = {name.lower() for r in rules for role in r.roles for name in (role.key, role.name)}
    return re.compile(
        rf"(?i)(?<![a-z])(?:{'|'.join(map(re.escape, names - {'wolf'}))})(?:s|(?![a-z]))"
    )


def find_literals(root: Path) -> list[str]:
    kinds = set().union(*(declared_keys(rulesets.get(name)) for name in rulesets.names()))
    kinds -= CLOCKS
    errors = []
    for file in (f for folder in FOLDERS for f in sorted((root / folder).rglob("*.py"))):
        name = file.relative_to(root).as_posix()
        if name.startswith((RULESET_FOLDER, PACK_FOLDER)) or "/migrations/" in name:
            continue
        for line, text in string_literals(file.read_text()):
            if text in kinds and (name, text) not in HOMONYMS:
                errors.append(f"{name}:{line}: {text!r}")
    return errors


def test_modules_outside_rulesets_name_no_role_event_or_phase() -> None:
    assert not find_literals(ROOT)


def test_agent_modules_contain_no_role_name() -> None:
    """Neither as a key nor as a word of a sentence or pattern, which are data of packs."""
    pattern, errors = role_name_pattern(), set()
    for path in sorted((ROOT / "agents").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(PACK_FOLDER):
            continue
        for line, text in string_literals(path.read_text()):
            if match := pattern.search(text.replace(r"\b", " ")):
                errors.add((file, f"{file}:{line}: {match[0]!r}"))
    assert not sorted(message for file, message in errors if file not in OTHER_WORDS)
    assert {file for file, _message in errors} == set(OTHER_WORDS), (
        "an excused file has a role name"
    )


def test_understanding_modules_contain_no_role_name() -> None:
    """Not even in a comment on a pattern."""
    pattern = role_name_pattern()
    errors = [
        f"{file}:{line}: {match[0]!r}"
        for file in sorted((ROOT / "agents/understanding").rglob("*.py"))
        if file.relative_to(ROOT).as_posix() not in OTHER_WORDS
        for line, text in enumerate(file.read_text().splitlines(), 1)
        if (match := pattern.search(text.replace(r"\b", " ")))
    ]
    assert not errors
    assert pattern.search(r'"(?:seer|wolf)"')
    assert pattern.search("my fellow masons?")
    assert not pattern.search("reason and masonry")


def test_excused_literals_exist() -> None:
    for file, text in HOMONYMS:
        assert text in {literal for _, literal in string_literals((ROOT / file).read_text())}


def test_literal_outside_rulesets_is_reported(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game/new.py").write_text('"""mason"""\n\nif kind == "whisper":\n    pass\n')
    assert find_literals(tmp_path) == ["game/new.py:3: 'whisper'"]
