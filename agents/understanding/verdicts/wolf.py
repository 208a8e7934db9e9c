"""Who is the wolf or lies: "@3 is lying", "it can only be @3"."""

from __future__ import annotations

import re

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.mention import MANY, Mention, Verdict, doubted, hedged, negated

P = load("wolf")


def evil(mention: Mention) -> Verdict:
    """Return who is the wolf, or lies."""
    left, right = mention.left, mention.right
    if mention.own:
        return None
    after = _evil_after(right)
    cue = after or _evil_before(left)
    if not cue or P.disagreed_that.search(mention.clause):
        return None
    lying = bool(LEXICON.lying.search(cue[1]))
    if lying and mention.many and after and P.is_has_was.match(right):
        return None  # "@2 or @3 is lying": of whom it is true stays open
    between = after[0] if after else ""
    tail = right[after.end() : after.end() + 24] if after else right[:20]
    if (
        after
        and not lying
        and not P.outed.search(left + between)
        and P.wolfish.search(between + tail[:14])
    ):
        return ("defend" if negated(left[-32:] + between) else "suspect", "")
    if cue[1] in ("caught", "exposed", "busted") and P.me.match(tail):
        return None
    context = left + between
    if after and "@" in mention.all_before:
        left = left[-10:]
    before_cue = between[: after.start(1)] if after else ""
    if negated(left[-36:] + before_cue) != doubted(left[-36:]):
        return ("defend", "")
    if lying:
        guessed = hedged(context[-70:], lying)
    else:
        one_of = mention.many and not P.they_are.search(context)
        guessed = one_of or hedged(context[-70:] + tail, lying)
    return ("suspect" if guessed else "accuse", "")


def _evil_after(right: str) -> re.Match[str] | None:
    """Return the cue in "@3 is the wolf"."""
    match = P.evil_after.match(right)
    return None if match and P.at_wolf.search(match[0]) else match


def _evil_before(left: str) -> re.Match[str] | None:
    """Return the cue in "the wolf is @3"."""
    match = P.evil_before.search(left)
    if match and P.wolf_object.search(left) and not P.plain_not.search(left):
        return None
    return match


def it_is(mention: Mention) -> Verdict:
    """Return who "it" is: the one looked for, by whatever name."""
    left, right = mention.left, mention.right
    if mention.own:
        return None
    if match := P.the_one.match(right):
        if negated(left[-20:] + match[0]):
            return ("defend", "")
        return ("suspect" if hedged(left + right, False) else "accuse", "")
    if P.cannot_be.search(left):
        return ("defend", "")
    if (
        not P.it_is.search(left)
        or mention.clause.count("+") >= MANY
        or not P.it_is_rest.match(right)
    ):
        return None
    if negated(left[-30:]):
        return ("defend", "")
    guessed = mention.many or hedged(left + right[:30], False) or not P.sure_enough.search(left)
    return ("suspect" if guessed else "accuse", "")
