"""The house knows no ruleset's roles, kinds and phases by name: it asks for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from game.engine import common_wording, rulesets
from game.engine.ruleset import Ruleset
from game.engine.windows import Clock
from game.engine.wording import Light

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "game", "webapp")
# Where a ruleset's own data stand: its folder, and what agents make of its roles.
RULES = "game/engine/rulesets"
PACKS = "agents/packs/"
# The same word for something else: (file, literal) -> what it is there.
HOMONYMS = {
    ("webapp/play/replay/mind_panels.py", "werewolf"): "a part of the built-in player's sum",
    ("agents/house/mindset.py", "werewolf"): "the same part, as every stored game names it",
    ("webapp/study/results/figure_check.py", "werewolf"): "of an archive, computed on its own",
    ("webapp/study/results/figure_check.py", "tanner"): "of an archive, computed on its own",
    ("webapp/study/results/board_check.py", "werewolf"): "of an archive, computed on its own",
    ("webapp/study/results/board_check.py", "pseudo_vote"): "of an archive, computed on its own",
    **{
        ("webapp/study/results/helmsman_tables.py", role): "a row of the paper's Table 25"
        for role in ("villager", "guard", "seer", "werewolf")
    },
    ("webapp/theme.py", "night"): "a colour of the pages",
    ("agents/reliability_scale.py", "reliability"): "the name of a faculty",
}
# Where words that a role is called by stand in a string for something else: file -> what for.
OTHER_WORDS = {
    "agents/house/mindset.py": "the key of a part of a sum, as every stored game has it",
    "agents/llm/directions.py": "villagers as people of a scene, and how a model tells an ending",
    "agents/llm/leaks.py": "how a model's thinking aloud goes on that is no part of a statement",
    "agents/llm/speakers.py": "villager as a word for anybody, with a number",
}
# Words of the engine's own: clocks of windows, and the light of a phase.
CLOCKS = {*get_args(Clock), *get_args(Light)}


def declared(ruleset: Ruleset) -> set[str]:
    """The roles, kinds and phases of `ruleset` that the engine's shared steps don't declare."""
    words = ruleset.wording
    own = {*(role.key for role in ruleset.roles), *words.events, *words.windows, *words.phases}
    return own - {*common_wording.EVENTS, *common_wording.WINDOWS}


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


def role_names() -> re.Pattern[str]:
    """What any registered ruleset calls its roles, but for the wolf, whom every game has."""
    rules = map(rulesets.get, rulesets.names())
    names = {name.lower() for r in rules for role in r.roles for name in (role.key, role.name)}
    return re.compile(
        rf"(?i)(?<![a-z])(?:{'|'.join(map(re.escape, names - {'wolf'}))})(?:s|(?![a-z]))"
    )


def found(root: Path) -> list[str]:
    kinds = set().union(*(declared(rulesets.get(name)) for name in rulesets.names()))
    kinds -= CLOCKS
    wrong = []
    for file in (f for folder in FOLDERS for f in sorted((root / folder).rglob("*.py"))):
        name = file.relative_to(root).as_posix()
        if name.startswith((RULES, PACKS)) or "/migrations/" in name:
            continue
        for line, text in literals(file.read_text()):
            if text in kinds and (name, text) not in HOMONYMS:
                wrong.append(f"{name}:{line}: {text!r}")
    return wrong


def test_the_house_knows_no_rulesets_keys_by_name() -> None:
    assert not found(ROOT)


def test_agents_say_no_roles_name_of_their_own() -> None:
    """Neither as a key nor as a word of a sentence or a pattern: that is data of packs."""
    name, wrong = role_names(), set()
    for path in sorted((ROOT / "agents").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(PACKS):
            continue
        for line, text in literals(path.read_text()):
            if match := name.search(text.replace(r"\b", " ")):
                wrong.add((file, f"{file}:{line}: {match[0]!r}"))
    assert not sorted(told for file, told in wrong if file not in OTHER_WORDS)
    assert {file for file, _told in wrong} == set(OTHER_WORDS), "what is excused is there"


def test_the_understanding_knows_no_roles_by_name() -> None:
    """Not even in a comment on a pattern."""
    name = role_names()
    wrong = [
        f"{file}:{line}: {match[0]!r}"
        for file in sorted((ROOT / "agents/understanding").rglob("*.py"))
        if file.relative_to(ROOT).as_posix() not in OTHER_WORDS
        for line, text in enumerate(file.read_text().splitlines(), 1)
        if (match := name.search(text.replace(r"\b", " ")))
    ]
    assert not wrong
    assert name.search(r'"(?:seer|wolf)"')
    assert name.search("my fellow masons?")
    assert not name.search("reason and masonry")


def test_what_is_excused_is_there() -> None:
    for file, text in HOMONYMS:
        assert text in {said for _, said in literals((ROOT / file).read_text())}


def test_a_literal_is_found(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game/new.py").write_text('"""mason"""\n\nif kind == "whisper":\n    pass\n')
    assert found(tmp_path) == ["game/new.py:3: 'whisper'"]
