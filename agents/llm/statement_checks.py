"""Repairs and checks of the free text in a model's reply.

A statement is repaired first: what is not speech is removed, and the text is shortened.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from agents.decision import BackendError, Decision, Reply
from agents.llm.player_names import name_pattern
from agents.llm.prompt_copies import (
    PromptText,
    copies_instructions,
    copies_persona_example,
    copies_prompt_or_persona,
    is_example_text,
    is_json,
    remove_examples,
)
from agents.llm.unspoken_text import (
    LEAKS,
    has_direction,
    has_lines_of_others,
    has_private_direction,
    has_reasoning,
    is_narration,
    remove_directions,
)
from game.engine.labels import SHORTENED, TRIMMED
from game.engine.text_checks import count_words

COPIED_REASON = "a reason repeated the prompt"
MIN_LATIN_LETTER_SHARE = 0.7  # a statement with a smaller share is not in English
# Categories of characters that no statement may contain: control, format, surrogate, private use.
UNSPEAKABLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co")
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
    if is_json(text) or copies_instructions(text, prompt):
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
    if persona and copies_persona_example(text, persona.examples()):
        return "you repeated an example of your manner; say something of your own about the game"
    if copies_prompt_or_persona(text, prompt, persona.text() if persona else ""):
        return "you repeated your instructions; only your own words are wanted"
    return ""


def _without_copied_reason(row: Mapping[str, Any], prompt: PromptText) -> dict[str, Any]:
    """Return a rating without its reason if that is unusable, such as a copy of the prompt."""
    error = find_private_text_error(str(row.get("reason", "")), prompt)
    return {key: value for key, value in row.items() if not (error and key == "reason")}


def repair_statement(text: str, decision: Decision) -> tuple[str, list[str]]:
    """Return the statement as it can be spoken, and labels of the repairs.

    TRIMMED: text that is not speech was removed (stage directions, a preamble, example lines of the
    persona). SHORTENED: the end of a text longer than its window allows was removed. The speaker's
    own name before the text, quotation marks around it and markup are removed without a label.
    """
    speaker = decision.view.name(decision.seat)
    text = _remove_speaker(_join_lines(text, decision), speaker, decision)
    # Again, because a stage direction may have stood before the name.
    spoken = _remove_speaker(remove_directions(text, speaker), speaker, decision)
    spoken = remove_examples(spoken, decision.persona.examples() if decision.persona else ())
    labels = [TRIMMED] if spoken != text else []
    max_words = decision.window.speech.max_words
    if max_words > 0 and count_words(spoken) > max_words:
        spoken, labels = _cut_to_words(spoken, max_words), [*labels, SHORTENED]
    return spoken, labels


def _join_lines(text: str, decision: Decision) -> str:
    """Return `text` in one line without markup. Lines of a list or script become sentences."""
    unspeakable = UNSPEAKABLE_CATEGORIES
    text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in unspeakable)
    # **bold** or __bold__ -> bold
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    names = "|".join(name_pattern(name) for name in decision.view.state.seats)
    # "- Beta lies", "* Beta lies", "Beta: why?", "**Beta** (Seer): why?"
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


def _remove_speaker(text: str, speaker: str, decision: Decision) -> str:
    """Remove the speaker's name or role before `text`, and quotation marks around it."""
    role = next((r.name for r in decision.ruleset.roles if r.key == decision.view.role), speaker)
    # Examples of what is removed are of Gamma, a Seer.
    speaker_pattern = rf"(?:{name_pattern(speaker)}|{re.escape(role)})"
    aside = r"[\W_]*(?:\([^)]*\))?"
    # **Gamma** (calmly) says: I trust Beta. | Seer: I trust Beta.
    text = re.sub(
        rf"^[\W_]*?{speaker_pattern}{aside}\s*(?:says?|said)?\s*:[*_\s]*", "", text, flags=re.I
    )
    # Gamma said, "I trust Beta."
    text = re.sub(
        rf'^[\W_]*?{speaker_pattern} (?:says?|said),?\s*(?=["“][^"”]*["”]$)', "", text, flags=re.I
    )
    # I trust Beta. Gamma: And you? -> I trust Beta. And you?
    text = re.sub(rf'(?<=[.!?"”] ){name_pattern(speaker)}{aside}\s*:\s*', "", text, flags=re.I)
    quotation = re.fullmatch(r'["“]([^"“”]*)["”]', text)
    return quotation[1].strip() if quotation else text


def _cut_to_words(text: str, max_words: int) -> str:
    """Return as many whole sentences as fit, or as many words if the first one is too long."""
    kept_text = ""
    for sentence in re.findall(r"[^.!?]+[.!?]*\s*", text):
        if count_words(kept_text + sentence) > max_words:
            break
        kept_text += sentence
    return kept_text.strip() or " ".join(text.split()[:max_words])
