// From line to line: by links, slider, keys, and the browser's own way back. The address says where
// one is. One request is under way at a time; of what is asked meanwhile only the last counts.

import { apply, onFrame } from "./frames.js";

// These have a use of their own for arrows, Home and End.
const OWN_KEYS = "input, textarea, select, .box";
const EDGE = 24; // px of a row that fade
const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

const slider = document.getElementById("at");
const scroller = document.getElementById("scroll");

let busy = false;
let waiting = null; // [address, "push" | "replace" | "keep"]
let wanted = { at: 0, as: "" }; // what was asked for last
let sliding = false;

/** {at, last, as} of the line shown. */
export function here() {
  const { at, last, as } = document.getElementById("now").dataset;
  return { at: Number(at), last: Number(last), as };
}

async function show(address, history_) {
  let html = "";
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (!answer.ok) throw new Error(answer.statusText);
    html = await answer.text();
  } catch {
    location.assign(address); // the page itself says best what is the matter
    return;
  }
  if (history_ === "push") history.pushState(null, "", address);
  if (history_ === "replace") history.replaceState(null, "", address);
  swap(html);
}

async function go(address, history_) {
  const asked = new URL(address, location.href).searchParams;
  if (asked.has("at")) wanted = { at: Number(asked.get("at")), as: asked.get("as") };
  if (busy) {
    waiting = [address, waiting?.[1] === "push" ? "push" : history_];
    return;
  }
  busy = true;
  await show(address, history_);
  busy = false;
  if (!waiting) return;
  const next = waiting;
  waiting = null;
  go(...next);
}

/** A jump is a step of its own on the way back; from one line to the next is none. */
const kindOf = (at) => (Math.abs(at - wanted.at) === 1 ? "replace" : "push");

/** Goes to line `at`; `history_` is "push" for a step of its own on the way back. */
export function goTo(at, history_ = "push") {
  const there = Math.min(here().last, Math.max(1, at));
  if (there !== here().at || busy) go(`?at=${there}&as=${wanted.as}`, history_);
}

/** Tells the others that it is the reader who moves now. */
function led() {
  document.dispatchEvent(new CustomEvent("fabula:led"));
}

/** Scrolls a row of chips where it hides the present one, wholly or in part. */
function bring(list) {
  const current = list?.querySelector("[aria-current]");
  if (!current) return;
  const [row, chip] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  const [before, after] = [row.left + EDGE - chip.left, chip.right - row.right + EDGE];
  if (before > 0) list.scrollLeft -= before;
  else if (after > 0) list.scrollLeft += after;
}

/** The title of the part being read: the first in the window's upper half, else the one above it. */
function titleRead() {
  const titles = [...document.querySelectorAll("#minds :is(h2, h3)[id]")];
  const above = titles.filter((title) => title.getBoundingClientRect().top < innerHeight / 2);
  return above.find((title) => title.getBoundingClientRect().top >= 0) ?? above.at(-1);
}

/** Swaps the line; what of a mind is being read stays where it is, be the mind's parts more or fewer. */
function swap(html) {
  const read = scrollY > 0 && titleRead();
  const top = read ? read.getBoundingClientRect().top : 0;
  const main = document.getElementById("main");
  main.style.minHeight = read ? `${main.offsetHeight}px` : ""; // nothing to scroll, nowhere to stay
  apply(html);
  const there = read && document.getElementById(read.id);
  if (there) scrollBy({ top: there.getBoundingClientRect().top - top, behavior: "instant" });
}

function look() {
  const { at, last, as } = here();
  if (!waiting) {
    wanted = { at, as };
    slider.max = last;
    slider.value = at;
    document.getElementById("as").value = as;
  }
  slider.setAttribute("aria-valuetext", document.getElementById("now").textContent.trim());
  scroller.scrollTop = 0; // it grows upward: this is the present line
  for (const list of document.querySelectorAll(".looking-back .chips")) bring(list);
}

function onKey(event) {
  const by = KEYS[event.key];
  if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest(OWN_KEYS)) return;
  event.preventDefault();
  led();
  goTo(wanted.at + by, event.repeat ? "replace" : kindOf(wanted.at + by));
}

function onClick(event) {
  const link = event.target.closest("a[data-moment]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  led();
  if (link.getAttribute("aria-disabled") === "true") return;
  const at = Number(new URL(link.href).searchParams.get("at"));
  go(link.getAttribute("href"), link.closest("#back, #forth") ? kindOf(at) : "push");
}

export function start() {
  document.addEventListener("click", onClick);
  document.addEventListener("keydown", onKey);
  slider.addEventListener("input", () => {
    led();
    const kind = sliding ? "replace" : kindOf(Number(slider.value));
    goTo(Number(slider.value), kind);
    sliding = kind === "push" || sliding;
  });
  slider.addEventListener("change", () => {
    sliding = false;
  });
  addEventListener("popstate", () => {
    led();
    go(location.href, "keep");
  });
  onFrame(look);
}
