"""The meaning of every file and every column of a study's export, for people and for programs."""

from __future__ import annotations

import json
from typing import Any

from webapp.study.data import codebook as of_campaigns
from webapp.study.data import rating_files
from webapp.study.data.codebook import rows_of, table_cell
from webapp.study.data.studies import answered, people, played
from webapp.study.data.studies.study_data import SCHEMA, STUDY, StudySource
from webapp.study.program import app_version

FILES = {
    "participants.csv": "One row for everybody who agreed to take part. Of somebody who took their"
    " answers back: only that they were there and by which way they went out.",
    "assignments.csv": "One row for each place for a game (slot), in the order of filling; void"
    " ones stay, and their block has another of the same condition and deal.",
    "seatings.csv": "One row each time a participant was asked for a seat of a slot.",
    "happenings.csv": "Everything that was done in the study, by whom and why, but for payments.",
    "messages.csv": "One row for each recipient of what participants asked and reported, and of"
    " what the researchers told them.",
    "games.csv": "One row for each game that has ended, called off or not.",
    "players.csv": "One row for each seat of those games.",
    "utterances.csv": "One row for each turn to speak in those games.",
    "votes.csv": "One row for each vote, in order; straw polls only where kinds are told.",
    "choices.csv": "What participants answered during their games: ratings of the others, straw"
    " polls, votes with why. Empty for games whose kinds are not told.",
    "minds.jsonl": "What computer players noted of the others, by round: favor, judgement,"
    " reliability. One JSON object a line. Nothing of games whose kinds are not told.",
    "llm_calls.csv": "One row for each request of a computer player to what it answers by, without"
    " words and keys. Nothing of games whose kinds are not told.",
    "responses_long.csv": "One row for each answer to a question of a stage, the quiz included.",
    "responses_wide.csv": "The same, one row for each step of a participant, and each player and"
    " moment it asked about; a column for each item.",
    "guesses.csv": "What each participant took another player for (person or computer, or which"
    " role), with the truth beside it.",
    "ratings_long.csv": "The ratings of the study’s campaigns, a value a row, as the campaigns’ own"
    " exports have them.",
    "raters.csv": "Which rater of those campaigns is which participant.",
    "study.toml": "The study as a file, from which the same study is made elsewhere.",
    "llm_messages.jsonl": "Only where asked for: the words of the requests and of the answers.",
    "results.json": "Only where asked for: the results as the study’s page shows them, by section:"
    " lines (estimates) and comparisons. docs/statistics.md defines them.",
    "payments.csv": "Only where asked for: what each participant is owed or was paid.",
}
BLIND = (
    "While the study goes on, nobody is told who is a person at a blind table: kinds, participants,"
    " models, methods, labels, people’s seats and deviations are empty then, and what only people"
    " or only computer players do, or was said of the other seats, has no rows. All of it is told"
    " once the study is closed and no game goes on."
)
COLUMNS = {
    **of_campaigns.COLUMNS,
    "study_id": "The study.",
    "participant": "The participant’s pseudonym.",
    "invited": "Whether they came by a personal link.",
    "consented_at_utc": "When the participant agreed to take part.",
    "consent_version": "SHA-256 of the text they agreed to.",
    "exit": "The way out that they took; empty: on the way still.",
    "exited_at_utc": "When they went out.",
    "consent_again": "What they said of their agreement after the debriefing: kept or taken_back;"
    " empty: nothing, or not asked, so it stands.",
    "withdrew": "Whether what they gave was deleted: they took it back, or a researcher or the end"
    " of the retention had it deleted.",
    "publish_words": "Whether their words may be published; empty: not asked.",
    "of_age": "Whether they said that they are old enough; empty: not asked.",
    "excluded": "Whether they are left out of the results.",
    "extra_time": "Per cent of the usual time limits.",
    "device": "What the first page found of the device, as JSON: scripts, sound, socket_ms.",
    "waited_s": "Seconds in waiting rooms.",
    "quiz_tries": "How many tries at the quiz on the rules.",
    "step": "The step of the way: the kind of its stage and its number.",
    "at.*": "When they came first to that step.",
    "slot": "The place for a game, numbered within the study.",
    "block": "The block of the slot: each has every condition once.",
    "condition_index": "The condition’s number, from 1.",
    "condition": "The condition: the names of its levels, joined by +.",
    "factor.*": "The level of that factor.",
    "deal_seed": "The seed the game is dealt from: slots with the same one share who is what.",
    "people_seats": "The seats kept for people, separated by spaces.",
    "state": "Of a slot: free, filling, playing, done or void. Of an answer: typed (not handed in),"
    " given, expired (its time was over first).",
    "void_reason": "Why the game does not count.",
    "deviations": "What was otherwise than drawn, as JSON.",
    "game_id": "The game.",
    "began_at_utc": "When the game of the slot began.",
    "ended_at_utc": "When it ended.",
    "round": "Of a seating: which of the participant’s games; else the round of the game’s phase.",
    "seat": "The seat, from 1.",
    "seating_state": "held, ready, seated, missed (did not answer in time), released, or out (left"
    " the game, or it ended early).",
    "at_utc": "When.",
    "what": "Of a happening: what was done. Of a choice: rating, poll or vote.",
    "actor": "participant, clock, or researcher.",
    "reason": "Why, in a few words.",
    "ruleset": "Which game was played: the name of its rules.",
    "settings": "The game’s settings, as JSON.",
    "pace": "The game’s pace.",
    "limits": "Time limits in seconds, as JSON.",
    "status": "Of a game: over or called_off. Of a rating: answered, skipped, not_reached or"
    " timed_out. Of a payment: due, paid or withheld.",
    "blind": "Whether nobody at the table was told who is a person.",
    "kinds_told": "Whether this export tells it.",
    "started_at_utc": "When the game started.",
    "seat_name": "The name of the seat in these files; people’s own words in questionnaires may"
    " have the name the seat had at the table.",
    "won": "Whether the seat’s team won; empty where nobody did.",
    "speaker_kind": "person or agent: who sits there, or who said it.",
    "stand_in": "Whether a computer player answered for the person at the end of the game.",
    "left_at_utc": "When the person left the game for good.",
    "backend": "What the seat’s statements come from; of a request, what was asked.",
    "recipe": "How the computer player is made, as JSON.",
    "labels": "What was not freely produced, separated by semicolons; empty: all was."
    " fallback:<cause>: no usable answer came, so the rules’ default counts (refusal: the model"
    " refused; unspeakable: its words could not be said, such as parts of its prompt). repaired:"
    " the second attempt. without:<part>, stale:<part>: made without, or with an older, favor,"
    " judgement, reliability or strategy. unread: a statement was too long for the built-in player"
    " to understand.",
    "said": "words, nothing (said nothing), or removed (words taken out).",
    "kind": "The kind of question or ballot in the game. Of a message: help (asked by a"
    " participant), report (of what was said at a table), or message.",
    "from_participant": "Whether the participant wrote it; else the researchers did.",
    "seen_at_utc": "When its recipient’s page showed it; empty: not yet.",
    "day": "The day of the game.",
    "phase": "The phase of the game; of utterances phase.day.round.",
    "target": "The seat voted for; empty: nobody.",
    "window": "The question of the game that was answered.",
    "before": "Of a rating: the kind of question that it came with.",
    "about_seat": "The seat that was rated, chosen or asked about; 0: chosen nobody.",
    "role_taken_for": "The role it is taken for from then on; empty: never said.",
    "confidence": "How sure, from 1 to 10.",
    "score": "Helmsman’s m of the rating, from 1 (unreliable) to 10.",
    "unchanged": "Whether it stands as it was before.",
    "why": "The reason that was written with a vote.",
    "seconds": "From the question to its answer.",
    "faculty": "What the note is of: favor, judgement or reliability.",
    "preparation": "Whether it was made for a round of talk rather than for one question.",
    "data": "The note.",
    "purpose": "answer, or preparation of a round.",
    "failure": "Why the request failed; empty: it did not.",
    "tokens_in": "Tokens of the request, as the server counted.",
    "tokens_out": "Tokens of the answer.",
    "retries": "How often the line was tried again.",
    "format": "How the form of the answer was asked for.",
    "template": "The prompt’s template.",
    "left_out": "The oldest turns that had no room.",
    "again": "Whether it was asked once more because a worker ended.",
    "withdrawn": "Whether words were taken out of the request since.",
    "messages": "What was sent.",
    "answer": "What came back.",
    "brief": "What the request was made from.",
    "reply": "What was taken of the answer.",
    "moment": "Which of several: a try of the quiz, a question of the game.",
    "instrument": "The questionnaire.",
    "item": "The question.",
    "number": "The answer on a scale, in the instrument’s own direction, or a whole number.",
    "choice": "The option’s key, or several, separated by semicolons.",
    "revision": "How often it was stated.",
    "item.*": "<instrument>.<item>: the answer; with .number behind, the number beside a choice.",
    "asked": "human: person or computer player; role: which role.",
    "guess": "The option chosen: person, computer, a role, or unsure.",
    "sure": "How sure, on the item’s scale.",
    "truth": "What it was.",
    "counts": "Whether the row counts in the results: the game counts, whoever said it is not left"
    " out and played in a game that counts, it was handed in or stood when the time was over; of a"
    " guess, too, that one was made and no computer player stood in at that seat. Free text counts"
    " by the same rule, and is in no figure. “unsure” counts, and is neither right nor wrong.",
    "right": "Whether the guess is the truth; empty for unsure.",
    "amount": "In the study’s currency.",
    "currency": "The currency.",
    "payment_reason": "For which way out, bonus:<rule>, or hand: a researcher added it.",
    "cases": "Of a bonus: how many games or guesses it is for.",
    "payment_note": "Why a researcher added, withheld or paid it.",
    "reward": "Whether the platform pays it itself, as its reward.",
    "batch": "The number of the batch it is paid with.",
}
_DYNAMIC = {
    "participants.csv": (people.ARRIVAL_PREFIX, "at.*"),
    "assignments.csv": (people.FACTOR_PREFIX, "factor.*"),
    "responses_wide.csv": ("", "item.*"),
}


