"""Summaries of the talk by rule, and what a summary must contain (Impressions A.7, SPEC 2.7).

A summary must contain every claim with its result, and every player's newest statement about a
guard. Lines contain players' text, so pages and prompts must quote them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.claims.claim_reading import decision_claim_steps, dialogue_of
from agents.decision import Decision
from agents.packs import Pack
from agents.talk.claim_steps import ClaimStep
from agents.understanding.statements import Statement

MAX_LINES = 24
MAX_LINE_CHARS = 200
MAX_TOTAL_CHARS = 1_800
MAX_GUARD_CHARS = 100  # A player's statement about a guard is cut to about this length.
MAX_GUARD_LINES = 6  # only so many statements about guards are kept, the newest
# Words for a result: about a hunted player, and about any other player.
FOUND_WORDS = ("black", "guilty", "bad")
CLEARED_WORDS = ("white", "innocent", "good", "clear", "not a", "no ")


@dataclass(frozen=True)
class RequiredLine:
    """A line that a summary must contain in substance."""

    text: str  # the line as the rule writes it
    # Groups of words. A line says the same if it has one word of each group.
    words: tuple[tuple[str, ...], ...]
    about: str  # what the line is about, without a player's words

    def is_in(self, lines: Iterable[str]) -> bool:
        """Return whether one of `lines` says the same."""
        return any(
            all(any(_contains_word(line, word) for word in group) for group in self.words)
            for line in lines
        )


def _contains_word(line: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.strip())}", line, re.IGNORECASE) is not None


def required_lines(decision: Decision) -> list[RequiredLine]:
    """Return what a summary must contain: claims, then statements about a guard."""
    dialogue, names = dialogue_of(decision), decision.view.state.seats
    steps = _current_steps(decision_claim_steps(decision))
    lines = [_claim_line(step, names, dialogue.pack) for step in steps]
    newest_by_seat = {s.seat: s for s in dialogue.statements if _guard_word(s, dialogue.pack)}
    guard_statements = list(newest_by_seat.values())[-MAX_GUARD_LINES:]
    return lines + [_guard_line(s, names, dialogue.pack) for s in guard_statements]


def _current_steps(steps: Sequence[ClaimStep]) -> list[ClaimStep]:
    """Return the claims and reports that their speakers have not withdrawn."""
    current: list[ClaimStep] = []
    for step in steps:
        if step.kind == "back":
            current = [s for s in current if s.seat != step.seat]
        elif step.kind == "role":
            current = [s for s in current if s.seat != step.seat or s.kind != "role"] + [step]
        elif step.kind == "look":
            current.append(step)
    return current


def _claim_line(step: ClaimStep, names: Sequence[str], pack: Pack) -> RequiredLine:
    """Return the line of a claimed role or a reported look."""
    name, role = names[step.seat - 1], pack.name(step.role)
    if step.kind == "role":
        text = f"{name} claims to be {pack.one(step.role)}."
        role_words = (role, step.role, *pack.data.words.get(step.role, ()))
        return RequiredLine(text, ((name,), role_words), text)
    target_names = [names[target - 1] for target in step.targets]
    targets, answer = " and ".join(target_names), pack.answer_text(step.result)
    words = (step.value, *(FOUND_WORDS if pack.accuses(step.result) else CLEARED_WORDS))
    revealed_role, is_held = pack.revealed_role(step.result)
    if revealed_role and is_held:
        words += (pack.name(revealed_role), revealed_role)
    text = f"{name}, as {role}, says that {targets} is {answer}."
    if len(target_names) > 1:
        text = f"{name}, as {role}, says of {targets}: {answer} is among them."
    return RequiredLine(text, ((name,), *((target,) for target in target_names), words), text)


def _guard_word(statement: Statement, pack: Pack) -> re.Match[str] | None:
    """Return the first word about a guard, None if there is none or the deck has no guard."""
    if not pack.can_protect or not pack.data.sure_deeds:
        return None
    deeds = "|".join(map(re.escape, pack.data.sure_deeds))
    return re.search(rf"(?<!\w)(?:{deeds})(?!\w)", statement.text, re.IGNORECASE)


def _guard_line(statement: Statement, names: Sequence[str], pack: Pack) -> RequiredLine:
    name, quote, word = names[statement.seat - 1], statement.text, _guard_word(statement, pack)
    if word and len(quote) > MAX_GUARD_CHARS:
        quote = _cut_around(quote, word.start(), word.end())
    about = f"what {name} said of protecting somebody"
    deeds = (*pack.data.sure_deeds, *pack.data.deeds)
    return RequiredLine(f"{name} on day {statement.day}: {quote}", ((name,), deeds), about)


def _cut_around(text: str, start: int, end: int) -> str:
    """Return about MAX_GUARD_CHARS characters of `text` around the word from `start` to `end`."""
    first, last = max(0, start - MAX_GUARD_CHARS // 2), end + MAX_GUARD_CHARS // 2
    before = f"… {text[first:start].partition(' ')[2]}" if first else text[:start]
    after = f"{text[end:last].rpartition(' ')[0]} …" if last < len(text) else text[end:]
    return before + text[start:end] + after


def lines_by_rule(decision: Decision) -> list[str]:
    """Return a summary of the talk so far: the required lines, and who accuses whom."""
    lines = [line.text for line in required_lines(decision)]
    dialogue, names = dialogue_of(decision), decision.view.state.seats
    for target in decision.view.state.living():
        if accusers := dialogue.pressing(target):
            accuser_names = ", ".join(names[seat - 1] for seat in accusers)
            lines.append(f"{names[target - 1]} is pressed by {accuser_names}.")
    if not lines:
        missing = "claimed a role" if dialogue.statements else "said anything"
        lines = [f"Nobody has {missing}."]
    return fit_lines(lines)


def fit_lines(lines: Sequence[str], added: Sequence[str] = ()) -> list[str]:
    """Return all `added` lines after as many of `lines`, shortened, as a prompt has room for."""
    fitting_lines: list[str] = []
    remaining_chars = MAX_TOTAL_CHARS - sum(map(len, added))
    for line in lines[: max(0, MAX_LINES - len(added))]:
        if len(line) > MAX_LINE_CHARS:
            line = f"{line[:MAX_LINE_CHARS].rpartition(' ')[0]} …"
        if len(line) <= remaining_chars:
            remaining_chars -= len(line)
            fitting_lines.append(line)
    return [*fitting_lines, *added]
