"""Tests of drawn units and of what raters see of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import pytest

from game import game_actions, lobby, selectors
from game.chosen_name_replacer import build_name_replacer
from game.engine import rulesets, visibility
from tests.study.world import create_campaign, ended_game, store_situations
from webapp.play.models import Table
from webapp.study.design import instruments
from webapp.study.design.refusals import Refused
from webapp.study.games import public_talk
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, rating_plan, stimuli, units
from webapp.study.rating.rater_view import render_unit

pytestmark = pytest.mark.django_db
NAMES = rulesets.get("one-night").seat_names


def draw_units(campaign: Campaign) -> list[Unit]:
    units.draw_units(campaign)
    return list(campaign.units.exclude(kind=Unit.ATTENTION).prefetch_related("stimuli"))


def sample_choice(n: int) -> dict[str, Any]:
    return {"pick": "sample", "per_condition": n}


def test_each_statement_with_text_is_a_unit() -> None:
    drawn = draw_units(create_campaign(ended_game(words={(2, 5): ""})))
    assert len(drawn) == 23
    assert all(u.stimuli.all()[0].utterance.text for u in drawn)
    assert {u.index for u in drawn} == set(range(1, 24))


def test_statements_of_people_are_units_only_on_request() -> None:
    game = ended_game(names={2: "Anna"})
    agents, everybody = create_campaign(game), create_campaign(game, choice={"speakers": "all"})
    assert 2 not in {u.seat for u in draw_units(agents)}
    kinds = Counter(u.stimuli.all()[0].speaker_kind for u in draw_units(everybody))
    assert kinds == {"agent": 21, "person": 3}


@pytest.mark.parametrize(("words", "count"), [("any", 48), ("own", 24), ("prepared", 24)])
def test_prepared_lines_can_be_excluded_or_selected(words: str, count: int) -> None:
    games = ended_game(label="template:counter"), ended_game()
    units = draw_units(create_campaign(*games, choice={"words": words}))
    assert len(units) == count
    assert words == "any" or {u.game for u in units} == {games[words == "own"]}


def test_stand_in_speaks_as_an_agent() -> None:
    game = lobby.create_game(
        "one-night",
        [lobby.SeatPlan("person")] + [lobby.SeatPlan("agent", {})] * 7,
        seed="1",
        pace="none",
    )
    Table.objects.create(game=game, research=True)
    game_actions.hand_over(game.pk, 1)
    from tests.game.table import finish

    finish(game)
    lines = [s for u in draw_units(create_campaign(game)) if u.seat == 1 for s in u.stimuli.all()]
    assert len(lines) == 3
    assert {(s.speaker_kind, *s.labels) for s in lines} == {("agent", "stand-in")}


def test_sample_is_stratified_and_even_over_games() -> None:
    games = [ended_game(str(n)) for n in range(4)]
    drawn = draw_units(create_campaign(*games, choice=sample_choice(10)))
    assert Counter(u.stimuli.all()[0].condition for u in drawn) == {"one": 10, "two": 10}
    assert Counter(u.game_id for u in drawn) == dict.fromkeys((g.pk for g in games), 5)


def test_sample_can_use_quotas_of_situations() -> None:
    games = [ended_game(str(n)) for n in range(4)]
    choice = {**sample_choice(1), "quotas": {"closing": 3, "": 5}}
    drawn = draw_units(create_campaign(*games, choice=choice))
    mixture = Counter((u.stimuli.all()[0].condition, *u.situations) for u in drawn)
    assert mixture == {("one", "closing"): 3, ("two", "closing"): 3, ("one",): 5, ("two",): 5}
    plan = rating_plan.build_plan(
        create_campaign(games[0], choice={**sample_choice(1), "quotas": {"closing": 9}})
    )
    assert plan["problems"][0] == (
        "“one” has only 8 of 9 units. Sample fewer, or choose more of its games."
    )


@pytest.mark.parametrize("kind", ["utterance", "player"])
def test_speakers_within_a_game_are_compared(kind: str) -> None:
    game = ended_game(names={2: "Anna"})
    seats = get_seat_outcomes(game)
    key = {"utterance": "guarded", "player": "players"}[kind]
    instrument = instruments.get(key).to_json()
    condition_by_choice = {
        "kind": lambda seat: "person" if seat == 2 else "agent",
        "method": lambda seat: "person" if seat == 2 else "house baseline",
        "role": lambda seat: seats[seat - 1].role,
        "team": lambda seat: seats[seat - 1].team,
    }
    assert {seat.team for seat in seats} >= {"village", "werewolf"}
    assert [s.out for s in seats if s.out]
    for compare, condition_of in condition_by_choice.items():
        choice = {"speakers": "all", "compare": compare}
        drawn = draw_units(create_campaign(game, choice=choice, instrument=instrument))
        assert len({u.seat for u in drawn}) == 8
        assert {(u.seat, u.stimuli.all()[0].condition) for u in drawn} == {
            (seat, condition_of(seat)) for seat in range(1, 9)
        }


def test_sample_of_speakers_is_balanced_by_kind() -> None:
    games = [ended_game(str(n), names={2: "Anna"}) for n in range(2)]
    choice = {**sample_choice(4), "speakers": "all", "compare": "kind"}
    drawn = draw_units(create_campaign(*games, choice=choice))
    assert Counter(u.stimuli.all()[0].condition for u in drawn) == {"person": 4, "agent": 4}


def test_choice_that_reveals_people_is_rejected_before_the_reveal() -> None:
    game = ended_game(names={2: "Anna"}, blind=True)
    choice = {"speakers": "all", "compare": "role"}
    assert not rating_plan.build_plan(create_campaign(game, choice=choice))["problems"]
    for change in ({"compare": "method"}, {"words": "own"}):
        campaign = create_campaign(game, choice={**choice, **change})
        problems = rating_plan.build_plan(campaign)["problems"]
        assert "has not been revealed" in problems[0]


def test_people_are_compared_only_if_their_statements_are_rated() -> None:
    campaign = create_campaign(ended_game(), choice={"compare": "kind"})
    problems = rating_plan.build_plan(campaign)["problems"]
    assert problems[0].startswith("To compare people with computer players")
    instrument = instruments.get("engagement").to_json()
    problems = rating_plan.build_plan(
        create_campaign(ended_game(), choice={"compare": "role"}, instrument=instrument)
    )
    assert problems["problems"][0].startswith("A whole game has no speaker")


def test_sample_depends_only_on_the_seed() -> None:
    games = [ended_game(str(n)) for n in range(2)]
    positions = lambda c: [(u.game_id, u.position) for u in draw_units(c)]  # noqa: E731
    first, same, different = (
        create_campaign(*games, choice=sample_choice(5), seed=seed) for seed in ("a", "a", "b")
    )
    assert positions(first) == positions(same) != positions(different)


def test_situations_select_units_and_items() -> None:
    seer = "I am the Seer. Beta is the Werewolf. Gamma is the Werewolf."
    game = ended_game(words={(1, 1): seer})
    called_units = draw_units(create_campaign(game, choice={"situations": ["called_werewolf"]}))
    assert [u.seat for u in called_units] == [2, 3]
    keys = {d.key for u in called_units for d in stimuli.unit_dimensions(u)}
    assert "deceiving" in keys
    assert "closing" not in keys
    units_by_position = {u.position: u for u in draw_units(create_campaign(game))}
    closing_units = [u for u in units_by_position.values() if u.situations == ["closing"]]
    assert len(closing_units) == 8
    assert [d.key for d in stimuli.unit_dimensions(closing_units[0])][3:] == ["closing"]


@pytest.mark.parametrize("key", ["guarded", "players"])
def test_units_can_be_limited_to_true_team_members(key: str) -> None:
    """Deceiving is asked about the Werewolf's team, by the dealt cards."""
    game = ended_game()
    cards = selectors.view_for(game, visibility.MODERATOR).state.roles
    liars = {seat for seat, role in cards.items() if role in ("werewolf", "minion")}
    instrument = instruments.get(key).to_json()
    drawn = draw_units(create_campaign(game, instrument=instrument, choice={"teams": ["werewolf"]}))
    assert {u.seat for u in drawn} == liars
    assert len(drawn) == (6 if key == "guarded" else 2)
    both = create_campaign(game, instrument=instrument, choice={"teams": ["werewolf", "tanner"]})
    assert len({u.seat for u in draw_units(both)}) == 3


