"""The notes of a contest agent, as titled lines in its mind's panel (Impressions 6 and 7).

The faculties in `agents/faculties` that write the notes describe their keys: `persona.py`,
`talk_reading.py`, `guess.py`, `conversation.py` and `inducing.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents import contest
from agents.decision import FAILED, Mind
from webapp.play.page.narrator import role_name


@dataclass(frozen=True)
class NotePart:
    title: str
    lines: list[str]
    is_own: bool = False  # the lines quote the agent


def contest_note_parts(mind: Mind, names: Mapping[int, str], ruleset: str) -> list[NotePart]:
    """Build a part for each function of the agent that has notes.

    `names` are those of the seats as this viewer sees them.
    """
    character, summary = mind.latest(contest.CHARACTER), _latest_summary(mind)
    parts = [
        NotePart(_("Claimed role"), list(character.get("lines", ())), is_own=True),
        NotePart(_("Summary of the talk"), list(summary.get("lines", ())), is_own=True),
        NotePart(_("How the summary was made"), list(_summary_lines(mind))),
        NotePart(_("How claims were read"), list(_claim_reading_lines(mind))),
        NotePart(_("Guesses and invented claims"), list(_guess_lines(mind, names, ruleset))),
        NotePart(_("Claims shared with partners"), list(_shared_claim_lines(mind, names, ruleset))),
        NotePart(_("Requests for votes"), list(_vote_request_lines(mind, names))),
    ]
    return [part for part in parts if part.lines]


def _latest_summary(mind: Mind) -> dict[str, Any]:
    """Return the data of the newest summary that did not fail, {} for none."""
    notes = (n.data for n in reversed(mind.of(contest.SUMMARY)) if "failed" not in n.data)
    return next(notes, {})


def _summary_lines(mind: Mind) -> Iterator[str]:
    newest = _latest_summary(mind)
    if newest.get("repaired"):
        yield _("The first summary was incomplete, so the model was asked again.")
    if added := newest.get("added"):
        text = ngettext(
            "{n} line was still missing. A rule added it.",
            "{n} lines were still missing. Rules added them.",
            added,
        )
        yield text.format(n=added)
    failed = [n for n in mind.of(contest.SUMMARY) if "failed" in n.data]
    failed += [n for n in mind.of(FAILED) if n.data.get("faculty") == contest.SUMMARY]
    if failed:
        text = ngettext("{n} summary failed.", "{n} summaries failed.", len(failed))
        yield text.format(n=len(failed))


def _claim_reading_lines(mind: Mind) -> Iterator[str]:
    notes = (*mind.of(contest.CLAIMS), *mind.of(contest.ANALYSIS))
    comparisons = [note.data for note in notes if "model" in note.data]
    if not comparisons:
        return
    alike, statements = (sum(d.get(key, 0) for d in comparisons) for key in ("alike", "statements"))
    text = _("Model and rules agree on {alike} of {statements} statements with claims.")
    yield text.format(alike=alike, statements=statements)


def _guess_lines(mind: Mind, names: Mapping[int, str], ruleset: str) -> Iterator[str]:
    guess = mind.latest(contest.GUESS)
    texts = {
        "looker": _("{name} is the player who can really inspect others at night."),
        "hunted": _("{name} is one of the hunted."),
    }
    for key, text in texts.items():
        seat = guess.get(key)
        if isinstance(seat, int) and seat in names:
            reasons = " ".join((guess.get("why") or {}).get(str(seat), ()))
            yield f"{text.format(name=names[seat])} {reasons}".strip()
    if guess.get("target") in names:
        text = _("It plans to claim, as {role}: {name} is {result}.")
        role, name = role_name(ruleset, guess["role"]), names[guess["target"]]
        yield text.format(role=role, name=name, result=guess["result"])


def _shared_claim_lines(mind: Mind, names: Mapping[int, str], ruleset: str) -> Iterator[str]:
    shared_claims = (row for n in mind.of(contest.SHARING) for row in n.data.get("told", ()))
    for row in shared_claims:
        claim = f"{names.get(row['seat'], '?')}: {role_name(ruleset, row['role'])}"
        about = ", ".join(names.get(seat, "?") for seat in row["targets"])
        yield f"{claim} ({about}: {row['result']})" if about else claim


def _vote_request_lines(mind: Mind, names: Mapping[int, str]) -> Iterator[str]:
    manners = {"call": _("openly"), "hint": _("by hints")}
    for data in (note.data for note in mind.of(contest.INDUCING)):
        name, manner = names.get(data["target"], "?"), manners.get(data["manner"], data["manner"])
        text = _("Day {day}: against {name}, {manner}.")
        text = text.format(day=data["day"], name=name, manner=manner)
        effect = _("The text asks for votes.") if data["asks"] else _("The text asks for no votes.")
        yield f"{text} {effect if data['names'] else _('The text does not name the player.')}"
