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
_GAME = ("game_id", "slot", "condition", "deal_seed")

GAMES = (*_GAME, "ruleset", "settings", "pace", "limits", "status", "winner", "blind", "kinds_told",
         "void_reason", "deviations", "started_at_utc", "ended_at_utc")  # fmt: skip
PLAYERS = (*_GAME, "seat", "seat_name", "role", "team", "won", "out", "speaker_kind", "participant",
           "stand_in", "left_at_utc", "method", "backend", "recipe", "labels")  # fmt: skip
UTTERANCES = (*_GAME, "seat", "role", "team", "utterance_id", "utterance_index", "phase",
              "speaker_pseudonym", "speaker_kind", "participant", "model_id", "method", "labels",
              "said", "text")  # fmt: skip
VOTES = (*_GAME, "kind", "day", "round", "seat", "target", "labels")
CHOICES = (*_GAME, "participant", "seat", "what", "kind", "window", "day", "phase", "round",
           "before", "about_seat", "role_taken_for", "confidence", "score", "unchanged", "why",
           "labels", "seconds")  # fmt: skip
CALLS = (*_GAME, "seat", "purpose", "window", "step", "kind", "day", "phase", "round", "backend",
         "model_id", "failure", "seconds", "tokens_in", "tokens_out", "retries", "format",
         "template", "left_out", "again", "withdrawn", "at_utc")  # fmt: skip
MIND_FIELDS = (*_GAME, "seat", "faculty", "preparation", "window", "day", "phase", "round", "data")
MESSAGES = (*_GAME, "seat", "purpose", "window", "step", "messages", "answer", "brief", "reply")


def _game(slot: Slot, game: Game) -> tuple[Any, ...]:
    return (game.code, slot.index, slot.condition.name, game.seed)


def _labels(labels: Any) -> str:
    return "; ".join(labels)


def games(source: StudySource) -> bytes:
    """Return one row for each ended game, also for games that were called off."""
    return source.table(GAMES, _games(source))


