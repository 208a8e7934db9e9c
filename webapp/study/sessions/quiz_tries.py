"""The quiz on the rules: a participant's questions, answers and tries.

A try is one set of answers. Each has other questions while there are any, because a wrong answer
reveals the right one. A try is counted once, even if the page is reloaded or sent twice. Choices of
the next try are stored as they are made. If the time ends first, they count as a try.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from game.engine.seeded_random import SeededRandom
from webapp.study.design.exits import ExitKind
from webapp.study.design.rules_text import RuleQuestion, quiz_bank
from webapp.study.design.stages import Quiz, RulesStage
from webapp.study.models import Participant, Response
from webapp.study.sessions import participant_steps, responses
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.participant_steps import Step

INSTRUMENT = "rules-quiz"  # of the responses; their `moment` is "try-1" …
PASSED, FAILED, OPEN = "passed", "failed", "open"  # results of a try
# A participant who fails before any of these stages has contributed nothing yet.
CONTRIBUTING_STAGES = {"game", "questionnaire", "ratings", "interview"}


@dataclass(frozen=True)
class JudgedAnswer:
    """A question of an earlier try with its answer."""

    question: RuleQuestion
    is_yes: bool

    @property
    def is_right(self) -> bool:
        return self.is_yes == self.question.is_true


def quiz_of(step: Step) -> Quiz:
    assert isinstance(step.stage, RulesStage)
    return step.stage.quiz


def next_questions(participant: Participant, step: Step) -> list[RuleQuestion]:
    """Return the questions of the next try, [] if there is no quiz or no try is left."""
    if participant.quiz_tries >= quiz_of(step).tries:
        return []
    return _draw_questions(participant, step, participant.quiz_tries)


def last_try(participant: Participant, step: Step) -> list[JudgedAnswer]:
    """Return the questions and answers of the last try, in the order asked."""
    if not participant.quiz_tries:
        return []
    rows = Response.objects.filter(
        participant=participant,
        step=step.key,
        instrument=INSTRUMENT,
        moment=_try_moment(participant.quiz_tries - 1),
    )
    choices = dict(rows.values_list("item", "choice"))
    questions = _draw_questions(participant, step, participant.quiz_tries - 1)
    return [JudgedAnswer(q, choices[q.key] == "yes") for q in questions if choices.get(q.key)]


def stored_choices(participant: Participant, step: Step) -> responses.StoredAnswers:
    """Return the choices made so far for the next try, each "yes" or "no"."""
    return responses.stored_answers(participant, step, _try_moment(participant.quiz_tries))


def store_choices(
    participant: Participant,
    step: Step,
    tried: int,
    chosen: Mapping[str, bool],
    *,
    revision: int,
    page_id: str,
    is_final: bool,
) -> int:
    """Store the choices made so far for the next try, and return their revision.

    The arguments are those of `take_try` and `responses.save_answers`.

    Raises:
        Stale: Newer choices are stored.
        StepChanged: That try has been taken since.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        questions = next_questions(row, step)
        if row.quiz_tries != tried or not questions:
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
            moment=_try_moment(tried),
        )


def can_continue(participant: Participant, step: Step) -> bool:
    """Return whether the participant may go on without a passed quiz.

    They may if there is no quiz, or if no try is left and the study lets such participants go on.
    """
    quiz = quiz_of(step)
    if not _draw_questions(participant, step, 0):
        return True
    return participant.quiz_tries >= quiz.tries and quiz.then == "go_on"


def take_try(participant: Participant, step: Step, tried: int, answers: Mapping[str, bool]) -> str:
    """Take a try, once. See `lifecycle.answer_quiz`.

    Returns:
        PASSED, FAILED (no try is left, and the participant has to leave) or OPEN; "" if no try was
        counted.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        questions = next_questions(row, step)
        if row.exit or row.step != step.index or row.quiz_tries != tried or not questions:
            return ""
        row.quiz_tries += 1
        row.save(update_fields=["quiz_tries"])
        _store_try(row, step, questions, answers)
    if all(answers[q.key] == q.is_true for q in questions):
        return PASSED
    quiz = quiz_of(step)
    return FAILED if row.quiz_tries >= quiz.tries and quiz.then == "out" else OPEN


def failure_exit(participant: Participant, step: Step) -> ExitKind:
    """Return the exit of a participant who failed: `quiz_early` if they gave no data before."""
    earlier_kinds = {s.kind for s in participant_steps.list_steps(participant)[: step.index]}
    return "quiz_failed" if earlier_kinds & CONTRIBUTING_STAGES else "quiz_early"


def expire_quiz(participant: Participant, step: Step) -> ExitKind | None:
    """Take the choices made so far as a try, because the time for the rules is over.

    The caller holds the row.

    Returns:
        The exit if the participant has failed and has to leave, else None.
    """
    if _count_typed_try(participant, step) or can_continue(participant, step):
        return None
    return failure_exit(participant, step) if quiz_of(step).then == "out" else None


def _count_typed_try(row: Participant, step: Step) -> bool:
    """Count the stored choices as a try if none is missing. Return whether all are right."""
    typed_answers = stored_choices(row, step).answers
    numbers = [
        typed_answers.get((INSTRUMENT, q.key, 0), Answer()).number
        for q in next_questions(row, step)
    ]
    if not numbers or None in numbers:
        return False
    row.quiz_tries += 1
    row.save(update_fields=["quiz_tries"])
    return all(numbers)


def _try_moment(tried: int) -> str:
    return f"try-{tried + 1}"


def _build_answer(question: RuleQuestion, answer: bool) -> Answer:
    return Answer(number=float(answer == question.is_true), choice="yes" if answer else "no")


def _draw_questions(participant: Participant, step: Step, number: int) -> list[RuleQuestion]:
    """Return the questions of try `number` (0…), from an order drawn for the participant."""
    all_questions = quiz_bank(participant.study)
    count = min(quiz_of(step).questions, len(all_questions))
    order = SeededRandom(participant.study.seed).shuffled(
        f"quiz/{participant.pseudonym}", all_questions
    )
    return [order[(number * count + i) % len(order)] for i in range(count)]


def _store_try(
    row: Participant, step: Step, questions: Sequence[RuleQuestion], chosen: Mapping[str, bool]
) -> None:
    answers = {(INSTRUMENT, q.key, 0): _build_answer(q, chosen[q.key]) for q in questions}
    moment = _try_moment(row.quiz_tries - 1)
    # Choices that another page has stored meanwhile never count as newer than this submission.
    revision = responses.stored_answers(row, step, moment).revision
    responses.save_answers(row, step, answers, revision=revision, moment=moment)
    rows = row.responses.filter(step=step.key, moment=moment)
    rows.update(state=Response.GIVEN)  # unchanged rows as well
