"""Find what a sentence or clause says about other players: verdicts, questions, proposals.

The verdict on a player whom a clause names is that of the first decision list (`[rules]` of the
pattern files) that gives one for the words near the name. The lists use these texts:

- `clause`: the whole clause.
- `ahead`: all text before the name.
- `left`, `right`: the text up to the names before and after it.
- `own`: non-empty for a possessive ("@3_s claim").
- `many`: non-empty if this mention names several players.
- `list`: non-empty if the clause names three or more players together.
- `more`: non-empty if another name follows.

A clause without a name may answer the seat addressed, or continue about the seat mentioned last.
"""

from collections.abc import Iterable, Iterator, Sequence

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION
from agents.understanding.normalise import Sentence
from agents.understanding.rules import Texts, decide, load_rules

PATTERNS = load("verdicts")
TRUST = load("trust")
_VOTES, _CLAIMS, _AGREEING, _TRUST, _WOLF, _RULES = map(
    load_rules, ("votes", "others_claims", "agreeing", "trust", "wolf", "verdicts")
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


def find_verdicts(text: str) -> Iterator[Finding]:
    """Yield the verdicts of a clause on the players that it names, one a seat besides votes."""
    mentions = list(MENTION.finditer(text))
    judged_seats: set[str] = set()
    for i, mention in enumerate(mentions):
        following = [later for later in mentions[i:] if later[1] != mention[1]]
        start, end = mentions[i - 1].end() if i else 0, following[0].start() if following else None
        # "what @3 said about @3_s night is false" is all about @3.
        right = text[mention.end() : end].replace(f"@{mention[1]}", "himself")
        kind, role = _mention_verdict(
            {
                "clause": text,
                "ahead": text[: mention.start()],
                "left": " " + text[start : mention.start()],
                "right": right + " ",
                "own": mention[2] or "",
                "many": "+" * ("+" in mention[1]),
                "list": "+" * (text.count("+") > 1),
                "more": "@" * bool(following),
            }
        )
        seats = [s for s in mention[1].split("+") if s.isdigit()]
        new_seats = [s for s in seats if s not in judged_seats or kind == "vote"]
        if kind and new_seats:
            yield (kind, "+".join(new_seats), role)
            judged_seats |= set(new_seats)


def _mention_verdict(texts: Texts) -> tuple[str, str]:
    """Return (kind, role) of the verdict on one mention, ("", "") for none."""
    if not texts["own"] and PATTERNS.speaks.match(texts["right"]):
        return decide(_AGREEING["speech"], texts), ""
    if decide(_RULES["another"], texts):
        return "", ""
    own_texts = texts
    if "@" in texts["ahead"] and not PATTERNS.new_start.search(texts["left"]):
        own_texts = texts | {"left": " "}
    for rules in VERDICT_LISTS:
        list_texts = texts if rules in _AFTER_MENTION_LISTS else own_texts
        if rules is _TRUST["odd"]:
            list_texts = list_texts | _odd_texts(list_texts)
        if result := decide(rules, list_texts):
            kind, _, role = result.partition(" ")
            return kind, list_texts.get(f"{role}.1", role)
    return "", ""


def _odd_texts(texts: Texts) -> Texts:
    """Return the texts of the first odd thing said of the player: "@3 is suspicious"."""
    for cue in LEXICON.odd.finditer(texts["right"]):
        if match := TRUST.up_to.match(texts["right"], 0, cue.end()):
            odd_texts = {"odd": match[0], "odd.1": match[1]}
            if decide(_TRUST["odd_of"], texts | odd_texts):
                return odd_texts
    return {"odd": "", "odd.1": ""}


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
    if "@" in text or (has_other_clauses and PATTERNS.opening.fullmatch(text)):
        return
    texts, target = {"clause": text}, "" if is_judged else you or last
    if target and (kind := decide(_RULES["answer"], texts)):
        yield (kind, target, "")
    if last and (result := decide(_RULES["remark"], texts)):
        kind, _, role = result.partition(" ")
        yield (kind, last, texts.get(role, ""))


def is_of_today(kind: str, text: str, body: str) -> bool:
    """Return whether an act of `kind` in the clause `text` of the sentence `body` is of today.

    In games of several days, votes of other days, support for an office, plans for the night and
    remarks on the dead only sound like verdicts of today.
    """
    if any(p.search(text) for p in (LEXICON.election, LEXICON.of_badge, PATTERNS.was_role)):
        return False
    if kind == "vote":
        return not LEXICON.no_vote_now.search(text)
    return kind != "suspect" or not PATTERNS.lookers_work.search(body)


def seats_said_dead(sentences: Iterable[str]) -> set[int]:
    """Return the seats that are said to be dead."""
    full_text = " . ".join(sentences)
    return {int(match[match.lastindex or 0]) for match in LEXICON.dead.finditer(full_text)}


def asked_seats(
    sentence: Sentence, body: str, clauses: Sequence[str], called_seats: str, you: str
) -> str:
    """Return the seats that a sentence asks something, such as "2+3", "" for none.

    Args:
        body: The sentence without the names it calls.
        clauses: The clauses of the body.
        called_seats: The seats that it calls by name.
        you: The seat that "you" means, "" for none.
    """
    if sentence.is_question and not clauses:
        return ""
    says_you, seats = PATTERNS.you.search(sentence.text), ""
    if sentence.is_question:
        seats = called_seats or (you if says_you or PATTERNS.wh_to_you.match(sentence.text) else "")
        if not seats and (match := PATTERNS.asked_last.search(body)):
            seats = match[1]
    elif called_seats and any(PATTERNS.wh_you.match(c) or PATTERNS.tell.match(c) for c in clauses):
        seats = called_seats
    elif says_you and any(PATTERNS.wh_you.match(c) for c in clauses):
        seats = you
    if (
        not seats
        and (match := PATTERNS.hear.search(body))
        and not PATTERNS.asked_otherwise.search(body)
    ):
        seats = match[1]
    return seats


def question_topic(body: str) -> str:
    """Return the topic of a question: "reason", "result", "role", "suspect" or ""."""
    return decide(_RULES["topic"], {"clause": body})


def proposals(body: str, is_question: bool) -> Iterator[tuple[str, str]]:
    """Yield (role, "speak" or "wait") for what a sentence wants the holders of a role to do."""
    role_match = PATTERNS.of_role.search(body)
    if is_question or not (role_match or PATTERNS.role_called.search(body)):
        return
    after = body[role_match.start() :] if role_match else body
    if proposal := decide(_RULES["proposal"], {"clause": body, "right": after}):
        for role in dict.fromkeys(m[1] for m in PATTERNS.called.finditer(after)):
            yield (role, proposal)
