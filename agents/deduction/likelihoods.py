"""Clues in the talk, how likely each role makes them, and role probabilities (SPEC 2.10).

A clue is a plain tuple, so that its weights over the deals can be cached. The likelihoods are ours,
because the papers give none. They are chosen so that readings of the house player's talk match its
intentions.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from agents.deduction.deals import Belief, Deals, Logs, Mask, count_deals, enumerate_deals
from agents.deduction.factored_deals import NotFactored, count_weights, factor_deals
from agents.packs import Pack, Part, Result
from agents.talk.course import Course
from agents.talk.dialogue import Dialogue
from game.engine.visibility import View

RoleProbabilities = dict[int, dict[str, float]]  # seat -> role -> probability
Clue = tuple[str, int, tuple[int | str, ...]]  # (kind, speaker, content)
# An uninformative turn is the silence of a player who has accused no one, or bare assent to others
# (`_count_following`).
MAX_SILENT_TURNS = 3  # further silent turns do not count
MAX_UNINFORMATIVE_TURNS = 6  # further silent or assenting turns do not count
OWN_ROLE = "own"  # key of the claimed role itself
# Part of the claimed role -> part of the held role -> likelihood of the claim. A pack's own figures
# replace these.
CLAIM_LIKELIHOODS: dict[Part, dict[str, float]] = {
    "looker": {OWN_ROLE: 0.9, "wolf": 0.18, "helper": 0.4, "loner": 0.35},
    "mate": {OWN_ROLE: 0.8, "wolf": 0.1, "helper": 0.06, "loner": 0.14},
    "plain": {
        **{OWN_ROLE: 0.8, "looker": 0.04, "mate": 0.04},
        **{"wolf": 0.68, "helper": 0.5, "loner": 0.35},
    },
    # A confession may be true, or a lie by a role that wants votes. A claim to be a helper or a
    # loner is a plea to be spared, which helps the hunted most.
    "wolf": {OWN_ROLE: 0.3, "helper": 0.1, "loner": 0.2},
    "helper": {OWN_ROLE: 0.1, "wolf": 0.15, "loner": 0.1},
    "loner": {OWN_ROLE: 0.15, "wolf": 0.2, "helper": 0.08},
}
UNLISTED_CLAIM = 0.015  # likelihood for parts that CLAIM_LIKELIHOODS does not list
# Part of the held role -> how likely a turn is uninformative, compared with the hunted.
# Players with secrets have more such turns.
SILENCE_RATIOS: dict[Part, float] = {"wolf": 1.0, "helper": 0.9, "loner": 0.9}
# How likely a single role's holder lets a false claim of it stand, compared with others.
SILENT_HOLDER_RATIO = 0.2
CHANGE_LIKELIHOODS: dict[Part, float] = {"wolf": 0.25, "helper": 0.25, "loner": 0.25}
UNLISTED_CHANGE = 0.04
# Part -> likelihood of repeating another's result: a true looker rarely has the same one.
COPY_LIKELIHOODS: dict[Part, float] = {"looker": 0.01, "wolf": 0.6, "helper": 0.15, "loner": 0.15}
UNLISTED_COPY = 0.02
BROKEN_PLEDGE_RATIO = 1.3  # how likely liars vote otherwise than announced, compared with others
# Whether an invented look finds a hunted player -> likelihood of such an invention.
INVENTED_LIKELIHOODS = {True: 0.4, False: 0.55}
WRONG_REPORT = 0.002  # likelihood that a true looker reports another answer than it got
# Companions: likelihood that a true holder names a wrong player, and that a liar names one.
WRONG_COMPANION, FALSE_COMPANION = 0.01, 0.12
HELPER_PRESSES_LOG = -0.1  # log-likelihood that a helper presses the hunted
# How likely the hunted are defended, compared with others: by a helper, and by any other player.
HELPER_DEFENDS, OTHER_DEFENDS = 1.3, 0.85
SAVED_HUNTED_RATIO = 0.2  # how likely no one dies if the hunted are protected, compared with others
# Clue weights are cached for at most this many deals: 80 kB each in one-night.
SMALL_DECK_DEALS = 20_000
# More deals are not enumerated: a belief of 1,441,440 deals takes 1 s and 107 MB.
MAX_DEALS = 2_000_000
MAX_WEIGHTS = 200_000  # factored deals have no more weights: 120,120 take 0.2 s and 170 MB


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


@dataclass(frozen=True)
class Knowledge:
    """Certain knowledge of a seat, or what it would know if its story were true."""

    seat: int
    roles: tuple[tuple[int, str], ...]  # (seat, role) pairs
    looks: tuple[Result, ...] = ()  # results of the seat's own looks
    killed: tuple[int, ...] = ()  # players killed by the hunted
    # Living players, if the hunted would win as soon as they are as many as the others.
    living: tuple[int, ...] = ()
    saved: tuple[int, ...] = ()  # players the seat protected in a night in which no one died

    @classmethod
    def of(cls, view: View, pack: Pack) -> Self:
        """Build the knowledge of `view`'s own seat."""
        course = Course.of(view, pack.ruleset)
        saved = {p.target for p in course.protections if p.when in course.quiet_nights}
        return cls(
            view.seat,
            tuple(sorted(view.state.roles.items())),
            pack.looks_in(view),
            tuple(death.seat for death in course.killed),
            view.state.living() if pack.data.even_ends else (),
            tuple(sorted(saved - {view.seat})),
        )


