"""Likelihoods: how probable each role makes a statement (SPEC 2.10).

The figures are ours, because the papers give none. They are chosen so that readings of the house
player's talk match its intentions. A clue is a plain tuple, so that its weights over the deals can
be cached.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agents.deduction.deals import Belief, Deals, Logs, Mask, count_deals, enumerate_deals
from agents.deduction.factored_deals import NotFactored, count_weights, factor_deals
from agents.packs import Pack, Part, Result
from agents.talk.course import Course
from agents.talk.dialogue import Dialogue
from game.engine.visibility import View

Clue = tuple[str, int, tuple[int | str, ...]]  # (kind, speaker, content)
RoleProbabilities = dict[int, dict[str, float]]  # seat -> role -> probability

OWN = "own"  # key of the claimed role itself
# Part of the claimed role -> part of the held role -> likelihood of the claim. A pack's own figures
# replace these.
CLAIMS: dict[Part, dict[str, float]] = {
    "looker": {OWN: 0.9, "wolf": 0.18, "helper": 0.4, "loner": 0.35},
    "mate": {OWN: 0.8, "wolf": 0.1, "helper": 0.06, "loner": 0.14},
    "plain": {OWN: 0.8, "looker": 0.04, "mate": 0.04, "wolf": 0.68, "helper": 0.5, "loner": 0.35},
    # A confession may be true, or a lie by a role that wants votes. A claim to be a helper or a
    # loner is a plea to be spared, which helps the hunted most.
    "wolf": {OWN: 0.3, "helper": 0.1, "loner": 0.2},
    "helper": {OWN: 0.1, "wolf": 0.15, "loner": 0.1},
    "loner": {OWN: 0.15, "wolf": 0.2, "helper": 0.08},
}
UNLISTED_CLAIM = 0.015  # likelihood for parts that CLAIMS does not list
# An uninformative turn: silence of a player who has accused no one, or bare assent to others
# (`_count_following`). Players with secrets have more of them.
SILENT: dict[Part, float] = {"wolf": 1.0, "helper": 0.9, "loner": 0.9}
MAX_SILENT_TURNS = 3  # more do not count
MAX_UNINFORMATIVE_TURNS = 6  # the same for silence and assent together
UNCLAIMED = 0.2  # holder of a single role that leaves a false claim of it unanswered
CHANGED: dict[Part, float] = {"wolf": 0.25, "helper": 0.25, "loner": 0.25}
NO_CHANGE = 0.04
# Repeating the result of another report: a true looker rarely has the same result.
COPIES: dict[Part, float] = {"looker": 0.01, "wolf": 0.6, "helper": 0.15, "loner": 0.15}
NO_COPY = 0.02
BROKEN_WORD = 1.3  # ratio: liars vote otherwise than announced, to others doing so
INVENTED = {True: 0.4, False: 0.55}  # likelihood that an invented look finds (True) or clears
FALSE_REPORT = 0.002  # likelihood that a true looker reports another answer than it got
# Companions: likelihood that a true holder names a wrong player, and that a liar names one.
WRONG_COMPANION, FALSE_COMPANION = 0.01, 0.12
HELPER_PRESSES = -0.1  # log-likelihood that a helper presses the hunted
HELPER_DEFENDS, OTHER_DEFENDS = 1.3, 0.85  # likelihood ratios of a defence of the hunted
SAVED = 0.2  # probability that a protected player is hunted if no one dies, relative to the others'
SMALL_DECK_DEALS = 20_000  # up to it, clue weights are cached: 80 kB each in the one-night game
MAX_DEALS = 2_000_000  # limit of enumeration: a belief of 1,441,440 deals takes 1 s and 107 MB
# limit of factored deals: a belief of 120,120 weights takes 0.2 s and 170 MB
MAX_WEIGHTS = 200_000


@dataclass(frozen=True)
class Knowledge:
    """Certain knowledge of a seat, or what it would know if its story were true.

    Attributes:
        roles: (seat, role) pairs.
        looks: results of its own looks.
        killed: players killed by the hunted.
        living: living players, if the hunted would win as soon as they are as many as the others.
        saved: players the seat protected in a night in which no one died.
    """

    seat: int
    roles: tuple[tuple[int, str], ...]
    looks: tuple[Result, ...] = ()
    killed: tuple[int, ...] = ()
    living: tuple[int, ...] = ()
    saved: tuple[int, ...] = ()

    @classmethod
    def of(cls, view: View, pack: Pack) -> Knowledge:
        """Build the knowledge of `view`'s own seat."""
        course = Course.of(view, pack.ruleset)
        return cls(
            view.seat,
            tuple(sorted(view.state.roles.items())),
            looks_of(view, pack),
            tuple(death.seat for death in course.killed),
            view.state.living() if pack.data.even_ends else (),
            tuple(
                sorted(
                    {k.target for k in course.protections if k.when in course.quiet} - {view.seat}
                )
            ),
        )


