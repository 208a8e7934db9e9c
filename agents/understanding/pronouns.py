"""Resolve addressees and pronouns: the seats that "you" and "he" mean in each clause."""

from __future__ import annotations

from agents.language.patterns import load
from agents.understanding.clauses import MENTION, Clause, seats_in, split_clauses
from agents.understanding.normalise import Sentence

P = load("pronouns")


def resolve_pronouns(text: str, is_question: bool, you: str, last: str) -> str:
    """Return a clause with seats in place of pronouns.

    Args:
        you: The seat that "you" means, "" for none.
        last: The seat that "he", "she" and "they" mean, "" for none.
    """
    text = P.rewrite("plainer", text)
    if not you and last:
        text = P.you_are.sub(f"@{last} is ", text)
    text = P.is_does.sub(r"\1_s claim ", text)
    if not is_question:
        text = P.who.sub("he ", text)
    if you:
        text = _replace_second_person(text, f"@{you}")
    text = P.opener.sub("", text)
    text = P.and_me.sub(r"@\1+me", text)
    first = MENTION.search(text)
    if last:
        at = first.start() if first else len(text)
        text = _replace_third_person(text[:at], f"@{last}") + text[at:]
    first = MENTION.search(text)
    if first and first[1].isdigit():
        at = first.end()
        text = text[:at] + _replace_third_person(text[at:], f"@{first[1]}")
    return P.twice.sub(r"@\1\2", text)


def _replace_second_person(text: str, seat: str) -> str:
    """Return `text` with `seat` in place of "you"."""
    if "@" not in text:
        text = P.that_claim.sub(f"{seat}_s ", text)
    text = P.are_you.sub(f"{seat} is", text)
    text = P.your_claim.sub(f"{seat}_s ", text)
    text = P.your.sub(f"{seat} is", text)
    return P.you_alone.sub(seat, text)


def _replace_third_person(text: str, seat: str) -> str:
    """Return `text` with `seat` in place of "he", "she" and "they"."""
    text = P.he.sub(seat, text)
    text = P.the_man.sub(f"{seat} ", text)
    text = P.him.sub(seat, text)
    text = P.his.sub(f"{seat}_s", text)
    return P.her.sub(seat, text)


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
        clauses = list(split_clauses(sentence.text, sentence.is_question))
        if not self.last and (seats_ahead := seats_in(sentence.text)):
            self.last = seats_ahead[0]
        for i in range(len(clauses)):
            self._take_address(i, clauses, sentence.is_question)
        text_before = ""
        for clause in clauses:
            if not clause.vocative:
                text = resolve_pronouns(clause.text, sentence.is_question, self.you, self.last)
                clause.text = self._add_subject(text, text_before)
            text_before = clause.text
            if seats := seats_in(clause.text):
                self.last = seats[-1]
        return clauses

    def _add_subject(self, text: str, text_before: str) -> str:
        """Return a clause without a subject with the last seat added, if it is about that seat."""
        if self.last and P.headless.match(text) and P.about_one.search(text_before):
            text = f"@{self.last} is {text}"
        return text

    def _take_address(self, i: int, clauses: list[Clause], is_question: bool) -> None:
        """Store the addressee of clause `i`, and remove the address from the clause."""
        clause = clauses[i]
        if match := P.vocative.match(clause.text):
            if not self._make_topic(i, match[1], clauses, is_question):
                clause.vocative = self.you = match[1]
        elif match := P.lead.match(clause.text):
            self.you = match[1]
            clause.lead, clause.text = match[1], clause.text[match.end() :]
        elif not any(P.vocative.match(c.text) for c in clauses) and (
            match := P.trailing.match(clause.text)
        ):
            self.you, clause.lead = match[2], match[2]
            clause.text = match[1]
        elif match := P.inner_lead.search(clause.text):
            self.you = match[1]
            clause.text = clause.text[: match.start()] + clause.text[match.end() :]
        elif match := P.lead_i.match(clause.text):
            self.you = match[1]

    def _make_topic(self, i: int, seat: str, clauses: list[Clause], is_question: bool) -> bool:
        """Join a lone name to the next clause if it is its topic ("@3, clearly the wolf").

        Returns: whether it is.
        """
        text_after = clauses[i + 1].text if i + 1 < len(clauses) else ""
        is_of_addressee = i and P.of_addressee.match(clauses[i - 1].text)
        if not text_after or is_of_addressee or is_question:
            return False
        if not P.topic.match(text_after) or P.you.search(text_after):
            return False
        self.last = seat
        clauses[i + 1].text = f"@{seat} {text_after}"
        clauses[i].text = ""
        return True
