"""Prompt templates, one file for each kind of request, and their versions."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).parent / "en"


@cache
def template(name: str) -> Template:
    """Return the template `name`."""
    return Template((FOLDER / f"{name}.txt").read_text("utf-8"))


def render(name: str, **fields: str) -> str:
    """Return the text of a template with its fields, without white space around it."""
    return template(name).substitute(fields).strip()


def format_section(heading: str, lines: Sequence[str]) -> str:
    """Return lines of a prompt below their heading, "" without lines."""
    return "\n".join([heading, *lines]) if lines else ""


def is_placeholder(text: str) -> bool:
    """Return whether `text` is only the placeholder mark of an example, or punctuation."""
    return not any(c.isalnum() for c in text)


@cache
def version(name: str) -> str:
    """Return the version of a template, which every stored request has.

    It is twelve hex digits of a hash over the template and the frame around it.
    """
    text = template("frame").template + template(name).template
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@cache
def all_words() -> frozenset[str]:
    """Return every word that occurs in a template, in lower case."""
    texts = (file.read_text("utf-8") for file in FOLDER.glob("*.txt"))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text.casefold()))
