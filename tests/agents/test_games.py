"""Invariants and statistics of whole one-night games of house players."""

from collections import Counter
from collections.abc import Iterator

import pytest

from agents.understanding.speech_acts import SpeechAct
from game.engine.events import digest, say
from game.engine.text_checks import count_words
from game.engine.visibility import View
from game.engine.windows import Answer, Window
from tests.agents.table import NAMES, ONE_NIGHT, PlayedGame, play, understand
from tests.bench.freshness import repeated_share, sentences

GAMES = 10


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    return [play(f"game/{i}") for i in range(GAMES)]


def read_statements(game: PlayedGame) -> Iterator[tuple[int, str, tuple[SpeechAct, ...]]]:
    for seat, text in game.statements:
        yield seat, text, understand(text, seat, NAMES)


def test_all_players_speak_without_fallback_or_repair(games: list[PlayedGame]) -> None:
    for game in games:
        assert len(game.statements) == 24
        assert not [e for e in game.log if e.labels]


def test_statements_are_short_and_unique_within_a_game(games: list[PlayedGame]) -> None:
    for game in games:
        texts = [text for _, text in game.statements]
        assert max(map(count_words, texts)) <= 120
        assert len(set(texts)) == len(texts)


def test_statements_rarely_repeat_over_many_games(games: list[PlayedGame]) -> None:
    texts = Counter(text for game in games for _, text in game.statements)
    assert sum(n - 1 for n in texts.values()) <= 1
    words = [count_words(t) for t in texts]
    assert 17 <= sum(words) / len(words) <= 55


def test_sentences_rarely_repeat(games: list[PlayedGame]) -> None:
    """Names are masked. `tests.bench.house` measures this over 200 games."""
    all_sentences = [s for game in games for _, text in game.statements for s in sentences(text)]
    assert repeated_share(all_sentences) < 0.5


def test_players_do_not_name_themselves(games: list[PlayedGame]) -> None:
    for game in games:
        for seat, text in game.statements:
            assert NAMES[seat - 1] not in text.replace("'", " ").replace(",", " ").split(), text


def test_seer_reports_its_true_result_early(games: list[PlayedGame]) -> None:
    rounds = Counter[int]()
    for game in games:
        (look,) = [e for e in game.log if e.kind == "divined"]
        reports = [
            (number // 8 + 1, act)
            for number, (seat, _, acts) in enumerate(read_statements(game))
            for act in acts
            if act.kind == "report" and seat == look["seat"]
        ]
        assert reports, "the Seer never spoke"
        rounds[reports[0][0]] += 1
        for _, act in reports:
            assert act.targets == tuple(look["targets"])
            assert ONE_NIGHT.accuses(act.result) == look["found"]
    assert rounds[1] + rounds[2] > 0.8 * GAMES


def test_masons_do_not_accuse_each_other_or_lie(games: list[PlayedGame]) -> None:
    for game in games:
        masons = {s for s, r in game.roles.items() if r == "mason"}
        for seat, text, acts in read_statements(game):
            if seat in masons:
                for act in acts:
                    assert not (act.strength and set(act.targets) & masons), text
                    assert act.kind != "claim" or act.role == "mason", text
        for event in game.log:
            if event.kind == "vote" and event["seat"] in masons:
                assert event["targets"][0] not in masons


def test_honest_players_claim_only_their_own_role(games: list[PlayedGame]) -> None:
    for game in games:
        for seat, text, acts in read_statements(game):
            if game.roles[seat] in ("villager", "seer"):
                assert {a.role for a in acts if a.kind == "claim"} <= {game.roles[seat]}, text


def test_statement_accuses_at_most_one_player(games: list[PlayedGame]) -> None:
    """The deck has one Werewolf, so one statement must not accuse two players."""
    for game in games:
        for _, text, acts in read_statements(game):
            pressed = {t for a in acts if a.strength for t in a.targets}
            assert len(pressed) <= 1, text


def test_players_do_not_accuse_a_player_they_cleared(games: list[PlayedGame]) -> None:
    for game in games:
        cleared: dict[int, set[int]] = {}
        for seat, text, acts in read_statements(game):
            for act in acts:
                if act.kind == "report" and not ONE_NIGHT.accuses(act.result):
                    cleared[seat] = set(act.targets)
            pressed = {t for a in acts if a.strength for t in a.targets}
            assert not pressed & cleared.get(seat, set()), text


def test_number_of_seers_in_statements_is_correct(games: list[PlayedGame]) -> None:
    """A statement mentions two or three Seers only if as many claims were made."""
    for game in games:
        seers: set[int] = set()
        for seat, text, acts in read_statements(game):
            if any(a.kind == "report" or (a.kind, a.role) == ("claim", "seer") for a in acts):
                seers.add(seat)
            if "Two Seers" in text or "two Seers" in text:
                assert len(seers) >= 2, text
            if "Three Seers" in text:
                assert len(seers) >= 3, text


def test_statements_mention_other_players(games: list[PlayedGame]) -> None:
    """Applies to statements after the first round."""
    later = [text for g in games for _, text in g.statements[8:]]
    named = [t for t in later if any(n.lower() in t.lower() for n in NAMES)]
    assert len(named) > 0.93 * len(later)  # claims may be brief


def test_game_depends_only_on_its_seed(games: list[PlayedGame]) -> None:
    again = play("game/0")
    assert digest(again.log) == digest(games[0].log)
    assert digest(games[1].log) != digest(games[0].log)


def test_every_team_can_win(games: list[PlayedGame]) -> None:
    """A coarse check. tests/bench/house.py prints the figures."""
    wins = Counter(game.winner for game in games)
    assert wins["village"] >= 2
    assert wins["werewolf"] >= 2
    assert wins["tanner"] >= 1


def test_village_votes_better_than_chance(games: list[PlayedGame]) -> None:
    votes = [
        game.roles[e["targets"][0]] == "werewolf"
        for game in games
        for e in game.log
        if e.kind == "vote" and game.roles[e["seat"]] in ("seer", "mason", "villager")
    ]
    assert sum(votes) / len(votes) > 0.25


NOISE = ("", "aaaa" * 30, "Eta: I am the werewolf", "lol", "狼人", "Beta and Gamma and", "I'm you")


def test_game_continues_if_a_person_talks_nonsense() -> None:
    def person(view: View, window: Window) -> Answer | None:
        if view.seat != 3 or window.kind != "statement":
            return None
        return Answer(say(NOISE[view.state.round] + " zxqv"))

    for number in range(2):
        game = play(f"noise/{number}", person=person)
        assert not [e for e in game.log if e.labels]
        assert not [t for s, t in game.statements if s != 3 and "zxqv" in t]


def test_person_accusing_a_player_gets_an_answer() -> None:
    def person(view: View, window: Window) -> Answer | None:
        if view.seat != 1 or window.kind != "statement":
            return None
        return Answer(say("I think Eta is lying and I will vote for Eta."))

    answers = [
        text
        for number in range(4)
        for seat, text in play(f"pressed/{number}", person=person).statements
        if seat == 8
    ]
    assert sum(any(name in text for name in NAMES) for text in answers) >= 0.9 * len(answers)
    assert sum("Alpha" in text for text in answers) >= len(answers) / 2
