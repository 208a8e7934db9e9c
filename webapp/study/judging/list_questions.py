"""A judge's lists for a game: who is said to be what in a round, and memorable sentences.

Variation (Humanized G.2) asks once a round, roles hidden. Memorability (G.3) asks once a game,
roles shown. `webapp.measures.judged_variety` computes the scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.llm.quoting import quoted
from game.engine import rulesets
from game.models import Game
from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord
from webapp.measures.judged_variety import MAX_SENTENCES, Highlight, NotSpoken, check_spoken
from webapp.study.judging import replies
from webapp.study.judging.criteria import LISTS as CRITERIA
from webapp.study.judging.criteria import MEMORABILITY, VARIATION, Criterion
from webapp.study.judging.prompts import filled
from webapp.study.judging.questions import JudgeQuestion, Values
from webapp.study.judging.transcripts import rules_of
from webapp.study.models import Judge

OPINIONS, HIGHLIGHTS = "opinions", "highlights"  # keys of a draw's values
BY_KEY = {criterion.key: criterion for criterion in CRITERIA}


def rounds_of(game: GameRecord) -> list[int]:
    """Return the numbers of the rounds in which somebody spoke."""
    return sorted({statement.round for statement in game.statements})


def round_key(number: int) -> str:
    """Return the dimension of a round's draws."""
    return f"{VARIATION}-{number}"


def opinions_question(judge: Judge, game: Game, number: int) -> JudgeQuestion:
    """Return the question who says in a round which role somebody has; no true role is shown."""
    played, names, roles = load_record(game), _names(game), _role_keys(game)
    schema = _schema(
        OPINIONS, {"speaker": _one_of(names), "target": _one_of(names), "role": _one_of(roles)}
    )
    said = [s for s in played.statements if s.round == number]
    talk = "\n".join(f"{s.speaker}: {quoted(s.text)}" for s in said)
    page = filled("lists_round", rules=rules_of(game), talk=talk, roles=", ".join(roles))

    def read(text: str) -> tuple[Values, str]:
        rows = _rows(text, schema, OPINIONS)
        speakers = {s.speaker for s in said}
        if absent := [r["speaker"] for r in rows if r["speaker"] not in speakers]:
            raise replies.unusable_error(f"{absent[0]} says nothing in this round")
        opinions = [[names.index(r["speaker"]) + 1, names.index(r["target"]) + 1, r["role"]]
                    for r in rows]  # fmt: skip
        return {OPINIONS: opinions}, ""

    return JudgeQuestion(_messages(judge, BY_KEY[VARIATION], page), schema, read)


def highlights_question(judge: Judge, game: Game) -> JudgeQuestion:
    """Return the question for the most memorable sentences; the true roles are shown."""
    played, names = load_record(game), _names(game)
    schema = _schema(
        HIGHLIGHTS,
        {
            "speaker": _one_of(names),
            "sentence": {"type": "string"},
            "twist": {"type": "number", "minimum": 1, "maximum": 10},
        },
    )
    talk = "\n".join(
        f"{s.speaker} ({played.roles[s.seat]}): {quoted(s.text)}" for s in played.statements
    )
    page = filled("lists_game", rules=rules_of(game), talk=talk, top=str(MAX_SENTENCES))

    def read(text: str) -> tuple[Values, str]:
        rows = _rows(text, schema, HIGHLIGHTS)
        if not 1 <= len(rows) <= MAX_SENTENCES:
            raise replies.unusable_error(f"there have to be 1 to {MAX_SENTENCES} sentences")
        found = [
            Highlight(names.index(r["speaker"]) + 1, str(r["sentence"]),
                      replies.parse_number(r["twist"], "twist", 1, 10))
            for r in rows
        ]  # fmt: skip
        try:
            for highlight in found:
                check_spoken(highlight, played)
        except NotSpoken as error:
            raise replies.unusable_error(str(error)) from None
        # The sentences are players' words: they are not stored.
        return {HIGHLIGHTS: [[one.seat, one.twist] for one in found]}, ""

    return JudgeQuestion(_messages(judge, BY_KEY[MEMORABILITY], page), schema, read)


def _names(game: Game) -> list[str]:
    return list(game.players.order_by("seat").values_list("name", flat=True))


def _role_keys(game: Game) -> list[str]:
    return [role.key for role in rulesets.get(game.ruleset).roles]


def _one_of(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _schema(key: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": item}},
        "required": [key],
        "additionalProperties": False,
    }


def _rows(text: str, schema: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the list of an answer. Raises BackendError if an entry does not fit."""
    rows = replies.parse_object(text, schema).get(key)
    if not isinstance(rows, list):
        raise replies.unusable_error(f"there was no list “{key}” in it")
    properties = schema["properties"][key]["items"]["properties"]
    for row in rows:
        for name, kind in properties.items():
            value = row.get(name) if isinstance(row, Mapping) else None
            if value is None or ("enum" in kind and value not in kind["enum"]):
                known = f": {', '.join(kind['enum'])}" if "enum" in kind else ""
                raise replies.unusable_error(f"every entry has a “{name}”{known}")
    return rows


def _messages(judge: Judge, criterion: Criterion, page: str) -> list[dict[str, str]]:
    persona = judge.personas.get(criterion.key) or criterion.persona
    system = filled("lists", persona=persona, label=criterion.label, question=criterion.question)
    return [{"role": "system", "content": system}, {"role": "user", "content": page}]
