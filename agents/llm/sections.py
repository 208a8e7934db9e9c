"""Prompt sections between talk and question: claims, story, beliefs, feelings, plan.

Each function returns the text of a section, "" if it would be empty. The sections agree with the
replay and with the notes they are built from. Text of players is always quoted.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agents import reliability_scores
from agents.claims import claims_summary
from agents.contest import PATTERN_VARIANT, PATTERNS, VARIANTS
from agents.decision import Decision
from agents.deduction.role_patterns import patterns_of_lookers
from agents.faculties.judgement import known_roles, remaining_roles
from agents.llm.narration import UNSURE, news
from agents.llm.quoting import is_placeholder, join_names, joined, listed, seat
from agents.llm.transcript import moment_name, moment_phrase
from agents.packs import pack_of
from agents.quotation import quoted
from agents.talk.claim_steps import ClaimStep
from agents.talk.course import Course
from game.engine.forms import UNCERTAIN
from game.engine.ruleset import role_of, team_named, team_of

MAX_STORY_CHARS = 900  # of the seat's own earlier statements together
MIN_OWN_CHARS, MAX_OWN_CHARS = 80, 200  # of each of them
MAX_DEDUCTION_CHARS = 240  # of the reason for a rating
FEELING_BY_LEVEL = {1: "loathe {}", 2: "dislike {}", 4: "appreciate {}", 5: "are devoted to {}"}
# The house player's reasons for a score, as predicates of the player they concern.
PHRASE_BY_REASON = {
    "vote": "announced a vote for you",
    "accuse": "accused you",
    "suspect": "cast doubt on you",
    "disagree": "contradicted you",
    "report": "reported against you",
    "cleared": "cleared you",
    "defend": "stood up for you",
    "agree": "agreed with you",
    "answered": "answered your question",
    "ignored": "left your question unanswered",
    "sides": "suspects whom you suspect",
}


def standing_section(decision: Decision) -> str:
    """Return the holders of badges, the living players, and since when the others are out.

    Returns "" while no player is out or has a badge.
    """
    view, state = decision.view, decision.view.state
    living_badges = {badge: seat for badge, seat in state.badges.items() if seat not in state.out}
    if not living_badges and not state.out:
        return ""
    badges = [
        e
        for _, e in view.newest_events(["badge_given"])
        if living_badges.get(e["badge"]) == e["seat"]
    ]
    lines = [news(event, decision) for event in badges[: len(living_badges)]]
    lines.append(f"Alive: {_seats(state.living(), decision)}.")
    for position in view.positions_by_kind.get("out", ()):
        event = view.events[position - 1]
        day = next(d.moment for d in state.deaths if d.seat == event["seat"])
        departure = news(event, decision).removesuffix(".")
        lines.append(f"{departure} ({moment_name(decision.ruleset, day)}).")
    light = decision.ruleset.wording.phase(state.phase).light
    return "\n".join([f"HOW THINGS STAND ({light} {state.day})", " ".join(lines)])


def claims_section(
    decision: Decision, steps: Sequence[ClaimStep], *, show_claims: bool = True
) -> str:
    """Return the claims of other players and this day's announced votes.

    Args:
        show_claims: whether to list the claims themselves, each with its role, result and time.
            Otherwise the section has only what follows from them: contested roles, and who may hold
            which role.
    """
    claimed = claims_summary.claims_by_seat(steps, decision.view) if show_claims else {}
    claim_lines = [
        f"{seat(number, decision)}: {'; '.join(_step(step, decision) for step in own)}."
        for number, own in claimed.items()
        if own
    ]
    out = decision.view.state.out
    if claim_lines and (silent := [s for s, own in claimed.items() if not own and s not in out]):
        claim_lines.append(f"No claim so far: {listed(silent, decision)}.")
    for role, seats in claims_summary.contested_claims(steps, decision.ruleset).items():
        count_in_deck = decision.ruleset.deck.count(role)
        name = role_of(decision.ruleset, role).name
        claim_lines.append(
            f"{name} is claimed by {_seats(seats, decision)}; the deck holds {count_in_deck}."
        )
    claim_lines += _patterns(decision, steps)
    rounds, today = decision.view.state.rounds, decision.view.state.day
    votes = claims_summary.voters_by_target(s for s in steps if rounds[s.round - 1].day == today)
    if vote_texts := [
        f"for {_seats([s], decision)} by {_seats(by, decision)}" for s, by in votes.items()
    ]:
        claim_lines.append(f"Votes announced: {'; '.join(vote_texts)}.")
    heading = "WHO CLAIMED WHAT, TRUE OR NOT (as far as the talk could be read)"
    return "\n".join([heading, *claim_lines]) if claim_lines else ""


def story_section(decision: Decision, steps: Sequence[ClaimStep]) -> str:
    """Return this seat's own claims and whether they were true, so that lies stay consistent.

    Its earlier statements come first, shortened, if the request does not show them above.
    """
    unshown_turns = [
        turn
        for turn in decision.view.turns
        if turn.seat == decision.seat
        and turn.text
        and decision.context != "summary"  # which has it all
        and turn.moment.phase_number < decision.shown_since
    ]
    even_chars = MAX_STORY_CHARS // max(1, len(unshown_turns))
    max_chars = min(MAX_OWN_CHARS, max(MIN_OWN_CHARS, even_chars))
    lines = [
        f"You said {moment_phrase(decision.ruleset, turn.moment)}: {quoted(turn.text, max_chars)}"
        for turn in unshown_turns
    ]
    lines += [
        _own(step, decision)
        for step in claims_summary.own_story(steps, decision.view, decision.ruleset)
    ]
    return "\n".join(["YOUR OWN STORY SO FAR", *lines]) if lines else ""


def certain_roles(decision: Decision) -> dict[int, str]:
    """Return seat -> role of the other players whose role this seat knows for certain."""
    return {s: r for s, r in sorted(known_roles(decision).items()) if s != decision.seat}


def unknown_seats(decision: Decision) -> list[int]:
    """Return the other seats whose role this seat does not know."""
    roles, count = certain_roles(decision), len(decision.view.state.seats)
    return [s for s in range(1, count + 1) if s != decision.seat and s not in roles]


def judgement_section(decision: Decision, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the last judgement: each player's two likeliest roles with probabilities.

    Each line also has the probability of being a teammate. Known roles are marked as known.
    """
    if not rows:
        return ""
    certain = certain_roles(decision)
    seats = (n for n in range(1, len(decision.view.state.seats) + 1) if n != decision.seat)
    lines = [
        f"{seat(n, decision)}: {_guess(decision, n, rows.get(str(n), {}), certain)}." for n in seats
    ]
    heading = f"WHAT YOU MADE OF THE OTHERS{_when_made(decision, 'judgement')}"
    return "\n".join([heading, *lines])


