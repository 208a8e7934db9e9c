"""The quiz on the rules: a participant's questions, answers and tries.

A try is one set of answers. The next try has other questions as long as there are any, because a
wrong answer reveals the right one. A try counts once, even if its page is submitted twice. Choices
for the next try are stored as they are made. If the time ends first, they count as a try.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from game.engine.seeded_random import SeededRandom
from webapp.study.design.exits import ExitKind
from webapp.study.design.rules_text import RuleQuestion, quiz_bank, table_designs
from webapp.study.design.stages import Quiz, RulesStage
from webapp.study.models import Participant, Response
from webapp.study.sessions import participant_state, responses
from webapp.study.sessions.participant_state import Step
from webapp.study.sessions.responses import Answer

INSTRUMENT = "rules-quiz"  # instrument of the responses to the quiz, whose `moment` is "try-1" …
PASSED, FAILED = "passed", "failed"  # results of a try
# Kinds of stages that give the study data.
CONTRIBUTING_STAGES = {"game", "questionnaire", "ratings", "interview"}


def quiz_of(step: Step) -> Quiz:
    assert isinstance(step.stage, RulesStage)
    return step.stage.quiz


def next_questions(participant: Participant, step: Step) -> list[RuleQuestion]:
    """Return the questions of the next try, [] if there is no quiz or no try is left."""
    if participant.quiz_tries >= quiz_of(step).tries:
        return []
    return _draw_questions(participant, step, participant.quiz_tries)


def last_try(participant: Participant, step: Step) -> list[dict[str, Any]]:
    """Return {"question", "is_right"} of each answer of the last try, in the order asked."""
    if not participant.quiz_tries:
        return []
    number = participant.quiz_tries - 1
    stored = responses.stored_answers(participant, step, _try_moment(number)).answers
    scores = {item: answer.number for (_instrument, item, _seat), answer in stored.items()}
    questions = _draw_questions(participant, step, number)
    rows = ({"question": q, "is_right": scores.get(q.key)} for q in questions)
    return [row for row in rows if row["is_right"] is not None]


def stored_choices(participant: Participant, step: Step) -> responses.StoredAnswers:
    """Return the choices made so far for the next try, with "yes" or "no" as choice."""
    return responses.stored_answers(participant, step, _try_moment(participant.quiz_tries))


def store_choices(
    participant: Participant,
    step: Step,
    earlier_tries: int,
    chosen: Mapping[str, bool],
    *,
    revision: int,
    page_id: str,
    is_final: bool,
) -> int:
    """Store the choices made so far for the next try, and return their revision.

    The arguments are those of `take_try` and `responses.save_answers`, and so are the errors:
    StepChanged means that the next try has been taken since.
    """
    with participant_state.locked_participant(participant) as row:
        questions = next_questions(row, step)
        if row.quiz_tries != earlier_tries or not questions:
            raise responses.StepChanged
        answers = {
            (INSTRUMENT, q.key, 0): _build_answer(q, chosen[q.key]) if q.key in chosen else Answer()
            for q in questions
        }
        return responses.save_answers(
            row,
            step,
            answers,
            revision=revision,
            page_id=page_id,
            is_final=is_final,
            moment=_try_moment(earlier_tries),
        )


def can_continue(participant: Participant, step: Step) -> bool:
    """Return whether there is no quiz, or no try is left and the study lets participants go on."""
    quiz = quiz_of(step)
    if not _draw_questions(participant, step, 0):
        return True
    return participant.quiz_tries >= quiz.tries and quiz.then == "go_on"


def take_try(
    participant: Participant, step: Step, earlier_tries: int, answers: Mapping[str, bool]
) -> str:
    """Take a try, once. `lifecycle.answer_quiz` describes the arguments.

    Return PASSED, FAILED (no try is left, and the participant has to leave), or "" if the
    participant stays at the quiz.
    """
    with participant_state.locked_participant(participant) as row:
        questions = next_questions(row, step)
        if row.exit or row.step != step.index or row.quiz_tries != earlier_tries or not questions:
            return ""
        row.quiz_tries += 1
        row.save(update_fields=["quiz_tries"])
        _store_try(row, step, questions, answers)
    if all(answers[q.key] == q.is_true for q in questions):
        return PASSED
    quiz = quiz_of(step)
    return FAILED if row.quiz_tries >= quiz.tries and quiz.then == "out" else ""


def failure_exit(participant: Participant, step: Step) -> ExitKind:
    """Return the exit of a participant who failed: `quiz_early` if they gave no data before."""
    earlier_kinds = {s.kind for s in participant_state.list_steps(participant)[: step.index]}
    return "quiz_failed" if earlier_kinds & CONTRIBUTING_STAGES else "quiz_early"


def expire_quiz(row: Participant, step: Step) -> ExitKind | None:
    """Count the choices made so far as a try if none is missing, because the time is over.

    The caller holds the row. Return the exit if the participant has failed and has to leave.
    """
    choices, questions = stored_choices(row, step).answers, next_questions(row, step)
    scores = [choices.get((INSTRUMENT, q.key, 0), Answer()).number for q in questions]
    is_passed = False
    if scores and None not in scores:
        row.quiz_tries += 1
        row.save(update_fields=["quiz_tries"])
        is_passed = all(scores)
    must_leave = quiz_of(step).then == "out" and not is_passed and not can_continue(row, step)
    return failure_exit(row, step) if must_leave else None


def _try_moment(number: int) -> str:
    return f"try-{number + 1}"


def _build_answer(question: RuleQuestion, is_yes: bool) -> Answer:
    """Return the answer as it is stored. Its number is 1 if it is right, else 0."""
    return Answer(number=float(is_yes == question.is_true), choice="yes" if is_yes else "no")


def _draw_questions(participant: Participant, step: Step, number: int) -> list[RuleQuestion]:
    """Return the questions of try `number` (0…). Their order is drawn for the participant."""
    all_questions = quiz_bank(table_designs(participant.study))
    count = min(quiz_of(step).questions, len(all_questions))
    random = SeededRandom(participant.study.seed)
    order = random.shuffled(f"quiz/{participant.pseudonym}", all_questions)
    return [order[(number * count + i) % len(order)] for i in range(count)]


def _store_try(
    row: Participant, step: Step, questions: Sequence[RuleQuestion], chosen: Mapping[str, bool]
) -> None:
    answers = {(INSTRUMENT, q.key, 0): _build_answer(q, chosen[q.key]) for q in questions}
    moment = _try_moment(row.quiz_tries - 1)
    # The newest revision, because choices that another page has stored must not prevent a try.
    revision = responses.stored_answers(row, step, moment).revision
    responses.save_answers(row, step, answers, revision=revision, moment=moment)
    # Also those that `save_answers` has not changed.
    row.responses.filter(step=step.key, moment=moment).update(state=Response.GIVEN)
