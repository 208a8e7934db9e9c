"""Tests of talk in passes on a page: silence, progress, whispers and secret ballots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from game.engine import rulesets
from game.engine.events import PUBLIC as PUBLIC_EVENT
from game.engine.events import Action, Event
from game.engine.forms import Speech
from game.engine.position import Position
from game.engine.visibility import AFTERMATH, MODERATOR, PUBLIC, View, Viewer, seat, view_of
from game.engine.windows import Window
from tests.engine.playing import drawing_hand, play
from webapp.play.page.game_course import course_of
from webapp.play.page.talk_passes import TalkProgress, find_progress, progress_texts
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine
from webapp.play.replay.moderator_lines import ModeratorLines

IN_PASSES = [name for name in rulesets.names() if not rulesets.get(name).rounds]
BUSY_SETTINGS = {"talk_max_skip": 1, "vote_max_count": 2, "attack_max_count": 2}
each_ruleset = pytest.mark.parametrize("ruleset", IN_PASSES)


def play_busy_game(name: str, seed: str = "3", *, quiet: bool = False) -> list[Event]:
    """Play a game of busy settings. quiet: nobody speaks after the first pass of a talk."""
    random_hand = drawing_hand(seed)

    def hand(window: Window, seat: int) -> Action | None:
        is_silent = quiet and window.moment.pass_ > 1
        return Action("over") if is_silent else random_hand(window, seat)

    ruleset = rulesets.get(name)
    setting_keys = {setting.key for setting in ruleset.settings}
    settings = {key: value for key, value in BUSY_SETTINGS.items() if key in setting_keys}
    return play(ruleset, seed, hand, settings).log


def build_seats(view: View) -> dict[int, Seat]:
    return {n: Seat(n, name, "") for n, name in enumerate(view.state.seats, 1)}


def build_lines(view: View, first: int = 1) -> list[TranscriptLine]:
    return TranscriptLines(view, build_seats(view)).entries(first)


@each_ruleset
def test_pushed_lines_complete_a_stale_page(ruleset: str) -> None:
    """The lines of a page and those pushed since are the lines of a fresh page, at any moment."""
    log = play_busy_game(ruleset)
    wolves = next(event["seats"] for event in log if event.kind == "acquainted")
    sizes = [size for size, event in enumerate(log, 1) if event.kind == "window_opened"]
    late_lines = 0
    for viewer in (PUBLIC, seat(1), seat(wolves[0])):
        complete_view = view_of(log, viewer)
        fresh = {line.position: line for line in build_lines(complete_view)}
        for size in sizes[:: 1 + len(sizes) // 40]:
            stale_view = view_of(log[:size], viewer)
            cursor = len(stale_view.events)
            pushed_lines = build_lines(complete_view, cursor + 1)
            late_lines += sum(line.position <= cursor for line in pushed_lines)
            stale = {line.position: line for line in build_lines(stale_view)}
            assert {**stale, **{line.position: line for line in pushed_lines}} == fresh
            assert not stale.keys() - fresh.keys()
    assert late_lines, "no pass was under way at any of these moments"


def count_silent_passes(log: list[Event]) -> int:
    """Return the number of passes with an answer without text."""
    window_types = {
        e["key"]: (e["kind"], e.data.get("pass")) for e in log if e.kind == "window_opened"
    }
    phase_number, silent = 0, set()
    for event in log:
        phase_number += event.kind == "phase_opened"
        if event.data.get("manner") in ("skip", "over"):
            silent.add((phase_number, window_types[event["window"]]))
    return len(silent)


def silences_by_seat(log: list[Event]) -> Counter[int]:
    """Return how often each seat answered without text."""
    return Counter(e["seat"] for e in log if e.data.get("manner") in ("skip", "over"))


@each_ruleset
def test_silent_players_of_a_pass_share_one_line(ruleset: str) -> None:
    texts = []
    for quiet in (False, True):
        log = play_busy_game(ruleset, quiet=quiet)
        view = view_of(log, MODERATOR)
        replay_lines = ModeratorLines(view, build_seats(view), polled=[]).entries()
        pass_texts = [line.text for line in replay_lines if line.kind == "passed"]
        assert len(pass_texts) == count_silent_passes(log) > 0
        assert not [line for line in replay_lines if line.kind == "statement" and line.is_silent]
        name_counts = Counter(
            name for text in pass_texts for name in view.state.seats if name in text
        )
        assert all(name_counts[view.name(s)] <= count for s, count in silences_by_seat(log).items())
        texts += pass_texts
    assert any(text.startswith("Nobody") for text in texts), "a silent pass has a short line"


@each_ruleset
def test_talk_progress_matches_the_pending_questions(ruleset: str) -> None:
    """A finished player is not asked, and an asked player has turns left."""
    game = rulesets.get(ruleset)
    position, hand = Position.start(game, "5"), drawing_hand("5")
    question_count = 0
    while not position.is_over:
        question = position.pending[0]
        progress = find_progress(position.view(question.seat), question.window)
        if isinstance(question.window.legal, Speech) and progress:
            assert question.seat not in progress.seats_done
            assert (
                progress.turns_left(question.seat)
                == progress.limits.max_answers - progress.answer_counts[question.seat]
                > 0
            )
            assert progress.passes_left >= 0
            question_count += 1
        position.apply(question, hand(question.window, question.seat))
    assert question_count


def test_whisper_to_finished_players_warns_that_nobody_answers() -> None:
    game = rulesets.get("aiwolf-13")
    position, hand = Position.start(game, "5"), drawing_hand("5")
    while (question := position.pending[0]).window.kind != "whisper":
        position.apply(question, hand(question.window, question.seat))
    view, window = position.view(question.seat), question.window
    limits = game.talk_limits("whisper", view.state.settings)
    assert limits
    assert window.answer_audience
    partners = [s for s in window.answer_audience.seats if s != question.seat]
    names = dict(enumerate(view.state.seats, 1))
    for finished in (partners[:1], partners):
        talk = TalkProgress(limits, 1, Counter(), frozenset(finished))
        text = " ".join(progress_texts(talk, view, window, names))
        assert ("will not answer" in text) == (finished == partners)


def whisper_lines(view: View) -> Iterator[TranscriptLine]:
    for line in build_lines(view):
        if line.hears or line.hearers:
            yield line


def test_whispers_follow_a_heading_that_names_the_listeners() -> None:
    log = play_busy_game("aiwolf-13")
    wolves = next(e["seats"] for e in log if e.kind == "acquainted")
    heading_count = 0
    for number in range(1, 14):
        whispers = list(whisper_lines(view_of(log, seat(number))))
        if number not in wolves:
            assert not whispers
            continue
        for previous, line in zip([None, *whispers], whispers, strict=False):
            if line.kind == "whispers":
                assert {s.number for s in line.hearers} <= {*wolves}
                assert len(line.hearers) > 1
                heading_count += 1
            else:
                assert previous, "a whisper follows its heading"
    assert heading_count


def test_lone_werewolf_has_no_whispers() -> None:
    log = play_busy_game("aiwolf-5")
    assert not [line for n in range(1, 6) for line in whisper_lines(view_of(log, seat(n)))]


def votes_by_window(log: list[Event]) -> list[dict[int, list[int]]]:
    ballots: dict[str, dict[int, list[int]]] = {}
    for event in log:
        if event.kind == "vote":
            target = (event.data.get("targets") or [0])[0]
            ballots.setdefault(event["window"], {}).setdefault(target, []).append(event["seat"])
    return list(ballots.values())


@pytest.mark.parametrize("viewer", [AFTERMATH, MODERATOR])
def test_secret_ballots_are_all_shown_afterwards(viewer: Viewer) -> None:
    """Each ballot is shown once, also the first of two, and that of the last day."""
    repeated = 0
    for seed in ("1", "2", "3", "4"):
        log = play_busy_game("aiwolf-13", seed)
        ballots = [step for step in course_of(view_of(log, viewer)) if step.votes]
        assert [dict(step.votes or {}) for step in ballots] == votes_by_window(log)
        repeated += sum(step.text.endswith("once more") for step in ballots)
    assert repeated, "no vote was held twice"


def test_replay_shows_each_secret_vote_when_it_was_cast() -> None:
    log = play_busy_game("aiwolf-5")
    view = view_of(log, MODERATOR)
    entries = ModeratorLines(view, build_seats(view), polled=[]).entries()
    votes = [line for line in entries if line.kind == "vote"]
    assert [view.events[line.position - 1].kind for line in votes] == ["vote"] * len(votes)
    assert len(votes) == sum(e.kind == "vote" for e in log)
    assert all("votes for" in line.text and line.marked for line in votes)


def test_statement_to_two_players_is_labelled_with_both() -> None:
    """Each is named once. Players who are out are not named."""
    ruleset = rulesets.get("aiwolf-5")
    log = play_busy_game("aiwolf-5")
    position = next(n for n, e in enumerate(log) if e.kind == "statement" and e["manner"] == "say")
    event = log[position]
    first, second, out_seat = [n for n in range(1, 6) if n != event["seat"]][:3]
    names = ruleset.table_names
    at = {n: f"@{names[n - 1]}" for n in (first, second, out_seat)}
    text = f"{at[second]} and {at[first]}, what of {at[out_seat]}? Tell me, {at[second]}."
    log[position] = replace(event, data={**event.data, "text": text, "targets": [second]})
    out_event = Event("out", PUBLIC_EVENT, {"seat": out_seat, "cause": "vote", "role": "villager"})
    view = view_of([*log[:position], out_event, log[position]], PUBLIC)
    (line,) = (e for e in build_lines(view) if e.text == text)
    assert line.addressed == f"{view.name(second)} and {view.name(first)}"
    assert f"to {line.addressed}" in render_to_string("play/entry.html", {"entry": line})
