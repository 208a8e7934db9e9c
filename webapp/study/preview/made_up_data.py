"""Made-up games and ratings of a preview, in a transaction that is rolled back."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from django.utils import timezone
from django.utils.translation import gettext as _

from game import game_actions, locked_game, selectors
from game.cached_games import OpenWindow
from game.engine import rulesets
from game.engine.events import Action, pick, rate, say
from game.engine.forms import Illegal, Ratings, Speech
from game.engine.seeded_random import SeededRandom
from game.models import Game
from webapp.study.design.instruments import Instrument
from webapp.study.design.rating_design import MAX_CONDITION_CHARS
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import RatingsStage, TableDesign
from webapp.study.games import situations
from webapp.study.models import (
    Assignment,
    Campaign,
    CampaignGame,
    Condition,
    Participant,
    Rater,
    Seating,
    Situations,
    Slot,
    Stimulus,
    Study,
)
from webapp.study.preview.positions import GAME_END, PREVIEW_KEY
from webapp.study.rater import assigning
from webapp.study.rating import unit_candidates, units
from webapp.study.sessions import slot_games, slots, study_campaigns

MAX_DEALS = 50  # deals tried until one gives people the roles that they must have
MAX_ANSWER_ROUNDS = 3000
SITUATIONS_END = 400  # statements before this position have made-up situations
RATED_GAME_NUMBER = 900  # larger than the numbers of the participant's games
MIN_STATEMENTS_PER_SEAT = 2  # a seat that has made this many passes if it may


def create_slot(study: Study, condition: Condition, number: int) -> Slot:
    """Create a slot of a condition with a deal that is drawn by `number`, or raise `Refused`."""
    table = TableDesign.from_json(condition.table)
    for attempt in range(MAX_DEALS):
        deal = f"{study.seed}/preview/{number}.{attempt}"
        roles = slots.deal_roles(table, deal)
        try:
            seats = slots.SeatBalance(len(roles)).choose_seats(table, roles, SeededRandom(deal))
            break
        except Refused:
            if attempt == MAX_DEALS - 1:
                raise
    index = slots.last_number(study, "index") + 1
    return Slot.objects.create(
        study=study, block=index, index=index, condition=condition, deal=deal, seats=seats
    )


def _create_participant(study: Study, number: int) -> Participant:
    now = timezone.now()
    return Participant.objects.create(
        study=study,
        pseudonym=f"preview-{number}",
        consented_at=now,
        seen_at=now,
        step_at=now,
        visitor=uuid.uuid4(),
    )


def seat_participants(
    slot: Slot, participant: Participant | None, round_: int = 1
) -> dict[int, Participant]:
    """Seat the participant, if given, and made-up ones in game `round_`. Return them by seat."""
    people = {}
    for number, seat in enumerate(slot.seats):
        own_participant = participant if number == 0 else None
        people[seat] = own_participant or _create_participant(slot.study, slot.index * 100 + number)
        Seating.objects.create(slot=slot, participant=people[seat], round=round_, seat=seat)
    return people


def begin_game(slot: Slot, people: Mapping[int, Participant]) -> Game:
    """Begin the slot's game without pauses, and return it."""
    slot.condition.table = {**slot.condition.table, "pace": slot_games.NO_PACE}
    game = slot_games.open_table(slot, people)
    for player in game.players.all():
        slot.seatings.filter(seat=player.seat).update(state=Seating.SEATED, player=player)
    slot.game = game
    slot.state = Slot.PLAYING
    slot.began_at = timezone.now()
    slot.save(update_fields=["game", "state", "began_at"])
    return game


def finish_game(slot: Slot) -> None:
    """Play the slot's game to its end."""
    assert slot.game
    play_until(slot.game, 0, GAME_END)
    slot.state = Slot.DONE
    slot.ended_at = timezone.now()
    slot.save(update_fields=["state", "ended_at"])


def play_until(game: Game, seat: int, moment: int) -> bool:
    """Answer for all players up to a moment of the game. Return whether the game continues then.

    The `seat` is that of the preview's participant, 0 for none. No player chooses it if there is
    another option, so that the participant stays in the game. The `moment` is 0 for the start of
    the game, n for the n-th question of a new kind to that seat, or GAME_END.
    """
    statements = Counter[int]()
    known_question_kinds = {
        w.window.kind for w in selectors.open_windows(game) if seat in w.missing
    }
    for _round in range(MAX_ANSWER_ROUNDS):
        windows = selectors.open_windows(game)
        if not windows:
            break
        question_kinds = {w.window.kind for w in windows if seat in w.missing}
        if moment != GAME_END:
            moment -= bool(question_kinds - known_question_kinds)
        if moment <= 0:
            return True
        known_question_kinds |= question_kinds
        _answer_all(game, windows, statements, seat)
    game.refresh_from_db()
    return not game.ended_at


