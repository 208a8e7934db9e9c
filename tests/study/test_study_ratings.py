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
from tests.study.desk import signed_in
from tests.study.stages_world import participant, post, seat, show, slot, study
from tests.study.test_setup import entered
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
from webapp.study.rating import campaigns, unit_rows, units
from webapp.study.sessions import lifecycle, participant_steps, rated_games

pytestmark = pytest.mark.django_db(transaction=True)
RATINGS = {"kind": "ratings", "instrument": "engagement", "items": 4}
WORDS = {"kind": "ratings", "instrument": "guarded", "items": 4}
GAME = {"kind": "game"}


def played(of: Study, seed: str, *people: int) -> tuple[Slot, Game]:
    """A valid game of the study, blind, with people in these seats."""
    game = world.finished(seed, names=dict.fromkeys(people, ""), blind=True)
    return slot(of, game), game


def only(of: Study) -> Campaign:
    return rated_games.campaigns_of(of).get()


def begin(client: Client, who: Participant) -> Rater:
    """Press "Begin" at the ratings, and go through the example."""
    answer = post(client, who, "rate")
    rater = Rater.objects.get(participant=who)
    assert answer["Location"] == f"/rate/as/{rater.key}/"
    client.get(answer["Location"])
    client.post(f"/rate/as/{rater.key}/example")
    return rater


def rate_all(client: Client, rater: Rater) -> Any:
    for assignment in assigning.rater_pages(rater):
        assert rating.rate(client, assignment).status_code == 200
    client.post(f"/rate/as/{rater.key}/all")
    return client.get(f"/rate/as/{rater.key}/")