def deck_left(decision: Decision) -> str:
    """Return the possible roles among unknown players: "1 Seer, 2 Villagers and 1 Werewolf"."""
    pack = pack_of(decision.ruleset)
    return join_names([pack.counted(n, role) for role, n in remaining_roles(decision).items()])


def favor_section(decision: Decision, brief: Mapping[str, Any]) -> str:
    """Return the seat's feelings toward living players, with their reasons.

    One sentence covers all players toward whom it is neutral.
    """
    out = decision.view.state.out
    levels = {int(s): level for s, level in brief.get("levels", {}).items() if int(s) not in out}
    if not levels:
        return ""
    reasons: Mapping[str, Sequence[str]] = brief.get("why", {})
    lines = []
    for number, level in sorted(levels.items()):
        if level in FEELING_BY_LEVEL:
            feeling = f"You {FEELING_BY_LEVEL[level].format(seat(number, decision))}"
            lines.append(feeling + _cause(reasons.get(str(number), ())))
    neutral = "the others" if lines else "everyone"
    if len(lines) < len(levels):
        lines.append(f"You are neutral toward {neutral}.")
    if not is_placeholder(reason := str(brief.get("reason", ""))):
        lines.append(f"Your reason when you last thought about it: {quoted(reason)}")
    return "\n".join([f"HOW YOU FEEL{_since(decision)}", *lines])


