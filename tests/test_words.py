"""Words that a reader with school English knows.

The site's sentences for players, and what the built-in players say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wordfreq import zipf_frequency

from agents.language import asides, blocks, general_phrases, remarks, voices

ROOT = Path(__file__).parents[1]
KNOWN = 3.0  # Zipf's scale: once in a million words. "ballot" has 3.5, "awaited" 3.1
HEARD = 2.2  # of what is said in play, where the rest of the sentence helps
CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
# Roles and the traits of the personas, which the page explains, a sailor's friends, and what
# programs write and read.
OURS = {
    "seer",
    "seers",
    "masons",
    "werewolves",
    "villager",
    "minion",
    "shipmates",
    "retries",
    "abstains",
    "recency",
    "json",
}
OURS |= {"openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"}
OURS |= {"hyphens", "apostrophes", "underscores", "alphabets"}
# Elsewhere decided, each in one place that shows a picture or a figure beside it.
SHOWN = {"loathes", "adores", "tidied", "evades", "wry", "sliders"}
TRANS = re.compile(r'{%\s*trans\w*\s+"([^"]*)"|{%\s*blocktrans.*?%}(.*?){%\s*endblocktrans', re.S)
# Sentences that people stumbled over, and others like them.
MANNERED = re.compile(
    r"the teeth are with|to get it said|the casting waits|the lot (votes|decides)|and one among you"
    r"|had their share|leads? nowhere\b.*links|as your seat is|in the noose|wants the rope|apron"
)


def templates() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "templates").rglob("*.html"):
        if "study" not in path.parts:
            for simple, block in TRANS.findall(path.read_text()):
                yield path.name, simple or re.sub(r"{[{%].*?[%}]}", " ", block)


def python(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in CALLS:
                for given in node.args:
                    if isinstance(given, ast.Constant) and isinstance(given.value, str):
                        yield path.name, given.value


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def phrases() -> Iterator[tuple[str, str]]:
    """Of the built-in players, without the characters' flourishes."""
    yield from ((kind, p) for kind, ps in {**remarks(), **general_phrases()}.items() for p in ps)
    yield from blocks().items()
    yield from ((pole, p) for pole, slots in asides().items() for ps in slots.values() for p in ps)


def words(text: str) -> Iterator[str]:
    plain = re.sub(r"{[^}]*}+|%\([^)]*\)s|<[^>]*>", " ", text).replace("’", "'")
    for word in re.findall(r"[A-Za-z]+(?:'[a-z]+)?", plain):
        yield re.sub(r"'s$", "", word).lower()


def rare(texts: Iterator[tuple[str, str]], least: float) -> set[str]:
    return {
        f"{where}: {word}"
        for where, text in texts
        for word in words(text)
        if word not in OURS | SHOWN and zipf_frequency(word, "en") < least
    }


def site() -> Iterator[tuple[str, str]]:
    yield from templates()
    yield from python(ROOT / "webapp/play")
    yield from python(ROOT / "game")


def test_site_texts_for_players_use_common_words() -> None:
    assert len(list(site())) > 400
    assert rare(site(), KNOWN) == set()


def test_built_in_players_use_common_words() -> None:
    assert rare(phrases(), HEARD) == set()


@pytest.mark.parametrize("key", sorted(voices()))
def test_character_replacement_words_are_common(key: str) -> None:
    """What it says for others' words; "somethin'" counts as "something"."""
    said = ((key, re.sub(r"in'(?!\w)", "ing", new)) for _old, new in voices()[key].words)
    assert rare(said, KNOWN - 0.5) == set()


def test_rejected_phrases_do_not_return() -> None:
    assert not [text for _, text in (*site(), *phrases()) if MANNERED.search(text)]
