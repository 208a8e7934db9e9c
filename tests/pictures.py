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
        """A picture of a page, as high as it is but at most two windows high."""
        page = page or self.desk
        if path:
            page.goto(self.url + path)
        page.wait_for_load_state("networkidle")
        high = min(page.evaluate("document.documentElement.scrollHeight"), 2 * SIZE["height"])
        clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": high}
        page.screenshot(path=self.folder / f"{name}.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        sys.stderr.write(f"{name}.png\n")

    def somebodys(self, name: str, at: str, selector: str) -> None:
        """The page of a participant at a stage of that kind, as their own link shows it."""
        page = self._page()

        def taken() -> bool:
            for person in self._at(at):
                page.goto(f"{self.url}/take/as/{person.key}/")
                if page.locator(selector).count():
                    self.at(name, "", page)
                    return True
            return False

        wait_until(taken, f"somebody at: {at}", 240)
        page.close()

    def _at(self, kind: str) -> list[Participant]:
        from webapp.study.sessions import places

        there = self.study.participants.filter(exit="").select_related("study")
        return [person for person in there if places.step_of(person).kind == kind]

    def meanwhile(self) -> None:
        page = self._page()
        self.at("consent", f"/take/{self.study.key}/", page)
        page.close()
        self.somebodys("table", "game", ".transcript")
        self.at("monitor", f"{self.code}/monitor")
        self.somebodys("guess", "questionnaire", "form .question")

    def before(self) -> None:
        from webapp.study.sessions import studies

        draft = studies.copy(self.study)
        studies.change(draft, name=self.study.name)
        self.at("setup", f"/study/studies/{draft.code}/setup")
        studies.delete(draft)

    def after(self) -> None:
        self.at("research", "/study/")
        for name in ("payments", "results"):
            self.at(name, f"{self.code}/{name}")


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
