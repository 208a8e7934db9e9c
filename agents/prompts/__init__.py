"""Prompt templates, one file for each kind of request and language, and their versions."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent


@lru_cache(maxsize=64)
def template(name: str, language: str = "en") -> Template:
    """Return the template `name`.

    Raises:
        FileNotFoundError: if it does not exist.
    """
    return Template((FOLDER / language / f"{name}.txt").read_text("utf-8"))


@lru_cache(maxsize=64)
def version(name: str, language: str = "en") -> str:
    """Return the version of a template, which every stored request has.

    It is twelve hex digits of a hash over the template and the frame around it.
    """
    text = template("frame", language).template + template(name, language).template
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@lru_cache(maxsize=8)
def all_words(language: str = "en") -> frozenset[str]:
    """Return every word that occurs in a template, in lower case."""
    texts = (file.read_text("utf-8") for file in (FOLDER / language).glob("*.txt"))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text.casefold()))
