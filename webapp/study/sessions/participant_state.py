"""The state of a participant: their route, current step and its time, presence, and browser.

`lifecycle` moves participants from step to step. This module writes only their times, presence and
browser. A participant uses one browser at a time, and a browser belongs to at most one participant
of a study. The browser's visitor represents the participant at tables (`Participant.visitor`).
"""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp import storage_errors
from webapp.connections import asynchronous_commits
from webapp.play import visitors
from webapp.play.models import Membership
from webapp.study.design.exits import Exit
from webapp.study.design.stages import ConsentStage, Design, GameStage, Stage
from webapp.study.models import Participant, Seating, Study
from webapp.study.sessions.slots import OCCUPIED_STATES

# The key in a visit of the seconds that a researcher added to the time limit.
EXTRA_SECONDS_KEY = "more"
GAME = "game"  # the kind of a step at a game's table
WAITING = "waiting"  # the kind of the step before a game
# Kinds of steps with other rules for absence: matching, dropouts, the practice table's time.
WITHOUT_IDLE_LIMIT = (WAITING, GAME, "practice", "consent")
# Participants without an open page for this long get no offers. It is longer than a minute, because
# browsers let a background tab poll only once a minute.
ABSENT_AFTER = timedelta(seconds=90)
SEEN_WRITE_INTERVAL = timedelta(seconds=5)  # minimum time between two writes of seen_at
# Keys of the browser's session. The value is {study's key: key of the last participant}.
PARTICIPANTS_KEY = "participants"
RATERS_KEY = "raters"  # key in sessions that began before raters were participants


@dataclass(frozen=True)
class Step:
    """One position on a participant's route: a stage, or the waiting room before a game."""

    index: int
    kind: str  # the kind of its stage, or WAITING
    game: int  # number of the participant's game that it belongs to (1…), 0 for none
    stage: Stage  # stage of the step in the design; for a waiting room, the stage of the game

    @property
    def key(self) -> str:
        """The name in stored data, such as `game-4`."""
        return f"{self.kind}-{self.index}"


def step_name(step: Step, games_each: int) -> str:
    """Return the name of a step for researchers, with its game's number if there are several."""
    kinds = {WAITING: _("The waiting room"), GAME: _("The game")}
    name = kinds.get(step.kind) or step.stage.label
    return f"{name} {step.game}" if step.game and games_each > 1 else name


def route(design: Design) -> Sequence[Step]:
    """Return all steps of a design, in order.

    Stages with `each_game` are repeated after every game. Consent always comes first, because
    nothing is stored before it.
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
                for repeated_stage in repeated:
                    add(repeated_stage.kind, repeated_stage, number)
        elif not stage.each_game:
            add(stage.kind, stage)
    return steps


def design_of(study: Study) -> Design:
    return Design.from_json(study.design)


def list_steps(participant: Participant) -> Sequence[Step]:
    return route(design_of(participant.study))


def current_step(participant: Participant) -> Step:
    """Return the participant's current step, or their last one if they have left."""
    route_steps = list_steps(participant)
    return route_steps[min(participant.step, len(route_steps) - 1)]


def current_seatings(participant: Participant) -> list[Seating]:
    """Return the participant's seatings that occupy a seat, the latest last."""
    return list(participant.seatings.filter(state__in=OCCUPIED_STATES).order_by("pk"))


def minutes_by_step(participant: Participant) -> dict[str, float]:
    """Return step's key -> minutes of all completed visits."""
    minutes = defaultdict[str, float](float)
    for visit in participant.visits:
        if visit["went"]:
            left_at, came_at = (datetime.fromisoformat(visit[key]) for key in ("went", "came"))
            minutes[visit["step"]] += (left_at - came_at).total_seconds() / 60
    return dict(minutes)


def is_at_last_step(participant: Participant) -> bool:
    """Return whether only an exit follows the participant's step."""
    return participant.step + 1 >= len(list_steps(participant))


def start_step_timer(participant: Participant, step: Step) -> None:
    """Start the time of the step as its page is first shown after a game.

    It had a limit with reading time until now (`lifecycle.READING_TIME`).
    """
    limit = time_limit(participant, step)
    extra_s = participant.visits[-1].get(EXTRA_SECONDS_KEY, 0) if participant.visits else 0
    due_at = timezone.now() + limit + timedelta(seconds=extra_s) if limit else None
    if due_at is None or participant.due_at is None or participant.due_at <= due_at:
        return
    rows = Participant.objects.filter(pk=participant.pk, step=step.index, due_at__gt=due_at)
    rows.update(due_at=due_at)
    participant.due_at = due_at


def extend_time(row: Participant, extra: timedelta) -> bool:
    """Extend the step's time. Return False if it has no limit. The caller holds the row."""
    if row.exit or row.due_at is None:
        return False
    row.due_at = max(row.due_at, timezone.now()) + extra
    if row.visits:
        visit = row.visits[-1]
        extra_s = visit.get(EXTRA_SECONDS_KEY, 0) + int(extra.total_seconds())
        row.visits = [*row.visits[:-1], {**visit, EXTRA_SECONDS_KEY: extra_s}]
    row.save(update_fields=["due_at", "visits"])
    return True


