"""Keys, dragging, and what must not move while one rates."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.test_one_night import check_accessibility
from tests.browser.test_rating import (
    all_saved,
    begin,
    fits,
    here,
    laptop,
    names_on,
    scripts_held,
    stored,
    watched,
)
from tests.live import Stack

__all__ = ["laptop"]

SEED = """
import json
from tests.study import rating, world
from webapp.play.live import dispatch
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
with dispatch.diverted(lambda game, opened: None):
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
    found = json.loads(stack.shell(SEED).splitlines()[-1])
    return {name: f"{stack.url}/rate/{key}/" for name, key in found.items()}


def test_a_digit_answers_the_question_in_focus_and_a_held_key_nothing(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["single"])
    names = names_on(page)
    page.wait_for_function(f"name => ({FOCUSED})() === name", arg=names[0])  # from the start
    before = page.evaluate(RECTS)
    page.keyboard.down("4")
    for _ in range(5):
        page.keyboard.down("4")  # held: the browser repeats it
    page.keyboard.up("4")
    assert page.evaluate(FOCUSED) == names[1]
    values = [4, *range(2, len(names) + 1)]
    for value in values[1:]:
        page.keyboard.press(str(value))
    assert page.evaluate(FOCUSED) is None, "after the last question the focus is in none"
    page.keyboard.press("5")
    page.locator("main").evaluate("e => e.focus()")
    page.keyboard.press("1")
    all_saved(page)
    assert stored(stack, key)[here(page)][0] == dict(zip(names, values, strict=True))
    assert page.evaluate(RECTS) == before, "nothing moved when answered and saved"
    laptop.set_offline(True)
    page.locator("fieldset.ask label").nth(4).click()
    expect(page.locator("#saved")).to_contain_text("Not sent yet")
    assert page.evaluate(FOCUSED) == names[0], "a press leaves the focus where it is"
    assert page.evaluate(RECTS) == before
    laptop.set_offline(False)
    all_saved(page)
    assert not errors


def test_every_value_of_a_long_scale_has_a_key(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["long"])
    names = names_on(page)
    page.wait_for_function(f"name => ({FOCUSED})() === name", arg=names[0])
    page.keyboard.press("0")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    all_saved(page)
    values = stored(stack, key)[here(page)][0]
    assert [values[name] for name in names[:3]] == [10, 12, 1]
    assert not errors


