// A stage with a time limit: how long is left, in words, once a minute; a sentence that is read
// aloud a minute before the end; and at the end what is typed is stored and the next page comes.

import { settle } from "./take_typed.js";

const SHORT = 60; // seconds

const stagePage = document.getElementById("stage-page");

let warned = false;
let over = false;
let ticking = false;

/** Milliseconds that the server's clock is ahead of this one. */
function skew() {
  return Number(stagePage.dataset.skew ?? 0);
}

const left = () => (Date.parse(stagePage.dataset.deadline) - Date.now() - skew()) / 1000;

function inWords(seconds) {
  const minutes = seconds > SHORT;
  const format = new Intl.NumberFormat(document.documentElement.lang, {
    style: "unit",
    unit: minutes ? "minute" : "second",
    unitDisplay: "long",
  });
  return format.format(minutes ? Math.ceil(seconds / 60) : Math.max(0, Math.ceil(seconds / 10) * 10));
}

async function tick() {
  const seconds = left();
  const line = document.getElementById("time-left");
  const text = stagePage.dataset.left.replace("{time}", inWords(seconds));
  if (line.textContent !== text) line.textContent = text;
  line.hidden = false;
  line.classList.toggle("is-short", seconds <= SHORT);
  if (seconds <= SHORT && !warned) {
    warned = true;
    document.getElementById("time-short").textContent = stagePage.dataset.short;
  }
  if (seconds > 0 || over) return;
  over = true;
  await settle();
  location.reload();
}

function begin() {
  tick();
  if (!ticking) setInterval(tick, 1000);
  ticking = true;
}

/** The time ends then: more was given, or the step is over. "" where nothing runs. */
export function setDeadline(deadline) {
  if (!deadline || Date.parse(deadline) === Date.parse(stagePage.dataset.deadline)) return;
  stagePage.dataset.deadline = deadline;
  if (left() > SHORT) warned = false;
  begin();
}

export function start() {
  if (!stagePage) return;
  stagePage.dataset.skew = Date.parse(stagePage.dataset.now) - Date.now();
  if (stagePage.dataset.deadline) begin();
}
