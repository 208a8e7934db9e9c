// The transcript keeps to its bottom, unless the reader has scrolled up: then it stays put and a
// button says that there is more below. Where more lines come at once than fit, the page shows the
// first of them, under a mark, instead of the last. A line that is already there replaces itself, and one
// that comes late finds its place: frames may repeat and may cross.
//
// A page begins with the latest lines. Older ones are fetched when asked for, and put above them; what
// the reader has before their eyes stays where it is.

import { say } from "./aloud.js";
import { onFrame } from "./frames.js";

const NEAR = 48; // px from the bottom that still count as being there
const NEWS = ".entry-out, .entry-private"; // who is out, and the reader's own results
const MOST_NEWS = 2;

const scroller = document.getElementById("scroll");
const list = document.getElementById("transcript");
const below = document.getElementById("below");
const news = document.getElementById("news");
let following = true;
let fresh = []; // the lines that have come since the last frame, in no order
let held = null; // the line that was the first before older ones came, and where it stood

const position = (entry) => Number(entry.dataset.position);

/** The same line once more would be read aloud once more. */
function same(twin, entry) {
  const [one, other] = [twin, entry].map((line) => line.cloneNode(true));
  one.classList.remove("is-new");
  delete one.dataset.new;
  for (const line of [one, other]) line.removeAttribute("aria-live"); // of older lines
  return one.isEqualNode(other);
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
  fresh.push(entry);
  // Whoever speaks has read what they answer: the page goes on from there.
  if (entry.classList.contains("is-mine")) following = true;
}

/** New lines find their places; those that came before all others go above them, unannounced. */
function take(entries) {
  const first = list.firstElementChild;
  const older = first ? entries.filter((entry) => position(entry) < position(first)) : [];
  if (older.length) {
    held = { first, top: first.getBoundingClientRect().top };
    first.before(...older);
  }
  for (const entry of entries) if (!older.includes(entry)) place(entry);
}

/** Where older lines came, the reader still sees what they saw: in the log, or, once the game is
    over, in the document. */
function keepPlace() {
  if (!held) return;
  const { first, top } = held;
  held = null;
  const moved = () => first.getBoundingClientRect().top - top;
  scroller.scrollTop += moved();
  scrollBy({ top: moved(), behavior: "instant" });
  // What was pressed is out of sight or gone; the keys that scroll work in the log.
  const focus = document.activeElement;
  if (focus === document.body || focus.id === "earlier-link") scroller.focus({ preventScroll: true });
}

/** Says beside the link, and aloud, that what it fetches could not be had. */
function tellFailed(asked) {
  const words = asked.parentElement.querySelector(".earlier-failed");
  words.hidden = false;
  say(words.textContent);
}

function toBottom() {
  following = true;
  allRead();
  scroller.scrollTop = scroller.scrollHeight;
}

function allRead() {
  below.hidden = true;
  news.replaceChildren();
}

/** Shows the latest news of the lines out of sight. The log reads them aloud, so this is silent. */
function showNews() {
  const latest = fresh.filter((entry) => entry.matches(NEWS)).sort((a, b) => position(a) - position(b));
  for (const entry of latest) {
    const line = document.createElement("li");
    line.textContent = entry.querySelector(".moderator, .secret-text").textContent.trim();
    line.dataset.entry = entry.id;
    news.append(line);
  }
  while (news.children.length > MOST_NEWS) news.firstElementChild.remove();
}

/** News is none any more once half of its line, at least, stands above the log's lower edge. */
function dropSeenNews() {
  const end = scroller.getBoundingClientRect().bottom;
  for (const line of [...news.children]) {
    const box = document.getElementById(line.dataset.entry)?.getBoundingClientRect();
    if (!box || (box.top + box.bottom) / 2 <= end) line.remove();
  }
}

/** On by one screen, so that no line is passed over. */
function onePage() {
  scroller.scrollTop += scroller.clientHeight - NEAR;
  const rest = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
  if (rest >= NEAR) return;
  toBottom();
  scroller.focus({ preventScroll: true }); // the button has gone, and the focus with it
}

/** Shows the first of several new lines, if they do not fit, and marks where they begin. */
function toFirstNew() {
  const first = fresh.reduce((one, other) => (position(other) < position(one) ? other : one));
  const height = list.lastElementChild.getBoundingClientRect().bottom - first.getBoundingClientRect().top;
  if (fresh.length < 2 || height < scroller.clientHeight) return;
  delete list.querySelector("[data-new]")?.dataset.new;
  first.dataset.new = list.dataset.newText;
  following = false;
  scroller.scrollTop += first.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}

function look() {
  keepPlace();
  if (fresh.length && following) toFirstNew();
  if (following) toBottom();
  else if (fresh.length) {
    below.hidden = false;
    showNews();
    dropSeenNews();
  }
  fresh = [];
}

export function start() {
  list.addEventListener("htmx:oobBeforeSwap", (event) => {
    // New lines come for the list, one that looks different now for itself.
    if (event.target !== list && event.target.parentElement !== list) return;
    event.detail.shouldSwap = false;
    take([...event.detail.fragment.children]);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.id === "earlier-link") say(""); // the same words twice are read once
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const asked = event.detail.requestConfig?.elt;
    if (asked?.id === "earlier-link" && !event.detail.successful) tellFailed(asked);
  });
  scroller.addEventListener("scroll", () => {
    const rest = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    following = rest < NEAR;
    if (following) allRead();
    else dropSeenNews();
  }, { passive: true });
  below.addEventListener("click", onePage);
  // A keyboard that rises or a choice that opens must not hide the last line.
  new ResizeObserver(() => (following ? toBottom() : dropSeenNews())).observe(scroller);
  onFrame(look);
}
