"""Template fields of the contest agent and the guarded agent (Impressions A.4 to A.11)."""

from collections.abc import Iterable, Mapping
from typing import Any

from agents import contest
from agents.claims.claim_reading import decision_claim_steps
from agents.claims.talk_summary import MAX_LINES
from agents.decision import Decision, Request
from agents.faculties.guess import guessable_seats
from agents.llm.narration import EVERYONE, length_text
from agents.llm.player_names import list_players, player_name
from agents.llm.question_fields import advice_name
from agents.llm.transcript import said_line
from agents.packs import Pack, Result
from agents.prompts import format_section, render, template
from agents.quotation import quote_text
from game.engine.forms import Speech
from game.engine.text_checks import NO_LIMIT

REQUEST_KINDS = (contest.CHARACTER, contest.SUMMARY, contest.CLAIMS, contest.VOTES, contest.GUESS)
NO_PROFILE = "An ordinary person among friends."
MAX_SHORTFALL_CHARS = 13  # A statement may be this much shorter than its limit (Impressions A.4.1).
MAX_STATEMENT_CHARS = 400  # The request that reads claims cuts a statement to this length.
# Explanations of the fields of a statement in the contest's form.
CONTENT_TEXT = ' "content" is what {hearers} hear.'
OVER_TEXT = (
    ' "over" is true if you have nothing more to say in this talk, after these words or, with'
    ' "content" empty, at once; else it is false.'
)
ADDRESSEE_TEXT = (
    ' If you speak to one player in particular, "to" is one of {names}, and "to_them" what you say'
    " to that player, a question perhaps, without an @; all hear it.{more}"
    ' If all you say is for that player, "content" stays empty.'
    ' Otherwise "to" is "{everyone}" and "to_them" stays empty.'
)


def is_contest_agent(decision: Decision) -> bool:
    """Return whether the agent speaks in the contest's form."""
    return contest.CONVERSATION in decision.faculties


def contest_template_name(decision: Decision, usual: str) -> str:
    """Return the contest's template for the form of an answer that has the template `usual`."""
    if not is_contest_agent(decision) or usual not in ("statement", "vote", "choice"):
        return usual
    if usual != "statement":
        return f"contest_{usual}"
    return "contest_whisper" if decision.is_whisper else "contest_talk"


def character_text(decision: Decision) -> str:
    """Return the description of the agent: its owner's style, its noted character, or ""."""
    if decision.persona and decision.persona.style:
        return decision.persona.text()
    description, *habits = decision.mind.latest(contest.CHARACTER).get("lines") or [""]
    if not description:
        return _profile_text(decision) if is_contest_agent(decision) else ""
    lines = [f"You are this person: {quote_text(description)}", "How that person speaks:"]
    return "\n".join([*lines, *(f"- {quote_text(habit)}" for habit in habits)])


def template_fields(request: Request) -> dict[str, str]:
    """Return the fields of the templates, {} if they have none of this module.

    Fields for what a request lacks are "".
    """
    decision, brief, legal = request.decision, request.brief, request.decision.window.legal
    if request.kind not in REQUEST_KINDS and not is_contest_agent(decision):
        return {}
    summary = [f"- {quote_text(line)}" for line in brief.get(contest.SUMMARY, {}).get("lines", ())]
    seeds = [f"- {seed}" for seed in brief.get(contest.CONVERSATION, {}).get("advice", ())]
    fields = {
        "summary": format_section("THE TALK SO FAR, AS YOU SUMMED IT UP (true or not)", summary),
        "advice": format_section("WHAT PLAYERS OF YOUR ROLE OFTEN DO", seeds),
        "guess": _guess_section(brief.get(contest.GUESS, {}), decision),
        "inducing": _inducing_section(brief.get(contest.INDUCING, {}), decision),
        "whispered": _whisper_subject(decision) if decision.is_whisper else "",
        "sharing": _sharing_section(brief.get(contest.SHARING, {}), decision),
    }
    if request.kind not in REQUEST_KINDS and isinstance(legal, Speech):
        return fields | _speech_fields(decision, legal)
    return fields | _faculty_fields(request)


