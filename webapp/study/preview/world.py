"""The made-up participant of a preview, in a transaction that is rolled back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from game import cached_games
from game.models import Game
from webapp.study.design.conditions import build_conditions
from webapp.study.design.stages import Design, RatingsStage
from webapp.study.design.value_checks import Refused
from webapp.study.models import Condition, Participant, Rater, Seating, Slot, Study
from webapp.study.planning import table_checks
from webapp.study.preview import made_up_games, made_up_ratings
from webapp.study.preview.made_up_answers import answer_earlier, store_answers
from webapp.study.preview.positions import ASKING, KEY, WITHOUT_PERSON, Position, answer_row
from webapp.study.rating import effort
from webapp.study.sessions import (
    lifecycle,
    participant_steps,
    practice,
    questions,
    slot_games,
)
from webapp.study.sessions.participant_steps import WAITING, Step
from webapp.study.sessions.practice import PRACTICE


@contextmanager
def nothing_stored() -> Iterator[None]:
    """Roll back whatever the block writes, and forget what this process has cached of it."""
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
    """A participant at a position. game: of the table at which they are, if any.

    goes_on: whether the game has later moments. Only inside `nothing_stored`.
    """

    position: Position
    step: Step
    participant: Participant
    game: Game | None = None
    rater: Rater | None = None
    goes_on: bool = False

    def refreshed(self) -> Participant:
        """Return the participant as they are now."""
        return Participant.objects.select_related("study").get(pk=self.participant.pk)

    def position_after(self, *, plays_on: bool = False) -> Position:
        """Return the position that the last request has led to.

        plays_on: the request has answered a question of the game.
        """
        row = self.refreshed()
        seated = row.seatings.filter(state=Seating.SEATED).last()
        if seated and participant_steps.step_of(row).kind == WAITING:
            slot_games.sync_step(seated)  # as happens after the commit
            row = self.refreshed()
        step = participant_steps.step_of(row)
        moment = self.position.moment + plays_on if step == self.step else 0
        if step.kind in ASKING:
            moment = questions.current_page(row, step)
        rater = Rater.objects.filter(participant=row).first()
        return replace(
            self.position,
            step=step.index,
            moment=moment,
            exit=row.exit,  # type: ignore[arg-type]
            tries=row.quiz_tries,
            trained=bool(rater and rater.trained_at),
            withdrew=row.withdrew,
            answers=[answer_row(one) for one in row.responses.order_by("pk")],
        )

    @property
    def last_page(self) -> int:
        """The number, from 0, of the last page of the step's questionnaire."""
        if self.step.kind not in ASKING:
            return 0
        seating = questions.seating_at(self.participant, self.step)
        sheets = questions.build_sheets(self.participant, self.step, seating)
        return len(questions.build_pages(self.participant, self.step, sheets)) - 1


def build_world(study: Study, position: Position) -> World:
    """Make up the participant at the position, and what they have done until then.

    Raises Refused if the design has a fault that prevents it.
    """
    design = Design.of(study.design)
    _check(design)
    steps = participant_steps.route(design)
    step = steps[min(position.step, len(steps) - 1)]
    Study.objects.filter(pk=study.pk).update(state=Study.OPEN)
    study = Study.objects.select_related("owner").get(pk=study.pk)
    condition = _store_conditions(study, design, position.condition)
    participant = _make_participant(study, step, position)
    world = World(position, step, participant)
    if not study.rates_only:
        _make_games(world, condition, steps)
    store_answers(participant, position.answers)
    answer_earlier(participant, steps[: step.index + 1], position.moment)
    _make_ratings(world, study, condition, steps)
    if position.exit and position.exit not in WITHOUT_PERSON:
        lifecycle.leave_by(participant, position.exit)
    world.participant = world.refreshed()
    return world


def _check(design: Design) -> None:
    """Raise Refused if the tables or the questions are faulty."""
    faults = [] if design.rates_only else table_checks.find_errors(build_conditions(design))
    faults += [
        fault for stage in design.stages for fault in questions.find_instrument_errors(stage)
    ]
    if faults:
        raise Refused(faults)


def _store_conditions(study: Study, design: Design, index: int) -> Condition:
    """Store all conditions, because rules and quiz are of all their tables. Return one."""
    rows = {}
    for plan in build_conditions(design):
        data = {"name": plan.name, "levels": dict(plan.levels), "table": plan.table.data()}
        rows[plan.index], _new = Condition.objects.get_or_create(
            study=study, index=plan.index, defaults=data
        )
    return rows.get(index) or rows[1]


def _make_participant(study: Study, step: Step, position: Position) -> Participant:
    now, moment = timezone.now(), position.moment
    agreed = bool(step.index or position.exit)
    row = Participant(
        study=study,
        key=KEY,
        pseudonym=KEY,
        invited=True,
        visitor=uuid.uuid4() if agreed else None,
        consented_at=now if agreed else None,
        step=step.index,
        step_at=now,
        seen_at=now,
        input_at=now,
        quiz_tries=position.tries,
        withdrew=position.withdrew,
        visits=[{"step": step.key, "came": now.isoformat(), "went": None, "by": ""}],
    )
    if step.kind in ASKING:
        row.shown = {step.key: {questions.PAGE_KEY: moment}}
    if limit := participant_steps.time_limit(row, step):
        row.due_at = now + limit
    row.save()
    return row


def _make_games(world: World, condition: Condition, steps: Sequence[Step]) -> None:
    """Make the game at which the participant is, or the last one that they have played."""
    step, position, participant = world.step, world.position, world.participant
    slot = made_up_games.make_slot(participant.study, condition, step.game)
    if step.kind == PRACTICE and position.moment:
        assert participant.visitor
        world.game = practice.begin_practice(participant, step, participant.visitor)
        assert world.game
        seat = world.game.players.get(kind="person").seat
        world.goes_on = made_up_games.play(world.game, seat, position.moment - 1)
        return
    if step.kind == WAITING:
        _offer_seats(world, slot)
        return
    played = [s.game for s in steps[: step.index + 1] if s.kind == "game"]
    if not played or not participant.consented_at:
        return
    people = made_up_games.seat_people(slot, participant, played[-1])
    world.game = made_up_games.begin_game(slot, people)
    if step.kind == "game":
        world.goes_on = made_up_games.play(world.game, slot.seats[0], position.moment)
    elif step.kind == "debriefing":  # it shows how the game has ended
        made_up_games.finish(slot)
    else:
        Slot.objects.filter(pk=slot.pk).update(state=Slot.DONE)


def _offer_seats(world: World, slot: Slot) -> None:
    """Ask the participant whether they are ready, except at the first moment of the step."""
    if not world.position.moment:
        return
    until = timezone.now() + timedelta(minutes=1)
    made_up_games.seat_people(slot, world.participant, world.step.game)
    slot.seatings.update(state=Seating.READY, held_until=until)
    world.participant.seatings.update(state=Seating.HELD)
    slot.state = Slot.FILLING
    slot.save(update_fields=["state"])


def _make_ratings(world: World, study: Study, condition: Condition, steps: Sequence[Step]) -> None:
    stage = world.step.stage
    if study.rates_only:
        stage = next(s.stage for s in steps if s.kind == "ratings")
    if not isinstance(stage, RatingsStage) or world.position.exit:
        return
    campaign = made_up_ratings.open_campaign(study, stage, condition)
    rates = world.step.kind == "ratings" and (world.position.moment or study.rates_only)
    if rates:
        world.rater = made_up_ratings.make_rater(
            world.participant, campaign, trained=world.position.trained
        )
