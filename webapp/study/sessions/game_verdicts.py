"""Decides whether an ended game of a study counts, is played again, or has failed."""

from collections import Counter

from django.utils.translation import gettext as _

from game import selectors
from game.engine import labels, rulesets, visibility
from game.models import Answer, Game, Player
from webapp.study.design.experiment_rules import ExperimentRules
from webapp.study.models import Slot, Study
from webapp.study.sessions import participant_state

# Reasons why a game does not count. They are stored, so their texts stay as they are.
ENDED_BY_HAND = "ended by hand"  # begins a verdict; a colon and the researcher's reason follow
BEGAN_SHORT, DROPOUT, PLAYER_LEFT = "began short", "dropout", "somebody left"
CALLED_OFF, GAME_IS_GONE = "called off", "the game is gone"


def find_verdict(study: Study, slot: Slot) -> tuple[str, str]:
    """Return the state (DONE, VOID, FAILED) of a slot whose game has ended, and why or ""."""
    if study.is_experiment:
        return _find_experiment_verdict(study, slot)
    reason = _find_void_reason(study, slot)
    return (Slot.VOID, reason) if reason else (Slot.DONE, "")


def _find_void_reason(study: Study, slot: Slot) -> str:
    """Return why a game with participants does not count, "" if it does."""
    if slot.game is None:
        return GAME_IS_GONE
    if slot.game.called_off:
        return str(slot.deviations.get("ended_for", CALLED_OFF))
    design = participant_state.design_of(study)
    if slot.deviations.get("computer_seats") and not design.waiting.short_counts:
        return BEGAN_SHORT
    players_left = slot.game.players.filter(kind=Player.PERSON, left_at__isnull=False)
    has_dropout = slot.deviations.get("stand_ins") or players_left.exists()
    return DROPOUT if has_dropout and not design.dropout.counts else ""


def _find_experiment_verdict(study: Study, slot: Slot) -> tuple[str, str]:
    rules = participant_state.design_of(study).experiment
    if slot.game is None:
        return Slot.FAILED, _("the game no longer exists")
    if slot.game.called_off:
        return Slot.FAILED, _("the game was called off")
    if cause := _find_fallback_error(slot.game, rules):
        return Slot.FAILED, cause
    if ending := _find_ending_without_result(slot.game):
        earlier_games = Slot.objects.filter(
            block=slot.block, condition=slot.condition_id, state=Slot.VOID, void_reason=ending
        )
        if earlier_games.count() >= rules.replays:
            text = _("no result, like {n} earlier games of this deal: {ending}")
            return Slot.FAILED, text.format(n=rules.replays, ending=ending)
        return Slot.VOID, ending
    return Slot.DONE, ""


def _find_fallback_error(game: Game, rules: ExperimentRules) -> str:
    """Return a sentence if more answers than the rules allow replace a model's, else ""."""
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


def _find_ending_without_result(game: Game) -> str:
    """Return the key of an ending without a winning team, "" if the game has a result."""
    events = selectors.view_for(game, visibility.MODERATOR).events
    reason = next(str(e["reason"]) for e in reversed(events) if e.kind == "game_over")
    return "" if rulesets.get(game.ruleset).wording.ending(reason).is_result else reason
