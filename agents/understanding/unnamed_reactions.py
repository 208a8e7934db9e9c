"""What shows without a name beside it.

Words that answer whoever was spoken to or go on about whoever was spoken of, and what only the
whole statement tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import Clause, seats_in
from agents.understanding.normalise import Sentence
from agents.understanding.rules import negated
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.verdicts import Finding

P = load("unnamed_reactions")


def answers(
    text: str, you: str, last: str, judged: bool, many: bool, everything: str
) -> Iterator[Finding]:
    """Return what a clause without a name says of the seats spoken to (`you`) and of (`last`).

    judged: its sentence has judged somebody; many: it has other clauses; everything: the statement.
    """
    if "@" in text or (many and text in _OPENING_WORDS):
        return
    if (to := you or last) and not judged:
        if P.short_agree.match(text):
            yield ("agree", to, "")
        elif P.short_disagree.match(text):
            yield ("disagree", to, "")
    if not last:
        return
    if side := _short_side(text):
        yield ("suspect", last, side)
    elif P.short_odd.match(text):
        yield ("suspect", last, "")
    elif P.short_liar.match(text):
        yield ("accuse", last, "")
    elif P.short_vote.match(text):
        yield ("vote", last, "")


def _short_side(text: str) -> str:
    """Return which helper or loner a clause without a name takes somebody for."""
    if not P.short_side.search(text) or negated(text) or P.own.search(text):
        return ""
    return str(P.side.findall(text)[0])


# Before other clauses these are no answers.
_OPENING_WORDS = ("right", "true", "exactly", "good")


# acts that settle what is thought of their targets
_JUDGING = ("suspect", "accuse", "defend", "agree", "disagree", "companion")


def claimed_somehow(lines: Lines) -> str:
    """Return the role in a sentence of oneself that names one role and no player, "" for none."""
    for sentence, clauses in lines:
        sentence_text = sentence.text
        roles = set(P.token.findall(sentence_text))
        if (
            len(roles) != 1
            or "@" in sentence_text
            or sentence.is_question
            or any(c.idle for c in clauses)
        ):
            continue
        if (
            P.of_oneself.search(sentence_text)
            and not LEXICON.denial.search(sentence_text)
            and not P.no_claim.search(sentence_text)
        ):
            return str(roles.pop())
    return ""


def left_over(lines: Lines, acts: Sequence[SpeechAct]) -> Iterator[Finding]:
    """Yield doubt about the one player it names, if `acts` do not judge that player yet."""
    judged = {t for act in acts for t in act.targets if act.kind in _JUDGING}
    for sentence, clauses in lines:
        live = " , ".join(c.text for c in clauses if not c.idle and not c.vocative)
        if sentence.is_question or negated(live) or LEXICON.hearsay.search(live):
            continue
        if not P.doubted.search(live):
            continue
        seats = seats_in(live)
        left = [s for s in dict.fromkeys(seats) if int(s) not in judged]
        if len(left) == 1 == len(set(seats)):
            judged.add(int(left[0]))
            yield ("suspect", left[0], "")


Lines = Sequence[tuple[Sentence, list[Clause]]]
