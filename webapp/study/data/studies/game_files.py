"""The games of a study: seats, statements, votes, notes of agents, and requests to models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from agents.recipe import Recipe
from agents.reliability_scale import FACULTY
from game import selectors
from game.engine import rulesets, visibility
from game.engine.events import PUBLIC
from game.models import Game, Player, Vote
from webapp.play.models import LLMCall, MindNote
from webapp.play.turns.record_redaction import without_api_keys
from webapp.study.data.studies.study_source import WITHHELD, StudySource, as_json, map_texts
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes, has_no_winner
from webapp.study.models import Slot
from webapp.study.sessions.play_answers import read_play_answers

STAYED = "no"  # value of `out`: the seat was in the game until its end
MINDS = ("favor", "judgement", FACULTY)  # faculties whose notes are exported
LEADER = "leader"  # column of votes, in experiments
_GAME_COLUMNS = ("game_id", "slot", "condition", "deal_seed")

GAMES = (*_GAME_COLUMNS, "ruleset", "settings", "pace", "limits", "status", "winner", "blind",
         "kinds_told", "void_reason", "deviations", "started_at_utc", "ended_at_utc")  # fmt: skip
_PLAYER_COLUMNS = ("speaker_kind", "participant", "stand_in", "left_at_utc", "method", "backend",
                   "recipe", "labels")  # fmt: skip
PLAYERS = (*_GAME_COLUMNS, "seat", "seat_name", "role", "team", "won", "out", *_PLAYER_COLUMNS)
_SPEAKER_COLUMNS = ("speaker_kind", "participant", "model_id", "method", "labels")
UTTERANCES = (*_GAME_COLUMNS, "seat", "role", "team", "utterance_id", "utterance_index", "phase",
              "speaker_pseudonym", *_SPEAKER_COLUMNS, "said", "text")  # fmt: skip
VOTES = (*_GAME_COLUMNS, "kind", "day", "round", "seat", "target", "labels")
CHOICES = (*_GAME_COLUMNS, "participant", "seat", "what", "kind", "window", "day", "phase",
           "round", "before", "about_seat", "role_taken_for", "confidence", "score", "unchanged",
           "why", "labels", "seconds")  # fmt: skip
_EXCHANGE_COLUMNS = ("retries", "format", "template", "left_out", "again")
CALLS = (*_GAME_COLUMNS, "seat", "purpose", "window", "step", "kind", "day", "phase", "round",
         "backend", "model_id", "failure", "seconds", "tokens_in", "tokens_out",
         *_EXCHANGE_COLUMNS, "withdrawn", "at_utc")  # fmt: skip
MIND_FIELDS = (*_GAME_COLUMNS, "seat", "faculty", "preparation", "window", "day", "phase", "round",
               "data")  # fmt: skip
MESSAGES = (*_GAME_COLUMNS, "seat", "purpose", "window", "step", "messages", "answer", "brief",
            "reply")  # fmt: skip


def _game_cells(slot: Slot, game: Game) -> dict[str, Any]:
    cells = (game.code, slot.index, slot.condition.name, game.seed)
    return dict(zip(_GAME_COLUMNS, cells, strict=True))


def _labels(labels: Any) -> str:
    return "; ".join(labels)


def games(source: StudySource) -> bytes:
    """Return one row for each ended game, also for games that were called off."""
    return source.table_of_dicts(GAMES, _game_rows(source))


def _game_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        may_tell = source.may_reveal_kinds(slot)
        yield {
            **_game_cells(slot, game),
            "ruleset": game.ruleset,
            "settings": as_json(game.settings),
            "pace": game.pace,
            "limits": as_json(game.limits),
            "status": game.status,
            "winner": game.winner,
            "blind": bool(game.settings.get("blind")),
            "kinds_told": may_tell,
            "void_reason": slot.void_reason,
            "deviations": as_json(slot.deviations) if may_tell else "",
            "started_at_utc": game.started_at,
            "ended_at_utc": game.ended_at,
        }


def players(source: StudySource) -> bytes:
    """Return one row for each seat of these games."""
    return source.table_of_dicts(PLAYERS, _player_rows(source))


def _player_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        labels = _labels_by_seat(game)
        names, undecided = talk_of(game).names, has_no_winner(get_seat_outcomes(game))
        for seat, was in enumerate(get_seat_outcomes(game), 1):
            player = source.players[game.pk][seat]
            player_cells: dict[str, Any] = dict.fromkeys(_PLAYER_COLUMNS, "")
            if source.may_reveal_kinds(slot):
                person = source.people.get((slot.pk, seat), "")
                player_cells = _player_cells(player, person, labels.get(seat, set()))
            yield {
                **_game_cells(slot, game),
                "seat": seat,
                "seat_name": names[seat - 1],
                "role": was.role,
                "team": was.team,
                "won": None if undecided else was.has_won,
                "out": was.out or STAYED,
                **player_cells,
            }


def _player_cells(player: Player, participant: str, labels: set[str]) -> dict[str, Any]:
    recipe = Recipe.of(player.recipe or {})
    return {
        "speaker_kind": player.kind,
        "participant": participant,
        "stand_in": player.stand_in,
        "left_at_utc": player.left_at,
        "method": recipe.method,
        "backend": recipe.backend_for("statement"),
        "recipe": as_json(player.recipe),
        "labels": _labels(sorted(labels)),
    }


def _labels_by_seat(game: Game) -> dict[int, set[str]]:
    labels_by_seat: dict[int, set[str]] = {}
    for event in selectors.view_for(game, visibility.MODERATOR).events:
        if event.labels and isinstance(seat := event.data.get("seat"), int):
            labels_by_seat.setdefault(seat, set()).update(event.labels)
    return labels_by_seat


def utterances(source: StudySource) -> bytes:
    """Return one row for each turn to speak.

    Games with removed words are left out while kinds are hidden, because only people's words are
    ever removed.
    """
    return source.table_of_dicts(UTTERANCES, _utterance_rows(source))


def _utterance_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        roles = get_seat_outcomes(game)
        spoken = talk_of(game).spoken
        if not source.may_reveal_kinds(slot) and any(line.is_removed for line in spoken):
            continue
        for line in spoken:
            was = roles[line.seat - 1]
            speaker_cells: dict[str, Any] = dict.fromkeys(_SPEAKER_COLUMNS, "")
            if source.may_reveal_kinds(slot):
                person = source.people.get((slot.pk, line.seat), "")
                speaker_cells = {
                    "speaker_kind": line.kind,
                    "participant": person if line.kind == Player.PERSON else "",
                    "model_id": line.model,
                    "method": line.method,
                    "labels": _labels(line.labels),
                }
            content_kind = (
                "nothing" if line.is_silent else "removed" if line.is_removed else "words"
            )
            text = source.words(speaker_cells["participant"], line.text)
            if text == WITHHELD:
                content_kind = "withheld"
            yield {
                **_game_cells(slot, game),
                "seat": line.seat,
                "role": was.role,
                "team": was.team,
                "utterance_id": line.utterance,
                "utterance_index": line.index,
                "phase": line.phase,
                "speaker_pseudonym": line.speaker,
                **speaker_cells,
                "said": content_kind,
                "text": text,
            }


def votes_columns(source: StudySource) -> tuple[str, ...]:
    return (*VOTES, LEADER) if source.study.is_experiment else VOTES


def votes(source: StudySource) -> bytes:
    """Return one row for each vote. Straw polls only if kinds are not hidden."""
    return source.table_of_dicts(votes_columns(source), _vote_rows(source))


def _vote_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        may_tell = source.may_reveal_kinds(slot)
        leaders = _leaders(game) if source.study.is_experiment else {}
        rows = Vote.objects.filter(game=game).select_related("event").order_by("event__seq")
        for vote in rows if may_tell else rows.filter(event__audience=str(PUBLIC)):
            yield {
                **_game_cells(slot, game),
                "kind": vote.kind,
                "day": vote.day,
                "round": vote.round,
                "seat": vote.seat,
                "target": vote.target,
                "labels": _labels(vote.labels) if may_tell else "",
                LEADER: leaders.get(vote.event.data.get("window")),
            }


def _leaders(game: Game) -> dict[str, int | None]:
    """Return a ballot's key -> the seat that held the office when it opened, None for no seat."""
    badge, holder = rulesets.get(game.ruleset).badge, None
    holders: dict[str, int | None] = {}
    for event in selectors.view_for(game, visibility.MODERATOR).events if badge else ():
        if event.kind == "badge_given" and event["badge"] == badge:
            holder = event["seat"] or None
        elif event.kind == "window_opened":
            holders[event["key"]] = holder
    return holders


