"""Participants rate the games of their study, never their own, and come back to their way.

The campaign takes up games while they rate. In the end they may learn who was who.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from game.engine import rulesets
from game.models import Game
from tests.study import rating, world
from tests.study.desk import sign_in
from tests.study.stages_world import (
    add_participant,
    add_seating,
    add_slot,
    create_study,
    get_page,
    post_step,
)
from tests.study.test_setup import form_data
from webapp.play.models import Membership
from webapp.study import data, tasks
from webapp.study.design.refusals import Refused
from webapp.study.models import (
    Assignment,
    Campaign,
    CampaignGame,
    Happening,
    Participant,
    Rater,
    Rating,
    Seating,
    Slot,
    Study,
)
from webapp.study.participant import debriefing
from webapp.study.planning import studies, study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.rater import assigning
from webapp.study.rating import campaigns, units
from webapp.study.sessions import lifecycle, participant_steps, rated_games

pytestmark = pytest.mark.django_db(transaction=True)
RATINGS = {"kind": "ratings", "instrument": "engagement", "items": 4}
WORDS = {"kind": "ratings", "instrument": "guarded", "items": 4}
GAME = {"kind": "game"}


def played(of: Study, seed: str, *people: int) -> tuple[Slot, Game]:
    """A valid game of the study, blind, with people in these seats."""
    game = world.ended_game(seed, names=dict.fromkeys(people, ""), blind=True)
    return add_slot(of, game), game


def only(of: Study) -> Campaign:
    return rated_games.campaigns_of(of).get()


def begin(client: Client, who: Participant) -> Rater:
    """Press "Begin" at the ratings, and go through the example."""
    answer = post_step(client, who, "rate")
    rater = Rater.objects.get(participant=who)
    assert answer["Location"] == f"/rate/as/{rater.key}/"
    client.get(answer["Location"])
    client.post(f"/rate/as/{rater.key}/example")
    return rater


def rate_all(client: Client, rater: Rater) -> Any:
    for assignment in assigning.rater_pages(rater):
        assert rating.rate_page(client, assignment).status_code == 200
    client.post(f"/rate/as/{rater.key}/all")
    return client.get(f"/rate/as/{rater.key}/")


def test_participant_rates_without_a_second_consent_and_returns(client: Client) -> None:
    made = create_study(GAME, RATINGS, {"kind": "debriefing"})
    for seed in ("1", "2"):
        played(made, seed, 1)
    who = add_participant(made, "ratings")
    assert "at most 4 pages" in get_page(client, who).content.decode()
    answer = post_step(client, who, "rate")
    first = client.get(answer["Location"])
    assert first["Location"].endswith("/example"), "the worked example, and nothing to agree to"
    rater = begin(client, who)
    assert rater.consented_at
    page = client.get(f"/rate/as/{rater.key}/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/rate/item/")
    assert "Continue rating" in get_page(client, who).content.decode()
    end = rate_all(client, rater)
    assert end["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"
    assert Rating.objects.filter(assignment__rater=rater).exists()


def test_participant_rates_no_own_game_on_any_device() -> None:
    made = create_study(GAME, RATINGS)
    mine, own = played(made, "1", 1)
    _slot, other = played(made, "2", 1)
    left, gone = played(made, "3", 1)
    who = add_participant(made, "ratings")
    add_seating(who, mine, 1)
    add_seating(who, left, 1, Seating.OUT)
    assert not Membership.objects.filter(visitor=who.visitor).exists(), "another browser sat there"
    rater = begin(Client(), who)
    assert [a.unit.game for a in assigning.rater_pages(rater)] == [other]
    assert {own, gone} <= {row.game for row in only(made).chosen.all()}


def test_released_seat_does_not_count_as_an_own_game() -> None:
    made = create_study(GAME, RATINGS)
    where, game = played(made, "1", 1)
    who = add_participant(made, "ratings")
    add_seating(who, where, 1, Seating.RELEASED)
    assert [a.unit.game for a in assigning.rater_pages(begin(Client(), who))] == [game]


def test_participant_without_units_continues_and_it_is_recorded(client: Client) -> None:
    made = create_study(GAME, RATINGS, {"kind": "debriefing"})
    where, _game = played(made, "1", 1)
    who = add_participant(made, "ratings")
    add_seating(who, where, 1)
    page = post_step(client, who, "rate").content.decode()
    assert "There is nothing for you to rate right now" in page
    assert 'value="onward"' in page
    assert not Happening.objects.filter(what="ratings:nothing_left").exists(), "not left yet"
    answer = post_step(client, who, "onward")
    assert answer["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"
    assert who.exit == ""
    noted = Happening.objects.get(what="ratings:nothing_left")
    assert noted.participant == who


def test_missing_campaign_skips_the_ratings_stage(client: Client) -> None:
    made = create_study(GAME, RATINGS | {"campaign": "nowhere"}, {"kind": "debriefing"})
    player = add_participant(made, "game")
    lifecycle.advance(player, player.step)
    player.refresh_from_db()
    assert participant_steps.current_step(player).kind == "ratings"
    get_page(client, player)
    player.refresh_from_db()
    assert participant_steps.current_step(player).kind == "debriefing"
    assert Happening.objects.filter(what="ratings:no_campaign").exists()


def test_withdrawn_units_lead_the_participant_on(client: Client) -> None:
    made = create_study(GAME, RATINGS, {"kind": "debriefing"})
    played(made, "1", 1)
    who = add_participant(made, "ratings")
    rater = begin(client, who)
    only(made).units.update(withdrawn=True)
    assert client.get(f"/rate/as/{rater.key}/")["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_exports_include_raters_without_experience(client: Client) -> None:
    made = create_study(GAME, RATINGS)
    played(made, "1", 1)
    rate_all(client, begin(client, add_participant(made, "ratings")))
    files = data.build_files(only(made))
    assert b"R001" in files["raters.csv"]
    assert files["ratings_long.csv"].count(b"answered") > 1


def test_finished_games_join_and_rated_units_stay(client: Client) -> None:
    made = create_study(GAME, RATINGS, {"kind": "debriefing"})
    played(made, "1", 1)
    first = add_participant(made, "ratings")
    rate_all(client, begin(client, first))
    campaign = only(made)
    before = list(campaign.units.values_list("pk", "index", "game", "position"))
    stated, hash_before = Rating.objects.count(), campaigns.config_hash(campaign)
    assert stated
    late, game = played(made, "2", 1)
    player = add_participant(made, "game")
    add_seating(player, late, 1)
    assert not campaign.chosen.filter(game=game).exists()
    lifecycle.advance(player, player.step)  # their game is over
    assert campaign.chosen.get(game=game).condition == "base"
    after = list(campaign.units.values_list("pk", "index", "game", "position"))
    assert after[: len(before)] == before
    assert [row[2] for row in after[len(before) :]] == [game.pk]
    assert Rating.objects.count() == stated
    assert campaigns.config_hash(campaign) == hash_before, "it is the same survey"
    rated_games.add_missing_games(made)
    assert campaign.units.count() == len(after), "once"


def test_units_added_over_time_equal_units_drawn_at_once() -> None:
    made = create_study(GAME, WORDS)
    for seed in ("1", "2", "3"):
        _slot, game = played(made, seed, 1)
        world.store_situations(game)
        rated_games.add_missing_games(made)
    campaign = only(made)
    assert campaign.units.count() > 20
    assert units._as_rows(campaign, units.plan_units(campaign)) == units._rows(campaign)


def test_statement_units_wait_for_a_worker_to_analyse_the_game(client: Client) -> None:
    made = create_study(GAME, WORDS, {"kind": "debriefing"})
    _slot, game = played(made, "1", 1)
    who = add_participant(made, "ratings")
    page = post_step(client, who, "rate")
    assert page.status_code == 200
    assert "Try again in a few seconds." in page.content.decode()
    assert not only(made).units.exists()
    tasks.situations(game.pk)
    assert only(made).units.exists(), "drawn as soon as it was read"
    assert assigning.rater_pages(begin(client, who))


def test_wait_for_the_worker_is_limited(client: Client) -> None:
    made = create_study(GAME, WORDS, {"kind": "debriefing"})
    played(made, "1", 1)
    who = add_participant(made, "ratings")
    Participant.objects.filter(pk=who.pk).update(
        step_at=timezone.now() - timezone.timedelta(minutes=2)
    )
    assert "nothing for you to rate" in post_step(client, who, "rate").content.decode()
    post_step(client, who, "onward")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_participant_with_fewer_pages_than_announced_is_informed(client: Client) -> None:
    made = create_study(GAME, {**WORDS, "items": 9})
    _slot, game = played(made, "1", 1)
    world.store_situations(game)
    who = add_participant(made, "ratings")
    post_step(client, who, "rate")
    rater = Rater.objects.get(participant=who)
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
    made = create_study(GAME, {**RATINGS, "items": 1})
    played(made, "1", 1)
    who = add_participant(made, "ratings")
    post_step(client, who, "rate")
    key = Rater.objects.get(participant=who).key
    assert "fewer than" not in client.get(f"/rate/as/{key}/", follow=True).content.decode()


def test_only_valid_games_join() -> None:
    made = create_study(GAME, RATINGS)
    add_slot(made, world.ended_game("1", blind=True), Slot.VOID)
    add_slot(made, world.ended_game("2", blind=True), Slot.PLAYING)
    rated_games.open_campaigns(made)
    rated_games.add_missing_games(made)
    assert only(made).state == Campaign.OPEN
    assert not CampaignGame.objects.exists()


def test_statements_of_all_seats_are_rated() -> None:
    made = create_study(GAME, WORDS)
    _slot, game = played(made, "1", 2)
    world.store_situations(game)
    rated_games.add_missing_games(made)
    seats = set(only(made).units.values_list("seat", flat=True))
    assert seats == set(range(1, 9))


def test_named_campaign_is_used_by_the_stage() -> None:
    owner = world.create_researcher()
    older = world.create_campaign(world.ended_game("9"), owner=owner, units_per_rater=1)
    made = create_study(
        GAME, RATINGS | {"campaign": older.code, "instrument": "guarded", "items": 1}
    )
    rated_games.open_campaigns(made)
    assert only(made) == older
    other = create_study(GAME, RATINGS | {"campaign": older.code})
    with pytest.raises(Refused):
        rated_games.open_campaigns(other)


def test_expired_ratings_stage_frees_slots_and_keeps_ratings(client: Client) -> None:
    made = create_study(GAME, RATINGS | {"minutes": 5}, {"kind": "debriefing"})
    for seed in ("1", "2"):
        played(made, seed, 1)
    who = add_participant(made, "ratings")
    rater = begin(client, who)
    first, second = assigning.rater_pages(rater)
    rating.rate_page(client, first)
    lifecycle.advance(who, who.step, actor="clock")
    second.refresh_from_db()
    assert second.state == Assignment.TIMED_OUT
    assert Rating.objects.filter(assignment=first).exists()
    late = client.get(f"/rate/as/{rater.key}/")
    assert late["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_rater_page_links_to_leaving_the_study(client: Client) -> None:
    made = create_study(GAME, RATINGS)
    played(made, "1", 1)
    who = add_participant(made, "ratings")
    rater = begin(client, who)
    item = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert f'href="/take/as/{who.key}/leave"' in item
    lifecycle.leave_by(who, "left")
    rater.refresh_from_db()
    assert rater.left_as == "withdrawn"
    assert not rater.assignments.filter(state=Assignment.OPEN).exists()


def test_rater_pages_show_no_private_link(client: Client) -> None:
    made = create_study(GAME, RATINGS)
    played(made, "1", 1)
    rater = begin(client, add_participant(made, "ratings"))
    page = client.get(f"/rate/as/{rater.key}/all").content.decode()
    assert "Your private link" not in page, "the study's leads back"


# -- the debriefing


def test_debriefing_reveals_the_players_of_own_games(client: Client) -> None:
    made = create_study(GAME, {"kind": "debriefing", "text": "We **asked** why.", "reveal": True})
    mine, game = played(made, "1", 2, 5)
    played(made, "2", 1)
    who = add_participant(made, "debriefing")
    add_seating(who, mine, 2)
    game.players.filter(seat=5).update(stand_in=True)
    page = get_page(client, who).content.decode()
    assert "<strong>asked</strong>" in page
    told = [" ".join(text.split()) for text in re.findall(r'class="tag">([^<]+)', page)]
    computer, later = "a computer player", "a person, later a computer player"
    assert told == [computer, "a person", *[computer] * 2, later, *[computer] * 3]
    assert page.count("(you)") == 1
    assert page.count("Who was who") == 1, "no other game"
    (revealed,) = debriefing.revealed_games(who)
    assert sorted(p.role_key for p in revealed.players) == sorted(rulesets.get("one-night").deck)
    assert "win" in revealed.result
    game.refresh_from_db()
    assert game.blind, "for all others the table stays blind"
    post_step(client, who, "on")
    who.refresh_from_db()
    assert who.exit == "completed"


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
    made = create_study(*stages)
    mine, _game = played(made, "1", 2)
    who = add_participant(made, "debriefing")
    add_seating(who, mine, 2)
    page = get_page(client, who).content.decode()
    assert "a computer player" not in page
    assert "Who was who" not in page


def test_ratings_stage_is_set_up_on_the_campaign_page() -> None:
    ada, stages = sign_in("ada"), [{"kind": "consent", "text": "Yes."}, GAME, RATINGS]
    made = studies.create(User.objects.get(username="ada"), "Ours", design={"stages": stages})
    way = f"/study/studies/{made.code}/setup/stages/3/ratings"
    address = ada.post(way)["Location"]
    assert 'name="consent"' not in ada.get(address).content.decode(), "the study has one"
    campaign = only(made)
    assert (
        ada.post(address, form_data(campaign, units_per_rater="7", context="3")).status_code == 302
    )
    assert ada.post(way)["Location"] == address
    made.refresh_from_db()
    ada.post(f"/study/studies/{made.code}/copy")
    for twin in (Study.objects.latest("pk"), read_again(made)):
        of_twin = only(twin)
        assert (of_twin.context, of_twin.units_per_rater, of_twin.state) == (3, 7, "draft")
        assert of_twin.pk != campaign.pk
    studies.open(made)
    campaign.refresh_from_db()
    assert (campaign.state, campaign.games_of) == ("open", made)


def test_rating_study_round_trips_through_its_file() -> None:
    rival = {"backend": "house", "method": "baseline"}
    exits = {"completed": {"code": "C1", "url": ""}}
    first = world.create_campaign(
        world.ended_game("1"), rival=rival, rival_condition="other", time_limit=600, exits=exits
    )
    twin = only(read_again(first.study))
    assert twin.study.rates_only
    for name in (*campaigns.STAGE_SETTINGS, *campaigns.STUDY_SETTINGS):
        assert getattr(twin, name) == getattr(first, name), name


def read_again(made: Study) -> Study:
    """The study that its own file makes."""
    file = DesignFile(made.name, rated_games.design_with_settings(made))
    read = study_file.parse_study_file(study_file.format_study_file(file))
    return studies.create(made.owner, read.name, design=read.design)
