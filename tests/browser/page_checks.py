"""Checks of a page: accessibility, size, and what a screen reader announces."""

from __future__ import annotations

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
# Passed checks are not listed. The rule "region" takes a tenth of the time and finds only moderate
# violations. Style sheets and media are not loaded, because only such rules read them.
AXE_OPTIONS = {
    "resultTypes": ["violations"], "preload": False, "rules": {"region": {"enabled": False}},
}  # fmt: skip
# Records announcements as [region, text] in `heard`, in order: text that enters live regions, the
# whole text of an atomic region. " [button]" marks a control that is read with the text.
RECORD_ANNOUNCEMENTS = """() => {
    const regions = "[aria-live], [role=log], [role=status], [role=alert]";
    const silent = "[aria-hidden=true], [hidden], template";
    const words = (node) => {
        const copy = node.cloneNode(true);
        if (copy.nodeType !== 1) return copy.textContent.trim();
        for (const part of copy.querySelectorAll(silent)) part.remove();
        const text = copy.textContent.trim().replace(/\\s+/g, " ");
        return copy.querySelector("button, summary") ? `${text} [button]` : text;
    };
    window.heard = [];
    new MutationObserver((records) => {
        const told = new Set();
        for (const { type, target, addedNodes } of records)
            for (const node of type === "childList" ? addedNodes : [target]) {
                const at = node.nodeType === 1 ? node : node.parentElement;
                const region = node.isConnected && at?.closest(regions);
                if (!region || at.closest(silent)) continue;
                if (region.getAttribute("aria-live") === "off") continue;
                if (type !== "childList" && region.ariaRelevant === "additions") continue;
                const atomic = region.matches("[role=status], [role=alert]");
                if (atomic && told.has(region)) continue;
                told.add(region);
                const text = words(atomic ? region : node);
                if (text) heard.push([region.id || region.className, text]);
            }
    }).observe(document.body, {
        childList: true, subtree: true, characterData: true, attributeFilter: ["hidden"],
    });
}"""


def check_height(page: Page) -> None:
    """Check that a running game's page is not higher than the window."""
    sizes = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert sizes[0] <= sizes[1], sizes


def check_accessibility(page: Page) -> None:
    """Check the page with axe. Animations end first, as moving colours have no contrast."""
    page.evaluate(
        "document.getAnimations().forEach(a => { try { a.finish() } catch { /* endless */ } })"
    )
    page.evaluate(Axe().axe_script)
    violations = page.evaluate("options => axe.run(options).then(it => it.violations)", AXE_OPTIONS)
    serious = [v for v in violations if v["impact"] in SERIOUS or v["id"] == "landmark-unique"]
    errors = [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious]
    assert not errors, (page.url, errors)


def at_both_widths(page: Page, *checks: Callable[[Page], None]) -> None:
    """Run the checks on a phone and then on a desktop, whose size stays."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for check in checks:
            check(page)


def set_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})


def check_width(page: Page) -> None:
    """Check that the page does not overflow sideways."""
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1], (page.url, widths)


def check_no_overflow(page: Page) -> None:
    """Check that neither the page nor the sheets beside the table overflow sideways."""
    check_width(page)
    for element in page.locator(".mine, #scroll").all():
        widths = element.evaluate("part => [part.scrollWidth, part.clientWidth]")
        assert widths[0] <= widths[1], (page.url, element, widths)


def check_names_unbroken(page: Page) -> None:
    """Check that no seat's name is broken inside a word."""
    broken = page.locator("#seats .seat-name").evaluate_all(
        """names => names.filter(name => {
             const range = document.createRange();
             range.selectNodeContents(name);
             const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
             return lines.size > name.textContent.trim().split(/\\s+/).length
                 || name.scrollWidth > name.clientWidth + 1;
           }).map(name => name.textContent)"""
    )
    assert not broken, (page.viewport_size, broken)


def check_badges_apart(page: Page) -> None:
    """Check that no badge covers another badge."""
    overlaps = page.locator("#seats .badge").evaluate_all(
        """badges => {
             const boxes = badges.map(badge => badge.getBoundingClientRect());
             return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b =>
               a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
           }"""
    )
    assert not overlaps, (page.viewport_size, len(overlaps))


def check_table(page: Page, *widths: int) -> None:
    """Check the page as it is, and at these widths, of which the last one stays."""
    check_accessibility(page)
    for width in widths:
        set_width(page, width)
        check_names_unbroken(page)
        check_no_overflow(page)
        check_badges_apart(page)
        check_height(page)


def line_ids(page: Page) -> list[str]:
    """Return the ids of the lines of the transcript."""
    ids: list[str] = page.locator("#transcript > li").evaluate_all("all => all.map(li => li.id)")
    return ids
