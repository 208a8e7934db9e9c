"""Find verdicts and claims in clauses without a name, and in the statement as a whole.

A clause without a name may answer the seat addressed, or continue about the seat mentioned last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import Clause, seats_in
from agents.understanding.normalise import Sentence
from agents.understanding.rules import decide, is_negated, load_rules
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.verdicts import Finding

P = load("unnamed_reactions")
Lines = Sequence[tuple[Sentence, list[Clause]]]
# Before other clauses these are no answers.
_OPENING_WORDS = ("right", "true", "exactly", "good")
# Kinds of acts that settle what the speaker thinks of their targets.
_JUDGING_KINDS = ("suspect", "accuse", "defend", "agree", "disagree", "companion")


def reaction_verdicts(
    text: str, you: str, last: str, is_judged: bool, has_other_clauses: bool
) -> Iterator[Finding]:
    """Yield the verdicts of a clause without a name.

    Args:
        you: The seat addressed, "" for none.
        last: The seat mentioned last, "" for none.
        is_judged: Whether the sentence has judged a player already.
        has_other_clauses: Whether the sentence has other clauses.
    """
    if "@" in text or (has_other_clauses and text in _OPENING_WORDS):
        return
    rules, texts = load_rules("unnamed_reactions"), {"clause": text}
    target = "" if is_judged else you or last
    if target and (kind := decide(rules["answer"], texts)):
        yield (kind, target, "")
    if last and (result := decide(rules["remark"], texts)):
        kind, _, role = result.partition(" ")
        yield (kind, last, texts.get(role, ""))


def claimed_role(lines: Lines) -> str:
    """Return the role that a sentence about the speaker claims, "" for none.

    The sentence must name only this role and no player.
    """
    for sentence, clauses in lines:
        sentence_text = sentence.text
        roles = set(P.token.findall(sentence_text))
        if (
            len(roles) != 1
            or "@" in sentence_text
            or sentence.is_question
            or any(c.is_idle for c in clauses)
        ):
            continue
        if (
            P.of_oneself.search(sentence_text)
            and not LEXICON.denial.search(sentence_text)
            and not P.no_claim.search(sentence_text)
        ):
            return str(roles.pop())
    return ""


def remaining_doubts(lines: Lines, acts: Sequence[SpeechAct]) -> Iterator[Finding]:
    """Yield a suspicion for each doubting sentence that names one player not judged by `acts`."""
    judged_seats = {t for act in acts for t in act.targets if act.kind in _JUDGING_KINDS}
    for sentence, clauses in lines:
        asserted_text = " , ".join(c.text for c in clauses if not c.is_idle and not c.vocative)
        if sentence.is_question or is_negated(asserted_text):
            continue
        if LEXICON.hearsay.search(asserted_text) or not P.doubted.search(asserted_text):
            continue
        seats = seats_in(asserted_text)
        unjudged_seats = [s for s in dict.fromkeys(seats) if int(s) not in judged_seats]
        if len(unjudged_seats) == 1 == len(set(seats)):
            judged_seats.add(int(unjudged_seats[0]))
            yield ("suspect", unjudged_seats[0], "")
