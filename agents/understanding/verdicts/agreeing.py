"""Whether a player, or what it said, is right: "I agree with @3", "exactly what @3 said"."""

from __future__ import annotations

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.mention import Mention, Verdict, negated

P = load("agreeing")


def agreement(mention: Mention) -> Verdict:
    """Return whether what a player said is right or wrong."""
    both = mention.left + mention.right
    if (
        P.not_convinced.search(mention.left)
        and P.is_are.match(mention.right)
        and LEXICON.good.search(mention.right)
    ):
        return ("suspect", "")
    if P.disagree_with.search(mention.left):
        return ("disagree", "")
    if P.disagree_before.search(mention.left) or (
        not mention.own and P.disagree_after.match(mention.right)
    ):
        if (
            P.rubs_me.search(both)
            or P.other_wrong.search(both)
            or P.wrong_about.search(mention.left)
        ):
            return None
        return ("agree" if P.not_wrong.search(both) else "disagree", "")
    if mention.own:
        return (
            ("agree", "") if P.share.search(mention.left) and P.view.match(mention.right) else None
        )
    if P.better_than.search(mention.left):
        return ("agree", "")
    if P.agree_with.search(mention.left) and not P.not_agree.search(mention.left):
        if P.is_has.match(mention.right):
            return None
        return ("disagree" if negated(mention.left) else "agree", "")
    if cue := P.agree_after.match(mention.right):
        if P.other_right_after.search(mention.right):
            return None
        return ("disagree" if negated(mention.left[-20:] + cue[0]) else "agree", "")
    return None


def speech(mention: Mention) -> Verdict:
    """Return "@3 said ...": only "what @3 said", "@3 said it best" say something of @3 itself."""
    left, right = mention.left, mention.right
    if _of_words(left):
        if LEXICON.lying.search(right):
            return ("agree" if negated(right) else "accuse", "")
        if P.odd_after.search(right):
            return ("suspect", "")
        wrong = P.not_believed.search(left + right) or negated(left)
        return ("disagree" if wrong else "agree", "")
    if P.not_liked.search(left) or P.odd_that.search(left) or P.odd_after.search(right):
        return ("suspect", "")
    if P.not_a_word.search(left):
        return ("accuse", "")
    if P.said_it_best.search(right):
        return ("agree", "")
    if P.i_believe.search(left):
        return ("disagree" if negated(left) else "agree", "")
    return None


def _of_words(left: str) -> bool:
    """Whether what a player said is weighed: "exactly what @3 said", "I believe what @3 said"."""
    if not P.what_intro.search(left) or not P.what_said.search(left):
        return False
    return bool(
        left.split()[0] in ("what", "like", "as", "exactly", "yeah", "this")
        or P.as_said.search(left)
    )
