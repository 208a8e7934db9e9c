"""Makes the pictures of docs/study.md: `python -m tests.pictures [FOLDER]`.

A study runs with simulated people while pictures of its pages are taken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import find_or_fetch
from tests.example_study import open_example_study, run_study_to_end, running_site
from tests.live import wait_until

if TYPE_CHECKING:
    from webapp.study.models import Participant, Study

PICTURE_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
VIEWPORT = {"width": 1100, "height": 760}
PASSWORD = "a long enough one"


class Pictures:
    """Takes pictures in the researcher's browser and by participants' own links."""

    def __init__(self, browser: Browser, url: str, study: Study, folder: Path) -> None:
        self.url, self.study, self.folder = url, study, folder
        self.browser = browser
        self.researcher_page = self._page()
        self.study_path = f"/study/studies/{study.code}"

    def _page(self) -> Page:
        return self.browser.new_context(viewport=VIEWPORT, color_scheme="light").new_page()  # type: ignore[arg-type]

    def sign_in(self) -> None:
        self.researcher_page.goto(f"{self.url}/study/sign-in")
        self.researcher_page.get_by_label("Name").fill(self.study.owner.get_username())
        self.researcher_page.get_by_label("Password", exact=True).fill(PASSWORD)
        self.researcher_page.get_by_role("button", name="Sign in").click()
        self.researcher_page.wait_for_url("**/study/")

    def take_page(self, name: str, path: str, page: Page | None = None) -> None:
        """Take a picture of a page, as high as the page, but at most 1000 px."""
        page = page or self.researcher_page
        if path:
            page.goto(self.url + path)
        page.wait_for_load_state("networkidle")
        height = min(page.evaluate("document.documentElement.scrollHeight"), 1000)
        clip = {"x": 0, "y": 0, "width": VIEWPORT["width"], "height": height}
        page.screenshot(path=self.folder / f"{name}.png", full_page=True, clip=clip)  # type: ignore[arg-type]
        sys.stderr.write(f"{name}.png\n")

    def take_participant_page(self, name: str, stage_kind: str, selector: str) -> None:
        """Take the page of a participant at a stage of that kind, in a browser of their own."""

        def is_taken() -> bool:
            return any(
                self._take_if_shown(name, person, selector)
                for person in self._participants_at(stage_kind)
            )

        wait_until(is_taken, f"participant at stage {stage_kind}", 240)

    def _take_if_shown(self, name: str, person: Participant, selector: str) -> bool:
        names = (cookie["name"] for cookie in self.researcher_page.context.cookies())
        cookie_name = next(name for name in names if name.startswith("fabula_session"))
        cookie = {"name": cookie_name, "value": _session(person), "url": self.url}
        page = self._page()
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(f"{self.url}/take/as/{person.key}/")
        is_shown = page.locator(selector).count() > 0
        if is_shown:
            self.take_page(name, "", page)
        page.context.close()
        return is_shown

    def _participants_at(self, stage_kind: str) -> list[Participant]:
        from webapp.study.sessions import participant_state

        active = self.study.participants.filter(exit="").select_related("study")
        return [
            person for person in active if participant_state.current_step(person).kind == stage_kind
        ]

    def take_live_pages(self) -> None:
        """Take the pages that exist only while the study runs."""
        page = self._page()
        self.take_page("consent", f"/take/{self.study.key}/", page)
        page.context.close()
        self.take_participant_page("table", "game", "#dock")
        self.take_page("monitor", f"{self.study_path}/monitor")
        self.take_participant_page("guess", "questionnaire", "fieldset")

    def _wait_for_computed(self, path: str, selector: str) -> None:
        """Wait until the page shows what a worker or the sweeper computes."""

        def is_shown() -> bool:
            self.researcher_page.goto(self.url + path)
            return self.researcher_page.locator(selector).count() > 0

        wait_until(is_shown, f"{selector} at {path}", 120, 1)

    def take_setup_page(self) -> None:
        from webapp.study.planning import studies

        draft = studies.copy(self.study)
        studies.change(draft, name=self.study.name)
        self.take_page("setup", f"/study/studies/{draft.code}/setup")
        studies.delete(draft)

    def take_results(self) -> None:
        self.take_page("research", "/study/")
        for name, selector in (("payments", "text=a correct guess"), ("results", "figure")):
            self._wait_for_computed(f"{self.study_path}/{name}", selector)
            self.take_page(name, "")


def _session(person: Participant) -> str:
    """Return the key of the participant's session."""
    from django.contrib.sessions.models import Session

    from webapp.play import visitors

    return next(
        str(row.session_key)
        for row in Session.objects.all()
        if person.visitor and row.get_decoded().get(visitors.VISITOR_KEY) == person.visitor.hex
    )


def main(folder: Path) -> None:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright leaves a loop in this thread
    os.environ["FABULA_CHROMIUM"] = chromium = find_or_fetch()
    folder.mkdir(parents=True, exist_ok=True)
    with running_site() as stack, sync_playwright() as playwright:
        study = open_example_study()
        study.owner.set_password(PASSWORD)
        study.owner.save()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pictures = Pictures(browser, stack.url, study, folder)
        pictures.sign_in()
        pictures.take_setup_page()
        run_study_to_end(study, stack.url, pictures.take_live_pages)
        pictures.take_results()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else PICTURE_FOLDER)
