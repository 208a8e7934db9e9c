"""Tests of the replay and end page of a game of several days."""

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
from webapp.play.page.table_page import Page
from webapp.play.replay.replay_builder import Chapter, Replay, build_guest_replay
from webapp.play.replay.viewer_transcript import ReplayedGame
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db
SHERIFF, DEAD = f"player_{FIRST}", f"player_{PREY}"


def find_line(game: Game, text: str) -> str:
    """Return the line of the moderator's transcript that contains the text."""
    replayed = ReplayedGame(Guest(game, None))
    lines = replayed.transcript_of(visibility.MODERATOR).entries
    positions = [
        position for position, line in enumerate(lines, 1) if text in f"{line.title} {line.text}"
    ]
    assert positions, text
    return str(positions[0])


def replay_at_text(game: Game, text: str) -> Replay:
    return build_guest_replay(Guest(game, None), "moderator", find_line(game, text))


def titles(chapters: list[Chapter]) -> list[str]:
    return [chapter.title for chapter in chapters]


def current_titles(chapters: list[Chapter]) -> list[str]:
    return [chapter.title for chapter in chapters if chapter.is_current]


def end_of(game: Game) -> End:
    end = Page(Guest(game, None)).end
    assert end
    return end


def test_chapters_are_those_of_the_current_day() -> None:
    game = two_days()
    heir = f"player_{selectors.view_for(game, visibility.PUBLIC).state.badges['sheriff']}"
    first = replay_at_text(game, "The vote of day 1")
    assert titles(first.days) == ["Day 1", "Day 2", "The end"]
    assert current_titles(first.days) == ["Day 1"]
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
    assert current_titles(first.chapters) == ["The vote"]
    second = replay_at_text(game, "Night 2")
    assert (current_titles(second.days), current_titles(second.chapters)) == (["Day 2"], ["Night"])
    assert f"{DEAD} was killed in the night." in titles(second.chapters)
    last = replay_at_text(game, "No one wins")
    assert (current_titles(last.days), current_titles(last.chapters)) == (["The end"], ["The vote"])


def test_every_chapter_links_to_its_line() -> None:
    game = two_days()
    for replay in (replay_at_text(game, "Night 1"), replay_at_text(game, "Night 2")):
        for chapter in [*replay.days, *replay.chapters]:
            target = build_guest_replay(Guest(game, None), "moderator", str(chapter.at))
            assert chapter.title in [*current_titles(target.days), *current_titles(target.chapters)]


def test_one_day_game_has_all_chapters_and_no_days() -> None:
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


def test_tally_includes_abstentions_and_stays_through_the_outcome() -> None:
    game = two_days()
    for text in ("player_7 wants none of them", f"{SHERIFF} is the Sheriff now"):
        tally = replay_at_text(game, text).tally
        assert [(row.seat and row.seat.number, len(row.voters)) for row in tally] == [
            (FIRST, 6),
            (None, 1),
        ]
    (row,) = replay_at_text(game, "Nobody got a vote").tally
    assert row.seat is None
    assert not replay_at_text(game, "Night 2").tally


def test_moderator_view_has_night_actions_and_pseudo_vote_in_order() -> None:
    game = two_days()
    night_action, pseudo_vote, statement = (
        int(find_line(game, text))
        for text in ("looks at", f"would vote for {SHERIFF}", f"Seat {FIRST} in summing_up")
    )
    assert night_action < int(find_line(game, "The morning of day 1")) < pseudo_vote < statement
    public_lines = ReplayedGame(Guest(game, None)).transcript_of(visibility.PUBLIC).entries
    assert not [
        line for line in public_lines if "would vote" in line.text or "looks at" in line.text
    ]


def rows_of_day(end: End, day: int) -> list[CourseRow]:
    return end.course[day - 1].rows


def test_end_page_lists_events_and_ballots_day_by_day() -> None:
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
    first_day_texts = [row.text for row in rows_of_day(end, 1)]
    assert first_day_texts.index(f"{SHERIFF} is the Sheriff.") < first_day_texts.index(
        f"{SHERIFF} was voted out."
    )
    hidden_texts = [row.text for row in rows_of_day(end, 2) if row.is_secret]
    assert f"The Werewolves attack {DEAD}." in hidden_texts
    assert f"{DEAD} was killed in the night." in [
        r.text for r in rows_of_day(end, 2) if not r.is_secret
    ]
    assert not end.chart, "the day rows show the votes already"
    assert not [row for day in end.course for row in day.rows if "would vote" in row.text]
    page = Client().get(f"/games/{game.code}/").content.decode()
    assert "Day by day" in page
    assert "Hidden from the table" in page


def test_end_page_of_a_one_vote_game_has_a_chart_and_no_days() -> None:
    end = end_of(finish(new_game()))
    assert end.course == []
    assert end.chart
    assert len(end.chart.votes) == len(end.chart.rows)
    assert any(row.voted_for for row in end.rows)
