"""Find the roles that a speaker claims, denies or takes back, and its fellow mate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION

PATTERNS = load("self_claims")
DENIAL_REACH = 44  # characters between a denial and the role


def is_denied(before: str) -> bool:
    """Return whether the text before a role denies it."""
    return bool(PATTERNS.no.search(PATTERNS.free.sub(" ", before)[-DENIAL_REACH:]))


def role_claims(text: str, before: str = "", after: str = "") -> Iterator[tuple[str, str]]:
    """Yield ("claim" or "deny", role token) for every role that a clause gives its speaker.

    Args:
        text: The clause.
        before: The text before it in its sentence.
        after: The text after it.
    """
    role_words = list(PATTERNS.role_word.finditer(before))
    if role_words and PATTERNS.that_i_am.match(text) and ("@" in before or "one of" in text):
        yield ("claim", role_words[-1][1])
        return
    if PATTERNS.act_of_claiming.match(f"{text} {after}"):
        return
    if PATTERNS.called_on.match(after) and not PATTERNS.me.search(text):
        return
    if claims := idiom_claims(text):
        yield from claims
    elif "@" in before and not PATTERNS.me.search(text):
        return
    elif PATTERNS.bare.match(text):
        yield from _list_claims(text)
    elif claim := _inverted_claim(text):
        yield claim
    else:
        yield from _subject_claims(text)


def _claim(role: str, before: str) -> tuple[str, str]:
    """Return the claim of a role, or its denial by the words before it."""
    return ("deny" if is_denied(before) else "claim", role)


def _inverted_claim(text: str) -> tuple[str, str] | None:
    """Return the claim in "the looker is me" or "my card is the looker", None for none."""
    if (match := PATTERNS.after_me.search(text)) and not PATTERNS.other.search(
        text[: match.start()]
    ):
        return _claim(match[1], text[: match.start()])
    role = PATTERNS.role_word.search(text) if PATTERNS.card.search(text) else None
    return _claim(role[1], text[: role.start()]) if role else None


def _list_claims(text: str) -> Iterator[tuple[str, str]]:
    """Yield the claims in a bare list of roles: "not the wolf, just a mate"."""
    start, names_speaker = 0, bool(PATTERNS.me.search(text))
    for match in PATTERNS.role_word.finditer(text):
        kind, role = _claim(match[1], text[start : match.start()])
        if names_speaker or (not match[2] and (role != "wolf" or kind == "deny")):
            yield kind, role
        start = match.end()


def _subject_claims(text: str) -> Iterator[tuple[str, str]]:
    """Yield the claims in a clause whose subject is the speaker, or in "as a mate"."""
    for match in PATTERNS.role_word.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        subjects = list(PATTERNS.subject.finditer(before))
        if PATTERNS.type_after.match(after):
            continue
        if not subjects and PATTERNS.as_a.match(before):
            yield ("claim", match[1])
        elif subjects:
            lead, between = before[: subjects[-1].end()], before[subjects[-1].end() :]
            if _is_speakers_role(lead, subjects[-1][0], between, is_plural=bool(match[2])):
                yield _claim(match[1], between)


def _is_speakers_role(lead: str, subject: str, between: str, is_plural: bool) -> bool:
    """Return whether a role belongs to the speaker, who is the subject.

    Args:
        lead: The text up to the subject, including it.
        subject: The words for the speaker.
        between: The text from the subject to the role.
        is_plural: Whether the role word is a plural.
    """
    if PATTERNS.other.search(between) or PATTERNS.object.search(between):
        return False
    if PATTERNS.of_me.search(lead) and not PATTERNS.my_word.search(lead):
        return False
    if not PATTERNS.holds.search(subject + between) and not PATTERNS.bare_gap.fullmatch(between):
        return False
    return not is_plural or bool(PATTERNS.of_several.search(subject + between))


def idiom_claims(text: str) -> list[tuple[str, str]]:
    """Return the claims in idioms that are the speaker's in any context."""
    if match := PATTERNS.inverted.search(text):
        return [("deny" if match[2] else "claim", match[1])]
    if match := PATTERNS.not_me.search(text):
        return [("deny", match[1] or "wolf")]
    if (match := PATTERNS.holder.search(text)) and "@" not in text[: match.start()]:
        return [("claim", next(filter(None, match.groups()), "looker"))]
    if match := PATTERNS.just_a.match(text):
        return [("claim", match[1])]
    if denials := PATTERNS.not_roles.match(text):
        return [("deny", match[1]) for match in PATTERNS.role_word.finditer(denials[0])]
    return []


@lru_cache(maxsize=512)
def is_retraction(text: str, statement: str) -> bool:
    """Return whether a clause of `statement` takes back its speaker's claim."""
    match = PATTERNS.retract.search(text) or (
        PATTERNS.forget_it.search(text) if PATTERNS.claim_made.search(statement) else None
    )
    if not match or PATTERNS.not_the_claim.search(text):
        return False
    return bool(PATTERNS.mine.search(statement)) and not PATTERNS.others_take.search(text)


def shared_mate(text: str, statement: str, claims_mate: bool, last: str = "") -> str:
    """Return the seat that a clause calls the speaker's fellow mate, "" for none.

    Args:
        text: The clause.
        statement: The whole statement.
        claims_mate: Whether the speaker claims to be a mate.
        last: The seat named before.
    """
    is_unnamed = last and "@" not in text
    if is_unnamed and PATTERNS.other_mate.search(text):
        return last
    if is_denied(text):
        return ""
    if is_unnamed and PATTERNS.mate.search(statement) and PATTERNS.we.search(text):
        return last
    if LEXICON.hearsay.search(text):
        return ""
    mentions = list(MENTION.finditer(text))
    single_seats = [m[1] for m in mentions if m[1].isdigit()]
    about = PATTERNS.mates.search(statement)
    if shared_mentions := [PATTERNS.plus_me.sub("", m[1]) for m in mentions if "me" in m[1]]:
        return shared_mentions[0] if shared_mentions[0].isdigit() and about else ""
    if not single_seats or (mentions[-1][2] and not PATTERNS.mate.search(text)):
        return ""
    if PATTERNS.my_partner.search(text):
        return single_seats[0]
    if not (about or claims_mate) or PATTERNS.others_words.search(text.split("@")[0]):
        return ""
    if claims_mate and (PATTERNS.partner.search(text) or PATTERNS.so_is.fullmatch(text)):
        return single_seats[-1]
    is_near = PATTERNS.mate_seat.search(text) or PATTERNS.seat_mate.search(text)
    is_of_speaker = PATTERNS.me.search(text) or PATTERNS.mate_first.match(text)
    return single_seats[-1] if is_near and is_of_speaker and PATTERNS.together.search(text) else ""
