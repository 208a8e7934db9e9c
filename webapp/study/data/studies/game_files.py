"""Files of a study's games: seats, statements, votes, notes of agents, and requests to models."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from game import selectors
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC
from game.models import Game, Player, Vote
from webapp.play.models import LLMCall, MindNote
from webapp.play.turns.agent_records import without_api_keys
from webapp.study.csv_cells import json_cell
from webapp.study.data.campaign_files import content_kind
from webapp.study.data.campaign_source import STAYED
from webapp.study.data.studies.study_source import (
    WITHHELD_TEXT,
    StudyJsonLines,
    StudySource,
    StudyTable,
    map_texts,
)
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes, has_no_winner
from webapp.study.models import Slot
from webapp.study.sessions.play_answers import read_play_answers

EXPORTED_FACULTIES = ("favor", "judgement", FACULTY)  # faculties whose notes are exported
LEADER_COLUMN = "leader"  # a column of votes.csv, only in experiments
_GAME_KEY_COLUMNS = ("game_id", "slot", "condition", "deal_seed")

_GAME_COLUMNS = (
    *_GAME_KEY_COLUMNS, "ruleset", "settings", "pace", "limits", "status", "winner", "blind",
    "kinds_told", "void_reason", "deviations", "started_at_utc", "ended_at_utc",
)  # fmt: skip
_OCCUPANT_COLUMNS = (
    "speaker_kind", "participant", "stand_in", "left_at_utc", "method", "backend", "recipe",
    "labels",
)  # fmt: skip
_PLAYER_COLUMNS = (
    *_GAME_KEY_COLUMNS, "seat", "seat_name", "role", "team", "won", "out", *_OCCUPANT_COLUMNS,
)  # fmt: skip
_SPEAKER_COLUMNS = ("speaker_kind", "participant", "model_id", "method", "labels")
_UTTERANCE_COLUMNS = (
    *_GAME_KEY_COLUMNS, "seat", "role", "team", "utterance_id", "utterance_index", "phase",
    "speaker_pseudonym", *_SPEAKER_COLUMNS, "said", "text",
)  # fmt: skip
_VOTE_COLUMNS = (*_GAME_KEY_COLUMNS, "kind", "day", "round", "seat", "target", "labels")
_CHOICE_COLUMNS = (
    *_GAME_KEY_COLUMNS, "participant", "seat", "what", "kind", "window", "day", "phase", "round",
    "before", "about_seat", "role_taken_for", "confidence", "score", "unchanged", "why", "labels",
    "seconds",
)  # fmt: skip
_EXCHANGE_COLUMNS = ("retries", "format", "template", "left_out", "again")
_CALL_COLUMNS = (
    *_GAME_KEY_COLUMNS, "seat", "purpose", "window", "step", "kind", "day", "phase", "round",
    "backend", "model_id", "failure", "seconds", "tokens_in", "tokens_out", *_EXCHANGE_COLUMNS,
    "withdrawn", "at_utc",
)  # fmt: skip
_MIND_COLUMNS = (
    *_GAME_KEY_COLUMNS, "seat", "faculty", "preparation", "window", "day", "phase", "round", "data",
)  # fmt: skip
_MESSAGE_COLUMNS = (
    *_GAME_KEY_COLUMNS, "seat", "purpose", "window", "step", "messages", "answer", "brief", "reply",
)  # fmt: skip


Rows = Iterator[tuple[Any, ...]]


def _rows_of_games(
    read_game: Callable[[StudySource, Slot, Game], Rows], *, only_revealed: bool = False
) -> Callable[[StudySource], Rows]:
    """Return a function that yields the rows of all ended games, each with _GAME_KEY_COLUMNS.

    Args:
        read_game: Yields the rows of a game without these columns.
        only_revealed: Leave out games whose kinds of players are hidden.
    """

    def read_rows(source: StudySource) -> Rows:
        for slot, game in source.ended_games:
            if source.may_reveal_kinds(slot) or not only_revealed:
                key = (game.code, slot.index, slot.condition.name, game.seed)
                yield from ((*key, *row) for row in read_game(source, slot, game))

    return read_rows


def _game_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield the row of the game, which may have been called off."""
    may_reveal = source.may_reveal_kinds(slot)
    yield (
        game.ruleset, json_cell(game.settings), game.pace, json_cell(game.limits), game.status,
        game.winner, bool(game.settings.get("blind")), may_reveal, slot.void_reason,
        json_cell(slot.deviations) if may_reveal else "", game.started_at, game.ended_at,
    )  # fmt: skip


