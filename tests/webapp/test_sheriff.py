"""Tests of a person at a table with a Sheriff: pages that no other game has."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.template.loader import render_to_string
from django.test import Client

from game import locked_game, selectors
from game.engine import visibility
from game.engine.events import ABSTAIN, Rating, pick, rate
from game.models import Game, Player
from tests.game.table import any_answer, finish, new_game, open_window, play_until
from tests.webapp.tables import build_page
from webapp.play import visitors
from webapp.play.live.push import render_frame
from webapp.play.page.table_page import Page
from webapp.play.tables.your_games import visitor_games
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SHERIFF = {"election": False, "first_sheriff": "person"}


def test_game_without_a_winner_is_neither_won_nor_lost() -> None:
    game = new_game(2, ruleset="sheriff", seed="7", settings={"max_rounds": 1})
    player = Player.objects.get(game=game, seat=2)
    visitor = uuid.uuid4()
    visitors.seat_visitor(visitor, game, player)
    end = Page(Guest(finish(game), player, is_member=True)).end
    assert end is not None
    assert (end.result, end.announcement) == ("", "")
    assert end.headline.endswith("no one wins.")
    assert not any(row.has_won for row in end.rows)
    assert visitor_games(visitor)[0]["result"] == "No one wins."


def test_sheriff_page_explains_the_default_after_a_timeout() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF, limits={"vote": 60})
    play_until(game, "first_side")
    game.refresh_from_db()
    page = Page(Guest(game, Player.objects.get(game=game, seat=3), is_member=True))
    assert page.choice is not None
    assert [option.label for option in page.choice.options] == ["left", "right"]
    assert page.awaited.default == "then the first of these is chosen"


def test_sheriff_can_be_chosen_and_play_now_keeps_the_short_game(client: Client) -> None:
    page = client.get("/tables/new?ruleset=sheriff").content.decode()
    assert 'name="rule_max_rounds"' in page
    client.post("/play")
    assert Player.objects.latest("pk").game.ruleset == "one-night"


def open_game_with_role(role: str, **choices: Any) -> tuple[Game, int]:
    """Return a game in which a person holds `role`, and the seat."""
    for seed in map(str, range(60)):
        game = new_game(3, ruleset="sheriff", seed=seed, **choices)
        if selectors.view_for(game, visibility.seat(3)).role == role:
            return game, 3
    raise AssertionError(f"nobody is dealt {role}")


def answer_for_all(game: Game, target: int) -> None:
    """Let everybody who is asked choose `target`, where it is an option."""
    for window in selectors.open_windows(game):
        for seat in window.missing:
            options = window.window.options_for(seat)
            action = pick(target) if target in options else any_answer(window, seat)
            locked_game.record_answer(game.pk, seat, window.window.key, action)


def test_badge_is_shown_on_its_seat_and_moves_to_the_heir() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "first_side")
    assert [s.number for s in build_page(game, 1).seats if s.badges] == [3]
    frame = render_frame(build_page(game, 1))
    assert ", Sheriff" in frame
    assert "You are also the Sheriff." in render_frame(build_page(game, 3))
    play_until(game, "vote")
    answer_for_all(game, 3)
    assert build_page(game, 3).choice is not None, "the Sheriff chooses an heir"
    heir = open_window(game, "heir").window.options_for(3)[-1]
    locked_game.record_answer(game.pk, 3, open_window(game, "heir").window.key, pick(heir))
    assert [(s.number, s.badges) for s in build_page(game, 1).seats if s.badges] == [
        (heir, (("sheriff", "Sheriff"),))
    ]


def test_mentions_offer_the_living_players() -> None:
    game = new_game(1, 2, 3, 4, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "vote")
    answer_for_all(game, 3)
    play_until(game, "statement")
    page = next(p for p in (build_page(game, seat) for seat in (1, 2, 4)) if p.turn)
    assert page.turn
    living_names = [s.name for s in page.seats if not s.is_out and not s.is_me]
    assert len(living_names) < 6
    assert json.loads(page.turn.hearer_names) == living_names
    assert "data-living" in render_frame(page)
    assert page.turn.other_names == ""


def test_dead_player_sees_all_roles_after_passing_the_badge() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "vote")
    answer_for_all(game, 3)
    before = build_page(game, 3)
    assert len([s for s in before.seats if s.role]) <= 2
    assert not before.awaited.exit_text, "the badge has to be passed first"
    answer_for_all(game, 1)
    after = build_page(game, 3)
    assert all(seat.role for seat in after.seats)
    assert "You can see everyone’s role now." in after.awaited.exit_text
    assert 'id="gone"' in render_frame(after)
    assert after.choice is None
    assert after.turn is None
    for seat in (1, 2, 4, 5):
        living_page = build_page(game, seat)
        known_roles = selectors.view_for(game, visibility.seat(seat)).state.roles
        assert len(known_roles) <= 2
        assert {s.number for s in living_page.seats if s.role} == set(known_roles)
        assert not living_page.awaited.exit_text


def test_dead_player_sees_no_roles_where_the_table_forbids_it() -> None:
    game = new_game(3, ruleset="sheriff", settings={**SHERIFF, "dead_see": False})
    play_until(game, "vote")
    answer_for_all(game, 3)
    answer_for_all(game, 1)
    after = build_page(game, 3)
    assert len([s for s in after.seats if s.role]) <= 2
    assert "The roles stay hidden until the end." in after.awaited.exit_text


def test_werewolf_sees_the_choice_of_the_other_werewolf() -> None:
    game, seat = open_game_with_role("werewolf")
    (partner,) = (
        s for s in selectors.view_for(game, visibility.seat(seat)).state.roles if s != seat
    )
    window = open_window(game, "attack")
    locked_game.record_answer(game.pk, partner, window.window.key, pick(1))
    page = build_page(game, seat)
    names = {s.number: s.name for s in page.seats}
    assert page.choice is not None
    assert page.choice.earlier_answers == [f"{names[partner]} wants to attack {names[1]}."]
    assert page.me
    assert f"{names[partner]} is the other Werewolf." in page.me.private_facts
    other_pages = [build_page(game, s) for s in names if s not in (seat, partner)]
    assert not [p for p in other_pages if "wants to attack" in render_frame(p)]


def test_sheriff_sees_both_neighbours() -> None:
    game = new_game(1, ruleset="sheriff", settings=SHERIFF, seed="9")
    play_until(game, "first_side")
    page = build_page(game, 1)
    living_names = [s.name for s in page.seats if not s.is_out]
    assert page.choice
    assert [(o.label, o.name) for o in page.choice.options] == [
        ("left", living_names[-1]),
        ("right", living_names[1]),
    ]
    answer_for_all(game, 0)
    assert open_window(game, "statement").asked == (page.choice.options[0].seat.number,)  # type: ignore[union-attr]


def test_votes_are_counted_below_the_last_vote() -> None:
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    candidate = open_window(game, "election").window.pick.options[0]
    answer_for_all(game, int(candidate))
    lines = [e for e in build_page(game, 3).entries if e.kind == "vote"]
    name = build_page(game, 3).seats[int(candidate) - 1].name
    assert [e.tally for e in lines] == [""] * (len(lines) - 1) + [f"{name} has {len(lines)} votes."]


@pytest.mark.parametrize(
    ("leading", "rule"), [(0, "Of all who stand"), (2, "Of those with the most votes")]
)
def test_tied_election_explains_the_decision(leading: int, rule: str) -> None:
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    election = open_window(game, "election")
    drawn_order = election.window.pick.options
    # Two votes each for two candidates, or no vote at all.
    choices = [pick(int(drawn_order[-1 - turn % 2])) for turn in range(2 * leading)]
    for seat in election.missing:
        choice = choices.pop() if choices else ABSTAIN
        locked_game.record_answer(game.pk, seat, election.window.key, choice)
    page = build_page(game, 3)
    (tally,) = [e.tally for e in page.entries if e.tally]
    assert tally.endswith(f". {rule}, the first drawn becomes Sheriff.")
    log = selectors.view_for(game, visibility.PUBLIC).events
    (candidates,) = [event for event in log if event.kind == "candidates"]
    leaders = [s for s in candidates["seats"] if not leading or s in drawn_order[-2:]]
    assert [s.number for s in page.seats if s.badges] == leaders[:1]


def test_enter_key_sends_the_choice_and_no_abstention() -> None:
    """A browser uses a form's first button for Enter."""
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    form = render_to_string("play/choice_form.html", {"page": build_page(game, 3)})
    assert re.findall(r'<button type="submit"\s+id="([\w-]+)"', form) == [
        "choose-send",
        "choose-abstain",
    ]


