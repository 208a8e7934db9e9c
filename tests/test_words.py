"""Tests that texts for players, and built-in players' phrases, use common English words."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wordfreq import zipf_frequency

from agents.language import blocks, general_phrases, remarks, split_phrase, voices

ROOT = Path(__file__).parents[1]
# Fields of a ruleset's texts that are keys or names of pictures.
KEYS = {"shape", "base", "icon", "reveals", "light", "picks", "says", "asked_as", "role", "team"}
KEYS |= {"knows", "look", "default", "needs", "settings", "tested", "seat_setting", "figures"}
KEYS |= {"holds", "without"}
PROMPT_FIELDS = ("prompt", "sees", "vote")
MIN_FREQUENCY = 3.0  # Zipf's scale: once in a million words. "ballot" has 3.5, "awaited" 3.1
MIN_SPOKEN_FREQUENCY = 2.2  # The limit of spoken phrases, where the sentence helps.
TRANSLATION_CALLS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
# Words that pages explain (roles, traits of personas), a character's word, and technical terms.
GAME_WORDS = {
    "seer",
    "seers",
    "masons",
    "werewolves",
    "villager",
    "minion",
    "shipmates",
    "shipmate",
    "retries",
    "abstains",
    "recency",
    "json",
}
GAME_WORDS |= {"openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism"}
GAME_WORDS |= {"hyphens", "apostrophes", "underscores", "alphabets"}
# Rare words that appear once, beside a picture or figure.
EXPLAINED_WORDS = {"loathes", "adores", "tidied", "evades", "wry", "sliders"}
TRANSLATION_TAG = re.compile(
    r'{%\s*trans\w*\s+"([^"]*)"|{%\s*blocktrans.*?%}(.*?){%\s*endblocktrans', re.S
)
# Phrases that readers found hard, and similar ones.
REJECTED_PHRASES = re.compile(
    r"the teeth are with|to get it said|the casting waits|the lot (votes|decides)|and one among you"
    r"|had their share|leads? nowhere\b.*links|as your seat is|in the noose|wants the rope|apron"
)


def template_texts() -> Iterator[tuple[str, str]]:
    for path in (ROOT / "templates").rglob("*.html"):
        if "study" not in path.parts:
            for simple, block in TRANSLATION_TAG.findall(path.read_text()):
                yield path.name, simple or re.sub(r"{[{%].*?[%}]}", " ", block)


def code_texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in TRANSLATION_CALLS:
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield path.name, argument.value


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def toml_texts(table: dict[str, Any]) -> Iterator[str]:
    """Yield the sentences for players in a ruleset's file, without those for prompts."""
    for key, value in table.items():
        if isinstance(value, str) and not key.startswith(PROMPT_FIELDS) and key not in KEYS:
            yield value
        elif isinstance(value, dict) and (key not in KEYS or is_section(value)):
            yield from toml_texts(value)
        elif isinstance(value, list) and not key.startswith(PROMPT_FIELDS) and key not in KEYS:
            yield from list_texts(value)


def is_section(table: dict[str, Any]) -> bool:
    return all(isinstance(value, dict) for value in table.values())


def list_texts(items: list[Any]) -> Iterator[str]:
    """Yield the texts of a list: plain ones, labels of choices and texts with conditions."""
    for item in items:
        if isinstance(item, dict):
            yield item["text"]
        elif isinstance(item, list):
            yield from list_texts(item)
        else:
            yield str(item)


def phrases() -> Iterator[tuple[str, str]]:
    """Yield the phrases of built-in players, the characters' own included."""
    kinds = {**remarks(), **general_phrases()}
    yield from ((kind, split_phrase(p)[2]) for kind, ps in kinds.items() for p in ps)
    yield from blocks().items()
    yield from ((key, p) for key, v in voices().items() for ps in v.phrases.values() for p in ps)


def lower_words(text: str) -> Iterator[str]:
    plain_text = re.sub(r"{[^}]*}+|%\([^)]*\)s|<[^>]*>", " ", text).replace("’", "'")
    for word in re.findall(r"[A-Za-z]+(?:'[a-z]+)?", plain_text):
        yield re.sub(r"'s$", "", word).lower()


def rare_words(texts: Iterator[tuple[str, str]], min_frequency: float) -> set[str]:
    return {
        f"{source}: {word}"
        for source, text in texts
        for word in lower_words(text)
        if word not in GAME_WORDS | EXPLAINED_WORDS and zipf_frequency(word, "en") < min_frequency
    }


def site_texts() -> Iterator[tuple[str, str]]:
    yield from template_texts()
    yield from code_texts(ROOT / "webapp/play")
    yield from code_texts(ROOT / "game")
    for path in (ROOT / "game/engine").rglob("*.toml"):
        yield from ((path.name, text) for text in toml_texts(tomllib.loads(path.read_text())))


def test_site_texts_for_players_use_common_words() -> None:
    assert len(list(site_texts())) > 400
    assert rare_words(site_texts(), MIN_FREQUENCY) == set()


def test_built_in_players_use_common_words() -> None:
    assert rare_words(phrases(), MIN_SPOKEN_FREQUENCY) == set()


@pytest.mark.parametrize("key", sorted(voices()))
def test_character_replacement_words_are_common(key: str) -> None:
    """The words that replace others' words. "somethin'" counts as "something"."""
    replacements = ((key, re.sub(r"in'(?!\w)", "ing", new)) for _old, new in voices()[key].words)
    assert rare_words(replacements, MIN_FREQUENCY - 0.5) == set()


def test_rejected_phrases_do_not_return() -> None:
    assert not [text for _, text in (*site_texts(), *phrases()) if REJECTED_PHRASES.search(text)]