def _player_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each seat."""
    labels_by_seat = _labels_by_seat(game)
    names, outcomes = talk_of(game).names, get_seat_outcomes(game)
    for seat, outcome in enumerate(outcomes, 1):
        occupant: tuple[Any, ...] = ("",) * len(_OCCUPANT_COLUMNS)
        if source.may_reveal_kinds(slot):
            player = source.players[game.pk][seat]
            recipe = Recipe.of(player.recipe or {})
            occupant = (
                player.kind, source.pseudonyms.get((slot.pk, seat), ""), player.stand_in,
                player.left_at, recipe.method, recipe.backend_for("statement"),
                json_cell(player.recipe), _join_labels(sorted(labels_by_seat.get(seat, ()))),
            )  # fmt: skip
        has_won = None if has_no_winner(outcomes) else outcome.has_won
        out = outcome.out or STAYED
        yield (seat, names[seat - 1], outcome.role, outcome.team, has_won, out, *occupant)


def _labels_by_seat(game: Game) -> dict[int, set[str]]:
    """Return seat -> the labels of all its answers. Seats without labels are missing."""
    labels_by_seat: dict[int, set[str]] = {}
    for event in selectors.view_for(game, visibility.MODERATOR).events:
        if event.labels and isinstance(seat := event.data.get("seat"), int):
            labels_by_seat.setdefault(seat, set()).update(event.labels)
    return labels_by_seat


def _utterance_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each turn to speak.

    Games with removed texts are left out while kinds are hidden, because only people's texts are
    ever removed.
    """
    outcomes, turns = get_seat_outcomes(game), talk_of(game).spoken
    may_reveal = source.may_reveal_kinds(slot)
    if not may_reveal and any(turn.is_removed for turn in turns):
        return
    for turn in turns:
        participant, speaker = "", ("",) * len(_SPEAKER_COLUMNS)
        if may_reveal:
            if turn.kind == Player.PERSON:
                participant = source.pseudonyms.get((slot.pk, turn.seat), "")
            labels = _join_labels(turn.labels)
            speaker = (turn.kind, participant, turn.model, turn.method, labels)
        outcome, text = outcomes[turn.seat - 1], source.redact(turn.text, author=participant)
        said = "withheld" if text == WITHHELD_TEXT else content_kind(turn)
        yield (
            turn.seat, outcome.role, outcome.team, turn.utterance, turn.index, turn.phase,
            turn.speaker, *speaker, said, text,
        )  # fmt: skip


def _vote_columns(source: StudySource) -> tuple[str, ...]:
    return (*_VOTE_COLUMNS, LEADER_COLUMN) if source.study.is_experiment else _VOTE_COLUMNS


def _vote_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each vote. Straw polls only if kinds are not hidden."""
    may_reveal = source.may_reveal_kinds(slot)
    leaders = _leaders_by_window(game) if source.study.is_experiment else None
    rows = Vote.objects.filter(game=game).select_related("event").order_by("event__seq")
    for vote in rows if may_reveal else rows.filter(event__audience=str(PUBLIC)):
        labels = _join_labels(vote.labels) if may_reveal else ""
        leader = () if leaders is None else (leaders.get(vote.event.data.get("window")),)
        yield (vote.kind, vote.day, vote.round, vote.seat, vote.target, labels, *leader)


def _leaders_by_window(game: Game) -> dict[str, int | None]:
    """Return a window's key -> the seat that held the office when it opened, None for no seat."""
    badge, holder = rulesets.get(game.ruleset).badge, None
    leaders: dict[str, int | None] = {}
    for event in selectors.view_for(game, visibility.MODERATOR).events if badge else ():
        if event.kind == "badge_given" and event["badge"] == badge:
            holder = event["seat"] or None
        elif event.kind == "window_opened":
            leaders[event["key"]] = holder
    return leaders


