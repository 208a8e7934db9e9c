"""Roles that a clause claims or denies for its speaker."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agents.language.patterns import LEXICON, load
from agents.understanding.clauses import MENTION

P = load("self_claims")
IDIOMS = load("role_idioms")


def denied(before: str) -> bool:
    """Return whether a role is denied by the words before it.

    A denial reaches 44 characters.
    """
    return bool(P.no.search(P.free.sub(" ", before)[-44:]))


def roles(text: str, before: str = "", after: str = "") -> Iterator[tuple[str, str]]:
    """Yield (claim or deny, role) for every role a clause gives to its speaker.

    before, after: what stands around it in its sentence.
    """
    role_words = list(IDIOMS.role_word.finditer(before))
    if (
        role_words
        and P.that_i_am.match(text)
        and ("@" in before or "real" in before or "one of" in text)
    ):
        yield ("claim", role_words[-1][1])
        return
    if P.elliptical.match(text):
        text = "i " + text
    if P.act_of_claiming.match(f"{text} {after}"):
        return
    spoken = P.me.search(text) or P.here.search(text)
    if P.bare.match(text) and P.called_on.match(after) and not spoken:
        return
    if told_so := fixed(text):
        yield from told_so
        return
    tells_of_others = ("@" in before or P.of_others.search(before)) and not P.asked.search(before)
    if tells_of_others and not P.me.search(text) and not P.here.search(text):
        return
    if P.bare.match(text) and not P.addressed.search(text):
        yield from _listed(text)
    elif shown_role := _inverted_claim(text):
        yield shown_role
    else:
        yield from _claimed_roles(text)


def _inverted_claim(text: str) -> tuple[str, str] | None:
    """Return the role in "the looker is me", "my card is the looker"."""
    if (match := P.after_me.search(text)) and not IDIOMS.other.search(text[: match.start()]):
        return ("deny" if denied(text[: match.start(1)]) else "claim", match[1])
    card, role = P.card.search(text), IDIOMS.role_word.search(text)
    if not card or not role or role[2] or MENTION.search(text[: role.start()]):
        return None
    between = text[min(card.end(), role.end()) : max(card.start(), role.start())]
    if P.object.search(between):
        return None
    return ("deny" if denied(text[: role.start()]) else "claim", role[1])


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the roles of a bare list: "not the wolf, just a mate"."""
    role_words = list(IDIOMS.role_word.finditer(text))
    start, no = 0, False
    for match in role_words:
        gap = text[start : match.start()]
        no = denied(gap)
        mine = bool(P.me.search(text))
        owned = match[1] != "wolf" or no or mine
        if owned and (mine or not match[2]):
            yield ("deny" if no else "claim", match[1])
        start = match.end()


def _claimed_roles(text: str) -> Iterator[tuple[str, str]]:
    """Yield the roles in a sentence whose subject is the speaker, or "as a mate"."""
    for match in IDIOMS.role_word.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if (match[3] and not P.card_after.match(after)) or P.on_seat.match(after):
            continue
        mine = list(P.subject.finditer(before))
        if P.type_after.match(after):
            continue
        if not mine:
            if P.as_a.match(before) and not match[2]:
                yield ("claim", match[1])
            continue
        between = before[mine[-1].end() :]
        if not _holds(before[: mine[-1].end()], mine[-1][0], between, plural=bool(match[2])):
            continue
        yield ("deny" if denied(between) else "claim", match[1])


def _holds(lead: str, subject: str, between: str, plural: bool) -> bool:
    """Return whether a role belongs to `subject`, the speaker.

    lead: all up to and with the subject; between: from there to the role.
    """
    if IDIOMS.other.search(between) or P.object.search(between):
        return False
    if LEXICON.hearsay.search(lead):
        return False
    if P.of_me.search(lead) and not P.my_word.search(lead):
        return False
    if not P.holds.search(subject + between) and not P.bare_gap.fullmatch(between):
        return False
    return not plural or bool(P.of_several.search(subject + between))


def fixed(text: str) -> list[tuple[str, str]]:
    """Turns of speech that are the speaker's whatever stands around them."""
    if match := IDIOMS.inverted.search(text):
        return [("deny" if match[2] else "claim", match[1])]
    if match := IDIOMS.not_me.search(text):
        return [("deny", match[1] or "wolf")]
    if (match := IDIOMS.holder.search(text)) and "@" not in text[: match.start()]:
        return [("claim", next(filter(None, match.groups()), "looker"))]
    if match := IDIOMS.absurd.search(text):
        return [("deny", match[1])]
    if (match := IDIOMS.just_a.match(text)) and not IDIOMS.other.search(match[0]):
        return [("claim", match[1])]
    if match := IDIOMS.claim_of.match(text):
        return [("claim", match[1])]
    if (match := IDIOMS.told_as.search(text)) and not IDIOMS.other.search(text[: match.start()]):
        return [("claim", match[1])]
    if match := IDIOMS.wished.search(text):
        return [("deny", match[1])]
    if denials := IDIOMS.not_roles.match(text):
        return [("deny", match[1]) for match in IDIOMS.role_word.finditer(denials[0])]
    return []


@lru_cache(maxsize=512)
def takes_back(text: str, everything: str) -> bool:
    """Return whether a clause takes back what its speaker claimed.

    Everything: the statement.
    """
    match = IDIOMS.retract.search(text) or (
        IDIOMS.forget_it.search(text) if IDIOMS.claim_made.search(everything) else None
    )
    if not match or IDIOMS.not_the_claim.search(text) or IDIOMS.not_taken.search(text):
        return False
    return bool(IDIOMS.mine.search(everything)) and not IDIOMS.others_take.search(text)
