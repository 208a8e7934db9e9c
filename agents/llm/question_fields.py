"""Template fields for a question, by the form of its answer, and for ratings and reasons."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.decision import Decision, Request
from agents.faculties.reliability import deductions, rating_form, seats_to_rate
from agents.llm import sections
from agents.llm.narration import (
    EVERYONE,
    UNSURE,
    choice_audience,
    length_text,
    option_name,
    question_text,
    speech_audience,
    window_wording,
)
from agents.llm.player_names import list_players, player_name
from agents.llm.transcript import moment_name
from agents.personas.styles import GUARD
from agents.prompts import format_section, is_placeholder, render, template
from agents.quotation import quote_text
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.reliability_scale import RATINGS_REQUEST
from game.engine.events import PASSES, PUBLIC, RECORD, UNCERTAIN, Option
from game.engine.forms import Pick, Ratings, Speech
from game.engine.ruleset import role_of

FIELDS = (
    # Fields of a question for a statement.
    *("opening", "length", "address", "to", "advice", "honesty"),
    *("options", "number", "unread", "wanted", "marks"),  # fields of a question for a choice
    *("rated", "roles", "least", "most"),  # fields of a question for ratings
)
SPEAKS = "no"  # the value of `pass` if the statement counts
PASS_MEANINGS = {"skip": "to be silent this time only", "over": "to be asked no more in this talk"}
MAX_RATING_REASON_CHARS = 240
MAX_CITED = 12  # a rating cites at most this many lines
CITE_TEXT = (
    ' In "evidence", list the numbers that stand in square brackets before the lines on which your'
    f" judgement rests, at most {MAX_CITED}."
)
CITED_LINES_TEXT = (
    " Of what the others have said so far, you will keep in mind only what you list now."
)
UNREAD_TEXT = " that nobody else will read"


def template_fields(decision: Decision) -> dict[str, str]:
    """Return the question's template fields, "" for fields of other forms."""
    field_texts = dict.fromkeys(FIELDS, "")
    match decision.window.legal:
        case Speech() as legal:
            field_texts |= _speech_fields(decision, legal)
        case Pick() as legal:
            field_texts |= _pick_fields(decision, legal)
        case Ratings() as legal:
            field_texts |= _rating_form_fields(decision, legal)
    return field_texts


def rating_fields(request: Request) -> dict[str, str]:
    """Return the template fields that request reliability ratings (SPEC 2.6).

    `judging` is the question, below the previous deductions. `rows` has the ratings in the form of
    the answer, `rows_next` as a phrase. All are "" if no rating is requested.
    """
    seats = seats_to_rate(request)
    if not seats:
        return {"judging": "", "rows": "", "rows_next": ""}
    decision = request.decision
    legal = rating_form(decision)
    is_several = len(seats) > 1
    fields = {
        "whom": f"each of these players for, {list_players(seats, decision)}"
        if is_several
        else f"{list_players(seats, decision)} for",
        "rows": "Give exactly one row for each of them" if is_several else "Give one row",
        "cite": "",
        **_scale_fields(decision, legal),
    }
    cell = ""
    if needs_evidence(decision):
        is_ballot = decision.window.kind in decision.ruleset.wording.ballots
        fields["cite"] = f"{CITE_TEXT}{CITED_LINES_TEXT if is_ballot else ''}"
        cell = ', "evidence": […]'
    row = f'{{"player": "…", "reason": "…", "role": "…", "confidence": …{cell}}}'
    question = render("judging", **fields)
    before = _deductions_section(decision, seats)
    return {
        "judging": f"{before}\n\n{question}" if before else question,
        "rows": f'"ratings": [{row}, …]' + (", " if request.kind != RATINGS_REQUEST else ""),
        "rows_next": ", then the ratings",
    }


def reason_fields(decision: Decision, rows_next: str) -> dict[str, str]:
    """Return the template fields that request a reason before a statement (Helmsman, Table 8).

    The fields are "" if the method has no reasons. `rows_next` is the field of `rating_fields`.
    """
    if RELIABILITY not in decision.faculties:
        return {"reasoning": "", "private": ""}
    return {
        "reasoning": f"\n{render('reasoning', rows_next=rows_next)}",
        "private": '"reason": "…", ',
    }


def needs_evidence(decision: Decision) -> bool:
    """Return whether ratings must cite lines, which decide how much talk later prompts have."""
    return decision.context == "evidence"


def advice_name(decision: Decision) -> str:
    """Return the name of the template that says what to talk about."""
    seats = {turn.seat for turn in decision.view.turns if turn.text}
    if not decision.window.is_public_speech:
        return "whispering"
    if decision.is_in_talk and not decision.ruleset.has_vote_on(decision.view.state.day):
        return "greeting"
    return "answering" if seats - {decision.seat} else "opening"


def permitted_passes(decision: Decision) -> list[str]:
    """Return the permitted kinds of passing, none if the statement must name a vote."""
    legal = decision.window.speech
    is_permitted = {"skip": legal.may_skip, "over": legal.may_over}
    return [] if _must_name_vote(decision) else [key for key in PASSES if is_permitted[key]]


