"""Detection of text in a model's statement that no person at a table says.

- Leaks of the machine: mentions of being a program, visible reasoning, marks of chat formats.
- Directions: stage directions, narration and preambles.
- Lines for others: "Beta: why did you wait?" addresses Beta. "Beta: I waited." speaks in Beta's
  name. A *label* is a name and a colon at the beginning of a sentence; the text up to the next
  label is a *line*. A line that addresses the player says "you", asks a question or gives an order.
  A line in the player's name says "I", addresses someone else or all, or answers the line before.
  Text in quotation marks that the player did say is a quotation.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from agents.decision import Decision
from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.llm.player_names import name_pattern

# `program` matches mentions of being a program, `instructions` mentions of the prompt, `reasoning`
# visible reasoning, and `marks` the marks of templates and chat formats.
LEAKS = load("leaks", PATTERNS_FOLDER)
DIRECTIONS = load("directions", PATTERNS_FOLDER)
SPEAKERS = load("speakers", PATTERNS_FOLDER)


def has_reasoning(text: str) -> bool:
    """Return whether `text` contains private thoughts.

    "Plan: we vote for Beta" may be said aloud, "Plan: hide behind Beta" may not.
    """
    if LEAKS.plan.search(text) and not LEAKS.together.search(text):
        return True
    return bool(LEAKS.reasoning.search(text))


def is_direction(words: str, speaker: str = "", is_asterisked: bool = False) -> bool:
    """Return whether `words` from brackets describe a look or gesture of `speaker`.

    `is_asterisked` is true between asterisks, underscores or square brackets.
    """
    subject = (
        rf"(?:(?:{name_pattern(speaker)}|he|she|they)\s+)?" if speaker else "(?:(?:he|she|they) )?"
    )
    if re.fullmatch(rf"\W*{subject}{DIRECTIONS.gesture.pattern}", words, re.I | re.S):
        return True
    return is_asterisked and bool(DIRECTIONS.asterisked.fullmatch(words.strip()))


def remove_directions(text: str, speaker: str) -> str:
    """Return `text` without stage directions and preamble, unchanged if no words would remain.

    A text with a direction such as "(to himself)" is unchanged, too, so that a later check refuses
    the whispers or thoughts that follow it.
    """
    if has_private_direction(text, speaker):
        return text
    wrapped = DIRECTIONS.wrapped
    marked = wrapped.sub(lambda m: "\0" if _is_wrapped_direction(m, speaker) else m[0], text)
    marked = re.sub(r"\s*\0\s*(?=[,;.!?])", "", marked)
    marked = re.sub(r"\s*\0\s*", " ", marked).strip()
    marked = DIRECTIONS.preamble.sub("", marked)
    return marked if re.search(r"\w", marked) else text


def has_private_direction(text: str, speaker: str) -> bool:
    """Return whether `text` has a direction for words that no other player may hear."""
    for match in DIRECTIONS.wrapped.finditer(text):
        words = next(g for g in match.groups() if g is not None)
        is_private = DIRECTIONS.private.search(words)
        if is_private and (_is_wrapped_direction(match, speaker) or ":" in words):
            return True
    return False


def has_direction(text: str, speaker: str) -> bool:
    """Return whether `text` still has a stage direction after `remove_directions`."""
    return any(_is_wrapped_direction(match, speaker) for match in DIRECTIONS.wrapped.finditer(text))


def is_narration(text: str, speaker: str) -> bool:
    """Return whether `text` narrates a scene instead of speaking in it."""
    name, does = name_pattern(speaker), DIRECTIONS.does.pattern
    if DIRECTIONS.headings.match(text):
        return True
    if re.search(rf"[,.!?]?\"\s*(?:he|she|they|{name}) (?:\w+ly )?(?:{does}|said)\b", text, re.I):
        return True
    if re.search(rf"(?:^|[.!?]\s+){name} (?:\w+ly )?(?:{does})\b", text, re.I):
        return True
    outside = re.sub(r'"[^"]*"', "", text)
    return bool(DIRECTIONS.scenes.search(outside)) and not DIRECTIONS.conversation.search(outside)


def _is_wrapped_direction(match: re.Match[str], speaker: str) -> bool:
    """Return whether a piece in brackets or asterisks is a direction, or private words."""
    if match.string[match.end() :].lstrip().startswith(":"):  # a name: "*Beta*: I waited."
        return False
    words = next(g for g in match.groups() if g is not None)
    is_asterisked = match[0][0] in "*_["
    return is_direction(words, speaker, is_asterisked) or bool(DIRECTIONS.private.match(words))


@dataclass(frozen=True)
class _LabelledLine:
    """A part of a statement after a label."""

    name: str  # the name in the label
    aside: str  # text in brackets after the name
    words: str  # the text after the label
    text_before: str  # the text before the label


def has_lines_of_others(text: str, decision: Decision) -> bool:
    """Return whether `text` has lines of other players, as a script has."""
    names = [name_pattern(name) for name in decision.view.state.seats]
    # Nothing but "Beta says: …" is a script.
    quotation = rf'(?:{"|".join(names)})\s+says?,?:?\s*"[^"]*"\W*'
    if re.fullmatch(rf"\W*(?:{quotation})+", text, re.I):
        return True
    lines = _labelled_lines(text, decision)
    return any(_is_scripted(line, text, decision) for line in lines) or any(
        _is_answer(line, previous) for previous, line in pairwise(lines)
    )


def _labelled_lines(text: str, decision: Decision) -> list[_LabelledLine]:
    names = [name_pattern(name) for name in decision.view.state.seats]
    roles = [re.escape(role.name) for role in decision.ruleset.roles]
    anyone = "|".join([*names, *roles, SPEAKERS.no_player.pattern])
    label = re.compile(
        r"(?:^|(?<=[.!?…\"*_)\]:;>])|(?<=\s[-–—•|]))"  # where a sentence or list item begins
        rf"\W*?(?<!\w)({anyone})(?!\w)\W{{0,3}}?"  # the name, also in bold
        r"(?:\(([^)]*)\))?[*_]*"  # an aside in brackets
        r"\s*:(?!\d)",  # the colon, but not that of a time: "player 10:30"
        re.I,
    )
    labels = list(label.finditer(text))
    ends = [*(m.start() for m in labels), len(text)][1:]  # where the next label begins
    return [
        _LabelledLine(
            _table_name(m[1], decision),
            m[2] or "",
            text[m.end() : end].strip(" *_"),
            text[: m.start()],
        )
        for m, end in zip(labels, ends, strict=True)
    ]


def _table_name(name: str, decision: Decision) -> str:
    """Return a player's name as the table spells it, and any other name unchanged."""
    seats = decision.view.state.seats
    return next((seat for seat in seats if re.fullmatch(name_pattern(seat), name, re.I)), name)


