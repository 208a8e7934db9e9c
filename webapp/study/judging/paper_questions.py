"""Questions on a whole game to the paper's critics: talk and true roles, one score.

The critic of Humanized G.1 sees the rules, every statement with its speaker's true role, and the
steps of its judgement. Nights, votes, deaths and the winner are hidden, because a score based on
them would rate the outcome. In a game of several days it sees the day of each statement.
"""

from __future__ import annotations

from dataclasses import replace

from game.models import Game
from webapp.study.games.game_reveal import reveal_of
from webapp.study.games.public_talk import talk_of
from webapp.study.judging import replies
from webapp.study.judging.criteria import HIGH, LOW, Criterion
from webapp.study.judging.prompts import fill_template
from webapp.study.judging.questions import JudgeQuestion, Values
from webapp.study.judging.transcripts import format_lines, format_reveal, rules_of
from webapp.study.models import Judge
from webapp.study.rating.rater_view import spoken_lines, whole_talk

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "number", "minimum": LOW, "maximum": HIGH},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}


def game_question(judge: Judge, game: Game, criterion: Criterion) -> JudgeQuestion:
    """Build the question about a game to the critic of one criterion."""
    critic = fill_template(
        "paper",
        persona=judge.personas.get(criterion.key) or criterion.persona,
        label=criterion.label,
        question=criterion.question,
        low=criterion.low,
        high=criterion.high,
    )
    page = _with_reveal(game) if judge.mode == Judge.PAPER_REVEALED else _with_roles(game)
    prompt_messages = [{"role": "system", "content": critic}, {"role": "user", "content": page}]

    def read(text: str) -> tuple[Values, str]:
        data = replies.parse_object(text, SCHEMA)
        score = replies.parse_number(data.get("score"), "score", LOW, HIGH)
        return {criterion.key: round(score, 4)}, replies.parse_reason(data)

    return JudgeQuestion(prompt_messages, SCHEMA, read)


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
