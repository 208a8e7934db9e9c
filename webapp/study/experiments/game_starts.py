"""Starts the games of experiments, and pauses, extends and restarts them.

The tasks that play other games play these as well. The end of one starts the next, and the sweeper
starts games that nothing else has started. Any number of processes may do so, because a game is
started while the study's row is locked.
"""

import logging
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.study.design.experiment_rules import ExperimentRules
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Slot, Study
from webapp.study.monitor.model_requests import request_stats
from webapp.study.sessions import slot_games, slots, study_events

logger = logging.getLogger(__name__)

MAX_GAMES_PER_CONDITION = 10_000


def start_games(study_id: int, limit: int | None = None) -> int:
    """Start games of an open experiment until `at_once` of them run, at most `limit`.

    Return how many started. With a reason to pause (`_pause_reason`), the experiment is paused.
    """
    count = 0
    while (limit is None or count < limit) and _start_next_or_pause(study_id):
        count += 1
    return count


def _start_next_or_pause(study_id: int) -> bool:
    """Start the next game, or pause the experiment. Return whether a game was started."""
    with transaction.atomic():
        study = slots.lock_study(study_id)
        if not study.is_experiment or study.state != Study.OPEN:
            return False
        rules = Design.from_json(study.design).experiment
        playing = study.slots.filter(state=Slot.PLAYING).count()
        free = study.slots.filter(state=Slot.FREE)
        if not free.exists() or playing >= rules.at_once:
            return False
        if rules.probe and not study.audit_events.filter(what="resumed").exists():
            # Until the researcher resumes it, a probe plays one game of each condition.
            free = free.filter(block=1)
        if reason := _pause_reason(study, rules, free, playing):
            study.state = Study.PAUSED
            study.save(update_fields=["state"])
            study_events.record_event(study, "paused", actor=study_events.CLOCK, reason=reason)
        elif slot := free.select_related("study", "condition").first():
            _start_game(slot)
            return True
    return False


def _pause_reason(
    study: Study, rules: ExperimentRules, startable: QuerySet[Slot], playing: int
) -> str:
    """Return why the experiment has to pause, "" if it may continue.

    An experiment has to pause if too many games have failed since it was last opened or resumed, if
    its budget is spent, or if all games of its probe are over. `startable` are the slots whose game
    may start.
    """
    last_opening = study.audit_events.filter(what__in=("opened", "resumed")).last()
    failed = study.slots.filter(state=Slot.FAILED)
    if last_opening and failed.filter(ended_at__gt=last_opening.at).count() >= rules.failures:
        text = ngettext("{n} game has failed", "{n} games have failed", rules.failures)
        return text.format(n=rules.failures)
    if budget_text := _describe_spent_budget(study, rules):
        return budget_text
    if not playing and not startable.exists():
        return _("the first game of each condition has been played, so its cost is known")
    return ""


def _describe_spent_budget(study: Study, rules: ExperimentRules) -> str:
    """Return a text about a limit of the budget that is reached, "" if none is."""
    budget = rules.budget
    if not (budget.requests or budget.tokens or budget.money):
        return ""
    used = request_stats(study)
    figures = (
        (budget.requests, used.requests, _("{used} of {limit} requests are used")),
        (budget.tokens, used.tokens_in + used.tokens_out, _("{used} of {limit} tokens are used")),
        (budget.money, round(sum(used.costs.values()), 2), _("{used} of {limit} are spent")),
    )
    reached = (text.format(used=n, limit=limit) for limit, n, text in figures if 0 < limit <= n)
    return next(reached, "")


def _start_game(slot: Slot) -> None:
    """Start the slot's game in the caller's transaction. If it cannot begin, it has failed."""
    try:
        with transaction.atomic():
            slot.game = slot_games.open_table(slot, {})
    except DatabaseError:
        raise  # a passing fault, such as a deadlock: the sweeper tries again
    except Exception as error:
        logger.exception("the game of %s could not begin", slot)
        slots.fail_slot(slot, _("it could not start: {why}").format(why=error))
        return
    slot.state = Slot.PLAYING
    slot.began_at = timezone.now()
    slot.save(update_fields=["game", "state", "began_at"])
    study_events.record_event(slot, "began", actor=study_events.CLOCK)


def start_waiting_games() -> None:
    """Start games of all open experiments. The sweeper calls it."""
    experiments = Study.objects.filter(design__table__people=0, state=Study.OPEN)
    for pk in experiments.filter(slots__state=Slot.FREE).distinct().values_list("pk", flat=True):
        start_games(pk)


def on_game_changed(*, game: int, ended: bool, **_more: Any) -> None:
    """Start the next games after one has ended (signal `game_changed`)."""
    slot = Slot.objects.filter(game=game).select_related("study").first() if ended else None
    if slot and slot.study.is_experiment:
        start_games(slot.study_id)


def extend_experiment(study: Study, games: int, actor: str) -> None:
    """Extend every condition to `games` games, or raise `Refused`. The design stays locked."""
    with transaction.atomic():
        row = slots.lock_study(study)
        design = Design.from_json(row.design)
        before = slots.last_number(row, "block")  # a block is a game of each condition
        if row.state == Study.DRAFT or not row.is_experiment:
            raise Refused([_("Only an opened experiment can be extended.")])
        if not before < games <= MAX_GAMES_PER_CONDITION:
            text = _("Every condition has {n} games. Enter a number from {least} to {most}.")
            raise Refused([text.format(n=before, least=before + 1, most=MAX_GAMES_PER_CONDITION)])
        # These games of a condition belong together: repeats of a deal, or a round of the league.
        size = max(design.experiment.repeats, len(design.experiment.league), 1)
        if games % size:
            text = _("The games of a condition come in groups of {n}. Enter a multiple of it.")
            raise Refused([text.format(n=size)])
        slots.extend_blocks_to(row, games)
        reason = _("{n} → {games} games").format(n=before, games=games)
        study_events.record_event(row, "extended", actor=actor, reason=reason)


def restart_game(study: Study, index: int, actor: str) -> None:
    """Let the slot's failed game be played again, or raise `Refused`."""
    with transaction.atomic():
        row = slots.lock_study(study)
        slot = row.slots.filter(index=index, state=Slot.FAILED).first()
        if slot is None:
            indexes = row.slots.filter(state=Slot.FAILED).values_list("index", flat=True)
            failed = ", ".join(map(str, indexes)) or _("none")
            text = _("Game {n} has not failed. Failed games: {failed}.")
            raise Refused([text.format(n=index, failed=failed)])
        slots.void_slot(slot, slot.void_reason, actor=actor)