def _is_scripted(line: _LabelledLine, text: str, decision: Decision) -> bool:
    """Return whether a line is spoken as the player or narrator of its label, not to them."""
    is_no_player = re.fullmatch(SPEAKERS.no_player.pattern, line.name, re.I)
    if is_no_player or is_direction(line.aside):
        return True
    if line.words.startswith('"'):
        return not _is_quotation(line, text, decision)
    own_name = name_pattern(decision.view.name(decision.seat))
    first = _first_sentence(line.words)
    other_names = "|".join(name_pattern(n) for n in decision.view.state.seats if n != line.name)
    if re.match(rf"(?:{other_names})\s*,", first, re.I) or SPEAKERS.addresses_all.search(first):
        return True
    if re.search(rf"(?<!\w){own_name}(?!\w)", first, re.I):
        return True
    if re.search(
        rf"(?<!\w){name_pattern(line.name)}(?!\w)", _last_sentence(line.text_before), re.I
    ):
        return bool(SPEAKERS.answer_start.match(line.words))  # "What do you say, Beta? Beta: No."
    is_question = first.endswith("?") and not SPEAKERS.first_person.search(first)
    if SPEAKERS.second_person.search(first) or is_question:
        return False
    assertion = SPEAKERS.final_opinion.sub("", first)
    roles = "|".join(re.escape(role.name) for role in decision.ruleset.roles)
    role_claim = rf"\bi(?:'m| am| was)\b(?: \w+)? (?:an?|the|one of the) (?:{roles})"
    if re.search(role_claim, assertion, re.I):
        return True
    is_reply = SPEAKERS.reply_start.match(assertion) or SPEAKERS.reply_to_labelled.search(assertion)
    return bool(SPEAKERS.first_person.search(assertion)) and not is_reply


def _is_answer(line: _LabelledLine, previous: _LabelledLine) -> bool:
    """Return whether a line answers the previous one, as in a dialogue."""
    addresses_player = SPEAKERS.second_person.search(_first_sentence(previous.words))
    is_question = addresses_player or previous.words.rstrip(' "*').endswith("?")
    return bool(is_question and SPEAKERS.answer_start.match(line.words))


def _is_quotation(line: _LabelledLine, text: str, decision: Decision) -> bool:
    """Return whether a quoted line repeats what the player said, with more words around it."""
    quotation = re.match(r'"([^"]*)"?', line.words)
    quoted_words = _normalized(quotation[1] if quotation else "")
    statements = (
        _normalized(e["text"])
        for e in decision.view.events
        if e.data.get("text") and decision.view.name(e["seat"]).lower() == line.name.lower()
    )
    outside = re.sub(r'[\w ]+(?:\([^)]*\))?:\s*"[^"]*"', "", text)
    has_more = re.search(r"\w", outside) is not None
    return bool(quoted_words) and has_more and any(quoted_words in words for words in statements)


def _normalized(text: str) -> str:
    return " ".join(re.findall(r"[a-z']+", text.lower()))


def _first_sentence(words: str) -> str:
    """Return the first sentence, and the second if the first is only an interjection."""
    sentences = re.findall(r"[^.!?…]+[.!?…]*\s*", words) or [words]
    count = 2 if SPEAKERS.interjection.fullmatch(sentences[0].strip()) else 1
    return "".join(sentences[:count]).strip()


def _last_sentence(text: str) -> str:
    sentences = re.findall(r"[^.!?…]+[.!?…]*", text.strip(" -–—*"))
    return sentences[-1] if sentences else ""
