"""The page of the rules stage: the rules of the study's game, and the quiz on them."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import get_random_string

from webapp.storable_text import read_number
from webapp.study.design import rules_text
from webapp.study.participant import stage_pages
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import lifecycle, quiz_tries
from webapp.study.sessions.responses import Stale, StepChanged, StoredAnswers

SAVE, CONTINUE, SUBMIT_TRY = "save", "on", "quiz"  # values of `Visit.action`
YES, NO = "yes", "no"  # posted answers


class RulesPage(StagePage):
    """Shows the rules first, then the questions (`?quiz=1`) below the collapsed rules.

    The form has, as `tried`, the number of tries before it was rendered. If another tab has taken
    the try since, the form is outdated: it is not stored, and the current quiz is shown.
    """

    kind = "rules"

    def show(self, visit: Visit) -> HttpResponse:
        has_begun_quiz = visit.request.GET.get("quiz") or visit.participant.quiz_tries
        stored = quiz_tries.stored_choices(visit.participant, visit.step)
        if has_begun_quiz or any(stored.answers.values()):
            return self._render_quiz(visit)
        count = len(quiz_tries.next_questions(visit.participant, visit.step))
        rules_pages = rules_text.build_rules(visit.participant.study)
        quiz = quiz_tries.quiz_of(visit.step)
        return visit.page("study/take/rules.html", games=rules_pages, count_asked=count, quiz=quiz)

    def post(self, visit: Visit) -> HttpResponse:
        if visit.action == SAVE:
            return self._save_choices(visit)
        if visit.action == CONTINUE and quiz_tries.can_continue(visit.participant, visit.step):
            return visit.advance()
        if visit.action == SUBMIT_TRY:
            return self._submit_try(visit)
        return redirect(_quiz_address(visit))

    def _save_choices(self, visit: Visit) -> HttpResponse:
        """Store the choices made so far, which a script posts (204).

        The response is a conflict (409) with the newer choices that another page has stored, or for
        an outdated form a redirection to the current quiz.
        """
        posted, participant = visit.request.POST, visit.participant
        if _is_outdated(visit):
            return redirect(_quiz_address(visit))
        questions = quiz_tries.next_questions(participant, visit.step)
        choices = {q.key: choice == YES for q in questions
                   if (choice := posted.get(q.key)) in (YES, NO)}  # fmt: skip
        try:
            revision = quiz_tries.store_choices(
                participant,
                visit.step,
                participant.quiz_tries,
                choices,
                revision=read_number(posted.get("revision", "")),
                page_id=posted.get("page", ""),
                is_final=visit.is_final,
            )
        except StepChanged:  # the form became outdated while this request waited for the lock
            return redirect(_quiz_address(visit))
        except Stale as stale:
            return stage_pages.conflict_response(stale.stored.revision, _post_values(stale.stored))
        return HttpResponse(status=204, headers={stage_pages.REVISION_HEADER: str(revision)})

    def _submit_try(self, visit: Visit) -> HttpResponse:
        """Take the posted answers as a try. If one is missing, show the quiz again (422)."""
        posted = visit.request.POST
        questions = quiz_tries.next_questions(visit.participant, visit.step)
        if _is_outdated(visit) or not questions:
            return redirect(_quiz_address(visit))
        if any(posted.get(q.key) not in (YES, NO) for q in questions):
            return self._render_quiz(visit, is_incomplete=True)
        choices = {q.key: posted[q.key] == YES for q in questions}
        lifecycle.answer_quiz(visit.participant, visit.step, visit.participant.quiz_tries, choices)
        return redirect(_quiz_address(visit))

    def _render_quiz(self, visit: Visit, *, is_incomplete: bool = False) -> HttpResponse:
        participant, step = visit.participant, visit.step
        quiz, stored = quiz_tries.quiz_of(step), quiz_tries.stored_choices(participant, step)
        stored_choices: Mapping[str, str] = {k: v for k, (v,) in _post_values(stored).items()}
        chosen = visit.request.POST if is_incomplete else stored_choices
        questions = quiz_tries.next_questions(participant, step)
        rows = [{"question": q, "chosen": chosen.get(q.key, "")} for q in questions]
        return visit.page(
            "study/take/quiz.html",
            text="",  # the page of the rules has shown the stage's text already
            status=422 if is_incomplete else 200,
            games=rules_text.build_rules(participant.study),
            rows=rows,
            keeps=bool(rows),
            revision=stored.revision,
            page=get_random_string(12),
            last_try=quiz_tries.last_try(participant, step),
            is_incomplete=is_incomplete,
            quiz=quiz,
            tries_left=quiz.tries - participant.quiz_tries,
        )


def _is_outdated(visit: Visit) -> bool:
    """Return whether the form's try has been taken since the form was rendered."""
    return visit.request.POST.get("tried", "") != str(visit.participant.quiz_tries)


def _post_values(stored: StoredAnswers) -> dict[str, list[str]]:
    """Return question's key -> [choice], as a form with these choices would post them."""
    return {key: [*answer.chosen] for (_i, key, _s), answer in stored.answers.items() if answer}


def _quiz_address(visit: Visit) -> str:
    return reverse("take:step", args=[visit.participant.key]) + "?quiz=1"
