// A push must not fold a question the reader has opened ("Call it off": really?), nor take the
// focus off a button that is still there afterwards. A question that opens is brought into sight.

import { onFrame } from "./frames.js";

const open = new Set();
let focused = "";

/** How to find the same control in what was pushed. */
function nameOf(element) {
  if (element?.id) return `#${CSS.escape(element.id)}`;
  if (element?.name === "do") return `button[name="do"][value="${CSS.escape(element.value)}"]`;
  const details = element?.matches?.("summary") ? element.parentElement : null;
  return details?.id ? `#${CSS.escape(details.id)} > summary` : "";
}

function restore() {
  for (const id of open) {
    const details = document.getElementById(id);
    if (details) details.open = true;
  }
  if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus();
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
    const details = event.target.closest?.("details:is(.confirm, .mate)[id] > summary")?.parentElement;
    if (!details) return;
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
    focused = nameOf(event.target);
  });
}
