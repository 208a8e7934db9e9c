"""Tests of the replay of a finished game: each view shows what the engine lets it see."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from game import game_actions, selectors
from game.engine import visibility
from game.models import Event, Game
from tests.game.table import finish, new_game
from tests.webapp.replays import (
    OWN_SEAT,
    find_line,
    get_replay,
    guest_in_seat,
    page_html,
    play_with_minds,
    replay_lines,
)
from webapp.play.models import Table
from webapp.play.page.transcript_lines import TranscriptLines
from webapp.play.page.transcript_parts import TranscriptLine
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.viewer_transcript import ReplayedGame

pytestmark = pytest.mark.django_db
Sit = Callable[[Game, int | None], Client]
HTMX = {"HX-Request": "true"}
SECRET_TEXTS = ("looks at", "The roles are dealt", "Straw poll", "learn of each")


def test_every_line_renders_for_every_viewer_without_later_statements(sit: Sit) -> None:
    game = play_with_minds(OWN_SEAT)
    client = sit(game, OWN_SEAT)
    for key in ("public", "moderator", "1", str(OWN_SEAT)):
        viewer = ReplayedGame(guest_in_seat(game)).viewer_of(key)
        assert viewer
        view = selectors.view_for(game, viewer)
        last = len(replay_lines(game, key))
        for number in (*range(1, last, 5), last):
            page = page_html(get_replay(client, game, f"?at={number}&as={key}"))
            positions = [int(n) for n in re.findall(r'<li id="e(\d+)"', page)]
            assert len(positions) == number
            shown_texts = {e.data.get("text") for e in view.events[: positions[-1]]} - {None}
            later_texts = (
                {e.data.get("text") for e in view.events[positions[-1] :]} - {None} - shown_texts
            )
            transcript = page.split('id="transcript"')[1].split("</ol>")[0]
            assert not [text for text in later_texts if text and text[:60] in transcript]
        assert f"{last} of {last}" in page


def test_lines_are_built_once_and_rebuilt_after_a_removal(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, built_positions = play_with_minds(OWN_SEAT), list[int]()
    build = TranscriptLines.line

    def record_and_build(lines: TranscriptLines, position: int) -> TranscriptLine | None:
        built_positions.append(position)
        return build(lines, position)

    monkeypatch.setattr(TranscriptLines, "line", record_and_build)
    client, number = sit(game, OWN_SEAT), find_line(game, "public", "statement", OWN_SEAT)
    before = page_html(get_replay(client, game, f"?as=public&at={number}"))
    assert built_positions
    built_positions.clear()
    page_html(get_replay(client, game, f"?as={OWN_SEAT}&at={number}"))
    assert not built_positions
    line = replay_lines(game, "public")[number - 1]
    event = selectors.view_for(game, visibility.PUBLIC).events[line.position - 1]
    game_actions.remove_text(game.pk, event["window"], OWN_SEAT)
    after = page_html(get_replay(client, game, f"?as=public&at={number}"))
    assert line.text in before
    assert line.text not in after
    assert built_positions


@pytest.mark.parametrize("key", ["public", "1", "5", "8", "moderator"])
def test_replay_state_equals_the_engine_view_at_every_line(key: str) -> None:
    game = play_with_minds(OWN_SEAT)
    viewer = ReplayedGame(guest_in_seat(game)).viewer_of(key)
    assert viewer
    view = selectors.view_for(game, viewer)
    lines = replay_lines(game, key)
    last = len(lines)
    for number in (1, 2, 3, *range(4, last - 2, 4), last - 2, last - 1, last):
        page = build_guest_replay(guest_in_seat(game), key, str(number))
        event_count = lines[number].position - 1 if number < last else len(view.events)
        state = visibility.view_prefix(view, event_count).state
        assert {seat.number: seat.role_key for seat in page.seats if seat.role_key} == state.roles
        assert {seat.number for seat in page.seats if seat.is_out} == set(state.out)
        assert page.phase.key == state.phase
    statements = [line.text for line in lines if line.kind == "statement"]
    assert statements == [e["text"] for e in view.events if e.kind == "statement"]
    told_lines = [line.text for line in lines if line.kind == "told"]
    private_lines = [line.text for line in lines if line.kind == "private"]
    assert bool(told_lines) == (key == "moderator")
    private_events = [e for e in view.events if e.audience.kind == "seats" and viewer.seat]
    kinds = ("role_dealt", "acquainted", "divined")
    assert len(private_lines) == sum(e.kind in kinds for e in private_events)


def test_moderator_view_tells_deal_night_polls_and_votes() -> None:
    game = play_with_minds()
    told_text = " ".join(
        line.text for line in replay_lines(game, "moderator") if line.kind == "told"
    )
    for text in ("The roles are dealt", "learn of each other", "looks at", "after round 3"):
        assert text in told_text
    votes = [line for line in replay_lines(game, "moderator") if line.kind == "vote"]
    assert len(votes) == 8
    for key in ("public", "1"):
        lines = [
            line for line in replay_lines(game, key) if line.kind not in ("statement", "private")
        ]
        everything = " ".join(line.text for line in lines)
        assert not [text for text in SECRET_TEXTS if text in everything]


def test_poll_answers_of_people_are_shown_to_nobody() -> None:
    """The poll promises this to people."""
    game = play_with_minds(OWN_SEAT, settings={"poll_people": True})
    polls = Event.objects.filter(game=game, kind="poll")
    assert OWN_SEAT in [p.data["seat"] for p in polls]
    name = game.players.get(seat=OWN_SEAT).name
    for line in replay_lines(game, "moderator"):
        for part in line.text.split("; ") if "Straw poll" in line.text else []:
            assert name not in part.split(" suspect")[0].split(". ")[-1]


def test_view_links_lead_to_the_same_moment() -> None:
    game = play_with_minds(OWN_SEAT)
    number = find_line(game, "moderator", "statement", 5)
    for sight in build_guest_replay(guest_in_seat(game), "moderator", str(number)).views:
        linked_line = build_guest_replay(guest_in_seat(game), sight.key, str(sight.at)).entries[-1]
        assert linked_line.kind == "statement"
        assert linked_line.speaker
        assert linked_line.speaker.number == 5


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("?at=0", 404, "a line from 1 to"),
        ("?at=9999", 404, "a line from 1 to"),
        ("?at=" + "9" * 5000, 404, "a line from 1 to"),
        ("?at=-1", 404, "a line from 1 to"),
        ("?at=three", 404, "a line from 1 to"),
        ("?as=9", 404, "View not found"),
        ("?as=aftermath", 404, "View not found"),
        ("?as=Alpha", 404, "View not found"),
    ],
)
def test_unknown_lines_and_views_are_not_found(
    query: str, status: int, error: str, sit: Sit
) -> None:
    game = finish(new_game(OWN_SEAT))
    response = get_replay(sit(game, OWN_SEAT), game, query)
    assert response.status_code == status
    assert error in response.content.decode()
    assert f"/games/{game.code}/replay" in response.content.decode()


def test_replay_is_refused_before_the_game_is_over(sit: Sit) -> None:
    game = new_game(OWN_SEAT)
    client = sit(game, OWN_SEAT)
    for query in ("", "?as=moderator", "?as=2&at=1"):
        response = get_replay(client, game, query)
        assert response.status_code == 409
        assert "not over" in response.content.decode()
        assert "Mason" not in response.content.decode()
    game_actions.call_off(game.pk)
    assert get_replay(client, game).status_code == 410


def test_end_page_links_to_the_replay_and_outsiders_are_refused(sit: Sit) -> None:
    game = finish(new_game(OWN_SEAT))
    page = sit(game, OWN_SEAT).get(f"/games/{game.code}/").content.decode()
    assert f'href="/games/{game.code}/replay"' in page
    assert get_replay(Client(), game).status_code == 403
    Table.objects.create(game=game, spectators=True)
    assert get_replay(Client(), game).status_code == 200
    assert Client().post(f"/games/{game.code}/replay").status_code == 405


def test_script_request_gets_parts_only_and_responses_vary(sit: Sit) -> None:
    game = finish(new_game(OWN_SEAT))
    client = sit(game, OWN_SEAT)
    fragment, page = get_replay(client, game, "?at=3", **HTMX), get_replay(client, game, "?at=3")
    assert "<html" not in page_html(fragment)
    assert page_html(fragment).count('hx-swap-oob="true"') == 11
    for name in re.findall(r'<\w+ id="([\w-]+)"[^>]*hx-swap-oob', page_html(fragment)):
        assert page_html(page).count(f'id="{name}"') == 1
    assert "hx-swap-oob" not in page_html(page)
    for response in (fragment, page):
        assert "HX-Request" in response.headers["Vary"]
        assert "no-store" in response.headers["Cache-Control"]


def test_blind_table_replay_allows_public_and_own_view_only(sit: Sit) -> None:
    game = play_with_minds(OWN_SEAT, settings={"blind": True})
    client, spectator = sit(game, OWN_SEAT), Client()
    for key, player_status, spectator_status in (("public", 200, 200), (str(OWN_SEAT), 200, 403)):
        assert get_replay(client, game, f"?as={key}").status_code == player_status
        assert get_replay(spectator, game, f"?as={key}").status_code == spectator_status
    for key in ("moderator", "1", "5"):
        for viewer in (client, spectator):
            response = get_replay(viewer, game, f"?as={key}&at=12")
            assert response.status_code == 403
            assert "This table is blind" in response.content.decode()
    for viewer in (client, spectator):
        page = page_html(get_replay(viewer, game, "?at=12"))
        assert "as=moderator" not in page
        assert "Inside" not in page
        assert "computer</span>" not in page
    game_actions.reveal(game.pk)
    assert get_replay(client, game, "?as=moderator").status_code == 200


def test_vote_tally_grows_with_the_votes_shown() -> None:
    game = new_game()
    finish(game)
    lines = replay_lines(game, "public")
    first = next(number for number, line in enumerate(lines, 1) if line.kind == "vote")
    assert not build_guest_replay(guest_in_seat(game), "public", str(first - 1)).tally
    for number in range(first, first + 8):
        tally = build_guest_replay(guest_in_seat(game), "public", str(number)).tally
        votes = [(vote.speaker, vote.target) for vote in lines[first - 1 : number]]
        assert sum(len(ballot.voters) for ballot in tally) == len(votes)
        for ballot in tally:
            voters = {seat.number for _order, seat in ballot.voters}
            voting_seats = [
                seat for seat, target in votes if target and target.number == ballot.seat.number
            ]
            assert voters == {seat.number for seat in voting_seats if seat}
    exile = build_guest_replay(guest_in_seat(game), "public", str(first + 8))
    assert exile.entries[-1].kind == "out"
    assert len(exile.tally) == len(tally)
    assert len(exile.seats_out) == 1
    assert {*exile.seats_out} <= {ballot.seat.number for ballot in exile.tally}
    assert not build_guest_replay(guest_in_seat(game), "public", str(len(lines))).tally
