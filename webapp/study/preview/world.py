"""Builds the made-up participant of a preview, with their past, in a transaction to roll back."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game import cached_games
from game.models import Game
from webapp.study.design.conditions import build_conditions
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import QUESTION_KINDS, Design, RatingsStage
from webapp.study.models import Condition, Participant, Rater, Response, Seating, Slot, Study
from webapp.study.planning import table_checks
from webapp.study.preview import made_up_data
from webapp.study.preview.positions import (
    ANSWER_FIELDS,
    EXITS_WITHOUT_PARTICIPANT,
    PREVIEW_KEY,
    Position,
    answer_values,
)
from webapp.study.rating import effort
from webapp.study.sessions import (
    lifecycle,
    participant_state,
    practice,
    question_checks,
    questions,
    slot_games,
)
from webapp.study.sessions.participant_state import GAME, WAITING, Step
from webapp.study.sessions.practice import PRACTICE
from webapp.study.sessions.questions import ItemQuestion, Sheet
from webapp.study.sessions.responses import Answer

OFFER_DURATION = timedelta(minutes=1)  # an offer must last longer than a request


@contextmanager
def roll_back_everything() -> Iterator[None]:
    """Roll back everything that the block writes, and clear this process's caches of it."""
    try:
        with cached_games.cache_uncommitted(), transaction.atomic():
            try:
                yield
            finally:
                transaction.set_rollback(True)
    finally:
        effort.forget_minutes()


@dataclass
class World:
    """The made-up participant at a position. It exists only inside `roll_back_everything`."""

    position: Position
    step: Step
    participant: Participant
    game: Game | None = None  # game that the participant plays or has played, None for none
    rater: Rater | None = None  # the participant as a rater, None if they do not rate
    has_later_moments: bool = False  # the game continues after the position

    def reload_participant(self) -> Participant:
        """Return the participant's current row."""
        return Participant.objects.select_related("study").get(pk=self.participant.pk)

    def position_after(self, *, has_answered: bool) -> Position:
        """Return the position to which the request has led, which may have answered a question."""
        row = self.reload_participant()
        seated = row.seatings.filter(state=Seating.SEATED).last()
        if seated and participant_state.current_step(row).kind == WAITING:
            slot_games.sync_step(seated)  # otherwise done after the commit, which never comes
            row = self.reload_participant()
        step = participant_state.current_step(row)
        moment = self.position.moment + has_answered if step == self.step else 0
        if step.kind in QUESTION_KINDS:
            moment = questions.current_page(row, step)
        rater = Rater.objects.filter(participant=row).first()
        return replace(
            self.position,
            step=step.index,
            moment=moment,
            exit=row.exit,  # type: ignore[arg-type]
            tries=row.quiz_tries,
            is_trained=bool(rater and rater.trained_at),
            has_withdrawn=row.withdrew,
            answers=[answer_values(answer) for answer in row.responses.order_by("pk")],
        )

    @property
    def last_page(self) -> int:
        """Index of the last page of the step's questionnaire, 0 without one."""
        if self.step.kind not in QUESTION_KINDS:
            return 0
        return len(_question_pages(self.participant, self.step)) - 1


def _question_pages(participant: Participant, step: Step) -> list[list[Sheet]]:
    return questions.StepQuestions(participant, step).build_pages()


def build_world(study: Study, position: Position) -> World:
    """Make up the participant at the position, with their past. Refuse a design with errors."""
    design = Design.from_json(study.design)
    _check_design(design)
    steps = participant_state.route(design)
    step = steps[min(position.step, len(steps) - 1)]
    Study.objects.filter(pk=study.pk).update(state=Study.OPEN)
    study = Study.objects.select_related("owner").get(pk=study.pk)
    condition = _store_conditions(study, design, position.condition)
    participant = _make_participant(study, step, position)
    world = World(position, step, participant)
    if not study.rates_only:
        _make_games(world, condition, steps)
    _store_answers(participant, position.answers)
    _make_up_missing_answers(participant, steps[: step.index + 1], position.moment)
    _make_ratings(world, study, condition, steps)
    if position.exit and position.exit not in EXITS_WITHOUT_PARTICIPANT:
        lifecycle.leave_by(participant, position.exit)
    world.participant = world.reload_participant()
    return world


def _check_design(design: Design) -> None:
    """Raise `Refused` if tables or questions of the design have errors."""
    errors = [] if design.rates_only else table_checks.find_errors(build_conditions(design))
    errors += [
        error for stage in design.stages for error in question_checks.find_instrument_errors(stage)
    ]
    if errors:
        raise Refused(errors)


def _store_conditions(study: Study, design: Design, index: int) -> Condition:
    """Store all conditions, because rules and quiz depend on their tables. Return one of them."""
    for plan in build_conditions(design):
        data = {"name": plan.name, "levels": dict(plan.levels), "table": plan.table.to_json()}
        study.conditions.get_or_create(index=plan.index, defaults=data)
    return study.conditions.filter(index=index).first() or study.conditions.get(index=1)


