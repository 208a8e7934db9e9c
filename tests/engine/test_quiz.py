"""Answers of the rules quiz match the rules' data or played games."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from game.engine import rulesets
from game.engine.declarations import BLIND, QuizQuestion, Setting, questions_for_settings
from game.engine.events import ABSTAIN, Event, pick
from game.engine.ruleset import role_of
from game.engine.windows import Window
from tests.engine import sheriff
from tests.engine.playing import drawing_hand, play

ONE, SHERIFF, DAYS = (rulesets.get(name) for name in ("one-night", "sheriff", "two-days"))
Fact = Callable[[], bool]


def count_role(ruleset: str, role: str) -> int:
    return list(rulesets.get(ruleset).deck).count(role)


@cache
def windows(ruleset: str) -> dict[str, list[Window]]:
    """Return all windows of a few games of the ruleset, by kind."""
    windows_by_kind: dict[str, list[Window]] = {}
    for seed in "abc":
        hand = drawing_hand(seed)

        def recording_hand(window: Window, seat: int, hand=hand) -> object:
            windows_by_kind.setdefault(window.kind, []).append(window)
            return hand(window, seat)

        play(rulesets.get(ruleset), seed, recording_hand)
    return windows_by_kind


def one_night(vote: Callable[[Window, int, dict[int, str]], int]) -> list[Event]:
    """Log of a one-night game in which `vote` chooses every vote."""
    roles: dict[int, str] = {}
    for event in play(ONE, "quiz", drawing_hand("quiz")).log:
        if event.kind == "role_dealt":
            roles[event["seat"]] = event["role"]

    def hand(window: Window, seat: int) -> object:
        if window.kind == "vote":
            return pick(vote(window, seat, roles))
        return drawing_hand("quiz")(window, seat)

    return play(ONE, "quiz", hand).log


def team_wins(team: str, out: str) -> bool:
    """Return whether `team` wins if the holder of `out` gets all possible votes."""

    def vote(window: Window, seat: int, roles: dict[int, str]) -> int:
        target = next(s for s, role in roles.items() if role == out)
        return target if seat != target else window.options_for(seat)[0]

    return bool(one_night(vote)[-1]["winner"] == team)


def tie_keeps_all_in() -> bool:
    def vote(window: Window, seat: int, roles: dict[int, str]) -> int:
        return 2 if seat in (1, 3, 5, 7) else 1  # four votes each

    return not any(e.kind == "out" for e in one_night(vote))


def sheriff_tie() -> bool:
    """Return whether a tied vote of day 1 puts a player out."""

    def vote(window: Window, seat: int) -> object:
        target = {1: 2, 2: 1}.get(seat)
        return pick(target) if target and window.moment.day == 1 else ABSTAIN

    game = sheriff.run(vote=vote)
    return any(e["day"] == 1 for e in sheriff.events_of(game, "out"))


def night_deaths(*, agreed: bool, guarded: bool = False) -> bool:
    """Return whether night 1 kills if the Werewolves agree on the Seer, or disagree."""
    hands = {"attack": sheriff.all_for(sheriff.SEER)} if agreed else {}
    if guarded:
        hands["protection"] = sheriff.all_for(sheriff.SEER)
    game = sheriff.run(**hands)
    return any(e["cause"] == "attack" and e["day"] == 1 for e in sheriff.events_of(game, "out"))


def badge_holder_votes_twice() -> bool:
    """Return whether a player is out if the Sheriff and another player disagree."""
    badge = next(e["seat"] for e in sheriff.run().log if e.kind == "badge_given")
    other_seat = badge % 7 + 1

    def vote(window: Window, seat: int) -> object:
        target = {badge: other_seat, other_seat: badge}.get(seat)
        return pick(target) if target and window.moment.day == 1 else ABSTAIN

    return any(e["day"] == 1 for e in sheriff.events_of(sheriff.run(vote=vote), "out"))


def sheriff_chooses_side() -> bool:
    return all(w.seats and "left" in w.legal.options for w in windows("sheriff")["first_side"])


def sheriff_is_last() -> bool:
    """Return whether the badge holder speaks last on every day of a few games."""
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


def each_seat_speaks_once_a_round() -> bool:
    log = play(ONE, "quiz", drawing_hand("quiz")).log
    speakers = [e["seat"] for e in log if e.kind == "statement"]
    return speakers == list(range(1, len(ONE.deck) + 1)) * ONE.rounds


def exile_reveals_role() -> bool:
    game = sheriff.run(vote=sheriff.all_for(sheriff.VILLAGERS[0]))
    return any("role" in e.data for e in sheriff.events_of(game, "out"))


def dead_see_roles(settings: dict[str, object]) -> bool:
    victim = sheriff.VILLAGERS[0]
    game = sheriff.run(settings, [victim], vote=sheriff.all_for(victim))
    return bool(sheriff.events_of(game, "unveiled"))


def has_election(settings: dict[str, object]) -> bool:
    return bool([e for e in sheriff.run(settings).log if e.kind == "election"])


def badge_is_handed_on() -> bool:
    game = sheriff.run(attack=sheriff.all_for(0, sheriff.drawn_candidates(sheriff.run())[0]))
    return bool(sheriff.events_of(game, "heir"))


FACTS: dict[str, dict[str, Fact]] = {
    "one-night": {
        "seer_looks": lambda: {w.legal.count for w in windows("one-night")["divination"]} == {2},
        "seer_which": lambda: role_of(ONE, "seer").look.seats == 1,
        "one_werewolf": lambda: count_role("one-night", "werewolf") > 1,
        "masons_know": lambda: role_of(ONE, "mason").knows == "role",
        "minion_knows": lambda: bool(role_of(ONE, "minion").knows),
        "werewolf_knows": lambda: bool(role_of(ONE, "werewolf").knows),
        "night_kill": lambda: any(
            e.kind == "out" and e["cause"] != "vote" for e in one_night(lambda w, s, r: s % 8 + 1)
        ),
        "speaks_once": each_seat_speaks_once_a_round,
        "votes_once": lambda: len({w.key for w in windows("one-night")["vote"]}) > 1,
        "own_vote": lambda: any(w.legal.allow_self for w in windows("one-night")["vote"]),
        "votes_seen": lambda: any(len(w.seats) < 8 for w in windows("one-night")["vote"]),
        "tie": tie_keeps_all_in,
        "werewolf_out": lambda: team_wins("village", "werewolf"),
        "minion_out": lambda: team_wins("village", "minion"),
        "tanner_out": lambda: team_wins("tanner", "tanner"),
    },
    "sheriff": {
        "two_werewolves": lambda: count_role("sheriff", "werewolf") == 2,
        "werewolves_know": lambda: role_of(SHERIFF, "werewolf").knows == "role",
        "seer_role": lambda: (
            {answer for answer, _roles in role_of(SHERIFF, "seer").look.answers}
            == {*SHERIFF.deck} - {"seer"}
        ),
        "guard_self": lambda: all(w.legal.allow_self for w in windows("sheriff")["protection"]),
        "guard_saves": lambda: night_deaths(agreed=True, guarded=True),
        "werewolves_differ": lambda: night_deaths(agreed=False),
        "tie": sheriff_tie,
        "no_vote": lambda: all(w.legal.may_abstain for w in windows("sheriff")["vote"]),
        "role_told": exile_reveals_role,
        "sheriff_last": sheriff_is_last,
        "sheriff_side": sheriff_chooses_side,
        "sheriff_counts": badge_holder_votes_twice,
        "elected": lambda: has_election({}),
        "named": lambda: has_election({"election": False}),
        "badge_passes": badge_is_handed_on,
        "dead_see": lambda: dead_see_roles({"dead_see": True}),
        "dead_blind": lambda: dead_see_roles({"dead_see": True, "blind": True}),
    },
    "two-days": {
        "days": lambda: getattr(DAYS, "days", 0) == 2,
        "elected": lambda: bool(windows("two-days").get("election")),
    },
}
CHECKED_QUESTIONS = [(name, key) for name, facts in FACTS.items() for key in facts]


def question(ruleset: str, key: str) -> QuizQuestion:
    return next(q for q in rulesets.get(ruleset).quiz if q.key == key)


@pytest.mark.parametrize(("ruleset", "key"), CHECKED_QUESTIONS)
def test_quiz_answer_matches_the_game(ruleset: str, key: str) -> None:
    assert FACTS[ruleset][key]() is question(ruleset, key).is_yes


def values(setting: Setting) -> set[object]:
    if isinstance(setting.default, bool):
        return {True, False}
    if setting.choices:
        return {value for value, _label in setting.choices}
    return set(range(setting.min_value, setting.max_value + 1))


@pytest.mark.parametrize("name", rulesets.names())
def test_questions_are_complete_and_refer_to_existing_settings(name: str) -> None:
    ruleset = rulesets.get(name)
    keys = [q.key for q in ruleset.quiz]
    assert len(keys) == len(set(keys))
    possible_values = {s.key: values(s) for s in ruleset.settings} | {BLIND: {True, False}}
    for item in ruleset.quiz:
        assert item.text.format(**item.figures).endswith("?")
        assert item.explanation.format(**item.figures).endswith(".")
        for key, allowed in item.holds.items():
            assert set(allowed) < possible_values[key], (
                "a condition that allows all values is superfluous"
            )


@pytest.mark.parametrize("name", ["one-night", "sheriff"])
@pytest.mark.parametrize("blind", [False, True])
def test_usual_games_have_ten_questions_with_both_answers(name: str, *, blind: bool) -> None:
    ruleset = rulesets.get(name)
    questions = questions_for_settings(ruleset.quiz, ruleset.settings, {"blind": blind})
    assert len(questions) >= 10
    assert 0.3 <= sum(q.is_yes for q in questions) / len(questions) <= 0.7
    assert len({q.text for q in questions}) == len(questions), "only one side of a setting is used"


def test_question_is_used_only_if_its_answer_is_right() -> None:
    def keys(**settings: object) -> set[str]:
        return {q.key for q in questions_for_settings(SHERIFF.quiz, SHERIFF.settings, settings)}

    assert "elected" in keys()
    assert "named" not in keys()
    assert {"named"} <= keys(election=False)
    assert not {"elected", "candidates"} & keys(election=False)
    assert "candidates" not in keys(candidates=7)
    assert "badge_passes" not in keys(sheriff_dies="ends")
    assert "dead_see" in keys()
    assert "dead_see" not in keys(blind=True)
    assert "dead_blind" in keys(blind=True)
