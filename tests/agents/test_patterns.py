"""Pattern files of the understanding: validation on loading, and no unused pattern."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import agents.llm
import agents.talk.whispers
import agents.understanding
from agents.language.patterns import FOLDER, SHARED, BadPatternError, load
from agents.llm import PATTERNS_FOLDER
from agents.llm.reasoning import FAMILIES
from agents.understanding.demands import RULE_PATTERNS, TOPICS
from agents.understanding.rules import RuleParser, decide

SOURCES = [
    *sorted(Path(agents.understanding.__path__[0]).rglob("*.py")),
    Path(agents.talk.whispers.__file__),
    *sorted(Path(agents.llm.__path__[0]).glob("*.py")),
]
OF_PACKS = {"all"}  # the step of the rewrites that `idioms` reads


def names_used() -> dict[str, set[str]]:
    """Map each pattern file to the names that modules look up in it."""
    used: dict[str, set[str]] = {}
    for path in SOURCES:
        source = path.read_text("utf-8")
        files = dict(re.findall(r"(\w+) = load\(\"(\w+)\"[,)]", source))
        files["LEXICON"] = SHARED
        for module, alias in re.findall(r"from \S+\.(\w+) import PATTERNS as (\w+)", source):
            files[alias] = module
        files.setdefault("LEAKS", "leaks")  # its module exports it
        for alias, name in re.findall(r"\b([A-Z_]+)\.([a-z]\w*)\b", source):
            if alias in files:
                used.setdefault(files[alias], set()).add(name)
        for alias, step in re.findall(r"\b([A-Z_]+)\.(?:rewrite\(|words\[)\"(\w+)\"", source):
            used.setdefault(files[alias], set()).add(step)
    return used


@pytest.mark.parametrize("folder", [FOLDER, PATTERNS_FOLDER])
def test_no_line_ends_with_a_space_that_an_editor_would_remove(folder: Path) -> None:
    for path in folder.glob("*.toml"):
        assert not re.findall(r".* $", path.read_text("utf-8"), re.M), path.name


def test_every_decision_list_is_used() -> None:
    sources = "".join(path.read_text("utf-8") for path in SOURCES)
    for path in FOLDER.glob("*.toml"):
        for name in load(path.stem).rules:
            assert f'["{name}"]' in sources, path


@pytest.mark.parametrize("folder", [FOLDER, PATTERNS_FOLDER], ids=["understanding", "llm"])
def test_every_pattern_is_used_and_every_used_name_exists(folder: Path) -> None:
    used = names_used()
    for path in folder.glob("*.toml"):
        loaded = load(path.stem, folder)
        names = {*loaded.patterns, *loaded.words, *loaded.rewrites} - OF_PACKS
        uses = used.get(path.stem, set()) - {"rewrite", "words", "spellings", "patterns"}
        assert uses <= names, path
        for rules in loaded.rules.values():
            uses |= set(re.findall(r" (?:has|starts|is) (\w+)", rules))
        if path.stem == "demands":
            uses |= {f"for_{intent}" for intent in RULE_PATTERNS} | {
                f"about_{topic}" for topic in TOPICS
            }
        if path.stem == "reasoning":
            uses |= set(FAMILIES)
        text = path.read_text("utf-8")
        parts = set(re.findall(r"\{([a-z]\w*)\}", text)) | (names if path.stem == SHARED else set())
        assert names <= uses | parts, path


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = '(b'", "bad.toml: a: missing \\)"),
        ("a = '{colour}'", "unknown part colour"),
        ("role = 'a'", "role is also defined in lexicon.toml"),
        ("words = 'a'", "the name words is reserved"),
    ],
)
def test_invalid_pattern_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "lexicon.toml").write_text("[parts]\nrole = 'x'\n", "utf-8")
    (tmp_path / "bad.toml").write_text(text, "utf-8")
    with pytest.raises(BadPatternError, match=problem):
        load("bad", tmp_path)


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("left has b -> vote", "there is no pattern b"),
        ("leftt has a -> vote", "there is no text leftt"),
        ("left is odd a -> vote", "left is odd a is no condition"),
        ("left shouted -> vote", "no text can be shouted"),
        ("left has a", "expected either an arrow or a colon"),
        (
            "cue = left has a:\n  cue denied -> vote\nright+cue has a -> vote",
            "there is no text cue",
        ),
    ],
)
def test_invalid_rule_is_named(rules: str, problem: str) -> None:
    with pytest.raises(BadPatternError, match=f"bad.toml: .*{problem}"):
        RuleParser("bad.toml", {"a": re.compile("a")}).parse(rules)


def test_first_matching_rule_decides() -> None:
    patterns = {"hang": re.compile("hang (today)"), "not": re.compile("never")}
    rules = RuleParser("test.toml", patterns).parse("""
more -> nothing
cue = left has hang, not cue.after has not:
  cue.before denied xor right[:3] is not -> spare
  cue.1+right has not -> nothing
  -> vote
left has not or right has not -> doubt
""")

    def result(left: str, right: str = "", more: str = "") -> str:
        return decide(rules, {"left": left, "right": right, "more": more})

    assert result("i hang today") == "vote"
    assert result("do not hang today") == "spare"
    assert result("i hang today", "or never") == ""  # an entered list decides
    assert result("hang today never") == result("", "never") == "doubt"
    assert result("hang today", more="@") == result("sleep") == ""
