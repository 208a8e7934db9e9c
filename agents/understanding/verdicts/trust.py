"""Who is trusted, spared or praised, and who is odd or disliked.

"I believe @3", "leave @3 alone", "@3 is acting strange".
"""

from __future__ import annotations

import re

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.mention import MANY, Mention, Verdict, doubted, negated

P = load("trust")


def trusted(mention: Mention) -> Verdict:
    """Return who is trusted or believed."""
    if match := P.trust_before.search(mention.left):
        if LEXICON.evil.search(mention.right[:40]) and P.to_be.search(mention.right[:12]):
            return None
        if "believ" in match[1] and P.of_what_it_is.match(mention.right):
            return None
        least = bool(P.least.match(mention.right))
        return _trust("believ" in match[1], negated(mention.left) != least)
    if mention.own or mention.more or LEXICON.evil.search(mention.right):
        return None
    if match := P.trust_after.match(mention.right):
        return _trust("believ" in match[1], negated(match[0]))
    return None


def _trust(believing: bool, no: bool) -> Verdict:
    """Belief is in what somebody says, trust in the player itself."""
    if believing:
        return ("disagree" if no else "agree", "")
    return ("suspect" if no else "defend", "")


def spared(mention: Mention) -> Verdict:
    """Return who should be left alone."""
    if not mention.own and P.nothing_to_hide.match(mention.right):
        return ("defend", "")
    if P.i_was_wrong.search(mention.left):
        return ("defend", "")
    if P.spare.search(mention.left) and not P.on_list.match(mention.right):
        return ("defend", "")
    if P.alone.match(mention.right) and P.leave.search(mention.left):
        return ("defend", "")
    if not mention.own and P.no_wrong.match(mention.right):
        return ("defend", "")
    return None


def good(mention: Mention) -> Verdict:
    """Return who is praised as honest or clean."""
    if mention.own:
        return None
    after = P.good_after.match(mention.right)
    if mention.clause.count("+") >= MANY:
        return None
    if (
        after
        and P.is_good.match(mention.right)
        and not P.good_at.search(after[0] + mention.right[after.end() : after.end() + 10])
    ):
        no = negated(mention.left[-34:] + after[0]) != doubted(mention.left[-34:])
        if no and P.truth.search(after[1]):
            return ("accuse", "")
        if not no and P.truth.search(after[1]):
            return ("agree", "")
        return ("suspect" if no else "defend", "")
    before = P.good_before.search(mention.left)
    if before and not P.good_luck.search(before[0]):
        return ("suspect" if negated(mention.left[-30:]) else "defend", "")
    return None


def odd(mention: Mention) -> Verdict:
    """Return who is odd, watched or distrusted."""
    before, after = _odd_before(mention), _odd_after(mention)
    cue = after or before
    if not cue or P.hide_nothing.search(mention.left):
        return None
    if after and P.in_my_eyes.search(after[0]):
        return None
    if before:
        lead = mention.left[: before.start()]
        if before[1].startswith("too ") and P.i_was.search(lead):
            return None
    no = negated(mention.left[-34:] + (after[0] if after else ""))
    turned = bool(P.turned.search(cue[1]))
    return ("defend" if no != turned else "suspect", "")


def _odd_before(mention: Mention) -> re.Match[str] | None:
    """Return the cue in "my suspicion is on @3"."""
    return P.odd_before.search(mention.left)


def _odd_after(mention: Mention) -> re.Match[str] | None:
    """Return the cue in "@3 is suspicious"."""
    for cue in LEXICON.odd.finditer(mention.right):
        match = P.up_to.match(mention.right, 0, cue.end())
        if match and _is_of(mention, match):
            return match
    return None


def _is_of(mention: Mention, match: re.Match[str]) -> bool:
    """Return whether the cue that ends `match` is said of the mention before it."""
    if (mention.own and len(match[0].split()) < 2) or P.just_so.search(match[0]):
        return False
    if P.mine_needed.match(match[1]) and not P.speakers.search(match[0]):
        return False
    mine = bool(P.i_or_my.search(match[0]))
    if mention.more and mine:
        return False  # it is for the name that follows
    return mine or not P.my_needed.match(match[1])


def disliked(mention: Mention) -> Verdict:
    """Return who is not liked, or on somebody's list."""
    if P.strike.search(mention.left):
        return ("defend", "")
    if P.like.search(mention.left) or P.on_my_list.match(mention.right):
        return ("suspect", "")
    return None