def _choice_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each answer of people beside the talk: rating, straw poll, vote."""
    rename = source.seat_name_replacer(game)
    for row in read_play_answers(slot) if game.status == Game.OVER else ():
        moment = row.moment
        yield (
            row.participant, row.seat, row.what, row.kind, row.window, moment.day, moment.phase,
            moment.round, row.before, row.about, row.role, row.confidence or None, row.score,
            row.is_unchanged, source.redact(rename(row.why), author=row.participant),
            _join_labels(row.labels), None if row.seconds is None else round(row.seconds, 3),
        )  # fmt: skip


def _mind_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each note of a computer player (EXPORTED_FACULTIES)."""
    rename = source.seat_name_replacer(game)
    notes = MindNote.objects.filter(game=game, faculty__in=EXPORTED_FACULTIES)
    for note in notes.order_by("pk"):
        yield (
            note.seat, note.faculty, note.preparation, note.window, note.day, note.phase,
            note.round, map_texts(map_texts(note.data, rename), source.redact),
        )  # fmt: skip


def _call_rows(_source: StudySource, _slot: Slot, game: Game) -> Rows:
    """Yield one row for each request to a model or the built-in player, without its text."""
    for call in _calls_of(game):
        exchange = call.exchange or {}
        usage = exchange.get("usage") or {}
        yield (
            call.seat, call.purpose, call.window, call.step, call.kind, call.day, call.phase,
            call.round, call.backend, str(exchange.get("model") or ""), call.failure,
            round(call.seconds, 6), usage.get("prompt_tokens"), usage.get("completion_tokens"),
            *map(exchange.get, _EXCHANGE_COLUMNS), call.withdrawn, call.at,
        )  # fmt: skip


def _calls_of(game: Game) -> QuerySet[LLMCall]:
    """Return the requests of the game's players in order."""
    return LLMCall.objects.filter(game=game).exclude(purpose=LLMCall.RIVAL).order_by("pk")


def _message_rows(source: StudySource, slot: Slot, game: Game) -> Rows:
    """Yield one row for each of these requests, with its text and that of the reply."""
    participants = {name for (pk, _), name in source.pseudonyms.items() if pk == slot.pk}
    if source.withheld_pseudonyms & participants:
        return  # a prompt contains the texts of all players
    rename = source.seat_name_replacer(game)
    for call in _calls_of(game):
        exchange = call.exchange or {}
        texts = [exchange.get("messages"), exchange.get("answer"), call.brief, call.reply]
        redacted_texts = map_texts(map_texts(without_api_keys(texts), rename), source.redact)
        yield (call.seat, call.purpose, call.window, call.step, *redacted_texts)


def _join_labels(labels: Iterable[str]) -> str:
    return "; ".join(labels)


TABLES = {
    "games.csv": StudyTable(_GAME_COLUMNS, _rows_of_games(_game_rows)),
    "players.csv": StudyTable(_PLAYER_COLUMNS, _rows_of_games(_player_rows)),
    "utterances.csv": StudyTable(_UTTERANCE_COLUMNS, _rows_of_games(_utterance_rows)),
    "votes.csv": StudyTable(_vote_columns, _rows_of_games(_vote_rows)),
    "choices.csv": StudyTable(_CHOICE_COLUMNS, _rows_of_games(_choice_rows, only_revealed=True)),
    "minds.jsonl": StudyJsonLines(_MIND_COLUMNS, _rows_of_games(_mind_rows, only_revealed=True)),
    "llm_calls.csv": StudyTable(_CALL_COLUMNS, _rows_of_games(_call_rows, only_revealed=True)),
}
LLM_MESSAGE_TABLE = StudyJsonLines(
    _MESSAGE_COLUMNS, _rows_of_games(_message_rows, only_revealed=True)
)