def test_players_and_games_can_be_units() -> None:
    game = ended_game(names={3: "Mo"})
    contest = instruments.get("players").to_json()
    assert [u.seat for u in draw_units(create_campaign(game, instrument=contest))] == [
        1,
        2,
        4,
        5,
        6,
        7,
        8,
    ]
    (whole_game,) = draw_units(
        create_campaign(game, instrument=instruments.get("engagement").to_json())
    )
    assert (whole_game.kind, whole_game.seat) == ("game", None)
    assert whole_game.stimuli.get().speaker_kind == "mixed"


def test_attention_checks_ask_for_a_value_on_the_scale() -> None:
    campaign = create_campaign(ended_game(), attention=3)
    units.draw_units(campaign)
    checks = campaign.units.filter(kind=Unit.ATTENTION)
    assert len(checks) == 3
    for check in checks:
        assert check.expected in range(1, 6)
        (side,) = render_unit(check).sides
        assert f"choose {check.expected} for every question" in side.text


def test_redrawing_keeps_rows_and_withdrawals() -> None:
    campaign = create_campaign(ended_game("1"), ended_game("2"))
    first = draw_units(campaign)
    units.set_withdrawn(first[0], is_withdrawn=True)
    assert [u.pk for u in draw_units(campaign)] == [u.pk for u in first]
    campaigns.change(campaign, choice={"speakers": "all", "situations": ["closing"]})
    units.set_withdrawn(draw_units(campaign)[0], is_withdrawn=True)
    campaigns.change(campaign, choice={"speakers": "all"})
    assert [u.withdrawn for u in draw_units(campaign)].count(True) == 1


