"""Contest games follow their rules, checked by an audit that detects violations."""

from __future__ import annotations

from typing import Any

import pytest

from game.engine.events import PUBLIC, Action, say
from game.engine.forms import Illegal, Speech, speech_with_mentions
from game.engine.rulesets.aiwolf import night, script
from game.engine.steps import seats_with_most_votes
from game.engine.text_checks import NO_LIMIT, count_characters, shorten
from game.engine.windows import Window
from tests.engine.aiwolf import CONTEST, LARGE, SMALL, wild_hand
from tests.engine.aiwolf_audit import find_violations
from tests.engine.playing import play
from tests.playthroughs.aiwolf import STORIES

SETTINGS: list[dict[str, Any]] = [
    {},
    CONTEST,
    {"together": True, "talk_max_skip": 1},
    {**CONTEST, "vote_max_count": 2, "vote_visibility": False, "base_length": 10},
    {"talk_per_day": 3, "talk_per_agent": 2, "talk_max_skip": -1, "max_day": 2},
]
LARGE_ONLY = {"attack_max_count": 2, "allow_no_target": True, "whisper_max_skip": 2}
TALK = Window(
    "s",
    "statement",
    (2,),
    speech_with_mentions(NO_LIMIT, 5, 3, (1, 2, 4)),
    answer_audience=PUBLIC,
    window_audience=PUBLIC,
)
NAMES = ["Ann", "Ben", "Anna", "Dot"]  # seat 3 is out


@pytest.mark.parametrize("number", range(40))
def test_random_games_follow_the_rules(number: int) -> None:
    for ruleset in (SMALL, LARGE):
        for index, settings in enumerate(SETTINGS):
            more = LARGE_ONLY if ruleset is LARGE and number % 2 else {}
            seed = f"{number}/{index}"
            game = play(ruleset, seed, wild_hand(seed), {**settings, **more})
            assert find_violations(game.log) == []


@pytest.mark.parametrize("story", STORIES)
def test_golden_games_follow_the_rules(story: str) -> None:
    assert find_violations(STORIES[story]().log) == []


def broken_guard(self: night.Night) -> Any:
    """Play a night in which the guard has no effect."""
    result = yield from PLAY_LATER_NIGHT(self)
    attack = next(e for e in reversed(self.context.new_events) if e.kind == "attacked")
    return night.NightResult(*attack["targets"][:1] or [0], result.divined, result.attack)


PLAY_LATER_NIGHT = night.Night.play_later_night
BREACHES: dict[str, tuple[object, str, object]] = {
    "the guard is ignored": (night.Night, "play_later_night", broken_guard),
    "a vote is public at once": (
        script,
        "open_ballot",
        lambda *args, **terms: night.open_ballot(*args, **{**terms, "is_secret": False}),
    ),
    "votes for werewolves count": (
        night,
        "seats_with_most_votes",
        lambda votes: seats_with_most_votes(votes) or [1],
    ),
    "equality is not enough": (
        script._Game,
        "_end_if_over",
        lambda self, day, cause: _later_end(self, day, cause),
    ),
    "the lot falls on anybody": (
        script,
        "seats_with_most_votes",
        lambda votes: (
            sorted(votes) if len(seats_with_most_votes(votes)) > 1 else seats_with_most_votes(votes)
        ),
    ),
    "the Medium learns nothing": (
        script._Game,
        "_send_species",
        lambda self, kind, role, target: role == "medium" or SEND_SPECIES(self, kind, role, target),
    ),
    "a lone werewolf whispers": (night.Night, "_whisper", lambda self: _whisper_alone(self)),
}
SEND_SPECIES = script._Game._send_species
IS_OVER = script._Game._end_if_over
WHISPER = night.Night._whisper


def _later_end(game: script._Game, day: int, cause: str) -> bool:
    wolves = sum(game.roles[s] == "werewolf" for s in game.living)
    return 2 * wolves != len(game.living) and IS_OVER(game, day, cause)


