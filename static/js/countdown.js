// Where there is a deadline: how long is left. The digits are not read aloud (they would never
// stop): the time is told once in words, and half a minute before the end one sentence says so.

import { onFrame } from "./frames.js";

const WARN_AT = 30; // seconds
const MINUTES_FROM = 100; // seconds; less is told in seconds
const { secondsLeft, timeLeft } = document.getElementById("table").dataset;
let seen = "";
let warned = "";

const secondsTo = (deadline) => Math.max(0, Math.ceil((Date.parse(deadline) - Date.now()) / 1000));

/** "40 seconds", "3 minutes", in the page's language. */
function inWords(seconds) {
  const minutes = seconds >= MINUTES_FROM;
  const format = new Intl.NumberFormat(document.documentElement.lang, {
    style: "unit",
    unit: minutes ? "minute" : "second",
    unitDisplay: "long",
  });
  return format.format(minutes ? Math.round(seconds / 30) / 2 : Math.round(seconds / 5) * 5);
}

/** Says in `awaited` how much time there is, where it does not say so yet. */
function tell(awaited) {
  const left = awaited.querySelector("[data-left]");
  if (!left || left.textContent) return;
  left.textContent = timeLeft.replace("{time}", inWords(secondsTo(awaited.dataset.deadline)));
}

/** How long a table that ends by a clock of its own goes on, in the bar above it. */
function tickBar() {
  const line = document.querySelector(".progress-bar [data-until]");
  if (!line) return;
  const text = line.dataset.left.replace("{time}", inWords(secondsTo(line.dataset.until)));
  if (line.textContent !== text) line.textContent = text;
}

function tick() {
  const awaited = document.getElementById("awaited");
  const face = awaited.querySelector("[data-countdown]");
  if (!face) return;
  const { deadline } = awaited.dataset;
  const left = secondsTo(deadline);
  const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  if (face.textContent !== text) face.textContent = text;
  const short = left <= WARN_AT;
  awaited.classList.toggle("is-short", short);
  if (deadline !== seen && short) warned = deadline; // it has just been told in words
  seen = deadline;
  if (short && left > 0 && "mine" in awaited.dataset && warned !== deadline) {
    warned = deadline;
    document.getElementById("announce").textContent = secondsLeft;
  }
}

export function start() {
  // Before it is put in, so that it is read with the rest.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    if (event.target.id === "awaited") tell(event.detail.fragment.firstElementChild);
  });
  onFrame(() => {
    tell(document.getElementById("awaited"));
    tick();
  });
  setInterval(tick, 1000);
  tickBar();
  setInterval(tickBar, 1000);
}
