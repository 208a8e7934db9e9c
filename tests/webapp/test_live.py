"""Tests of the live page: a stale page plus pushed frames equals the fresh page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from game import selectors
from tests.game.table import answer, finish, new_game, open_window, play_until
from tests.webapp.viewers import guest_in_seat
from webapp.play.live import push
from webapp.play.live.broadcaster import Broadcaster, OpenPage
from webapp.play.models import Table
from webapp.play.page.table_page import Page
from webapp.play.visitors import Guest

SEATS = [None, 1, 4]  # a spectator, two people
IDS = [name for name in push.PART_FIELDS if name != "amended"]


class BrowserPage:
    """The top elements with an id in the frames of a page, and its transcript lines."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.lines: dict[str, str] = {}

    def apply(self, frame: str) -> None:
        """Apply a frame as htmx does: replace elements by id, and add or replace lines."""
        squeezed = re.sub(r"\s+", " ", frame.replace('hx-swap-oob="true"', ""))
        for name in (*IDS, *re.findall(r'id="(seat-\d+)"', squeezed)):
            if html := element(squeezed, name):
                self.parts[name] = remove_blanks_at_tags(html)
        for name in re.findall(r'id="(e\d+)"', squeezed):
            self.lines[name] = remove_blanks_at_tags(element(squeezed, name))


def remove_blanks_at_tags(html: str) -> str:
    return re.sub(r"\s*(<|>)\s*", r"\1", html)


def element(html: str, name: str) -> str:
    """Return the outer HTML of the element with that id, "" if there is none."""
    begin = re.search(rf'<(\w+)[^<>]*\bid="{name}"', html)
    if not begin:
        return ""
    depth = 0
    for tag in re.finditer(rf"<(/?){begin[1]}\b[^>]*>", html[begin.start() :]):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return html[begin.start() : begin.start() + tag.end()]
    raise AssertionError(f"#{name} has no end tag")


def fresh_page(guest: Guest) -> BrowserPage:
    page = BrowserPage()
    page.apply(push.render_frame(Page(guest)))
    return page


@pytest.mark.django_db
@given(st.lists(st.integers(0, 3000), min_size=300, max_size=300))
@hypothesis_settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_hundreds_of_lines_are_split_into_frames_of_legal_size(lengths: list[int]) -> None:
    long_page = Page(guest_in_seat(new_game(1, seed="far"), 1))
    template = long_page.entries[-1]
    lines = [
        replace(template, position=n, text="ሰ" * length) for n, length in enumerate(lengths, 1)
    ]
    long_page.entries, long_page.cursor = lines, 301
    frames = push.render_frames(long_page, push.render_parts(long_page))
    assert all(len(frame.encode()) <= push.MAX_FRAME_BYTES for frame in frames)
    received, expected = BrowserPage(), BrowserPage()
    for frame in frames:
        received.apply(frame)
        # A page that reconnects now requests what follows its cursor, so no line is lost.
        # Other parts may need a frame of their own. A page that misses it gets them again.
        cursors = re.findall(r'id="cursor"\s+value="(\d+)"', frame)
        assert cursors or "data-position" not in frame
        valid_cursors = {len(received.lines)} | ({301} if len(received.lines) == 300 else set())
        assert not cursors or int(cursors[-1]) in valid_cursors
    expected.apply(push.render_frame(long_page))
    assert (received.lines, received.parts) == (expected.lines, expected.parts)
    assert len(received.lines) == 300
    long_page.entries = [replace(template, text="x" * push.MAX_FRAME_BYTES)]
    with pytest.raises(push.FrameTooLong):
        push.render_frames(long_page, {})


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["aiwolf-5", "one-night", "sheriff"])
@hypothesis_settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(gaps=st.lists(st.integers(1, 25), min_size=1, max_size=6), seat=st.sampled_from(SEATS))
def test_stale_page_plus_pushes_equals_a_fresh_page(
    ruleset: str, gaps: list[int], seat: int | None
) -> None:
    game = new_game(1, 4, ruleset=ruleset, seed=str(gaps))
    guest = guest_in_seat(game, seat)
    page, cursor = fresh_page(guest), Page(guest).cursor
    for gap in gaps:
        for _ in range(gap):
            for window in selectors.open_windows(game)[:1]:
                if window.missing:
                    answer(game, window.missing[0], window)
        game.refresh_from_db()
        update = Page(guest, cursor)
        page.apply(push.render_frame(update))
        page.apply(push.render_frame(update))  # a repeated frame changes nothing
        cursor = update.cursor
        expected = fresh_page(guest)
        assert page.lines == expected.lines
        assert page.parts == expected.parts
    assert set(expected.parts) == {*IDS, *(f"seat-{p.seat}" for p in game.players.all())}


@pytest.mark.django_db
@pytest.mark.parametrize("ruleset", ["one-night", "sheriff"])
def test_first_page_and_push_render_the_same_html(ruleset: str, sit: Callable[..., Client]) -> None:
    game = new_game(1, ruleset=ruleset)
    finish(game)
    page = BrowserPage()
    page.apply(sit(game, 1).get(f"/games/{game.code}/").content.decode())
    update_page = fresh_page(guest_in_seat(game, 1))
    # A long talk is shown from its latest lines.
    assert page.lines.items() <= update_page.lines.items()
    assert len(page.lines) > 30
    assert {k: v for k, v in page.parts.items() if k != "end"} == {
        k: v for k, v in update_page.parts.items() if k != "end"
    }


@pytest.mark.django_db
def test_push_contains_only_the_changed_seats() -> None:
    game = new_game(1)
    play_until(game, "statement")
    Table.objects.create(game=game, spectators=True)
    # Broadcaster.__init__ starts tasks, which need an event loop. The test needs only `_poll`.
    broadcaster = object.__new__(Broadcaster)
    broadcaster.game_id = game.pk
    broadcaster._change_key = ()
    broadcaster._presence_noted_at = float("inf")
    open_pages = [OpenPage(None, None, None, new_cursor=0)]  # type: ignore[arg-type]

    def pushed_seats() -> set[str]:
        frames = [frame for update in broadcaster._poll(open_pages) for frame in update.frames]
        return set(re.findall(r'id="(seat-\d+)"', "".join(frames)))

    assert pushed_seats() == {f"seat-{n}" for n in range(1, 9)}
    answer(game, 1, open_window(game, "statement"))
    assert pushed_seats() == {"seat-1", "seat-2"}, "the last speaker and the next one"


@pytest.mark.parametrize("part", push.PART_FIELDS)
def test_part_fields_match_the_fields_its_template_uses(part: str) -> None:
    folder = Path(settings.BASE_DIR) / "templates/play"
    files, used_fields = [f"{part}.html"], set()
    for name in files:
        text = (folder / name).read_text()
        used_fields |= set(re.findall(r"\bpage\.(\w+)", text))
        files += [n for n in re.findall(r'include "play/([\w.]+)"', text) if n not in files]
    assert used_fields == set(push.PART_FIELDS[part])
