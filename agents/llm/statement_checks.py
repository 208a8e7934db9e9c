"""Checks of the free text in a model's reply, and repair of statements."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm.directions import (
    has_direction,
    has_private_direction,
    is_narration,
    remove_directions,
)
from agents.llm.echo import (
    PromptText,
    has_copied_instructions,
    is_copy_of_example,
    is_copy_of_request,
    is_example_text,
    is_json,
    remove_examples,
)
from agents.llm.leaks import INSTRUCTIONS, MARKS, PROGRAM, has_reasoning
from agents.llm.quoting import name_pattern
from agents.llm.speakers import has_lines_of_others
from game.engine.labels import SHORTENED, TRIMMED
from game.engine.text_checks import count_words

COPIED_REASON = "a reason repeated the prompt"
MIN_LATIN_LETTER_SHARE = 0.7
_QUOTES = str.maketrans("“”„‟’‘", '""""' + "''")


def repair_statement(text: str, decision: Decision) -> tuple[str, list[str]]:
    """Return the statement as it can be spoken, and the labels of the repairs.

    Returns:
        (text, labels). `trimmed`: text that is not speech was removed (stage directions, a
        preamble, example lines of the persona). `shortened`: the end of a long text was removed.
        The speaker's own name before the text, quotation marks around it and markup are removed
        without a label.
    """
    speaker = decision.view.name(decision.seat)
    text = _without_speaker(_one_line(text, decision), speaker, decision)
    spoken = _without_speaker(remove_directions(text, speaker), speaker, decision)
    spoken = remove_examples(spoken, decision.persona.examples() if decision.persona else ())
    labels = [TRIMMED] if spoken != text else []
    max_words = decision.window.speech.max_words
    if max_words > 0 and count_words(spoken) > max_words:
        spoken, labels = _cut_to_words(spoken, max_words), [*labels, SHORTENED]
    return spoken, labels


def check_reply(reply: Reply, decision: Decision, prompt: PromptText) -> dict[str, Any]:
    """Return the reply with its statement repaired, and without reasons that copy the prompt.

    "labels" lists the repairs, and "unread" has a sentence for removed reasons. The cause of a
    BackendError is `unspeakable`: a statement can't be spoken, or a plan is a copy.
    """
    checked: dict[str, Any] = {**reply, "labels": list(reply.get("labels", []))}
    if "text" in reply:
        checked["text"], checked["labels"] = repair_statement(str(reply["text"]), decision)
        if error := find_speech_error(checked["text"], decision, prompt):
            raise BackendError("unspeakable", error)
    for private_text in (reply.get("plan", ""), *reply.get("lines", ())):
        if error := find_copy_error(str(private_text), prompt):
            raise BackendError("unspeakable", error)
    if find_copy_error(str(reply.get("reason", "")), prompt):
        del checked["reason"]
        checked["unread"] = [*checked.get("unread", []), COPIED_REASON]
    if reasons_by_seat := reply.get("why"):
        own_reasons = {
            seat: [reason for reason in reasons if not find_copy_error(reason, prompt)]
            for seat, reasons in reasons_by_seat.items()
        }
        checked["why"] = {seat: reasons for seat, reasons in own_reasons.items() if reasons}
    if ratings := reply.get("ratings"):
        checked["ratings"] = {seat: _own_rating(row, prompt) for seat, row in ratings.items()}
        if checked["ratings"] != ratings:
            checked["unread"] = [*checked.get("unread", []), COPIED_REASON]
    return checked


def find_copy_error(text: str, prompt: PromptText) -> str:
    """Return the reason why a private text is a copy, "" if it is the model's own."""
    text = text.translate(_QUOTES)
    if MARKS.search(text) or PROGRAM.search(text):
        return "you spoke of being a program, or wrote marks of a template; use your own words"
    if is_json(text) or has_copied_instructions(text, prompt):
        return "you repeated your instructions; only your own words are wanted"
    return ""


