"""Loads game records of the games in the database."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agents.contest import INDUCING
from agents.decision import Note
from agents.personas.big_five import FACTORS
from agents.personas.own_style import parse_own_style
from agents.reliability_scale import FACULTY
from game import selectors
from game.engine import rulesets, visibility
from game.models import Game, Player
from webapp.lab.record_builder import OPINION_FACULTIES, build_record
from webapp.measures.game_record import GameRecord
from webapp.play.models import MindNote
from webapp.play.turns.agent_records import note_of

_STYLE_MARK = " #"  # separates a style from the digest of its text
_DIGEST_CHARS = 6


class UnknownGame(LookupError):
    """There is no game with this code."""


def load_records(codes: Iterable[str]) -> tuple[list[GameRecord], dict[str, str]]:
    """Return the records of finished games, and code -> status of unfinished ones."""
    records: list[GameRecord] = []
    unfinished: dict[str, str] = {}
    for code in dict.fromkeys(codes):
        game = Game.objects.filter(code=code).first()
        if game is None:
            raise UnknownGame(f"there is no game {code!r}")
        if game.status == Game.OVER:
            records.append(load_record(game))
        else:
            unfinished[code] = game.status
    return records, unfinished


def load_record(game: Game) -> GameRecord:
    """Return the record of a finished game."""
    # Imported here because pages import this module, and the claim reading loads a large library.
    from webapp.play import claim_reading

    notes: dict[int, list[Note]] = {}
    faculties = (FACULTY, INDUCING, *OPINION_FACULTIES)
    for row in MindNote.objects.filter(game=game, faculty__in=faculties).order_by("pk"):
        notes.setdefault(row.seat, []).append(note_of(row))
    people, systems, personas = set(), {}, {}
    for player in game.players.all():
        if player.kind == Player.PERSON:
            people.add(player.seat)
        elif player.recipe:
            systems[player.seat] = f"{player.recipe['backend']}, {player.recipe['method']}"
            if persona := player.recipe.get("persona"):
                personas[player.seat] = persona_name(persona)
    view = selectors.view_for(game, visibility.MODERATOR)
    ruleset = rulesets.get(game.ruleset)
    steps = claim_reading.load_claim_steps(game)
    record = build_record(game.code, ruleset, view.events, notes, people, systems, steps)
    return replace(record, personas=personas)


def persona_name(persona: Mapping[str, Any]) -> str:
    """Return a persona's name in tables: its character, or its scores ("A4 E4 N4 O4 C4").

    A style that researchers wrote has the name in its text, and a digest of the text: styles of
    different conditions may have the same name (`remove_digest`).
    """
    if style := persona.get("style"):
        digest = hashlib.sha256(style.encode()).hexdigest()[:_DIGEST_CHARS]
        return f"style {parse_own_style(style).character.name}{_STYLE_MARK}{digest}"
    scores: Mapping[str, int] = persona["scores"]
    return persona.get("character") or " ".join(f"{factor}{scores[factor]}" for factor in FACTORS)


def remove_digest(persona: str) -> str:
    """Return the name of `persona_name` without the digest of a style."""
    return persona.rpartition(_STYLE_MARK)[0] or persona