# -- rendering


def test_context_has_the_set_number_of_lines_and_shows_silence() -> None:
    campaign = create_campaign(ended_game(words={(1, 3): ""}), context=4)
    fifth = next(u for u in draw_units(campaign) if u.seat == 5)
    rendered = render_unit(fifth)
    assert [e.speaker for e in rendered.context] == list(NAMES[:4])
    assert rendered.context[2].is_note
    assert rendered.context[2].text == "says nothing."
    assert rendered.context[3].text == "In round 1 I, seat 4, have nothing to tell."
    assert (rendered.speaker, rendered.sides[0].text) == (
        "Epsilon",
        "In round 1 I, seat 5, have nothing to tell.",
    )


def test_first_statement_has_no_context_and_zero_context_is_empty() -> None:
    game = ended_game()
    assert render_unit(draw_units(create_campaign(game))[0]).context == ()
    assert render_unit(draw_units(create_campaign(game, context=0))[9]).context == ()


def test_name_of_a_person_is_replaced() -> None:
    words = {
        (1, 1): "Annabel Lee, you are quiet. annabel's quiet! ANNABEL LEE?",
        (1, 2): "I am Annabel Lee, and Alpha is rude.",
    }
    game = ended_game(words=words, names={2: "Annabel Lee"})
    campaign = create_campaign(game, choice={"speakers": "all"})
    pages = [str(asdict(render_unit(u))) for u in draw_units(campaign)]
    assert not [t for t in pages if "annabel" in t.casefold()]
    assert "Beta, you are quiet. Beta's quiet! Beta?" in pages[0]
    assert "I am Beta, and Alpha is rude." in pages[1]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Will", "Will will vote. Ask Will!", "Beta will vote. Ask Beta!"),
        ("José", "Jose and JOSÉ and Joséphine", "Beta and Beta and Joséphine"),
        ("Jo Alpha", "Alpha, ask Jo Alpha.", "Alpha, ask Beta."),
        ("Anna-Lena", "Lena? anna-lena? Anna’s?", "Beta? Beta? Beta’s?"),
        ("beta", "beta and Beta", "beta and Beta"),
        ("D.J.", "D.J. said so", "Beta said so"),
        ("İpek", "Tell me, İpek.", "Tell me, Beta."),
        ("Łukasz", "lukasz? Lukasz!", "Beta? Beta!"),
        ("Anna_92", "anna_92, Anna!", "Beta, Beta!"),
        ("J.R.", "J.R. is it, not J.R.", "Beta is it, not Beta"),
        # Scripts without spaces, and particles.
        ("李雷", "我觉得李雷是狼人，李雷！", "我觉得Beta是狼人，Beta！"),
        ("Anna", "我觉得Anna是狼人。Anna은, Annabel", "我觉得Beta是狼人。Beta은, Annabel"),
        ("さくら", "さくらさん、ざくら", "Betaさん、ざくら"),
        ("민준", "민준은 늑대다. 문제!", "Beta은 늑대다. 문제!"),
        ("สมชาย", "ผมคิดว่าสมชายเป็น", "ผมคิดว่าBetaเป็น"),
        ("محمد", "ومحمد هو الذئب", "وBeta هو الذئب"),
        ("علی\u200cرضا", "علی\u200cرضا، علیرضا", "Beta، Beta"),
        ("राहुल", "राहुल और राहुलजी", "Beta और Betaजी"),
    ],
)
def test_names_are_replaced_in_each_spelling(name: str, text: str, expected: str) -> None:
    rename = build_name_replacer([NAMES[0], name, *NAMES[2:]], NAMES)
    assert rename(text) == expected