def looks_of(view: View, pack: Pack) -> tuple[Result, ...]:
    """Return the viewer's looks with a known answer, oldest first."""
    if (look := pack.look(view.role)) is None:
        return ()
    return tuple(
        Result(view.role, tuple(sorted(event["targets"])), value)
        for event in view.events
        if event.kind == look.event and (value := look.answer_in(event.data))
    )


@lru_cache(maxsize=64)
def collect_clues(dialogue: Dialogue) -> tuple[Clue, ...]:
    """Return the clues in the talk, in a fixed order."""
    collected: list[Clue] = [("claim", s, (r,)) for s, r in dialogue.claims.items()]
    collected += [("changed", seat, ()) for seat in dialogue.changed]
    collected += [("copied", seat, ()) for seat in dialogue.copiers]
    collected += [
        ("report", s, (r.source, r.value, *r.targets)) for s, r in dialogue.reported_looks
    ]
    claims = dialogue.claims
    collected += [("companion", s, (claims[s], mate)) for s, mate in dialogue.companions.items()]
    for role in dialogue.pack.roles("looker"):
        if dialogue.pack.deck.count(role) == 1:
            collected += [("unclaimed", seat, (role,)) for seat in _silent_rivals(dialogue, role)]
    for act in dialogue.acts("claim"):  # a confession counts even if it was withdrawn
        if act.role in dialogue.pack.wolves and claims.get(act.speaker) != act.role:
            collected.append(("claim", act.speaker, (act.role,)))
    # In passes, a player who is done has an empty turn. Elsewhere a claim alone is no contribution.
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
    for statement in dialogue.said:
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
    not_followers: set[tuple[int, int]] = set()
    has_voted: set[tuple[int, int]] = set()
    for statement in dialogue.said:
        key = statement.day, statement.seat
        turns[key] += 1
        for act in statement.acts:
            is_led = all(accusers[statement.day, t] - {statement.seat} for t in act.targets)
            if act.kind == "vote" and is_led:
                has_voted.add(key)
            elif act.kind != "claim" or pack.part(act.role) != "plain":
                not_followers.add(key)
        for target in statement.presses():
            accusers[statement.day, target].add(statement.seat)
    following = Counter[int]()
    for day, seat in has_voted - not_followers:
        following[seat] += turns[day, seat]
    return following


def _silent_rivals(dialogue: Dialogue, role: str) -> set[int]:
    """Return seats that heard a claim of the deck's only such role and did not object.

    They hardly hold the role themselves.
    """
    claimants: set[int] = set()
    silent_seats: set[int] = set()
    for statement in dialogue.said:
        seat, is_claimant = statement.seat, dialogue.claims.get(statement.seat) == role
        if claimants - {seat} and not is_claimant:
            silent_seats.add(seat)
        if is_claimant and any(a.role == role for a in statement.acts):
            claimants.add(seat)
    return silent_seats


@lru_cache(maxsize=64)  # a poll and the vote after it use the same result
def infer_roles(pack: Pack, knowledge: Knowledge, clue_list: tuple[Clue, ...]) -> RoleProbabilities:
    """Return seat -> role -> probability, given `knowledge` and clues. Do not change it.

    Clues from a seat's own statements are no evidence to itself and are left out.
    """
    deals = deals_of(pack)
    belief = _build_belief(pack, knowledge)
    for seat in knowledge.saved:  # an attack is likelier than a disagreement of the hunted
        belief.add_binary_clue(deals.holds(seat, *pack.hunted), SAVED, 1.0)
    weigh = _cached_weigh if len(deals.rows) <= SMALL_DECK_DEALS else _weigh
    for clue in clue_list:
        if clue[1] != knowledge.seat:
            belief.add_clue(weigh(deals, pack, clue))
    return belief.probabilities()


