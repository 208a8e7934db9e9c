"""Files of a study's games: seats, statements, votes, notes of agents, and requests to models."""

from __future__ import annotations

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


def _rows_of_games(
    read_game: Callable[[StudySource, Slot, Game], Iterable[dict[str, Any]]],
    *,
    only_revealed: bool = False,
) -> Callable[[StudySource], Iterator[dict[str, Any]]]:
    """Return a function that yields the rows of all ended games, each with _GAME_KEY_COLUMNS.

    Args:
        read_game: Yields the rows of a game without these columns.
        only_revealed: Leave out games whose kinds of players are hidden.
    """

    def read_rows(source: StudySource) -> Iterator[dict[str, Any]]:
        for slot, game in source.ended_games:
            if source.may_reveal_kinds(slot) or not only_revealed:
                values = (game.code, slot.index, slot.condition.name, game.seed)
                key = dict(zip(_GAME_KEY_COLUMNS, values, strict=True))
                yield from (key | row for row in read_game(source, slot, game))

    return read_rows


def _game_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield the row of the game, which may have been called off."""
    may_reveal = source.may_reveal_kinds(slot)
    yield {
        **_fields_of(game, "ruleset", "pace", "status", "winner"),
        "settings": json_cell(game.settings),
        "limits": json_cell(game.limits),
        "blind": bool(game.settings.get("blind")),
        "kinds_told": may_reveal,
        "void_reason": slot.void_reason,
        "deviations": json_cell(slot.deviations) if may_reveal else "",
        "started_at_utc": game.started_at,
        "ended_at_utc": game.ended_at,
    }


def _player_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each seat."""
    labels_by_seat = _labels_by_seat(game)
    names, outcomes = talk_of(game).names, get_seat_outcomes(game)
    for seat, outcome in enumerate(outcomes, 1):
        occupant: dict[str, Any] = dict.fromkeys(_OCCUPANT_COLUMNS, "")
        if source.may_reveal_kinds(slot):
            pseudonym = source.pseudonyms.get((slot.pk, seat), "")
            labels = labels_by_seat.get(seat, set())
            occupant = _describe_occupant(source.players[game.pk][seat], pseudonym, labels)
        yield {
            "seat": seat,
            "seat_name": names[seat - 1],
            "role": outcome.role,
            "team": outcome.team,
            "won": None if has_no_winner(outcomes) else outcome.has_won,
            "out": outcome.out or STAYED,
            **occupant,
        }


def _describe_occupant(player: Player, pseudonym: str, labels: set[str]) -> dict[str, Any]:
    recipe = Recipe.of(player.recipe or {})
    return {
        "speaker_kind": player.kind,
        "participant": pseudonym,
        "stand_in": player.stand_in,
        "left_at_utc": player.left_at,
        "method": recipe.method,
        "backend": recipe.backend_for("statement"),
        "recipe": json_cell(player.recipe),
        "labels": _join_labels(sorted(labels)),
    }


def _labels_by_seat(game: Game) -> dict[int, set[str]]:
    """Return seat -> the labels of all its answers. Seats without labels are missing."""
    labels_by_seat: dict[int, set[str]] = {}
    for event in selectors.view_for(game, visibility.MODERATOR).events:
        if event.labels and isinstance(seat := event.data.get("seat"), int):
            labels_by_seat.setdefault(seat, set()).update(event.labels)
    return labels_by_seat