def plan_section(decision: Decision, brief: Mapping[str, Any]) -> str:
    """Return the plan. It is quoted because it may repeat other players' words."""
    plan_text = str(brief.get("plan") or "")
    heading = f"YOUR PLAN, AS YOU MADE IT{_when_made(decision, 'strategy')}"
    return f"{heading} (weigh what was said since)\n{quoted(plan_text)}" if plan_text else ""


def aim_section(decision: Decision) -> str:
    """Return what a vote can do for this seat, from its role or its team."""
    role = role_of(decision.ruleset, decision.view.role)
    return role.vote or team_named(decision.ruleset, role.team).vote


def order_section(decision: Decision) -> str:
    """Return which players speak after this seat, as far as that is known.

    The ruleset may fix the order. Otherwise the sentence covers this round, in which each player
    speaks once.
    """
    state, turns = decision.view.state, decision.view.turns
    if not decision.window.is_public_speech:
        return ""
    spoken = {t.seat for t in turns if t.moment.phase_start == state.moment}
    if speakers := decision.ruleset.speaking_order(decision.view):
        return _order_among(speakers, spoken, decision)
    if not decision.ruleset.rounds or not state.round:
        return ""
    later_speakers = [s for s in state.living() if s != decision.seat and s not in spoken]
    last = state.round >= decision.ruleset.rounds
    first = "" if spoken else "You are the first to speak. "
    after = "You speak last"
    if later_speakers:
        after = f"{joined(later_speakers, decision)} will speak after you"
    aim_text = aim_section(decision)
    vote = f"; then comes the vote.{f' About the vote: {aim_text}' if aim_text else ''}"
    return f"{first}{after}{vote if last else ' in this round.'}"


def deductions_section(decision: Decision, seats_to_rate: Sequence[int]) -> str:
    """Return this seat's last deductions on `seats_to_rate`: role, confidence and reason."""
    lines = []
    for number, row in sorted(reliability_scores.deductions(decision).items()):
        if number in seats_to_rate:
            line = f"{seat(number, decision)}: {_taken_for(row, decision)}."
            reason = str(row.get("reason") or "")
            if not is_placeholder(reason):
                line += f" Your reason: {quoted(reason, MAX_DEDUCTION_CHARS)}"
            lines.append(line)
    heading = "WHAT YOU LAST TOOK THEM FOR, how surely and why (think it over again)"
    return "\n".join([heading, *lines]) if lines else ""


def own_ratings(decision: Decision) -> str:
    """Return this seat's own ratings so far, from windows of the same kind."""
    texts_by_seat: dict[int, str] = {}
    for event in decision.view.events:
        if event.kind == decision.window.kind and event.data.get("seat") == decision.seat:
            for row in event.data.get("ratings", ()):
                role_taken = _taken_for(row, decision)
                texts_by_seat[row["seat"]] = f"{seat(row['seat'], decision)}: {role_taken}."
    lines = [texts_by_seat[number] for number in sorted(texts_by_seat)]
    return "\n".join(["HOW YOU RATED THEM SO FAR", *lines]) if lines else ""