def columns(source: StudySource) -> dict[str, tuple[str, ...]]:
    """Return file -> its columns, optional files included."""
    own = {
        "participants.csv": people.participants_columns(source),
        "assignments.csv": people.assignments_columns(source),
        "seatings.csv": people.SEATINGS,
        "happenings.csv": people.HAPPENINGS,
        "messages.csv": people.MESSAGES,
        "games.csv": played.GAMES,
        "players.csv": played.PLAYERS,
        "utterances.csv": played.UTTERANCES,
        "votes.csv": played.VOTES,
        "choices.csv": played.CHOICES,
        "minds.jsonl": played.MIND_FIELDS,
        "llm_calls.csv": played.CALLS,
        "responses_long.csv": answered.LONG,
        "responses_wide.csv": answered.wide_columns(source),
        "guesses.csv": answered.GUESSES,
        "raters.csv": answered.RATERS,
        "llm_messages.jsonl": played.MESSAGES,
        "payments.csv": people.PAYMENTS,
    }
    return {name: (*STUDY, *cols) for name, cols in own.items()} | {
        "ratings_long.csv": rating_files.LONG
    }


def meaning(file: str, column: str) -> str:
    """Return the meaning of a column. Raises KeyError if it is not described."""
    if file == "ratings_long.csv":
        return of_campaigns.COLUMNS[column]
    prefix, key = _DYNAMIC.get(file, (" ", ""))
    if column not in COLUMNS and column.startswith(prefix):
        return COLUMNS[key]
    return COLUMNS[column]


