"""Vote inducing, and the form of the contest agent's talk (Impressions 6, 7 and A.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from agents import contest
from agents.claims.claim_reading import dialogue_of
from agents.contest import GUESS
from agents.decision import Decision, Reply
from agents.deduction.likelihoods import looks_of
from agents.faculties import Faculty
from agents.faculties.strategy import strategy_seeds
from agents.mind import Note
from agents.packs import Part, pack_of
from agents.talk.dialogue import Dialogue
from agents.understanding.normalise import seats_named
from game.engine.forms import Action
from game.engine.ruleset import team_of
from game.engine.windows import Answer

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

# A negation right before the verb: "don't vote for Ann", but not "if we don't vote for Ann".
_NEGATED = re.compile(
    r"(?<!if we )(?<!if you )\b(?:do not|don['’]t|never|(?:nobody|no one)(?: \w+)?)\s+$",
    re.IGNORECASE,
)


def candidate_targets(decision: Decision) -> list[int]:
    """Return the seats from which the target is drawn, [] if the role induces no votes."""
    dialogue = dialogue_of(decision)
    rule = _RULE_BY_PART.get(dialogue.pack.part(decision.view.role))
    other_seats = [seat for seat in decision.view.state.living() if seat != decision.seat]
    return rule(decision, dialogue, other_seats) if rule else []


def draw_target(decision: Decision) -> int:
    """Draw the target, 0 for none. It is the same all day as long as it remains a candidate.

    The draw depends on (seed, day, seat). Hunted players draw as a team and so press the same
    player (9.2), as if they had agreed on that in whispers.
    """
    view = decision.view
    is_hunted = pack_of(decision.ruleset).part(view.role) == "wolf"
    drawer = (
        f"{view.state.day}/{team_of(decision.ruleset, view.role) if is_hunted else decision.seat}"
    )
    draws = {
        s: decision.shared_rng.below(f"inducing/{drawer}/{s}", 10**9)
        for s in candidate_targets(decision)
    }
    return min(draws, key=lambda seat: draws[seat], default=0)


def _looker_targets(
    decision: Decision, dialogue: Dialogue, other_seats: Sequence[int]
) -> list[int]:
    """Return the living players found hunted, else those who claim the same role (7.1.1)."""
    pack, role = dialogue.pack, decision.view.role
    if (look := pack.look(role)) is None or look.is_of_exiled:
        return []
    hunted_seats = {s for r in looks_of(decision.view, pack) if pack.accuses(r) for s in r.targets}
    rivals = [seat for seat in other_seats if dialogue.claims.get(seat) == role]
    return [seat for seat in other_seats if seat in hunted_seats] or rivals


def _helper_targets(
    decision: Decision, _dialogue: Dialogue, other_seats: Sequence[int]
) -> list[int]:
    """Return the guessed looker (7.1.2).

    Without any guess all others are candidates. If only a hunted player was guessed, none is.
    """
    guess = decision.mind.latest(GUESS)
    if guess.get("looker") in other_seats:
        return [guess["looker"]]
    return [] if guess.get("hunted") else list(other_seats)


def _hunted_targets(
    decision: Decision, dialogue: Dialogue, other_seats: Sequence[int]
) -> list[int]:
    """Return claimants of special roles of the village, else all who are no allies (7.1.3)."""
    ruleset, allies = decision.ruleset, decision.view.state.roles
    strangers = [seat for seat in other_seats if seat not in allies]
    village = team_of(ruleset, dialogue.pack.plain_role)
    special = {r for r in ruleset.deck if team_of(ruleset, r) == village} - {ruleset.usual}
    return [seat for seat in strangers if dialogue.claims.get(seat) in special] or strangers


_RULE_BY_PART: dict[Part | None, Callable[[Decision, Dialogue, Sequence[int]], list[int]]] = {
    "looker": _looker_targets,
    "helper": _helper_targets,
    "wolf": _hunted_targets,
}


def read_attempt(text: str, target: int, decision: Decision) -> dict[str, bool]:
    """Return {"names": whether the text names the target, "asks": whether it asks for votes}."""
    words = _OWN_VOTE.sub("", text)
    asks_for_votes = any(
        not _NEGATED.search(words[: match.start()]) for match in _VOTES.finditer(words)
    )
    names = target in seats_named(text, decision.view.state.seats)
    return {"names": names, "asks": names and asks_for_votes}


class InducingFaculty(Faculty):
    """Faculty that presses one player with the last talk of a day (`agents.vote_inducing`).

    - Brief: {"target", "manner", "last": whether this is the last permitted talk}. If it is not,
      the agent induces votes only if it ends its talk with it.
    - Note of an attempt: {"day", "role", "manner", "target", "last", "names", "asks"}, the last two
      read by rule from the statement (`vote_inducing.read_attempt`).
    """

    name = contest.INDUCING
    switches = (contest.MANNER, contest.MOMENT)

    def brief(self, decision: Decision) -> dict[str, Any]:
        is_last = decision.talks_left <= 1
        moment = decision.switch(contest.MOMENT)
        is_due = moment != "off" and (is_last or moment == "over")
        day = decision.view.state.day
        has_tried = any(note.data["day"] == day for note in decision.mind.of(self.name))
        has_vote = decision.ruleset.has_vote_on(day)
        if has_tried or not (is_due and has_vote and decision.is_in_talk):
            return {}
        pass  # late: a web process never loads it

        seat = draw_target(decision)
        manner = decision.switch(contest.MANNER)
        return {"target": seat, "manner": manner, "last": is_last} if seat else {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        offer, text = self.brief(decision), str(reply.get("text") or "")
        if not offer or not text or not (offer["last"] or reply.get("closing")):
            return []
        pass

        reading = read_attempt(text, offer["target"], decision)
        data = {"day": decision.view.state.day, "role": decision.view.role, **offer, **reading}
        return [Note(self.name, decision.moment, data, decision.window.key)]


class ConversationFaculty(Faculty):
    """Faculty that speaks in the contest's form: a statement to all, and one to a single player.

    - Brief: {"advice": [the role's seed strategies]}.
    - Note {"closed": day}: made when the agent declares its talk of the day ended. From then on it
      answers Over on that day.
    """

    name = contest.CONVERSATION
    switches = (contest.REQUESTS,)

    def brief(self, decision: Decision) -> dict[str, Any]:
        if not decision.ruleset.has_vote_on(decision.view.state.day):
            return {"advice": []}  # it is about results, and before the first vote there are none
        return {"advice": list(strategy_seeds(decision.view.role, pack_of(decision.ruleset)))}

    def decide(self, decision: Decision) -> Answer | None:
        is_closed = decision.mind.latest(self.name).get("closed") == decision.view.state.day
        return Answer(Action("over")) if is_closed and decision.is_in_talk else None

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        if not reply.get("closing") or not decision.is_in_talk:
            return []
        data = {"closed": decision.view.state.day}
        return [Note(self.name, decision.moment, data, decision.window.key)]
