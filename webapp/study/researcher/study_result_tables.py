"""Formats the stored results of a study for its page: tables, labels, notes; no arithmetic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.researcher.formatting import Notes, chance, number
from webapp.study.statistics.outcomes import REASONS

Line = Mapping[str, Any]

TITLES = {
    "guesses": gettext_lazy("Who was taken for what"),
    "questionnaires": gettext_lazy("Questionnaires"),
    "endings": gettext_lazy("Winning, and staying in the game"),
    "votes": gettext_lazy("Votes for the right one"),
    "leadership": gettext_lazy("The Sheriff’s lead"),
}
HELP = {
    "guesses": gettext_lazy(
        "Of each guess whether it was right. “I can’t tell” counts apart, and so do guesses about"
        " somebody for whom a computer player stood in."
    ),
    "questionnaires": gettext_lazy("Answers that were handed in, or stood when the time was over."),
    "endings": gettext_lazy("Shares of seats. A seat at which somebody was stood in for is left"
                            " out."),
    "votes": gettext_lazy(
        "Of those who want somebody out: how many of their votes in the last ballot of a day named"
        " one of these. Nobody’s votes, and those that were drawn for somebody, are left out."
    ),
    "leadership": gettext_lazy(
        "Ratio and DC as the Helmsman paper has them: of the person on days when another was the"
        " Sheriff, of the computer players on days when the person was."
    ),
}  # fmt: skip
MEASURES = {
    "right": gettext_lazy("Guessed right"),
    "unsure": gettext_lazy("Can’t tell"),
    "sure": gettext_lazy("How sure they were"),
    "told_apart": gettext_lazy("Taken for a person"),
    "won": gettext_lazy("Won"),
    "survived": gettext_lazy("In the game at its end"),
    "accurate": gettext_lazy("Votes for the right one"),
    "ratio": gettext_lazy("Ratio"),
    "dc": gettext_lazy("DC, decisions changed"),
    "correlation": gettext_lazy("Correlation of scores, people and computer players"),
}
VARIANTS = {
    "person": gettext_lazy("of the person"),
    "others": gettext_lazy("of the computer players, the person being Sheriff"),
    "over_others": gettext_lazy("of the computer players, over the others"),
    "over_living": gettext_lazy("of the computer players, over all living"),
    "pooled_mean": gettext_lazy("all targets together, with the mean of the computer players"),
    "pooled_single": gettext_lazy("all pairs of scores together, each computer player by itself"),
    "pooled": gettext_lazy("all pairs of scores together"),  # results before November 2026
    "program": gettext_lazy("as the authors’ program has it: a mean over rows of scores"),
}
GROUPS = {
    "person": gettext_lazy("people"),
    "computer": gettext_lazy("computer players"),
    "unsure": gettext_lazy("can’t tell"),
    "right": gettext_lazy("when right"),
    "wrong": gettext_lazy("when wrong"),
}
PUBLISHED = {
    "person": gettext_lazy("Helmsman’s human evaluation, {table}"),
    "baseline": gettext_lazy("Helmsman’s human baseline, {table}"),
    "simulation": gettext_lazy("Helmsman’s simulation without people (GLM-3), {table}"),
}
N_IS = {"about": gettext_lazy("about {n}"), "planned": gettext_lazy("{n} planned")}
LEFT_OUT = {
    "void_games": gettext_lazy("games that became void: in nothing"),
    "excluded": gettext_lazy("people left out by you: their answers and seats, in nothing"),
    "withdrew": gettext_lazy("people who took their answers back: likewise"),
    "no_game": gettext_lazy("people who played no game that counts"),
    "stood_in_seats": gettext_lazy("seats for which a computer player stood in: of neither kind"),
    "guesses_of_stood_in": gettext_lazy("guesses about those seats"),
    "guesses_without_a_choice": gettext_lazy("guesses of which only the scale beside was answered"),
    "answers_of_excluded": gettext_lazy("answers of people left out"),
    "answers_of_void_games": gettext_lazy("answers about void games"),
    "answers_not_handed_in": gettext_lazy("answers that were not handed in"),
    "answers_without_a_game": gettext_lazy("answers of people without a game that counts"),
    "drawn_votes": gettext_lazy("votes that were drawn, as time was over or no answer came"),
    "abstentions": gettext_lazy("votes for nobody"),
    "games_nobody_won": gettext_lazy("games that nobody won: in no share of wins"),
    "ended_before_a_vote": gettext_lazy("games that ended before anybody voted: without a Ratio"),
}
DIGITS = {"leadership": 3}


def told(found: Mapping[str, Any], figures: Collection[str]) -> dict[str, Any]:
    """Everything the page shows."""
    labels = {item["key"]: item for item in found["items"]}
    sections = [
        _section(key, part, labels, figures) for key, part in found["sections"].items()
    ]  # fmt: skip
    return {
        "totals": found["totals"],
        "told": found["told"],
        "sections": [one for one in sections if one["blocks"] or one["choices"]],
        "left_out": [(n, LEFT_OUT[key]) for key, n in found["left_out"].items()],
        "published": found["published"],
    }


def _section(
    key: str, part: Mapping[str, Any], labels: Mapping[str, Any], figures: Collection[str]
) -> dict[str, Any]:
    notes = Notes()
    blocks: list[dict[str, Any]] = []
    for measure, item in dict.fromkeys((ln["measure"], ln["item"]) for ln in part["lines"]):
        lines = [ln for ln in part["lines"] if (ln["measure"], ln["item"]) == (measure, item)]
        picture = "-".join(filter(None, (key, measure, item.replace(".", "-"))))
        blocks.append(
            {
                "id": f"{key}-{len(blocks) + 1}",
                "title": _title(measure, item, labels),
                "poles": _poles(labels.get(item)),
                "rows": [_row(ln, notes, DIGITS.get(key, 2)) for ln in lines if not _part(ln)],
                "parts": [_row(ln, notes, DIGITS.get(key, 2)) for ln in lines if _part(ln)],
                "figure": picture if picture in figures else "",
                "published": _published(lines),
            }
        )
    tests = [_comparison(one, labels, notes) for one in part["comparisons"]]
    return {
        "key": key,
        "title": TITLES[key],
        "help": HELP[key],
        "blocks": blocks,
        "comparisons": tests,
        "confusion": [_confusion(row) for row in part.get("confusion", ())],
        "choices": [_choice(row, labels) for row in part.get("choices", ()) if row["people"]],
        "notes": notes.sentences,
    }


def _title(measure: str, item: str, labels: Mapping[str, Any]) -> str:
    if item in labels:
        return str(labels[item]["label"])
    name = str(MEASURES.get(measure, measure))
    return f"{name}, {VARIANTS[item]}" if item in VARIANTS else name


def _poles(item: Mapping[str, Any] | None) -> str:
    if not item or item["kind"] != "scale":
        return ""
    return f"{item['low']:g}: {item['low_pole']} … {item['high']:g}: {item['high_pole']}"


def _row(line: Line, notes: Notes, digits: int) -> dict[str, Any]:
    share = line["share"]
    return {
        "group": _group(line["group"]),
        "condition": line["condition"] or _("all"),
        "n": _("{part} of {n}").format(part=line["part"], n=line["n"])
        if "part" in line
        else line["n"],
        "games": line["games"],
        "groups": "" if line["groups"] is None else line["groups"],
        "cells": [notes.cell(_shown(line[k], share), 1 if share else digits)
                  for k in ("value", "sd", "ci") if k != "sd" or not share],
        "share": share,
    }  # fmt: skip


def _shown(outcome: Mapping[str, Any], share: bool) -> Mapping[str, Any]:
    """Shares in per cent."""
    value = outcome["value"]
    if not share or value is None:
        return outcome
    return {
        **outcome,
        "value": [100 * v for v in value] if isinstance(value, list) else 100 * value,
    }


def _part(line: Line) -> bool:
    """Whether it is of a team or a role alone."""
    return "/" in line["group"]


def _group(group: str) -> str:
    kind, _slash, part = group.partition("/")
    words = str(GROUPS.get(kind, kind)) or _("everybody")
    what, _colon, key = part.partition(":")
    told = {"team": _("{who}, team {key}"), "role": _("{who} as {key}")}
    return told[what].format(who=words, key=key) if part else words


def _published(lines: Iterable[Line]) -> list[tuple[str, str, Any]]:
    """(what it is, value, n) of the figures beside the first line."""
    return [
        (
            str(PUBLISHED[one["what"]]).format(table=one["table"]),
            f"{one['value']:.3f}",
            str(N_IS[one["n_is"]]).format(n=one["n"]) if one["n_is"] else one["n"],
        )
        for line in list(lines)[:1]
        for one in line.get("published", ())
    ]


def _comparison(one: Line, labels: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    test, difference = one["test"], one["difference"]
    care = [notes.number(_(REASONS[key])) for key in one["care"]]
    by = {"game": _("by game"), "deal": _("by deal or person")}.get(one["by"] or "", "")
    paired = {"paired": _("paired"), "unpaired": _("unpaired")}.get(one["design"] or "", "–")
    return {
        "what": _title(one["measure"], one["item"], labels)
        if one["of"] == "condition"
        else _("{what}: people and computer players").format(what=MEASURES[one["measure"]]),
        "condition": one["condition"] or _("all"),
        "pair": f"{_side(one['b'])} − {_side(one['a'])}",
        "care": care,
        "design": f"{paired} {by}",
        "n": f"{one['n_a']}, {one['n_b']}" if "n_a" in one else one["n"],
        "difference": notes.cell(difference, 3),
        "ci": notes.cell(difference["ci"], 3) if "ci" in difference else None,
        "test": notes.cell(test, 1),
        "p": chance(test["p"]["value"]) if "p" in test else "",
        "p_holm": chance(test["p_holm"]["value"]) if "p_holm" in test else "",
    }


def _side(side: str) -> str:
    return str(GROUPS.get(side, side))


def _confusion(row: Mapping[str, Any]) -> dict[str, Any]:
    counts = [row["person"], row["computer"], row["unsure"]]
    return {
        "condition": row["condition"] or _("all"),
        "truth": GROUPS[row["truth"]],
        "counts": counts,
        "share": f"{number(100 * counts[0] / sum(counts[:2]), 1)}" if sum(counts[:2]) else "–",
    }


def _choice(row: Mapping[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
    item = labels[row["item"]]
    options = item["options"]
    counts = [(options.get(key, key), n) for key, n in row["counts"]]
    return {"label": item["label"], "condition": row["condition"] or _("all"),
            "people": row["people"], "counts": counts}  # fmt: skip
