"""Vote inducing: the contest agent presses one player before a vote (Impressions 7, A.11)."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from agents import contest
from agents.decision import Decision, Faculty, Note, Reply
from agents.packs import Part
from game.engine.ruleset import team_of

_VOTE_REQUEST = re.compile(
    r"\b(?:vot(?:e|es|ing)|ballots?|exiled?|eliminated?|lynch(?:ed)?|banish(?:ed)?"
    r"|(?:has|needs?|ought|must) (?:to )?(?:go|leave))\b",
    re.IGNORECASE,
)
# The speaker announces their vote: "I'll vote for Ann", "my vote is for Ann".
_OWN_VOTE = re.compile(
    r"\bI(?:['’]\w+)?(?: (?:am|will|shall|would|have|going|to|now|also|today|still))* vot\w+"
    r"|\bmy (?:own )?(?:vote|ballot)\b",
    re.IGNORECASE,
)
# A negation right before the verb: "don't vote for Ann", but not "if we don't vote for Ann".
_NEGATION = re.compile(
    r"(?<!if we )(?<!if you )\b(?:do not|don['’]t|never|(?:nobody|no one)(?: \w+)?)\s+$",
    re.IGNORECASE,
)


class InducingFaculty(Faculty):
    """Faculty that presses one player with the last talk of a day (Impressions 7.1, SPEC 2.7).

    There is a rule for the looker, the helper and the hunted. Other roles induce no votes.

    - Brief: {"target": seat, "manner": value of the switch, "last": whether this is the last
      permitted talk}. Before the last one, the agent induces votes only with a statement that ends
      its talk of the day.
    - Note of an attempt: the brief with {"day", "role"} and {"names", "asks"}, which
      `read_attempt` reads by rule from the statement.
    """

    name = contest.INDUCING
    switches = (contest.INDUCING_MANNER, contest.INDUCING_MOMENT)

    def brief(self, decision: Decision) -> dict[str, Any]:
        is_last = decision.talks_left <= 1
        moment = decision.switch_value(contest.INDUCING_MOMENT)
        is_due = moment != "off" and (is_last or moment == "over")
        day = decision.view.state.day
        has_tried = any(note.data["day"] == day for note in decision.mind.of(self.name))
        if has_tried or not (is_due and decision.ruleset.has_vote_on(day) and decision.is_in_talk):
            return {}
        target = draw_target(decision)
        manner = decision.switch_value(contest.INDUCING_MANNER)
        return {"target": target, "manner": manner, "last": is_last} if target else {}

    def notes_from_reply(self, decision: Decision, reply: Reply) -> list[Note]:
        brief, text = self.brief(decision), str(reply.get("text") or "")
        if not brief or not text or not (brief["last"] or reply.get("closing")):
            return []
        attempt = read_attempt(text, brief["target"], decision)
        data = {"day": decision.view.state.day, "role": decision.view.role, **brief, **attempt}
        return [Note(self.name, decision.moment, data, decision.window.key)]


def candidate_targets(decision: Decision) -> list[int]:
    """Return the seats from which the target is drawn, [] if the role induces no votes."""
    from agents.claims.claim_reading import dialogue_of

    rule = _RULE_BY_PART.get(decision.pack.part(decision.view.role))
    return rule(decision, dialogue_of(decision).claims) if rule else []


def draw_target(decision: Decision) -> int:
    """Draw the target, 0 for none. A target is the same all day while it remains a candidate.

    The draw depends on (seed, day, seat). Hunted players draw as a team and so press the same
    player (9.2), as if they had agreed on that in whispers.
    """
    view = decision.view
    is_hunted = decision.pack.part(view.role) == "wolf"
    drawer = team_of(decision.ruleset, view.role) if is_hunted else decision.seat
    # A number for each seat, and not one draw among the candidates: the target must not change when
    # another candidate drops out.
    numbers = {
        seat: decision.shared_rng.below(f"inducing/{view.state.day}/{drawer}/{seat}", 10**9)
        for seat in candidate_targets(decision)
    }
    return min(numbers, key=lambda seat: numbers[seat], default=0)


def _looker_targets(decision: Decision, claims: Mapping[int, str]) -> list[int]:
    """Return the living players that the agent found hunted, else rival claimants (7.1.1)."""
    pack, view = decision.pack, decision.view
    if (look := pack.look(view.role)) is None or look.is_of_exiled:
        return []
    hunted_seats = {s for r in pack.looks_in(view) if pack.accuses(r) for s in r.targets}
    rivals = [seat for seat in decision.living_others if claims.get(seat) == view.role]
    return [seat for seat in decision.living_others if seat in hunted_seats] or rivals


def _helper_targets(decision: Decision, _claims: Mapping[int, str]) -> list[int]:
    """Return the guessed looker, all others without any guess, or none (7.1.2)."""
    guess = decision.mind.latest(contest.GUESS)
    if guess.get("looker") in decision.living_others:
        return [guess["looker"]]
    return [] if guess.get("hunted") else decision.living_others


def _hunted_targets(decision: Decision, claims: Mapping[int, str]) -> list[int]:
    """Return claimants of special roles of the village, else all who are no allies (7.1.3)."""
    ruleset, allies = decision.ruleset, decision.view.state.roles
    strangers = [seat for seat in decision.living_others if seat not in allies]
    village = team_of(ruleset, decision.pack.plain_role)
    special = {r for r in ruleset.deck if team_of(ruleset, r) == village} - {ruleset.default_role}
    return [seat for seat in strangers if claims.get(seat) in special] or strangers


_RULE_BY_PART: dict[Part | None, Callable[[Decision, Mapping[int, str]], list[int]]] = {
    "looker": _looker_targets,
    "helper": _helper_targets,
    "wolf": _hunted_targets,
}


def read_attempt(text: str, target: int, decision: Decision) -> dict[str, bool]:
    """Return {"names": whether the text names the target, "asks": whether it asks for votes}."""
    from agents.understanding.normalise import find_named_seats

    others_text = _OWN_VOTE.sub("", text)
    texts_before = (others_text[: match.start()] for match in _VOTE_REQUEST.finditer(others_text))
    asks_for_votes = any(not _NEGATION.search(before) for before in texts_before)
    names_target = target in find_named_seats(text, decision.view.state.seats)
    return {"names": names_target, "asks": names_target and asks_for_votes}
