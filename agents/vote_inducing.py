"""Vote inducing: whom to press with one's last words of a day (Impressions 7.1, SPEC 2.7).

The target rules follow a role's part: who looks, who helps the hunted unknown to them, who is
hunted. Roles without a rule induce no votes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agents.claims.claim_reading import dialogue_of
from agents.contest import GUESS
from agents.decision import Decision
from agents.deduction.likelihoods import looks_of
from agents.packs import Part, pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.normalise import seats_named
from game.engine.ruleset import team_of

_VOTES = re.compile(
    r"\b(?:vot(?:e|es|ing)|ballots?|exiled?|eliminated?|lynch(?:ed)?|banish(?:ed)?"
    r"|(?:has|needs?|ought|must) (?:to )?(?:go|leave))\b",
    re.IGNORECASE,
)
# A vote that is only announced: "I'll vote for Ann", "my vote is for Ann".
_OWN_VOTE = re.compile(
    r"\bI(?:['’]\w+)?(?: (?:am|will|shall|would|have|going|to|now|also|today|still))* vot\w+"
    r"|\bmy (?:own )?(?:vote|ballot)\b",
    re.IGNORECASE,
)

# Before a vote that is asked not to be cast, and not "if we don't vote for Ann".
_NEGATED = re.compile(
    r"(?<!if we )(?<!if you )\b(?:do not|don['’]t|never|(?:nobody|no one)(?: \w+)?)\s+$",
    re.IGNORECASE,
)


def candidates(decision: Decision) -> list[int]:
    """Return the players of whom one is drawn as the target, [] if the role has none."""
    dialogue = dialogue_of(decision)
    rule = _RULES.get(dialogue.pack.part(decision.view.role))
    other_seats = [seat for seat in decision.view.state.living() if seat != decision.seat]
    return rule(decision, dialogue, other_seats) if rule else []


def target(decision: Decision) -> int:
    """Return the target, 0 for none. It stays the same for a day as long as it is a candidate.

    It is drawn from (seed, day, seat). Those who hunt draw as a team: they press the same player
    (9.2), which they could agree on while they whisper.
    """
    view = decision.view
    hunts = pack_of(decision.ruleset).part(view.role) == "wolf"
    by = f"{view.state.day}/{team_of(decision.ruleset, view.role) if hunts else decision.seat}"
    draws = {
        s: decision.shared_rng.below(f"inducing/{by}/{s}", 10**9) for s in candidates(decision)
    }
    return min(draws, key=lambda seat: draws[seat], default=0)


def _of_looker(decision: Decision, dialogue: Dialogue, other_seats: Sequence[int]) -> list[int]:
    """Return the living found hunted, else the living who claim the same role (7.1.1)."""
    pack, role = dialogue.pack, decision.view.role
    if (look := pack.look(role)) is None or look.is_of_exiled:
        return []
    hunted_seats = {s for r in looks_of(decision.view, pack) if pack.accuses(r) for s in r.targets}
    rivals = [seat for seat in other_seats if dialogue.claims.get(seat) == role]
    return [seat for seat in other_seats if seat in hunted_seats] or rivals


def _of_helper(decision: Decision, _dialogue: Dialogue, other_seats: Sequence[int]) -> list[int]:
    """Return the guessed looker, or all others if nobody was guessed (7.1.2).

    Return nobody if only a hunted player was guessed.
    """
    guess = decision.mind.latest(GUESS)
    if guess.get("looker") in other_seats:
        return [guess["looker"]]
    return [] if guess.get("hunted") else list(other_seats)


def _of_hunted(decision: Decision, dialogue: Dialogue, other_seats: Sequence[int]) -> list[int]:
    """Return who claimed a special role of the village, else everyone who is no ally (7.1.3)."""
    ruleset, allies = decision.ruleset, decision.view.state.roles
    strangers = [seat for seat in other_seats if seat not in allies]
    village = team_of(ruleset, dialogue.pack.plain_role)
    special = {r for r in ruleset.deck if team_of(ruleset, r) == village} - {ruleset.usual}
    return [seat for seat in strangers if dialogue.claims.get(seat) in special] or strangers


_RULES: dict[Part | None, Callable[[Decision, Dialogue, Sequence[int]], list[int]]] = {
    "looker": _of_looker,
    "helper": _of_helper,
    "wolf": _of_hunted,
}


def reading_of(text: str, target: int, decision: Decision) -> dict[str, bool]:
    """Return {"names": whether the words name the target, "asks": whether they ask for votes}."""
    words = _OWN_VOTE.sub("", text)
    asks_for_votes = any(
        not _NEGATED.search(words[: match.start()]) for match in _VOTES.finditer(words)
    )
    names = target in seats_named(text, decision.view.state.seats)
    return {"names": names, "asks": names and asks_for_votes}