def _games(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game in source.played:
        may_tell = source.may_reveal_kinds(slot)
        yield (
            *_game(slot, game),
            game.ruleset,
            as_json(game.settings),
            game.pace,
            as_json(game.limits),
            game.status,
            game.winner,
            bool(game.settings.get("blind")),
            may_tell,
            slot.void_reason,
            as_json(slot.deviations) if may_tell else "",
            game.started_at,
            game.ended_at,
        )


def players(source: StudySource) -> bytes:
    """Return one row for each seat of these games."""
    return source.table(PLAYERS, _players(source))


def _players(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game in source.played:
        labels = _labels_by_seat(game)
        names, undecided = talk_of(game).names, has_no_winner(get_seat_outcomes(game))
        for seat, was in enumerate(get_seat_outcomes(game), 1):
            player = source.players[game.pk][seat]
            recipe_cells: tuple[Any, ...] = ("", "", None, None, "", "", "", "")
            if source.may_reveal_kinds(slot):
                recipe = Recipe.of(player.recipe or {})
                person = source.people.get((slot.pk, seat), "")
                recipe_cells = (
                    player.kind, person, player.stand_in, player.left_at, recipe.method,
                    recipe.backend_for("statement"), as_json(player.recipe),
                    _labels(sorted(labels.get(seat, ()))),
                )  # fmt: skip
            won = None if undecided else was.has_won
            ending = (was.role, was.team, won, was.out or STAYED)
            yield (*_game(slot, game), seat, names[seat - 1], *ending, *recipe_cells)


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
    return source.table(UTTERANCES, _utterances(source))


def _utterances(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game in source.played:
        roles = get_seat_outcomes(game)
        spoken = talk_of(game).spoken
        if not source.may_reveal_kinds(slot) and any(line.is_removed for line in spoken):
            continue
        for line in spoken:
            was = roles[line.seat - 1]
            speaker_cells = ("", "", "", "", "")
            if source.may_reveal_kinds(slot):
                person = source.people.get((slot.pk, line.seat), "")
                spoke = person if line.kind == Player.PERSON else ""
                speaker_cells = (line.kind, spoke, line.model, line.method, _labels(line.labels))
            content_kind = (
                "nothing" if line.is_silent else "removed" if line.is_removed else "words"
            )
            words = source.words(speaker_cells[1], line.text)
            if words == WITHHELD:
                content_kind = "withheld"
            yield (
                *_game(slot, game), line.seat, was.role, was.team, line.utterance, line.index,
                line.phase, line.speaker, *speaker_cells, content_kind, words,
            )  # fmt: skip


def votes_columns(source: StudySource) -> tuple[str, ...]:
    return (*VOTES, LEADER) if source.study.is_experiment else VOTES


def votes(source: StudySource) -> bytes:
    """Return one row for each vote. Straw polls only if kinds are not hidden."""
    return source.table(votes_columns(source), _votes(source))


def _votes(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game in source.played:
        may_tell = source.may_reveal_kinds(slot)
        leaders = _leaders(game) if source.study.is_experiment else None
        rows = Vote.objects.filter(game=game).select_related("event").order_by("event__seq")
        for vote in rows if may_tell else rows.filter(event__audience=str(PUBLIC)):
            labels = _labels(vote.labels) if may_tell else ""
            leader = [] if leaders is None else [leaders.get(vote.event.data.get("window"))]
            yield (*_game(slot, game), vote.kind, vote.day, vote.round, vote.seat, vote.target,
                   labels, *leader)  # fmt: skip


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
    return source.table(CHOICES, _choices(source))


def _choices(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game in source.played:
        if game.status != Game.OVER or not source.may_reveal_kinds(slot):
            continue
        rename = source.use_seat_names(game)
        for row in read_play_answers(slot):
            at = row.moment
            yield (
                *_game(slot, game), row.participant, row.seat, row.what, row.kind, row.window,
                at.day, at.phase, at.round, row.before, row.about, row.role,
                row.confidence or None, row.score, row.is_unchanged,
                source.words(row.participant, rename(row.why)),
                _labels(row.labels), None if row.seconds is None else round(row.seconds, 3),
            )  # fmt: skip


def minds(source: StudySource) -> bytes:
    """Return one JSON object for each note of a computer player's favor, judgement or trust."""
    return source.json_lines(_minds(source))


def _minds(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game in source.played:
        if not source.may_reveal_kinds(slot):
            continue
        rename = source.use_seat_names(game)
        for note in MindNote.objects.filter(game=game, faculty__in=MINDS).order_by("pk"):
            cells = (*_game(slot, game), note.seat, note.faculty, note.preparation, note.window,
                    note.day, note.phase, note.round,
                    map_texts(map_texts(note.data, rename), partial(source.words, "")))  # fmt: skip
            yield dict(zip(MIND_FIELDS, cells, strict=True))


def _calls_of(source: StudySource) -> Iterator[tuple[Slot, Game, LLMCall]]:
    for slot, game in source.played:
        if source.may_reveal_kinds(slot):
            rows = LLMCall.objects.filter(game=game).exclude(purpose=LLMCall.RIVAL)
            for call in rows.order_by("pk"):
                yield slot, game, call


def llm_calls(source: StudySource) -> bytes:
    """Return one row for each request to a model or a built-in player, without its text."""
    return source.table(CALLS, _calls(source))


def _calls(source: StudySource) -> Iterator[tuple[Any, ...]]:
    for slot, game, call in _calls_of(source):
        line = call.exchange or {}
        usage = line.get("usage") or {}
        yield (
            *_game(slot, game), call.seat, call.purpose, call.window, call.step, call.kind,
            call.day, call.phase, call.round, call.backend, str(line.get("model") or ""),
            call.failure, round(call.seconds, 6), usage.get("prompt_tokens"),
            usage.get("completion_tokens"), line.get("retries"), line.get("format"),
            line.get("template"), line.get("left_out"), line.get("again"), call.withdrawn, call.at,
        )  # fmt: skip


def llm_messages(source: StudySource) -> bytes:
    """Return the texts of these requests and of their replies, one JSON object each."""
    return source.json_lines(_messages(source))


def _messages(source: StudySource) -> Iterator[dict[str, Any]]:
    for slot, game, call in _calls_of(source):
        if source.withheld & {name for (pk, _), name in source.people.items() if pk == slot.pk}:
            continue  # a prompt contains all players' texts
        rename, line = source.use_seat_names(game), call.exchange or {}
        words = without_api_keys([line.get("messages"), line.get("answer"), call.brief, call.reply])
        texts = map_texts(map_texts(words, rename), partial(source.words, ""))
        cells = (*_game(slot, game), call.seat, call.purpose, call.window, call.step,
                *texts)  # fmt: skip
        yield dict(zip(MESSAGES, cells, strict=True))
