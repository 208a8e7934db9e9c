"""The quiz on the rating task, between the example and the first page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from webapp.study.models import Rater
from webapp.study.sessions import lifecycle


@dataclass(frozen=True)
class QuizAnswer:
    """A question with its answer."""

    name: str  # name of the form field
    text: str
    options: tuple[str, ...]
    chosen: int | None  # index of the chosen option, None without an answer
    is_wrong: bool  # the page marks the answer as wrong


def list_answers(rater: Rater, posted: Mapping[str, str], *, is_judged: bool) -> list[QuizAnswer]:
    """Return all questions with the posted answers. `is_judged` marks the wrong ones."""
    answers = []
    for number, question in enumerate(rater.campaign.quiz.get("questions", ())):
        name, options = f"q{number}", tuple(question["options"])
        options_by_value = {str(index): index for index in range(len(options))}
        chosen = options_by_value.get(posted.get(name, ""))
        is_wrong = is_judged and chosen is not None and chosen != question["right"]
        answers.append(QuizAnswer(name, question["text"], options, chosen, is_wrong))
    return answers


def tries_left(rater: Rater) -> int:
    return max(0, int(rater.campaign.quiz.get("tries", 1)) - rater.quiz_tries)


def take_quiz(rater: Rater, answers: list[QuizAnswer], earlier_tries: str) -> bool:
    """Complete the quiz, or count a wrong try. Return whether all answers are right.

    After the last wrong try the rater is screened out. `earlier_tries` is their number when the
    page was rendered, as posted. If the stored number differs, this try has been counted already.
    """
    if not any(answer.is_wrong for answer in answers):
        mark_trained(rater)
        return True
    with transaction.atomic():
        row = Rater.objects.select_for_update(of=("self",)).get(pk=rater.pk)
        if str(row.quiz_tries) == earlier_tries and not row.trained_at:
            row.quiz_tries += 1
            if row.quiz_tries >= rater.campaign.quiz["tries"]:
                row.screened_out_at = timezone.now()
            row.save(update_fields=["quiz_tries", "screened_out_at"])
    rater.refresh_from_db(fields=["quiz_tries", "screened_out_at"])
    participant = rater.participant
    if rater.screened_out_at and participant and participant.study.rates_only:
        lifecycle.leave_by(participant, "quiz_failed", reason=f"tries: {rater.quiz_tries}")
    return False


def mark_trained(rater: Rater) -> None:
    """Record that the rater has finished the example, and the quiz if there is one."""
    if not rater.trained_at and not rater.screened_out_at:
        rater.trained_at = timezone.now()
        rater.save(update_fields=["trained_at"])
