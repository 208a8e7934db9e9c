"""The questions on the rules are true of the rules: of their data, or of games that are played."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from game.engine import rulesets
from game.engine.events import Event
from game.engine.forms import ABSTAIN, pick
from game.engine.quiz import BLIND, QuizQuestion, questions_for_settings
from game.engine.roles import Setting
from game.engine.ruleset import role_of
from game.engine.windows import Window
from tests.engine import sheriff
from tests.engine.playing import drawing_hand, play

ONE, SHERIFF, DAYS = (rulesets.get(name) for name in ("one-night", "sheriff", "two-days"))
Fact = Callable[[], bool]


def held(ruleset: str, role: str) -> int:
    return list(rulesets.get(ruleset).deck).count(role)


@cache
def windows(ruleset: str) -> dict[str, list[Window]]:
    """Every window of a few games of the ruleset, by kind."""
    found: dict[str, list[Window]] = {}
    for seed in "abc":
        hand = drawing_hand(seed)

        def watched(window: Window, seat: int, hand=hand) -> object:
            found.setdefault(window.kind, []).append(window)
            return hand(window, seat)

        play(rulesets.get(ruleset), seed, watched)
    return found


def one_night(vote: Callable[[Window, int, dict[int, str]], int]) -> list[Event]:
    """A one-night game in which seats vote as told, by the roles dealt."""
    roles: dict[int, str] = {}
    for event in play(ONE, "quiz", drawing_hand("quiz")).log:
        if event.kind == "role_dealt":
            roles[event["seat"]] = event["role"]

    def hand(window: Window, seat: int) -> object:
        if window.kind == "vote":
            return pick(vote(window, seat, roles))
        return drawing_hand("quiz")(window, seat)

    return play(ONE, "quiz", hand).log


def wins(team: str, out: str) -> bool:
    """Whether `team` wins where the holder of `out` gets all votes that can fall on them."""

    def vote(window: Window, seat: int, roles: dict[int, str]) -> int:
        target = next(s for s, role in roles.items() if role == out)
        return target if seat != target else window.options_for(seat)[0]

    return bool(one_night(vote)[-1]["winner"] == team)


def tie_keeps_all_in() -> bool:
    def vote(window: Window, seat: int, roles: dict[int, str]) -> int:
        return 2 if seat in (1, 3, 5, 7) else 1  # four votes each

    return not any(e.kind == "out" for e in one_night(vote))


def sheriff_tie() -> bool:
    """Two have most votes: whether anybody is out by the vote of the first day."""

    def vote(window: Window, seat: int) -> object:
        wanted = {1: 2, 2: 1}.get(seat)
        return pick(wanted) if wanted and window.moment.day == 1 else ABSTAIN

    game = sheriff.led(vote=vote)
    return any(e["day"] == 1 for e in sheriff.of(game, "out"))


def night_deaths(*, agreed: bool, guarded: bool = False) -> bool:
    """Whether the first night kills, where the Werewolves choose the Seer (or differ)."""
    led = {"attack": sheriff.all_for(sheriff.SEER)} if agreed else {}
    if guarded:
        led["protection"] = sheriff.all_for(sheriff.SEER)
    game = sheriff.led(**led)
    return any(e["cause"] == "attack" and e["day"] == 1 for e in sheriff.of(game, "out"))


def badge_holder_votes_twice() -> bool:
    """Whether somebody is out where the Sheriff votes for one and another player for another."""
    badge = next(e["seat"] for e in sheriff.led().log if e.kind == "badge_given")
    other = badge % 7 + 1

    def vote(window: Window, seat: int) -> object:
        wanted = {badge: other, other: badge}.get(seat)
        return pick(wanted) if wanted and window.moment.day == 1 else ABSTAIN

    return any(e["day"] == 1 for e in sheriff.of(sheriff.led(vote=vote), "out"))


def sheriff_chooses_side() -> bool:
    return all(w.seats and "left" in w.legal.options for w in windows("sheriff")["first_side"])


def sheriff_is_last() -> bool:
    """Whether whoever has the badge says the day's last words, in every day played."""
    for seed in "abc":
        badge, last = 0, 0
        for event in play(SHERIFF, seed, drawing_hand(seed)).log:
            if event.kind == "badge_given":
                badge = event["seat"]
            elif event.kind in ("statement", "summing_up"):
                last = event["seat"]
            elif event.kind == "phase_opened" and event["phase"] == "vote" and last != badge:
                return False
    return True


def spoken_a_round() -> bool:
    log = play(ONE, "quiz", drawing_hand("quiz")).log
    said = [e["seat"] for e in log if e.kind == "statement"]
    return said == list(range(1, len(ONE.deck) + 1)) * ONE.rounds


def roles_told_of_the_voted_out() -> bool:
    game = sheriff.led(vote=sheriff.all_for(sheriff.VILLAGERS[0]))
    return any("role" in e.data for e in sheriff.of(game, "out"))


def role_of_the_dead(settings: dict[str, object]) -> bool:
    victim = sheriff.VILLAGERS[0]
    game = sheriff.led(settings, [victim], vote=sheriff.all_for(victim))
    return bool(sheriff.of(game, "unveiled"))


def elected(settings: dict[str, object]) -> bool:
    return bool([e for e in sheriff.led(settings).log if e.kind == "election"])


def badge_is_handed_on() -> bool:
    game = sheriff.led(attack=sheriff.all_for(0, sheriff.lots(sheriff.led())[0]))
    return bool(sheriff.of(game, "heir"))


