"""Prompt sections between talk and question: claims, story, beliefs, feelings, plan.

Functions named for a section return its text, "" if it would be empty.
Text of players and of models is always quoted.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agents.claims.claim_reading import claims_by_seat, own_story, voters_by_target
from agents.contest import PATTERN_VARIANT, PATTERN_VARIANTS, PATTERNS
from agents.decision import Decision
from agents.deduction.role_patterns import patterns_of_lookers
from agents.faculties.judgement import known_roles_of_others, remaining_roles
from agents.llm.narration import event_sentence
from agents.llm.player_names import join_names, join_players, list_players, player_name
from agents.llm.transcript import moment_name, moment_phrase
from agents.prompts import format_section, is_placeholder
from agents.quotation import quote_text
from agents.talk.claim_steps import ClaimStep, contested_roles, current_claims
from agents.talk.course import Course
from game.engine.ruleset import role_of, team_named, team_of

STORY_CHARS = 900  # The seat's own earlier statements share this length evenly.
MIN_STATEMENT_CHARS, MAX_STATEMENT_CHARS = 80, 200  # the bounds of a statement's share
# Level of favor -> feeling toward a player; level 3 is neutral.
FEELING_BY_LEVEL = {1: "loathe {}", 2: "dislike {}", 4: "appreciate {}", 5: "are devoted to {}"}
# The house player's reasons for a score (`favor_scale.REACTION_BY_DEED`) as predicates of the
# player they concern.
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
    """Return the holders of badges, the living, and since when others are out, if any is."""
    view, state = decision.view, decision.view.state
    living_badges = {badge: seat for badge, seat in state.badges.items() if seat not in state.out}
    if not living_badges and not state.out:
        return ""
    newest = view.newest_events(["badge_given"])
    badges = [event for _, event in newest if living_badges.get(event["badge"]) == event["seat"]]
    lines = [event_sentence(event, decision) for event in badges[: len(living_badges)]]
    lines.append(f"Alive: {_player_names(state.living(), decision)}.")
    for position in view.positions_by_kind.get("out", ()):
        event = view.events[position - 1]
        moment = next(d.moment for d in state.deaths if d.seat == event["seat"])
        departure = event_sentence(event, decision).removesuffix(".")
        lines.append(f"{departure} ({moment_name(decision.ruleset, moment)}).")
    light = decision.ruleset.wording.phase(state.phase).light
    return "\n".join([f"HOW THINGS STAND ({light} {state.day})", " ".join(lines)])


def claims_section(
    decision: Decision, steps: Sequence[ClaimStep], *, show_claims: bool = True
) -> str:
    """Return the claims of other players and this day's announced votes.

    Without `show_claims` it has only what follows from the claims: contested roles, and who may
    hold which role.
    """
    claims = claims_by_seat(steps, decision.other_seats) if show_claims else {}
    claim_lines = [
        f"{player_name(seat, decision)}: {'; '.join(_step_text(step, decision) for step in own)}."
        for seat, own in claims.items()
        if own
    ]
    out = decision.view.state.out
    if claim_lines and (silent := [s for s, own in claims.items() if not own and s not in out]):
        claim_lines.append(f"No claim so far: {list_players(silent, decision)}.")
    for role, seats in contested_roles(current_claims(steps), decision.ruleset.deck).items():
        count_in_deck = decision.ruleset.deck.count(role)
        name, claimants = role_of(decision.ruleset, role).name, _player_names(seats, decision)
        claim_lines.append(f"{name} is claimed by {claimants}; the deck holds {count_in_deck}.")
    claim_lines += _iter_pattern_lines(decision, steps)
    today = decision.view.state.day
    votes = voters_by_target(step for step in steps if step.day == today)
    if vote_texts := [
        f"for {_player_names([s], decision)} by {_player_names(by, decision)}"
        for s, by in votes.items()
    ]:
        claim_lines.append(f"Votes announced: {'; '.join(vote_texts)}.")
    heading = "WHO CLAIMED WHAT, TRUE OR NOT (as far as the talk could be read)"
    return format_section(heading, claim_lines)


def story_section(decision: Decision, steps: Sequence[ClaimStep]) -> str:
    """Return this seat's own claims and whether they were true, so that lies stay consistent.

    The seat's earlier statements come first, shortened, if the request does not show them above.
    """
    unshown_turns = [
        turn
        for turn in decision.view.turns
        if turn.seat == decision.seat
        and turn.text
        and decision.context != "summary"  # the summary covers them
        and turn.moment.phase_number < decision.shown_since
    ]
    even_chars = STORY_CHARS // max(1, len(unshown_turns))
    max_chars = min(MAX_STATEMENT_CHARS, max(MIN_STATEMENT_CHARS, even_chars))
    lines = []
    for turn in unshown_turns:
        quotation = quote_text(turn.text, max_chars)
        lines.append(f"You said {moment_phrase(decision.ruleset, turn.moment)}: {quotation}")
    own_steps = own_story(steps, decision.view, decision.pack)
    lines += [_own_step_sentence(step, decision) for step in own_steps]
    return format_section("YOUR OWN STORY SO FAR", lines)


def unknown_seats(decision: Decision) -> list[int]:
    """Return the other seats whose role this seat does not know."""
    return [seat for seat in decision.other_seats if seat not in known_roles_of_others(decision)]


def judgement_section(decision: Decision, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the last judgement of each player: likeliest roles, probability to be a teammate."""
    if not rows:
        return ""
    lines = []
    for seat in decision.other_seats:
        judgement = _judgement_text(decision, seat, rows.get(str(seat), {}))
        lines.append(f"{player_name(seat, decision)}: {judgement}.")
    return format_section(f"WHAT YOU MADE OF THE OTHERS{_when_made(decision, 'judgement')}", lines)


