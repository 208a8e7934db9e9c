"""Whether words can be spoken at the table, and how they are put right where they nearly can."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from agents.scene import Scene
from game.engine.words import count_words

RUN = 12  # words in a row taken over from the prompt give a prompt away
LATIN = 0.7  # of the letters, at least
_MODEL = re.compile(
    r"\b(?:as an? (?:ai|artificial|language model|assistant|llm|chatbot)|"
    r"i(?: a|')m an? (?:ai|artificial|language model|assistant|llm|chatbot|bot)\b|language model|"
    r"large language|openai|chatgpt|"
    r"my (?:system )?prompt|the prompt says|my instructions|role-?play|json|i cannot assist|"
    r"i can't assist|i'm unable to (?:help|assist))",
    re.I,
)
_THOUGHTS = re.compile(
    r"</?(?:think|thought|reasoning|scratchpad)>|\b(?:internal|private) (?:thoughts?|reasoning)\b|"
    r"^\s*(?:thought|reasoning|plan|analysis)\s*:",
    re.I | re.M,
)


def mended(text: str, scene: Scene) -> tuple[str, str]:
    """(text without its own name before it and within its length, label: "" or "shortened")."""
    own = re.escape(scene.view.name(scene.seat))
    text = re.sub(r"\s+", " ", "".join(c for c in text if _speakable(c))).strip()
    text = re.sub(
        rf"^[\W_]*{own}[\W_]*(?:\((?:[^)]*)\))?\s*(?:says?|said)?\s*:\s*", "", text, flags=re.I
    )
    if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    most = scene.window.legal.max_words
    if not most or count_words(text) <= most:
        return text, ""
    return _cut(text, most), "shortened"


def _speakable(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")


def _cut(text: str, most: int) -> str:
    """As many whole sentences as fit; where the first is too long, as many words."""
    kept = ""
    for sentence in re.findall(r"[^.!?]+[.!?]*\s*", text):
        if count_words(kept + sentence) > most:
            break
        kept += sentence
    return kept.strip() or " ".join(text.split()[:most])


def fault_of(text: str, scene: Scene, prompt: str) -> str:
    """Why `text` can't be spoken, in a sentence; "" where it can."""
    if not text:
        return "nothing was said"
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if letters and latin < LATIN * len(letters):
        return "the table speaks English"
    if _MODEL.search(text):
        return "you spoke of being a program or of your instructions; you are a person at the table"
    if _THOUGHTS.search(text):
        return "you said your private thoughts aloud; only spoken words are wanted"
    names = "|".join(re.escape(n) for n in scene.view.state.seats)
    if re.search(rf"(?:^|[.!?\"]\s+)(?:{names}|moderator|narrator|system)\s*:", text, re.I):
        return "you spoke for somebody else; only your own words are wanted"
    if _given_away(text, prompt):
        return "you repeated your instructions; only your own words are wanted"
    return ""


def _given_away(text: str, prompt: str) -> bool:
    """Whether a long run of the frame's words stands in `text`."""
    said, told = _words(text), _words(prompt)
    match = SequenceMatcher(None, said, told, autojunk=False).find_longest_match()
    return match.size >= RUN


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())