FACTS: dict[str, dict[str, Fact]] = {
    "one-night": {
        "seer_looks": lambda: {w.legal.count for w in windows("one-night")["divination"]} == {2},
        "seer_which": lambda: role_of(ONE, "seer").look.seats == 1,
        "one_werewolf": lambda: held("one-night", "werewolf") > 1,
        "masons_know": lambda: role_of(ONE, "mason").knows == "role",
        "minion_knows": lambda: bool(role_of(ONE, "minion").knows),
        "werewolf_knows": lambda: bool(role_of(ONE, "werewolf").knows),
        "night_kill": lambda: any(
            e.kind == "out" and e["cause"] != "vote" for e in one_night(lambda w, s, r: s % 8 + 1)
        ),
        "speaks_once": spoken_a_round,
        "votes_once": lambda: len({w.key for w in windows("one-night")["vote"]}) > 1,
        "own_vote": lambda: any(w.legal.self_ok for w in windows("one-night")["vote"]),
        "votes_seen": lambda: any(len(w.seats) < 8 for w in windows("one-night")["vote"]),
        "tie": tie_keeps_all_in,
        "werewolf_out": lambda: wins("village", "werewolf"),
        "minion_out": lambda: wins("village", "minion"),
        "tanner_out": lambda: wins("tanner", "tanner"),
    },
    "sheriff": {
        "two_werewolves": lambda: held("sheriff", "werewolf") == 2,
        "werewolves_know": lambda: role_of(SHERIFF, "werewolf").knows == "role",
        "seer_role": lambda: (
            {answer for answer, _roles in role_of(SHERIFF, "seer").look.answers}
            == {*SHERIFF.deck} - {"seer"}
        ),
        "guard_self": lambda: all(w.legal.self_ok for w in windows("sheriff")["protection"]),
        "guard_saves": lambda: night_deaths(agreed=True, guarded=True),
        "werewolves_differ": lambda: night_deaths(agreed=False),
        "tie": sheriff_tie,
        "no_vote": lambda: all(w.legal.may_abstain for w in windows("sheriff")["vote"]),
        "role_told": roles_told_of_the_voted_out,
        "sheriff_last": sheriff_is_last,
        "sheriff_side": sheriff_chooses_side,
        "sheriff_counts": badge_holder_votes_twice,
        "elected": lambda: elected({}),
        "named": lambda: elected({"election": False}),
        "badge_passes": badge_is_handed_on,
        "dead_see": lambda: role_of_the_dead({"dead_see": True}),
        "dead_blind": lambda: role_of_the_dead({"dead_see": True, "blind": True}),
    },
    "two-days": {
        "days": lambda: getattr(DAYS, "days", 0) == 2,
        "elected": lambda: bool(windows("two-days").get("election")),
    },
}
TIED = [(name, key) for name, facts in FACTS.items() for key in facts]


def question(ruleset: str, key: str) -> QuizQuestion:
    return next(q for q in rulesets.get(ruleset).quiz if q.key == key)


@pytest.mark.parametrize(("ruleset", "key"), TIED)
def test_an_answer_is_what_the_game_does(ruleset: str, key: str) -> None:
    assert FACTS[ruleset][key]() is question(ruleset, key).is_yes


def values(setting: Setting) -> set[object]:
    if isinstance(setting.default, bool):
        return {True, False}
    if setting.choices:
        return {value for value, _label in setting.choices}
    return set(range(setting.least, setting.most + 1))


@pytest.mark.parametrize("name", rulesets.names())
def test_questions_are_whole_and_hold_for_settings_there_are(name: str) -> None:
    ruleset = rulesets.get(name)
    keys = [q.key for q in ruleset.quiz]
    assert len(keys) == len(set(keys))
    known = {s.key: values(s) for s in ruleset.settings} | {BLIND: {True, False}}
    for asked in ruleset.quiz:
        assert asked.text.text.format(**asked.text.params).endswith("?")
        assert asked.why.text.format(**asked.why.params).endswith(".")
        for key, fits in asked.holds.items():
            assert set(fits) < known[key], "all values: then it needs no such word"


@pytest.mark.parametrize("name", ["one-night", "sheriff"])
@pytest.mark.parametrize("blind", [False, True])
def test_there_are_ten_at_any_usual_table_of_both_answers(name: str, *, blind: bool) -> None:
    ruleset = rulesets.get(name)
    asked = questions_for_settings(ruleset.quiz, ruleset.settings, {"blind": blind})
    assert len(asked) >= 10
    assert 0.3 <= sum(q.is_yes for q in asked) / len(asked) <= 0.7
    assert len({q.text.text for q in asked}) == len(asked), "never both sides of a setting"


def test_a_question_is_asked_only_where_its_answer_is_right() -> None:
    def keys(**chosen: object) -> set[str]:
        return {q.key for q in questions_for_settings(SHERIFF.quiz, SHERIFF.settings, chosen)}

    assert "elected" in keys()
    assert "named" not in keys()
    assert {"named"} <= keys(election=False)
    assert not {"elected", "candidates"} & keys(election=False)
    assert "candidates" not in keys(candidates=7)
    assert "badge_passes" not in keys(sheriff_dies="ends")
    assert "dead_see" in keys()
    assert "dead_see" not in keys(blind=True)
    assert "dead_blind" in keys(blind=True)
