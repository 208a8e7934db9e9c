"""Tests of keys and dragging on rating pages, and of elements that must not move."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.page_checks import check_accessibility
from tests.browser.rating_pages import (
    check_no_scrolling,
    field_names,
    open_first_page,
    open_watched_page,
    page_key,
    scripts_held,
    stored_ratings,
    wait_until_saved,
)
from tests.live import Stack

CREATE_CAMPAIGNS = """
import json
from tests.study import rating, world
from webapp.play.live import notifier
from webapp.study.rating import campaigns
from webapp.study.design import instruments
from webapp.study.models import Stimulus
RIVAL = {"backend": "house", "method": "full"}
long = instruments.get("guarded").to_json() | {"key": "own"}
for dimension in long["dimensions"]:
    dimension["max"] = 13
ENDLESS = "https://example.org/" + "without-an-end" * 20
def opened(*seeds, **settings):
    return rating.open_campaign(*seeds, units_per_rater=2, raters_per_unit=9, **settings)
def said(words, **settings):
    spoken = {(n, seat): words for n in range(1, 9) for seat in range(1, 9)}
    made = world.create_campaign(world.ended_game("1", words=spoken), units_per_rater=1,
        raters_per_unit=9, **settings)
    campaigns.open(made)
    return made
with notifier.diverted(lambda game, opened: None):
    made = {
        "single": opened("1"),
        "pair": opened("3", rival=RIVAL, rival_condition="rival"),
        "long": opened("1", instrument=long),
        "ranking": opened("1", "2", instrument=instruments.get("contest-8").to_json()),
        "endless": said(ENDLESS, context=2),
        "endless pair": opened("3", rival=RIVAL, rival_condition="rival"),
        "endless talk": said(ENDLESS, instrument=instruments.get("contest-8").to_json()),
    }
    made["pair"].units.update(situations=["called_werewolf", "closing"])
    Stimulus.objects.filter(unit__campaign=made["endless pair"]).update(text=ENDLESS)
    print(json.dumps({name: campaign.study.key for name, campaign in made.items()}))
