"""The steps of a participant's route through the stages of a study, the current step, and its time.

`lifecycle` moves participants from step to step. Here only the time and the presence of a
participant are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from webapp import storage_faults
from webapp.connections import unsynced
from webapp.study.design.stages import ConsentStage, Design, Exit, GameStage, Stage
from webapp.study.models import Participant, Study

EXTRA_SECONDS = "more"  # key of a visit: seconds added to the step's own time limit
WAITING = "waiting"  # the kind of the step before a game
# Kinds of steps where absence has other rules: matching, dropouts, the practice table's time.
WITHOUT_IDLE_LIMIT = (WAITING, "game", "practice", "consent")
# Participants without an open page for this long get no offers. Browsers let a background tab poll
# only once a minute.
ABSENT_AFTER = timedelta(seconds=90)
SEEN_WRITE_INTERVAL = timedelta(seconds=5)  # minimum time between two writes of seen_at


@dataclass(frozen=True)
class Step:
    """One step.

    kind: of its stage, or WAITING; game: which of the participant's games it belongs to (1…), 0 for
    none; stage: the part of the design that it is.
    """

    index: int
    kind: str
    game: int
    stage: Stage

    @property
    def key(self) -> str:
        """The name in data: `game-1`, `questionnaire-1.2`, `consent`."""
        return f"{self.kind}-{self.index}"


def route(design: Design) -> Sequence[Step]:
    """Return all steps, in order.

    Stages with `each_game` after the game stage come after every game. Consent always comes first,
    because nothing is stored before it.
    """
    steps: list[Step] = []

    def add(kind: str, stage: Stage, game: int = 0) -> None:
        steps.append(Step(len(steps), kind, game, stage))

    stages = list(design.stages)
    if not any(isinstance(stage, ConsentStage) for stage in stages):
        stages.insert(0, ConsentStage())
    stages.sort(key=lambda stage: not isinstance(stage, ConsentStage))
    repeated = [stage for stage in stages if stage.each_game]
    for stage in stages:
        if isinstance(stage, GameStage):
            for number in range(1, design.assignment.games_each + 1):
                add(WAITING, stage, number)
                add(stage.kind, stage, number)
                for after in repeated:
                    add(after.kind, after, number)
        elif not stage.each_game:
            add(stage.kind, stage)
    return steps


def design_of(study: Study) -> Design:
    return Design.of(study.design)


def steps_of(participant: Participant) -> Sequence[Step]:
    return route(design_of(participant.study))


def step_of(participant: Participant) -> Step:
    """Return the participant's current step, or their last one if they have left."""
    route_steps = steps_of(participant)
    return route_steps[min(participant.step, len(route_steps) - 1)]


def minutes_by_step(person: Participant) -> dict[str, float]:
    """Return step's key -> minutes there, all completed visits together."""
    minutes_of: dict[str, float] = {}
    for visit in person.visits:
        if visit["went"]:
            left_at, came_at = (datetime.fromisoformat(visit[key]) for key in ("went", "came"))
            minutes = (left_at - came_at).total_seconds() / 60
            minutes_of[visit["step"]] = minutes_of.get(visit["step"], 0) + minutes
    return minutes_of


def is_last(participant: Participant) -> bool:
    """Return whether nothing follows the participant's step but an exit."""
    return participant.step + 1 >= len(steps_of(participant))


def start_step_timer(participant: Participant, step: Step) -> None:
    """Start the time of the step if it has not begun, because its page is shown.

    After a game, time begins with the first view of the page. Later views change nothing.
    """
    most = time_limit(participant, step)
    more = timedelta(
        seconds=participant.visits[-1].get(EXTRA_SECONDS, 0) if participant.visits else 0
    )
    begun = timezone.now() + most + more if most else None
    if begun is None or participant.due_at is None or participant.due_at <= begun:
        return
    rows = Participant.objects.filter(pk=participant.pk, step=step.index, due_at__gt=begun)
    rows.update(due_at=begun)
    participant.due_at = begun