def _patterns(decision: Decision, steps: Sequence[ClaimStep]) -> Iterator[str]:
    """Yield the role pattern of each claimant of a contested looker role (SPEC 2.7).

    Patterns are given if talk runs in passes or the agent has the faculty. Seats with the same
    roles share an entry.
    """
    pack = pack_of(decision.ruleset)
    variant = decision.switch(PATTERN_VARIANT)
    if variant == "off" or (decision.ruleset.rounds and PATTERNS not in decision.faculties):
        return
    victims = [d.seat for d in Course.of(decision.view, decision.ruleset).killed]
    variants = [v for v in VARIANTS if v == variant]
    hunted = " or ".join(map(pack.many, pack.hunted))
    reported = "results" if "human_results" in variants else hunted
    basis = f"going by roles claimed and {reported} reported"
    for pattern in patterns_of_lookers(pack, steps, victims=victims, variants=variants):
        if pattern.claimant == decision.seat:
            continue  # the seat knows its own role
        claimant = seat(pattern.claimant, decision)
        if not any(pattern.roles.values()):
            yield f"{claimant} can't be {pack.one(pattern.role)}: nothing fits what was reported."
            continue
        *fixed, (_remaining_seats, remaining) = pattern.groups()
        fixed_text = "; ".join(
            f"{_seats(seats, decision)}: {pack.names(roles)}" for seats, roles in fixed
        )
        roles = " or ".join(pack.names(remaining).rsplit(", ", 1))
        condition = f"If {claimant} is {pack.one(pattern.role)}, {basis}"
        yield f"{condition}: {fixed_text}; each of the others may be {roles}."


def _step(step: ClaimStep, decision: Decision) -> str:
    at = _at(step, decision)
    match step.kind:
        case "role":
            return f"{role_of(decision.ruleset, step.role).name} {at}"
        case "partner":
            return f"with {_target_names(step, decision)} as the other {_name(step, decision)} {at}"
        case "look":
            return f"says {_look_text(step, decision, 'they')} {at}"
        case "back":
            return f"took back {_name(step, decision)} {at}"
    return f"announced a vote for {_target_names(step, decision)} {at}"


def _at(step: ClaimStep, decision: Decision) -> str:
    """Return "(round 2)", or "(day 2)" if the ruleset has no rounds."""
    return f"({moment_name(decision.ruleset, decision.view.state.rounds[step.round - 1])})"


def _name(step: ClaimStep, decision: Decision) -> str:
    return role_of(decision.ruleset, step.role).name


def _one(step: ClaimStep, decision: Decision) -> str:
    """Return "the Seer" or "a Mason", depending on how many the deck holds."""
    return pack_of(decision.ruleset).one(step.role)


def _target_names(step: ClaimStep, decision: Decision) -> str:
    return _seats(step.targets, decision)


def _seats(seats: Iterable[int], decision: Decision) -> str:
    """Return player names as in a sentence, with this seat as "you"."""
    return join_names(["you" if s == decision.seat else seat(s, decision) for s in seats])


def _look_text(step: ClaimStep, decision: Decision, speaker: str) -> str:
    """Return "they looked at Dara: the Werewolf", or a Medium's "that Dara, …, was human"."""
    names, look = _target_names(step, decision), pack_of(decision.ruleset).look(step.role)
    if look and look.is_of_exiled:
        return f"that {names}, who was voted out, was {_answer(step, decision)}"
    return f"{speaker} looked at {names}: {_answer(step, decision)}"


def _answer(step: ClaimStep, decision: Decision) -> str:
    """Return "the Werewolf among them" or "no Werewolf".

    Returns the answer itself if it shows no role.
    """
    pack = pack_of(decision.ruleset)
    role, is_held = pack.revealed_role(step.result)
    if not role:
        return f"the answer {step.value}"
    role_text = pack.one(role) if is_held else f"no {pack.name(role)}"
    return f"{role_text} among them" if len(step.targets) > 1 else role_text


