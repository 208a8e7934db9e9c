"""A whole game put to one of the paper's critics: all the talk, the true roles, one score."""

from __future__ import annotations

from game.models import Game
from webapp.study.game_reveal import reveal_of
from webapp.study.judging import replies
from webapp.study.judging.criteria import HIGH, LOW, Criterion
from webapp.study.judging.prompts import filled
from webapp.study.judging.questions import Question, Values
from webapp.study.judging.told_games import deeds, lines
from webapp.study.models import Judge
from webapp.study.public_talk import talk_of
from webapp.study.rater_view import whole_talk

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "number", "minimum": LOW, "maximum": HIGH},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}


def of_game(judge: Judge, game: Game, criterion: Criterion) -> Question:
    """The game, put to the critic of one criterion."""
    critic = filled(
        "paper",
        persona=judge.personas.get(criterion.key) or criterion.persona,
        label=criterion.label,
        question=criterion.question,
        low=criterion.low,
        high=criterion.high,
    )
    talk = lines(whole_talk(talk_of(game)))
    page = filled("game", deeds=deeds(reveal_of(game)), talk=talk)
    told = [{"role": "system", "content": critic}, {"role": "user", "content": page}]

    def read(text: str) -> tuple[Values, str]:
        data = replies.object_of(text, SCHEMA)
        score = replies.number_of(data.get("score"), "score", LOW, HIGH)
        return {criterion.key: round(score, 4)}, replies.reason_of(data)

    return Question(told, SCHEMA, read)