def choices(source: StudySource) -> bytes:
    """Return people's answers beside the talk: ratings, straw polls, votes with reasons."""
    return source.table_of_dicts(CHOICES, _choice_rows(source))


def _choice_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        if game.status != Game.OVER or not source.may_reveal_kinds(slot):
            continue
        rename = source.use_seat_names(game)
        for row in read_play_answers(slot):
            at = row.moment
            yield {
                **_game_cells(slot, game),
                "participant": row.participant,
                "seat": row.seat,
                "what": row.what,
                "kind": row.kind,
                "window": row.window,
                "day": at.day,
                "phase": at.phase,
                "round": at.round,
                "before": row.before,
                "about_seat": row.about,
                "role_taken_for": row.role,
                "confidence": row.confidence or None,
                "score": row.score,
                "unchanged": row.is_unchanged,
                "why": source.words(row.participant, rename(row.why)),
                "labels": _labels(row.labels),
                "seconds": None if row.seconds is None else round(row.seconds, 3),
            }


def minds(source: StudySource) -> bytes:
    """Return one JSON object for each note of a computer player's favor, judgement or trust."""
    return source.json_lines(_minds(source))


def _minds(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        if not source.may_reveal_kinds(slot):
            continue
        rename = source.use_seat_names(game)
        for note in MindNote.objects.filter(game=game, faculty__in=MINDS).order_by("pk"):
            yield {
                **_game_cells(slot, game),
                "seat": note.seat,
                "faculty": note.faculty,
                "preparation": note.preparation,
                "window": note.window,
                "day": note.day,
                "phase": note.phase,
                "round": note.round,
                "data": map_texts(map_texts(note.data, rename), partial(source.words, "")),
            }


def _calls_of(source: StudySource) -> Iterator[tuple[Slot, Game, LLMCall]]:
    for slot, game in source.played:
        if source.may_reveal_kinds(slot):
            rows = LLMCall.objects.filter(game=game).exclude(purpose=LLMCall.RIVAL)
            for call in rows.order_by("pk"):
                yield slot, game, call


def llm_calls(source: StudySource) -> bytes:
    """Return one row for each request to a model or a built-in player, without its text."""
    return source.table_of_dicts(CALLS, _call_rows(source))


def _call_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game, call in _calls_of(source):
        exchange = call.exchange or {}
        usage = exchange.get("usage") or {}
        yield {
            **_game_cells(slot, game),
            "seat": call.seat,
            "purpose": call.purpose,
            "window": call.window,
            "step": call.step,
            "kind": call.kind,
            "day": call.day,
            "phase": call.phase,
            "round": call.round,
            "backend": call.backend,
            "model_id": str(exchange.get("model") or ""),
            "failure": call.failure,
            "seconds": round(call.seconds, 6),
            "tokens_in": usage.get("prompt_tokens"),
            "tokens_out": usage.get("completion_tokens"),
            **{key: exchange.get(key) for key in _EXCHANGE_COLUMNS},
            "withdrawn": call.withdrawn,
            "at_utc": call.at,
        }


def llm_messages(source: StudySource) -> bytes:
    """Return the texts of these requests and of their replies, one JSON object each."""
    return source.json_lines(_messages(source))


def _messages(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game, call in _calls_of(source):
        if source.withheld & {name for (pk, _), name in source.people.items() if pk == slot.pk}:
            continue  # a prompt contains all players' texts
        rename, exchange = source.use_seat_names(game), call.exchange or {}
        texts = {key: exchange.get(key) for key in ("messages", "answer")}
        texts = without_api_keys({**texts, "brief": call.brief, "reply": call.reply})
        yield {
            **_game_cells(slot, game),
            **{key: getattr(call, key) for key in ("seat", "purpose", "window", "step")},
            **map_texts(map_texts(texts, rename), partial(source.words, "")),
        }