@pytest.mark.parametrize("name", ["pair", "ranking", "endless", "endless pair", "endless talk"])
def test_nothing_has_to_be_scrolled_sideways(
    links: dict[str, str], laptop: BrowserContext, name: str
) -> None:
    page, errors = watched(laptop)
    begin(page, links[name])
    page.wait_for_load_state("load")  # without its script a ranking shows all its lists
    if "endless" not in name:
        fits(page)
    for width, height in ((1280, 720), (390, 844), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate(
            """() => ["html", ".rate-talk", ".rate-scroll", ".rated-all", ".rate-answers"]
              .flatMap((s) => [...document.querySelectorAll(s)])
              .map((e) => e.scrollWidth - e.clientWidth)"""
        )
        assert not any(wide), width
    assert not errors


@pytest.mark.parametrize("name", ["single", "long"])
def test_the_poles_are_equally_near_to_the_ends_of_a_scale(
    links: dict[str, str], laptop: BrowserContext, name: str
) -> None:
    page, errors = watched(laptop)
    begin(page, links[name])
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


def places(page: Page) -> list[str]:
    """Who stands on the places of the question that is shown."""
    lists = page.locator("fieldset.order:not([hidden]) .place-row select")
    return [t.strip() for t in lists.evaluate_all("all => all.map(e => e.selectedOptions[0].text)")]


def test_players_are_ordered_by_pressing_dragging_keys_and_lists(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["ranking"])
    check_accessibility(page)
    shown = page.locator("fieldset.order:not([hidden])")
    player = lambda name: shown.locator(f".player:has(.player-name:text-is('{name}'))")  # noqa: E731
    before = page.evaluate(RECTS)
    for name in ("Gamma", "Alpha", "Delta"):
        player(name).click()
    assert places(page)[:4] == ["Gamma", "Alpha", "Delta", "–"]
    player("Epsilon").drag_to(shown.locator(".place-row").nth(1))
    assert places(page)[:5] == ["Gamma", "Epsilon", "Alpha", "Delta", "–"]
    shown.locator(".place-grip").nth(0).drag_to(shown.locator(".place-row").nth(2))
    assert places(page)[:4] == ["Epsilon", "Alpha", "Gamma", "Delta"]
    shown.locator("select").nth(0).select_option("Gamma")
    assert places(page)[:4] == ["Gamma", "Alpha", "Epsilon", "Delta"]
    player("Beta").focus()
    page.keyboard.press("8")
    player("Theta").focus()
    page.keyboard.down("End")
    page.keyboard.down("End")
    page.keyboard.up("End")
    assert places(page)[6:] == ["Beta", "Theta"], "who is displaced moves up to the gap"
    page.keyboard.press("Shift+ArrowUp")
    assert places(page)[6:] == ["Theta", "Beta"]
    player("Alpha").click()
    assert places(page)[1] == "–", "pressed again, a place is given up"
    for name in ("Alpha", "Zeta", "Eta"):
        player(name).click()
    assert len({*places(page)}) == 8
    assert page.evaluate(RECTS) == before, "the places keep theirs"
    player("Alpha").focus()
    for _ in range(2):
        page.keyboard.down("Enter")  # the second time held: it does not put Alpha back
    page.keyboard.up("Enter")
    assert places(page).count("–") == 1
    page.keyboard.press("Enter")
    first = places(page)
    expect(page.locator(".order-way.is-whole")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#order-context")).to_be_visible()
    assert not page.locator("#deeds").is_visible(), "roles come with the questions that need them"
    player("Eta").click()
    for _ in range(2):  # nobody has a profile, so no question asks about it
        page.locator("#next").click()
    expect(page.locator("#order-action")).to_be_visible()
    expect(page.locator("#deeds")).to_contain_text("Werewolf")
    check_accessibility(page)
    all_saved(page)
    values = stored(stack, key)[here(page)][0]
    assert sorted(v for n, v in values.items() if n.endswith("/expression")) == list(range(1, 9))
    page.reload()
    expect(page.locator("#order-context")).to_be_visible()  # the first that is not whole
    page.locator(".order-way").first.click()
    assert places(page) == first
    assert not errors


def test_a_place_given_before_the_scripts_ran_is_saved(
    stack: Stack, links: dict[str, str], laptop: BrowserContext
) -> None:
    page, errors = watched(laptop)
    key = begin(page, links["ranking"])
    with scripts_held(page):
        page.locator("fieldset.order select").nth(0).select_option("Beta")
        page.locator("fieldset.order select").nth(1).select_option("Alpha")
    all_saved(page)
    assert len(stored(stack, key)[here(page)][0]) == 2
    assert places(page)[:3] == ["Beta", "Alpha", "–"]
    assert not errors


def test_without_scripts_players_are_ordered_by_the_lists_alone(
    stack: Stack, links: dict[str, str], chromium: Browser
) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        key = begin(page, links["ranking"])
        for order in page.locator("fieldset.order").all():
            for at, place in enumerate(order.locator("select").all()):
                place.select_option(index=at + 1)
        page.locator("fieldset.order select").first.select_option(index=2)
        page.locator("#next").click()
        expect(page.locator("[role=alert]")).to_contain_text("a player has two places")
        page.locator("fieldset.order select").first.select_option(index=1)
        page.locator("#next").click()
        expect(page.locator("#place")).to_contain_text("2 of 2")
        states = [state for _values, _skip, state in stored(stack, key).values()]
        assert sorted(states) == ["answered", "open"]
