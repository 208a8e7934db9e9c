"""Likelihoods: how probable each role makes a statement (SPEC 2.10).

The figures are ours, because the papers give none. They are chosen so that readings of the house
player's talk match its intentions. A clue is a plain tuple, so its weights over the deals are
computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agents.deduction.deals import Belief, Deals, Logs, Mask, deals, number_of_deals
from agents.deduction.factored_deals import NotFactored, factor_deals, number_of_weights
from agents.packs import Pack, Part, Result
from agents.talk.course import Course
from agents.talk.dialogue import Dialogue
from game.engine.visibility import View

Clue = tuple[str, int, tuple[int | str, ...]]  # (kind, speaker, content)
RoleProbabilities = dict[int, dict[str, float]]  # seat -> role -> probability

OWN = "own"  # the claimed role itself
# Part of the claimed role -> part of the held role -> likelihood of the claim, if a pack has no
# figure.
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
# A turn without information of a player who has accused nobody: players with secrets pass more.
SILENT: dict[Part, float] = {"wolf": 1.0, "helper": 0.9, "loner": 0.9}
MOST_SILENT = 3  # turns that count
OTHER = 0.015  # what is said by a part that is not named
CHANGED: dict[Part, float] = {"wolf": 0.25, "helper": 0.25, "loner": 0.25}
NO_CHANGE = 0.04
# Repeating the result of another report: a true looker rarely has the same result.
COPIES: dict[Part, float] = {"looker": 0.01, "wolf": 0.6, "helper": 0.15, "loner": 0.15}
NO_COPY = 0.02
BROKEN_WORD = 1.3  # how much likelier liars vote otherwise than they said
MADE_UP = {True: 0.4, False: 0.55}  # how often an invented look finds, or clears
SAVED = 0.2  # probability that a protected player is hunted if nobody dies, relative to the others'
KEEP_BELOW = 20_000  # rows of deals: 80 kB a clue in the one-night game
MOST_DEALS = 2_000_000  # limit of enumeration: a belief of 1,441,440 deals takes 1 s and 107 MB
# limit of factored deals: a belief of 120,120 weights takes 0.2 s and 170 MB
MOST_WEIGHTS = 200_000


@dataclass(frozen=True)
class Knowledge:
    """Certain knowledge of a seat, or what it would know if its story were true.

    Attributes:
        roles: (seat, role) pairs.
        looks: results of its own looks.
        killed: players killed by the hunted.
        living: living players, if the hunted would win as soon as they are as many as the others.
        saved: players the seat protected in a night in which nobody died.
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
def clues(dialogue: Dialogue) -> tuple[Clue, ...]:
    """Return the clues in the talk, in a fixed order."""
    clues_found: list[Clue] = [("claim", s, (r,)) for s, r in dialogue.claims.items()]
    clues_found += [("changed", seat, ()) for seat in dialogue.changed]
    clues_found += [("copied", seat, ()) for seat in dialogue.copiers]
    clues_found += [
        ("report", s, (r.source, r.value, *r.targets)) for s, r in dialogue.reported_looks
    ]
    claims = dialogue.claims
    clues_found += [("companion", s, (claims[s], mate)) for s, mate in dialogue.companions.items()]
    for role in dialogue.pack.roles("looker"):
        if dialogue.pack.deck.count(role) == 1:
            clues_found += [("unclaimed", seat, (role,)) for seat in _no_rival(dialogue, role)]
    for act in dialogue.acts("claim"):  # a confession counts even if it was withdrawn
        if act.role in dialogue.pack.wolves and claims.get(act.speaker) != act.role:
            clues_found.append(("claim", act.speaker, (act.role,)))
    # In passes, a player who is done has an empty turn. Elsewhere a claim alone is no contribution.
    quiet = dialogue.quiet if dialogue.pack.ruleset.rounds else dialogue.silent
    clues_found += [
        ("silent", seat, (min(turns, MOST_SILENT),))
        for seat, turns in quiet.items()
        if not dialogue.pressed_by(seat)
    ]
    for act in dialogue.acts("suspect", "accuse", "vote"):
        clues_found += [("presses", act.speaker, (t,)) for t in act.targets if act.strength]
    for act in dialogue.acts("defend"):
        clues_found += [("defends", act.speaker, (t,)) for t in act.targets]
    clues_found += [("broke", seat, (day,)) for day, seat in dialogue.broken_pledges]
    votes = dialogue.course.decisive_votes()
    clues_found += [("ballot", vote.seat, (vote.target,)) for vote in votes]
    return tuple(sorted(set(clues_found), key=repr))


