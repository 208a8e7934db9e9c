"""Template fields for a window's question, by the form of the answer."""

from __future__ import annotations

from agents.decision import Decision, Request
from agents.llm import sections
from agents.llm.narration import (
    EVERYONE,
    UNSURE,
    choice_audience,
    length_text,
    option,
    question,
    speech_audience,
    window_words,
)
from agents.llm.quoting import listed
from agents.llm.transcript import moment_name
from agents.personas.styles import GUARD
from agents.prompts import template
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.reliability_scale import REQUEST
from agents.reliability_scores import rating_form
from game.engine.events import PUBLIC, RECORD
from game.engine.forms import PASSES, Option, Pick, Ratings, Speech
from game.engine.ruleset import role_of

FIELDS = (
    *("opening", "length", "address", "to", "advice", "honesty"),
    *("options", "number", "unread", "wanted", "marks"),
    *("rated", "roles", "least", "most"),
)
SPEAKS = "no"  # the value of `pass` if the statement counts
PASS_MEANINGS = {"skip": "to be silent this time only", "over": "to be asked no more in this talk"}
MAX_CITED = 12  # lines cited for one rating
CITE = (
    ' In "evidence", list the numbers that stand in square brackets before the lines on which your'
    f" judgement rests, at most {MAX_CITED}."
)
CITATIONS_KEPT = (
    " Of what the others have said so far, you will keep in mind only what you list now."
)
UNREAD = " that nobody else will read"


def fields(decision: Decision) -> dict[str, str]:
    """Return the question's template fields, "" for fields of other forms."""
    field_texts = dict.fromkeys(FIELDS, "")
    match decision.window.legal:
        case Speech() as legal:
            field_texts |= _speech(decision, legal)
        case Pick() as legal:
            field_texts |= _pick(decision, legal)
        case Ratings() as legal:
            field_texts |= _ratings(decision, legal)
    return field_texts


def judging(request: Request) -> dict[str, str]:
    """Return the template fields that request reliability ratings (SPEC 2.6).

    Returns:
        `judging`: the question, below the previous deductions. `rows`: the ratings in the form of
        the answer. `rows_next`: the same as a phrase. All are "" if no rating is requested.
    """
    seats_to_rate = request.seats_to_rate
    if not seats_to_rate:
        return {"judging": "", "rows": "", "rows_next": ""}
    decision = request.decision
    legal = rating_form(decision)
    roles = [role_of(decision.ruleset, key).name for key in legal.roles]
    is_several = len(seats_to_rate) > 1
    fields = {
        "whom": f"each of these players for, {listed(seats_to_rate, decision)}"
        if is_several
        else f"{listed(seats_to_rate, decision)} for",
        "rows": "Give exactly one row for each of them" if is_several else "Give one row",
        "roles": ", ".join([*roles, UNSURE]),
        "least": str(legal.min_confidence),
        "most": str(legal.max_confidence),
        "cite": _citing(decision) if needs_evidence(decision) else "",
    }
    cell = ', "evidence": […]' if needs_evidence(decision) else ""
    row = f'{{"player": "…", "reason": "…", "role": "…", "confidence": …{cell}}}'
    question = template("judging").substitute(fields).strip()
    before = sections.deductions_section(decision, seats_to_rate)
    return {
        "judging": f"{before}\n\n{question}" if before else question,
        "rows": f'"ratings": [{row}, …]' + (", " if request.kind != REQUEST else ""),
        "rows_next": ", then the ratings",
    }


def private_reason(decision: Decision, rows_next: str) -> dict[str, str]:
    """Return the request for a reason before a statement (Helmsman Table 8).

    The fields are "" if the method has no reasons.
    """
    if RELIABILITY not in decision.faculties:
        return {"reasoning": "", "private": ""}
    reasoning_text = template("reasoning").substitute(rows_next=rows_next).strip()
    return {"reasoning": f"\n{reasoning_text}", "private": '"reason": "…", '}


def needs_evidence(decision: Decision) -> bool:
    """Check whether ratings must cite lines. The citations decide which talk is kept."""
    return decision.context == "evidence"


def advice_name(decision: Decision) -> str:
    """Return the name of the template that says what to talk about."""
    seats = {turn.seat for turn in decision.view.turns if turn.text}
    if not decision.window.is_public_speech:
        return "whispering"
    if decision.is_in_talk and not decision.ruleset.has_vote_on(decision.view.state.day):
        return "greeting"
    return "answering" if seats - {decision.seat} else "opening"


