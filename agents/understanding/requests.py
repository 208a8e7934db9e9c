"""Find what a sentence asks of others: an answer, or that a role should speak or wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.language.patterns import load
from agents.understanding.rules import decide, load_rules

P = load("requests")


def asked_seats(
    sentence: str,
    body: str,
    clauses: Sequence[str],
    addressed_seats: Sequence[str],
    you: str,
    is_question: bool,
) -> str:
    """Return the seats that a sentence asks something, such as "2+3", "" for none.

    Args:
        sentence: The whole sentence.
        body: The sentence without the names it calls.
        clauses: The clauses of the body.
        addressed_seats: The seats that it calls by name.
        you: The seat that "you" means, "" for none.
        is_question: Whether it ends in a question mark.
    """
    says_you = bool(P.you.search(sentence))
    asking = [c for c in clauses if P.asking.match(c)]
    seats = ""
    if is_question and not clauses:
        return ""
    if is_question:
        seats = "+".join(addressed_seats)
        if not seats and (says_you or P.wh_to_you.match(sentence)):
            seats = you
        if not seats and (match := P.asked_last.search(body)):
            seats = "" if P.of_nobody.match(body) else match[1]
    elif addressed_seats and any(P.wh_you.match(c) or P.tell.match(c) for c in asking):
        seats = "+".join(addressed_seats)
    elif says_you and not addressed_seats and asking and P.wh_you.match(asking[0]):
        seats = you
    if not seats and (match := P.hear.search(body)) and not P.asked_otherwise.search(body):
        seats = match[1]
    return seats


def asks_everyone(sentence: str) -> bool:
    """Return whether a sentence asks all players."""
    return bool(P.everyone.match(sentence))


def question_topic(body: str) -> str:
    """Return the topic of a question: "reason", "result", "role", "suspect" or ""."""
    return decide(load_rules("requests")["topic"], {"clause": body})


def proposals(body: str, is_question: bool) -> Iterator[tuple[str, str]]:
    """Yield (role, "speak" or "wait") for what a sentence wants the holders of a role to do."""
    role_match = P.of_role.search(body)
    if not (role_match or P.role_called.search(body)) or is_question:
        return
    after = body[role_match.start() :] if role_match else body
    if not (
        proposal := decide(load_rules("requests")["proposal"], {"clause": body, "right": after})
    ):
        return
    for role in dict.fromkeys(m[1] for m in P.called.finditer(after)):
        yield (role, proposal)
