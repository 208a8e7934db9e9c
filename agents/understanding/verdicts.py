"""Find the verdicts of a clause on the players that it names.

The verdict on a player is that of the first decision list (`[rules]` of the pattern files) that
gives one for the words near the name. The lists use these texts:

- `clause`: the whole clause.
- `ahead`: all text before the name.
- `left`, `right`: the text up to the names before and after it.
- `own`: non-empty for a possessive ("@3_s claim").
- `many`: non-empty if this mention names several players.
- `list`: non-empty if the clause names three or more players together.
- `more`: non-empty if another name follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION
from agents.understanding.rules import Texts, decide, load_rules

P = load("verdicts")
TRUST = load("trust")
_VOTES, _CLAIMS, _AGREEING, _TRUST, _WOLF = map(
    load_rules, ("votes", "others_claims", "agreeing", "trust", "wolf")
)
# The first list with a result decides, so strong and narrow ones come first.
VERDICT_LISTS = (
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
# Lists that also read the text between the previous mention and this one.
_AFTER_MENTION_LISTS = (_WOLF["evil"], _TRUST["spared"])

Finding = tuple[str, str, str]  # (kind of act, seats joined by "+", role)
Verdict = tuple[str, str] | None  # (kind of act, role)


def find_verdicts(text: str) -> Iterator[Finding]:
    """Yield the verdicts of a clause, at most one a seat besides votes."""
    mentions = list(MENTION.finditer(text))
    judged_seats: set[str] = set()
    for i, mention in enumerate(mentions):
        start = mentions[i - 1].end() if i else 0
        after, right = _next_mention(text, mentions, i)
        verdict = mention_verdict(
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
            new_seats = [s for s in seats if s not in judged_seats or verdict[0] == "vote"]
            if new_seats:
                yield (verdict[0], "+".join(new_seats), verdict[1])
            judged_seats |= set(new_seats)


def _next_mention(text: str, mentions: list[re.Match[str]], i: int) -> tuple[int, str]:
    """Return (index of the next mention of another player, text up to it).

    Further mentions of the same player become pronouns: "what @3 said about @3_s night is false" is
    all about @3.
    """
    after, parts, at = i + 1, [], mentions[i].end()
    while after < len(mentions) and mentions[after][1] == mentions[i][1]:
        parts += [text[at : mentions[after].start()], "his" if mentions[after][2] else "himself"]
        at, after = mentions[after].end(), after + 1
    end = mentions[after].start() if after < len(mentions) else len(text)
    return after, "".join(parts) + text[at:end] + " "


def mention_verdict(texts: Texts) -> Verdict:
    """Return the verdict on one mention, None for none."""
    speech = None if texts["own"] else P.speaks.match(texts["right"])
    lying = LEXICON.lying.search(texts["right"]) if speech else None
    if speech and not (lying and lying.start() < speech.end()):
        return (kind, "") if (kind := decide(_AGREEING["speech"], texts)) else None
    if decide(load_rules("verdicts")["another"], texts):
        return None
    own_texts = texts
    if "@" in texts["ahead"] and not P.new_start.search(texts["left"]):
        own_texts = texts | {"left": " "}
    for rules in VERDICT_LISTS:
        list_texts = texts if rules in _AFTER_MENTION_LISTS else own_texts
        if rules is _TRUST["odd"]:
            list_texts = list_texts | _odd_texts(list_texts)
        if result := decide(rules, list_texts):
            kind, _, role = result.partition(" ")
            return kind, list_texts.get(f"{role}.1", role)
    return None


def _odd_texts(texts: Texts) -> Texts:
    """Return the texts of the first odd thing said of the player: "@3 is suspicious"."""
    for cue in LEXICON.odd.finditer(texts["right"]):
        if match := TRUST.up_to.match(texts["right"], 0, cue.end()):
            list_texts = texts | {"odd": match[0], "odd.1": match[1]}
            if decide(_TRUST["odd_of"], list_texts):
                return list_texts
    return {"odd": "", "odd.1": ""}
