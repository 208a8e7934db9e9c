"""Starts the games of experiments, and pauses, extends and restarts them.

The game of an experiment is played by the same tasks as any other game. The end of one starts the
next; the sweeper starts what nothing else has started. Any number of processes may do so, because
slots are taken while the study's row is locked.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.design.experiment_rules import ExperimentRules
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Slot, Study
from webapp.study.monitor.model_requests import request_stats
from webapp.study.sessions import audit_events, slot_games, slots

logger = logging.getLogger(__name__)

MAX_BLOCKS = 10_000  # games of a condition


def start_games(study_id: int, limit: int = MAX_BLOCKS) -> int:
    """Start the next games of an open experiment, up to its `at_once`. Return how many.

    If its budget is spent or too many games have failed, the experiment is paused instead.

    Args:
        limit: The largest number of games to start.
    """
    started = 0
    while started < limit and _start_next(study_id):
        started += 1
    return started


def _start_next(study_id: int) -> bool:
    """Start the next game if there is one that may start. Return whether one was started."""
    with transaction.atomic():
        study = slots.lock_study(study_id)
        if not study.is_experiment or study.state != Study.OPEN:
            return False
        rules = Design.from_json(study.design).experiment
        playing = study.slots.filter(state=Slot.PLAYING).count()
        free = study.slots.filter(state=Slot.FREE)
        if not free.exists() or playing >= rules.at_once:
            return False
        reason = pause_reason(study, rules)
        if not reason and rules.probe and not study.happenings.filter(what="resumed").exists():
            free = free.filter(block=1)
            if not free.exists() and not playing:
                reason = _("the first game of each condition has been played, so its cost is known")
        if reason:
            _pause_experiment(study, reason)
        elif slot := free.select_related("study", "condition").first():
            _start_game(slot)
            return True
    return False


def _start_game(slot: Slot) -> None:
    """Start the slot's game, in the caller's transaction. A game that cannot begin has failed."""
    try:
        with transaction.atomic():
            slot.game = slot_games.open_table(slot, {})
    except DatabaseError:
        raise
    except Exception as error:
        logger.exception("the game of %s could not begin", slot)
        slots.fail_slot(slot, _("it could not start: {why}").format(why=error))
        return
    slot.state, slot.began_at = Slot.PLAYING, timezone.now()
    slot.save(update_fields=["game", "state", "began_at"])
    audit_events.record_event(slot.study_id, "began", actor=audit_events.CLOCK, slot=slot)


def pause_reason(study: Study, rules: ExperimentRules) -> str:
    """Return why no further game may start, "" if one may."""
    started = study.happenings.filter(what__in=("opened", "resumed")).last()
    failed = study.slots.filter(state=Slot.FAILED)
    if started and failed.filter(ended_at__gt=started.at).count() >= rules.failures:
        return ngettext("{n} game has failed", "{n} games have failed", rules.failures).format(
            n=rules.failures
        )
    return spent_budget(study, rules)


def spent_budget(study: Study, rules: ExperimentRules) -> str:
    """Return a sentence about the limit of the budget that is reached, "" if none is."""
    budget = rules.budget
    if not (budget.requests or budget.tokens or budget.money):
        return ""
    used = request_stats(study)
    figures = (
        (budget.requests, used.requests, _("{used} of {limit} requests are used")),
        (budget.tokens, used.tokens_in + used.tokens_out, _("{used} of {limit} tokens are used")),
        (budget.money, round(sum(used.costs.values()), 2), _("{used} of {limit} are spent")),
    )
    return next(
        (text.format(used=now, limit=limit) for limit, now, text in figures if 0 < limit <= now), ""
    )


def _pause_experiment(study: Study, reason: str) -> None:
    Study.objects.filter(pk=study.pk).update(state=Study.PAUSED)
    audit_events.record_event(study, "paused", actor=audit_events.CLOCK, reason=reason)


def start_waiting_games() -> None:
    """Start games of all open experiments, as the sweeper does."""
    waiting = Study.objects.filter(design__table__people=0, state=Study.OPEN)
    for pk in waiting.filter(slots__state=Slot.FREE).distinct().values_list("pk", flat=True):
        start_games(pk)


def on_game_changed(*, game: int, ended: bool, **_more: Any) -> None:
    """Start the next games after one has ended (the signal `game_changed`)."""
    slot = Slot.objects.filter(game=game).select_related("study").first() if ended else None
    if slot and slot.study.is_experiment:
        start_games(slot.study_id)


def extend_experiment(study: Study, games: int, by: str) -> None:
    """Let every condition have `games` games.

    The design stays locked. The audit events record the extension.

    Raises:
        Refused: There are not more games than before, or the experiment was never opened.
    """
    with transaction.atomic():
        row = slots.lock_study(study)
        design = Design.from_json(row.design)
        drawn = row.slots.order_by("block").last()
        before = drawn.block if drawn else 0
        if row.state == Study.DRAFT or not row.is_experiment:
            raise Refused([_("Only an opened experiment can be extended.")])
        if not before < games <= MAX_BLOCKS:
            text = _("Every condition has {n} games. Enter a number from {least} to {most}.")
            raise Refused([text.format(n=before, least=before + 1, most=MAX_BLOCKS)])
        if games % (size := block_size(design)):
            text = _("The games of a condition come in groups of {n}. Enter a multiple of it.")
            raise Refused([text.format(n=size)])
        slots.add_blocks(row, games)
        audit_events.record_event(
            row, "extended", actor=by, reason=_("{n} → {games} games").format(n=before, games=games)
        )


def block_size(design: Design) -> int:
    """Return how many games of a condition belong together: repeats, or a league's round."""
    return max(design.experiment.repeats, len(design.experiment.league), 1)


def restart_game(study: Study, number: int, by: str) -> None:
    """Play the failed game in slot `number` again.

    Raises:
        Refused: The slot has no failed game.
    """
    with transaction.atomic():
        row = slots.lock_study(study)
        slot = row.slots.filter(index=number, state=Slot.FAILED).first()
        if slot is None:
            indexes = row.slots.filter(state=Slot.FAILED).values_list("index", flat=True)
            failed = ", ".join(map(str, indexes)) or _("none")
            text = _("Game {n} has not failed. Failed games: {failed}.")
            raise Refused([text.format(n=number, failed=failed)])
        slots.void_slot(slot, slot.void_reason, actor=by)