def _utterance_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each turn to speak.

    Games with removed texts are left out while kinds are hidden, because only people's texts are
    ever removed.
    """
    outcomes, turns = get_seat_outcomes(game), talk_of(game).spoken
    may_reveal = source.may_reveal_kinds(slot)
    if not may_reveal and any(turn.is_removed for turn in turns):
        return
    for turn in turns:
        speaker: dict[str, Any] = dict.fromkeys(_SPEAKER_COLUMNS, "")
        if may_reveal:
            pseudonym = source.pseudonyms.get((slot.pk, turn.seat), "")
            speaker = {
                "speaker_kind": turn.kind,
                "participant": pseudonym if turn.kind == Player.PERSON else "",
                "model_id": turn.model,
                "method": turn.method,
                "labels": _join_labels(turn.labels),
            }
        text = source.redact(turn.text, author=speaker["participant"])
        yield {
            "seat": turn.seat,
            "role": outcomes[turn.seat - 1].role,
            "team": outcomes[turn.seat - 1].team,
            "utterance_id": turn.utterance,
            "utterance_index": turn.index,
            "phase": turn.phase,
            "speaker_pseudonym": turn.speaker,
            **speaker,
            "said": "withheld" if text == WITHHELD_TEXT else content_kind(turn),
            "text": text,
        }


def _vote_columns(source: StudySource) -> tuple[str, ...]:
    return (*_VOTE_COLUMNS, LEADER_COLUMN) if source.study.is_experiment else _VOTE_COLUMNS


def _vote_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each vote. Straw polls only if kinds are not hidden."""
    may_reveal = source.may_reveal_kinds(slot)
    leaders = _leaders_by_window(game) if source.study.is_experiment else {}
    rows = Vote.objects.filter(game=game).select_related("event").order_by("event__seq")
    for vote in rows if may_reveal else rows.filter(event__audience=str(PUBLIC)):
        yield {
            **_fields_of(vote, "kind", "day", "round", "seat", "target"),
            "labels": _join_labels(vote.labels) if may_reveal else "",
            LEADER_COLUMN: leaders.get(vote.event.data.get("window")),
        }


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


def _choice_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each answer of people beside the talk: rating, straw poll, vote."""
    rename = source.seat_name_replacer(game)
    for row in read_play_answers(slot) if game.status == Game.OVER else ():
        yield {
            **_fields_of(row, "participant", "seat", "what", "kind", "window"),
            **_fields_of(row.moment, "day", "phase", "round"),
            "before": row.before,
            "about_seat": row.about,
            "role_taken_for": row.role,
            "confidence": row.confidence or None,
            "score": row.score,
            "unchanged": row.is_unchanged,
            "why": source.redact(rename(row.why), author=row.participant),
            "labels": _join_labels(row.labels),
            "seconds": None if row.seconds is None else round(row.seconds, 3),
        }


def _mind_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each note of a computer player (EXPORTED_FACULTIES)."""
    rename = source.seat_name_replacer(game)
    notes = MindNote.objects.filter(game=game, faculty__in=EXPORTED_FACULTIES)
    for note in notes.order_by("pk"):
        yield {
            **_fields_of(note, "seat", "faculty", "preparation", "window"),
            **_fields_of(note, "day", "phase", "round"),
            "data": map_texts(map_texts(note.data, rename), source.redact),
        }


def _call_rows(_source: StudySource, _slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each request to a model or the built-in player, without its text."""
    for call in _calls_of(game):
        exchange = call.exchange or {}
        usage = exchange.get("usage") or {}
        yield {
            **_fields_of(call, "seat", "purpose", "window", "step", "kind", "day", "phase"),
            **_fields_of(call, "round", "backend", "failure", "withdrawn"),
            "model_id": str(exchange.get("model") or ""),
            "seconds": round(call.seconds, 6),
            "tokens_in": usage.get("prompt_tokens"),
            "tokens_out": usage.get("completion_tokens"),
            **{key: exchange.get(key) for key in _EXCHANGE_COLUMNS},
            "at_utc": call.at,
        }


def _calls_of(game: Game) -> QuerySet[LLMCall]:
    """Return the requests of the game's players in order."""
    return LLMCall.objects.filter(game=game).exclude(purpose=LLMCall.RIVAL).order_by("pk")


def _message_rows(source: StudySource, slot: Slot, game: Game) -> Iterator[dict[str, Any]]:
    """Yield one row for each of these requests, with its text and that of the reply."""
    participants = {name for (pk, _), name in source.pseudonyms.items() if pk == slot.pk}
    if source.withheld_pseudonyms & participants:
        return  # a prompt contains the texts of all players
    rename = source.seat_name_replacer(game)
    for call in _calls_of(game):
        texts = {key: (call.exchange or {}).get(key) for key in ("messages", "answer")}
        texts |= _fields_of(call, "brief", "reply")
        yield {
            **_fields_of(call, "seat", "purpose", "window", "step"),
            **map_texts(map_texts(without_api_keys(texts), rename), source.redact),
        }


def _fields_of(row: Any, *names: str) -> dict[str, Any]:
    """Return the fields of a row whose columns have the same names."""
    return {name: getattr(row, name) for name in names}


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
