"""Talk in passes on a page: who said nothing, what is left, whispers, secret ballots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from game.engine import rulesets
from game.engine.events import PUBLIC as PUBLIC_EVENT
from game.engine.events import Event
from game.engine.forms import Action, Speech
from game.engine.position import Position
from game.engine.visibility import AFTERMATH, MODERATOR, PUBLIC, View, Viewer, seat, view_of
from game.engine.windows import Window
from tests.engine.playing import drawing_hand, play
from webapp.play.page.game_course import course_of
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import Seat, TranscriptLine
from webapp.play.page.viewer_windows import TalkProgress, find_progress, progress_texts
from webapp.play.replay.viewer_transcript import ModeratorLines

IN_PASSES = [name for name in rulesets.names() if not rulesets.get(name).rounds]
BUSY = {"talk_max_skip": 1, "vote_max_count": 2, "attack_max_count": 2}
each_ruleset = pytest.mark.parametrize("ruleset", IN_PASSES)


def log_of(name: str, seed: str = "3", *, quiet: bool = False) -> list[Event]:
    """A game of busy settings. quiet: after the first pass of a talk nobody says anything."""
    drawn = drawing_hand(seed)

    def hand(window: Window, seat: int) -> Action | None:
        silent = quiet and window.moment.pass_ > 1
        return Action("over") if silent else drawn(window, seat)

    ruleset = rulesets.get(name)
    known = {setting.key for setting in ruleset.settings}
    settings = {key: value for key, value in BUSY.items() if key in known}
    return play(ruleset, seed, hand, settings).log


def seats_of(view: View) -> dict[int, Seat]:
    return {n: Seat(n, name, "") for n, name in enumerate(view.state.seats, 1)}


def lines(view: View, first: int = 1) -> list[TranscriptLine]:
    return TranscriptLines(view, seats_of(view)).entries(first)


@each_ruleset
def test_pushed_lines_add_up_to_those_of_a_page_drawn_anew(ruleset: str) -> None:
    """Wherever a page waits: what it shows already and what is pushed are what a new one shows."""
    log = log_of(ruleset)
    wolves = next(event["seats"] for event in log if event.kind == "acquainted")
    waits = [size for size, event in enumerate(log, 1) if event.kind == "window_opened"]
    late = 0
    for viewer in (PUBLIC, seat(1), seat(wolves[0])):
        whole = view_of(log, viewer)
        fresh = {line.position: line for line in lines(whole)}
        for size in waits[:: 1 + len(waits) // 40]:
            shown = view_of(log[:size], viewer)
            cursor = len(shown.events)
            pushed = lines(whole, cursor + 1)
            late += sum(line.position <= cursor for line in pushed)
            stale = {line.position: line for line in lines(shown)}
            assert {**stale, **{line.position: line for line in pushed}} == fresh
            assert not stale.keys() - fresh.keys()
    assert late, "no pass was under way at any of these moments"


def silent_passes(log: list[Event]) -> int:
    """How many passes of talk hold an answer without words."""
    opened = {e["key"]: (e["kind"], e.data.get("pass")) for e in log if e.kind == "window_opened"}
    phase, silent = 0, set()
    for event in log:
        phase += event.kind == "phase_opened"
        if event.data.get("manner") in ("skip", "over"):
            silent.add((phase, opened[event["window"]]))
    return len(silent)


def silences(log: list[Event]) -> Counter[int]:
    """How often each seat answered without words."""
    return Counter(e["seat"] for e in log if e.data.get("manner") in ("skip", "over"))


@each_ruleset
def test_all_who_say_nothing_in_a_pass_are_one_line(ruleset: str) -> None:
    texts = []
    for quiet in (False, True):
        log = log_of(ruleset, quiet=quiet)
        view = view_of(log, MODERATOR)
        told = ModeratorLines(view, seats_of(view), polled=[]).entries()
        passed = [line.text for line in told if line.kind == "passed"]
        assert len(passed) == silent_passes(log) > 0
        assert not [line for line in told if line.kind == "statement" and line.is_silent]
        named = Counter(name for text in passed for name in view.state.seats if name in text)
        assert all(named[view.name(s)] <= count for s, count in silences(log).items())
        texts += passed
    assert any(text.startswith("Nobody") for text in texts), "a silent pass is told in a word"


@each_ruleset
def test_what_is_left_of_a_talk_is_what_is_asked(ruleset: str) -> None:
    """At every question of a talk: who is done is not asked, and who is asked has talks left."""
    game = rulesets.get(ruleset)
    position, hand = Position.start(game, "5"), drawing_hand("5")
    asked = 0
    while not position.is_over:
        one = position.pending[0]
        progress = find_progress(position.view(one.seat), one.window)
        if isinstance(one.window.legal, Speech) and progress:
            assert one.seat not in progress.seats_done
            assert (
                progress.turns_left(one.seat)
                == progress.limits.answers_each - progress.used[one.seat]
                > 0
            )
            assert progress.passes_left >= 0
            asked += 1
        position.apply(one, hand(one.window, one.seat))
    assert asked


def test_who_whispers_to_those_who_are_done_reads_that_nobody_answers() -> None:
    game = rulesets.get("aiwolf-13")
    position, hand = Position.start(game, "5"), drawing_hand("5")
    while (one := position.pending[0]).window.kind != "whisper":
        position.apply(one, hand(one.window, one.seat))
    view, window = position.view(one.seat), one.window
    limits = game.talk_limits("whisper", view.state.settings)
    assert limits
    assert window.answer_audience
    others = [s for s in window.answer_audience.seats if s != one.seat]
    names = dict(enumerate(view.state.seats, 1))
    for done in (others[:1], others):
        talk = TalkProgress(limits, 1, Counter(), frozenset(done))
        told = " ".join(progress_texts(talk, view, window, names))
        assert ("will not answer" in told) == (done == others)


def whispered(view: View) -> Iterator[TranscriptLine]:
    for line in lines(view):
        if line.hears or line.hearers:
            yield line


def test_whispers_are_under_a_head_that_names_who_hears_them() -> None:
    log = log_of("aiwolf-13")
    wolves = next(e["seats"] for e in log if e.kind == "acquainted")
    heads = 0
    for number in range(1, 14):
        told = list(whispered(view_of(log, seat(number))))
        if number not in wolves:
            assert not told
            continue
        for before, line in zip([None, *told], told, strict=False):
            if line.kind == "whispers":
                assert {s.number for s in line.hearers} <= {*wolves}
                assert len(line.hearers) > 1
                heads += 1
            else:
                assert before, "no whisper without its head"
    assert heads


def test_a_lone_werewolf_whispers_to_nobody() -> None:
    log = log_of("aiwolf-5")
    assert not [line for n in range(1, 6) for line in whispered(view_of(log, seat(n)))]


def votes_by_window(log: list[Event]) -> list[dict[int, list[int]]]:
    ballots: dict[str, dict[int, list[int]]] = {}
    for event in log:
        if event.kind == "vote":
            target = (event.data.get("targets") or [0])[0]
            ballots.setdefault(event["window"], {}).setdefault(target, []).append(event["seat"])
    return list(ballots.values())


@pytest.mark.parametrize("viewer", [AFTERMATH, MODERATOR])
def test_secret_ballots_are_all_told_afterwards(viewer: Viewer) -> None:
    """Each ballot once: also the first of two, and the last day's, which no morning follows."""
    two = 0
    for seed in ("1", "2", "3", "4"):
        log = log_of("aiwolf-13", seed)
        told = [step for step in course_of(view_of(log, viewer)) if step.votes]
        assert [dict(step.votes or {}) for step in told] == votes_by_window(log)
        two += sum(step.text.endswith("once more") for step in told)
    assert two, "no vote was held twice"