@lru_cache(maxsize=64)  # a poll and the vote after it use the same result
def infer_roles(pack: Pack, knowledge: Knowledge, clues: tuple[Clue, ...]) -> RoleProbabilities:
    """Return seat -> role -> probability, given `knowledge` and clues.

    The result is cached and must not be changed. Clues from the seat's own statements are no
    evidence to itself and are left out.
    """
    deals = deals_of(pack)
    belief = _build_belief(pack, knowledge)
    for seat in knowledge.saved:  # an attack is likelier than a disagreement of the hunted
        belief.add_binary_clue(deals.holds(seat, *pack.hunted), SAVED_HUNTED_RATIO, 1.0)
    weigh = _cached_weigh if len(deals.rows) <= SMALL_DECK_DEALS else _weigh
    for clue in clues:
        _kind, speaker, _content = clue
        if speaker != knowledge.seat:
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
        belief.keep_only(_hunted_have_not_won(deals, pack.hunted, knowledge.living))
    return belief


@lru_cache(maxsize=8)  # all seats at a table need the same one
def _hunted_have_not_won(
    deals: Deals, hunted_roles: tuple[str, ...], living: tuple[int, ...]
) -> Mask:
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
    outer roles, or enumerated if a clue does not allow that. DeckTooLarge is raised for a deck that
    allows neither.
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
    kind, speaker, content = clue
    logs = _WEIGH_BY_KIND[kind](deals, pack, speaker, *content)
    logs.setflags(write=False)
    return logs


_cached_weigh = lru_cache(maxsize=400)(_weigh)  # a long day of 13 seats makes 300


def _weigh_claim(deals: Deals, pack: Pack, seat: int, role: str) -> Logs:
    """Return the weights of a claim to `role`, by the pack's figures or by the parts."""
    if role in pack.data.claims:
        return deals.by_role(seat, pack.data.claims[role], UNLISTED_CLAIM)
    figures = CLAIM_LIKELIHOODS[pack.parts[role]]
    likelihoods = _by_role(pack, figures, UNLISTED_CLAIM) | {role: figures[OWN_ROLE]}
    return deals.by_role(seat, likelihoods, UNLISTED_CLAIM)


def _by_role(pack: Pack, figures: Mapping[Any, float], unlisted: float) -> dict[str, float]:
    """Return role -> the figure of its part, `unlisted` for parts without a figure."""
    return {role: figures.get(part, unlisted) for role, part in pack.parts.items()}


def _weigh_change(deals: Deals, pack: Pack, seat: int) -> Logs:
    figures = {**_by_role(pack, CHANGE_LIKELIHOODS, UNLISTED_CHANGE), **pack.data.changed}
    return deals.by_role(seat, figures, UNLISTED_CHANGE)


