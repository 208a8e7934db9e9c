"""Validates the free text of a model's reply, and repairs a statement that can nearly be spoken."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm.directions import directed, narrated, private, undirected
from agents.llm.echo import (
    PromptText,
    blank,
    copied,
    original,
    repeated,
    repeats_instructions,
    structured,
)
from agents.llm.leaks import MARKS, PROGRAM, TOLD, reasons
from agents.llm.names import pattern
from agents.llm.speakers import speaks_for_others
from game.engine.labels import SHORTENED, TRIMMED
from game.engine.text_checks import count_words

BAD_REASON = "a reason repeated the prompt"
LATIN = 0.7  # minimum share of Latin letters
_QUOTES = str.maketrans("“”„‟’‘", '""""' + "''")


def repaired(text: str, decision: Decision) -> tuple[str, list[str]]:
    """Return (text as it can be spoken, labels).

    The speaker's own name before the text, quotation marks around it and markup are removed without
    a label. Labels: `trimmed` if text that is not speech was removed (stage directions, a preamble,
    example lines of the persona), `shortened` if the end of a text that was too long was removed.
    """
    own = decision.view.name(decision.seat)
    text = _unnamed(_one_line(text, decision), own, decision)
    spoken = _unnamed(undirected(text, own), own, decision)
    spoken = original(spoken, decision.persona.examples() if decision.persona else ())
    labels = [TRIMMED] if spoken != text else []
    most = decision.window.speech.max_words
    if most > 0 and count_words(spoken) > most:
        spoken, labels = _cut(spoken, most), [*labels, SHORTENED]
    return spoken, labels


def _one_line(text: str, decision: Decision) -> str:
    """Return `text` in one line without markup. Lines of a list or script become sentences."""
    text = "".join(c for c in text if _speakable(c))
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    names = "|".join(pattern(name) for name in decision.view.state.seats)
    begins = re.compile(rf"\s*(?:[-*•]\s+|\W*(?:{names})(?!\w)[^.!?\n]{{0,30}}:)", re.I)
    lines: list[str] = []
    before = False  # whether the previous line is one of a list or a script
    for line in filter(str.strip, text.split("\n")):
        listed = bool(begins.match(line))
        if lines and (listed or before) and lines[-1][-1] not in '.!?:;,…"”':
            lines[-1] += "."
        lines.append(re.sub(r"^\s*[-•]\s+|^\s*\*\s+", "", line).strip())
        before = listed
    return re.sub(r"\s+", " ", " ".join(lines)).strip()


def _unnamed(text: str, own: str, decision: Decision) -> str:
    """Return `text` without its speaker's name or role before it and without outer quotes."""
    role = next((r.name for r in decision.ruleset.roles if r.key == decision.view.role), own)
    speaker = rf"(?:{pattern(own)}|{re.escape(role)})"
    aside = r"[\W_]*(?:\([^)]*\))?"
    text = re.sub(rf"^[\W_]*?{speaker}{aside}\s*(?:says?|said)?\s*:[*_\s]*", "", text, flags=re.I)
    text = re.sub(
        rf'^[\W_]*?{speaker} (?:says?|said),?\s*(?=["“][^"”]*["”]$)', "", text, flags=re.I
    )
    text = re.sub(rf'(?<=[.!?"”] ){pattern(own)}{aside}\s*:\s*', "", text, flags=re.I)
    quotation = re.fullmatch(r'["“]([^"“”]*)["”]', text)
    return quotation[1].strip() if quotation else text


def _speakable(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")


def _cut(text: str, most: int) -> str:
    """Return as many whole sentences as fit, or as many words if the first is too long."""
    kept_text = ""
    for sentence in re.findall(r"[^.!?]+[.!?]*\s*", text):
        if count_words(kept_text + sentence) > most:
            break
        kept_text += sentence
    return kept_text.strip() or " ".join(text.split()[:most])


def checked_reply(reply: Reply, decision: Decision, prompt: PromptText) -> dict[str, Any]:
    """Check all free text of a reply, and repair the statement if possible.

    Repairs are listed under "labels". Reasons that copy the prompt are removed and noted under
    "unread".

    Raises:
        BackendError: `unspeakable`, if a statement can't be spoken or a plan is a copy.
    """
    checked: dict[str, Any] = {**reply, "labels": list(reply.get("labels", []))}
    if "text" in reply:
        checked["text"], checked["labels"] = repaired(str(reply["text"]), decision)
        if complaint := validate(checked["text"], decision, prompt):
            raise BackendError("unspeakable", complaint)
    for private_text in (reply.get("plan", ""), *reply.get("lines", ())):
        if complaint := copies_prompt(str(private_text), prompt):
            raise BackendError("unspeakable", complaint)
    if copies_prompt(str(reply.get("reason", "")), prompt):
        del checked["reason"]
        checked["unread"] = [*checked.get("unread", []), BAD_REASON]
    if whys := reply.get("why"):
        checked["why"] = {
            seat: kept_reasons
            for seat, reasons in whys.items()
            if (kept_reasons := [reason for reason in reasons if not copies_prompt(reason, prompt)])
        }
    if ratings := reply.get("ratings"):
        checked["ratings"] = {seat: _own_rating(row, prompt) for seat, row in ratings.items()}
        if checked["ratings"] != ratings:
            checked["unread"] = [*checked.get("unread", []), BAD_REASON]
    return checked


def _own_rating(row: Mapping[str, Any], prompt: PromptText) -> dict[str, Any]:
    """Return a rating without its reason if that copies the prompt."""
    copied = copies_prompt(str(row.get("reason", "")), prompt)
    return {key: value for key, value in row.items() if not (copied and key == "reason")}


def copies_prompt(text: str, prompt: PromptText) -> str:
    """Return why the private `text` is not the model's own, "" if it is."""
    text = text.translate(_QUOTES)
    if MARKS.search(text) or PROGRAM.search(text):
        return "you spoke of being a program, or wrote marks of a template; use your own words"
    if structured(text) or repeats_instructions(text, prompt):
        return "you repeated your instructions; only your own words are wanted"
    return ""


def validate(text: str, decision: Decision, prompt: PromptText) -> str:
    """Return why `text` cannot be spoken, in a sentence, "" if it can.

    `prompt` is the text of the request.
    """
    own, text = decision.view.name(decision.seat), text.translate(_QUOTES)
    if not re.search(r"\w", text):
        return "nothing was said"
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if letters and latin < LATIN * len(letters):
        return "the table speaks English"
    if reasons(text) or private(text, own):
        return "you said your private thoughts aloud; only spoken words are wanted"
    if PROGRAM.search(text) or TOLD.search(text):
        return "you spoke of being a program or of your instructions; you are a person at the table"
    if MARKS.search(text) or blank(text) or structured(text):
        return "those were the example's words or its form; only your own words are wanted"
    if speaks_for_others(text, decision):
        return "you spoke for somebody else; only your own words are wanted"
    if directed(text, own) or narrated(text, own):
        return "you told what somebody does, as in a story; only spoken words are wanted"
    persona = decision.persona
    if persona and copied(text, persona.examples()):
        return "you repeated an example of your manner; say something of your own about the game"
    if repeated(text, prompt, persona.text() if persona else ""):
        return "you repeated your instructions; only your own words are wanted"
    return ""
