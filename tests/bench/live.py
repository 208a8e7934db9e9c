"""Latency from the commit of an event to its line on another open page, with real processes."""

from __future__ import annotations

import json

from playwright.sync_api import Page, sync_playwright

from tests.bench.figures import spread
from tests.browser.table import Person
from tests.chromium import find
from tests.conftest import FLAGS
from tests.live import Stack

GAMES = 4  # Games at instant pace keep the machine busy.
LINES = 25  # lines of a game at natural pace
# Records when each line of the transcript appeared, in milliseconds since 1970.
WATCH = """
window.seen = {};
new MutationObserver(all => all.forEach(m => m.addedNodes.forEach(n => {
  if (n.id && n.id.startsWith('e')) window.seen[n.id] = Date.now();
}))).observe(document.querySelector('#transcript'), {childList: true});
"""
TIMES = """
import json
from game.models import Event, Game
from game.engine.events import Audience
from game.engine.visibility import PUBLIC, seat
from webapp.play.models import Membership
game = Game.objects.get(code={code!r})
player = Membership.objects.get(game=game).player
mine = seat(player.seat) if player else PUBLIC
rows = [e for e in Event.objects.filter(game=game) if mine.can_see(Audience.parse(e.audience))]
print(json.dumps([e.at.timestamp() * 1000 for e in rows]))
"""


def instant_pace_latencies(stack: Stack, playing: Page, watching: Page) -> list[float]:
    """Return the latencies (ms) of a game at instant pace, for lines with both pages open."""
    person = Person(playing)
    address = person.open_table(stack.url)
    watching.goto(address)
    watching.evaluate(WATCH)
    person.play(person.is_over)
    watching.wait_for_selector("#end:not([hidden])")
    return line_latencies(stack, watching)


def natural_pace_latencies(stack: Stack, opening: Page, watching: Page) -> list[float]:
    """Return the latencies (ms) of LINES lines at natural pace, with passive pages."""
    opening.goto(f"{stack.url}/tables/new?ruleset=one-night")
    opening.locator("input[name=mode][value=watch]").check(force=True)
    opening.locator("input[name=pace][value=natural]").check(force=True)
    opening.locator("button:has-text('Open the table')").click()
    opening.wait_for_selector("#transcript > li")
    watching.goto(opening.url)
    watching.evaluate(WATCH)
    has_enough_lines = "most => Object.keys(window.seen).length >= most"
    watching.wait_for_function(has_enough_lines, arg=LINES, polling=1000, timeout=600_000)
    return line_latencies(stack, watching)


def line_latencies(stack: Stack, watching: Page) -> list[float]:
    """Return milliseconds from commit to appearance of each line that WATCH recorded."""
    address, appearances = watching.url, watching.evaluate("window.seen")
    code = address.rstrip("/").rsplit("/", 1)[1]
    times = json.loads(stack.shell(TIMES.format(code=code)).splitlines()[-1])
    return [appeared_at - times[int(name[1:]) - 1] for name, appeared_at in appearances.items()]


def main() -> None:
    with Stack() as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=[*FLAGS, "--no-sandbox"])
        context = browser.new_context()
        playing, watching = context.new_page(), context.new_page()
        latencies = [
            w for _ in range(GAMES) for w in instant_pace_latencies(stack, playing, watching)
        ]
        print(f"instant pace, commit to visible on another page: {spread(latencies, 'ms')}")
        print(f"natural pace: {spread(natural_pace_latencies(stack, playing, watching), 'ms')}")
        browser.close()
