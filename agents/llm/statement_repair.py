"""Repairs the statement in a model's reply: removes what is not speech, and shortens it."""

import re
import unicodedata

from agents.decision import Decision
from agents.llm.directions import remove_directions
from agents.llm.echo import remove_examples
from agents.llm.quoting import name_pattern
from game.engine.labels import SHORTENED, TRIMMED
from game.engine.text_checks import count_words

# Categories of characters that no statement may contain: control, format, surrogate, private use.
UNSPEAKABLE_CATEGORIES = ("Cc", "Cf", "Cs", "Co")


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
