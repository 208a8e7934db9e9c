"""The debriefing, the last page before the exit: the study's aim, and the players' identities.

A study may ask here whether the participant upholds their consent. No answer counts as yes. The
consent can be withdrawn later.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from game import selectors
from game.engine import rulesets, visibility
from game.engine.ruleset import role_of
from game.models import Game, Player
from webapp.play.page.narrator import Narrator
from webapp.study.design.stages import DebriefingStage
from webapp.study.ethics import participant_erasure
from webapp.study.models import Participant, Seating
from webapp.study.participant.stage_pages import StagePage, Visit
from webapp.study.sessions import audit_events, enrolment, participant_steps
from webapp.study.sessions.participant_steps import WAITING, Step

CONSENT_ANSWERS = (Participant.KEPT, Participant.TAKEN_BACK)


@dataclass(frozen=True)
class RevealedPlayer:
    """A player as the debriefing reveals it.

    Attributes:
        is_person: Whether it is a person.
        is_taken_over: Whether a computer player had the person's seat at the end.
        is_participant: Whether it is the participant.
    """

    name: str
    role: str
    role_key: str
    is_person: bool
    is_taken_over: bool
    is_participant: bool


@dataclass(frozen=True)
class RevealedGame:
    """A game as the debriefing reveals it.

    Attributes:
        number: Number of the participant's game, from 1.
        result: A sentence that names the winner, if there is one.
    """

    number: int
    title: str
    result: str
    players: tuple[RevealedPlayer, ...]


def can_reveal(participant: Participant, step: Step) -> bool:
    """Return whether the study reveals players at this step and no game comes after it."""
    stage = step.stage
    ahead = participant_steps.list_steps(participant)[step.index + 1 :]
    has_game_ahead = any(s.kind in (WAITING, "game") for s in ahead)
    return isinstance(stage, DebriefingStage) and stage.reveal and not has_game_ahead


def revealed_games(participant: Participant) -> list[RevealedGame]:
    """Return the ended games in which the participant sat, in order of play."""
    seatings = Seating.objects.filter(
        participant=participant,
        state__in=(Seating.SEATED, Seating.OUT),
        slot__game__ended_at__isnull=False,
    )
    rows = seatings.select_related("slot__game").order_by("round", "pk")
    return [
        _reveal_game(n, row.slot.game, row.seat) for n, row in enumerate(rows, 1) if row.slot.game
    ]


def _reveal_game(number: int, game: Game, own_seat: int) -> RevealedGame:
    state = selectors.Log(game).view(visibility.MODERATOR).state
    ruleset = rulesets.get(game.ruleset)
    players = []
    for player in game.players.order_by("seat"):
        role = role_of(ruleset, state.roles[player.seat])
        is_person = player.kind == Player.PERSON
        is_taken_over = is_person and (player.stand_in or player.left_at is not None)
        identity = (player.name, _(role.name), role.key)
        players.append(RevealedPlayer(*identity, is_person, is_taken_over, player.seat == own_seat))
    names = [p.name for p in players]
    result = Narrator(ruleset, names).headline(state.winner) if state.is_over else _("Called off")
    return RevealedGame(number, _(ruleset.title), result, tuple(players))


class DebriefingPage(StagePage):
    kind = "debriefing"

    def show(self, visit: Visit) -> HttpResponse:
        may_reveal = can_reveal(visit.participant, visit.step)
        games = revealed_games(visit.participant) if may_reveal else []
        ethics = participant_steps.design_of(visit.participant.study).ethics
        asks_again = ethics.consent_again and not visit.participant.consent_again
        days = ethics.withdraw_days
        template = "study/take/debriefing.html"
        return visit.page(template, games=games, asks_again=asks_again, days=days)

    def post(self, visit: Visit) -> HttpResponse:
        do = visit.request.POST.get("do", "")
        if do == "on":
            return self._go_on(visit)
        if do == "save":
            return HttpResponse(status=204)
        return redirect("take:step", visit.participant.key)

    def _go_on(self, visit: Visit) -> HttpResponse:
        person, consent_answer = visit.participant, visit.request.POST.get("again", "")
        ethics = participant_steps.design_of(person.study).ethics
        if not ethics.consent_again or consent_answer not in CONSENT_ANSWERS:
            return visit.advance()
        withdraws_consent = consent_answer == Participant.TAKEN_BACK
        with transaction.atomic():
            if withdraws_consent:
                participant_erasure.request_erasure(person, actor=audit_events.PARTICIPANT)
            enrolment.record_second_consent(person, consent_answer)
            # Before the erasure, because a participant who completes the study is paid for it.
            response = visit.advance()
        if withdraws_consent:
            participant_erasure.erase_participant(person, actor=audit_events.PARTICIPANT)
        return response
