// The transcript keeps to its bottom, unless the reader has scrolled up: then it stays put and a
// button says that there is more below. A line that is already there replaces itself, and one
// that comes late finds its place: frames may repeat and may cross.

import { onFrame } from "./frames.js";

const NEAR = 48; // px from the bottom that still count as being there

const scroller = document.getElementById("scroll");
const list = document.getElementById("transcript");
const below = document.getElementById("below");
let following = true;
let fresh = false;

const position = (entry) => Number(entry.dataset.position);

/** The same line once more would be read aloud once more. */
function same(twin, entry) {
  const copy = twin.cloneNode(true);
  copy.classList.remove("is-new");
  return copy.isEqualNode(entry);
}

function place(entry) {
  const twin = document.getElementById(entry.id);
  if (twin) {
    if (!same(twin, entry)) twin.replaceWith(entry);
    return;
  }
  let after = list.lastElementChild;
  while (after && position(after) > position(entry)) after = after.previousElementSibling;
  if (after) after.after(entry);
  else list.prepend(entry);
  entry.classList.add("is-new");
  fresh = true;
}

function toBottom() {
  following = true;
  below.hidden = true;
  scroller.scrollTop = scroller.scrollHeight;
}

function look() {
  if (following) toBottom();
  else if (fresh) below.hidden = false;
  fresh = false;
}

export function start() {
  list.addEventListener("htmx:oobBeforeSwap", (event) => {
    // New lines come for the list, one that looks different now for itself.
    if (event.target !== list && event.target.parentElement !== list) return;
    event.detail.shouldSwap = false;
    for (const entry of [...event.detail.fragment.children]) place(entry);
  });
  scroller.addEventListener("scroll", () => {
    const rest = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    following = rest < NEAR;
    if (following) below.hidden = true;
  }, { passive: true });
  below.addEventListener("click", () => {
    toBottom();
    scroller.focus({ preventScroll: true }); // the button has gone, and the focus with it
  });
  // A keyboard that rises or a choice that opens must not hide the last line.
  new ResizeObserver(() => following && toBottom()).observe(scroller);
  onFrame(look);
}