def passes(decision: Decision) -> list[str]:
    """Return the permitted kinds of passing, none if the statement must name a vote."""
    legal = decision.window.speech
    may = {"skip": legal.may_skip, "over": legal.may_over}
    return [] if _must_name_vote(decision) else [key for key in PASSES if may[key]]


def _citing(decision: Decision) -> str:
    is_ballot = decision.window.kind in decision.ruleset.wording.ballots
    return f"{CITE}{CITATIONS_KEPT if is_ballot else ''}"


def _speech(decision: Decision, legal: Speech) -> dict[str, str]:
    now = moment_name(decision.ruleset, decision.began, show_total=True)
    opening = question(decision) or f"It is your turn to speak, {now}."
    parts = (opening, sections.order_section(decision), speech_audience(decision))
    speech_fields = {
        "opening": _joined(*parts),
        "length": length_text(legal),
        "address": "",
        "to": "",
    }
    speech_fields["advice"] = template(advice_name(decision)).template.strip()
    speech_fields["honesty"] = _honesty(decision)
    to = legal.options_for(decision.seat)
    if legal.has_mentions and decision.window.is_public_speech:
        speech_fields["address"] = " Write @ and a name to speak to that player."
    if not legal.has_mentions and to:
        address_text = (
            f' You may turn to one of them: name in "to" one of {_list_options(to, decision)}, or'
        )
        speech_fields |= {"address": f'{address_text} "{EVERYONE}".', "to": ', "to": "…"'}
    if allowed_passes := passes(decision):
        meanings = " or to ".join(f'"{key}" {PASS_MEANINGS[key]}' for key in allowed_passes)
        speech_fields["address"] += (
            f' If you speak, "pass" is "{SPEAKS}". To say nothing, leave "statement" empty and set'
            f' "pass" to {meanings}.'
        )
        speech_fields["to"] += f', "pass": "{SPEAKS}"'
    return speech_fields


def _honesty(decision: Decision) -> str:
    """Return the advice on honesty in public statements, and on a vote that must be named."""
    if not decision.window.is_public_speech:
        return ""
    has_spoken = any(t.text and t.seat == decision.seat for t in decision.view.turns)
    keeping = template("keeping").template.rstrip() if has_spoken else ""
    text = template("honesty").substitute(keeping=keeping).strip()
    return _joined(text, template("naming_vote").template.strip() * _must_name_vote(decision))


def _must_name_vote(decision: Decision) -> bool:
    """Check whether the guard requires a statement that names a vote (Guarded 4.4)."""
    return decision.is_in_talk and bool(decision.mind.latest(GUARD).get("names_vote"))


def _pick(decision: Decision, legal: Pick) -> dict[str, str]:
    options, is_several = legal.options_for(decision.seat), legal.count > 1
    nobody = " You may also choose nobody." if legal.may_abstain else ""
    me = f" {listed([decision.seat], decision)} is you." if decision.seat in options else ""
    players = all(isinstance(o, int) for o in options)
    noun = "name" if players else "choice"
    marks = ", ".join(['"…"'] * legal.count)
    is_open_ballot = window_words(decision).is_ballot and decision.window.answer_audience == PUBLIC
    # The question of an open vote says itself that all will see the choice.
    audience = "" if is_open_ballot else choice_audience(decision)
    return {
        "opening": _joined(audience, question(decision) or "Make your choice."),
        "options": f"{_list_options(options, decision)}.{me}{nobody}",
        "number": str(legal.count) if is_several else "one",
        "unread": "" if decision.window.answer_audience == RECORD else UNREAD,
        "wanted": f"{legal.count} {noun}s" if is_several else f"the {noun}",
        "marks": f'"choices": [{marks}]' if is_several else '"choice": "…"',
    }


def _ratings(decision: Decision, legal: Ratings) -> dict[str, str]:
    roles = [role_of(decision.ruleset, key).name for key in legal.roles]
    return {
        "opening": _joined(choice_audience(decision), question(decision)),
        "options": f"{_list_options(legal.options_for(decision.seat), decision)}.",
        "rated": sections.own_ratings(decision),
        "roles": ", ".join([*roles, UNSURE]),
        "least": str(legal.min_confidence),
        "most": str(legal.max_confidence),
    }


def _list_options(options: tuple[Option, ...], decision: Decision) -> str:
    seats = [o for o in options if isinstance(o, int)]
    words = [option(o, decision) for o in options if not isinstance(o, int)]
    return ", ".join([*([listed(seats, decision)] if seats else []), *words])


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
