"""A person at a table with a Sheriff: what the pages say of what no other game has."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.template.loader import render_to_string
from django.test import Client

from game import selectors, services
from game.engine import visibility
from game.engine.forms import ABSTAIN, Rating, pick, rate
from game.models import Game, Player
from tests.game.table import any_answer, finish, new_game, open_window, play_until
from webapp.play import visitors
from webapp.play.live.push import render_frame
from webapp.play.page.page_builder import page_for
from webapp.play.page.page_parts import Page
from webapp.play.tables.home import visitor_games
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SHERIFF = {"election": False, "first_sheriff": "person"}


def test_a_game_that_nobody_won_is_neither_won_nor_lost() -> None:
    game = new_game(2, ruleset="sheriff", seed="7", settings={"max_rounds": 1})
    player = Player.objects.get(game=game, seat=2)
    visitor = uuid.uuid4()
    visitors.seat_visitor(visitor, game, player)
    end = page_for(Guest(finish(game), player, is_member=True)).end
    assert end is not None
    assert (end.result, end.announcement) == ("", "")
    assert end.headline.endswith("no one wins.")
    assert not any(row.has_won for row in end.rows)
    assert visitor_games(visitor)[0]["result"] == "No one wins."


def test_a_sheriff_is_told_what_happens_where_the_time_runs_out() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF, limits={"vote": 60})
    play_until(game, "first_side")
    game.refresh_from_db()
    page = page_for(Guest(game, Player.objects.get(game=game, seat=3), is_member=True))
    assert page.choice is not None
    assert [option.label for option in page.choice.options] == ["left", "right"]
    assert page.awaited.default == "then the first of these is chosen"


def test_who_opens_a_table_may_choose_it_and_play_now_stays_the_short_game(client: Client) -> None:
    page = client.get("/tables/new?ruleset=sheriff").content.decode()
    assert 'name="rule_max_rounds"' in page
    client.post("/play")
    assert Player.objects.latest("pk").game.ruleset == "one-night"


def page_of(game: Game, seat: int) -> Page:
    game.refresh_from_db()
    return page_for(Guest(game, Player.objects.get(game=game, seat=seat), is_member=True))


def seated(role: str, **choices: Any) -> tuple[Game, int]:
    """A game in which a person holds `role`, and the seat."""
    for seed in map(str, range(60)):
        game = new_game(3, ruleset="sheriff", seed=seed, **choices)
        if selectors.view_for(game, visibility.seat(3)).role == role:
            return game, 3
    raise AssertionError(f"nobody is dealt {role}")


def answer_all(game: Game, target: int) -> None:
    """Everybody who is asked chooses `target`, where they may."""
    for window in selectors.open_windows(game):
        for seat in window.missing:
            options = window.window.options_for(seat)
            chosen = pick(target) if target in options else any_answer(window, seat)
            services.answer(game.pk, seat, window.window.key, chosen)


def test_the_badge_stands_on_its_seat_and_moves_when_it_is_handed_on() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "first_side")
    assert [s.number for s in page_of(game, 1).seats if s.badges] == [3]
    shown = render_frame(page_of(game, 1))
    assert ", Sheriff" in shown
    assert "You are also the Sheriff." in render_frame(page_of(game, 3))
    play_until(game, "vote")
    answer_all(game, 3)
    assert page_of(game, 3).choice is not None, "who gets the badge"
    heir = open_window(game, "heir").window.options_for(3)[-1]
    services.answer(game.pk, 3, open_window(game, "heir").window.key, pick(heir))
    assert [(s.number, s.badges) for s in page_of(game, 1).seats if s.badges] == [
        (heir, (("sheriff", "Sheriff"),))
    ]


def test_an_at_offers_the_others_who_live() -> None:
    game = new_game(1, 2, 3, 4, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "vote")
    answer_all(game, 3)
    play_until(game, "statement")
    page = next(p for p in (page_of(game, seat) for seat in (1, 2, 4)) if p.turn)
    assert page.turn
    living = [s.name for s in page.seats if not s.is_out and not s.is_me]
    assert len(living) < 6
    assert json.loads(page.turn.living) == living
    assert "data-living" in render_frame(page)
    assert page.turn.names == ""


def test_who_is_out_sees_all_roles_after_handing_on_the_badge_and_the_living_none() -> None:
    game = new_game(3, ruleset="sheriff", settings=SHERIFF)
    play_until(game, "vote")
    answer_all(game, 3)
    before = page_of(game, 3)
    assert len([s for s in before.seats if s.role]) <= 2
    assert not before.awaited.exit_text, "there is something to do yet"
    answer_all(game, 1)
    after = page_of(game, 3)
    assert all(seat.role for seat in after.seats)
    assert "You can see everyone’s role now." in after.awaited.exit_text
    assert 'id="gone"' in render_frame(after)
    assert after.choice is None
    assert after.turn is None
    for seat in (1, 2, 4, 5):
        living = page_of(game, seat)
        known = selectors.view_for(game, visibility.seat(seat)).state.roles
        assert len(known) <= 2
        assert {s.number for s in living.seats if s.role} == set(known)
        assert not living.awaited.exit_text


def test_where_the_table_does_not_allow_it_the_dead_see_no_roles() -> None:
    game = new_game(3, ruleset="sheriff", settings={**SHERIFF, "dead_see": False})
    play_until(game, "vote")
    answer_all(game, 3)
    answer_all(game, 1)
    after = page_of(game, 3)
    assert len([s for s in after.seats if s.role]) <= 2
    assert "The roles stay hidden until the end." in after.awaited.exit_text


def test_a_werewolf_reads_beside_the_choice_what_the_other_chose() -> None:
    game, seat = seated("werewolf")
    (other,) = (s for s in selectors.view_for(game, visibility.seat(seat)).state.roles if s != seat)
    window = open_window(game, "attack")
    services.answer(game.pk, other, window.window.key, pick(1))
    page = page_of(game, seat)
    names = {s.number: s.name for s in page.seats}
    assert page.choice is not None
    assert page.choice.earlier_answers == [f"{names[other]} wants to attack {names[1]}."]
    assert page.me
    assert f"{names[other]} is the other Werewolf." in page.me.knows
    shown = [page_of(game, s) for s in names if s not in (seat, other)]
    assert not [p for p in shown if "wants to attack" in render_frame(p)]


def test_a_sheriff_sees_who_sits_on_either_side() -> None:
    game = new_game(1, ruleset="sheriff", settings=SHERIFF, seed="9")
    play_until(game, "first_side")
    page = page_of(game, 1)
    living = [s.name for s in page.seats if not s.is_out]
    assert page.choice
    assert [(o.label, o.name) for o in page.choice.options] == [
        ("left", living[-1]),
        ("right", living[1]),
    ]
    answer_all(game, 0)
    assert open_window(game, "statement").asked == (page.choice.options[0].seat.number,)  # type: ignore[union-attr]


def test_the_votes_are_counted_under_the_last_of_them() -> None:
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    wanted = open_window(game, "election").window.pick.options[0]
    answer_all(game, int(wanted))
    lines = [e for e in page_of(game, 3).entries if e.kind == "vote"]
    name = page_of(game, 3).seats[int(wanted) - 1].name
    assert [e.tally for e in lines] == [""] * (len(lines) - 1) + [f"{name} has {len(lines)} votes."]


@pytest.mark.parametrize(
    ("leading", "decides"), [(0, "Of all who stand"), (2, "Of those with the most votes")]
)
def test_a_tied_election_says_what_decides(leading: int, decides: str) -> None:
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    opened = open_window(game, "election")
    drawn_order = opened.window.pick.options
    # Two votes for the one, two for the other, or none for anybody.
    choices = [pick(int(drawn_order[-1 - turn % 2])) for turn in range(2 * leading)]
    for seat in opened.missing:
        choice = choices.pop() if choices else ABSTAIN
        services.answer(game.pk, seat, opened.window.key, choice)
    page = page_of(game, 3)
    (tally,) = [e.tally for e in page.entries if e.tally]
    assert tally.endswith(f". {decides}, the first drawn becomes Sheriff.")
    log = selectors.view_for(game, visibility.PUBLIC).events
    (candidates,) = [event for event in log if event.kind == "candidates"]
    led = [s for s in candidates["seats"] if not leading or s in drawn_order[-2:]]
    assert [s.number for s in page.seats if s.badges] == led[:1]


def test_enter_among_the_cards_sends_the_choice_and_no_abstention() -> None:
    """A browser takes a form's first button for Enter."""
    game = new_game(3, ruleset="sheriff", settings={"max_rounds": 1})
    play_until(game, "election")
    form = render_to_string("play/choice_form.html", {"page": page_of(game, 3)})
    assert re.findall(r'<button type="submit"\s+id="([\w-]+)"', form) == [
        "choose-send",
        "choose-abstain",
    ]


