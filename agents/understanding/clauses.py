"""Split sentences into clauses that are interpreted one by one, with seats in place of pronouns.

Names are written `@3`, several `@2+3`, and `@3+me` with the speaker. Clauses that depend on a
condition are idle: they assert nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.language.patterns import load
from agents.understanding.normalise import Sentence

PATTERNS = load("clauses")
# Seats, perhaps with the speaker. "_s" marks a possessive: "@3_s claim".
MENTION = re.compile(r"@([\d+]+(?:\+?me)?)(_s)?")


@dataclass
class Clause:
    """A clause in normalised words.

    Attributes:
        is_idle: Whether it is conditional and so asserts nothing.
        vocative: The seat addressed by a clause that is nothing but its name.
        lead: The seat addressed at the beginning of the clause.
    """

    text: str
    is_idle: bool = False
    vocative: str = ""
    lead: str = ""

    @property
    def seats(self) -> list[str]:
        """The seats that the clause mentions, each once, in order."""
        return mentioned_seats(self.text)


def mentioned_seats(text: str) -> list[str]:
    """Return the seats that a clause or sentence mentions, each once, in order."""
    joined = [m[1] for m in MENTION.finditer(text)]
    return list(dict.fromkeys(s for j in joined for s in j.split("+") if s.isdigit()))


def _split_clauses(sentence: str, is_question: bool) -> Iterator[Clause]:
    """Yield the clauses of a sentence. Clauses after a condition are idle, up to a "but"."""
    sentence = PATTERNS.rewrite("before_cut", sentence)
    if not is_question:
        sentence = PATTERNS.names_after_colon.sub(" is ", sentence)
    is_idle = False
    for piece in PATTERNS.split.split(PATTERNS.but.sub(" , BUT ", sentence)):
        piece = " ".join(piece.split()).strip(" ,-")
        if piece.startswith("BUT"):
            is_idle, piece = False, piece[3:].strip()
        if condition := PATTERNS.condition.search(piece):
            head, tail = piece[: condition.start()].strip(), piece[condition.start() :]
            yield Clause(
                head,
                is_idle or bool(PATTERNS.would_have.match(tail) or PATTERNS.i_would.search(head)),
            )
            yield Clause(tail, True)
            is_idle = not tail.startswith("as long as")
        else:
            yield Clause(piece, is_idle)


def _resolve_pronouns(text: str, is_question: bool, you: str, last: str) -> str:
    """Return a clause with seats in place of pronouns.

    Args:
        you: The seat that "you" means, "" for none.
        last: The seat that "he", "she" and "they" mean, "" for none.
    """
    text = PATTERNS.rewrite("plainer", text)
    if not you and last:
        text = PATTERNS.you_are.sub(f"@{last} is ", text)
    if not is_question:
        text = PATTERNS.who.sub("he ", text)
    if you:
        text = PATTERNS.rewrite("second_person", text).replace("@YOU", f"@{you}")
    text = PATTERNS.rewrite("openers", text)
    before, at, after = text.partition("@")
    text = _replace_third_person(before, last) + at + after
    first = MENTION.search(text)
    if first and first[1].isdigit():
        text = text[: first.end()] + _replace_third_person(text[first.end() :], first[1])
    return PATTERNS.twice.sub(r"@\1\2", text)


def _replace_third_person(text: str, seat: str) -> str:
    """Return `text` with `seat`, if there is one, in place of "he", "she" and "they"."""
    return PATTERNS.rewrite("third_person", text).replace("@HE", f"@{seat}") if seat else text


class Addressees:
    """The seats that "you" and "he" mean, updated sentence by sentence.

    Attributes:
        you: The seat that "you" means, such as "3", "" for none.
        last: The seat that other pronouns mean, "" for none.
    """

    def __init__(self, to: str) -> None:
        self.you = to
        self.last = to

    def resolve_clauses(self, sentence: Sentence) -> list[Clause]:
        """Return the clauses of the next sentence with their pronouns resolved."""
        clauses = list(_split_clauses(sentence.text, sentence.is_question))
        if not self.last and (seats_ahead := mentioned_seats(sentence.text)):
            self.last = seats_ahead[0]
        for i in range(len(clauses)):
            self._take_address(i, clauses, sentence.is_question)
        text_before = ""
        for clause in clauses:
            text = _resolve_pronouns(clause.text, sentence.is_question, self.you, self.last)
            # A clause without a subject goes on about the seat of the clause before it.
            if (
                self.last
                and PATTERNS.headless.match(text)
                and PATTERNS.about_one.search(text_before)
            ):
                text = f"@{self.last} is {text}"
            clause.text = text_before = text
            if seats := clause.seats:
                self.last = seats[-1]
        return clauses

    def _take_address(self, i: int, clauses: list[Clause], is_question: bool) -> None:
        """Store the addressee of clause `i`, and remove the address from the clause."""
        clause = clauses[i]
        if match := PATTERNS.vocative.match(clause.text):
            if not self._make_topic(i, match[1], clauses, is_question):
                clause.vocative = self.you = match[1]
        elif match := PATTERNS.lead.match(clause.text):
            self.you = clause.lead = match[1]
            clause.text = clause.text[match.end() :]
        elif not any(PATTERNS.vocative.match(c.text) for c in clauses) and (
            match := PATTERNS.trailing.match(clause.text)
        ):
            clause.text, self.you = match.groups()
            clause.lead = self.you
        elif match := PATTERNS.inner_lead.search(clause.text):
            self.you = match[1]
            clause.text = clause.text[: match.start()] + clause.text[match.end() :]
        elif match := PATTERNS.lead_i.match(clause.text):
            self.you = match[1]

    def _make_topic(self, i: int, seat: str, clauses: list[Clause], is_question: bool) -> bool:
        """Join a lone name to the next clause if it is its topic ("@3, clearly the wolf").

        Returns: whether the name is the topic.
        """
        text_after = clauses[i + 1].text if i + 1 < len(clauses) else ""
        if is_question or PATTERNS.you.search(text_after) or not PATTERNS.topic.match(text_after):
            return False
        self.last = seat
        clauses[i + 1].text = f"@{seat} {text_after}"
        clauses[i].text = ""
        return True