def _weigh_copy(deals: Deals, pack: Pack, seat: int) -> Logs:
    figures = _by_role(pack, COPY_LIKELIHOODS, UNLISTED_COPY)
    return deals.by_role(seat, figures, UNLISTED_COPY)


def _weigh_silence(deals: Deals, pack: Pack, seat: int, turns: int) -> Logs:
    ratios = _by_role(pack, SILENCE_RATIOS, pack.figure("speaks"))
    return deals.by_role(seat, {role: ratio**turns for role, ratio in ratios.items()}, 1.0)


def _weigh_silent_holder(deals: Deals, _pack: Pack, seat: int, role: str) -> Logs:
    return deals.by_role(seat, {role: SILENT_HOLDER_RATIO}, 1.0)


def _weigh_report(
    deals: Deals, pack: Pack, seat: int, source: str, value: str, *targets: int
) -> Logs:
    """Return the weights of a report by a true looker or a liar.

    A true looker reports the deal's answer for its targets. A liar finds or clears at will, with
    any answer that does so.
    """
    look = pack.look(source)
    assert look is not None
    finds = {v: pack.accuses(Result(source, targets, v)) for v, _roles in look.answers}
    invented = INVENTED_LIKELIHOODS[finds[value]] / sum(f == finds[value] for f in finds.values())
    true = np.where(deals.gives_answer(targets, look, value), 0.0, np.log(WRONG_REPORT))
    return np.where(deals.holds(seat, source), true, np.log(invented))


def _weigh_companion(deals: Deals, _pack: Pack, seat: int, role: str, partner: int) -> Logs:
    holder, mate = deals.holds(seat, role), deals.holds(partner, role)
    otherwise = np.where(holder, np.log(WRONG_COMPANION), np.log(FALSE_COMPANION))
    return np.where(holder & mate, 0.0, otherwise)


def _weigh_accusation(
    deals: Deals, pack: Pack, seat: int, target: int, kind: str = "pressed", often: float = 1.0
) -> Logs:
    """Return the weights of an accusation, which players who know each other avoid.

    The accusation is no other evidence about its target, because everyone follows the same talk.

    Args:
        kind: beginning of the pack's figure for players who know each other.
        often: how much likelier the village accuses the hunted than others.
    """
    wolf = deals.holds(target, *pack.hunted)
    helper = deals.holds(seat, *pack.roles("helper"))
    are_mates = deals.holds(seat)
    for role in pack.acquainted:
        are_mates = are_mates | deals.holds(seat, role) & deals.holds(target, role)
    likelihood = np.where(wolf, np.where(helper, HELPER_PRESSES_LOG, np.log(often)), 0.0)
    return np.where(are_mates, np.log(pack.figure(f"{kind}_mate")), likelihood)


def _weigh_ballot(deals: Deals, pack: Pack, seat: int, target: int) -> Logs:
    """Return the weights of a vote. The village votes for the hunted more often."""
    return _weigh_accusation(deals, pack, seat, target, "voted", pack.figure("voted_hunted"))


def _weigh_broken_pledge(deals: Deals, pack: Pack, seat: int, _day: int) -> Logs:
    """Return the weights of a vote that differs from the announced one, which liars cast."""
    return deals.by_role(seat, dict.fromkeys(pack.liars, BROKEN_PLEDGE_RATIO), 1.0)


def _weigh_defence(deals: Deals, pack: Pack, seat: int, target: int) -> Logs:
    wolf = deals.holds(target, *pack.hunted)
    helper = deals.holds(seat, *pack.roles("helper"))
    return np.where(wolf, np.where(helper, np.log(HELPER_DEFENDS), np.log(OTHER_DEFENDS)), 0.0)


_WEIGH_BY_KIND: dict[str, Callable[..., Logs]] = {
    "claim": _weigh_claim,
    "changed": _weigh_change,
    "copied": _weigh_copy,
    "unclaimed": _weigh_silent_holder,
    "silent": _weigh_silence,
    "report": _weigh_report,
    "companion": _weigh_companion,
    "presses": _weigh_accusation,
    "ballot": _weigh_ballot,
    "broke": _weigh_broken_pledge,
    "defends": _weigh_defence,
}