def test_a_game_of_it_begins_with_one_press_and_friendly_names(client: Client) -> None:
    assert b'name="ruleset" value="sheriff"' in client.get("/").content
    client.post("/play", {"ruleset": "sheriff"})
    players = list(Player.objects.order_by("seat"))
    assert players[0].game.ruleset == "sheriff"
    assert not [p.name for p in players if "_" in p.name]
    client.post("/play", {"ruleset": "chess"})
    assert Player.objects.latest("pk").game.ruleset == "one-night"


def test_the_pages_that_explain_it_say_what_is_true_of_it(client: Client) -> None:
    rules = client.get("/rules/sheriff/").content.decode()
    assert "Rounds of talk" not in rules
    assert "player_" not in rules
    assert "Rounds of talk" in client.get("/rules/one-night/").content.decode()
    how = client.get("/how-to-play/sheriff/").content.decode()
    assert "in a tie, no one is" in how
    assert "Everyone votes at the same time. The player with the most votes is out." not in how
    assert 'name="ruleset" value="sheriff"' in how, "what one has read about is what begins"


def test_what_depends_on_another_setting_says_on_which(client: Client) -> None:
    page = client.get("/tables/new?ruleset=sheriff").content.decode()
    first, folded = page.split('id="advanced"')
    assert 'name="rule_dead_see"' in first
    assert 'name="rule_must_elect"' in folded, "what a study needs"
    assert first.count('data-needs="rule_election" data-needs-value="false"') == 6
    assert first.count('data-needs="rule_election" data-needs-value="true"') == 2