def addressees(decision: Decision) -> list[int]:
    """Return the seats that a statement may be spoken to."""
    legal = decision.window.legal
    if not isinstance(legal, Speech) or not decision.window.is_public_speech:
        return []
    return [seat for seat in legal.options_for(decision.seat) if isinstance(seat, int)]


def role_names(decision: Decision) -> list[str]:
    """Return the names of the deck's roles, as a claim may state them."""
    return list(map(decision.pack.name, dict.fromkeys(decision.pack.deck)))


def look_answers(decision: Decision) -> list[str]:
    """Return the possible answers of all looks of the game, each once."""
    pack = decision.pack
    looks = (pack.look(role) for role in pack.roles("looker"))
    return list(dict.fromkeys(v for look in looks if look for v, _roles in look.answers))


def _whisper_subject(decision: Decision) -> str:
    """Return what to whisper about. Before the first talk no attack is planned yet."""
    pack = decision.pack
    has_talked = any(turn.text for turn in decision.view.turns)
    role = pack.role("helper")
    fields = {
        "plain": pack.name(decision.ruleset.default_role or pack.plain_role),
        "wolves": _hunted_names(pack),
        "helper": template("helper").substitute(helper=pack.one(role)) if role else "",
    }
    return render("whisper_attack" if has_talked else "whisper_first", **fields)


def _guess_section(guess: Mapping[str, Any], decision: Decision) -> str:
    """Return the guesses of a note of `GuessFaculty`, and the result that it invented."""
    pack, out = decision.pack, decision.view.state.out
    lines = []
    guessed_roles = {
        "looker": f"the true {pack.name(pack.role('looker'))}",
        "hunted": " or ".join(map(pack.one, pack.hunted)),
    }
    for key, role in guessed_roles.items():
        if (seat := guess.get(key)) and seat not in out:
            reasons = (guess.get("why") or {}).get(str(seat))
            reason = f" Your reason: {quote_text(reasons[0])}" if reasons else ""
            lines.append(f"You take {player_name(seat, decision)} for {role}.{reason}")
    if guess.get("target"):
        lines.append(_invented_result_line(guess, decision))
    return format_section("WHAT YOU MAKE OF IT, AND WHAT YOU INVENT", lines)


def _invented_result_line(guess: Mapping[str, Any], decision: Decision) -> str:
    """Return the request to state the invented result, or that the agent has stated it."""
    pack, target = decision.pack, player_name(guess["target"], decision)
    invented = Result(guess["role"], (guess["target"],), guess["result"])
    look = pack.look(invented.source)
    source = f"you looked at {target} and that {target} is"
    if look and look.is_of_exiled:
        source = f"{target}, who was voted out, was"
    own = (step.result for step in decision_claim_steps(decision) if step.seat == decision.seat)
    opening = "Say today"
    if invented in own:
        opening = "You have said"
    elif not decision.is_in_talk:
        opening = "You mean to say, and have not said yet,"
    return (
        f"You pass for {pack.one(guess['role'])}. {opening} that {source}"
        f" {pack.answer_text(invented)}. It is invented; nobody may notice, and you stay with it."
    )


def _hunted_names(pack: Pack) -> str:
    return " or ".join(pack.many(role) for role in pack.hunted)


def _inducing_section(brief: Mapping[str, Any], decision: Decision) -> str:
    """Return the request to press the target, with hints how to make it look doubtful."""
    if not brief:
        return ""
    pack, name = decision.pack, player_name(brief["target"], decision)
    text = render(f"inducing_{brief['manner']}", target=name)
    if not brief["last"]:
        return f"{render('inducing_if_done')}\n{text}"
    hints = render("doubts", wolves=_hunted_names(pack)).split("\n")
    heading = f"Ways to make {name} look doubtful; use what fits the talk:"
    rows = (f"- {hint}" for hint in hints)
    return "\n".join([render("inducing_last"), text, heading, *rows])


def _sharing_section(brief: Mapping[str, Any], decision: Decision) -> str:
    """Return the claims to share with partners, and the claimants whose claims were shared."""
    claims = brief.get("unshared_claims") or ()
    lines = [_claim_line(row, brief["partner_seats"], decision) for row in claims]
    if not lines:
        return ""
    names = list_players(brief["shared_seats"], decision)
    lines += [f"You have told them of {names} before."] if names else []
    return render("sharing", claims="\n".join(lines))


