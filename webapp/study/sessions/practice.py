"""The practice stage: a table for each participant alone with built-in players.

The table is opened once and ends with the stage. It has no slot, and its game is not part of the
study's data.
"""

import contextlib
import uuid

from django.utils import timezone

from game import game_actions
from game.engine import rulesets
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play import visitors
from webapp.play.models import Membership, Table
from webapp.play.tables import opening
from webapp.study.design.rules_text import table_designs
from webapp.study.models import Participant
from webapp.study.sessions import participant_state
from webapp.study.sessions.participant_state import Step

PRACTICE = "practice"
PACE = "brisk"  # a key of the paces of tables


def begin_practice(participant: Participant, step: Step, visitor: uuid.UUID) -> Game | None:
    """Open the participant's practice table at the first call, and seat this browser there.

    The time limit of the stage starts with the table. Return None if the participant is no longer
    at the step.
    """
    with participant_state.locked_participant(participant) as row:
        if row.exit or row.step != step.index:
            return None
        if row.practice is None:
            row.practice = _open_table(row, visitor)
            limit = participant_state.time_limit(row, step)
            row.due_at = timezone.now() + limit if limit else None
            row.visitor = row.visitor or visitor
            row.save(update_fields=["practice", "due_at", "visitor"])
        player = row.practice.players.get(kind=Player.PERSON)
        visitors.seat_visitor(visitor, row.practice, player)
    return row.practice


def _open_table(row: Participant, visitor: uuid.UUID) -> Game:
    """Open a table with the settings of the study's first table, but not blind."""
    table = table_designs(row.study)[0]
    study_only = {s.key for s in rulesets.get(table.ruleset).settings if s.is_for_studies}
    game = opening.open_table(
        visitor,
        opening.TableOptions(
            ruleset=table.ruleset,
            settings={k: v for k, v in table.settings.items() if k not in study_only},
            pace=PACE,
            faces=table.faces,
            personas=table.personas,
            claims=table.claims,
            seed=f"{row.study.seed}/practice/{row.pseudonym}",
            use_characters=False,
        ),
    )
    Table.objects.filter(game=game).update(onward=row.study.current_step_path)
    Membership.objects.filter(game=game).update(host=False)
    return game


def call_off_practice(participant: Participant) -> None:
    """End the practice game of a participant who has left its stage."""
    game = participant.practice
    if game is None or game.ended_at:
        return
    with contextlib.suppress(Illegal):  # the game has ended just now
        game_actions.call_off(game.pk)
