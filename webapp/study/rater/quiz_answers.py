"""The quiz on the task: taken after the example, passed before the first page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from webapp.study.models import Rater
from webapp.study.sessions import lifecycle


@dataclass(frozen=True)
class QuizAnswer:
    """A question as the page shows it. chosen: the option's number, None before an answer."""

    name: str
    text: str
    options: tuple[str, ...]
    chosen: int | None
    wrong: bool


def list_answers(rater: Rater, posted: Mapping[str, str], *, judged: bool) -> list[QuizAnswer]:
    """Return all questions with the chosen answers. judged: mark the wrong ones."""
    quiz_answers = []
    for number, question in enumerate(rater.campaign.quiz.get("questions", ())):
        name = f"q{number}"
        text = posted.get(name, "")
        fits = text.isascii() and text.isdecimal() and int(text) < len(question["options"])
        chosen = int(text) if fits else None
        wrong = judged and chosen is not None and chosen != question["right"]
        quiz_answers.append(
            QuizAnswer(name, question["text"], tuple(question["options"]), chosen, wrong)
        )
    return quiz_answers


def tries_left(rater: Rater) -> int:
    return max(0, int(rater.campaign.quiz.get("tries", 1)) - rater.quiz_tries)


def take_quiz(rater: Rater, questions: list[QuizAnswer], tried: str) -> bool:
    """Take answers to all questions. Return whether all are right.

    After the last wrong try the rater is screened out. tried: the number of tries that the page
    knew of. A different number means that this try has been counted already.
    """
    if not any(question.wrong for question in questions):
        mark_trained(rater)
        return True
    with transaction.atomic():
        row = Rater.objects.select_for_update(of=("self",)).get(pk=rater.pk)
        if str(row.quiz_tries) == tried and not row.trained_at:
            row.quiz_tries += 1
            if row.quiz_tries >= rater.campaign.quiz["tries"]:
                row.screened_out_at = timezone.now()
            row.save(update_fields=["quiz_tries", "screened_out_at"])
    rater.refresh_from_db(fields=["quiz_tries", "screened_out_at"])
    person = rater.participant
    if rater.screened_out_at and person and person.study.rates_only:
        lifecycle.leave_by(person, "quiz_failed", reason=f"tries: {rater.quiz_tries}")
    return False


def mark_trained(rater: Rater) -> None:
    """Record that the rater has finished the example, and the quiz if there is one."""
    if not rater.trained_at and not rater.screened_out_at:
        rater.trained_at = timezone.now()
        rater.save(update_fields=["trained_at"])
