"""Makes the pictures of docs/study.md: `python -m tests.pictures [FOLDER]`.

A study is held with simulated people; its pages are looked at in a real browser meanwhile.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import find_or_fetch
from tests.held_study import held, opened, site
from tests.live import wait_until

if TYPE_CHECKING:
    from webapp.study.models import Participant, Study

DOCS = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SIZE = {"width": 1100, "height": 760}
PASSWORD = "a long enough one"


class Pictures:
    """Takes them, through the researcher's browser and through participants' own links."""

    def __init__(self, browser: Browser, url: str, study: Study, folder: Path) -> None:
        self.url, self.study, self.folder = url, study, folder
        self.browser = browser
        self.desk = self._page()
        self.code = f"/study/studies/{study.code}"

    def _page(self) -> Page:
        return self.browser.new_context(viewport=SIZE, color_scheme="light").new_page()  # type: ignore[arg-type]

    def sign_in(self) -> None:
        self.desk.goto(f"{self.url}/study/sign-in")
        self.desk.get_by_label("Name").fill(self.study.owner.get_username())
        self.desk.get_by_label("Password", exact=True).fill(PASSWORD)
        self.desk.get_by_role("button", name="Sign in").click()
        self.desk.wait_for_url("**/study/")

    def at(self, name: str, path: str, page: Page | None = None) -> None:
        """A picture of a page, as high as it is, but 1000 px at the most."""
        page = page or self.desk
        if path:
            page.goto(self.url + path)
        page.wait_for_load_state("networkidle")
        high = min(page.evaluate("document.documentElement.scrollHeight"), 1000)
        clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": high}
        page.screenshot(path=self.folder / f"{name}.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        sys.stderr.write(f"{name}.png\n")

    def somebodys(self, name: str, at: str, selector: str) -> None:
        """The page of a participant at a stage of that kind, in their own browser."""

        def taken() -> bool:
            return any(self._taken(name, person, selector) for person in self._at(at))

        wait_until(taken, f"somebody at: {at}", 240)

    def _taken(self, name: str, person: Participant, selector: str) -> bool:
        known = (cookie["name"] for cookie in self.desk.context.cookies())
        name_here = next(name for name in known if name.startswith("fabula_session"))
        cookie = {"name": name_here, "value": _session(person), "url": self.url}
        page = self._page()
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(f"{self.url}/take/as/{person.key}/")
        there = page.locator(selector).count() > 0
        if there:
            self.at(name, "", page)
        page.context.close()
        return there

    def _at(self, kind: str) -> list[Participant]:
        from webapp.study.sessions import participant_steps

        there = self.study.participants.filter(exit="").select_related("study")
        return [person for person in there if participant_steps.current_step(person).kind == kind]

    def meanwhile(self) -> None:
        page = self._page()
        self.at("consent", f"/take/{self.study.key}/", page)
        page.context.close()
        self.somebodys("table", "game", "#dock")
        self.at("monitor", f"{self.code}/monitor")
        self.somebodys("guess", "questionnaire", "fieldset")

    def _waits(self, path: str, selector: str) -> None:
        """Until the page has what a worker or the sweeper works out."""

        def there() -> bool:
            self.desk.goto(self.url + path)
            return self.desk.locator(selector).count() > 0

        wait_until(there, f"{selector} at {path}", 120, 1)

    def before(self) -> None:
        from webapp.study.planning import studies

        draft = studies.copy(self.study)
        studies.change(draft, name=self.study.name)
        self.at("setup", f"/study/studies/{draft.code}/setup")
        studies.delete(draft)

    def after(self) -> None:
        self.at("research", "/study/")
        for name, there in (("payments", "text=0.20"), ("results", "figure")):
            self._waits(f"{self.code}/{name}", there)
            self.at(name, "")


def _session(person: Participant) -> str:
    """The key of the session in which the participant is."""
    from django.contrib.sessions.models import Session

    from webapp.play import visitors

    return next(
        str(row.session_key)
        for row in Session.objects.all()
        if person.visitor and row.get_decoded().get(visitors.KEY) == person.visitor.hex
    )


def main(folder: Path) -> None:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright leaves a loop in this thread
    os.environ["FABULA_CHROMIUM"] = chromium = find_or_fetch()
    folder.mkdir(parents=True, exist_ok=True)
    with site() as stack, sync_playwright() as play:
        study = opened()
        study.owner.set_password(PASSWORD)
        study.owner.save()
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pictures = Pictures(browser, stack.url, study, folder)
        pictures.sign_in()
        pictures.before()
        held(study, stack.url, pictures.meanwhile)
        pictures.after()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else DOCS)