def _facts(source: StudySource) -> dict[str, Any]:
    study = source.study
    return {
        "export_schema_version": SCHEMA,
        "app_version": app_version(),
        "study_id": study.code,
        "study_config_hash": study.config_hash,
        "state": study.state,
    }


def as_json(source: StudySource) -> bytes:
    data = {
        **_facts(source),
        "name": source.study.name,
        "reading": of_campaigns.FILES["*"],
        "blind": BLIND,
        "conditions": [
            {"index": c.index, "name": c.name, "levels": c.levels, "table": c.table}
            for c in source.conditions.values()
        ],
        "instruments": [i.data() for i in answered.instruments_asked(source)],
        "files": FILES,
        "columns": {
            name: {c: meaning(name, c) for c in cols} for name, cols in columns(source).items()
        },
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def markdown(source: StudySource) -> bytes:
    lines = [f"# {table_cell(source.study.name)}", "", "What the files of this export hold.", ""]
    lines += rows_of(("", ""), _facts(source).items())
    lines += ["", "## Conditions", ""]
    levels = ((c.index, c.name, json.dumps(c.levels)) for c in source.conditions.values())
    lines += rows_of(("index", "name", "levels"), levels)
    for instrument in answered.instruments_asked(source):
        lines += ["", f"## Questions: {table_cell(instrument.title)}", ""]
        lines += rows_of(_ITEM, ([_item(item, f) for f in _ITEM] for item in instrument.items))
    lines += ["", "## Reading the files", "", of_campaigns.FILES["*"], "", BLIND]
    of = columns(source)
    for name, help_text in FILES.items():
        lines += ["", f"## {name}", "", help_text]
        if name in of:
            rows = ((c, meaning(name, c)) for c in of[name])
            lines += ["", *rows_of(("column", "meaning"), rows)]
    return ("\n".join(lines) + "\n").encode()


_ITEM = ("key", "answer", "question", "min", "low_pole", "max", "high_pole", "options")


def _item(item: Any, field: str) -> str:
    value = getattr(item, field)
    return "; ".join(f"{o.key}: {o.label}" for o in value) if field == "options" else str(value)