def test_one_rates_without_a_second_consent_and_comes_back(client: Client) -> None:
    made = study(GAME, RATINGS, {"kind": "debriefing"})
    for seed in ("1", "2"):
        played(made, seed, 1)
    who = participant(made, "ratings")
    assert "at most 4 pages" in show(client, who).content.decode()
    answer = post(client, who, "rate")
    first = client.get(answer["Location"])
    assert first["Location"].endswith("/example"), "the worked example, and nothing to agree to"
    rater = begin(client, who)
    assert rater.consented_at
    page = client.get(f"/rate/as/{rater.key}/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/rate/item/")
    assert "Continue rating" in show(client, who).content.decode()
    end = rate_all(client, rater)
    assert end["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"
    assert Rating.objects.filter(assignment__rater=rater).exists()


def test_never_a_game_of_ones_own_on_any_device() -> None:
    made = study(GAME, RATINGS)
    mine, own = played(made, "1", 1)
    _slot, other = played(made, "2", 1)
    left, gone = played(made, "3", 1)
    who = participant(made, "ratings")
    seat(who, mine, 1)
    seat(who, left, 1, Seating.OUT)
    assert not Membership.objects.filter(visitor=who.visitor).exists(), "another browser sat there"
    rater = begin(Client(), who)
    assert [a.unit.game for a in assigning.rater_pages(rater)] == [other]
    assert {own, gone} <= {row.game for row in only(made).chosen.all()}


def test_a_seat_that_was_never_taken_is_no_own_game() -> None:
    made = study(GAME, RATINGS)
    where, game = played(made, "1", 1)
    who = participant(made, "ratings")
    seat(who, where, 1, Seating.RELEASED)
    assert [a.unit.game for a in assigning.rater_pages(begin(Client(), who))] == [game]


def test_with_nothing_left_one_goes_on_and_it_is_on_record(client: Client) -> None:
    made = study(GAME, RATINGS, {"kind": "debriefing"})
    where, _game = played(made, "1", 1)
    who = participant(made, "ratings")
    seat(who, where, 1)
    page = post(client, who, "rate").content.decode()
    assert "There is nothing for you to rate right now" in page
    assert 'value="onward"' in page
    assert not Happening.objects.filter(what="ratings:nothing_left").exists(), "not left yet"
    answer = post(client, who, "onward")
    assert answer["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"
    assert who.exit == ""
    noted = Happening.objects.get(what="ratings:nothing_left")
    assert noted.participant == who


def test_a_campaign_that_is_gone_is_no_dead_end(client: Client) -> None:
    made = study(GAME, RATINGS | {"campaign": "nowhere"}, {"kind": "debriefing"})
    player = participant(made, "game")
    lifecycle.advance(player, player.step)
    player.refresh_from_db()
    assert participant_steps.current_step(player).kind == "ratings"
    show(client, player)
    player.refresh_from_db()
    assert participant_steps.current_step(player).kind == "debriefing"
    assert Happening.objects.filter(what="ratings:no_campaign").exists()


def test_what_was_given_and_is_gone_leads_on_as_well(client: Client) -> None:
    made = study(GAME, RATINGS, {"kind": "debriefing"})
    played(made, "1", 1)
    who = participant(made, "ratings")
    rater = begin(client, who)
    only(made).units.update(withdrawn=True)
    assert client.get(f"/rate/as/{rater.key}/")["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_the_exports_hold_raters_who_were_asked_no_experience(client: Client) -> None:
    made = study(GAME, RATINGS)
    played(made, "1", 1)
    rate_all(client, begin(client, participant(made, "ratings")))
    files = data.build_files(only(made))
    assert b"R001" in files["raters.csv"]
    assert files["ratings_long.csv"].count(b"answered") > 1


def test_games_join_as_they_end_and_what_is_rated_stays(client: Client) -> None:
    made = study(GAME, RATINGS, {"kind": "debriefing"})
    played(made, "1", 1)
    first = participant(made, "ratings")
    rate_all(client, begin(client, first))
    campaign = only(made)
    before = list(campaign.units.values_list("pk", "index", "game", "position"))
    stated, hash_before = Rating.objects.count(), campaigns.config_hash(campaign)
    assert stated
    late, game = played(made, "2", 1)
    player = participant(made, "game")
    seat(player, late, 1)
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


def test_drawn_at_once_or_grown_they_are_the_same_units() -> None:
    made = study(GAME, WORDS)
    for seed in ("1", "2", "3"):
        _slot, game = played(made, seed, 1)
        world.read(game)
        rated_games.add_missing_games(made)
    campaign = only(made)
    assert campaign.units.count() > 20
    assert unit_rows.planned_rows(campaign, units.plan_units(campaign)) == unit_rows.stored_rows(
        campaign
    )


def test_words_wait_for_a_worker_who_reads_the_game(client: Client) -> None:
    made = study(GAME, WORDS, {"kind": "debriefing"})
    _slot, game = played(made, "1", 1)
    who = participant(made, "ratings")
    page = post(client, who, "rate")
    assert page.status_code == 200
    assert "Try again in a few seconds." in page.content.decode()
    assert not only(made).units.exists()
    tasks.situations(game.pk)
    assert only(made).units.exists(), "drawn as soon as it was read"
    assert assigning.rater_pages(begin(client, who))


def test_nobody_waits_for_a_worker_for_ever(client: Client) -> None:
    made = study(GAME, WORDS, {"kind": "debriefing"})
    played(made, "1", 1)
    who = participant(made, "ratings")
    Participant.objects.filter(pk=who.pk).update(
        step_at=timezone.now() - timezone.timedelta(minutes=2)
    )
    assert "nothing for you to rate" in post(client, who, "rate").content.decode()
    post(client, who, "onward")
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_who_gets_fewer_pages_than_announced_is_told(client: Client) -> None:
    made = study(GAME, {**WORDS, "items": 9})
    _slot, game = played(made, "1", 1)
    world.read(game)
    who = participant(made, "ratings")
    post(client, who, "rate")
    rater = Rater.objects.get(participant=who)
    count = len(assigning.rater_pages(rater))
    assert 1 < count < 9
    page = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert f"You get {count} pages, which is fewer than announced" in " ".join(page.split())


def test_who_only_rates_learns_of_fewer_pages_on_the_first_one() -> None:
    campaign = rating.opened("1")
    Campaign.objects.filter(pk=campaign.pk).update(units_per_rater=60)
    client, rater = rating.enrolled(campaign)
    first, second, *_more = pages = assigning.rater_pages(rater)
    sentence = f"You get {len(pages)} pages, which is fewer than announced"
    assert sentence in " ".join(client.get(rating.item(first)).content.decode().split())
    assert "fewer than" not in client.get(rating.item(second)).content.decode()


def test_who_gets_what_was_announced_is_told_nothing(client: Client) -> None:
    made = study(GAME, {**RATINGS, "items": 1})
    played(made, "1", 1)
    who = participant(made, "ratings")
    post(client, who, "rate")
    key = Rater.objects.get(participant=who).key
    assert "fewer than" not in client.get(f"/rate/as/{key}/", follow=True).content.decode()


def test_only_valid_games_join() -> None:
    made = study(GAME, RATINGS)
    slot(made, world.finished("1", blind=True), Slot.VOID)
    slot(made, world.finished("2", blind=True), Slot.PLAYING)
    rated_games.open_campaigns(made)
    rated_games.add_missing_games(made)
    assert only(made).state == Campaign.OPEN
    assert not CampaignGame.objects.exists()


def test_everybodys_words_are_rated_so_that_nothing_tells_who_is_a_person() -> None:
    made = study(GAME, WORDS)
    _slot, game = played(made, "1", 2)
    world.read(game)
    rated_games.add_missing_games(made)
    seats = set(only(made).units.values_list("seat", flat=True))
    assert seats == set(range(1, 9))


def test_a_campaign_of_ones_own_is_used_where_the_stage_names_it() -> None:
    owner = world.researcher()
    older = world.campaign(world.finished("9"), owner=owner, units_per_rater=1)
    made = study(GAME, RATINGS | {"campaign": older.code, "instrument": "guarded", "items": 1})
    rated_games.open_campaigns(made)
    assert only(made) == older
    other = study(GAME, RATINGS | {"campaign": older.code})
    with pytest.raises(Refused):
        rated_games.open_campaigns(other)


def test_time_over_frees_the_places_and_keeps_what_was_rated(client: Client) -> None:
    made = study(GAME, RATINGS | {"minutes": 5}, {"kind": "debriefing"})
    for seed in ("1", "2"):
        played(made, seed, 1)
    who = participant(made, "ratings")
    rater = begin(client, who)
    first, second = assigning.rater_pages(rater)
    rating.rate(client, first)
    lifecycle.advance(who, who.step, actor="clock")
    second.refresh_from_db()
    assert second.state == Assignment.TIMED_OUT
    assert Rating.objects.filter(assignment=first).exists()
    late = client.get(f"/rate/as/{rater.key}/")
    assert late["Location"] == f"/take/go/{made.key}/"
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "debriefing"


def test_stop_on_a_raters_page_leads_to_the_way_where_leaving_is_told(client: Client) -> None:
    made = study(GAME, RATINGS)
    played(made, "1", 1)
    who = participant(made, "ratings")
    rater = begin(client, who)
    item = client.get(f"/rate/as/{rater.key}/", follow=True).content.decode()
    assert f'href="/take/as/{who.key}/leave"' in item
    lifecycle.leave_by(who, "left")
    rater.refresh_from_db()
    assert rater.left_as == "withdrawn"
    assert not rater.assignments.filter(state=Assignment.OPEN).exists()


def test_the_pages_tell_no_link_of_their_own(client: Client) -> None:
    made = study(GAME, RATINGS)
    played(made, "1", 1)
    rater = begin(client, participant(made, "ratings"))
    page = client.get(f"/rate/as/{rater.key}/all").content.decode()
    assert "Your private link" not in page, "the study's leads back"


# -- the debriefing


def test_the_debriefing_tells_who_was_who_in_ones_own_games(client: Client) -> None:
    made = study(GAME, {"kind": "debriefing", "text": "We **asked** why.", "reveal": True})
    mine, game = played(made, "1", 2, 5)
    played(made, "2", 1)
    who = participant(made, "debriefing")
    seat(who, mine, 2)
    game.players.filter(seat=5).update(stand_in=True)
    page = show(client, who).content.decode()
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
    post(client, who, "on")
    who.refresh_from_db()
    assert who.exit == "completed"


@pytest.mark.parametrize(
    "stages",
    [
        [GAME, {"kind": "debriefing", "reveal": False}],
        [{"kind": "debriefing", "reveal": True}, GAME],
    ],
)
def test_without_the_switch_or_with_a_game_ahead_nothing_is_told(
    client: Client, stages: list[dict[str, Any]]
) -> None:
    made = study(*stages)
    mine, _game = played(made, "1", 2)
    who = participant(made, "debriefing")
    seat(who, mine, 2)
    page = show(client, who).content.decode()
    assert "a computer player" not in page
    assert "Who was who" not in page


def test_ratings_of_a_study_with_games_are_set_up_on_the_page_of_all_ratings() -> None:
    ada, stages = signed_in("ada"), [{"kind": "consent", "text": "Yes."}, GAME, RATINGS]
    made = studies.create(User.objects.get(username="ada"), "Ours", design={"stages": stages})
    way = f"/study/studies/{made.code}/setup/stages/3/ratings"
    address = ada.post(way)["Location"]
    assert 'name="consent"' not in ada.get(address).content.decode(), "the study has one"
    campaign = only(made)
    assert ada.post(address, entered(campaign, units_per_rater="7", context="3")).status_code == 302
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


def test_file_of_a_study_that_only_rates_makes_the_same_study() -> None:
    rival = {"backend": "house", "method": "baseline"}
    exits = {"completed": {"code": "C1", "url": ""}}
    first = world.campaign(
        world.finished("1"), rival=rival, rival_condition="other", time_limit=600, exits=exits
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
