"""Detects a model's refusal of a request: "I'm sorry, but I can't help with deceiving people."

People at a table also say "I can't" and "I won't". A refusal is distinguished from such talk by
its object. It concerns the request itself, deception as such, or the speaker's own guidelines:
"I can't help with that", "I won't write a deceptive statement". What players refuse concerns the
game: "I can't help it, I trust Beta", "I won't help you hang Gamma". The detector knows no names,
so it also works on replies that belong to no table.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.llm.unspoken_text import LEAKS

REFUSAL_DETAIL = (  # detail of the BackendError, which a repair request shows to the model
    "you refused; this is a parlour game in which everybody agreed to bluff and nobody is harmed,"
    " so answer as the player you are"
)

MAX_SEARCHED_CHARS = 4000  # statements are far shorter
PATTERNS = load("refusals", PATTERNS_FOLDER)
_SENTENCE_END = re.compile(r"[.!?;\n…]+")


def is_refusal_text(text: str, names: Iterable[str] = ()) -> bool:
    """Return whether `text`, or a part of it, refuses the request, not something in the game.

    Three kinds of text count. "I can't complain" is none of them.

    - text that names the request, deception as such, or the speaker's own rules
    - a bare "I can't do that"
    - an apology with "I can't" or with an offer of another topic, if it mentions nothing of the
      game: no player or role (`names`), no vote, no belief
    """
    if is_refusal_of_request(text):
        return True
    plain_text = _without_quotations(_normalise(text))
    plain_text, topic_change_count = PATTERNS.other_topic.subn("", plain_text)
    refusing_sentences = filter(PATTERNS.cannot.search, _sentences(plain_text))
    has_apology = PATTERNS.sorry_word.search(plain_text) and any(refusing_sentences)
    if not topic_change_count and not has_apology:
        return False
    name_patterns = (re.escape(_without_quotations(name)) for name in names)
    names_player = any(re.search(rf"\b{name}", plain_text, re.I) for name in name_patterns)
    return not names_player and not PATTERNS.game.search(plain_text)


def is_refusal_of_request(text: str) -> bool:
    """Return whether a sentence of `text` refuses something that is not part of the game.

    A text that only says "I must decline to answer" counts, too.
    """
    normalised = _normalise(text)
    if PATTERNS.bare.fullmatch(_without_quotations(normalised)):
        return True
    for sentence in _SENTENCE_END.split(normalised):
        is_of_program = LEAKS.program.search(sentence)
        if is_of_program and PATTERNS.negation.search(_without_quotations(sentence)):
            return True
    for sentence in _sentences(_without_quotations(normalised)):
        if PATTERNS.own_rules.search(sentence):
            return True
        refusals = PATTERNS.refusing.finditer(sentence)
        if any(_is_about_request(sentence[match.end() :]) for match in refusals):
            return True
    return False


def contains_refusal(value: Any, names: Collection[str]) -> bool:
    """Return whether any string in a JSON value, keys aside, is a refusal.

    A reason must name the request: "I can't tell yet" is a good reason for an uncertain choice.
    """
    if isinstance(value, str):
        return is_refusal_text(value, names)
    if isinstance(value, Mapping):
        return any(
            is_refusal_of_request(item)
            if key == "reason" and isinstance(item, str)
            else contains_refusal(item, names)
            for key, item in value.items()
        )
    return isinstance(value, list) and any(contains_refusal(item, names) for item in value)


def _sentences(plain_text: str) -> list[str]:
    """Return the sentences of a text, without the speaker's name and a colon at its beginning."""
    return [s.strip(' "') for s in _SENTENCE_END.split(PATTERNS.speaker_tag.sub("", plain_text))]


def _is_about_request(refused: str) -> bool:
    """Return whether the text after "I can't" concerns the request, or deception as such."""
    whole_refusals = (PATTERNS.itself, PATTERNS.lying, PATTERNS.harmful)
    if any(pattern.match(refused) for pattern in whole_refusals):
        return True
    act = PATTERNS.act.match(refused)
    if not act:
        return False
    refused_object = refused[act.end() :]
    objects = {"assist": PATTERNS.of_that, "write": PATTERNS.pronoun, "discuss": PATTERNS.topic}
    if any(act[group] and pattern.match(refused_object) for group, pattern in objects.items()):
        return True
    if act["assist"] or act["make"] or act["write"]:
        return bool(
            PATTERNS.statement.match(refused_object)
            or PATTERNS.request.match(refused_object)
            or PATTERNS.deceiving.search(refused_object)
        )
    return bool(PATTERNS.request.match(refused_object))


def _normalise(text: str) -> str:
    """Strip markup and invisible characters, straighten quotation marks, and undo capitals."""
    text = "".join(c for c in text[:MAX_SEARCHED_CHARS] if unicodedata.category(c) != "Cf")
    text = re.sub(r"[“”„«»]", '"', re.sub(r"[’‘ʼ`´]", "'", re.sub(r"[*_#>]+", "", text)))
    return text.lower() if text.isupper() else text


def _without_quotations(text: str) -> str:
    """Remove apostrophes ("can't" becomes "cant") and quotations of other players."""
    text = PATTERNS.own_quoted.sub(r"\1", text)
    return PATTERNS.quoted.sub(" ", re.sub(r"[^\S\n]+", " ", text.replace("'", "")))
