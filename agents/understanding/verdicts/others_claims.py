"""What a clause says of another player's claim: "@3's story holds", "@3 can't be the looker"."""

from __future__ import annotations

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.mention import Mention, Verdict, negated

P = load("others_claims")


def standing(mention: Mention) -> Verdict:
    """Return what is thought of a player's claim or story."""
    if not mention.own:
        return None
    head = P.claim_rest.match(mention.right)
    if not head:
        return None
    if LEXICON.lying.search(mention.right[: head.start(1)]):
        return ("accuse", "")
    rest, believing = head[1], P.believe.search(mention.left)
    if believing:
        return ("disagree" if negated(mention.left) else "agree", "")
    if P.questioned.search(mention.left):
        return ("disagree", "")
    lying = LEXICON.lying.search(rest)
    if lying and LEXICON.modal.search(rest[: lying.start()]):
        return ("suspect", "")
    if lying and not P.holds.search(rest[: lying.start()]):
        return ("agree" if negated(rest[: lying.start()]) else "accuse", "")
    if poor := P.poor.search(rest):
        if negated(rest[: poor.start()]) and poor[0] != "not true":
            return ("agree", "")
        return ("suspect" if P.softly_poor.search(poor[0] + rest) else "disagree", "")
    if P.holds.search(rest):
        no = negated(rest) != bool(P.not_thought.search(mention.left))
        return ("disagree" if no else "agree", "")
    if P.does_not.search(rest):
        return ("disagree", "")
    if not mention.more and P.i_accept.search(rest):
        return ("agree", "")
    return None


def role(mention: Mention) -> Verdict:
    """Return "@3 is the loner", "@3 can't be the looker"."""
    if mention.own:
        return None
    ahead = P.role_named.search(mention.right)
    if not ahead:
        return _side_before(mention.left)
    gap, name = mention.right[: ahead.start()], ahead[1]
    if name.startswith(("loner", "helper")):
        return _side(mention.left, gap, name)
    if P.mine_or_as.search(gap) or LEXICON.evil.search(f"{gap}{name}"):
        return None
    rest = mention.right[ahead.end() :]
    if P.claim_noun.match(rest):
        return None
    if P.as_the.match(gap) and P.trusts.search(mention.left):
        return ("disagree" if negated(mention.left) else "agree", name)
    if rest.startswith("'s") or P.to_the_role.search(gap):
        return None
    if not P.is_role.match(f"{gap}{name} "):
        return None
    no = negated(mention.left[-34:] + gap) or bool(P.role_doubted.search(mention.left))
    return ("disagree" if no else "agree", name)


def _side_before(left: str) -> Verdict:
    """Return "The loner is @3", "the real looker is @3"."""
    if real := P.real_is.search(left):
        return ("disagree" if negated(left) else "agree", real[1])
    match = P.side_before.search(left)
    if not match or negated(left):
        return None
    return ("suspect", match[1])


def _side(left: str, gap: str, role: str) -> Verdict:
    """Return "@3 is the loner".

    Gap: what stands between the two.
    """
    if P.side_gap.search(gap) and not P.take.search(left):
        return None
    if not negated(left[-30:] + gap):
        return ("suspect", role)
    return None