def lock_participant(participant: Participant) -> Participant:
    """Return the participant's row with its study, locked until the transaction ends."""
    # no_key: inserting a Seating that refers to this participant must not wait for the lock.
    rows = Participant.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    return rows.get(pk=participant.pk)


@contextmanager
def locked_participant(participant: Participant) -> Iterator[Participant]:
    """Open a transaction, and yield the participant's locked row with its study."""
    with transaction.atomic():
        yield lock_participant(participant)


def exit_settings(study: Study, kind: str) -> Exit:
    """Return the settings of an exit, the defaults if `kind` is "" or the design has none."""
    exits: Mapping[Any, Exit] = design_of(study).exits
    return exits.get(kind, Exit())


def completion_code(participant: Participant) -> str:
    """Return the completion code, "" before the exit and for exits without codes."""
    return exit_settings(participant.study, participant.exit).completion_code(participant.code)


def time_limit(participant: Participant, step: Step) -> timedelta | None:
    """Return how long the step may take, None for no limit."""
    if not step.stage.minutes or step.kind in (WAITING, GAME):
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
    """Return whether the participant has done nothing for longer than the step allows."""
    limit, last_input_at = idle_limit(participant, step), last_input(participant)
    return limit is not None and last_input_at is not None and now - last_input_at > limit


def last_input(participant: Participant) -> datetime | None:
    """Return when the participant last did something; in older rows, when a page was last open."""
    return participant.input_at or participant.seen_at or participant.step_at


def record_input(participant: Participant) -> None:
    """Record that the participant has just pressed, typed or scrolled."""
    now, input_at, step_at = timezone.now(), participant.input_at, participant.step_at
    is_first = input_at is None or (step_at is not None and input_at < step_at)
    if is_first or (input_at and now - input_at > SEEN_WRITE_INTERVAL):
        _store_times(participant, input_at=now, seen_at=now)


def record_presence(participant: Participant) -> None:
    """Record that one of the participant's pages is open."""
    now = timezone.now()
    if participant.seen_at is None or now - participant.seen_at > SEEN_WRITE_INTERVAL:
        _store_times(participant, seen_at=now)


def _store_times(participant: Participant, **times: datetime) -> None:
    """Store these times without a lock and without waiting for the disk."""
    with storage_errors.suppress("who is here"), asynchronous_commits():
        Participant.objects.filter(pk=participant.pk).update(**times)
    for name, time in times.items():
        setattr(participant, name, time)


def is_present(participant: Participant, now: datetime) -> bool:
    """Return whether a page of the participant was open within ABSENT_AFTER, or they moved."""
    times = [t for t in (participant.seen_at, participant.step_at) if t]
    return bool(times) and now - max(times) < ABSENT_AFTER


def find_current_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return the study's participant who uses this browser and has not moved to another one."""
    visitor = visitors.visitor_of(request.session)
    rows = study.participants.select_related("study")
    participant = rows.filter(visitor=visitor).first() if visitor else None
    # A rater whose session began before raters were participants has no visitor.
    key = request.session.get(RATERS_KEY, {}).get(study.key, "")
    return participant or (rows.filter(key=key).first() if key else None)


def find_previous_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return the last participant who used this browser, who may have moved to another one."""
    key = request.session.get(PARTICIPANTS_KEY, {}).get(study.key, "")
    return study.participants.filter(key=key).exclude(consented_at=None).first() if key else None


def uses_browser(session: Mapping[str, Any], participant: Participant) -> bool:
    """Return whether the participant uses the browser with that session."""
    visitor = visitors.visitor_of(session)
    if visitor is not None and participant.visitor == visitor:
        return True
    return participant.key in session.get(RATERS_KEY, {}).values()


def has_withdrawn_participant(session: Mapping[str, Any]) -> bool:
    """Return whether a participant who used the browser has had their data deleted."""
    keys = list(session.get(PARTICIPANTS_KEY, {}).values())
    return Participant.objects.filter(key__in=keys, withdrew=True).exists()


def choose_visitor(request: HttpRequest, study: Study, key: str) -> uuid.UUID:
    """Return the visitor that represents the participant with that key in this browser.

    The visitor is a new one if another participant of the study has used the browser, so that no
    two participants share a seat.
    """
    visitor = visitors.request_visitor(request)
    other_participants = Participant.objects.filter(study=study, visitor=visitor).exclude(key=key)
    return uuid.uuid4() if other_participants.exists() else visitor


def remember_participant(request: HttpRequest, participant: Participant) -> None:
    """Store in the browser's session that the participant uses it."""
    assert participant.visitor
    visitors.store_visitor(request, participant.visitor)
    keys = request.session.get(PARTICIPANTS_KEY, {})
    request.session[PARTICIPANTS_KEY] = {**keys, participant.study.key: participant.key}
    if participant.invited:
        request.session[visitors.LINK_KEY] = participant.key


def move_to_browser(request: HttpRequest, participant: Participant) -> None:
    """Move the participant and their seats to this browser. The earlier one loses its access."""
    with locked_participant(participant) as row:
        old_visitor, row.visitor = row.visitor, choose_visitor(request, row.study, row.key)
        row.save(update_fields=["visitor"])
        if old_visitor:
            games = row.seatings.filter(player__isnull=False).values("player__game")
            seats = Membership.objects.filter(visitor=old_visitor, game__in=games)
            seats.update(visitor=row.visitor)
    remember_participant(request, row)
