"""Votes, and who wants them on itself, as only a loner does.

"my vote goes to @3", "@3 is begging for the noose".
"""

from __future__ import annotations

from agents.understanding.patterns import load
from agents.understanding.verdicts.mention import Mention, Verdict, negated

P = load("votes")


def vote(mention: Mention) -> Verdict:
    """Return whom the speaker votes for, or calls on all to."""
    if cue := P.vote_for.search(mention.left) or P.my_vote.search(mention.left):
        return _vote_for(mention, cue[0].strip())
    if mention.own or not (cue := P.gets_vote.match(mention.right)):
        return None
    if negated(cue[0]):
        return ("defend", "")
    if P.bare_cue.fullmatch(cue[0]) and mention.left.strip():
        return None
    return ("vote", "")


def _vote_for(mention: Mention, cue: str) -> Verdict:
    """Return the vote whose `cue` stands before the name.

    Returns None where it is somebody else's.
    """
    left = mention.left
    call = "everyone vote" in left or "everybody vote" in left
    if P.others_vote.search(left) and not call:
        return None
    if P.voter_named.search(mention.all_before) and not P.i_or_plea.search(left):
        return None
    if P.vote_with.search(left):
        return ("agree", "")
    no = negated(left[-26:]) or P.waste.search(left + mention.right[:40])
    return ("defend" if no else "vote", "")


def wants_death(mention: Mention) -> Verdict:
    """Return whom its own wish to be voted out makes the loner."""
    if mention.own and not mention.right.startswith(" eager"):
        return None
    match = P.wish.match(mention.right.rstrip())
    if not match or mention.more or P.otherwise.search(match[0]) or negated(match[0]):
        return None
    return ("suspect", "loner")
