"""Messages of a request: a constant frame first, then the parts that change.

The changing parts are, in this order: the talk, which only grows, retrieved memories, claims and
own story, beliefs, feelings and plan, and the question. Consecutive prompts therefore share a long
prefix, and a server with a prefix cache reads only the new part.
"""

from typing import Any, NamedTuple

from agents.claims.claim_reading import decision_claim_steps
from agents.contest import CHARACTER, CONVERSATION, SUMMARY
from agents.decision import Decision, Request
from agents.faculties.favor import seats_to_score
from agents.faculties.judgement import known_roles_of_others, remaining_roles
from agents.faculties.persona import persona_text
from agents.llm import contest_prompts, narration, numbered_context, question_fields, sections
from agents.llm.narration import with_borrowed_wording
from agents.llm.player_names import list_players, player_name
from agents.llm.transcript import moment_name, moment_phrase, talk_and_memory
from agents.packs import pack_of
from agents.prompts import render, template, version
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.declarations import Role
from game.engine.forms import Ratings, Speech
from game.engine.ruleset import Ruleset, role_of, team_named, team_of

Messages = list[dict[str, str]]
FACULTY_REQUESTS = (
    "favor",
    "judgement",
    "strategy",
    RATINGS_REQUEST,
    *contest_prompts.REQUEST_KINDS,
)
OWN_NOTES_TEXT = "Your own plan and reasons stand between quotation marks too, as you wrote them. "
KNOWN_ROLES_TEXT = " Nobody else is asked about: the rest you know."


def template_name(request: Request) -> str:
    """Return the name of the request's template, chosen by the form of the answer."""
    if request.kind in FACULTY_REQUESTS:
        return request.kind
    request = with_borrowed_wording(request)
    window, ballots = request.decision.window, request.decision.ruleset.wording.ballots
    if isinstance(window.legal, Ratings):
        return "ratings"
    name = "statement"
    if not isinstance(window.legal, Speech):
        pick = window.pick
        is_of_one_player = pick.count == 1 and all(isinstance(o, int) for o in pick.options)
        name = "vote" if window.kind in ballots and is_of_one_player else "choice"
    return contest_prompts.contest_template_name(request.decision, name)


class Prompt(NamedTuple):
    """Messages of a request, and the version of their template."""

    messages: Messages
    version: str


def build_messages(request: Request, omitted_turn_count: int = 0) -> Prompt:
    """Return the prompt, without the oldest `omitted_turn_count` turns of the talk."""
    request = with_borrowed_wording(request)
    if request.kind == SUMMARY:  # the older talk is in the summary so far
        omitted_turn_count = max(omitted_turn_count, request.brief[SUMMARY]["upto"])
    name, decision = template_name(request), request.decision
    # The request that extends the profile to a character states the profile itself.
    system = build_frame(decision, show_person=request.kind != CHARACTER)
    fields = {**_template_fields(request), "happened": "", "memory": ""}
    if RELIABILITY in decision.faculties:
        fields["happened"] = numbered_context.format_numbered_lines(decision, omitted_turn_count)
    else:
        other_chars = len(system) + len(template(name).substitute(fields))
        memory_turns = [row["turn"] for row in request.brief.get("memory", {}).get("memory", ())]
        fields["happened"], fields["memory"] = talk_and_memory(
            decision, memory_turns, other_chars, omitted_turn_count
        )
    user = "\n".join(_collapse_empty_lines(template(name).substitute(fields).strip()))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    if mistake := request.brief.get("refused"):
        if previous_answer := request.brief.get("answered"):
            messages.append({"role": "assistant", "content": str(previous_answer)})
        messages.append({"role": "user", "content": render("repair", why=mistake)})
    return Prompt(messages, version(name))


