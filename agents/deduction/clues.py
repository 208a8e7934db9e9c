"""Clues: the facts of the talk that make some roles likelier than others (SPEC 2.10).

A clue is a plain tuple, so that its weights over the deals can be cached.
`agents.deduction.likelihoods` has the weights.
"""

from collections import Counter, defaultdict
from functools import lru_cache

from agents.talk.dialogue import Dialogue

Clue = tuple[str, int, tuple[int | str, ...]]  # (kind, speaker, content)

# An uninformative turn is the silence of a player who has accused no one, or bare assent to others
# (`_count_following`).
MAX_SILENT_TURNS = 3  # further silent turns do not count
MAX_UNINFORMATIVE_TURNS = 6  # further silent or assenting turns do not count


@lru_cache(maxsize=64)
def collect_clues(dialogue: Dialogue) -> tuple[Clue, ...]:
    """Return the clues in the talk, in a fixed order."""
    collected: list[Clue] = [("claim", s, (r,)) for s, r in dialogue.claims.items()]
    collected += [("changed", seat, ()) for seat in dialogue.changed]
    collected += [("copied", seat, ()) for seat in dialogue.copiers]
    for seat, look in dialogue.reported_looks:
        collected.append(("report", seat, (look.source, look.value, *look.targets)))
    claims = dialogue.claims
    collected += [("companion", s, (claims[s], mate)) for s, mate in dialogue.companions.items()]
    for role in dialogue.pack.roles("looker"):
        if dialogue.pack.deck.count(role) == 1:
            collected += [("unclaimed", seat, (role,)) for seat in _silent_rivals(dialogue, role)]
    for act in dialogue.acts("claim"):  # a confession counts even if it was withdrawn
        if act.role in dialogue.pack.wolves and claims.get(act.speaker) != act.role:
            collected.append(("claim", act.speaker, (act.role,)))
    # In passes, a player who is done has an empty turn. Elsewhere a claim alone says nothing.
    quiet = dialogue.quiet if dialogue.pack.ruleset.rounds else dialogue.silent
    silent = {s: n for s, n in quiet.items() if not dialogue.pressed_by(s)}
    turns = Counter({s: min(n, MAX_SILENT_TURNS) for s, n in silent.items()})
    turns += _count_following(dialogue)
    collected += [("silent", s, (min(n, MAX_UNINFORMATIVE_TURNS),)) for s, n in turns.items()]
    collected += [("presses", s, (target,)) for s, target in _first_accusations(dialogue)]
    for act in dialogue.acts("defend"):
        collected += [("defends", act.speaker, (t,)) for t in act.targets]
    collected += [("broke", seat, (day,)) for day, seat in dialogue.broken_pledges]
    votes = dialogue.course.decisive_votes()
    collected += [("ballot", vote.seat, (vote.target,)) for vote in votes]
    return tuple(sorted(set(collected), key=repr))


def _first_accusations(dialogue: Dialogue) -> set[tuple[int, int]]:
    """Return (speaker, target) of the first accusations of each player on each day.

    Later accusations are no evidence: a player can join them at no cost, even against a partner,
    who is accused anyway.
    """
    accusers = defaultdict[tuple[int, int], set[int]](set)  # (day, target) -> seats
    first: set[tuple[int, int]] = set()
    for statement in dialogue.statements:
        for target in statement.presses():
            seats = accusers[statement.day, target]
            seats.add(statement.seat)
            if len(seats) == 1:
                first.add((statement.seat, target))
    return first


def _count_following(dialogue: Dialogue) -> Counter[int]:
    """Return seat -> number of its statements on days on which it said nothing of its own.

    On such a day it claims a plain role at most, and announces votes only for players that others
    had pressed that day.
    """
    pack, accusers = dialogue.pack, defaultdict[tuple[int, int], set[int]](set)
    turns = Counter[tuple[int, int]]()  # (day, seat) -> statements
    followers: set[tuple[int, int]] = set()  # (day, seat) with such a vote
    independents: set[tuple[int, int]] = set()  # (day, seat) with anything else
    for statement in dialogue.statements:
        key = statement.day, statement.seat
        turns[key] += 1
        for act in statement.acts:
            is_led = all(accusers[statement.day, t] - {statement.seat} for t in act.targets)
            if act.kind == "vote" and is_led:
                followers.add(key)
            elif act.kind != "claim" or pack.part(act.role) != "plain":
                independents.add(key)
        for target in statement.presses():
            accusers[statement.day, target].add(statement.seat)
    following = Counter[int]()
    for day, seat in followers - independents:
        following[seat] += turns[day, seat]
    return following


def _silent_rivals(dialogue: Dialogue, role: str) -> set[int]:
    """Return the seats that did not answer another player's claim to a single role.

    They hardly hold the role themselves.
    """
    claimants: set[int] = set()
    silent_seats: set[int] = set()
    for statement in dialogue.statements:
        seat, is_claimant = statement.seat, dialogue.claims.get(statement.seat) == role
        if claimants - {seat} and not is_claimant:
            silent_seats.add(seat)
        if is_claimant and any(a.role == role for a in statement.acts):
            claimants.add(seat)
    return silent_seats