def test_sheriff_game_starts_with_one_press_and_plain_names(client: Client) -> None:
    assert b'name="ruleset" value="sheriff"' in client.get("/").content
    client.post("/play", {"ruleset": "sheriff"})
    players = list(Player.objects.order_by("seat"))
    assert players[0].game.ruleset == "sheriff"
    assert not [p.name for p in players if "_" in p.name]
    client.post("/play", {"ruleset": "chess"})
    assert Player.objects.latest("pk").game.ruleset == "one-night"


def test_explanation_pages_match_the_rules(client: Client) -> None:
    rules = client.get("/rules/sheriff/").content.decode()
    assert "Rounds of talk" not in rules
    assert "player_" not in rules
    assert "Rounds of talk" in client.get("/rules/one-night/").content.decode()
    how_to_page = client.get("/how-to-play/sheriff/").content.decode()
    assert "in a tie, no one is" in how_to_page
    assert (
        "Everyone votes at the same time. The player with the most votes is out." not in how_to_page
    )
    assert 'name="ruleset" value="sheriff"' in how_to_page, "the page starts the game it explains"


def test_dependent_settings_name_the_setting_they_depend_on(client: Client) -> None:
    page = client.get("/tables/new?ruleset=sheriff").content.decode()
    common, advanced = page.split('id="advanced"')
    assert 'name="rule_dead_see"' in common
    assert 'name="rule_must_elect"' in advanced, "study settings are folded"
    assert common.count('data-needs="rule_election" data-needs-value="false"') == 6
    assert common.count('data-needs="rule_election" data-needs-value="true"') == 2


