"""The codebook of a campaign's export, as Markdown and JSON: what every file and column means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from webapp.study.data import item_files, judge_files, rating_files
from webapp.study.data.campaign_source import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.games import situations
from webapp.study.program import app_version
from webapp.study.rating.stimuli import rates_systems_only

FILE_MEANINGS = {
    "ratings_long.csv": "One row for each value that was stated or is missing.",
    "ratings_wide.csv": "One row for each item that a rater was shown: an utterance, a side of a"
    " pair, a player, a game or a check. Each question has a column of values and one of states.",
    "items.csv": "One row for each item that could be rated, including withdrawn ones.",
    "transcripts.csv": "All public statements of the games, turn by turn, and the other"
    " system’s answers.",
    "transcripts.jsonl": "The same as transcripts.csv, with one JSON object per line and"
    " unchanged texts.",
    "raters.csv": "One row for each rater who has not been erased.",
    "looks.csv": "One row for each time that tests and intervals were viewed during the rating.",
    "judge_ratings.csv": "One row for each value that a language model stated as a rater, or that"
    " is missing: the columns of ratings_long.csv and those of the judge. No other file has a"
    " judge’s ratings.",
    "judge_scores.csv": "One row for each draw of a language model that judged whole games as in"
    " the paper: scores from 1 to 10 with the true roles shown, or lists for Variation and"
    " Memorability. Not to be pooled with ratings.",
    "*": "RFC 4180, UTF-8, times in UTC (ISO-8601, ending in Z). An empty cell means that there is"
    " no value; it never means 0. A text that a spreadsheet could read as a formula, at its start"
    " or after a semicolon, a tab or a line end, has an extra apostrophe there, as has an"
    " apostrophe of the text itself. To restore the text, replace the regular expression"
    " (^|[;\\t\\r\\n])' by its first group.",
}

COLUMN_MEANINGS = {
    "export_schema_version": "Increases whenever a column changes.",
    "campaign_id": "The campaign.",
    "campaign_config_hash": "SHA-256 of all settings, the instrument and the games chosen.",
    "game_id": "The game; empty for checks.",
    "ruleset": "Which game was played: the name of its rules; empty for checks.",
    "condition": "The condition, as the researcher named it; empty for checks.",
    "deal_seed": "The seed of the deal. Games with the same seed have the same roles.",
    "winner": "The team that won the game.",
    "seat": "The seat whose text or play was rated, from 1; empty for games and checks.",
    "role": "The seat’s role as dealt, which no game changes.",
    "team": "The team of that role.",
    "out": "Why the seat left the game, e.g. vote; no: it was in the game to the end.",
    "item_id": "What was rated; the two sides of a pair end in .1 (log) and .2 (other system), the"
    " players of a ranking in their seat.",
    "moment_id": "The pair or ranking that the item belongs to; otherwise the same as item_id.",
    "unit_kind": "utterance, player, game, ranking or attention.",
    "utterance_id": "The rated text; empty for players, games and checks.",
    "utterance_index": "The turn among all turns to speak in its game, from 1.",
    "phase": "The phase.day.round of the text.",
    "speaker_pseudonym": "The name of the seat in the game.",
    "speaker_kind": "person, agent, or mixed where several spoke. Empty, as are model, method and"
    " labels, of the log of a blind table that has not been revealed.",
    "model_id": "The model that produced the text; house: the built-in player.",
    "method": "The method of the agent’s recipe.",
    "labels": "What was not freely produced by the speaker, separated by semicolons; empty: all"
    " was. fallback:<cause>: no usable answer came, so the rules’ default counts (refusal: the"
    " model refused; unspeakable: its words could not be said, such as parts of its prompt)."
    " repaired: the second attempt. without:<part>, stale:<part>: made without, or with an older,"
    " favor, judgement, reliability or strategy. unread: a statement was too long for the built-in"
    " player to understand.",
    "rater_pseudonym": "The rater.",
    "assignment_id": "One showing of one unit to one rater.",
    "presentation_index": "The position in the order that the rater saw, from 1.",
    "side": "Where it stood: left or right of a pair, its number among more answers; empty alone.",
    "dimension": "The question.",
    "scale_min": "The lowest possible value.",
    "scale_max": "The highest possible value.",
    "value": "The value last stated; empty unless status is answered. A rank where the item ranks:"
    " the number of players is the first place. Rankings that are not whole are not reached.",
    "status": "answered, skipped, not_reached or timed_out.",
    "is_attention": "Whether it is a check: an attention check, or an item with a known"
    " answer (gold).",
    "is_repeat": "Whether the rater had been shown the unit before.",
    "passed": "Of a check: whether all values were the requested ones (gold: within the known"
    " range). A skipped check is failed; empty while the answer is incomplete.",
    "shown_at_utc": "When it was first shown.",
    "first_answer_at_utc": "When the first value was stated.",
    "submitted_at_utc": "When the last value was stated, the unit then being complete.",
    "active_ms": "Milliseconds during which its page was visible.",
    "revision": "How often the rater changed the answers of this page.",
    "excluded": "Whether the results exclude it: the rater was excluded by a rule or by hand, or"
    " the place was taken when the answer came (over quota).",
    "exclusion_reason": "The reason.",
    "app_version": "The version of the program that wrote this.",
    "experience": "0 none known, 1 known but not played, 2 has played, 3 intermediate, 4 expert.",
    "consented_at_utc": "When the rater agreed to take part.",
    "screened_out_at_utc": "When the rater was turned away: too little experience, or the quiz.",
    "trained_at_utc": "When the rater had finished the worked example.",
    "finished_at_utc": "When the rater finished.",
    "left_as": "How the rater left before the end: withdrawn, timed_out or full; else empty.",
    "left_at_utc": "When the rater left before the end.",
    "situations": "The situations found in the log, separated by spaces.",
    "flags": "What the researcher was asked to check before the rating.",
    "withdrawn": "Whether the researcher withdrew it.",
    "expected": "The value a check asks for.",
    "origin": "log: said in the game; rival: the other system’s answer to the same moment.",
    "said": "words, nothing (no text), or removed (the host removed the text).",
    "turn": "The outcome of a turn to be rated: words, passed (no text, and no request failed),"
    " removed, failed with the cause (timed_out, refused, unusable), or waiting for an answer that"
    " is not made yet. Empty if the speaker’s text is not rated, and for a blind table that has"
    " not been revealed.",
    "text": "The text, with seat names in place of the names that people chose.",
    "rater_kind": "person or judge: a language model.",
    "judge_name": "What the researcher called the judge.",
    "judge_backend": "The backend that was asked, by name.",
    "judge_model": "Its model, as it was configured when the judge was added.",
    "judge_mode": "rater: as a person sees and answers; paper_talk: whole games by talk and true"
    " roles; lists: what is said of whom, and memorable sentences; paper: as paper_talk with"
    " nights, votes and the winner shown, until November 2026.",
    "temperature": "Of the requests; empty: the backend’s own.",
    "draws_asked": "How many answers were drawn to each question.",
    "draw_values": "The value of each draw, in order, separated by spaces (- for one without a"
    " usable answer), of a pair first those in the place that `side` says, then those in the"
    " other; the value of the row is their mean, rounded to a whole number.",
    "reasons": "The reasons that came before the draws’ numbers, separated by |.",
    "looked_at_utc": "When the tests and intervals were viewed.",
    "ratings": "The number of ratings that counted at that time.",
    "planned_ratings": "The number of planned ratings.",
    "look": "planned interim look or unplanned look.",
    "deal": "Games of one deal: the same ruleset, seed and roles.",
    "draw": "The number of the draw, from 1.",
    "draw_status": "answered, failed (no usable answer), or asked and waiting: not yet.",
    "draw_value": "The result of the draw.",
    "failure": "The last cause for which an answer to the draw could not be used or had.",
    "score": "The mean of the draws of this game and item.",
    "reason": "What the judge reasoned before the score.",
    "rating.*": "The value last stated for this item; empty where there is none.",
    "status.*": "answered, skipped, not_reached or timed_out; empty where it was not asked.",
}


def render_json(source: CampaignSource) -> bytes:
    campaign = source.campaign
    more_systems = {"more_rivals": campaign.more_rivals, "without_log": campaign.without_log}
    data = {
        **_facts(source),
        "choice": campaign.choice,
        "planned_analysis": campaign.planned_analysis,
        "rival": campaign.rival,
        **(more_systems if any(more_systems.values()) else {}),
        "consent": campaign.consent,
        "instrument": source.instrument.to_json(),
        "situations": {k: str(v) for k, v in situations.ALL_LABELS.items()},
        "files": FILE_MEANINGS,
        "columns": {
            name: {column: _column_meaning(column) for column in columns}
            for name, columns in _columns_by_file(source).items()
        },
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def render_markdown(source: CampaignSource) -> bytes:
    lines = [f"# {table_cell(source.campaign.name)}", "", "What the files of this export hold.", ""]
    fact_texts = {k: ", ".join(v) if isinstance(v, list) else v for k, v in _facts(source).items()}
    lines += table_lines(("", ""), fact_texts.items())
    lines += ["", f"## The instrument: {table_cell(source.instrument.title)}", ""]
    lines += [table_cell(source.instrument.intro), ""]
    fields = ("key", "label", "question", "min", "low_pole", "max", "high_pole", "situation")
    rows = [[asdict(d)[f] for f in fields] for d in source.instrument.dimensions]
    lines += table_lines(fields, rows)
    lines += ["", "## Situations", ""]
    lines += table_lines(("key", ""), situations.ALL_LABELS.items())
    lines += ["", "## Reading the CSV files", "", FILE_MEANINGS["*"]]
    for name, columns in _columns_by_file(source).items():
        lines += ["", f"## {name}", "", FILE_MEANINGS[name], ""]
        lines += table_lines(("column", "meaning"), ((c, _column_meaning(c)) for c in columns))
    return ("\n".join(lines) + "\n").encode()


def table_lines(headers: Iterable[Any], rows: Iterable[Iterable[Any]]) -> list[str]:
    titles = [table_cell(header) for header in headers]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(map(table_cell, row)) + " |" for row in rows]


def table_cell(value: Any) -> str:
    """Return a value as an escaped cell of a Markdown table, on one line."""
    return re.sub(r"([\\|<>*`#\[\]])", r"\\\1", " ".join(str(value).split()))


def _columns_by_file(source: CampaignSource) -> dict[str, tuple[str, ...]]:
    """Return file -> its columns."""
    return {
        "ratings_long.csv": rating_files.LONG_COLUMNS,
        "ratings_wide.csv": rating_files.wide_columns(source.instrument),
        "items.csv": item_files.ITEM_COLUMNS,
        "transcripts.csv": item_files.TRANSCRIPT_COLUMNS,
        "transcripts.jsonl": item_files.TRANSCRIPT_COLUMNS,
        "raters.csv": rating_files.RATER_COLUMNS,
        "looks.csv": rating_files.LOOK_COLUMNS,
        "judge_ratings.csv": judge_files.JUDGE_RATING_COLUMNS,
        "judge_scores.csv": judge_files.JUDGE_SCORE_COLUMNS,
    }


def _column_meaning(column: str) -> str:
    """Return the meaning of a column. All dimensions of the wide file share theirs."""
    prefix, dot, _dimension = column.partition(".")
    return COLUMN_MEANINGS[f"{prefix}.*" if dot else column]


def _facts(source: CampaignSource) -> dict[str, Any]:
    campaign = source.campaign
    return {
        "campaign_id": campaign.code,
        "name": campaign.name,
        "campaign_config_hash": source.config_hash,
        "export_schema_version": CAMPAIGN_EXPORT_VERSION,
        "app_version": app_version(),
        "seed": campaign.seed,
        "context_lines": campaign.context,
        "raters_per_unit": campaign.raters_per_unit,
        "units_per_rater": campaign.units_per_rater,
        "repeats_per_rater": campaign.repeats,
        "checks_per_rater": campaign.attention,
        "pairs": campaign.rival is not None,
        "conditions": sorted(
            {
                *(() if rates_systems_only(campaign) else source.conditions.values()),
                *(system.condition for system in campaign.systems.values()),
            }
        ),
    }