def _whisper_alone(self: night.Night) -> Any:
    wolves, self.wolves = self.wolves, [*self.wolves, *self.wolves][:2] or self.wolves
    self.wolves = list(dict.fromkeys(wolves))
    if len(wolves) == 1:
        self.context.draw_order(
            f"whispers/{self.context.state.moment.phase_number}", wolves, PUBLIC
        )
        yield from night.run_talk_in_passes(
            self.context, "whisper", wolves, night.statement_form(self.rules, "whisper", ()),
            among=night.only_seats(*wolves),
            limits=night.limits_of(self.rules, "whisper"), clock="night",
        )  # fmt: skip
        return
    yield from WHISPER(self)


@pytest.mark.parametrize("breach", BREACHES)
def test_audit_detects_a_broken_script(breach: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, name, broken = BREACHES[breach]
    monkeypatch.setattr(target, name, broken)
    assert any(
        find_violations(play(LARGE, str(seed), wild_hand(str(seed)), CONTEST).log)
        for seed in range(12)
    )


@pytest.mark.parametrize(
    ("text", "expected", "to", "labels"),
    [
        ("ab cde", "ab cde", [], ()),  # white space does not count
        ("abcdefgh", "abcde", [], ("shortened",)),
        ("abcdef@Ann xyzz", "abcde@Ann xyz", [1], ("shortened",)),
        ("@Anna hey", "@Anna hey", [], ()),  # the longer name counts, and she is out
        ("@Dot @Ann", "@Dot @An", [4], ("shortened",)),  # of two mentions the first counts
        ("@Ben no", "@Ben n", [], ("shortened",)),  # a mention of oneself does not count
        ("@everyone", "@ever", [], ("shortened",)),
        ("＠Ann", "＠Ann", [], ()),  # only the plain sign mentions
        ("é🐺é🐺é🐺", "é🐺é🐺é", [], ("shortened",)),  # code points are counted
        ("@Ann", "@Ann", [1], ()),
    ],
)
def test_long_statement_is_shortened_and_mention_is_read(
    text: str, expected: str, to: list[int], labels: tuple[str, ...]
) -> None:
    answer = TALK.accept(2, say(text), NAMES)
    assert (answer.action.text, list(answer.action.targets), answer.labels) == (
        expected,
        to,
        labels,
    )


@pytest.mark.parametrize("text", ["", "  \n ", "\u3000"])
def test_blank_statement_becomes_over(text: str) -> None:
    answer = TALK.accept(2, say(text), NAMES)
    assert (answer.action.kind, answer.labels) == ("over", ("over:empty",))


def test_skip_beyond_the_limit_becomes_over() -> None:
    legal = Speech(10, False, True, (1,), has_mentions=True)
    window = Window("s", "statement", (2,), legal, answer_audience=PUBLIC, window_audience=PUBLIC)
    answer = window.accept(2, Action("skip"), NAMES)
    assert (answer.action.kind, answer.labels) == ("over", ("over:skip",))


@pytest.mark.parametrize("kind", ["vote", "guard", "divination", "attack"])
def test_forbidden_targets_are_rejected(kind: str) -> None:
    targets = []

    def hand(window: Window, seat: int) -> Action | None:
        if window.kind == kind:
            dead = sorted(set(range(1, 14)) - set(window.pick.options))
            for target in (seat, 0, 14, *dead):
                targets.append(target)
                with pytest.raises(Illegal):
                    window.check(seat, Action("pick", targets=(target,)))
        return wild_hand("x")(window, seat)

    play(LARGE, "x", hand)
    assert len(set(targets)) > 5


def test_seat_is_not_asked_again_after_over() -> None:
    requests: list[tuple[str, int]] = []

    def hand(window: Window, seat: int) -> Action | None:
        if window.kind == "statement":
            requests.append((f"{window.moment.day}", seat))
            return Action("over")
        return wild_hand("x")(window, seat)

    play(SMALL, "x", hand)
    assert len(requests) == len(set(requests))


@pytest.mark.parametrize("limit", [1, 7, 125])
def test_shortened_text_has_the_maximum_length(limit: int) -> None:
    text = "word @Ann " * 60
    assert count_characters(shorten(text, limit, NO_LIMIT, ["Zed"])) == limit
    assert shorten(text, NO_LIMIT, limit, ["Ann"]).startswith("word @Ann")
