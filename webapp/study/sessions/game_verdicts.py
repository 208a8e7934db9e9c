"""Whether an ended game of a study counts, is played again, or has failed."""

from __future__ import annotations

from collections import Counter

from django.utils.translation import gettext as _

from game import selectors
from game.engine import labels, rulesets, visibility
from game.models import Answer, Game, Player
from webapp.study.design.experiment_rules import ExperimentRules
from webapp.study.models import Slot, Study
from webapp.study.sessions import participant_steps

ENDED_BY_HAND = "ended by hand"  # before a colon and the reason that a researcher wrote
# Other reasons why a game does not count. They are stored, so their texts stay as they are.
BEGAN_SHORT, DROPOUT, PLAYER_LEFT = "began short", "dropout", "somebody left"
CALLED_OFF, GAME_IS_GONE = "called off", "the game is gone"

Verdict = tuple[str, str]  # (Slot.DONE, VOID or FAILED; the cause, "" for DONE)


def judge_game(study: Study, slot: Slot) -> Verdict:
    """Return the state of a slot whose game has ended, and the cause."""
    if study.is_experiment:
        return _judge_experiment_game(study, slot)
    reason = _void_reason(study, slot)
    return (Slot.VOID, reason) if reason else (Slot.DONE, "")


def _void_reason(study: Study, slot: Slot) -> str:
    if slot.game is None:
        return GAME_IS_GONE
    if slot.game.called_off:
        return str(slot.deviations.get("ended_for", CALLED_OFF))
    design = participant_steps.design_of(study)
    if slot.deviations.get("computer_seats") and not design.waiting.short_counts:
        return BEGAN_SHORT
    players_left = slot.game.players.filter(kind=Player.PERSON, left_at__isnull=False)
    dropped = slot.deviations.get("stand_ins") or players_left.exists()
    if dropped and not design.dropout.counts:
        return DROPOUT
    return ""


def _judge_experiment_game(study: Study, slot: Slot) -> Verdict:
    rules = participant_steps.design_of(study).experiment
    if slot.game is None:
        return Slot.FAILED, _("the game no longer exists")
    if slot.game.called_off:
        return Slot.FAILED, _("the game was called off")
    if cause := _fallback_error(slot.game, rules):
        return Slot.FAILED, cause
    if ending := _ending_without_result(slot.game):
        before = Slot.objects.filter(
            block=slot.block, condition=slot.condition_id, state=Slot.VOID, void_reason=ending
        )
        if before.count() >= rules.replays:
            text = _("no result, like {n} earlier games of this deal: {ending}")
            return Slot.FAILED, text.format(n=rules.replays, ending=ending)
        return Slot.VOID, ending
    return Slot.DONE, ""


def _fallback_error(game: Game, rules: ExperimentRules) -> str:
    """Return a sentence if too many answers replace those of a failed model, "" otherwise.

    `ExperimentRules.fallbacks` is the accepted share in per cent.
    """
    answer_labels = list(Answer.objects.filter(window__game=game).values_list("labels", flat=True))
    causes = Counter(
        cause
        for given_labels in answer_labels
        for cause in labels.details_of_kind(labels.FALLBACK, given_labels)
    )
    if causes.total() * 100 <= rules.fallbacks * len(answer_labels):
        return ""
    causes_text = ", ".join(f"{cause} {n}" for cause, n in causes.most_common(3))
    text = _("{n} of {all} answers were given in place of a model that failed: {causes}")
    return text.format(n=causes.total(), all=len(answer_labels), causes=causes_text)


def _ending_without_result(game: Game) -> str:
    """Return the reason of an ending that makes the game void, "" for any other ending."""
    events = selectors.view_for(game, visibility.MODERATOR).events
    reason = next(str(e["reason"]) for e in reversed(events) if e.kind == "game_over")
    return "" if rulesets.get(game.ruleset).wording.ending(reason).is_result else reason
