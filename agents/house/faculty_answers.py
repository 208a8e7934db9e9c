"""Answers of the house player to requests of the faculties (SPEC 2.2, 2.3, 2.7, 2.10).

These are favor scores, the plan for the round, ratings of roles, and the contest agent's requests.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import contest
from agents.claims.claim_reading import read_by_rule
from agents.claims.talk_summary import lines_by_rule
from agents.decision import Decision, Reply
from agents.faculties.guess import guessable_seats
from agents.favor_scale import REACTION_BY_DEED
from agents.house.mindset import Mindset, probability_of_roles
from agents.house.passes import build_phrase, has_said_all
from agents.house.stance import POSE_EVASIVE, POSE_TURNCOAT, Stance
from agents.language import join_names, small_words
from agents.packs import Result, pack_of
from agents.personas.big_five import Persona
from agents.personas.characters import get_character
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import FACTS
from agents.understanding.statements import Statement, result_of
from game.engine.events import UNCERTAIN
from game.engine.forms import Ratings

NEUTRAL_SCORE = 5.5  # the score that changes no favor
MIN_POINTS = 0.5  # smaller changes of favor give no score
# The plan spares players who are more surely of the village than this.
MIN_FRIEND_PROBABILITY = 0.85
MAX_FRIENDS = 2
MAX_CITED = 4  # utterances cited as evidence for a player
MIN_LEAD = 0.05  # a role is named if it is likelier than an even chance by at least this
# A guess names a player who is likelier than this many times the deck's share.
MIN_CHANCE_RATIO = 1.5
MAX_LINES = 7  # a character's description and habits have at most this many lines
PLAIN_HABITS = (
    "Speaks plainly, in short sentences.",
    "Says what is on the mind, and then listens.",
)


# -- favor


def build_favor_scores(decision: Decision) -> dict[str, Any]:
    """Return the scores of players who gave a reason for one.

    Returns:
        {"scores": {seat: 1 to 10}, "why": {seat: [key of REACTION_BY_DEED, …]}}. Seats are strings.
    """
    dialogue = Dialogue.of(decision.view, pack_of(decision.ruleset))
    statements = [s for s in dialogue.statements if s.round == decision.round - 1]
    points: dict[int, float] = defaultdict(float)
    reasons: dict[int, list[str]] = defaultdict(list)
    for seat, kind in _find_treatments(dialogue, statements, decision.seat):
        weight = REACTION_BY_DEED[kind]
        points[seat] += weight * _temperament_factor(weight, decision.persona)
        if kind not in reasons[seat]:
            reasons[seat].append(kind)
    scores = {
        seat: max(1, min(10, round(NEUTRAL_SCORE + p)))
        for seat, p in points.items()
        if abs(p) >= MIN_POINTS
    }
    return {
        "scores": {str(s): score for s, score in scores.items()},
        "why": {str(s): reasons[s] for s in scores},
    }


def _find_treatments(
    dialogue: Dialogue, statements: list[Statement], me: int
) -> list[tuple[int, str]]:
    """Return (seat, key of REACTION_BY_DEED) for what others did to `me` in a round, in order.

    The same treatment twice counts twice.
    """
    treatments: list[tuple[int, str]] = []
    waiting_seats: set[int] = set()  # seats that I asked and that have not spoken since
    my_targets = {t for s in statements if s.seat == me for t in s.presses()}
    for statement in statements:
        seat = statement.seat
        if seat == me:
            questions = (a for a in statement.acts if a.kind == "question")
            waiting_seats.update(t for a in questions for t in a.targets)
            continue
        if seat in waiting_seats:
            has_answered = me in statement.names or any(a.kind == "claim" for a in statement.acts)
            treatments.append((seat, "answered" if has_answered else "ignored"))
            waiting_seats.remove(seat)
        for act in statement.acts:
            if me in act.targets:
                look = result_of(act, dialogue.pack)
                kind = "cleared" if look and not dialogue.pack.accuses(look) else act.kind
                if kind in REACTION_BY_DEED and (act.strength or kind != "suspect"):
                    treatments.append((seat, kind))
        if my_targets & set(statement.presses()):
            treatments.append((seat, "sides"))
    return treatments


def _temperament_factor(weight: float, persona: Persona | None) -> float:
    """Return the factor of a treatment's weight for a persona, 1 without one.

    Agreeable players forgive and thank more easily; neurotic players take more offence.
    """
    if persona is None:
        return 1.0
    agreeableness, neuroticism = persona.leaning("A"), persona.leaning("N")
    if weight < 0:
        return 1.0 - 0.35 * agreeableness + 0.35 * neuroticism
    return 1.0 + 0.3 * agreeableness


# -- the plan for the round


def build_plan_stance(m: Mindset) -> Stance:
    """Return the stance with the players whom the plan presses and leaves alone."""
    return replace(
        m.stance, aim=m.target if m.dialogue.statements else 0, spared=tuple(_friends(m))
    )


def build_plan(m: Mindset) -> str:
    """Return the plan for this round, at most 80 words."""
    sentences = [_role_sentence(m), _target_sentence(m)]
    if friends := _friends(m):
        sentences.append(_sentence("spare", names=join_names([m.view.name(s) for s in friends])))
    lookers = [s for s in m.dialogue.lookers if s != m.me]
    if m.is_villain and lookers:
        sentences.append(_sentence("looker", names=m.view.name(lookers[0])))
    if m.is_bait:
        sentences.append(_sentence("bait"))
    return " ".join(sentences)


def _sentence(key: str, **slots: object) -> str:
    """Return a sentence or part of one from `words.toml`, with its slots filled."""
    text: str = small_words()["plan"][key]
    return text.format(**slots)


def _friends(m: Mindset) -> list[int]:
    """Return the players to leave alone, none in the first round."""
    if m.round == 1:
        return []
    friends = [s for s in m.others if m.village_probability(s) > MIN_FRIEND_PROBABILITY]
    return friends[:MAX_FRIENDS]


def _role_sentence(m: Mindset) -> str:
    """Return which role the player has claimed, or will claim and when."""
    if m.claimed:
        return _sentence("claimed", role=m.pack.name(m.claimed))
    when = _sentence("now") if m.round >= m.stance.when else _time_phrase(m, m.stance.when)
    return _sentence("pose", Pose=_pose_phrase(m).capitalize(), when=when)


def _time_phrase(m: Mindset, number: int) -> str:
    """Return when the game's round `number` is: "in round 2" or "on day 2"."""
    ruleset, state = m.decision.ruleset, m.view.state
    first = (*state.rounds, state.moment)[0].day
    if not ruleset.rounds:
        return _sentence("day", day=first + number - 1)
    days, rounds = divmod(number - 1, ruleset.rounds)
    key = "round" if ruleset.days == 1 else "round_of_day"
    return _sentence(key, round=rounds + 1, day=first + days)


