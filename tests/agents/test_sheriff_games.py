"""Consistency and statistics of whole Sheriff games of house players."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest

from agents.house.mindset import Mindset
from agents.house.observations import build_observations
from agents.language.phrasing import sentences
from agents.understanding.normalise import find_named_seats
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from game.engine.declarations import casual_settings
from game.engine.events import Event, say
from game.engine.text_checks import count_words
from game.engine.visibility import MODERATOR, View, steps_with_states, view_of
from game.engine.windows import Answer, Window
from tests.agents.table import PlayedGame, play
from tests.agents.test_phrases import PACKS

GAMES = 14
PACK = PACKS["sheriff"]
NAMES = tuple(PACK.ruleset.seat_names)
VOTE_WORDS = 7  # a longer sentence with a vote has its reason, too
PRESSING = ("suspect", "accuse", "vote")


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    seeds = [f"badge/{i}" for i in range(GAMES)]
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(partial(play, ruleset_name="sheriff"), seeds, chunksize=5))


def read_statements(
    game: PlayedGame,
) -> Iterator[tuple[Event, tuple[int, ...], tuple[SpeechAct, ...]]]:
    """Yield (event, living seats, speech acts) of every public statement."""
    before = 0
    for event, state in steps_with_states(view_of(game.log, MODERATOR)):
        if event.data.get("manner") == "say" and event.data.get("text"):
            acts = understand(event["text"], event["seat"], state.seats, before, PACK)
            yield event, state.living(), acts
            before = event["seat"]


def looks(game: PlayedGame, seat: int) -> dict[int, str]:
    """Map the targets of a Seer's looks to their roles."""
    events = [e for e in game.log if e.kind == "divined" and e["seat"] == seat]
    return {e["targets"][0]: e["role"] for e in events}


def test_games_have_no_fallbacks_and_no_repeated_statements(games: list[PlayedGame]) -> None:
    for game in games:
        assert not [e for e in game.log if e.labels]
        texts = [text for _, text in game.statements]
        assert len(set(texts)) == len(texts)
        assert max(map(count_words, texts)) <= 120
    assert {game.winner for game in games} >= {"village", "werewolf"}


def test_village_votes_better_than_chance(games: list[PlayedGame]) -> None:
    """A coarse check. `python -m tests.bench house --ruleset sheriff` prints the figures."""
    hits, chance = 0.0, 0.0
    for game in games:
        for _day, vote, living in game.votes:
            if game.roles[vote["seat"]] != "werewolf":
                are_wolves = [game.roles[s] == "werewolf" for s in living if s != vote["seat"]]
                chance += sum(are_wolves) / len(are_wolves)
                hits += any(game.roles[t] == "werewolf" for t in vote["targets"])
    assert hits > 1.3 * chance


def test_seer_reports_true_results_and_every_werewolf(games: list[PlayedGame]) -> None:
    chances_to_report, reported = 0, 0
    for game in games:
        seer = next(s for s, role in game.roles.items() if role == "seer")
        results = looks(game, seer)
        for event, _living, acts in read_statements(game):
            reports = [a for a in acts if a.kind == "report" and event["seat"] == seer]
            for act in reports:
                assert results[act.targets[0]] == act.value, event["text"]
        wolves = [t for t, role in results.items() if role == "werewolf"]
        chances = [
            e for e, living, _ in read_statements(game) if e["seat"] == seer and seer in living
        ]
        if wolves and chances and chances[-1] in game.log[_look_index(game, wolves[0]) :]:
            chances_to_report += 1
            reported += any(
                a.kind == "report" and a.value == "werewolf" and a.targets == (wolves[0],)
                for e, _, acts in read_statements(game)
                for a in acts
                if e["seat"] == seer
            )
    assert chances_to_report > 3
    assert reported == chances_to_report


def _look_index(game: PlayedGame, target: int) -> int:
    """Return the index in the log of the Seer's look at `target`."""
    return next(
        i for i, e in enumerate(game.log) if e.kind == "divined" and e["targets"] == [target]
    )


def test_werewolf_never_accuses_its_partner(games: list[PlayedGame]) -> None:
    for game in games:
        wolves = {s for s, role in game.roles.items() if role == "werewolf"}
        for event, _living, acts in read_statements(game):
            if event["seat"] not in wolves:
                continue
            for act in acts:
                accused_partners = set(act.targets) & (wolves - {event["seat"]})
                assert not accused_partners or act.kind != "accuse", event["text"]
                assert not accused_partners or act.kind != "report" or act.value != "werewolf", (
                    event["text"]
                )
                assert act.kind != "claim" or act.role != "werewolf", event["text"]


