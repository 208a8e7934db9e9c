"""The game of a slot: opens its table, and moves its participants when it has ended."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agents.recipe import Recipe
from game import game_actions, lobby
from game.engine import rulesets
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp.play.models import ClaimsSheet, Desk, Membership, Table
from webapp.play.tables import seat_plans
from webapp.study.design.conditions import merge_tables
from webapp.study.design.participation_rules import settings_for_questions
from webapp.study.design.stages import Design, TableDesign
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import dropouts, lifecycle, participant_state, slots, study_events
from webapp.study.sessions.game_verdicts import find_verdict
from webapp.study.sessions.participant_state import GAME, WAITING, route

# Paces of tables. At the even one, times of answers do not reveal who is a person.
EVEN_PACE, NO_PACE = "even", "none"


def open_table(slot: Slot, people: Mapping[int, Participant]) -> Game:
    """Begin the slot's game with `people` (participants by seat).

    Without people it is played as fast as its players answer. A game that cannot be set up raises
    BadSetup, and an error in the design `Refused`.
    """
    design = participant_state.design_of(slot.study)
    table = _cast_seats(TableDesign.from_json(slot.condition.table), design, slot)
    in_play_settings = settings_for_questions(design.during, table.ruleset)
    pace = EVEN_PACE if table.blind and table.pace != NO_PACE else table.pace
    with transaction.atomic():
        game = lobby.create_game(
            table.ruleset,
            build_seat_plans(table, slot.deal, people),
            seed=slot.deal,
            settings={**table.settings, **in_play_settings, "blind": table.blind},
            pace=pace if people else NO_PACE,
            limits=_time_limits(table, people) if people else {},
        )
        if not people:  # an experiment's game has no page and uses none of the site's budget
            return game
        Table.objects.create(
            game=game,
            research=True,
            faces=table.faces,
            personas=table.personas,
            recipe=_build_recipe(table).data(),
            casting=table.casting,
            onward=slot.study.current_step_path,
        )
        if table.claims:
            ClaimsSheet.objects.create(game=game)
        _connect_browsers(game, people)
    return game


def _connect_browsers(game: Game, people: Mapping[int, Participant]) -> None:
    """Give the participants' browsers access to their seats, and count them as present."""
    players = list(game.players.filter(seat__in=people))
    players_by_visitor = {visitor: p for p in players if (visitor := people[p.seat].visitor)}
    Membership.objects.bulk_create(
        Membership(visitor=visitor, game=game, player=player)
        for visitor, player in players_by_visitor.items()
    )
    now = timezone.now()
    Desk.objects.bulk_create(Desk(player=player, seen_at=now) for player in players)


def _cast_seats(table: TableDesign, design: Design, slot: Slot) -> TableDesign:
    """Return the table with the settings of roles and of the league's systems at their seats."""
    settings = table.game_settings
    casting = seat_plans.casting_of_seats(table.casting, table.ruleset, settings, slot.deal)
    league = {system.name: system.seat for system in design.experiment.league}
    seats = {str(seat): league[name] for seat, name in enumerate(slot.systems, 1)}
    return table.model_copy(update={"casting": merge_tables(casting, seats)})


def time_factor_percent(people: Mapping[int, Participant]) -> int:
    """Return the longest time limits that a participant chose, in per cent of the usual ones."""
    return max((person.extra_time for person in people.values()), default=100)


