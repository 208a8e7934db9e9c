"""What is drawn, and what a rater is shown of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import pytest

from game import host_actions, selectors, services
from game.engine import rulesets, visibility
from game.seat_names import build_renamer
from tests.study.world import campaign, finished, read
from webapp.play.models import Table
from webapp.study.design import instruments
from webapp.study.games import public_talk
from webapp.study.games.seat_outcomes import seats_of
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, stimuli, units
from webapp.study.rating.rater_view import render_unit

pytestmark = pytest.mark.django_db
NAMES = rulesets.get("one-night").seat_names


def drawn(of: Campaign) -> list[Unit]:
    units.draw_units(of)
    return list(of.units.exclude(kind=Unit.ATTENTION).prefetch_related("stimuli"))


def sample(n: int) -> dict[str, Any]:
    return {"pick": "sample", "per_condition": n}


def test_all_utterances_that_have_words_are_units() -> None:
    found = drawn(campaign(finished(words={(2, 5): ""})))
    assert len(found) == 23
    assert all(u.stimuli.all()[0].utterance.text for u in found)
    assert {u.index for u in found} == set(range(1, 24))


def test_peoples_words_are_units_only_where_asked_for() -> None:
    game = finished(names={2: "Anna"})
    agents, everybody = campaign(game), campaign(game, choice={"speakers": "all"})
    assert 2 not in {u.seat for u in drawn(agents)}
    kinds = Counter(u.stimuli.all()[0].speaker_kind for u in drawn(everybody))
    assert kinds == {"agent": 21, "person": 3}


@pytest.mark.parametrize(("words", "count"), [("any", 48), ("own", 24), ("prepared", 24)])
def test_prepared_lines_can_be_left_out_or_chosen_alone(words: str, count: int) -> None:
    games = finished(label="template:counter"), finished()
    units = drawn(campaign(*games, choice={"words": words}))
    assert len(units) == count
    assert words == "any" or {u.game for u in units} == {games[words == "own"]}


def test_a_computer_that_stood_in_for_a_person_spoke_itself() -> None:
    game = services.create(
        "one-night",
        [services.SeatPlan("person")] + [services.SeatPlan("agent", {})] * 7,
        seed="1",
        pace="none",
    )
    Table.objects.create(game=game, research=True)
    host_actions.hand_over(game.pk, 1)
    from tests.game.table import finish

    finish(game)
    lines = [s for u in drawn(campaign(game)) if u.seat == 1 for s in u.stimuli.all()]
    assert len(lines) == 3
    assert {(s.speaker_kind, *s.labels) for s in lines} == {("agent", "stand-in")}


def test_a_sample_is_stratified_and_even_over_games() -> None:
    games = [finished(str(n)) for n in range(4)]
    found = drawn(campaign(*games, choice=sample(10)))
    assert Counter(u.stimuli.all()[0].condition for u in found) == {"one": 10, "two": 10}
    assert Counter(u.game_id for u in found) == dict.fromkeys((g.pk for g in games), 5)


def test_a_sample_can_be_a_mixture_of_situations() -> None:
    games = [finished(str(n)) for n in range(4)]
    choice = {**sample(1), "quotas": {"closing": 3, "": 5}}
    found = drawn(campaign(*games, choice=choice))
    mixture = Counter((u.stimuli.all()[0].condition, *u.situations) for u in found)
    assert mixture == {("one", "closing"): 3, ("two", "closing"): 3, ("one",): 5, ("two",): 5}
    short = campaigns.plan(campaign(games[0], choice={**sample(1), "quotas": {"closing": 9}}))
    assert short["problems"][0] == (
        "“one” has only 8 of 9 units. Sample fewer, or choose more of its games."
    )


@pytest.mark.parametrize("kind", ["utterance", "player"])
def test_speakers_within_a_game_are_compared(kind: str) -> None:
    game = finished(names={2: "Anna"})
    seats = seats_of(game)
    own = {"utterance": "guarded", "player": "players"}[kind]
    instrument = instruments.get(own).to_json()
    wanted = {
        "kind": lambda seat: "person" if seat == 2 else "agent",
        "method": lambda seat: "person" if seat == 2 else "house baseline",
        "role": lambda seat: seats[seat - 1].role,
        "team": lambda seat: seats[seat - 1].team,
    }
    assert {seat.team for seat in seats} >= {"village", "werewolf"}
    assert [s.out for s in seats if s.out]
    for compare, told in wanted.items():
        choice = {"speakers": "all", "compare": compare}
        found = drawn(campaign(game, choice=choice, instrument=instrument))
        assert len({u.seat for u in found}) == 8
        assert {(u.seat, u.stimuli.all()[0].condition) for u in found} == {
            (seat, told(seat)) for seat in range(1, 9)
        }


def test_a_sample_of_speakers_has_as_many_of_each_kind() -> None:
    games = [finished(str(n), names={2: "Anna"}) for n in range(2)]
    choice = {**sample(4), "speakers": "all", "compare": "kind"}
    found = drawn(campaign(*games, choice=choice))
    assert Counter(u.stimuli.all()[0].condition for u in found) == {"person": 4, "agent": 4}


def test_what_would_tell_people_apart_is_refused_before_the_reveal() -> None:
    game = finished(names={2: "Anna"}, blind=True)
    choice = {"speakers": "all", "compare": "role"}
    assert not campaigns.plan(campaign(game, choice=choice))["problems"]
    for change in ({"compare": "method"}, {"words": "own"}):
        problems = campaigns.plan(campaign(game, choice={**choice, **change}))["problems"]
        assert "has not been revealed" in problems[0]


def test_people_are_compared_only_where_their_words_are_rated() -> None:
    told = campaigns.plan(campaign(finished(), choice={"compare": "kind"}))["problems"]
    assert told[0].startswith("To compare people with computer players")
    whole = instruments.get("engagement").to_json()
    told = campaigns.plan(campaign(finished(), choice={"compare": "role"}, instrument=whole))
    assert told["problems"][0].startswith("A whole game has no speaker")


def test_a_sample_is_the_seeds_and_nothing_elses() -> None:
    games = [finished(str(n)) for n in range(2)]
    places = lambda c: [(u.game_id, u.position) for u in drawn(c)]  # noqa: E731
    first, same, other = (campaign(*games, choice=sample(5), seed=seed) for seed in ("a", "a", "b"))
    assert places(first) == places(same) != places(other)


def test_situations_choose_units_and_items() -> None:
    seer = "I am the Seer. Beta is the Werewolf. Gamma is the Werewolf."
    game = finished(words={(1, 1): seer})
    called = drawn(campaign(game, choice={"situations": ["called_werewolf"]}))
    assert [u.seat for u in called] == [2, 3]
    keys = {d.key for u in called for d in stimuli.unit_dimensions(u)}
    assert "deceiving" in keys
    assert "closing" not in keys
    every = {u.position: u for u in drawn(campaign(game))}
    last = [u for u in every.values() if u.situations == ["closing"]]
    assert len(last) == 8
    assert [d.key for d in stimuli.unit_dimensions(last[0])][3:] == ["closing"]


@pytest.mark.parametrize("key", ["guarded", "players"])
def test_only_who_truly_plays_for_a_team_can_be_chosen(key: str) -> None:
    """Deceiving is asked of those who mislead: the werewolf's team, by the cards dealt."""
    game = finished()
    cards = selectors.view_for(game, visibility.MODERATOR).state.roles
    liars = {seat for seat, role in cards.items() if role in ("werewolf", "minion")}
    asked = instruments.get(key).to_json()
    found = drawn(campaign(game, instrument=asked, choice={"teams": ["werewolf"]}))
    assert {u.seat for u in found} == liars
    assert len(found) == (6 if key == "guarded" else 2)
    both = campaign(game, instrument=asked, choice={"teams": ["werewolf", "tanner"]})
    assert len({u.seat for u in drawn(both)}) == 3


