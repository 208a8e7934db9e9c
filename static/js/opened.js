// A push must not fold a question the reader has opened ("Call it off": really?), nor take the
// focus off a button that is still there afterwards. Where the button is gone, what it stood in has
// the focus. (What is lost in the dock finds its place by focus.js.) A question that
// opens is brought into sight.

import { onFrame } from "./frames.js";

const HELD = "details:is(.confirm, .mate, .said-list)[id]";
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const open = new Set();
let ways = []; // to what has the focus, and to what it stands in, the nearest first

/** How to find the same control in what was pushed. */
export function nameOf(element) {
  if (element?.id) return `#${CSS.escape(element.id)}`;
  if (element?.name === "do") return `button[name="do"][value="${CSS.escape(element.value)}"]`;
  const details = element?.matches?.("summary") ? element.parentElement : null;
  return details?.id ? `#${CSS.escape(details.id)} > summary` : "";
}

function waysTo(element) {
  const found = [nameOf(element)];
  const dock = element.closest("#dock");
  for (let at = element.parentElement; at && !dock; at = at.parentElement) {
    if (at.matches("details[id]")) found.push(`#${CSS.escape(at.id)} > summary`);
    if (at.matches("section[id]")) found.push(`#${CSS.escape(at.id)} :is(summary, button)`);
  }
  return found.filter(Boolean);
}

function restore() {
  for (const id of open) {
    const details = document.getElementById(id);
    if (details) details.open = true;
  }
  for (const way of ways) {
    if (document.activeElement !== document.body) return;
    document.querySelector(way)?.focus();
  }
  // A control that is gone does not take the focus when one like it comes with the next turn.
  if (document.activeElement === document.body) ways = [];
}

/** Open or fold a card, for pushes too. */
export function keep(details, wanted) {
  details.open = wanted;
  if (wanted) open.add(details.id);
  else open.delete(details.id);
}

export function start() {
  onFrame(restore);
  document.addEventListener("click", (event) => {
    const details = event.target.closest?.("summary")?.parentElement;
    if (!details?.matches(HELD)) return;
    if (details.open) open.delete(details.id);
    else open.add(details.id);
  });
  // "toggle" does not bubble.
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.matches("details:is(.confirm, .take-out)")) {
      event.target.scrollIntoView({ block: "nearest" });
    }
  }, true);
  document.addEventListener("focusin", (event) => {
    ways = waysTo(event.target);
  });
  // Who presses beside everything has let go of it.
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(FOCUSABLE)) ways = [];
  }, { capture: true, passive: true });
}
