"""What a clause says of the players it names.

For each the verdict of the first decision list that finds one in the words near the name. The lists
stand beside the patterns of their kind (`[rules]`), with the texts named below: `clause`; `ahead`,
all that stands before the name; `left` and `right`, up to the names before and after it; and
whether it is something of theirs (`own`: "@3_s claim"), of several players (`many`; `list`: of
three or more), and followed by another name (`more`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION
from agents.understanding.rules import Texts, decide, rules_of

P = load("verdicts")
TRUST = load("trust")
_VOTES, _CLAIMS, _AGREEING, _TRUST, _WOLF = map(
    rules_of, ("votes", "others_claims", "agreeing", "trust", "wolf")
)
# The first that finds something is right; strong and narrow ones come first.
READERS = (
    _VOTES["vote"],
    _CLAIMS["standing"],
    _CLAIMS["role"],
    _VOTES["wants_death"],
    _TRUST["disliked"],
    _AGREEING["agreement"],
    _TRUST["trusted"],
    _TRUST["spared"],
    _WOLF["evil"],
    _WOLF["it_is"],
    _TRUST["odd"],
    _TRUST["good"],
)
# These also read what stands before a mention that follows another.
_READ_ON = (_WOLF["evil"], _TRUST["spared"])

Finding = tuple[str, str, str]  # (kind of act, seat, role)
Verdict = tuple[str, str] | None  # (kind of act, role)


def verdicts(text: str) -> Iterator[Finding]:
    """Return what `text`, a clause, says of the seats in it.

    At most one verdict a seat.
    """
    mentions = list(MENTION.finditer(text))
    judged_seats: set[str] = set()
    for i, mention in enumerate(mentions):
        start = mentions[i - 1].end() if i else 0
        after, right = _next_mention(text, mentions, i)
        verdict = judge(
            {
                "clause": text,
                "ahead": text[: mention.start()],
                "left": " " + text[start : mention.start()],
                "right": right,
                "own": mention[2] or "",
                "many": "+" * ("+" in mention[1]),
                "list": "+" * (text.count("+") > 1),
                "more": "@" * (after < len(mentions)),
            }
        )
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


def judge(near: Texts) -> Verdict:
    """Return the verdict on one mention: that of the first reader that finds one."""
    speaks = None if near["own"] else P.speaks.match(near["right"])
    lie = LEXICON.lying.search(near["right"]) if speaks else None
    if speaks and not (lie and lie.start() < speaks.end()):
        return (kind, "") if (kind := decide(_AGREEING["speech"], near)) else None
    if decide(rules_of("verdicts")["another"], near):
        return None
    alone = near
    if "@" in near["ahead"] and not P.new_start.search(near["left"]):
        alone = near | {"left": " "}
    for reader in READERS:
        texts = near if reader in _READ_ON else alone
        if reader is _TRUST["odd"]:
            texts |= _odd_word(texts)
        if result := decide(reader, texts):
            kind, _, role = result.partition(" ")
            return kind, texts.get(f"{role}.1", role)
    return None


def _odd_word(near: Texts) -> Texts:
    """Return the first odd thing that is said of the player: "@3 is suspicious"."""
    for cue in LEXICON.odd.finditer(near["right"]):
        if match := TRUST.up_to.match(near["right"], 0, cue.end()):
            texts = near | {"odd": match[0], "odd.1": match[1]}
            if decide(_TRUST["odd_of"], texts):
                return texts
    return {"odd": "", "odd.1": ""}
