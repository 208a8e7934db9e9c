"""Resolves addressees and pronouns: whom a clause speaks to, whom "you" and "he" mean."""

from __future__ import annotations

from agents.language.patterns import load
from agents.understanding.clauses import MENTION, Clause, cut, seats_in
from agents.understanding.normalise import Sentence

P = load("pronouns")


def resolved(text: str, is_question: bool, you: str, last: str) -> str:
    """Return a clause with seats for "you" and "he".

    You, last: the seats these mean, "" for nobody.
    """
    text = P.rewrite("plainer", text)
    if not you and last:
        text = P.you_are.sub(f"@{last} is ", text)
    text = P.is_does.sub(r"\1_s claim ", text)
    if not is_question:
        text = P.who.sub("he ", text)
    if you:
        text = _second(text, f"@{you}")
    text = P.opener.sub("", text)
    text = P.and_me.sub(r"@\1+me", text)
    first = MENTION.search(text)
    if last:
        at = first.start() if first else len(text)
        text = _third(text[:at], f"@{last}") + text[at:]
    first = MENTION.search(text)
    if first and first[1].isdigit():
        at = first.end()
        text = text[:at] + _third(text[at:], f"@{first[1]}")
    return P.twice.sub(r"@\1\2", text)


def _second(text: str, seat: str) -> str:
    """Return `seat` for "you"."""
    if "@" not in text:
        text = P.that_claim.sub(f"{seat}_s ", text)
    text = P.are_you.sub(f"{seat} is", text)
    text = P.your_claim.sub(f"{seat}_s ", text)
    text = P.your.sub(f"{seat} is", text)
    return P.you_alone.sub(seat, text)


def _third(text: str, seat: str) -> str:
    """Return `seat` for "he", "she" and "they"."""
    text = P.he.sub(seat, text)
    text = P.the_man.sub(f"{seat} ", text)
    text = P.him.sub(seat, text)
    text = P.his.sub(f"{seat}_s", text)
    return P.her.sub(seat, text)


class Addressees:
    """The seats that "you" and "he" mean, sentence after sentence."""

    def __init__(self, to: str) -> None:
        self.you = to  # as in "3"; "" for nobody
        self.last = to  # whom a pronoun means

    def clauses(self, sentence: Sentence) -> list[Clause]:
        """Return the clauses of the next sentence, pronouns resolved."""
        clause_list = list(cut(sentence.text, sentence.is_question))
        if not self.last and (ahead := seats_in(sentence.text)):
            self.last = ahead[0]
        for i in range(len(clause_list)):
            self._address(i, clause_list, sentence.is_question)
        before = ""
        for clause in clause_list:
            if not clause.vocative:
                text = resolved(clause.text, sentence.is_question, self.you, self.last)
                clause.text = self._with_subject(text, before)
            before = clause.text
            if seats := seats_in(clause.text):
                self.last = seats[-1]
        return clause_list

    def _with_subject(self, text: str, before: str) -> str:
        """Return a clause that goes on about the seat named last, with that seat as its subject."""
        if self.last and P.headless.match(text) and P.about_one.search(before):
            text = f"@{self.last} is {text}"
        return text

    def _address(self, i: int, clause_list: list[Clause], is_question: bool) -> None:
        """Note whom clause `i` of a sentence speaks to, and take the address out of it."""
        clause = clause_list[i]
        if match := P.vocative.match(clause.text):
            if not self._topic(i, match[1], clause_list, is_question):
                clause.vocative = self.you = match[1]
        elif match := P.lead.match(clause.text):
            self.you = match[1]
            clause.lead, clause.text = match[1], clause.text[match.end() :]
        elif not any(P.vocative.match(c.text) for c in clause_list) and (
            match := P.trailing.match(clause.text)
        ):
            self.you, clause.lead = match[2], match[2]
            clause.text = match[1]
        elif match := P.inner_lead.search(clause.text):
            self.you = match[1]
            clause.text = clause.text[: match.start()] + clause.text[match.end() :]
        elif match := P.lead_i.match(clause.text):
            self.you = match[1]

    def _topic(self, i: int, seat: str, clause_list: list[Clause], is_question: bool) -> bool:
        """Return whether a lone name is what the next clause speaks of ("@3, clearly the wolf")."""
        after = clause_list[i + 1].text if i + 1 < len(clause_list) else ""
        mine = i and P.of_addressee.match(clause_list[i - 1].text)
        if not after or mine or is_question or not P.topic.match(after) or P.you.search(after):
            return False
        self.last = seat
        clause_list[i + 1].text = f"@{seat} {after}"
        clause_list[i].text = ""
        return True