def give_time(row: Participant, by: timedelta) -> bool:
    """Extend the time of the step. Return False if no time runs. The caller holds the row."""
    if row.exit or row.due_at is None:
        return False
    row.due_at = max(row.due_at, timezone.now()) + by
    if row.visits:
        here = row.visits[-1]
        more = here.get(EXTRA_SECONDS, 0) + int(by.total_seconds())
        row.visits = [*row.visits[:-1], {**here, EXTRA_SECONDS: more}]
    row.save(update_fields=["due_at", "visits"])
    return True


def lock_participant(participant: Participant) -> Participant:
    """Return the participant's row with its study, locked until the transaction ends."""
    # no_key: inserting a Seating that refers to this participant must not wait for the lock.
    rows = Participant.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    return rows.get(pk=participant.pk)


def settings_of_exit(study: Study, kind: str) -> Exit:
    """Return the study's settings for this kind of exit."""
    return next((e for k, e in design_of(study).exits.items() if k == kind), Exit())


def code_of(participant: Participant) -> str:
    """Return the completion code of a participant who has left, "" if the exit has none."""
    exit_settings = settings_of_exit(participant.study, participant.exit)
    return {"same": exit_settings.code, "own": participant.code, "none": ""}[
        exit_settings.code_kind
    ]


def time_limit(participant: Participant, step: Step) -> timedelta | None:
    """Return how long the step may take, None for no limit."""
    if not step.stage.minutes or step.kind in (WAITING, "game"):
        return None
    return timedelta(minutes=step.stage.minutes) * participant.extra_time / 100


def has_idle_limit(step: Step) -> bool:
    return bool(step.stage.idle_minutes) and step.kind not in WITHOUT_IDLE_LIMIT


def idle_limit(participant: Participant, step: Step) -> timedelta | None:
    """Return how long the participant may do nothing at the step, None for no limit."""
    if not has_idle_limit(step):
        return None
    return timedelta(minutes=step.stage.idle_minutes) * participant.extra_time / 100


def is_idle(participant: Participant, step: Step, now: datetime) -> bool:
    """Return whether the participant has done nothing for longer than the step allows.

    The time of a step begins when they come to it, but somebody whom the clock moved from step to
    step is as idle as before.
    """
    limit, last = idle_limit(participant, step), last_input(participant)
    return limit is not None and last is not None and now - last > limit


def last_input(participant: Participant) -> datetime | None:
    """Return when the participant last did something.

    For those who came in before this was recorded: when a page of theirs was last open.
    """
    return participant.input_at or participant.seen_at or participant.step_at


def record_input(participant: Participant) -> None:
    """Record that the participant did something just now: pressed, typed, scrolled."""
    now, last, since = timezone.now(), participant.input_at, participant.step_at
    is_first = last is None or (since is not None and last < since)
    if is_first or (last and now - last > SEEN_WRITE_INTERVAL):
        with storage_faults.suppress_faults("who is here"), unsynced():
            Participant.objects.filter(pk=participant.pk).update(input_at=now, seen_at=now)
        participant.input_at = participant.seen_at = now


def record_presence(participant: Participant) -> None:
    """Record that one of the participant's pages is open."""
    now = timezone.now()
    if participant.seen_at is None or now - participant.seen_at > SEEN_WRITE_INTERVAL:
        with storage_faults.suppress_faults("who is here"), unsynced():
            Participant.objects.filter(pk=participant.pk).update(seen_at=now)
        participant.seen_at = now


def is_present(participant: Participant, now: datetime) -> bool:
    """Return whether one of the participant's pages is open or was open lately.

    Coming to the waiting room counts as well.
    """
    times = [t for t in (participant.seen_at, participant.step_at) if t]
    return bool(times) and now - max(times) < ABSENT_AFTER