def test_rater_sees_the_talk_sorted_by_own_ratings() -> None:
    """A player above 6 is believed. Later statements are unrated. The transcript keeps order."""
    game, seat = open_game_with_role("villager", settings={**SHERIFF, "rate_people": True})
    rating, speakers = None, set[int]()
    while rating is None or len(speakers) < 3:
        assert build_page(game, seat).sorted_talk is None, "no player is rated yet"
        answer_for_all(game, 0)
        questions = [o for o in selectors.open_windows(game) if seat in o.missing]
        rating = next((o for o in questions if o.window.legal.name == "ratings"), None)
        speaker_numbers = [
            e.speaker.number
            for e in build_page(game, seat).entries
            if e.kind == "statement" and e.speaker
        ]
        speakers = {*speaker_numbers} - {seat}
    believed_seat, doubted_seat, *_ = sorted(speakers)
    ratings = rate(Rating(believed_seat, "seer", 7), Rating(doubted_seat, "werewolf", 9))
    locked_game.record_answer(game.pk, seat, rating.window.key, ratings)
    game.refresh_from_db()
    talk = build_page(game, seat).sorted_talk
    assert talk
    speakers_by_group = [
        sorted({x.speaker.number for x in g.lines if x.speaker}) for g in talk.groups
    ]
    assert speakers_by_group == [
        [believed_seat],
        [doubted_seat],
        sorted(speakers - {believed_seat, doubted_seat}),
    ]
    frame = render_frame(build_page(game, seat))
    assert "From players you doubt" in frame
    assert "From players you doubt" not in render_frame(build_page(game, believed_seat))
    assert [e.position for e in build_page(game, seat).entries] == sorted(
        e.position for e in build_page(game, seat).entries
    )


def test_casual_table_has_the_casual_rules(client: Client) -> None:
    client.post("/play", {"ruleset": "sheriff"})
    game = Game.objects.latest("pk")
    assert game.settings["safe_first_night"] is True
    assert game.settings["sheriff_breaks_ties"] is True
    assert game.settings["election_day"] is True
    form = client.get("/tables/new?ruleset=sheriff").content.decode()
    for key in ("safe_first_night", "sheriff_breaks_ties", "election_day"):
        field = BeautifulSoup(form, "html.parser").find(attrs={"name": f"rule_{key}"})
        assert field is not None
        assert field.has_attr("checked")
    rules = client.get("/rules/sheriff/").content.decode()
    assert "On the first night only the Seer acts, and no one is attacked" in rules
    assert "no one is voted out on this day" in rules


def test_disabled_casual_rules_are_not_stored() -> None:
    game = new_game(ruleset="sheriff", settings={"safe_first_night": False})
    assert "safe_first_night" not in game.settings


def test_only_a_candidate_reads_about_self_votes() -> None:
    for seed in map(str, range(20)):
        game = new_game(3, ruleset="sheriff", seed=seed)
        play_until(game, "election")
        window = open_window(game, "election")
        stands = 3 in window.window.options_for(3)
        choice = build_page(game, 3).choice
        assert choice
        assert ("yourself" in choice.help) == stands
        if not stands:
            return
    raise AssertionError("the person always stands")