def _no_rival(dialogue: Dialogue, role: str) -> set[int]:
    """Return seats that heard a claim of the deck's only such role and did not object.

    They hardly hold the role themselves.
    """
    open_to: set[int] = set()
    quiet: set[int] = set()
    for statement in dialogue.said:
        if open_to - {statement.seat} and dialogue.claims.get(statement.seat) != role:
            quiet.add(statement.seat)
        if dialogue.claims.get(statement.seat) == role and any(
            a.role == role for a in statement.acts
        ):
            open_to.add(statement.seat)
    return quiet


@lru_cache(maxsize=64)  # a poll and the vote after it need the same result
def infer_roles(pack: Pack, knowledge: Knowledge, clue_list: tuple[Clue, ...]) -> RoleProbabilities:
    """Return seat -> role -> probability, given `knowledge` and clues. Do not change it.

    A seat's own words are no evidence to itself, so they are left out.
    """
    all_ = deals_of(pack)
    belief = _build_belief(pack, knowledge)
    for seat in knowledge.saved:  # an attack is likelier than a disagreement of the hunted
        belief.add_binary_clue(all_.holds(seat, *pack.hunted), SAVED, 1.0)
    weigh = _cached_weigh if len(all_.rows) <= KEEP_BELOW else _weigh
    for clue in clue_list:
        if clue[1] != knowledge.seat:
            belief.add_clue(weigh(all_, pack, clue))
    return belief.probabilities()


@lru_cache(maxsize=256)
def is_possible(pack: Pack, knowledge: Knowledge) -> bool:
    """Return whether a deal fits all of `knowledge`, by the rules alone and without any clue."""
    return _build_belief(pack, knowledge).remaining_count > 0


def _build_belief(pack: Pack, knowledge: Knowledge) -> Belief:
    """Return the deals that fit the facts of `knowledge`, all as likely."""
    all_ = deals_of(pack)
    belief = all_.uniform()
    for seat, role in knowledge.roles:
        belief.keep_only(all_.holds(seat, role))
    for result in knowledge.looks:
        if look := pack.look(result.source):
            belief.keep_only(all_.gives_answer(result.targets, look, result.value))
    for seat in knowledge.killed:
        belief.keep_only(~all_.holds(seat, *pack.hunted))
    if knowledge.living:
        belief.keep_only(_not_won(all_, pack.hunted, knowledge.living))
    return belief


@lru_cache(maxsize=8)  # all seats at a table need the same one
def _not_won(all_: Deals, hunted_roles: tuple[str, ...], living: tuple[int, ...]) -> Mask:
    """Return the deals in which some of the hunted live, and fewer than the others."""
    hunted = all_.count(living, *hunted_roles)
    mask = (hunted > 0) & (2 * hunted < len(living))
    mask.setflags(write=False)
    return mask


class DeckTooLarge(ValueError):
    """House players cannot compute the deals of a ruleset. The message names it."""


@lru_cache(maxsize=8)
def deals_of(pack: Pack) -> Deals:
    """Return the deals of the pack's deck, in the form with the faster beliefs.

    A small deck is enumerated. A large one is factored, with the roles of the hunted team as its
    outer roles, or enumerated if a clue does not allow that. Raises DeckTooLarge.
    """
    number = number_of_deals(pack.deck)
    if number > KEEP_BELOW:
        if number_of_weights(pack.deck, pack.wolves) <= MOST_WEIGHTS:
            factored = factor_deals(pack.deck, pack.wolves)
            if _can_weigh(factored, pack):
                return factored
        if number > MOST_DEALS:
            raise DeckTooLarge(f"the deck of {pack.ruleset.name!r} has {number:,} deals: too many")
    return deals(pack.deck)


def _can_weigh(all_: Deals, pack: Pack) -> bool:
    """Check whether `all_` can weigh each kind of clue on several players."""
    samples: list[Clue] = [("presses", 1, (2,)), ("defends", 1, (2,))]
    samples += [("companion", 1, (role, 2)) for role in pack.roles("mate")]
    for role in pack.roles("looker"):
        if look := pack.look(role):
            targets = range(2, 2 + look.seats)
            samples += [("report", 1, (role, value, *targets)) for value, _keys in look.answers]
    try:
        for clue in samples:
            _weigh(all_, pack, clue)
    except NotFactored:
        return False
    return True


def _weigh(all_: Deals, pack: Pack, clue: Clue) -> Logs:
    """Return the log-likelihood of `clue` per deal."""
    logs = _WEIGH[clue[0]](all_, pack, clue[1], *clue[2])
    logs.setflags(write=False)
    return logs