"""
RECTS = """() => [...document.querySelectorAll("main input, main button, main select")]
  .map((e) => e.getBoundingClientRect())
  .map((r) => [r.x, r.y, r.width, r.height].map(Math.round))"""
FOCUSED = "() => document.activeElement?.closest('fieldset.ask')?.dataset.field ?? null"


@pytest.fixture(scope="module")
def links(stack: Stack) -> dict[str, str]:
    keys = json.loads(stack.shell(CREATE_CAMPAIGNS).splitlines()[-1])
    return {name: f"{stack.url}/rate/{key}/" for name, key in keys.items()}


def test_digit_key_answers_the_focused_question_once(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["single"])
    names = field_names(page)
    page.wait_for_function(f"name => ({FOCUSED})() === name", arg=names[0])  # from the start
    before = page.evaluate(RECTS)
    page.keyboard.down("4")
    for _ in range(5):
        page.keyboard.down("4")  # a held key, which the browser repeats
    page.keyboard.up("4")
    assert page.evaluate(FOCUSED) == names[1]
    values = [4, *range(2, len(names) + 1)]
    for value in values[1:]:
        page.keyboard.press(str(value))
    assert page.evaluate(FOCUSED) is None, "no question has the focus after the last one"
    page.keyboard.press("5")
    page.locator("main").evaluate("e => e.focus()")
    page.keyboard.press("1")
    wait_until_saved(page)
    assert stored_ratings(stack, key)[page_key(page)][0] == dict(zip(names, values, strict=True))
    assert page.evaluate(RECTS) == before, "answers and saving move nothing"
    laptop.set_offline(True)
    page.locator("fieldset.ask label").nth(4).click()
    expect(page.locator("#saved")).to_contain_text("Not sent yet")
    assert page.evaluate(FOCUSED) == names[0], "a click does not move the focus"
    assert page.evaluate(RECTS) == before
    laptop.set_offline(False)
    wait_until_saved(page)
    assert not errors


def test_every_value_of_a_long_scale_has_a_key(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["long"])
    names = field_names(page)
    page.wait_for_function(f"name => ({FOCUSED})() === name", arg=names[0])
    page.keyboard.press("0")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    wait_until_saved(page)
    values = stored_ratings(stack, key)[page_key(page)][0]
    assert [values[name] for name in names[:3]] == [10, 12, 1]
    assert not errors


@pytest.mark.parametrize("name", ["pair", "ranking", "endless", "endless pair", "endless talk"])
def test_pages_need_no_horizontal_scrolling(
    links: dict[str, str], laptop: BrowserContext, name: str
) -> None:
    page, errors = open_watched_page(laptop)
    open_first_page(page, links[name])
    page.wait_for_load_state("load")  # without its script a ranking shows all its lists
    if "endless" not in name:
        check_no_scrolling(page)
    for width, height in ((1280, 720), (390, 844), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        overflows = page.evaluate(
            """() => ["html", ".rate-talk", ".rate-scroll", ".rated-all", ".rate-answers"]
              .flatMap((s) => [...document.querySelectorAll(s)])
              .map((e) => e.scrollWidth - e.clientWidth)"""
        )
        assert not any(overflows), width
    assert not errors


@pytest.mark.parametrize("name", ["single", "long"])
def test_poles_are_equally_near_to_the_ends_of_a_scale(
    links: dict[str, str], laptop: BrowserContext, name: str
) -> None:
    page, errors = open_watched_page(laptop)
    open_first_page(page, links[name])
    gaps = page.evaluate(
        """() => {
          const box = (e) => e.getBoundingClientRect();
          const words = (e) => {
            const range = document.createRange();
            range.selectNodeContents(e); // the words, not the column they are in
            return box(range);
          };
          const scale = document.querySelector(".scale");
          const steps = [...scale.querySelectorAll(".step-dot")].map(box);
          const [low, high] = [...scale.querySelectorAll(".pole")].map(words);
          const wide = scale.closest(".is-wide");
          return wide
            ? [low.left - steps[0].left, steps.at(-1).right - high.right]
            : [steps[0].left - low.right, high.left - steps.at(-1).right];
        }"""
    )
    assert abs(gaps[0] - gaps[1]) <= 2, gaps
    assert not errors


def ranked_names(page: Page) -> list[str]:
    """Return the players in the ranks of the visible question."""
    lists = page.locator("fieldset.order:not([hidden]) .place-row select")
    return [
        text.strip()
        for text in lists.evaluate_all("all => all.map(e => e.selectedOptions[0].text)")
    ]


def test_players_are_ordered_by_click_drag_keys_and_lists(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["ranking"])
    check_accessibility(page)
    question = page.locator("fieldset.order:not([hidden])")
    player = lambda name: question.locator(f".player:has(.player-name:text-is('{name}'))")  # noqa: E731
    before = page.evaluate(RECTS)
    for name in ("Gamma", "Alpha", "Delta"):
        player(name).click()
    assert ranked_names(page)[:4] == ["Gamma", "Alpha", "Delta", "–"]
    player("Epsilon").drag_to(question.locator(".place-row").nth(1))
    assert ranked_names(page)[:5] == ["Gamma", "Epsilon", "Alpha", "Delta", "–"]
    question.locator(".place-grip").nth(0).drag_to(question.locator(".place-row").nth(2))
    assert ranked_names(page)[:4] == ["Epsilon", "Alpha", "Gamma", "Delta"]
    question.locator("select").nth(0).select_option("Gamma")
    assert ranked_names(page)[:4] == ["Gamma", "Alpha", "Epsilon", "Delta"]
    player("Beta").focus()
    page.keyboard.press("8")
    player("Theta").focus()
    page.keyboard.down("End")
    page.keyboard.down("End")
    page.keyboard.up("End")
    assert ranked_names(page)[6:] == ["Beta", "Theta"], "the displaced player moves up to the gap"
    page.keyboard.press("Shift+ArrowUp")
    assert ranked_names(page)[6:] == ["Theta", "Beta"]
    player("Alpha").click()
    assert ranked_names(page)[1] == "–", "a second click empties the rank"
    for name in ("Alpha", "Zeta", "Eta"):
        player(name).click()
    assert len({*ranked_names(page)}) == 8
    assert page.evaluate(RECTS) == before, "the ranks do not move"
    player("Alpha").focus()
    for _ in range(2):
        page.keyboard.down("Enter")  # a held key, which does not restore Alpha
    page.keyboard.up("Enter")
    assert ranked_names(page).count("–") == 1
    page.keyboard.press("Enter")
    first = ranked_names(page)
    expect(page.locator(".order-link.is-whole")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#order-context")).to_be_visible()
    assert not page.locator("#deeds").is_visible(), "roles are shown with questions about them"
    player("Eta").click()
    for _ in range(2):  # no question about profiles, as there are none
        page.locator("#next").click()
    expect(page.locator("#order-action")).to_be_visible()
    expect(page.locator("#deeds")).to_contain_text("Werewolf")
    check_accessibility(page)
    wait_until_saved(page)
    values = stored_ratings(stack, key)[page_key(page)][0]
    assert sorted(v for n, v in values.items() if n.endswith("/expression")) == list(range(1, 9))
    page.reload()
    expect(page.locator("#order-context")).to_be_visible()  # the first incomplete question
    page.locator(".order-link").first.click()
    assert ranked_names(page) == first
    assert not errors


def test_rank_given_before_the_scripts_ran_is_saved(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = open_watched_page(laptop)
    key = open_first_page(page, links["ranking"])
    with scripts_held(page):
        page.locator("fieldset.order select").nth(0).select_option("Beta")
        page.locator("fieldset.order select").nth(1).select_option("Alpha")
    wait_until_saved(page)
    assert len(stored_ratings(stack, key)[page_key(page)][0]) == 2
    assert ranked_names(page)[:3] == ["Beta", "Alpha", "–"]
    assert not errors


def test_players_are_ordered_by_lists_without_scripts(
    stack: Stack, links: dict[str, str], chromium: Browser
) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        key = open_first_page(page, links["ranking"])
        for question in page.locator("fieldset.order").all():
            for rank, rank_list in enumerate(question.locator("select").all()):
                rank_list.select_option(index=rank + 1)
        page.locator("fieldset.order select").first.select_option(index=2)
        page.locator("#next").click()
        expect(page.locator("[role=alert]")).to_contain_text("a player has two places")
        page.locator("fieldset.order select").first.select_option(index=1)
        page.locator("#next").click()
        expect(page.locator("#place")).to_contain_text("2 of 2")
        states = [state for _values, _skip, state in stored_ratings(stack, key).values()]
        assert sorted(states) == ["answered", "open"]