def _own(step: ClaimStep, decision: Decision) -> str:
    at = _at(step, decision)
    lie = {True: ": the truth", False: ": a lie of yours", None: ""}[step.is_true]
    match step.kind:
        case "role":
            return f"You claimed to be {_one(step, decision)} {at}{lie}."
        case "partner":
            names, role = _target_names(step, decision), _name(step, decision)
            return f"You named {names} as the other {role} {at}{lie}."
        case "look":
            return f"You said {_look_text(step, decision, 'you')} {at}{lie}."
        case "back":
            return f"You took back that you are {_one(step, decision)} {at}."
    return f"You announced a vote for {_target_names(step, decision)} {at}."


def _guess(
    decision: Decision, number: int, row: Mapping[str, Any], certain_roles: Mapping[int, str]
) -> str:
    """Return one player's line, such as "41 % Villager, 37 % Werewolf; your teammate at 50 %".

    The part about teammates is left out if all teammates are known. Players who are out are marked.
    """
    own = team_of(decision.ruleset, decision.view.role)
    if number in certain_roles:
        role = role_of(decision.ruleset, certain_roles[number])
        side = "teammate" if role.team == own else "opponent"
        return f"{role.name} for certain, as you know, your {side}"
    if not row.get("top"):
        return "not judged"
    roles = (f"{round(100 * p)} % {role_of(decision.ruleset, r).name}" for r, p in row["top"])
    mates = sum(team_of(decision.ruleset, key) == own for key in decision.ruleset.deck) - 1
    known_mates = sum(team_of(decision.ruleset, key) == own for key in certain_roles.values())
    side = f"; your teammate at {round(100 * row['share'])} %" if mates > known_mates else ""
    out_mark = " (out)" if number in decision.view.state.out else ""
    return ", ".join(roles) + side + out_mark


def _when_made(decision: Decision, faculty: str) -> str:
    """Return " WHEN ROUND 2 BEGAN", the time of the last note of a faculty.

    The model needs it, because later talk may have changed the matter.
    """
    notes = decision.mind.of(faculty)
    if not notes:
        return ""
    return f" WHEN {moment_name(decision.ruleset, notes[-1].moment).upper()} BEGAN"


def _since(decision: Decision) -> str:
    made_text = _when_made(decision, "favor")
    return f", SINCE{made_text.removeprefix(' WHEN')}" if made_text else ""


def _cause(reasons: Sequence[str]) -> str:
    """Return the reasons for a feeling.

    Keys of the house player become phrases. Other reasons are quoted.
    """
    phrases = [PHRASE_BY_REASON[key] for key in reasons if key in PHRASE_BY_REASON]
    texts = (text for text in reasons if text not in PHRASE_BY_REASON)
    own = [quoted(text) for text in texts if not is_placeholder(text)]
    deeds = f", who {' and '.join(phrases)}" if phrases else ""
    return f"{deeds}." + (f" Your reason: {' '.join(own)}" if own else "")


def _order_among(speakers: Sequence[int], spoken: Container[int], decision: Decision) -> str:
    """Return the seat's place among the speakers, and the aim of a vote that follows the talk."""
    later_speakers = [s for s in speakers if s != decision.seat and s not in spoken]
    first = "" if any(s in spoken for s in speakers) else "You are the first to speak."
    after = f"{joined(later_speakers, decision)} will speak after you." if later_speakers else ""
    if after and decision.ruleset.talk_limits(decision.window.kind, decision.view.state.settings):
        after = f"Still to speak for the first time today: {joined(later_speakers, decision)}."
    talk = decision.ruleset.wording.phase(decision.view.state.phase).is_talk
    votes = talk and decision.ruleset.has_vote_on(decision.view.state.day)
    vote = f"About the vote: {aim_section(decision)}" if votes and aim_section(decision) else ""
    return " ".join(part for part in (first, after, vote) if part)


def _taken_for(row: Mapping[str, Any], decision: Decision) -> str:
    """Return "Werewolf, 7": a role, or that it is uncertain, and a confidence."""
    is_known = row["role"] != UNCERTAIN
    name = role_of(decision.ruleset, row["role"]).name if is_known else UNSURE
    return f"{name}, {row['confidence']}"
