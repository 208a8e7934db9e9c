"""Reads what the players of a game claim about roles, and stores the claims.

The table's sheet of claims is updated during the game. A finished game is read once more as a
whole, for the metrics. The worker that ends it has already read most of its statements, and they
are cached. Modules that pages load import this one inside functions, because the language
understanding that it loads takes megabytes.
"""

from collections.abc import Iterator
from dataclasses import asdict

from django.db import transaction

from agents.claims.claim_reading import read_steps, stated_steps
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep
from agents.talk.dialogue import Dialogue
from agents.understanding.statements import statement_acts
from game import cached_games
from game.cached_games import CachedGame
from game.engine import rulesets
from game.engine.state import Turn
from game.engine.visibility import PUBLIC, View
from game.models import Game, Utterance
from game.signals import game_changed
from webapp.play import readings
from webapp.play.models import ClaimsSheet, FinalClaims, StatedClaim


def read_new_statements(game_id: int) -> None:
    """Read the statements since the last reading, store their claims, and update open pages.

    Of two runs for the same statements only one stores its claims.
    """
    sheet = ClaimsSheet.objects.filter(game=game_id).first()
    if sheet is None:
        return
    game, position = cached_games.current_game(game_id)
    is_outdated = sheet.reworded != game.reworded  # text was removed since the last reading
    if is_outdated:
        with transaction.atomic():
            readings.delete_claims(Game.objects.select_for_update().get(pk=game_id))
        sheet.refresh_from_db()
    if sheet.reworded != game.reworded:  # once more: that removal requested another reading
        return
    claims = list(_read_claims(sheet, game, position))
    progress = {"events_read": len(position.log), "game_version": game.version}
    with transaction.atomic():
        state_before = {"events_read": sheet.events_read, "reworded": sheet.reworded}
        if not ClaimsSheet.objects.filter(pk=sheet.pk, **state_before).update(**progress):
            return
        StatedClaim.objects.bulk_create(claims)
    if claims or is_outdated:
        game_changed.send_robust(sender=Game, game=game_id, opened=[], ended=False)
    readings.request_claims(game_id)  # reads statements that were made meanwhile


def load_claim_steps(game: Game) -> list[ClaimStep]:
    """Return all claims in a finished game, without repeats. Read and store them if necessary."""
    row = FinalClaims.objects.filter(game=game, reworded=game.reworded).first()
    if row is None:
        return read_final_claims(game)
    return [ClaimStep(**{**step, "targets": tuple(step["targets"])}) for step in row.steps]


def read_final_claims(game: Game) -> list[ClaimStep]:
    """Read, store and return the claims of a finished game.

    If text is removed meanwhile, `Game.reworded` has grown, and the stored row is invalid.
    """
    game, position = cached_games.current_game(game.pk)
    view = position.view(PUBLIC, is_revealed=True)
    steps = read_steps(Dialogue.of(view, pack_of(rulesets.get(game.ruleset))))
    # A reading of public talk never knows whether a claim is true.
    rows = [{k: v for k, v in asdict(step).items() if k != "is_true"} for step in steps]
    row = {"reworded": game.reworded, "steps": rows}
    FinalClaims.objects.update_or_create(game=game, defaults=row)
    return steps


def _read_claims(sheet: ClaimsSheet, game: Game, position: CachedGame) -> Iterator[StatedClaim]:
    """Yield the claims of the statements after the events that were read before."""
    view, pack = position.view(PUBLIC), pack_of(rulesets.get(game.ruleset))
    seq_range = (sheet.events_read + 1, len(position.log))
    rows = Utterance.objects.filter(game=game, event__seq__range=seq_range)
    utterances = {(row.window, row.seat): row for row in rows.select_related("event")}
    # The understanding reads "Beta is a wolf" as a result only if the speaker claimed such a role.
    claimed_roles = _claimed_roles_with_results(game, pack)
    previous_speaker = 0
    for turn in view.turns:
        if not turn.text:
            continue
        if utterance := utterances.get((turn.window, turn.seat)):
            claimed_role = claimed_roles.get(turn.seat, "")
            for claim in _claims_of(turn, utterance, previous_speaker, view, pack, claimed_role):
                if claim.kind == "role" and pack.look(claim.role):
                    claimed_roles[claim.seat] = claim.role
                yield claim
        previous_speaker = turn.seat


def _claimed_roles_with_results(game: Game, pack: Pack) -> dict[int, str]:
    """Return seat -> the role that it claimed last, of those that get results at night."""
    roles = StatedClaim.objects.filter(game=game, kind="role").values_list("seat", "role")
    return {seat: role for seat, role in roles.order_by("pk") if pack.look(role)}


def _claims_of(
    turn: Turn,
    utterance: Utterance,
    previous_speaker: int,
    view: View,
    pack: Pack,
    claimed_role: str,
) -> Iterator[StatedClaim]:
    """Yield the claims of one statement, unsaved, without announced votes."""
    names, phase = view.state.seats, turn.moment.phase
    acts = statement_acts(turn.text, turn.seat, names, previous_speaker, pack, phase, claimed_role)
    assert utterance.event is not None
    for act in acts:
        for step in stated_steps(act, pack, turn.round, turn.moment.day):
            if step.kind != "vote":
                yield StatedClaim(
                    game_id=utterance.game_id,
                    utterance=utterance,
                    seq=utterance.event.seq,
                    seat=step.seat,
                    round=step.round,
                    kind=step.kind,
                    role=step.role,
                    targets=list(step.targets),
                    value=step.value,
                )