def test_the_replay_tells_each_secret_vote_when_it_was_given() -> None:
    log = log_of("aiwolf-5")
    view = view_of(log, MODERATOR)
    entries = ModeratorLines(view, seats_of(view), polled=[]).entries()
    told = [line for line in entries if line.kind == "vote"]
    assert [view.events[line.position - 1].kind for line in told] == ["vote"] * len(told)
    assert len(told) == sum(e.kind == "vote" for e in log)
    assert all("votes for" in line.text and line.marked for line in told)


def test_words_for_two_players_are_labelled_with_both() -> None:
    """Not with those who are out, and each once."""
    ruleset = rulesets.get("aiwolf-5")
    log = log_of("aiwolf-5")
    said = next(n for n, e in enumerate(log) if e.kind == "statement" and e["manner"] == "say")
    one, other, third = [n for n in range(1, 6) if n != log[said]["seat"]][:3]
    names = ruleset.table_names
    at = {n: f"@{names[n - 1]}" for n in (one, other, third)}
    words = f"{at[other]} and {at[one]}, what of {at[third]}? Tell me, {at[other]}."
    log[said] = replace(log[said], data={**log[said].data, "text": words, "targets": [other]})
    out = Event("out", PUBLIC_EVENT, {"seat": third, "cause": "vote", "role": "villager"})
    view = view_of([*log[:said], out, log[said]], PUBLIC)
    (line,) = (e for e in lines(view) if e.text == words)
    assert line.addressed == f"{view.name(other)} and {view.name(one)}"
    assert f"to {line.addressed}" in render_to_string("play/entry.html", {"entry": line})