def _make_participant(study: Study, step: Step, position: Position) -> Participant:
    now, moment = timezone.now(), position.moment
    has_consented = bool(step.index or position.exit)
    row = Participant(
        study=study,
        key=PREVIEW_KEY,
        pseudonym=PREVIEW_KEY,
        invited=True,
        visitor=uuid.uuid4() if has_consented else None,
        consented_at=now if has_consented else None,
        step=step.index,
        step_at=now,
        seen_at=now,
        input_at=now,
        quiz_tries=position.tries,
        withdrew=position.has_withdrawn,
        visits=[{"step": step.key, "came": now.isoformat(), "went": None, "by": ""}],
    )
    if step.kind in QUESTION_KINDS:
        row.item_layouts = {step.key: {questions.PAGE_KEY: moment}}
    if limit := participant_state.time_limit(row, step):
        row.due_at = now + limit
    row.save()
    return row


def _make_games(world: World, condition: Condition, steps: Sequence[Step]) -> None:
    """Make up the participant's current game, or the last one that they have played."""
    # At later steps only its seats matter, except in a debriefing, which shows its end.
    step, position, participant = world.step, world.position, world.participant
    slot = made_up_data.create_slot(participant.study, condition, step.game)
    if step.kind == PRACTICE and position.moment:
        assert participant.visitor
        world.game = practice.begin_practice(participant, step, participant.visitor)
        assert world.game
        seat = world.game.players.get(kind="person").seat
        world.has_later_moments = made_up_data.play_until(world.game, seat, position.moment - 1)
        return
    if step.kind == WAITING:
        _offer_seats(world, slot)
        return
    played_games = [s.game for s in steps[: step.index + 1] if s.kind == GAME]
    if not played_games or not participant.consented_at:
        return
    people = made_up_data.seat_participants(slot, participant, played_games[-1])
    world.game = made_up_data.begin_game(slot, people)
    if step.kind == GAME:
        own_seat, moment = slot.seats[0], position.moment
        world.has_later_moments = made_up_data.play_until(world.game, own_seat, moment)
    elif step.kind == "debriefing":
        made_up_data.finish_game(slot)
    else:
        Slot.objects.filter(pk=slot.pk).update(state=Slot.DONE)


def _offer_seats(world: World, slot: Slot) -> None:
    """Offer the participant a seat that all others have confirmed, from SEAT_OFFERED on."""
    if not world.position.moment:
        return
    until = timezone.now() + OFFER_DURATION
    made_up_data.seat_participants(slot, world.participant, world.step.game)
    slot.seatings.update(state=Seating.READY, held_until=until)
    world.participant.seatings.update(state=Seating.HELD)
    slot.state = Slot.FILLING
    slot.save(update_fields=["state"])


def _make_ratings(world: World, study: Study, condition: Condition, steps: Sequence[Step]) -> None:
    """Open the campaign of the step, and make the participant a rater."""
    stage = world.step.stage
    if study.rates_only:
        stage = next(s.stage for s in steps if s.kind == "ratings")
    if not isinstance(stage, RatingsStage) or world.position.exit:
        return
    campaign = made_up_data.open_campaign(study, stage, condition)
    is_rater = world.step.kind == "ratings" and (world.position.moment or study.rates_only)
    if is_rater:
        world.rater = made_up_data.prepare_rater(
            world.participant, campaign, is_trained=world.position.is_trained
        )


def _make_up_answer(question: ItemQuestion) -> Answer:
    """Return an answer that the question accepts: the middle of a scale, the first option."""
    item = question.item
    middle = (item.min + item.max) // 2
    first = question.options[0].key if question.options else None
    if item.answer == "text":
        return Answer(text=_("A sample answer.")[: item.longest])
    if item.answer in ("scale", "slider", "number"):
        return Answer(number=middle)
    if item.answer == "many":
        return Answer(choice=[first] if first else None)
    if item.is_guess:
        return Answer(choice=first, number=middle)
    return Answer(choice=first) if item.answer == "one" else Answer()


def _store_answers(participant: Participant, rows: Sequence[Sequence[object]]) -> None:
    """Store answers, each with the values of `positions.ANSWER_FIELDS`."""
    Response.objects.bulk_create(
        Response(participant=participant, revision=1, **dict(zip(ANSWER_FIELDS, row, strict=True)))
        for row in rows
    )


def _make_up_missing_answers(participant: Participant, steps: Sequence[Step], page: int) -> None:
    """Make up and store the answers before the `page` of the last of the steps."""
    current = steps[-1]
    for step in steps:
        has_answers = participant.responses.filter(step=step.key).exists()
        if step.kind not in QUESTION_KINDS or has_answers:
            continue
        pages = _question_pages(participant, step)
        answers = {
            question.response_key: _make_up_answer(question)
            for sheets in (pages[:page] if step == current else pages)
            for question in questions.list_questions(sheets)
        }
        rows = [
            (step.key, "", *key, answer.number, answer.text, answer.choice)
            for key, answer in answers.items()
            if answer
        ]
        _store_answers(participant, rows)