def _claim_line(row: Mapping[str, Any], partner_seats: Iterable[int], decision: Decision) -> str:
    pack, names = decision.pack, list_players(row["targets"], decision)
    line = f"- {player_name(row['seat'], decision)} claims to be {pack.one(row['role'])}"
    if row["result"]:
        result = Result(row["role"], tuple(row["targets"]), row["result"])
        mark = ", who is one of you," if set(row["targets"]) & set(partner_seats) else ""
        line += f", and says that {names}{mark} is {pack.answer_text(result)}"
    return f"{line}."


def _speech_fields(decision: Decision, legal: Speech) -> dict[str, str]:
    """Return the fields on the length and the parts of a statement."""
    is_whispered = decision.is_whisper
    hearers = "your partners" if is_whispered else "all players"
    parts, shape, more = CONTENT_TEXT.format(hearers=hearers), "", ""
    length = f"At most {length_text(legal)} in all."
    if legal.max_characters != NO_LIMIT and legal.max_words == NO_LIMIT:
        min_chars = max(1, legal.max_characters - MAX_SHORTFALL_CHARS)
        length = (
            f'"content" has {min_chars} to {legal.max_characters} characters, spaces not counted.'
        )
        if legal.max_characters_after != NO_LIMIT:
            more = f" It has at most {legal.max_characters_after} characters."
    if legal.may_over:
        parts, shape = parts + OVER_TEXT, shape + ', "over": false'
    if addressees(decision):
        names = list_players(addressees(decision), decision)
        parts += ADDRESSEE_TEXT.format(names=names, everyone=EVERYONE, more=more)
        shape += ', "to": "…", "to_them": "…"'
    advice = render(name := advice_name(decision))
    return {
        "reasons": "" if is_whispered else render(f"reasons_{name}"),
        "length": length,
        "parts": parts,
        "shape": shape,
        "to_answer": advice[:1].upper() + advice[1:],
    }


def _faculty_fields(request: Request) -> dict[str, str]:
    """Return the fields of a faculty's own request."""
    decision, brief, pack = request.decision, request.brief, request.decision.pack
    match request.kind:
        case contest.CHARACTER:
            return {"profile": _profile_text(decision)}
        case contest.SUMMARY:
            deeds = template("summary_deeds").template.rstrip() if pack.can_protect else ""
            has_summary = brief[contest.SUMMARY].get("lines")
            sources = render("summary_next" if has_summary else "summary_first")
            return {"lines": str(MAX_LINES), "sources": sources, "deeds": deeds}
        case contest.CLAIMS:
            looks = [look for role in pack.roles("looker") if (look := pack.look(role))]
            return {
                "statements": _statement_lines(brief[contest.CLAIMS]["turns"], decision),
                "roles": ", ".join(role_names(decision)),
                "cleared": looks[0].answer_for([pack.plain_role]) if looks else "",
                "found": looks[0].answer_for(pack.hunted) if looks else "",
            }
        case contest.VOTES:
            return {"statements": _statement_lines(brief[contest.VOTES]["turns"], decision)}
        case contest.GUESS:
            role = brief[contest.GUESS]["role"]
            return {
                "one": pack.one(role),
                "role": pack.name(role),
                "hunted": f"is {' or '.join(map(pack.one, pack.hunted))}",
                "options": list_players(guessable_seats(decision), decision),
            }
    return {}


def _profile_text(decision: Decision) -> str:
    if decision.profile:
        return "\n".join(f"{key}: {quote_text(text)}" for key, text in decision.profile.items())
    persona = decision.persona.text() if decision.persona else ""
    return "\n".join(map(quote_text, filter(None, persona.split("\n")))) or NO_PROFILE


def _statement_lines(numbers: Iterable[int], decision: Decision) -> str:
    events, positions = decision.view.events, {t.number: t.position for t in decision.view.turns}
    return "\n".join(
        f"[{n}] {said_line(decision, events[positions[n] - 1], MAX_STATEMENT_CHARS)}"
        for n in numbers
    )