def _pose_phrase(m: Mindset) -> str:
    """Return the pose as a phrase: a role, an evasion, or a change of roles."""
    if m.stance.pose == POSE_EVASIVE:
        return _sentence("evades")
    if m.stance.pose == POSE_TURNCOAT:
        plain_role, looker = m.pack.plain_role, m.pack.role("looker")
        return _sentence("turns", plain=m.pack.name(plain_role), looker=m.pack.name(looker))
    return _sentence("poses", one=m.pack.one(m.stance.pose))


def _target_sentence(m: Mindset) -> str:
    """Return whom the player presses, and with what probability that one seems hunted."""
    if m.round == 1 and not m.dialogue.statements:
        return _sentence("listen")
    wolf = _sentence("or").join(map(m.pack.one, m.pack.hunted))
    share, target = round(100 * m.hunted_probability(m.target)), m.view.name(m.target)
    return _sentence("press", target=target, wolf=wolf, share=share)


# -- ratings of roles


def guess_roles(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Return seat (as a string) -> {"role", "confidence"}, by what the player believes."""
    seats = [s for s in legal.options_for(mind.me) if isinstance(s, int)]
    return {str(seat): _guess(mind.believed[seat], legal) for seat in seats}


def _guess(row: Mapping[str, float], legal: Ratings) -> dict[str, Any]:
    """Return the likeliest role with a confidence.

    The confidence grows linearly from an even chance among the offered roles to certainty. The
    guess is UNCERTAIN if several roles are likeliest or if none clearly beats an even chance.
    """
    odds = {role: row.get(role, 0.0) for role in legal.roles}
    likeliest = max(odds.values(), default=0.0)
    best = [role for role, p in odds.items() if p == likeliest]
    even = 1 / max(len(odds), 1)
    if len(best) != 1 or likeliest < even + MIN_LEAD:
        return {"role": UNCERTAIN, "confidence": legal.min_confidence}
    share = min((likeliest - even) / (1 - even), 1.0) if even < 1 else 1.0
    return {
        "role": best[0],
        "confidence": legal.min_confidence
        + round(share * (legal.max_confidence - legal.min_confidence)),
    }


def guess_roles_with_evidence(mind: Mindset, legal: Ratings) -> dict[str, dict[str, Any]]:
    """Return the guesses of `guess_roles`, each with "evidence".

    Evidence is a list of positions in the view: the latest MAX_CITED statements in which the player
    states a fact about itself, or in which others speak about it.
    """
    positions_by_seat: dict[int, list[int]] = defaultdict(list)
    turns = [turn for turn in mind.view.turns if turn.text]
    for turn, statement in zip(turns, mind.dialogue.statements, strict=True):
        about = {t for act in statement.acts for t in act.targets}
        if any(act.kind in FACTS for act in statement.acts):
            about.add(statement.seat)
        for seat in about - {mind.me}:
            positions_by_seat[seat].append(turn.position)
    return {
        seat: {**row, "evidence": positions_by_seat[int(seat)][-MAX_CITED:]}
        for seat, row in guess_roles(mind, legal).items()
    }


# -- the contest agent


def build_contest_reply(kind: str, decision: Decision, brief: Mapping[str, Any]) -> Reply | None:
    """Return the reply to a request of the contest agent's faculties, None for other kinds."""
    match kind:
        case contest.CHARACTER:
            return {"lines": _describe_character(decision)}
        case contest.SUMMARY:
            return {"lines": lines_by_rule(decision)}
        case contest.CLAIMS:
            return {"claims": _read_claims(decision, brief[contest.CLAIMS]["turns"])}
        case contest.VOTES:
            rows = _read_claims(decision, brief[contest.VOTES]["turns"], votes=True)
            return {"votes": [row for row in rows if not row["role"]]}
        case contest.GUESS:
            return _guess_hunted(Mindset(decision, brief))
    return None


def _describe_character(decision: Decision) -> list[str]:
    """Return a description and habits of speech, from the profile or the persona."""
    persona = decision.persona
    if persona and persona.character and not decision.profile:
        written = get_character(persona.character)
        return [f"{written.description} Aged {written.age}.", *written.habits][:MAX_LINES]
    habits = persona.speech_rules() if persona else []
    if profile_facts := [f"{key}: {value}" for key, value in decision.profile.items()]:
        return ["; ".join(profile_facts), *(habits or PLAIN_HABITS)][:MAX_LINES]
    return [
        (persona.summary() if persona else "") or "An ordinary person among friends.",
        *(habits or PLAIN_HABITS),
    ][:MAX_LINES]


def _read_claims(
    decision: Decision, numbers: list[int], *, votes: bool = False
) -> list[dict[str, Any]]:
    """Return the claims in the turns of these numbers, with announced votes on request."""
    turns = [turn for turn in decision.view.turns if turn.number in numbers]
    reading = read_by_rule(decision, turns, include_votes=votes)
    return [{"turn": int(number), **row} for number, rows in reading.items() for row in rows]


def _guess_hunted(mind: Mindset) -> Reply:
    """Return the likeliest true looker and the likeliest hunted player, if any stands out."""
    legal = guessable_seats(mind.decision)
    looker = mind.pack.role("looker")
    guesses = {"looker": 0, "hunted": 0}
    for key, roles in (("looker", (looker,)), ("hunted", mind.pack.hunted)):
        candidates = [seat for seat in legal if seat not in guesses.values()]
        shares = {s: probability_of_roles(mind.believed[s], roles) for s in candidates}
        best = max(shares, key=lambda seat: shares[seat], default=0)
        chance = sum(mind.pack.deck.count(r) for r in roles) / len(mind.pack.deck)
        if best and shares[best] > MIN_CHANCE_RATIO * chance:
            guesses[key] = best
    return {**guesses, "why": {}}


def apply_guess(mind: Mindset, brief: Mapping[str, Any]) -> None:
    """Make the player pose as the role of the brief's invented result, and report it."""
    if not (role := brief.get("role")):
        return
    mind.invented_look = Result(role, (brief["target"],), brief["result"])
    if not mind.claimed:
        mind.stance = replace(mind.stance, pose=role, when=1)


def build_inducing_statement(mind: Mindset, offer: Mapping[str, Any]) -> tuple[str, Stance] | None:
    """Return a statement that presses the offer's target and the stance after it.

    Returns None if the player still has other things to say.
    """
    if not offer or not (offer["last"] or has_said_all(mind)):
        return None
    text = build_phrase(mind, f"induce_{offer['manner']}", {"t": mind.view.name(offer["target"])})
    return text, replace(mind.stance, aim=offer["target"])
