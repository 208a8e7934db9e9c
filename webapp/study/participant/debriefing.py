"""The debriefing, the last page before the exit: the study's aim, and the players' identities.

A study may ask here whether the participant upholds their consent. A missing answer counts as yes,
because consent can still be withdrawn later.
"""

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import role_of
from game.models import Game, Player
from webapp.play.page.narrator import Narrator
from webapp.study.design.stages import DebriefingStage
from webapp.study.ethics import participant_erasure
from webapp.study.models import Participant
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import enrolment, participant_state, study_events
from webapp.study.sessions.participant_state import GAME, WAITING, Step
from webapp.study.sessions.slots import PLAYED_STATES

CONSENT_ANSWERS = (Participant.KEPT, Participant.TAKEN_BACK)


def can_reveal(participant: Participant, step: Step) -> bool:
    """Return whether the study reveals players at this step, which is after the last game."""
    stage = step.stage
    next_steps = participant_state.list_steps(participant)[step.index + 1 :]
    has_game_ahead = any(s.kind in (WAITING, GAME) for s in next_steps)
    return isinstance(stage, DebriefingStage) and stage.reveal and not has_game_ahead


def revealed_games(participant: Participant) -> list[dict[str, Any]]:
    """Return the ended games in which the participant had a seat, in order of play."""
    seatings = participant.seatings.filter(state__in=PLAYED_STATES).select_related("slot__game")
    games = [
        (game, seating.seat)
        for seating in seatings.order_by("round", "pk")
        if (game := seating.slot.game) and game.ended_at
    ]
    return [_reveal_game(number, game, seat) for number, (game, seat) in enumerate(games, 1)]


def _reveal_game(number: int, game: Game, own_seat: int) -> dict[str, Any]:
    state = selectors.view_for(game, visibility.MODERATOR).state
    ruleset = rulesets.get(game.ruleset)
    players = []
    for player in game.players.order_by("seat"):
        role = role_of(ruleset, state.roles[player.seat])
        is_person = player.kind == Player.PERSON
        players.append(
            {
                "name": player.name,
                "role": _(role.name),
                "role_key": role.key,
                "is_person": is_person,
                # An agent had the person's seat at the end.
                "is_taken_over": is_person and (player.stand_in or player.left_at is not None),
                "is_participant": player.seat == own_seat,
            }
        )
    narrator = Narrator(ruleset, [str(player["name"]) for player in players])
    result = narrator.headline(state.winner) if state.is_over else _("Called off")
    return {"number": number, "title": _(ruleset.title), "result": result, "players": players}


class DebriefingPage(StagePage):
    kind = "debriefing"

    def show(self, visit: Visit) -> HttpResponse:
        participant = visit.participant
        ethics = participant_state.design_of(participant.study).ethics
        return visit.page(
            "study/take/debriefing.html",
            games=revealed_games(participant) if can_reveal(participant, visit.step) else [],
            asks_consent_again=ethics.consent_again and not participant.consent_again,
            withdrawal_days=ethics.withdraw_days,
        )

    def post(self, visit: Visit) -> HttpResponse:
        return self._continue(visit) if visit.action == "on" else super().post(visit)

    def _continue(self, visit: Visit) -> HttpResponse:
        """Record the answer about the consent, and move the participant to the next step."""
        participant, second_consent = visit.participant, visit.request.POST.get("again", "")
        ethics = participant_state.design_of(participant.study).ethics
        if not ethics.consent_again or second_consent not in CONSENT_ANSWERS:
            return visit.advance()
        withdraws_consent = second_consent == Participant.TAKEN_BACK
        with transaction.atomic():
            if withdraws_consent:
                participant_erasure.request_erasure(participant, actor=study_events.PARTICIPANT)
            enrolment.record_second_consent(participant, second_consent)
            # Before the erasure, because a participant who completes the study is paid for it.
            response = visit.advance()
        if withdraws_consent:
            participant_erasure.erase_participant(participant, actor=study_events.PARTICIPANT)
        return response