@lru_cache(maxsize=256)
def is_possible(pack: Pack, knowledge: Knowledge) -> bool:
    """Return whether a deal fits all of `knowledge`, by the rules alone and without any clue."""
    return _build_belief(pack, knowledge).remaining_count > 0


def _build_belief(pack: Pack, knowledge: Knowledge) -> Belief:
    """Return a belief in which the deals that fit `knowledge` are equally likely."""
    deals = deals_of(pack)
    belief = deals.uniform()
    for seat, role in knowledge.roles:
        belief.keep_only(deals.holds(seat, role))
    for result in knowledge.looks:
        if look := pack.look(result.source):
            belief.keep_only(deals.gives_answer(result.targets, look, result.value))
    for seat in knowledge.killed:
        belief.keep_only(~deals.holds(seat, *pack.hunted))
    if knowledge.living:
        belief.keep_only(_not_won(deals, pack.hunted, knowledge.living))
    return belief


@lru_cache(maxsize=8)  # all seats at a table need the same one
def _not_won(deals: Deals, hunted_roles: tuple[str, ...], living: tuple[int, ...]) -> Mask:
    """Return the deals in which some hunted players live, but fewer than other players."""
    hunted = deals.count(living, *hunted_roles)
    mask = (hunted > 0) & (2 * hunted < len(living))
    mask.setflags(write=False)
    return mask


class DeckTooLarge(ValueError):
    """The deck of a ruleset is too large for house players. The message names the ruleset."""


@lru_cache(maxsize=8)
def deals_of(pack: Pack) -> Deals:
    """Return the deals of the pack's deck, in the form with the faster beliefs.

    A small deck is enumerated. A large one is factored, with the roles of the hunted team as its
    outer roles, or enumerated if a clue does not allow that.

    Raises:
        DeckTooLarge: neither is possible.
    """
    number = count_deals(pack.deck)
    if number > SMALL_DECK_DEALS:
        if count_weights(pack.deck, pack.wolves) <= MAX_WEIGHTS:
            factored = factor_deals(pack.deck, pack.wolves)
            if _can_weigh(factored, pack):
                return factored
        if number > MAX_DEALS:
            raise DeckTooLarge(f"the deck of {pack.ruleset.name!r} has {number:,} deals: too many")
    return enumerate_deals(pack.deck)


def _can_weigh(deals: Deals, pack: Pack) -> bool:
    """Return whether `deals` can weigh each kind of clue on several players."""
    samples: list[Clue] = [("presses", 1, (2,)), ("defends", 1, (2,))]
    samples += [("companion", 1, (role, 2)) for role in pack.roles("mate")]
    for role in pack.roles("looker"):
        if look := pack.look(role):
            targets = range(2, 2 + look.seats)
            samples += [("report", 1, (role, value, *targets)) for value, _keys in look.answers]
    try:
        for clue in samples:
            _weigh(deals, pack, clue)
    except NotFactored:
        return False
    return True


def _weigh(deals: Deals, pack: Pack, clue: Clue) -> Logs:
    """Return the log-likelihood of `clue` per deal."""
    logs = _WEIGH[clue[0]](deals, pack, clue[1], *clue[2])
    logs.setflags(write=False)
    return logs


_cached_weigh = lru_cache(maxsize=400)(_weigh)  # a long day of 13 seats makes 300


def _claim(deals: Deals, pack: Pack, seat: int, role: str) -> Logs:
    return deals.by_role(seat, _claimed(pack, role), UNLISTED_CLAIM)


def _claimed(pack: Pack, role: str) -> Mapping[str, float]:
    """Return role held -> likelihood that its holder claims `role`.

    The pack may give it. Otherwise it follows from the parts of the two roles.
    """
    if role in pack.data.claims:
        return pack.data.claims[role]
    figures = CLAIMS[pack.parts[role]]
    return {
        held_role: figures[OWN] if held_role == role else figures.get(part, UNLISTED_CLAIM)
        for held_role, part in pack.parts.items()
    }