def test_werewolves_do_not_both_claim_seer(games: list[PlayedGame]) -> None:
    for game in games:
        claimants = {
            act.speaker
            for _event, _living, acts in read_statements(game)
            for act in acts
            if act.kind in ("claim", "report") and act.role == "seer"
        }
        assert sum(game.roles[s] == "werewolf" for s in claimants) < 2


def test_players_do_not_accuse_dead_players_or_themselves(games: list[PlayedGame]) -> None:
    for game in games:
        for event, living, acts in read_statements(game):
            pressed = {t for a in acts if a.kind in PRESSING for t in a.targets}
            assert pressed <= {*living}, event["text"]
            assert event["seat"] not in pressed, event["text"]


def test_night_kills_are_mentioned_in_the_morning(games: list[PlayedGame]) -> None:
    mornings, mentions = 0, 0
    for game in games:
        killed = [e["seat"] for e in game.log if e.kind == "out" and e["cause"] == "attack"]
        for dead in killed:
            later = [e for e, living, _ in read_statements(game) if dead not in living]
            mornings += bool(later)
            mentions += any(f"player_{dead}" in e["text"].lower() for e in later)
    assert mentions > 0.7 * mornings


def test_candidates_announce_no_vote_and_the_sheriff_recommends_one(
    games: list[PlayedGame],
) -> None:
    """Summing up recommends exactly one vote."""
    for game in games:
        for event, _living, acts in read_statements(game):
            votes = [t for a in acts if a.kind == "vote" for t in a.targets]
            if event.kind == "candidacy":
                assert not votes, event["text"]
            if event.kind == "summing_up":
                assert len(set(votes)) == 1, event["text"]


def test_sheriff_recommendation_influences_votes(games: list[PlayedGame]) -> None:
    followed, ignored = 0, 0
    for game in games:
        for event, living, acts in read_statements(game):
            if event.kind != "summing_up":
                continue
            (recommended, *_) = [t for a in acts if a.kind == "vote" for t in a.targets]
            day = [e for d, e, alive in game.votes if alive == living]
            targets = [
                e["targets"][:1] for e in day if e["seat"] not in (event["seat"], recommended)
            ]
            followed += targets.count([recommended])
            ignored += len(targets) - targets.count([recommended])
    assert followed > ignored / 2


@pytest.mark.parametrize("seed", ["save/5", "save/7"])
def test_claimed_save_is_believed_or_doubted(seed: str) -> None:
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
        if mind.dialogue.claimed_saves
        for remark in build_observations(mind)
        if remark.kind in kinds
    ]
    assert remarks
    for kind, mind in remarks:
        assert kind == "save_rival" or (kind == "save_fits") == bool(
            mind.dialogue.course.quiet_nights
        )


def test_seer_reports_all_looks_except_one_at_the_guard() -> None:
    """The Seer has looked twice if the first talk begins a day after the election."""
    casual = casual_settings(PACK.ruleset.settings)
    multiple_reports = 0
    for seed in ("both/0", "both/1", "both/2", "both/5"):
        game = play(seed, ruleset_name="sheriff", settings=casual)
        seer = next(s for s, role in game.roles.items() if role == "seer")
        for event, living, acts in read_statements(game):
            reports = {a.targets[0]: a.value for a in acts if a.kind == "report"}
            if event["seat"] != seer or not reports:
                continue
            before = game.log[: game.log.index(event)]
            results = {e["targets"][0]: e["role"] for e in before if e.kind == "divined"}
            reportable = {t: r for t, r in results.items() if t in living and r != "guard"}
            assert reports == reportable, event["text"]
            multiple_reports += len(reports) > 1
            break
    assert multiple_reports


def test_announced_votes_have_a_reason(games: list[PlayedGame]) -> None:
    """A longer or another sentence names a player, or the statement reports a look."""
    reasons = []
    for game in games:
        for event, _living, acts in read_statements(game):
            if not any(act.kind == "vote" for act in acts):
                continue
            named = [find_named_seats(s, NAMES) for s in sentences(event["text"])]
            has_report = any(act.kind == "report" for act in acts)
            is_joined = max(len(s.split()) for s in sentences(event["text"])) > VOTE_WORDS
            is_reasoned = has_report or is_joined or sum(map(bool, named)) > 1
            reasons.append(is_reasoned)
    assert len(reasons) > 100
    assert sum(reasons) > 0.85 * len(reasons)