def _time_limits(table: TableDesign, people: Mapping[int, Participant]) -> dict[str, int]:
    """Return clock -> seconds. One person at an open table has only the design's limits."""
    usual_limits = lobby.DEFAULT_LIMITS if table.blind or len(people) > 1 else {}
    factor = time_factor_percent(people)
    limits = {**usual_limits, **table.limits}
    return {clock: seconds * factor // 100 for clock, seconds in limits.items()}


def _build_recipe(table: TableDesign) -> Recipe:
    recipe = Recipe(
        table.backend,
        table.method,
        backends=table.backends,
        temperature=table.temperature,
        context=table.context,
        has_plain_speech=table.plain,
    )
    switches = {k: v for k, v in table.switches.items() if k in recipe.switch_values}
    return replace(recipe, switches=switches)


def build_seat_plans(
    table: TableDesign, seed: str, people: Mapping[int, Any]
) -> list[lobby.SeatPlan]:
    """Return the plan of each seat. A person's seat also has a recipe, for a stand-in."""
    count = len(rulesets.get(table.ruleset).table_names)
    seats = range(1, count + 1)
    # Seats whose agent gets a character. At a blind table, having none would reveal a person.
    characters = [] if table.blind else [seat for seat in seats if seat not in people]
    recipes = seat_plans.draw_recipes(_build_recipe(table), seed, table.casting, count, characters)
    plans = [
        lobby.SeatPlan(Player.PERSON if seat in people else Player.AGENT, recipe.data())
        for seat, recipe in zip(seats, recipes, strict=True)
    ]
    if not table.blind:
        plans = seat_plans.with_character_names(plans, recipes)
    return seat_plans.with_seat_names(plans, table.ruleset)


def on_game_changed(*, game: int, ended: bool, **_more: Any) -> None:
    """Finish the slot of a game that has ended (signal `game_changed`)."""
    if ended and (slot := Slot.objects.filter(game=game, state=Slot.PLAYING).first()):
        finish_slot(slot)


def finish_slot(slot: Slot) -> None:
    """Mark an ended game's slot as done, void or failed, and move its participants. Idempotent."""
    with slots.locked_study(slot.study_id) as study:
        row = Slot.objects.select_related("game").get(pk=slot.pk)
        game = row.game
        if row.state == Slot.PLAYING and (game is None or game.ended_at):
            row.ended_at = game.ended_at if game else timezone.now()
            row.save(update_fields=["ended_at"])
            state, cause = find_verdict(study, row)
            if state == Slot.VOID:
                slots.void_slot(row, cause, actor=study_events.CLOCK)
            elif state == Slot.FAILED:
                slots.fail_slot(row, cause)
            else:
                Slot.objects.filter(pk=row.pk).update(state=Slot.DONE)
                study_events.record_event(row, "done", actor=study_events.CLOCK)
    for seating in slot.seatings.filter(state=Seating.SEATED, participant__exit=""):
        sync_step(seating)


def sync_step(seating: Seating) -> None:
    """Move a seated participant to the step that matches the state of their game. Idempotent.

    That is the game's step once it has begun, the next step when it is over, and the waiting room
    if it was not played to its end. Two processes may see a game end at once. The seating is read
    under the lock; otherwise the second process could move a participant forward whom the first one
    has just sent back to the waiting room.
    """
    with participant_state.locked_participant(Participant(pk=seating.participant_id)) as person:
        seated = Seating.objects.filter(pk=seating.pk, state=Seating.SEATED)
        if row := seated.select_related("slot__game", "player").first():
            _sync_locked(person, row)


def _sync_locked(person: Participant, seating: Seating) -> None:
    slot = seating.slot
    step = participant_state.current_step(person)
    if person.exit or step.game != seating.round or step.kind not in (WAITING, GAME):
        return
    if step.kind == WAITING:
        if lifecycle.advance(person, step.index, actor=study_events.CLOCK):
            waited_s = F("waited_s") + seating.waited_s
            Participant.objects.filter(pk=person.pk).update(waited_s=waited_s)
        if slot.state != Slot.PLAYING:
            _sync_locked(participant_state.lock_participant(person), seating)
    elif slot.state == Slot.PLAYING:
        return
    elif slot.game and slot.game.ended_at and not slot.game.called_off:
        if seating.has_own_seat and not seating.away_since:  # they were at the table until the end
            participant_state.record_input(person)
        elif answered_at := dropouts.last_own_answer(seating):  # they were away at the end
            rows = Participant.objects.filter(pk=person.pk, input_at__lt=answered_at)
            rows.update(input_at=answered_at)
        lifecycle.advance(person, step.index, actor=study_events.CLOCK)
    else:
        _leave_cancelled_game(person, step.index, seating)


def _leave_cancelled_game(person: Participant, index: int, seating: Seating) -> None:
    """Move a participant from a cancelled game to the waiting room, or out of a closed study."""
    with participant_state.locked_participant(person):
        study = slots.lock_study(person.study_id)
        seated = Seating.objects.filter(pk=seating.pk, state=Seating.SEATED)
        if not seated.update(state=Seating.OUT):
            return
        if seating.slot.game_id:  # the slot was made void while the game went on
            with suppress(Illegal):
                game_actions.call_off(seating.slot.game_id)
        if study.state == Study.OPEN:
            lifecycle.return_to_waiting_room(person, index, waited_s=seating.waited_s)
        else:
            lifecycle.leave_by(person, "technical", actor=study_events.CLOCK, from_index=index)
        study_events.refresh_pages_on_commit([person.pk])


def out_of_sync_seatings(study: Study) -> list[Seating]:
    """Return seatings whose participants are not at the step that matches their game.

    The causes are a process that was killed, and slots that a researcher voided.
    """
    route_steps = route(participant_state.design_of(study))
    # Index of a step -> number of the participant's game.
    rooms = {s.index: s.game for s in route_steps if s.kind == WAITING}
    tables = {s.index: s.game for s in route_steps if s.kind == GAME}
    rows = Seating.objects.filter(slot__study=study, state=Seating.SEATED, participant__exit="")
    rows = rows.select_related("participant")
    still_waiting = rows.filter(participant__step__in=list(rooms))
    ended = rows.exclude(slot__state=Slot.PLAYING)
    still_playing = ended.filter(participant__step__in=list(tables))
    games = {**rooms, **tables}
    return [s for s in (*still_waiting, *still_playing) if games[s.participant.step] == s.round]