def build_frame(decision: Decision, *, show_person: bool = True) -> str:
    """Return the system message: rules, role, goal, secrets, and the persona if `show_person`.

    It is byte-identical at every turn of one agent's game.
    """
    view, ruleset = decision.view, decision.ruleset
    course = ruleset.describe_course(view.state.settings)
    rules = [f"{part.title}: {' '.join(part.texts).format(**part.figures)}" for part in course]
    rules += [f"{team.name[:1].upper()}{team.name[1:]} wins: {team.wins}" for team in ruleset.teams]
    persona = "You are asked for that below."
    if show_person:
        persona = contest_prompts.character_text(decision) or persona_text(decision)
    secrets = [_identity_sentences(decision), *narration.dealt_sentences(decision).values()]
    has_own_notes = {"favor", "strategy", RELIABILITY, CONVERSATION} & decision.faculties
    return template("frame").substitute(
        name=player_name(decision.seat, decision),
        count=len(view.state.seats),
        others=list_players(range(1, len(view.state.seats) + 1), decision),
        rules="\n".join(rules),
        roles="\n".join(_role_line(ruleset, role) for role in ruleset.roles),
        secrets=" ".join(secrets),
        persona=persona or contest_prompts.NO_PROFILE,
        own=OWN_NOTES_TEXT if has_own_notes else "",
    )


def _collapse_empty_lines(text: str) -> list[str]:
    """Return the lines without consecutive empty ones, so that empty parts leave no gap."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return lines


def _role_line(ruleset: Ruleset, role: Role) -> str:
    side, name = _team_name(ruleset, role, "its"), pack_of(ruleset).name(role.key)
    count = ruleset.deck.count(role.key)
    return f"{name} ({count} in the deck), of {side}: {role.does}"


def _team_name(ruleset: Ruleset, role: Role, possessive: str) -> str:
    """Return the name of the role's team, "no team but its own" for a team of one player."""
    is_alone = sum(team_of(ruleset, key) == role.team for key in ruleset.deck) == 1
    return f"no team but {possessive} own" if is_alone else team_named(ruleset, role.team).name


def _identity_sentences(decision: Decision) -> str:
    role = role_of(decision.ruleset, decision.view.role)
    goal = team_named(decision.ruleset, role.team).goal
    goal_text = f" Your goal: {goal}" if goal else ""
    one = decision.pack.one(role.key)
    return f"You are {one}, of {_team_name(decision.ruleset, role, 'your')}.{goal_text}"


def _template_fields(request: Request) -> dict[str, Any]:
    """Return all template fields except the talk and the retrieved memories."""
    decision, brief = request.decision, request.brief
    strategy = brief.get("strategy", {})
    previous_round = decision.view.state.rounds[-2] if decision.round > 1 else decision.round_start
    rating_fields = question_fields.rating_fields(request)
    return {
        **_talk_sections(request),
        "list": sections.judgement_section(decision, strategy.get("list", {})),
        "favor": sections.favor_section(decision, brief.get("favor", {})),
        "plan": sections.plan_section(decision, strategy),
        "ways": "\n".join(f"- {seed}" for seed in strategy.get("ways", ())),
        "aim": (aim := sections.aim_section(decision)),
        "vote": f" About the vote: {aim}" if aim else "",
        "now": moment_name(decision.ruleset, decision.round_start, show_total=True),
        "before": moment_phrase(decision.ruleset, previous_round),
        "others": list_players(seats_to_score(decision), decision),
        "unsure": list_players(sections.unknown_seats(decision), decision),
        "shares": ", ".join(f'"{role}": …' for role in remaining_roles(decision)),
        "left": sections.unknown_roles_text(decision),
        "known": KNOWN_ROLES_TEXT if known_roles_of_others(decision) else "",
        **({} if request.kind == RATINGS_REQUEST else question_fields.template_fields(decision)),
        **contest_prompts.template_fields(request),
        **rating_fields,
        **question_fields.reason_fields(decision, rating_fields["rows_next"]),
    }


def _talk_sections(request: Request) -> dict[str, str]:
    """Return the fields for what follows from the talk: who is alive, claims, and own story.

    The fields are "" for Helmsman's method: its numbered context has all talk, sorted by trust.
    """
    decision = request.decision
    if RELIABILITY in decision.faculties:
        return {"standing": "", "claims": "", "story": ""}
    steps = decision_claim_steps(decision)
    # The summary has the claims so far.
    has_summary = bool(request.brief.get(SUMMARY, {}).get("lines"))
    return {
        "standing": sections.standing_section(decision),
        "claims": sections.claims_section(decision, steps, show_claims=not has_summary),
        "story": sections.story_section(decision, steps),
    }
