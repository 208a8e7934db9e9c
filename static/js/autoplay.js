// The story goes on by itself, each line as long as reading it takes, until the reader moves. How
// much faster or slower than that, this browser remembers.

import { onFrame } from "./frames.js";
import { goTo, here } from "./moments.js";

const LINE = 1_200; // ms for any line
const WORD = 190; // ms for each word of it
const LONGEST = 12_000;
const KEPT = "fabula.replay.pace";

const button = document.getElementById("roll");
const pace = document.querySelector("#pace select");
let playing = false;
let timer = 0;

function pause() {
  const line = document.querySelector("#transcript > .is-now");
  const words = line ? line.textContent.trim().split(/\s+/).length : 0;
  return Math.min(LONGEST, LINE + WORD * words) / Number(pace.value);
}

function set(on) {
  playing = on;
  button.setAttribute("aria-pressed", String(on));
  clearTimeout(timer);
}

function next() {
  const { at, last } = here();
  if (at < last) goTo(at + 1, "replace");
}

function look() {
  if (!playing) return;
  const { at, last } = here();
  if (at >= last) set(false);
  else {
    clearTimeout(timer);
    timer = setTimeout(next, pause());
  }
}

function toggle() {
  const { at, last } = here();
  set(!playing);
  if (playing && at >= last) goTo(1);
  else look();
}

/** What was chosen here before; a browser that keeps nothing plays at the usual pace. */
function remember() {
  try {
    const kept = localStorage.getItem(KEPT);
    if ([...pace.options].some((option) => option.value === kept)) pace.value = kept;
    pace.addEventListener("change", () => localStorage.setItem(KEPT, pace.value));
  } catch {
    // it is a matter of this visit alone
  }
}

export function start() {
  button.hidden = false;
  document.getElementById("pace").hidden = false;
  remember();
  pace.addEventListener("change", look);
  button.addEventListener("click", toggle);
  document.addEventListener("fabula:led", () => set(false));
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("button, summary, textarea, select, input:not(#at)")) return;
    event.preventDefault();
    if (!event.repeat) toggle();
  });
  onFrame(look);
}
