"""What a preview shows: a made-up participant at a place, in a transaction that is rolled back."""

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
from webapp.study.models import Condition, Participant, Rater, Seating, Slot, Study
from webapp.study.preview import made_up_games, made_up_ratings
from webapp.study.preview.made_up_answers import answer_earlier, store_answers
from webapp.study.preview.places import ASKING, KEY, WITHOUT_PERSON, Place, answer_row
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

# Kinds of steps after a game that show how it ended.
SHOWS_ENDINGS = ("debriefing",)


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
    """A participant at a place. game: of the table at which they are, if any.

    goes_on: whether the game has later moments. Only inside `nothing_stored`.
    """

    place: Place
    step: Step
    participant: Participant
    game: Game | None = None
    rater: Rater | None = None
    goes_on: bool = False

    def refreshed(self) -> Participant:
        """Return the participant as they are now."""
        return Participant.objects.select_related("study").get(pk=self.participant.pk)

    def place_after(self, *, plays_on: bool = False) -> Place:
        """Return the place that the last request has led to.

        plays_on: the request has answered a question of the game.
        """
        row = self.refreshed()
        seated = row.seatings.filter(state=Seating.SEATED).last()
        if seated and participant_steps.step_of(row).kind == WAITING:
            slot_games.sync_step(seated)  # as happens after the commit
            row = self.refreshed()
        step = participant_steps.step_of(row)
        moment = self.place.moment + plays_on if step == self.step else 0
        if step.kind in ASKING:
            moment = questions.current_page(row, step)
        rater = Rater.objects.filter(participant=row).first()
        return replace(
            self.place,
            step=step.index,
            moment=moment,
            exit=row.exit,
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
        sheets = questions.sheets(self.participant, self.step, seating)
        return len(questions.pages(self.participant, self.step, sheets)) - 1


def build_world(study: Study, place: Place) -> World:
    """Make up the participant at the place, and what they have done until then.

    Raises Refused if the design has a fault that prevents it.
    """
    design = Design.of(study.design)
    steps = participant_steps.route(design)
    step = steps[min(place.step, len(steps) - 1)]
    Study.objects.filter(pk=study.pk).update(state=Study.OPEN)
    study = Study.objects.select_related("owner").get(pk=study.pk)
    condition = _store_conditions(study, design, place.condition)
    participant = _make_participant(study, step, place)
    world = World(place, step, participant)
    if not study.rates_only:
        _make_games(world, condition, steps)
    store_answers(participant, place.answers)
    answer_earlier(participant, steps[: step.index + 1], place.moment)
    _make_ratings(world, study, condition, steps)
    if place.exit and place.exit not in WITHOUT_PERSON:
        lifecycle.leave_by(participant, place.exit)
    world.participant = world.refreshed()
    return world


def _store_conditions(study: Study, design: Design, index: int) -> Condition:
    """Store all conditions, because rules and quiz are of all their tables. Return one."""
    rows = {}
    for plan in build_conditions(design):
        data = {"name": plan.name, "levels": dict(plan.levels), "table": plan.table.data()}
        rows[plan.index], _new = Condition.objects.get_or_create(
            study=study, index=plan.index, defaults=data
        )
    return rows.get(index) or rows[1]


def _make_participant(study: Study, step: Step, place: Place) -> Participant:
    now, moment = timezone.now(), place.moment
    agreed = bool(step.index or place.exit)
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
        quiz_tries=place.tries,
        withdrew=place.withdrew,
        visits=[{"step": step.key, "came": now.isoformat(), "went": None, "by": ""}],
    )
    if step.kind in ASKING:
        row.shown = {step.key: {questions.PAGE: moment}}
    if limit := participant_steps.time_limit(row, step):
        row.due_at = now + limit
    row.save()
    return row


def _make_games(world: World, condition: Condition, steps: Sequence[Step]) -> None:
    """Make the game at which the participant is, or the last one that they have played."""
    step, place, participant = world.step, world.place, world.participant
    slot = made_up_games.make_slot(participant.study, condition, step.game)
    if step.kind == PRACTICE and place.moment:
        assert participant.visitor
        world.game = practice.begin_practice(participant, step, participant.visitor)
        assert world.game
        seat = world.game.players.get(kind="person").seat
        world.goes_on = made_up_games.play(world.game, seat, place.moment - 1)
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
        world.goes_on = made_up_games.play(world.game, slot.seats[0], place.moment)
    elif step.kind in SHOWS_ENDINGS:
        made_up_games.finish(slot)
    else:
        Slot.objects.filter(pk=slot.pk).update(state=Slot.DONE)


def _offer_seats(world: World, slot: Slot) -> None:
    """Ask whether the participant is ready, once the others are; before that they wait."""
    if not world.place.moment:
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
    if not isinstance(stage, RatingsStage) or world.place.exit:
        return
    campaign = made_up_ratings.open_campaign(study, stage, condition)
    rates = world.step.kind == "ratings" and (world.place.moment or study.rates_only)
    if rates:
        world.rater = made_up_ratings.make_rater(
            world.participant, campaign, trained=world.place.trained
        )
