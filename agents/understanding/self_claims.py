"""Find the roles that a speaker claims, denies or takes back, and the speaker's fellow mate."""

from collections.abc import Iterator
from functools import lru_cache

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION

PATTERNS = load("self_claims")
DENIAL_REACH = 44  # only this many characters before a role are searched for a denial


def is_denied(before: str) -> bool:
    """Return whether the text before a role denies it."""
    text = PATTERNS.harmless_denial.sub(" ", before)
    return bool(PATTERNS.role_denial.search(text[-DENIAL_REACH:]))


def role_claims(clause: str, before: str = "", after: str = "") -> Iterator[tuple[str, str]]:
    """Yield ("claim" or "deny", role token) for every role that a clause gives its speaker.

    Args:
        clause: The clause.
        before: The text before it in its sentence.
        after: The text after it.
    """
    role_words = list(PATTERNS.role_word.finditer(before))
    if role_words and PATTERNS.that_i_am.match(clause) and ("@" in before or "one of" in clause):
        yield ("claim", role_words[-1][1])  # "Beta can't be the looker because I am."
        return
    if PATTERNS.act_of_claiming.match(f"{clause} {after}"):
        return  # "Claiming looker now is foolish, Beta."
    if PATTERNS.called_on.match(after) and not PATTERNS.me.search(clause):
        return  # "Looker, look at Theta next."
    if claims := _idiom_claims(clause):
        yield from claims  # "not a mate"
    elif "@" in before and not PATTERNS.me.search(clause):
        return  # "Beta is a false mate.": the clause "mate"
    elif PATTERNS.only_roles.match(clause):
        yield from _list_claims(clause)  # "Mate, by the way"
    elif claim := _inverted_claim(clause):
        yield claim  # "the looker is me"
    else:
        yield from _subject_claims(clause)  # "I am a mate"


def _claim(role: str, before: str) -> tuple[str, str]:
    """Return the claim of a role, or its denial by the words before it."""
    return ("deny" if is_denied(before) else "claim", role)


def _inverted_claim(clause: str) -> tuple[str, str] | None:
    """Return the claim in "the looker is me" or "my card is the looker", None for none."""
    if (match := PATTERNS.after_me.search(clause)) and not PATTERNS.somebody_else.search(
        clause[: match.start()]
    ):
        return _claim(match[1], clause[: match.start()])
    role = PATTERNS.role_word.search(clause) if PATTERNS.card.search(clause) else None
    return _claim(role[1], clause[: role.start()]) if role else None


def _list_claims(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the claims in a bare list of roles: "not the wolf, just a mate"."""
    start, names_speaker = 0, bool(PATTERNS.me.search(clause))
    for match in PATTERNS.role_word.finditer(clause):
        kind, role = _claim(match[1], clause[start : match.start()])
        # Without "I", a plural or "the wolf" is about others. "Not the wolf" is about the speaker.
        if names_speaker or (not match[2] and (role != "wolf" or kind == "deny")):
            yield kind, role
        start = match.end()


def _subject_claims(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the claims in a clause whose subject is the speaker, or in "as a mate"."""
    for match in PATTERNS.role_word.finditer(clause):
        before, after = clause[: match.start()], clause[match.end() :]
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
    if PATTERNS.somebody_else.search(between) or PATTERNS.object_verb.search(between):
        return False
    if PATTERNS.of_me.search(lead) and not PATTERNS.my_word.search(lead):
        return False
    if not PATTERNS.holds.search(subject + between) and not PATTERNS.bare_gap.fullmatch(between):
        return False
    return not is_plural or bool(PATTERNS.of_several.search(subject + between))


def _idiom_claims(clause: str) -> list[tuple[str, str]]:
    """Return the claims in idioms that are the speaker's in any context."""
    if match := PATTERNS.inverted.search(clause):
        return [("deny" if match[2] else "claim", match[1])]
    if match := PATTERNS.not_me.search(clause):
        return [("deny", match[1] or "wolf")]
    if (match := PATTERNS.holder.search(clause)) and "@" not in clause[: match.start()]:
        return [("claim", next(filter(None, match.groups()), "looker"))]
    if match := PATTERNS.just_a.match(clause):
        return [("claim", match[1])]
    if denials := PATTERNS.not_roles.match(clause):
        return [("deny", match[1]) for match in PATTERNS.role_word.finditer(denials[0])]
    return []


@lru_cache(maxsize=512)  # a text is read again for each seat that it may be said to
def is_retraction(clause: str, statement: str) -> bool:
    """Return whether a clause of `statement` takes back its speaker's claim."""
    match = PATTERNS.retract.search(clause) or (
        PATTERNS.forget_it.search(clause) if PATTERNS.claim_made.search(statement) else None
    )
    if not match or PATTERNS.not_the_claim.search(clause):
        return False
    return bool(PATTERNS.mine.search(statement)) and not PATTERNS.others_take.search(clause)


def shared_mate(clause: str, statement: str, claims_mate: bool, last_seat: str = "") -> str:
    """Return the seat that a clause calls the speaker's fellow mate, "" for none.

    Args:
        clause: The clause.
        statement: The whole statement.
        claims_mate: Whether the speaker claims to be a mate.
        last_seat: The seat named before.
    """
    means_last_seat = bool(last_seat) and "@" not in clause
    if means_last_seat and PATTERNS.other_mate.search(clause):
        return last_seat  # "Beta is who he says he is: I'm the other mate."
    if is_denied(clause):
        return ""  # "I'm no mate."
    has_mate = means_last_seat and PATTERNS.mate_role.search(statement)
    if has_mate and PATTERNS.pair_subject.search(clause):
        return last_seat  # "Beta is my partner. We are both mates."
    if LEXICON.hearsay.search(clause):
        return ""  # "Beta says he's a mate."
    return _named_mate(clause, bool(PATTERNS.mate_word.search(statement)), claims_mate)


def _named_mate(clause: str, statement_names_mates: bool, claims_mate: bool) -> str:
    """Return the mentioned seat that a clause calls the speaker's fellow mate, "" for none."""
    mentions = list(MENTION.finditer(clause))
    single_seats = [m[1] for m in mentions if m[1].isdigit()]
    if pairs_with_speaker := [PATTERNS.plus_me.sub("", m[1]) for m in mentions if "me" in m[1]]:
        # "Beta and I are the mates."
        is_one_seat = pairs_with_speaker[0].isdigit()
        return pairs_with_speaker[0] if is_one_seat and statement_names_mates else ""
    if not single_seats or (mentions[-1][2] and not PATTERNS.mate_role.search(clause)):
        return ""  # "I claim mate.", "my partner trusts Beta's vote"
    if PATTERNS.my_partner.search(clause):
        return single_seats[0]  # "My other half is Beta."
    if not (statement_names_mates or claims_mate):
        return ""  # "I'm with Beta on this."
    if PATTERNS.others_words.search(clause.split("@")[0]):
        return ""  # "You win, Beta, I drew the mate card."
    if claims_mate and (PATTERNS.partner.search(clause) or PATTERNS.so_is.fullmatch(clause)):
        return single_seats[-1]  # "I'm the mate, Beta is the other one."
    is_near = PATTERNS.mate_seat.search(clause) or PATTERNS.seat_mate.search(clause)
    is_of_speaker = PATTERNS.me.search(clause) or PATTERNS.mate_first.match(clause)
    if is_near and is_of_speaker and PATTERNS.together.search(clause):
        return single_seats[-1]  # "I am a mate with Beta."
    return ""  # "I'm a mate with Beta, he can confirm": the second clause
