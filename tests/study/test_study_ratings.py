"""Tests of the ratings stage, where participants rate games of their study, and the debriefing.

The campaign takes up finished games while they rate.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from game.engine import rulesets
from game.models import Game
from tests.study import rating, world
from tests.study.stage_factories import (
    GAME,
    RATINGS,
    add_participant,
    add_seating,
    add_slot,
    campaign_of,
    create_study,
    get_page,
    post_step,
)
from webapp.play.models import Membership
from webapp.study import tasks
from webapp.study.data import campaign_export as data
from webapp.study.design.refusals import Refused
from webapp.study.models import (
    Assignment,
    AuditEvent,
    Campaign,
    CampaignGame,
    Participant,
    Rater,
    Rating,
    Seating,
    Slot,
    Study,
)
from webapp.study.participant import debriefing
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, units
from webapp.study.sessions import lifecycle, participant_state, study_campaigns

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = {"kind": "ratings", "instrument": "guarded", "items": 4}


def add_finished_game(study: Study, seed: str, *people: int) -> tuple[Slot, Game]:
    """Add a valid blind game of the study with people in these seats."""
    game = world.ended_game(seed, names=dict.fromkeys(people, ""), blind=True)
    return add_slot(study, game), game


def begin_rating(client: Client, participant: Participant) -> Rater:
    """Press "Begin" at the ratings and pass the example."""
    response = post_step(client, participant, "rate")
    rater = Rater.objects.get(participant=participant)
    assert response["Location"] == f"/rate/as/{rater.key}/"
    client.get(response["Location"])
    client.post(f"/rate/as/{rater.key}/example")
    return rater


def rate_all_pages(client: Client, rater: Rater) -> Any:
    for assignment in assigning.rater_pages(rater):
        assert rating.rate_page(client, assignment).status_code == 200
    client.post(f"/rate/as/{rater.key}/all")
    return client.get(f"/rate/as/{rater.key}/")


def test_participant_rates_without_a_second_consent_and_returns(client: Client) -> None:
    study = create_study(GAME, RATINGS, {"kind": "debriefing"})
    for seed in ("1", "2"):
        add_finished_game(study, seed, 1)
    participant = add_participant(study, "ratings")
    assert "at most 4 pages" in get_page(client, participant).content.decode()
    response = post_step(client, participant, "rate")
    first = client.get(response["Location"])
    assert first["Location"].endswith("/example"), "the example comes without a consent"
    rater = begin_rating(client, participant)
    assert rater.consented_at
    page = client.get(f"/rate/as/{rater.key}/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/rate/item/")
    assert "Continue rating" in get_page(client, participant).content.decode()
    end = rate_all_pages(client, rater)
    assert end["Location"] == f"/take/go/{study.key}/"
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "debriefing"
    assert Rating.objects.filter(assignment__rater=rater).exists()


def test_participant_rates_no_own_game_on_any_device() -> None:
    study = create_study(GAME, RATINGS)
    own_slot, own_game = add_finished_game(study, "1", 1)
    _slot, other_game = add_finished_game(study, "2", 1)
    left_slot, left_game = add_finished_game(study, "3", 1)
    participant = add_participant(study, "ratings")
    add_seating(participant, own_slot, 1)
    add_seating(participant, left_slot, 1, Seating.OUT)
    assert not Membership.objects.filter(visitor=participant.visitor).exists(), "in another browser"
    rater = begin_rating(Client(), participant)
    assert [a.unit.game for a in assigning.rater_pages(rater)] == [other_game]
    assert {own_game, left_game} <= {row.game for row in campaign_of(study).chosen_games.all()}


def test_released_seat_does_not_count_as_an_own_game() -> None:
    study = create_study(GAME, RATINGS)
    released_slot, game = add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    add_seating(participant, released_slot, 1, Seating.RELEASED)
    assert [a.unit.game for a in assigning.rater_pages(begin_rating(Client(), participant))] == [
        game
    ]


def test_participant_without_units_continues_and_it_is_recorded(client: Client) -> None:
    study = create_study(GAME, RATINGS, {"kind": "debriefing"})
    own_slot, _game = add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    add_seating(participant, own_slot, 1)
    page = post_step(client, participant, "rate").content.decode()
    assert "There is nothing for you to rate right now" in page
    assert 'value="onward"' in page
    assert not AuditEvent.objects.filter(what="ratings:nothing_left").exists(), "not left yet"
    response = post_step(client, participant, "onward")
    assert response["Location"] == f"/take/go/{study.key}/"
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "debriefing"
    assert participant.exit == ""
    event = AuditEvent.objects.get(what="ratings:nothing_left")
    assert event.participant == participant


def test_missing_campaign_skips_the_ratings_stage(client: Client) -> None:
    study = create_study(GAME, RATINGS | {"campaign": "nowhere"}, {"kind": "debriefing"})
    player = add_participant(study, "game")
    lifecycle.advance(player, player.step)
    player.refresh_from_db()
    assert participant_state.current_step(player).kind == "ratings"
    get_page(client, player)
    player.refresh_from_db()
    assert participant_state.current_step(player).kind == "debriefing"
    assert AuditEvent.objects.filter(what="ratings:no_campaign").exists()


def test_withdrawn_units_lead_the_participant_on(client: Client) -> None:
    study = create_study(GAME, RATINGS, {"kind": "debriefing"})
    add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    rater = begin_rating(client, participant)
    campaign_of(study).units.update(withdrawn=True)
    assert client.get(f"/rate/as/{rater.key}/")["Location"] == f"/take/go/{study.key}/"
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "debriefing"


def test_exports_include_raters_without_experience(client: Client) -> None:
    study = create_study(GAME, RATINGS)
    add_finished_game(study, "1", 1)
    rate_all_pages(client, begin_rating(client, add_participant(study, "ratings")))
    files = data.build_files(campaign_of(study))
    assert b"R001" in files["raters.csv"]
    assert files["ratings_long.csv"].count(b"answered") > 1


def test_finished_games_join_and_rated_units_stay(client: Client) -> None:
    study = create_study(GAME, RATINGS, {"kind": "debriefing"})
    add_finished_game(study, "1", 1)
    first = add_participant(study, "ratings")
    rate_all_pages(client, begin_rating(client, first))
    campaign = campaign_of(study)
    before = list(campaign.units.values_list("pk", "index", "game", "position"))
    rating_count = Rating.objects.count()
    hash_before = campaigns.config_hash(campaign)
    assert rating_count
    late_slot, game = add_finished_game(study, "2", 1)
    player = add_participant(study, "game")
    add_seating(player, late_slot, 1)
    assert not campaign.chosen_games.filter(game=game).exists()
    lifecycle.advance(player, player.step)  # The participant's game is over.
    assert campaign.chosen_games.get(game=game).condition == "base"
    after = list(campaign.units.values_list("pk", "index", "game", "position"))
    assert after[: len(before)] == before
    assert [row[2] for row in after[len(before) :]] == [game.pk]
    assert Rating.objects.count() == rating_count
    assert campaigns.config_hash(campaign) == hash_before, "the configuration is unchanged"
    study_campaigns.add_missing_games(study)
    assert campaign.units.count() == len(after), "units are added once"


def test_units_added_over_time_equal_units_drawn_at_once() -> None:
    study = create_study(GAME, WORDS)
    for seed in ("1", "2", "3"):
        _slot, game = add_finished_game(study, seed, 1)
        world.store_situations(game)
        study_campaigns.add_missing_games(study)
    campaign = campaign_of(study)
    assert campaign.units.count() > 20
    assert units.are_stored(campaign, units.plan_units(campaign))


def test_statement_units_wait_for_a_worker_to_analyse_the_game(client: Client) -> None:
    study = create_study(GAME, WORDS, {"kind": "debriefing"})
    _slot, game = add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    page = post_step(client, participant, "rate")
    assert page.status_code == 200
    assert "Try again in a few seconds." in page.content.decode()
    assert not campaign_of(study).units.exists()
    tasks.situations(game.pk)
    assert campaign_of(study).units.exists(), "units are drawn after the analysis"
    assert assigning.rater_pages(begin_rating(client, participant))


def test_wait_for_the_worker_is_limited(client: Client) -> None:
    study = create_study(GAME, WORDS, {"kind": "debriefing"})
    add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    Participant.objects.filter(pk=participant.pk).update(
        step_at=timezone.now() - timezone.timedelta(minutes=2)
    )
    assert "nothing for you to rate" in post_step(client, participant, "rate").content.decode()
    post_step(client, participant, "onward")
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "debriefing"


def test_participant_with_fewer_pages_than_announced_is_informed(client: Client) -> None:
    study = create_study(GAME, {**WORDS, "items": 9})
    _slot, game = add_finished_game(study, "1", 1)
    world.store_situations(game)
    participant = add_participant(study, "ratings")
    post_step(client, participant, "rate")
    rater = Rater.objects.get(participant=participant)
    count = len(assigning.rater_pages(rater))
    assert 1 < count < 9
    page = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert f"You get {count} pages, which is fewer than announced" in " ".join(page.split())


def test_rater_with_fewer_pages_is_informed_on_the_first_page() -> None:
    campaign = rating.open_campaign("1")
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=60)
    client, rater = rating.enrol(campaign)
    first, second, *_more = pages = assigning.rater_pages(rater)
    sentence = f"You get {len(pages)} pages, which is fewer than announced"
    assert sentence in " ".join(client.get(rating.page_url(first)).content.decode().split())
    assert "fewer than" not in client.get(rating.page_url(second)).content.decode()


def test_rater_with_the_announced_pages_gets_no_notice(client: Client) -> None:
    study = create_study(GAME, {**RATINGS, "items": 1})
    add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    post_step(client, participant, "rate")
    key = Rater.objects.get(participant=participant).key
    assert "fewer than" not in client.get(f"/rate/as/{key}/", follow=True).content.decode()


def test_only_valid_games_join() -> None:
    study = create_study(GAME, RATINGS)
    add_slot(study, world.ended_game("1", blind=True), Slot.VOID)
    add_slot(study, world.ended_game("2", blind=True), Slot.PLAYING)
    study_campaigns.open_campaigns(study)
    study_campaigns.add_missing_games(study)
    assert campaign_of(study).state == Campaign.OPEN
    assert not CampaignGame.objects.exists()


def test_statements_of_all_seats_are_rated() -> None:
    study = create_study(GAME, WORDS)
    _slot, game = add_finished_game(study, "1", 2)
    world.store_situations(game)
    study_campaigns.add_missing_games(study)
    seats = set(campaign_of(study).units.values_list("seat", flat=True))
    assert seats == set(range(1, 9))


def test_named_campaign_is_used_by_the_stage() -> None:
    owner = world.create_researcher()
    older = world.create_campaign(world.ended_game("9"), owner=owner, units_per_rater=1)
    study = create_study(
        GAME, RATINGS | {"campaign": older.code, "instrument": "guarded", "items": 1}
    )
    study_campaigns.open_campaigns(study)
    assert campaign_of(study) == older
    other_study = create_study(GAME, RATINGS | {"campaign": older.code})
    with pytest.raises(Refused):
        study_campaigns.open_campaigns(other_study)


def test_expired_ratings_stage_frees_slots_and_keeps_ratings(client: Client) -> None:
    study = create_study(GAME, RATINGS | {"minutes": 5}, {"kind": "debriefing"})
    for seed in ("1", "2"):
        add_finished_game(study, seed, 1)
    participant = add_participant(study, "ratings")
    rater = begin_rating(client, participant)
    first, second = assigning.rater_pages(rater)
    rating.rate_page(client, first)
    lifecycle.advance(participant, participant.step, actor="clock")
    second.refresh_from_db()
    assert second.state == Assignment.TIMED_OUT
    assert Rating.objects.filter(assignment=first).exists()
    late = client.get(f"/rate/as/{rater.key}/")
    assert late["Location"] == f"/take/go/{study.key}/"
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "debriefing"


def test_rater_page_links_to_leaving_the_study(client: Client) -> None:
    study = create_study(GAME, RATINGS)
    add_finished_game(study, "1", 1)
    participant = add_participant(study, "ratings")
    rater = begin_rating(client, participant)
    item = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert f'href="/take/as/{participant.key}/leave"' in item
    lifecycle.leave_by(participant, "left")
    rater.refresh_from_db()
    assert rater.left_as == "withdrawn"
    assert not rater.assignments.filter(state=Assignment.OPEN).exists()


def test_rater_pages_show_no_private_link(client: Client) -> None:
    study = create_study(GAME, RATINGS)
    add_finished_game(study, "1", 1)
    rater = begin_rating(client, add_participant(study, "ratings"))
    page = client.get(f"/rate/as/{rater.key}/all").content.decode()
    assert "Your private link" not in page, "the study's own link leads back"


# -- debriefing


def test_debriefing_reveals_the_players_of_own_games(client: Client) -> None:
    study = create_study(GAME, {"kind": "debriefing", "text": "We **asked** why.", "reveal": True})
    own_slot, game = add_finished_game(study, "1", 2, 5)
    add_finished_game(study, "2", 1)
    participant = add_participant(study, "debriefing")
    add_seating(participant, own_slot, 2)
    game.players.filter(seat=5).update(stand_in=True)
    page = get_page(client, participant).content.decode()
    assert "<strong>asked</strong>" in page
    kinds = [" ".join(text.split()) for text in re.findall(r'class="tag">([^<]+)', page)]
    computer, later = "a computer player", "a person, later a computer player"
    assert kinds == [computer, "a person", *[computer] * 2, later, *[computer] * 3]
    assert page.count("(you)") == 1
    assert page.count("Who was who") == 1, "only the participant's game is shown"
    (revealed,) = debriefing.revealed_games(participant)
    assert sorted(p["role_key"] for p in revealed["players"]) == sorted(
        rulesets.get("one-night").deck
    )
    assert "win" in revealed["result"]
    game.refresh_from_db()
    assert game.blind, "the table stays blind for others"
    post_step(client, participant, "on")
    participant.refresh_from_db()
    assert participant.exit == "completed"


@pytest.mark.parametrize(
    "stages",
    [
        [GAME, {"kind": "debriefing", "reveal": False}],
        [{"kind": "debriefing", "reveal": True}, GAME],
    ],
)
def test_debriefing_reveals_nothing_without_switch_or_before_a_game(
    client: Client, stages: list[dict[str, Any]]
) -> None:
    study = create_study(*stages)
    own_slot, _game = add_finished_game(study, "1", 2)
    participant = add_participant(study, "debriefing")
    add_seating(participant, own_slot, 2)
    page = get_page(client, participant).content.decode()
    assert "a computer player" not in page
    assert "Who was who" not in page
