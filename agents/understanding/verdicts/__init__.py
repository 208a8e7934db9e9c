"""What a clause says of the players it names.

For each the verdict of the first reader that finds one in the words near the name. A module has the
readers of one kind of verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from agents.understanding.clauses import MENTION
from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.agreeing import agreement, speech
from agents.understanding.verdicts.mention import Finding, Mention, Verdict, negated
from agents.understanding.verdicts.others_claims import role, standing
from agents.understanding.verdicts.trust import disliked, good, odd, spared, trusted
from agents.understanding.verdicts.votes import vote, wants_death
from agents.understanding.verdicts.wolf import evil, it_is

P = load("verdicts")


def verdicts(text: str) -> Iterator[Finding]:
    """Return what `text`, a clause, says of the seats in it.

    At most one verdict a seat.
    """
    mentions = list(MENTION.finditer(text))
    judged_seats: set[str] = set()
    last: Verdict = None
    for i, mention in enumerate(mentions):
        start = mentions[i - 1].end() if i else 0
        after, right = _next_mention(text, mentions, i)
        near = Mention(
            clause=text,
            all_before=text[: mention.start()],
            left=" " + text[start : mention.start()],
            right=right,
            own=bool(mention[2]),
            many="+" in mention[1],
            more=after < len(mentions),
        )
        verdict = judge(near)
        last = verdict or last
        if verdict:
            seats = [s for s in mention[1].split("+") if s.isdigit()]
            fresh = [s for s in seats if s not in judged_seats or verdict[0] == "vote"]
            if fresh:
                yield (verdict[0], "+".join(fresh), verdict[1])
            judged_seats |= set(fresh)


def _next_mention(text: str, mentions: list[re.Match[str]], i: int) -> tuple[int, str]:
    """Return the next mention of somebody else than mention `i`, and what stands before it.

    "what @3 said about @3_s night is false" is all of @3: the second name reads "his".
    """
    after, parts, at = i + 1, [], mentions[i].end()
    while after < len(mentions) and mentions[after][1] == mentions[i][1]:
        parts += [text[at : mentions[after].start()], "his" if mentions[after][2] else "himself"]
        at, after = mentions[after].end(), after + 1
    end = mentions[after].start() if after < len(mentions) else len(text)
    return after, "".join(parts) + text[at:end] + " "


# The first that finds something is right; strong and narrow ones come first.
READERS: tuple[Callable[[Mention], Verdict], ...] = (
    vote,
    standing,
    role,
    wants_death,
    disliked,
    agreement,
    trusted,
    spared,
    evil,
    it_is,
    odd,
    good,
)
# These also read what stands before a mention that follows another.
_READ_ON = (evil, spared)


def judge(near: Mention) -> Verdict:
    """Return the verdict on one mention: that of the first reader that finds one."""
    speaks = None if near.own else P.speaks.match(near.right)
    lie = LEXICON.lying.search(near.right) if speaks else None
    if speaks and not (lie and lie.start() < speaks.end()):
        return speech(near)
    if (
        P.says_that.match(near.all_before)
        or P.role_says.search(near.all_before)
        or P.hoped.search(near.left)
        or LEXICON.wants_believed.search(near.all_before)
        or LEXICON.hearsay.search(near.all_before)
        or P.asked.search(near.left)
    ):
        return None
    if P.both_are.search(near.right[:30]) and negated(near.right[:30]):
        return None
    alone = near
    if "@" in near.all_before and not P.new_start.search(near.left):
        alone = replace(near, left=" ")
    for reader in READERS:
        if verdict := reader(near if reader in _READ_ON else alone):
            return verdict
    return None