def _answer_all(
    game: Game, windows: Sequence[OpenWindow], statements: Counter[int], spared_seat: int
) -> None:
    """Answer all open questions, and count each seat's statements."""
    is_stuck = True
    for window in windows:
        for seat in window.missing:
            with suppress(Illegal):  # an earlier answer has ended the game or the question
                action = _choose_answer(window, seat, statements, spared_seat)
                locked_game.record_answer(game.pk, seat, window.window.key, action)
                is_stuck = False
    if is_stuck and not game_actions.end_pauses(game.pk):
        raise RuntimeError(f"game {game.pk} waits for nobody")


def _choose_answer(
    window: OpenWindow, seat: int, statements: Counter[int], spared_seat: int
) -> Action:
    legal = window.window.legal
    if isinstance(legal, Speech):
        return _choose_statement(legal, seat, statements)
    if isinstance(legal, Ratings):
        return rate()
    all_options = legal.options_for(seat)
    options = [option for option in all_options if option != spared_seat] or all_options
    return pick(*options[: window.window.pick.count])


def _choose_statement(legal: Speech, seat: int, statements: Counter[int]) -> Action:
    statements[seat] += 1
    if statements[seat] > MIN_STATEMENTS_PER_SEAT and (legal.may_over or legal.may_skip):
        return Action("over" if legal.may_over else "skip")
    text = _("Sample text for the preview, number {n} of seat {seat}.")
    return say(text.format(n=statements[seat], seat=seat))


def open_campaign(study: Study, stage: RatingsStage, condition: Condition) -> Campaign:
    """Return the stage's campaign, open and with units. Refuse a stage with errors."""
    campaign = study_campaigns.get_or_create_campaign(study, stage)
    if not campaign.chosen_games.exists():
        game = _create_finished_game(study, campaign, condition)
        name = condition.name[:MAX_CONDITION_CHARS]
        CampaignGame.objects.create(campaign=campaign, game=game, condition=name)
    # All situations occur, so that each sample of units can be drawn.
    keys_by_position = {
        str(n): [situations.KEYS[n % len(situations.KEYS)]] for n in range(1, SITUATIONS_END)
    }
    for game in unit_candidates.games_without_situations(campaign):
        Situations.objects.update_or_create(
            game=game, defaults={"game_version": game.version, "keys_by_position": keys_by_position}
        )
    if not campaign.units.exists():
        _draw_units(campaign)
    unready = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
    unready.update(state="idle", text=_("Sample text of this system."), failure="")
    campaign.state = Campaign.OPEN
    campaign.save(update_fields=["state"])
    return campaign


def _draw_units(campaign: Campaign) -> None:
    (units.draw_added_games if campaign.games_of_id else units.draw_units)(campaign)
    if not campaign.units.exists():  # one game is too small for the sample
        campaign.choice = {**campaign.choice, "pick": "all", "speakers": "all", "teams": []}
        campaign.save(update_fields=["choice"])
        units.draw_units(campaign)


def _create_finished_game(study: Study, campaign: Campaign, condition: Condition) -> Game:
    """Create a finished made-up game, with a seat for each rank of a ranking."""
    dimensions = Instrument.from_json(campaign.instrument).dimensions
    deck_size = max((d.max for d in dimensions if d.rank), default=0)
    table = TableDesign.from_json(condition.table)
    if study.rates_only:
        fitting = [n for n in rulesets.names() if len(rulesets.get(n).deck) == deck_size]
        ruleset = fitting[0] if fitting else table.ruleset
        condition.table = TableDesign(ruleset=ruleset, people=1, blind=False).to_json()
    slot = create_slot(study, condition, RATED_GAME_NUMBER)
    people = {} if study.rates_only else seat_participants(slot, None)
    slot.game = begin_game(slot, people)
    finish_game(slot)
    slot.game.refresh_from_db()
    return slot.game


def prepare_rater(participant: Participant, campaign: Campaign, *, is_trained: bool) -> Rater:
    """Return the participant's rater. A trained one gets pages with keys that never change."""
    rater = study_campaigns.get_or_create_rater(participant, campaign)
    rater.key = PREVIEW_KEY
    rater.experience = 2
    rater.trained_at = timezone.now() if is_trained else None
    rater.save(update_fields=["key", "experience", "trained_at"])
    if is_trained:
        assigning.assign_pages(rater, visitor=participant.visitor)
        for page in assigning.rater_pages(rater):
            page.key = uuid.uuid5(uuid.NAMESPACE_URL, f"{participant.study.code}/{page.index}")
            page.save(update_fields=["key"])
    return rater


def mark_all_answered(rater: Rater) -> None:
    """Mark all pages of the rater as answered, so that they can be submitted."""
    now = timezone.now()
    Assignment.objects.filter(rater=rater).update(
        state=Assignment.ANSWERED, shown_at=now, first_answer_at=now, submitted_at=now
    )
