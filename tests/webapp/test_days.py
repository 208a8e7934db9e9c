"""A game of several days, looked back at: chapters by day, every ballot, the nights at the end."""

from __future__ import annotations

import pytest
from django.test import Client

from game import selectors
from game.engine import visibility
from game.models import Game
from tests.game.sheriff import FIRST, PREY, two_days
from tests.game.table import finish, new_game
from webapp.play.page.ending import End
from webapp.play.page.game_course import CourseRow
from webapp.play.page.page_builder import page_for
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.replay_parts import Chapter, Replay
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SHERIFF, DEAD = f"player_{FIRST}", f"player_{PREY}"


def line_of(game: Game, words: str) -> str:
    """The line of the all-knowing's transcript that says these words."""
    replayed = ReplayedGame(Guest(game, None))
    lines = replayed.transcript_of(visibility.MODERATOR).entries
    found = [at for at, line in enumerate(lines, 1) if words in f"{line.title} {line.text}"]
    assert found, words
    return str(found[0])


def at_line(game: Game, words: str) -> Replay:
    return build_guest_replay(Guest(game, None), "moderator", line_of(game, words))


def titles(chapters: list[Chapter]) -> list[str]:
    return [chapter.title for chapter in chapters]


def now(chapters: list[Chapter]) -> list[str]:
    return [chapter.title for chapter in chapters if chapter.is_current]


def end_of(game: Game) -> End:
    end = page_for(Guest(game, None)).end
    assert end
    return end


def test_chapters_are_those_of_the_day_in_few_words() -> None:
    game = two_days()
    heir = f"player_{selectors.view_for(game, visibility.PUBLIC).state.badges['sheriff']}"
    first = at_line(game, "The vote of day 1")
    assert titles(first.days) == ["Day 1", "Day 2", "The end"]
    assert now(first.days) == ["Day 1"]
    assert titles(first.chapters) == [
        "Night",
        "Morning",
        "Election",
        f"{SHERIFF} is the Sheriff.",
        "Talk",
        "The vote",
        f"{SHERIFF} was voted out.",
        f"{heir} is the Sheriff.",
    ]
    assert now(first.chapters) == ["The vote"]
    second = at_line(game, "Night 2")
    assert (now(second.days), now(second.chapters)) == (["Day 2"], ["Night"])
    assert f"{DEAD} was killed in the night." in titles(second.chapters)
    last = at_line(game, "No one wins")
    assert (now(last.days), now(last.chapters)) == (["The end"], ["The vote"])


def test_every_chapter_leads_to_its_line() -> None:
    game = two_days()
    for days in (at_line(game, "Night 1"), at_line(game, "Night 2")):
        for chapter in [*days.days, *days.chapters]:
            there = build_guest_replay(Guest(game, None), "moderator", str(chapter.at))
            assert chapter.title in [*now(there.days), *now(there.chapters)]


def test_a_game_of_one_day_has_its_chapters_in_full_and_no_days() -> None:
    replay = build_guest_replay(Guest(finish(new_game()), None), "public")
    assert replay.days == []
    assert titles(replay.chapters) == [
        "Night",
        "Round 1 of 3",
        "Round 2 of 3",
        "Round 3 of 3",
        "The vote",
        "The end",
    ]


def test_a_tally_tells_who_chose_nobody_and_stays_while_it_is_told_what_came_of_it() -> None:
    game = two_days()
    for words in ("player_7 wants none of them", f"{SHERIFF} is the Sheriff now"):
        tally = at_line(game, words).tally
        assert [(row.seat and row.seat.number, len(row.voters)) for row in tally] == [
            (FIRST, 6),
            (None, 1),
        ]
    (row,) = at_line(game, "Nobody got a vote").tally
    assert row.seat is None
    assert not at_line(game, "Night 2").tally


def test_the_all_knowing_is_told_the_night_and_the_pseudo_vote_at_their_place() -> None:
    game = two_days()
    looked, asked, said = (
        int(line_of(game, words))
        for words in ("looks at", f"would vote for {SHERIFF}", f"Seat {FIRST} in summing_up")
    )
    assert looked < int(line_of(game, "The morning of day 1")) < asked < said
    public = ReplayedGame(Guest(game, None)).transcript_of(visibility.PUBLIC).entries
    assert not [line for line in public if "would vote" in line.text or "looks at" in line.text]


def rows(end: End, day: int) -> list[CourseRow]:
    return end.course[day - 1].rows


def test_the_end_tells_day_by_day_what_happened_and_every_ballot() -> None:
    game = two_days()
    end = end_of(game)
    assert [day.title for day in end.course] == ["Day 1", "Day 2"]
    ballots = [row for day in end.course for row in day.rows if row.votes]
    assert [row.text for row in ballots] == ["Election", "The vote", "The vote"]
    election, first, second = (
        {vote.seat and vote.seat.number: len(vote.voters) for vote in row.votes} for row in ballots
    )
    assert election == {FIRST: 6, None: 1}
    assert first == {FIRST: 7}
    assert set(second) == {None}
    told = [row.text for row in rows(end, 1)]
    assert told.index(f"{SHERIFF} is the Sheriff.") < told.index(f"{SHERIFF} was voted out.")
    hidden = [row.text for row in rows(end, 2) if row.is_secret]
    assert f"The Werewolves attack {DEAD}." in hidden
    assert f"{DEAD} was killed in the night." in [r.text for r in rows(end, 2) if not r.is_secret]
    assert not end.chart, "one vote of several would be told twice"
    assert not [row for day in end.course for row in day.rows if "would vote" in row.text]
    page = Client().get(f"/games/{game.code}/").content.decode()
    assert "Day by day" in page
    assert "Hidden from the table" in page


def test_the_end_of_a_game_of_one_vote_is_told_as_ever() -> None:
    end = end_of(finish(new_game()))
    assert end.course == []
    assert "<svg" in end.chart
    assert any(row.voted_for for row in end.rows)