def find_speech_error(text: str, decision: Decision, prompt: PromptText) -> str:
    """Return why `text` cannot be spoken, as a sentence to the model, "" if it can."""
    speaker, text = decision.view.name(decision.seat), text.translate(_QUOTES)
    if not re.search(r"\w", text):
        return "nothing was said"
    letters = [c for c in text if c.isalpha()]
    latin = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if letters and latin < MIN_LATIN_LETTER_SHARE * len(letters):
        return "the table speaks English"
    if has_reasoning(text) or has_private_direction(text, speaker):
        return "you said your private thoughts aloud; only spoken words are wanted"
    if PROGRAM.search(text) or INSTRUCTIONS.search(text):
        return "you spoke of being a program or of your instructions; you are a person at the table"
    if MARKS.search(text) or is_example_text(text) or is_json(text):
        return "those were the example's words or its form; only your own words are wanted"
    if has_lines_of_others(text, decision):
        return "you spoke for somebody else; only your own words are wanted"
    if has_direction(text, speaker) or is_narration(text, speaker):
        return "you told what somebody does, as in a story; only spoken words are wanted"
    persona = decision.persona
    if persona and is_copy_of_example(text, persona.examples()):
        return "you repeated an example of your manner; say something of your own about the game"
    if is_copy_of_request(text, prompt, persona.text() if persona else ""):
        return "you repeated your instructions; only your own words are wanted"
    return ""


def _one_line(text: str, decision: Decision) -> str:
    """Return `text` in one line without markup. Lines of a list or script become sentences."""
    text = "".join(c for c in text if _is_speakable(c))
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    names = "|".join(name_pattern(name) for name in decision.view.state.seats)
    bullet_or_label = re.compile(rf"\s*(?:[-*•]\s+|\W*(?:{names})(?!\w)[^.!?\n]{{0,30}}:)", re.I)
    lines: list[str] = []
    was_listed = False  # whether the previous line is one of a list or a script
    for line in filter(str.strip, text.split("\n")):
        is_listed = bool(bullet_or_label.match(line))
        if lines and (is_listed or was_listed) and lines[-1][-1] not in '.!?:;,…"”':
            lines[-1] += "."
        lines.append(re.sub(r"^\s*[-•]\s+|^\s*\*\s+", "", line).strip())
        was_listed = is_listed
    return re.sub(r"\s+", " ", " ".join(lines)).strip()


def _without_speaker(text: str, speaker: str, decision: Decision) -> str:
    """Remove the speaker's name or role before `text`, and quotation marks around it."""
    role = next((r.name for r in decision.ruleset.roles if r.key == decision.view.role), speaker)
    speaker_pattern = rf"(?:{name_pattern(speaker)}|{re.escape(role)})"
    aside = r"[\W_]*(?:\([^)]*\))?"
    text = re.sub(
        rf"^[\W_]*?{speaker_pattern}{aside}\s*(?:says?|said)?\s*:[*_\s]*", "", text, flags=re.I
    )
    text = re.sub(
        rf'^[\W_]*?{speaker_pattern} (?:says?|said),?\s*(?=["“][^"”]*["”]$)', "", text, flags=re.I
    )
    text = re.sub(rf'(?<=[.!?"”] ){name_pattern(speaker)}{aside}\s*:\s*', "", text, flags=re.I)
    quotation = re.fullmatch(r'["“]([^"“”]*)["”]', text)
    return quotation[1].strip() if quotation else text


def _is_speakable(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")


def _cut_to_words(text: str, max_words: int) -> str:
    """Return as many whole sentences as fit, or as many words if the first one is too long."""
    kept_text = ""
    for sentence in re.findall(r"[^.!?]+[.!?]*\s*", text):
        if count_words(kept_text + sentence) > max_words:
            break
        kept_text += sentence
    return kept_text.strip() or " ".join(text.split()[:max_words])


def _own_rating(row: Mapping[str, Any], prompt: PromptText) -> dict[str, Any]:
    """Return a rating without its reason if that copies the prompt."""
    is_copy = find_copy_error(str(row.get("reason", "")), prompt)
    return {key: value for key, value in row.items() if not (is_copy and key == "reason")}
