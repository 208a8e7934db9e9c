"""Questions to the paper's critics, for scores of whole games and for lists.

The critic of Humanized G.1 sees the rules, every statement with its day and its speaker's true
role, and the steps of its judgement. Nights, votes, deaths and the winner are hidden, because a
score based on them would rate the outcome.

A list has the opinions on roles in a round, with hidden roles (Variation, G.2), or the memorable
sentences of a game, with visible roles (Memorability, G.3). `webapp.measures.judged_variety`
computes the scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.quotation import quote_text
from game.engine import rulesets
from game.models import Game
from webapp.lab.stored_games import load_record
from webapp.measures.game_record import GameRecord
from webapp.measures.judged_variety import (
    MAX_SENTENCES_PER_DRAW,
    Highlight,
    NotSpoken,
    check_spoken,
)
from webapp.study.games.game_reveal import reveal_of
from webapp.study.games.public_talk import talk_of
from webapp.study.judging.criteria import (
    HIGH,
    LIST_CRITERIA,
    LOW,
    MEMORABILITY,
    VARIATION,
    Criterion,
)
from webapp.study.judging.judge_prompts import (
    JudgeQuestion,
    JudgeReply,
    object_schema,
    parse_number,
    parse_object,
    parse_reason,
    unusable_error,
)
from webapp.study.judging.prompts import (
    Messages,
    build_messages,
    fill_template,
    format_lines,
    format_reveal,
    rules_of,
    spoken_lines,
)
from webapp.study.models import Judge
from webapp.study.rating.rater_view import whole_talk

OPINIONS, HIGHLIGHTS = "opinions", "highlights"  # keys of a draw's values
STORED_SCORE_DIGITS = 4  # digits of a draw's score that are stored
LOW_TWIST, HIGH_TWIST = 1, 10  # ends of the scale of a sentence's twist (Humanized G.3)
SCORE_SCHEMA = object_schema(
    {"reason": {"type": "string"}, "score": {"type": "number", "minimum": LOW, "maximum": HIGH}}
)


def game_question(judge: Judge, game: Game, criterion: Criterion) -> JudgeQuestion:
    critic = fill_template(
        "paper",
        persona=judge.personas.get(criterion.key) or criterion.persona,
        label=criterion.label,
        question=criterion.question,
        low=criterion.low,
        high=criterion.high,
    )
    page = _with_reveal(game) if judge.mode == Judge.PAPER_REVEALED else _with_roles(game)

    def parse(text: str) -> JudgeReply:
        data = parse_object(text, SCORE_SCHEMA)
        score = parse_number(data.get("score"), "score", LOW, HIGH)
        values = {criterion.key: round(score, STORED_SCORE_DIGITS)}
        return values, parse_reason(data)

    return JudgeQuestion(build_messages(critic, page), SCORE_SCHEMA, parse)


def _with_roles(game: Game) -> str:
    """Return the game as mode PAPER shows it: rules, and talk with true roles."""
    talk, roles = talk_of(game), [row.role for row in reveal_of(game).rows]
    labels = {name: f"{name} ({role})" for name, role in zip(talk.names, roles, strict=True)}
    # Without `apart`: "has the last word, as Sheriff" reveals who won the election.
    labelled_lines = [
        replace(line, speaker=labels.get(line.speaker, ""), apart="") for line in spoken_lines(talk)
    ]
    return fill_template("paper_game", rules=rules_of(game), talk=format_lines(labelled_lines))


def _with_reveal(game: Game) -> str:
    """Return the game as mode PAPER_REVEALED shows it: everything, with the outcome."""
    talk = format_lines(whole_talk(talk_of(game)))
    return fill_template("game", deeds=format_reveal(reveal_of(game)), talk=talk)


def rounds_of(game: GameRecord) -> list[int]:
    """Return the numbers of the rounds with statements."""
    return sorted({statement.round for statement in game.statements})


def round_key(number: int) -> str:
    """Return the `dimension` of the draws about a round."""
    return f"{VARIATION}-{number}"


def opinions_question(judge: Judge, game: Game, number: int) -> JudgeQuestion:
    """Build the question for a round's opinions: who says of whom which role they have."""
    game_record, names = load_record(game), _player_names(game)
    roles = [role.key for role in rulesets.get(game.ruleset).roles]
    player = _enum_schema(names)
    fields = {"speaker": player, "target": player, "role": _enum_schema(roles)}
    schema = _list_schema(OPINIONS, fields)
    round_statements = [s for s in game_record.statements if s.round == number]
    talk = "\n".join(f"{s.speaker}: {quote_text(s.text)}" for s in round_statements)
    page = fill_template("lists_round", rules=rules_of(game), talk=talk, roles=", ".join(roles))

    def parse(text: str) -> JudgeReply:
        rows = _parse_list(text, schema, OPINIONS)
        speakers = {s.speaker for s in round_statements}
        if silent_speakers := [r["speaker"] for r in rows if r["speaker"] not in speakers]:
            raise unusable_error(f"{silent_speakers[0]} says nothing in this round")
        opinions = [[names.index(r["speaker"]) + 1, names.index(r["target"]) + 1, r["role"]]
                    for r in rows]  # fmt: skip
        return {OPINIONS: opinions}, ""

    return JudgeQuestion(_list_messages(judge, VARIATION, page), schema, parse)