def _changed(deals: Deals, pack: Pack, seat: int) -> Logs:
    figures = {role: CHANGED.get(part, NO_CHANGE) for role, part in pack.parts.items()}
    return deals.by_role(seat, {**figures, **pack.data.changed}, NO_CHANGE)


def _copied(deals: Deals, pack: Pack, seat: int) -> Logs:
    figures = {role: COPIES.get(part, NO_COPY) for role, part in pack.parts.items()}
    return deals.by_role(seat, figures, NO_COPY)


def _silent(deals: Deals, pack: Pack, seat: int, turns: int) -> Logs:
    figures = {
        role: SILENT.get(part, pack.figure("speaks")) ** turns for role, part in pack.parts.items()
    }
    return deals.by_role(seat, figures, 1.0)


def _unclaimed(deals: Deals, _pack: Pack, seat: int, role: str) -> Logs:
    return deals.by_role(seat, {role: UNCLAIMED}, 1.0)


def _report(deals: Deals, pack: Pack, seat: int, source: str, value: str, *targets: int) -> Logs:
    """Return the weights of a report by a true looker or a liar.

    A true looker reports the deal's answer for its targets. A liar finds or clears at will, with
    any answer that does so.
    """
    look = pack.look(source)
    assert look is not None
    finds = {v: pack.accuses(Result(source, targets, v)) for v, _roles in look.answers}
    invented = INVENTED[finds[value]] / sum(f == finds[value] for f in finds.values())
    true = np.where(deals.gives_answer(targets, look, value), 0.0, np.log(FALSE_REPORT))
    return np.where(deals.holds(seat, source), true, np.log(invented))


def _companion(deals: Deals, _pack: Pack, seat: int, role: str, partner: int) -> Logs:
    holder, mate = deals.holds(seat, role), deals.holds(partner, role)
    otherwise = np.where(holder, np.log(WRONG_COMPANION), np.log(FALSE_COMPANION))
    return np.where(holder & mate, 0.0, otherwise)


def _mates(deals: Deals, pack: Pack, seat: int, target: int) -> Mask:
    """Return the deals in which both seats hold a role whose holders know each other."""
    mask = deals.holds(seat)
    for role in pack.acquainted:
        mask = mask | deals.holds(seat, role) & deals.holds(target, role)
    return mask


def _presses(
    deals: Deals, pack: Pack, seat: int, target: int, kind: str = "pressed", often: float = 1.0
) -> Logs:
    """Return the weights of an accusation, which players who know each other avoid.

    It is no other evidence about the target, because everyone follows the same talk.

    Args:
        kind: beginning of the pack's figure for players who know each other.
        often: how much likelier the village accuses the hunted than others.
    """
    wolf = deals.holds(target, *pack.hunted)
    helper = deals.holds(seat, *pack.roles("helper"))
    are_mates = _mates(deals, pack, seat, target)
    likelihood = np.where(wolf, np.where(helper, HELPER_PRESSES, np.log(often)), 0.0)
    return np.where(are_mates, np.log(pack.figure(f"{kind}_mate")), likelihood)


def _ballot(deals: Deals, pack: Pack, seat: int, target: int) -> Logs:
    """Return the weights of a vote. The village votes for the hunted more often."""
    return _presses(deals, pack, seat, target, "voted", pack.figure("voted_hunted"))


def _broke(deals: Deals, pack: Pack, seat: int, _day: int) -> Logs:
    """Return the weights of a vote that differs from the announced one, which liars cast."""
    return deals.by_role(seat, dict.fromkeys(pack.liars, BROKEN_WORD), 1.0)


def _defends(deals: Deals, pack: Pack, seat: int, target: int) -> Logs:
    wolf = deals.holds(target, *pack.hunted)
    helper = deals.holds(seat, *pack.roles("helper"))
    return np.where(wolf, np.where(helper, np.log(HELPER_DEFENDS), np.log(OTHER_DEFENDS)), 0.0)


_WEIGH: dict[str, Callable[..., Logs]] = {
    "claim": _claim,
    "changed": _changed,
    "copied": _copied,
    "unclaimed": _unclaimed,
    "silent": _silent,
    "report": _report,
    "companion": _companion,
    "presses": _presses,
    "ballot": _ballot,
    "broke": _broke,
    "defends": _defends,
}
