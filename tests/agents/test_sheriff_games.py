"""Whole games with a Sheriff, played by house players: what a player would notice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest

from agents.house.mindset import Mindset
from agents.house.observations import build_observations
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine.events import Event
from game.engine.forms import say
from game.engine.roles import casual_settings
from game.engine.text_checks import count_words
from game.engine.visibility import MODERATOR, View, steps_with_states, view_of
from game.engine.windows import Answer, Window
from tests.agents.table import Played, play
from tests.agents.test_phrases import PACKS

GAMES = 14
PACK = PACKS["sheriff"]
PRESSING = ("suspect", "accuse", "vote")


@pytest.fixture(scope="module")
def games() -> list[Played]:
    seeds = [f"badge/{i}" for i in range(GAMES)]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(partial(play, ruleset_name="sheriff"), seeds, chunksize=5))


def spoken(game: Played) -> Iterator[tuple[Event, tuple[int, ...], tuple[SpeechAct, ...]]]:
    """(statement, who lived, what it means) of everything said."""
    before = 0
    for event, state in steps_with_states(view_of(game.log, MODERATOR)):
        if event.data.get("manner") == "say" and event.data.get("text"):
            acts = understand(event["text"], event["seat"], state.seats, before, PACK)
            yield event, state.living(), acts
            before = event["seat"]


def looks(game: Played, seat: int) -> dict[int, str]:
    """target -> role, of what a Seer saw."""
    seen = [e for e in game.log if e.kind == "divined" and e["seat"] == seat]
    return {e["targets"][0]: e["role"] for e in seen}


def test_nothing_falls_back_and_nothing_is_said_twice(games: list[Played]) -> None:
    for game in games:
        assert not [e for e in game.log if e.labels]
        texts = [text for _, text in game.said]
        assert len(set(texts)) == len(texts)
        assert max(map(count_words, texts)) <= 120
    assert {game.winner for game in games} >= {"village", "werewolf"}


def test_the_village_finds_werewolves_more_often_than_chance(games: list[Played]) -> None:
    """A coarse net; `python -m tests.bench house --ruleset sheriff` has the figures."""
    hits, chance = 0.0, 0.0
    for game in games:
        for _day, vote, living in game.votes:
            if game.roles[vote["seat"]] != "werewolf":
                others = [game.roles[s] == "werewolf" for s in living if s != vote["seat"]]
                chance += sum(others) / len(others)
                hits += any(game.roles[t] == "werewolf" for t in vote["targets"])
    assert hits > 1.3 * chance


def test_a_seer_tells_what_it_saw_and_tells_a_werewolf_at_once(games: list[Played]) -> None:
    found, told = 0, 0
    for game in games:
        seer = next(s for s, role in game.roles.items() if role == "seer")
        seen = looks(game, seer)
        for event, _living, acts in spoken(game):
            reports = [a for a in acts if a.kind == "report" and event["seat"] == seer]
            for act in reports:
                assert seen[act.targets[0]] == act.value, event["text"]
        wolves = [t for t, role in seen.items() if role == "werewolf"]
        chances = [e for e, living, _ in spoken(game) if e["seat"] == seer and seer in living]
        if wolves and chances and chances[-1] in game.log[_looked(game, wolves[0]) :]:
            found += 1
            told += any(
                a.kind == "report" and a.value == "werewolf" and a.targets == (wolves[0],)
                for e, _, acts in spoken(game)
                for a in acts
                if e["seat"] == seer
            )
    assert found > 3
    assert told == found


def _looked(game: Played, target: int) -> int:
    """Where in the log the Seer learnt of `target`."""
    return next(
        i for i, e in enumerate(game.log) if e.kind == "divined" and e["targets"] == [target]
    )


def test_a_werewolf_never_says_that_its_partner_is_one(games: list[Played]) -> None:
    for game in games:
        wolves = {s for s, role in game.roles.items() if role == "werewolf"}
        for event, _living, acts in spoken(game):
            if event["seat"] not in wolves:
                continue
            for act in acts:
                own = set(act.targets) & (wolves - {event["seat"]})
                assert not own or act.kind != "accuse", event["text"]
                assert not own or act.kind != "report" or act.value != "werewolf", event["text"]
                assert act.kind != "claim" or act.role != "werewolf", event["text"]


def test_werewolves_share_no_story(games: list[Played]) -> None:
    """Two of them never claim to be the Seer in one game."""
    for game in games:
        claimed = {
            act.speaker
            for _event, _living, acts in spoken(game)
            for act in acts
            if act.kind in ("claim", "report") and act.role == "seer"
        }
        assert sum(game.roles[s] == "werewolf" for s in claimed) < 2


def test_the_dead_are_not_pressed_and_nobody_speaks_for_another(games: list[Played]) -> None:
    for game in games:
        for event, living, acts in spoken(game):
            pressed = {t for a in acts if a.kind in PRESSING for t in a.targets}
            assert pressed <= {*living}, event["text"]
            assert event["seat"] not in pressed, event["text"]


def test_whom_the_werewolves_killed_is_taken_for_none(games: list[Played]) -> None:
    """And it is spoken of in the morning."""
    mornings, spoke = 0, 0
    for game in games:
        killed = [e["seat"] for e in game.log if e.kind == "out" and e["cause"] == "attack"]
        for dead in killed:
            later = [e for e, living, _ in spoken(game) if dead not in living]
            mornings += bool(later)
            spoke += any(f"player_{dead}" in e["text"].lower() for e in later)
    assert spoke > 0.8 * mornings


def test_candidates_speak_for_themselves(games: list[Played]) -> None:
    """A campaign speech says why, and announces no vote; who sums up recommends one."""
    for game in games:
        for event, _living, acts in spoken(game):
            votes = [t for a in acts if a.kind == "vote" for t in a.targets]
            if event.kind == "candidacy":
                assert not votes, event["text"]
            if event.kind == "summing_up":
                assert len(set(votes)) == 1, event["text"]


def test_the_word_of_a_sheriff_is_followed_by_some(games: list[Played]) -> None:
    with_it, without = 0, 0
    for game in games:
        for event, living, acts in spoken(game):
            if event.kind != "summing_up":
                continue
            (named, *_) = [t for a in acts if a.kind == "vote" for t in a.targets]
            day = [e for d, e, alive in game.votes if alive == living]
            cast = [e["targets"][:1] for e in day if e["seat"] not in (event["seat"], named)]
            with_it += cast.count([named])
            without += len(cast) - cast.count([named])
    assert with_it > without / 2


@pytest.mark.parametrize("seed", ["save/0", "save/5"])
def test_a_guard_who_tells_of_a_save_is_believed_or_doubted(seed: str) -> None:
    def person(view: View, window: Window) -> Answer | None:
        guard, saved = view.state.living()[:2]
        if view.seat != guard or window.kind != "statement" or view.state.day < 2:
            return None
        return Answer(say(f"I'm the Guard. I protected player_{saved} last night."))

    game = play(seed, "sheriff", person=person, keep=True)
    kinds = {"save_fits", "save_doubted", "save_rival"}
    remarks = [
        (remark.kind, mind)
        for decision, _thought in game.decisions
        if decision.window.kind == "statement"
        for mind in [Mindset(decision, {})]
        if mind.dialogue.saves
        for remark in build_observations(mind)
        if remark.kind in kinds
    ]
    assert remarks
    for kind, mind in remarks:
        assert kind == "save_rival" or (kind == "save_fits") == bool(mind.dialogue.course.quiet)


def test_a_seer_that_comes_out_tells_all_its_looks_but_one_at_the_guard() -> None:
    """It has looked twice when the first talk begins a day after the election."""
    casual = casual_settings(PACK.ruleset.settings)
    both = 0
    for seed in ("both/0", "both/1", "both/2", "both/3"):
        game = play(seed, ruleset_name="sheriff", settings=casual)
        seer = next(s for s, role in game.roles.items() if role == "seer")
        for event, living, acts in spoken(game):
            reports = {a.targets[0]: a.value for a in acts if a.kind == "report"}
            if event["seat"] != seer or not reports:
                continue
            before = game.log[: game.log.index(event)]
            seen = {e["targets"][0]: e["role"] for e in before if e.kind == "divined"}
            untold = {t: r for t, r in seen.items() if t in living and r != "guard"}
            assert reports == untold, event["text"]
            both += len(reports) > 1
            break
    assert both


def test_announced_votes_have_a_reason(games: list[Played]) -> None:
    """The statement also suspects a player or reports a look."""
    kinds_of_votes = [
        {act.kind for act in acts}
        for game in games
        for _event, _living, acts in spoken(game)
        if any(act.kind == "vote" for act in acts)
    ]
    reasons = [bool(kinds & {"suspect", "accuse", "report"}) for kinds in kinds_of_votes]
    assert len(reasons) > 100
    assert sum(reasons) > 0.85 * len(reasons)