def unknown_roles_text(decision: Decision) -> str:
    """Return the possible roles among unknown players: "1 Seer, 2 Villagers and 1 Werewolf"."""
    counts = remaining_roles(decision).items()
    return join_names([decision.pack.counted(count, role) for role, count in counts])


def favor_section(decision: Decision, brief: Mapping[str, Any]) -> str:
    """Return the seat's feelings toward living players, with their reasons."""
    out = decision.view.state.out
    levels = {int(s): level for s, level in brief.get("levels", {}).items() if int(s) not in out}
    if not levels:
        return ""
    reasons: Mapping[str, Sequence[str]] = brief.get("why", {})
    lines = []
    for number, level in sorted(levels.items()):
        if level in FEELING_BY_LEVEL:
            feeling = f"You {FEELING_BY_LEVEL[level].format(player_name(number, decision))}"
            lines.append(feeling + _reasons_text(reasons.get(str(number), ())))
    neutral = "the others" if lines else "everyone"
    if len(lines) < len(levels):
        lines.append(f"You are neutral toward {neutral}.")
    if not is_placeholder(reason := str(brief.get("reason", ""))):
        lines.append(f"Your reason when you last thought about it: {quote_text(reason)}")
    since = _when_made(decision, "favor").replace(" WHEN", ", SINCE", 1)
    return format_section(f"HOW YOU FEEL{since}", lines)


def plan_section(decision: Decision, brief: Mapping[str, Any]) -> str:
    """Return the plan, quoted because it may repeat other players' words."""
    plan_text = str(brief.get("plan") or "")
    heading = f"YOUR PLAN, AS YOU MADE IT{_when_made(decision, 'strategy')}"
    return f"{heading} (weigh what was said since)\n{quote_text(plan_text)}" if plan_text else ""


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
    later_speakers = [s for s in decision.living_others if s not in spoken]
    first = "" if spoken else "You are the first to speak. "
    after = "You speak last"
    if later_speakers:
        after = f"{join_players(later_speakers, decision)} will speak after you"
    if state.round < decision.ruleset.rounds:
        return f"{first}{after} in this round."
    aim = aim_section(decision)
    return f"{first}{after}; then comes the vote.{f' About the vote: {aim}' if aim else ''}"


def _iter_pattern_lines(decision: Decision, steps: Sequence[ClaimStep]) -> Iterator[str]:
    """Yield the role pattern of each claimant of a contested looker role (SPEC 2.7).

    There are none unless talk runs in passes or the agent has the faculty. Seats with the same
    roles share an entry.
    """
    pack = decision.pack
    variant = decision.switch_value(PATTERN_VARIANT)
    if variant == "off" or (decision.ruleset.rounds and PATTERNS not in decision.faculties):
        return
    victims = [d.seat for d in Course.of(decision.view, decision.ruleset).killed]
    variants = [v for v in PATTERN_VARIANTS if v == variant]
    hunted = " or ".join(map(pack.many, pack.hunted))
    reported = "results" if "human_results" in variants else hunted
    basis = f"going by roles claimed and {reported} reported"
    for pattern in patterns_of_lookers(pack, steps, victims=victims, variants=variants):
        if pattern.claimant == decision.seat:
            continue  # the seat knows its own role
        claimant = player_name(pattern.claimant, decision)
        if not any(pattern.roles.values()):
            yield f"{claimant} can't be {pack.one(pattern.role)}: nothing fits what was reported."
            continue
        *fixed, (_remaining_seats, remaining) = pattern.groups()
        fixed_text = "; ".join(
            f"{_player_names(seats, decision)}: {pack.names(roles)}" for seats, roles in fixed
        )
        roles = " or ".join(pack.names(remaining).rsplit(", ", 1))
        condition = f"If {claimant} is {pack.one(pattern.role)}, {basis}"
        yield f"{condition}: {fixed_text}; each of the others may be {roles}."


def _step_text(step: ClaimStep, decision: Decision) -> str:
    """Return another player's step: "Seer (round 2)", "took back Seer (round 3)"."""
    targets, role = _player_names(step.targets, decision), decision.pack.name(step.role)
    time = _time_mark(step, decision)
    match step.kind:
        case "role":
            return f"{role} {time}"
        case "partner":
            return f"with {targets} as the other {role} {time}"
        case "look":
            return f"says {_look_text(step, decision, 'they')} {time}"
        case "back":
            return f"took back {role} {time}"
    return f"announced a vote for {targets} {time}"