def test_players_and_games_are_units_of_their_instruments() -> None:
    game = finished(names={3: "Mo"})
    contest = instruments.get("players").to_json()
    assert [u.seat for u in drawn(campaign(game, instrument=contest))] == [1, 2, 4, 5, 6, 7, 8]
    (whole,) = drawn(campaign(game, instrument=instruments.get("engagement").to_json()))
    assert (whole.kind, whole.seat) == ("game", None)
    assert whole.stimuli.get().speaker_kind == "mixed"


def test_checks_ask_for_a_value_that_is_on_the_scale() -> None:
    of = campaign(finished(), attention=3)
    units.draw_units(of)
    checks = of.units.filter(kind=Unit.ATTENTION)
    assert len(checks) == 3
    for check in checks:
        assert check.expected in range(1, 6)
        (side,) = render_unit(check).sides
        assert f"choose {check.expected} for every question" in side.text


def test_drawing_again_keeps_the_rows_and_what_was_withdrawn() -> None:
    of = campaign(finished("1"), finished("2"))
    first = drawn(of)
    units.withdraw(first[0])
    assert [u.pk for u in drawn(of)] == [u.pk for u in first]
    campaigns.change(of, choice={"speakers": "all", "situations": ["closing"]})
    units.withdraw(drawn(of)[0])
    campaigns.change(of, choice={"speakers": "all"})
    assert [u.withdrawn for u in drawn(of)].count(True) == 1


# -- what is shown


