"""The codebook of a study's export, as Markdown and JSON: what every file and column means."""

from __future__ import annotations

import json
from typing import Any

from webapp.study.data import codebook as campaign_codebook
from webapp.study.data import judge_files, rating_files
from webapp.study.data.codebook import table_cell, table_lines
from webapp.study.data.studies import game_files, participant_files, report_files, response_files
from webapp.study.data.studies.study_source import STUDY_COLUMNS, STUDY_EXPORT_VERSION, StudySource
from webapp.study.design.conditions import readable_names
from webapp.study.models import Condition
from webapp.study.program import app_version

JUDGE_SCORES_FILE = "judge_scores.csv"
FILE_MEANINGS = {
    "participants.csv": "One row for each participant who consented. If they withdrew their data,"
    " only consent and exit remain.",
    "assignments.csv": "One row for each slot, in the order of filling. A void slot stays; its"
    " block gets another slot with the same condition and deal.",
    "seatings.csv": "One row for each seat of a slot that was offered to a participant.",
    "happenings.csv": "One row for each audit event of the study, without payments.",
    "messages.csv": "One row for each recipient of a message: requests for help and reports of"
    " participants, and messages of the researchers.",
    "games.csv": "One row for each game that has ended or was called off.",
    "players.csv": "One row for each seat of those games.",
    "utterances.csv": "One row for each turn to speak in those games.",
    "votes.csv": "One row for each vote, in order. Straw polls only where `kinds_told` is true.",
    "choices.csv": "Answers of participants during their games: ratings of the others, straw"
    " polls, reasons of votes. Empty while it may not be revealed who is a person (see"
    " `kinds_told`).",
    "minds.jsonl": "Notes of computer players on the others, by round: favor, judgement,"
    " reliability. One JSON object a line. Empty while it may not be revealed who is a person.",
    "llm_calls.csv": "One row for each request of a computer player to its backend, without texts"
    " and API keys. Empty while it may not be revealed who is a person.",
    "responses_long.csv": "One row for each answer to a question of a stage, the quiz included.",
    "responses_wide.csv": "The same with a column for each item. One row for each step of a"
    " participant, and for each player and moment that the step asked about.",
    "guesses.csv": "The guesses of participants about other players (person or computer, or which"
    " role), with the truth.",
    "ratings_long.csv": "The ratings of the study’s campaigns, a value a row, as the campaigns’ own"
    " exports have them.",
    "raters.csv": "The participant behind each rater of those campaigns.",
    JUDGE_SCORES_FILE: "Only of an experiment with judges: one row for each draw of a language"
    " model. It scored whole games by talk and true roles, or answered for Variation and"
    " Memorability.",
    "study.toml": "The study as a file that creates the same study elsewhere.",
    "llm_messages.jsonl": "Only on request: the texts of the requests and of the replies.",
    "results.json": "Only on request: the results that the study’s page shows, by section: lines"
    " (estimates) and comparisons. docs/statistics.md defines them.",
    "payments.csv": "Only on request: the payments that each participant is owed or got.",
}
BLIND_TABLES_NOTICE = (
    "While the study runs, the export does not reveal who is a person at a blind table. Kinds,"
    " participants, models, methods, labels, people’s seats and deviations are empty. Rows that"
    " only people or only computer players have, and answers about other seats, are left out."
    " All of it is exported once the study is closed and no game is running."
)
COLUMN_MEANINGS = {
    **campaign_codebook.COLUMN_MEANINGS,
    "study_id": "The study.",
    "participant": "The participant’s pseudonym.",
    "invited": "Whether the participant came by a personal link.",
    "consented_at_utc": "When the participant agreed to take part.",
    "consent_version": "SHA-256 of the text they agreed to.",
    "exit": "The exit; empty while the participant is in the study.",
    "exited_at_utc": "When the participant reached the exit.",
    "consent_again": "The decision on the consent after the debriefing: kept or taken_back. Empty:"
    " no decision, or not asked; the consent stands.",
    "withdrew": "Whether the participant’s data were deleted: on withdrawal, by a researcher, or at"
    " the end of the retention.",
    "publish_words": "Whether the participant’s words may be published; empty: not asked.",
    "of_age": "Whether the participant confirmed to be old enough; empty: not asked.",
    "excluded": "Whether the participant is excluded from the results.",
    "extra_time": "Per cent of the usual time limits.",
    "device": "The device as the first page measured it, as JSON: scripts, sound, socket_ms.",
    "waited_s": "Seconds in waiting rooms.",
    "quiz_tries": "Number of attempts at the quiz on the rules.",
    "step": "The step of the participant’s route: the kind of its stage and its number.",
    "at.*": "When the participant first reached that step.",
    "slot": "The slot, numbered within the study.",
    "block": "The block of the slot: each has every condition once.",
    "condition_index": "The condition’s number, from 1.",
    "condition": "The condition: the names of its levels, joined by +. The codebook has the name"
    " (label) that tables and figures for readers have.",
    "factor.*": "The level of that factor.",
    "systems": "The league's system of each seat, in the seats' order.",
    "deal_seed": "The seed of the game. Slots whose seeds are the same up to a # share all roles.",
    "people_seats": "The seats kept for people, separated by spaces.",
    "state": "Of a slot: free, filling, playing, done, void or failed. Of an answer: typed (not"
    " submitted), given, expired (the time ran out before it was submitted).",
    "void_reason": "Why the game does not count.",
    "deviations": "Deviations from the drawn assignment, as JSON.",
    "game_id": "The game.",
    "began_at_utc": "When the game of the slot began.",
    "ended_at_utc": "When it ended.",
    "round": "Of a seating: the number of the participant’s game. Else the round of the phase.",
    "seat": "The seat, from 1.",
    "seating_state": "held, ready, seated, missed (no answer in time), released, or out (the"
    " participant left the game, or it ended early).",
    "at_utc": "When.",
    "what": "Of an audit event: its kind. Of a choice: rating, poll or vote.",
    "actor": "participant, clock (the program), policy (the study’s rule for those who are away"
    " from a game), or researcher.",
    "reason": "The reason in a few words.",
    "ruleset": "The name of the game’s rules.",
    "settings": "The game’s settings, as JSON.",
    "pace": "The game’s pace.",
    "limits": "Time limits in seconds, as JSON.",
    "status": "Of a game: over or called_off. Of a rating: answered, skipped, not_reached or"
    " timed_out. Of a payment: due, paid or withheld.",
    "blind": "Whether the table hid who is a person.",
    "kinds_told": "Whether this export reveals who is a person in the game.",
    "started_at_utc": "When the game started.",
    "seat_name": "The name of the seat in these files. Texts in questionnaires may contain the name"
    " that the seat had at the table.",
    "won": "Whether the seat’s team won; empty if no team won.",
    "speaker_kind": "person or agent: the player in the seat, or the speaker.",
    "stand_in": "Whether a computer player answered for the person when the game ended.",
    "left_at_utc": "When the person left the game for good.",
    "backend": "The backend of the seat’s player, or of the request.",
    "recipe": "The computer player’s recipe, as JSON.",
    "labels": "Deviations from a freely produced answer, separated by semicolons; empty: none."
    " fallback:<cause>: no usable answer came, so the rules’ default counts (refusal: the model"
    " refused; unspeakable: its words may not be said, such as parts of its prompt). repaired: the"
    " answer of the second attempt. without:<part>, stale:<part>: made without favor, judgement,"
    " reliability or strategy, or with an older one. unread: the built-in player could not read a"
    " statement because it was too long.",
    "said": "words, nothing (said nothing), removed (the text was removed), or withheld (left out"
    " of a file to publish).",
    "kind": "The kind of question or ballot in the game. Of a message: help (asked by a"
    " participant), report (of what was said at a table), or message.",
    "from_participant": "Whether the participant wrote it; if not, a researcher did.",
    "seen_at_utc": "When the recipient’s page showed it; empty: not yet.",
    "day": "The day of the game.",
    "phase": "The phase of the game; of utterances phase.day.round.",
    "target": "The seat voted for; empty: nobody.",
    "leader": "The seat that held the office (the Sheriff) when the ballot opened; empty: nobody.",
    "window": "The window of the game that was answered.",
    "before": "Of a rating: the kind of question that it was asked with.",
    "about_seat": "The seat that was rated, chosen or asked about; 0: nobody was chosen.",
    "role_taken_for": "The role that the seat is taken for from then on; empty: never stated.",
    "confidence": "Confidence of the rating, from 5 to 10; empty if none was stated.",
    "score": "Helmsman’s m of the rating, from 1 (unreliable) to 10.",
    "unchanged": "Whether the previous rating stands.",
    "why": "The reason that the participant wrote with the vote.",
    "seconds": "Seconds from the question to its answer.",
    "faculty": "The faculty of the note: favor, judgement or reliability.",
    "preparation": "Whether the note was made for a round of talk rather than for one question.",
    "data": "The note.",
    "purpose": "answer, or preparation of a round.",
    "failure": "The cause of the failure; empty: the request succeeded.",
    "tokens_in": "Tokens of the request, as counted by the server.",
    "tokens_out": "Tokens of the reply.",
    "retries": "How often the connection was tried again.",
    "format": "How the model was asked for the form of the answer.",
    "template": "The prompt’s template.",
    "left_out": "Number of the oldest turns that did not fit into the prompt.",
    "again": "Whether the request was repeated because a worker ended.",
    "withdrawn": "Whether text was removed from the request later.",
    "messages": "The messages that were sent.",
    "answer": "The reply that came back.",
    "brief": "The data that the request was built from.",
    "reply": "The part of the answer that was used.",
    "moment": "The moment, if there are several: an attempt at the quiz, a window of the game.",
    "instrument": "The questionnaire.",
    "item": "The question.",
    "number": "The answer on a scale, in the instrument’s own direction, or a whole number.",
    "choice": "The key of the option, or several keys, separated by semicolons.",
    "revision": "How often the answer was stated.",
    "item.*": "<instrument>.<item>: the answer. With .number at the end: the number of a choice.",
    "asked": "human: guess of person or computer player; role: guess of the role.",
    "guess": "The chosen option: person, computer, a role, or unsure.",
    "sure": "The confidence, on the item’s scale.",
    "truth": "The true kind or role.",
    "counts": "Whether the row counts in the results. It counts if the game counts, its participant"
    " is not excluded and played in a game that counts, and the answer was submitted or stood when"
    " the time ran out. A guess must also be made, at a seat without a stand-in. Free text counts"
    " by the same rule, but enters no figure. “unsure” counts, and is neither right nor wrong.",
    "right": "Whether the guess is the truth; empty for unsure.",
    "amount": "In the study’s currency.",
    "currency": "The currency.",
    "payment_reason": "The exit, bonus:<rule>, or hand (a researcher added it).",
    "cases": "Of a bonus: the number of games or guesses.",
    "payment_note": "The researcher’s reason to add, withhold or pay it.",
    "reward": "Whether the platform pays it as its own reward.",
    "batch": "The number of the batch that pays it.",
}
# File -> (prefix of columns that depend on the study, key of their meaning).
_GENERATED_COLUMNS = {
    "participants.csv": (participant_files.ARRIVAL_PREFIX, "at.*"),
    "assignments.csv": (participant_files.FACTOR_PREFIX, "factor.*"),
    "responses_wide.csv": ("", "item.*"),
}
_ITEM_FIELDS = ("key", "answer", "question", "min", "low_pole", "max", "high_pole", "options")