def _time_mark(step: ClaimStep, decision: Decision) -> str:
    """Return "(round 2)", or "(day 2)" if the ruleset has no rounds."""
    return f"({moment_name(decision.ruleset, decision.view.state.rounds[step.round - 1])})"


def _player_names(seats: Iterable[int], decision: Decision) -> str:
    """Return player names as in a sentence, with this seat as "you"."""
    return join_names(["you" if s == decision.seat else player_name(s, decision) for s in seats])


def _look_text(step: ClaimStep, decision: Decision, speaker: str) -> str:
    """Return "they looked at Dara: the Werewolf", or a Medium's "that Dara, …, was human"."""
    names, look = _player_names(step.targets, decision), decision.pack.look(step.role)
    if look and look.is_of_exiled:
        return f"that {names}, who was voted out, was {_answer_text(step, decision)}"
    return f"{speaker} looked at {names}: {_answer_text(step, decision)}"


def _answer_text(step: ClaimStep, decision: Decision) -> str:
    """Return "the Werewolf among them", "no Werewolf", or the answer if it reveals no role."""
    pack = decision.pack
    role, is_held = pack.revealed_role(step.result)
    if not role:
        return f"the answer {step.value}"
    role_text = pack.one(role) if is_held else f"no {pack.name(role)}"
    return f"{role_text} among them" if len(step.targets) > 1 else role_text


def _own_step_sentence(step: ClaimStep, decision: Decision) -> str:
    targets, pack = _player_names(step.targets, decision), decision.pack
    time = _time_mark(step, decision)
    truth = {True: ": the truth", False: ": a lie of yours", None: ""}[step.is_true]
    match step.kind:
        case "role":
            return f"You claimed to be {pack.one(step.role)} {time}{truth}."
        case "partner":
            return f"You named {targets} as the other {pack.name(step.role)} {time}{truth}."
        case "look":
            return f"You said {_look_text(step, decision, 'you')} {time}{truth}."
        case "back":
            return f"You took back that you are {pack.one(step.role)} {time}."
    return f"You announced a vote for {targets} {time}."


def _judgement_text(decision: Decision, seat: int, row: Mapping[str, Any]) -> str:
    """Return the agent's judgement of a player.

    Example: "41 % Seer, 37 % Werewolf; your teammate at 50 %". The part about teammates is left out
    if all teammates are known. Players who are out are marked.
    """
    ruleset, roles = decision.ruleset, known_roles_of_others(decision)
    own_team = team_of(ruleset, decision.view.role)
    if seat in roles:
        role = role_of(ruleset, roles[seat])
        side = "teammate" if role.team == own_team else "opponent"
        return f"{role.name} for certain, as you know, your {side}"
    if not row.get("top"):
        return "not judged"
    likeliest = ", ".join(f"{round(100 * p)} % {role_of(ruleset, r).name}" for r, p in row["top"])
    teammate_count = sum(team_of(ruleset, key) == own_team for key in ruleset.deck) - 1
    known_count = sum(team_of(ruleset, key) == own_team for key in roles.values())
    is_unsure = teammate_count > known_count
    side = f"; your teammate at {round(100 * row['share'])} %" if is_unsure else ""
    return f"{likeliest}{side}{' (out)' if seat in decision.view.state.out else ''}"


def _when_made(decision: Decision, faculty: str) -> str:
    """Return the time of the last note of a faculty, " WHEN ROUND 2 BEGAN", "" without a note.

    The model needs it, because later talk may have changed the matter.
    """
    notes = decision.mind.of(faculty)
    if not notes:
        return ""
    return f" WHEN {moment_name(decision.ruleset, notes[-1].moment).upper()} BEGAN"


def _reasons_text(reasons: Sequence[str]) -> str:
    """Return the reasons for a feeling: phrases for the house player's, quotations for others."""
    phrases = [PHRASE_BY_REASON[key] for key in reasons if key in PHRASE_BY_REASON]
    texts = (text for text in reasons if text not in PHRASE_BY_REASON)
    own = [quote_text(text) for text in texts if not is_placeholder(text)]
    deeds = f", who {' and '.join(phrases)}" if phrases else ""
    return f"{deeds}." + (f" Your reason: {' '.join(own)}" if own else "")


def _order_among(speakers: Sequence[int], spoken: Container[int], decision: Decision) -> str:
    """Return the seat's place among the speakers, and the aim of a vote that follows the talk."""
    state = decision.view.state
    later_speakers = [s for s in speakers if s != decision.seat and s not in spoken]
    names = join_players(later_speakers, decision)
    first = "" if any(s in spoken for s in speakers) else "You are the first to speak."
    after = f"{names} will speak after you." if names else ""
    if names and decision.ruleset.talk_limits(decision.window.kind, state.settings):
        after = f"Still to speak for the first time today: {names}."
    is_talk = decision.ruleset.wording.phase(state.phase).is_talk
    aim = aim_section(decision) if is_talk and decision.ruleset.has_vote_on(state.day) else ""
    vote = f"About the vote: {aim}" if aim else ""
    return " ".join(part for part in (first, after, vote) if part)