def highlights_question(judge: Judge, game: Game) -> JudgeQuestion:
    """Build the question for the most memorable sentences of a game."""
    game_record, names = load_record(game), _player_names(game)
    twist = {"type": "number", "minimum": LOW_TWIST, "maximum": HIGH_TWIST}
    fields = {"speaker": _enum_schema(names), "sentence": {"type": "string"}, "twist": twist}
    schema = _list_schema(HIGHLIGHTS, fields)
    talk = "\n".join(
        f"{s.speaker} ({game_record.roles[s.seat]}): {quote_text(s.text)}"
        for s in game_record.statements
    )
    page = fill_template(
        "lists_game", rules=rules_of(game), talk=talk, top=str(MAX_SENTENCES_PER_DRAW)
    )

    def parse(text: str) -> JudgeReply:
        rows = _parse_list(text, schema, HIGHLIGHTS)
        if not 1 <= len(rows) <= MAX_SENTENCES_PER_DRAW:
            raise unusable_error(f"the list must have 1 to {MAX_SENTENCES_PER_DRAW} sentences")
        highlights = [
            Highlight(
                names.index(r["speaker"]) + 1,
                str(r["sentence"]),
                parse_number(r["twist"], "twist", LOW_TWIST, HIGH_TWIST),
            )
            for r in rows
        ]
        try:
            for highlight in highlights:
                check_spoken(highlight, game_record)
        except NotSpoken as error:
            raise unusable_error(str(error)) from None
        # The sentences are players' text, so they are not stored.
        return {HIGHLIGHTS: [[h.seat, h.twist] for h in highlights]}, ""

    return JudgeQuestion(_list_messages(judge, MEMORABILITY, page), schema, parse)


def _player_names(game: Game) -> list[str]:
    return list(game.players.order_by("seat").values_list("name", flat=True))


def _enum_schema(values: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _list_schema(key: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    item = object_schema(properties)
    return object_schema({key: {"type": "array", "items": item}})


def _parse_list(text: str, schema: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the list of a reply. Raise BackendError if it or an entry is invalid."""
    rows = parse_object(text, schema).get(key)
    if not isinstance(rows, list):
        raise unusable_error(f"the answer has no list “{key}”")
    properties = schema["properties"][key]["items"]["properties"]
    for row in rows:
        for name, field_schema in properties.items():
            value = row.get(name) if isinstance(row, Mapping) else None
            if value is None or ("enum" in field_schema and value not in field_schema["enum"]):
                allowed = f": {', '.join(field_schema['enum'])}" if "enum" in field_schema else ""
                raise unusable_error(f"every entry needs a “{name}”{allowed}")
    return rows


def _list_messages(judge: Judge, key: str, page: str) -> Messages:
    """Return the prompt about the `page` to the critic of one of LIST_CRITERIA."""
    criterion = next(criterion for criterion in LIST_CRITERIA if criterion.key == key)
    persona = judge.personas.get(criterion.key) or criterion.persona
    system = fill_template(
        "lists", persona=persona, label=criterion.label, question=criterion.question
    )
    return build_messages(system, page)
