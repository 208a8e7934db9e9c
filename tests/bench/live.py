"""From the commit of an event to its line on another open page, through every real process."""

from __future__ import annotations

import json

from playwright.sync_api import Page, sync_playwright

from tests.bench.figures import spread
from tests.browser.table import Person
from tests.chromium import find
from tests.conftest import FLAGS
from tests.live import Stack

GAMES = 1  # at instant pace, where the agents leave the machine no rest
LINES = 25  # of a game at natural pace
# Notes when each line of the transcript appeared, in milliseconds since 1970.
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
from game.engine.views import seat
from webapp.play.models import Sitting
game = Game.objects.get(code={code!r})
mine = seat(Sitting.objects.get(game=game).player.seat)
rows = [e for e in Event.objects.filter(game=game) if mine.sees(Audience.parse(e.audience))]
print(json.dumps([e.at.timestamp() * 1000 for e in rows]))
"""


def one_game(
    stack: Stack, playing: Page, watching: Page, pace: str = "instant", lines: int = 0
) -> list[float]:
    """Milliseconds from commit to visible for every line that came while both pages were open.

    lines: how many are awaited, the whole game if none.
    """
    person = Person(playing)
    address = person.open_table(stack.url, pace)
    watching.goto(address)
    watching.evaluate(WATCH)
    enough = "() => Object.keys(window.seen).length"
    person.play(
        lambda: watching.evaluate(enough) >= lines if lines else person.over(), seconds=400
    )
    if not lines:
        watching.wait_for_selector("#end:not([hidden])")
    seen = watching.evaluate("window.seen")
    code = address.rstrip("/").rsplit("/", 1)[1]
    times = json.loads(stack.shell(TIMES.format(code=code)).splitlines()[-1])
    return [when - times[int(name[1:]) - 1] for name, when in seen.items()]


def main() -> None:
    with Stack() as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=[*FLAGS, "--no-sandbox"])
        context = browser.new_context()
        playing, watching = context.new_page(), context.new_page()
        waits = [w for _ in range(GAMES) for w in one_game(stack, playing, watching)]
        print(f"instant pace, commit to visible on another page: {spread(waits, 'ms')}")
        waits = one_game(stack, playing, watching, "natural", LINES)
        print(f"natural pace: {spread(waits, 'ms')}")
        browser.close()