def test_who_rates_the_others_has_the_talk_sorted_by_it_and_nobody_else_has() -> None:
    """Above 6 one believes; what was said since is not judged; the transcript stays in order."""
    game, me = seated("villager", settings={**SHERIFF, "rate_people": True})
    rating, speakers = None, set[int]()
    while rating is None or len(speakers) < 3:
        assert page_of(game, me).sorted_talk is None, "nobody has been rated"
        answer_all(game, 0)
        asked = [o for o in selectors.open_windows(game) if me in o.missing]
        rating = next((o for o in asked if o.window.legal.name == "ratings"), None)
        said = [
            e.speaker.number
            for e in page_of(game, me).entries
            if e.kind == "statement" and e.speaker
        ]
        speakers = {*said} - {me}
    true, false, *_ = sorted(speakers)
    given = rate(Rating(true, "seer", 7), Rating(false, "werewolf", 9))
    services.answer(game.pk, me, rating.window.key, given)
    game.refresh_from_db()
    talk = page_of(game, me).sorted_talk
    assert talk
    by = [sorted({x.speaker.number for x in g.lines if x.speaker}) for g in talk.groups]
    assert by == [[true], [false], sorted(speakers - {true, false})]
    shown = render_frame(page_of(game, me))
    assert "From players you doubt" in shown
    assert "From players you doubt" not in render_frame(page_of(game, true))
    assert [e.position for e in page_of(game, me).entries] == sorted(
        e.position for e in page_of(game, me).entries
    )


def test_a_casual_table_has_the_casual_rules_and_says_so(client: Client) -> None:
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


def test_rules_for_fun_that_are_off_are_not_stored_so_logs_stay_as_they_were() -> None:
    game = new_game(ruleset="sheriff", settings={"safe_first_night": False})
    assert "safe_first_night" not in game.settings


def test_only_a_candidate_reads_of_choosing_oneself() -> None:
    for seed in map(str, range(20)):
        game = new_game(3, ruleset="sheriff", seed=seed)
        play_until(game, "election")
        window = open_window(game, "election")
        stands = 3 in window.window.options_for(3)
        choice = page_of(game, 3).choice
        assert choice
        assert ("yourself" in choice.help) == stands
        if not stands:
            return
    raise AssertionError("the person always stands")
