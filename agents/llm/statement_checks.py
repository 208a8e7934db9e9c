"""Checks of the free text in a model's reply."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm.directions import has_direction, has_private_direction, is_narration
from agents.llm.echo import (
    PromptText,
    has_copied_instructions,
    is_copy_of_example,
    is_copy_of_request,
    is_example_text,
    is_json,
)
from agents.llm.leaks import PATTERNS as LEAKS
from agents.llm.leaks import has_reasoning
from agents.llm.speakers import has_lines_of_others
from agents.llm.statement_repair import repair_statement

COPIED_REASON = "a reason repeated the prompt"
MIN_LATIN_LETTER_SHARE = 0.7  # a statement with a smaller share is not in English
# Typographic quotation marks -> those that the patterns know.
_QUOTES = str.maketrans("“”„‟’‘", '""""' + "''")


def clean_reply(reply: Reply, decision: Decision, prompt: PromptText) -> dict[str, Any]:
    """Return the reply with its statement repaired, and without unusable reasons.

    Returns:
        The reply, in which "labels" lists the repairs, and "unread" has COPIED_REASON if "reason"
        or a reason in "ratings" was removed. Reasons are removed from "why" without a note.

    Raises:
        BackendError: With the cause `unspeakable`: the statement can't be spoken, or a plan or
            line that only its player sees is unusable (`find_private_text_error`).
    """
    cleaned: dict[str, Any] = {"labels": [], **reply}
    if "text" in reply:
        cleaned["text"], cleaned["labels"] = repair_statement(str(reply["text"]), decision)
        if error := find_speech_error(cleaned["text"], decision, prompt):
            raise BackendError("unspeakable", error)
    for private_text in (reply.get("plan", ""), *reply.get("lines", ())):
        if error := find_private_text_error(str(private_text), prompt):
            raise BackendError("unspeakable", error)
    if find_private_text_error(str(reply.get("reason", "")), prompt):
        del cleaned["reason"]
        cleaned["unread"] = [*cleaned.get("unread", []), COPIED_REASON]
    if reasons_by_seat := reply.get("why"):
        usable_reasons = {
            seat: [reason for reason in reasons if not find_private_text_error(reason, prompt)]
            for seat, reasons in reasons_by_seat.items()
        }
        cleaned["why"] = {seat: reasons for seat, reasons in usable_reasons.items() if reasons}
    if ratings := reply.get("ratings"):
        cleaned["ratings"] = {
            seat: _without_copied_reason(row, prompt) for seat, row in ratings.items()
        }
        if cleaned["ratings"] != ratings:
            cleaned["unread"] = [*cleaned.get("unread", []), COPIED_REASON]
    return cleaned


def find_private_text_error(text: str, prompt: PromptText) -> str:
    """Return why a text that is not spoken is unusable, as a sentence to the model, or "".

    Unusable are texts that mention being a program, have marks of a template, or copy the prompt.
    """
    text = text.translate(_QUOTES)
    if LEAKS.marks.search(text) or LEAKS.program.search(text):
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
    latin_count = sum("LATIN" in unicodedata.name(c, "") for c in letters)
    if letters and latin_count < MIN_LATIN_LETTER_SHARE * len(letters):
        return "the table speaks English"
    if has_reasoning(text) or has_private_direction(text, speaker):
        return "you said your private thoughts aloud; only spoken words are wanted"
    if LEAKS.program.search(text) or LEAKS.instructions.search(text):
        return "you spoke of being a program or of your instructions; you are a person at the table"
    if LEAKS.marks.search(text) or is_example_text(text) or is_json(text):
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


def _without_copied_reason(row: Mapping[str, Any], prompt: PromptText) -> dict[str, Any]:
    """Return a rating without its reason if that is unusable, such as a copy of the prompt."""
    error = find_private_text_error(str(row.get("reason", "")), prompt)
    return {key: value for key, value in row.items() if not (error and key == "reason")}