def test_the_context_is_so_many_lines_in_order_and_silence_is_shown() -> None:
    of = campaign(finished(words={(1, 3): ""}), context=4)
    fifth = next(u for u in drawn(of) if u.seat == 5)
    seen = render_unit(fifth)
    assert [e.speaker for e in seen.context] == list(NAMES[:4])
    assert seen.context[2].is_note
    assert seen.context[2].text == "says nothing."
    assert seen.context[3].text == "In round 1 I, seat 4, have nothing to tell."
    assert (seen.speaker, seen.sides[0].text) == (
        "Epsilon",
        "In round 1 I, seat 5, have nothing to tell.",
    )


def test_the_first_words_have_no_context_and_none_can_be_asked_for() -> None:
    game = finished()
    assert render_unit(drawn(campaign(game))[0]).context == ()
    assert render_unit(drawn(campaign(game, context=0))[9]).context == ()


def test_the_name_a_person_chose_is_nowhere() -> None:
    words = {
        (1, 1): "Annabel Lee, you are quiet. annabel's quiet! ANNABEL LEE?",
        (1, 2): "I am Annabel Lee, and Alpha is rude.",
    }
    game = finished(words=words, names={2: "Annabel Lee"})
    of = campaign(game, choice={"speakers": "all"})
    told = [str(asdict(render_unit(u))) for u in drawn(of)]
    assert not [t for t in told if "annabel" in t.casefold()]
    assert "Beta, you are quiet. Beta's quiet! Beta?" in told[0]
    assert "I am Beta, and Alpha is rude." in told[1]


@pytest.mark.parametrize(
    ("name", "text", "told"),
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
        # Words that adjoin each other, and particles.
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
def test_names_are_replaced_as_people_write_them(name: str, text: str, told: str) -> None:
    rename = build_renamer([NAMES[0], name, *NAMES[2:]], NAMES)
    assert rename(text) == told


def without_deeds(key: str) -> dict[str, Any]:
    """A built-in instrument with only those items for which no deeds are shown."""
    data = instruments.get(key).to_json()
    data["dimensions"] = [d for d in data["dimensions"] if not d["deeds"]]
    return data | {"example": {}}


def test_a_player_is_shown_with_the_whole_talk_and_the_votes_and_no_roles() -> None:
    of = campaign(finished(), instrument=without_deeds("players"))
    seen = render_unit(drawn(of)[1])
    assert seen.speaker == "Beta"
    assert len([e for e in seen.context if not e.is_note]) == 24
    assert [e.text for e in seen.context if e.is_note] == ["votes for Beta."] + [
        "votes for Alpha."
    ] * 7
    told = str(asdict(seen)).casefold()
    assert not [r.key for r in rulesets.get("one-night").roles if r.key in told]


def test_nothing_of_the_origin_is_in_what_is_shown() -> None:
    game = finished(recipe={"backend": "house", "method": "favor"}, label="fallback:timeout")
    of = campaign(game, seed="a-seed-of-its-own")
    for unit in drawn(of)[:5]:
        told = str(asdict(render_unit(unit)))
        secrets = ("house", "favor", "fallback", "timeout", game.code, of.code, of.study.key, "one")
        assert not [s for s in secrets if s in told.split("'")]
        assert set(asdict(render_unit(unit))) == {
            "kind", "context", "speaker", "sides", "instruction", "deeds", "moment", "profiles",
        }  # fmt: skip


def test_the_sides_of_a_pair_are_swapped_and_know_their_stimuli() -> None:
    of = campaign(finished(), rival={"backend": "house"}, rival_condition="other")
    unit = drawn(of)[0]
    Stimulus.objects.filter(unit=unit, place=2).update(text="Quite another thing.", state="idle")
    unit = Unit.objects.get(pk=unit.pk)
    one, two = unit.stimuli.order_by("place")
    plain, swapped = render_unit(unit), render_unit(unit, swapped=True)
    assert [s.slot for s in plain.sides] == [s.slot for s in swapped.sides] == ["a", "b"]
    assert [s.stimulus for s in plain.sides] == [one.pk, two.pk]
    assert [s.stimulus for s in swapped.sides] == [two.pk, one.pk]
    assert swapped.sides[0].text == "Quite another thing."
    assert {s.slot: s.stimulus for s in swapped.sides}["a"] == two.pk


def test_words_taken_out_later_are_not_shown() -> None:
    game = finished(words={(1, 1): "My telephone number is 555-0100."})
    of = campaign(game)
    unit = drawn(of)[0]
    assert "555-0100" in render_unit(unit).sides[0].text
    host_actions.remove_words(game.pk, "statement.1.1.1", 1)
    unit = Unit.objects.get(pk=unit.pk)
    assert "555-0100" not in str(render_unit(unit))
    with pytest.raises(campaigns.Refused, match="still being analysed"):  # it is another game now
        units.draw_units(of)
    game.refresh_from_db()
    read(game)
    assert len(drawn(of)) == 23


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
def test_who_names_itself_a_model_is_flagged(text: str) -> None:
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
def test_who_does_not_is_not(text: str) -> None:
    assert public_talk.find_model_flags(text) == []