def without_deeds(key: str) -> dict[str, Any]:
    """Return a built-in instrument without the items that show deeds."""
    data = instruments.get(key).to_json()
    data["dimensions"] = [d for d in data["dimensions"] if not d["deeds"]]
    return data | {"example": {}}


def test_player_unit_shows_talk_and_votes_without_roles() -> None:
    campaign = create_campaign(ended_game(), instrument=without_deeds("players"))
    rendered = render_unit(draw_units(campaign)[1])
    assert rendered.speaker == "Beta"
    assert len([e for e in rendered.context if not e.is_note]) == 24
    assert [e.text for e in rendered.context if e.is_note] == ["votes for Beta."] + [
        "votes for Alpha."
    ] * 7
    text = str(asdict(rendered)).casefold()
    assert not [r.key for r in rulesets.get("one-night").roles if r.key in text]


def test_rendered_unit_contains_nothing_about_its_origin() -> None:
    game = ended_game(recipe={"backend": "house", "method": "favor"}, label="fallback:timeout")
    campaign = create_campaign(game, seed="a-seed-of-its-own")
    for unit in draw_units(campaign)[:5]:
        text = str(asdict(render_unit(unit)))
        secrets = (
            "house",
            "favor",
            "fallback",
            "timeout",
            game.code,
            campaign.code,
            campaign.study.key,
            "one",
        )
        assert not [s for s in secrets if s in text.split("'")]
        assert set(asdict(render_unit(unit))) == {
            "kind", "context", "speaker", "sides", "instruction", "deeds", "moment", "profiles",
        }  # fmt: skip


def test_pair_sides_swap_together_with_their_stimuli() -> None:
    campaign = create_campaign(ended_game(), rival={"backend": "house"}, rival_condition="other")
    unit = draw_units(campaign)[0]
    Stimulus.objects.filter(unit=unit, place=2).update(text="Quite another thing.", state="idle")
    unit = Unit.objects.get(pk=unit.pk)
    one, two = unit.stimuli.order_by("place")
    unswapped, swapped = render_unit(unit), render_unit(unit, swapped=True)
    assert [s.slot for s in unswapped.sides] == [s.slot for s in swapped.sides] == ["a", "b"]
    assert [s.stimulus for s in unswapped.sides] == [one.pk, two.pk]
    assert [s.stimulus for s in swapped.sides] == [two.pk, one.pk]
    assert swapped.sides[0].text == "Quite another thing."
    assert {s.slot: s.stimulus for s in swapped.sides}["a"] == two.pk


def test_text_removed_later_is_not_shown() -> None:
    game = ended_game(words={(1, 1): "My telephone number is 555-0100."})
    campaign = create_campaign(game)
    unit = draw_units(campaign)[0]
    assert "555-0100" in render_unit(unit).sides[0].text
    game_actions.remove_text(game.pk, "statement.1.1.1", 1)
    unit = Unit.objects.get(pk=unit.pk)
    assert "555-0100" not in str(render_unit(unit))
    with pytest.raises(Refused, match="still being analysed"):  # The game has changed.
        units.draw_units(campaign)
    game.refresh_from_db()
    store_situations(game)
    assert len(draw_units(campaign)) == 23


# -- flags


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I cannot vote.",
        "I'm just a language model, folks.",
        "I’m an AI, so what?",
        "I am a bot",
        "My prompt tells me to lie.",
        "I was trained by OpenAI",
        "Call me ChatGPT.",
        "I am not an AI!",
        "I'm programmed to be nice.",
    ],
)
def test_statement_naming_itself_a_model_is_flagged(text: str) -> None:
    assert public_talk.find_model_flags(text) == ["names itself a model"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm a Villager, and I said so.",
        "Beta talks like a machine.",
        "I'm aiming at Gamma.",
        "I am the Seer; again, I am the Seer.",
        "I was up all night programming nothing.",
        "As a Mason I say: the botany of this is odd.",
    ],
)
def test_ordinary_statement_is_not_flagged(text: str) -> None:
    assert public_talk.find_model_flags(text) == []