def render_json(source: StudySource) -> bytes:
    data = {
        **_facts(source),
        "name": source.study.name,
        "reading": campaign_codebook.FILE_MEANINGS["*"],
        "blind": BLIND_TABLES_NOTICE,
        "conditions": [
            {
                "index": condition.index,
                "name": condition.name,
                "label": _condition_label(source, condition),
                "levels": condition.levels,
                "table": condition.table,
            }
            for condition in source.conditions.values()
        ],
        "instruments": [
            instrument.to_json() for instrument in response_files.used_instruments(source)
        ],
        "files": _file_meanings(source),
        "columns": {
            name: {column: _column_meaning(name, column) for column in columns}
            for name, columns in _columns_by_file(source).items()
        },
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def render_markdown(source: StudySource) -> bytes:
    lines = [f"# {table_cell(source.study.name)}", "", "What the files of this export hold.", ""]
    lines += table_lines(("", ""), _facts(source).items())
    lines += ["", "## Conditions", ""]
    condition_rows = (
        (c.index, c.name, _condition_label(source, c), json.dumps(c.levels))
        for c in source.conditions.values()
    )
    lines += table_lines(("index", "name", "label", "levels"), condition_rows)
    for instrument in response_files.used_instruments(source):
        lines += ["", f"## Questions: {table_cell(instrument.title)}", ""]
        is_conditional = any(item.ask_if for item in instrument.items)
        fields = (*_ITEM_FIELDS, "ask_if") if is_conditional else _ITEM_FIELDS
        item_rows = ([_item_cell(item, field) for field in fields] for item in instrument.items)
        lines += table_lines(fields, item_rows)
    reading_help = campaign_codebook.FILE_MEANINGS["*"]
    lines += ["", "## Reading the files", "", reading_help, "", BLIND_TABLES_NOTICE]
    columns_by_file = _columns_by_file(source)
    for name, file_meaning in _file_meanings(source).items():
        lines += ["", f"## {name}", "", file_meaning]
        if name in columns_by_file:
            column_rows = ((c, _column_meaning(name, c)) for c in columns_by_file[name])
            lines += ["", *table_lines(("column", "meaning"), column_rows)]
    return ("\n".join(lines) + "\n").encode()


def _facts(source: StudySource) -> dict[str, Any]:
    study = source.study
    return {
        "export_schema_version": STUDY_EXPORT_VERSION,
        "app_version": app_version(),
        "study_id": study.code,
        "study_config_hash": study.config_hash,
        "state": study.state,
    }


def _file_meanings(source: StudySource) -> dict[str, str]:
    """Return file -> its meaning, for the files that this study has."""
    meanings = dict(FILE_MEANINGS)
    if not source.has_judges:
        del meanings[JUDGE_SCORES_FILE]
    return meanings | (report_files.FILE_MEANINGS if source.study.is_experiment else {})


def _columns_by_file(source: StudySource) -> dict[str, tuple[str, ...]]:
    """Return file -> its columns, optional files included."""
    study_files = {
        "participants.csv": participant_files.participant_columns(source),
        "assignments.csv": participant_files.assignment_columns(source),
        "seatings.csv": participant_files.SEATING_COLUMNS,
        "happenings.csv": participant_files.AUDIT_EVENT_COLUMNS,
        "messages.csv": participant_files.MESSAGE_COLUMNS,
        "games.csv": game_files.GAME_COLUMNS,
        "players.csv": game_files.PLAYER_COLUMNS,
        "utterances.csv": game_files.UTTERANCE_COLUMNS,
        "votes.csv": game_files.vote_columns(source),
        "choices.csv": game_files.CHOICE_COLUMNS,
        "minds.jsonl": game_files.MIND_COLUMNS,
        "llm_calls.csv": game_files.CALL_COLUMNS,
        "responses_long.csv": response_files.LONG_COLUMNS,
        "responses_wide.csv": response_files.wide_columns(source),
        "guesses.csv": response_files.GUESS_COLUMNS,
        "raters.csv": response_files.RATER_COLUMNS,
        "llm_messages.jsonl": game_files.MESSAGE_COLUMNS,
        "payments.csv": participant_files.PAYMENT_COLUMNS,
    }
    other_files: dict[str, tuple[str, ...]] = {"ratings_long.csv": rating_files.LONG_COLUMNS}
    if source.has_judges:
        other_files[JUDGE_SCORES_FILE] = judge_files.JUDGE_SCORE_COLUMNS
    if source.study.is_experiment:
        other_files |= report_files.COLUMNS_BY_FILE
    return {name: (*STUDY_COLUMNS, *own) for name, own in study_files.items()} | other_files


def _column_meaning(file: str, column: str) -> str:
    if file in report_files.COLUMNS_BY_FILE:
        return report_files.COLUMN_MEANINGS[column]
    if file in ("ratings_long.csv", JUDGE_SCORES_FILE):
        return campaign_codebook.COLUMN_MEANINGS[column]
    if column in COLUMN_MEANINGS:
        return COLUMN_MEANINGS[column]
    prefix, meaning_key = _GENERATED_COLUMNS[file]
    assert column.startswith(prefix), f"no meaning of {column} in {file}"
    return COLUMN_MEANINGS[meaning_key]


def _condition_label(source: StudySource, condition: Condition) -> str:
    """Return what tables and figures for readers call a condition."""
    return readable_names(source.design).get(condition.name, condition.name)


def _item_cell(item: Any, field: str) -> str:
    value = getattr(item, field)
    if field == "options":
        return "; ".join(f"{option.key}: {option.label}" for option in value)
    return str(value)