def _speech_fields(decision: Decision, legal: Speech) -> dict[str, str]:
    round_name = moment_name(decision.ruleset, decision.round_start, show_total=True)
    opening = question_text(decision) or f"It is your turn to speak, {round_name}."
    parts = (opening, sections.order_section(decision), speech_audience(decision))
    address = to = ""
    addressees = legal.options_for(decision.seat)
    if legal.has_mentions and decision.window.is_public_speech:
        address = " Write @ and a name to speak to that player."
    if not legal.has_mentions and addressees:
        names = _list_options(addressees, decision)
        address = f' You may turn to one of them: name in "to" one of {names}, or "{EVERYONE}".'
        to = ', "to": "…"'
    if allowed_passes := permitted_passes(decision):
        meanings = " or to ".join(f'"{key}" {PASS_MEANINGS[key]}' for key in allowed_passes)
        address += (
            f' If you speak, "pass" is "{SPEAKS}". To say nothing, leave "statement" empty and set'
            f' "pass" to {meanings}.'
        )
        to += f', "pass": "{SPEAKS}"'
    return {
        "opening": _join_sentences(*parts),
        "length": length_text(legal),
        "address": address,
        "to": to,
        "advice": render(advice_name(decision)),
        "honesty": _honesty_advice(decision),
    }


def _honesty_advice(decision: Decision) -> str:
    """Return the advice on honesty in public statements, and on a vote that must be named."""
    if not decision.window.is_public_speech:
        return ""
    has_spoken = any(t.text and t.seat == decision.seat for t in decision.view.turns)
    keeping = template("keeping").template.rstrip() if has_spoken else ""
    naming = render("naming_vote") if _must_name_vote(decision) else ""
    return _join_sentences(render("honesty", keeping=keeping), naming)


def _must_name_vote(decision: Decision) -> bool:
    """Return whether the guard requires a statement that names a vote (Guarded 4.4)."""
    return decision.is_in_talk and bool(decision.mind.latest(GUARD).get("names_vote"))


def _pick_fields(decision: Decision, legal: Pick) -> dict[str, str]:
    options, is_several = legal.options_for(decision.seat), legal.count > 1
    nobody = " You may also choose nobody." if legal.may_abstain else ""
    me = f" {list_players([decision.seat], decision)} is you." if decision.seat in options else ""
    noun = "name" if all(isinstance(o, int) for o in options) else "choice"
    marks = ", ".join(['"…"'] * legal.count)
    is_public = decision.window.answer_audience == PUBLIC
    is_open_ballot = is_public and window_wording(decision).is_ballot
    # The question of an open vote says itself that all will see the choice.
    audience = "" if is_open_ballot else choice_audience(decision)
    return {
        "opening": _join_sentences(audience, question_text(decision) or "Make your choice."),
        "options": f"{_list_options(options, decision)}.{me}{nobody}",
        "number": str(legal.count) if is_several else "one",
        "unread": "" if decision.window.answer_audience == RECORD else UNREAD_TEXT,
        "wanted": f"{legal.count} {noun}s" if is_several else f"the {noun}",
        "marks": f'"choices": [{marks}]' if is_several else '"choice": "…"',
    }


def _rating_form_fields(decision: Decision, legal: Ratings) -> dict[str, str]:
    return {
        "opening": _join_sentences(choice_audience(decision), question_text(decision)),
        "options": f"{_list_options(legal.options_for(decision.seat), decision)}.",
        "rated": _own_ratings_section(decision),
        **_scale_fields(decision, legal),
    }


def _scale_fields(decision: Decision, legal: Ratings) -> dict[str, str]:
    """Return the fields of the roles and the confidence that a rating may state."""
    roles = [role_of(decision.ruleset, key).name for key in legal.roles]
    return {
        "roles": ", ".join([*roles, UNSURE]),
        "least": str(legal.min_confidence),
        "most": str(legal.max_confidence),
    }


def _deductions_section(decision: Decision, seats: Sequence[int]) -> str:
    """Return this seat's last deductions on `seats`: role, confidence and reason."""
    lines = []
    for number, row in sorted(deductions(decision).items()):
        if number in seats:
            line = f"{player_name(number, decision)}: {_rating_text(row, decision)}."
            reason = str(row.get("reason") or "")
            if not is_placeholder(reason):
                line += f" Your reason: {quote_text(reason, MAX_RATING_REASON_CHARS)}"
            lines.append(line)
    heading = "WHAT YOU LAST TOOK THEM FOR, how surely and why (think it over again)"
    return format_section(heading, lines)


def _own_ratings_section(decision: Decision) -> str:
    """Return this seat's own ratings so far, from windows of the same kind."""
    texts_by_seat: dict[int, str] = {}
    for event in decision.view.events:
        if event.kind == decision.window.kind and event.data.get("seat") == decision.seat:
            for row in event.data.get("ratings", ()):
                name = player_name(row["seat"], decision)
                texts_by_seat[row["seat"]] = f"{name}: {_rating_text(row, decision)}."
    lines = [texts_by_seat[number] for number in sorted(texts_by_seat)]
    return format_section("HOW YOU RATED THEM SO FAR", lines)


def _rating_text(row: Mapping[str, Any], decision: Decision) -> str:
    """Return "Werewolf, 7": the role (or "Uncertain") and the confidence of a rating."""
    is_known = row["role"] != UNCERTAIN
    name = role_of(decision.ruleset, row["role"]).name if is_known else UNSURE
    return f"{name}, {row['confidence']}"


def _list_options(options: tuple[Option, ...], decision: Decision) -> str:
    seats = [o for o in options if isinstance(o, int)]
    words = [option_name(o, decision) for o in options if not isinstance(o, int)]
    return ", ".join([*([list_players(seats, decision)] if seats else []), *words])


def _join_sentences(*parts: str) -> str:
    return " ".join(part for part in parts if part)