_cached_weigh = lru_cache(maxsize=400)(_weigh)  # a long day of 13 seats makes 300


def _claim(all_: Deals, pack: Pack, seat: int, role: str) -> Logs:
    return all_.by_role(seat, _claimed(pack, role), OTHER)


def _claimed(pack: Pack, role: str) -> Mapping[str, float]:
    """Return role held -> likelihood that its holder claims `role`.

    The pack may give it. Otherwise it follows from the parts of the two roles.
    """
    if role in pack.data.claims:
        return pack.data.claims[role]
    figures = CLAIMS[pack.parts[role]]
    return {
        held_role: figures[OWN] if held_role == role else figures.get(part, OTHER)
        for held_role, part in pack.parts.items()
    }


def _changed(all_: Deals, pack: Pack, seat: int) -> Logs:
    figures = {role: CHANGED.get(part, NO_CHANGE) for role, part in pack.parts.items()}
    return all_.by_role(seat, {**figures, **pack.data.changed}, NO_CHANGE)


def _copied(all_: Deals, pack: Pack, seat: int) -> Logs:
    figures = {role: COPIES.get(part, NO_COPY) for role, part in pack.parts.items()}
    return all_.by_role(seat, figures, NO_COPY)


def _silent(all_: Deals, pack: Pack, seat: int, turns: int) -> Logs:
    figures = {
        role: SILENT.get(part, pack.figure("speaks")) ** turns for role, part in pack.parts.items()
    }
    return all_.by_role(seat, figures, 1.0)


def _unclaimed(all_: Deals, _pack: Pack, seat: int, role: str) -> Logs:
    return all_.by_role(seat, {role: 0.2}, 1.0)


def _report(all_: Deals, pack: Pack, seat: int, source: str, value: str, *targets: int) -> Logs:
    """Return the weights of a report by a true looker or a liar.

    A true looker reports the deal's answer for its targets. A liar finds or clears at will, with
    any answer that does so.
    """
    look = pack.look(source)
    assert look is not None
    finds = {v: pack.accuses(Result(source, targets, v)) for v, _roles in look.answers}
    made_up = MADE_UP[finds[value]] / sum(f == finds[value] for f in finds.values())
    true = np.where(all_.gives_answer(targets, look, value), 0.0, np.log(0.002))
    return np.where(all_.holds(seat, source), true, np.log(made_up))


def _companion(all_: Deals, _pack: Pack, seat: int, role: str, partner: int) -> Logs:
    mine, mate = all_.holds(seat, role), all_.holds(partner, role)
    return np.where(mine & mate, 0.0, np.where(mine, np.log(0.01), np.log(0.12)))


def _mates(all_: Deals, pack: Pack, seat: int, target: int) -> Mask:
    """Return the deals in which both seats hold a role whose holders know each other."""
    mask = all_.holds(seat)
    for role in pack.acquainted:
        mask = mask | all_.holds(seat, role) & all_.holds(target, role)
    return mask


def _presses(
    all_: Deals, pack: Pack, seat: int, target: int, kind: str = "pressed", often: float = 1.0
) -> Logs:
    """Return the weights of an accusation: players who know each other avoid it.

    It is no other evidence about the target. Everybody follows the same talk, so many accusations
    of one player are no more evidence than the first. `often` is how much likelier the village
    accuses the hunted.
    """
    wolf = all_.holds(target, *pack.hunted)
    helper = all_.holds(seat, *pack.roles("helper"))
    spared = _mates(all_, pack, seat, target)
    likelihood = np.where(wolf, np.where(helper, -0.1, np.log(often)), 0.0)
    return np.where(spared, np.log(pack.figure(f"{kind}_mate")), likelihood)


def _ballot(all_: Deals, pack: Pack, seat: int, target: int) -> Logs:
    """Return the weights of a vote. The village votes for the hunted more often."""
    return _presses(all_, pack, seat, target, "voted", pack.figure("voted_hunted"))


def _broke(all_: Deals, pack: Pack, seat: int, _day: int) -> Logs:
    """Return the weights of a vote that was announced otherwise: who hides does so more often."""
    return all_.by_role(seat, dict.fromkeys(pack.liars, BROKEN_WORD), 1.0)


def _defends(all_: Deals, pack: Pack, seat: int, target: int) -> Logs:
    wolf = all_.holds(target, *pack.hunted)
    helper = all_.holds(seat, *pack.roles("helper"))
    return np.where(wolf, np.where(helper, np.log(1.3), np.log(0.85)), 0.0)


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
