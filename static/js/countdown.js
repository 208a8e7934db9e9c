// Where there is a deadline: how long is left. The digits are not read aloud (they would never
// stop); half a minute before the end one sentence is.

import { onFrame } from "./frames.js";

const WARN_AT = 30; // seconds
let warned = "";

function tick() {
  const awaited = document.getElementById("awaited");
  const face = awaited.querySelector("[data-countdown]");
  if (!face) return;
  const deadline = awaited.dataset.deadline;
  const left = Math.max(0, Math.ceil((Date.parse(deadline) - Date.now()) / 1000));
  const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  if (face.textContent !== text) face.textContent = text;
  const short = left <= WARN_AT;
  awaited.classList.toggle("is-short", short);
  if (short && left > 0 && "mine" in awaited.dataset && warned !== deadline) {
    warned = deadline;
    const { secondsLeft } = document.getElementById("table").dataset;
    document.getElementById("announce").textContent = secondsLeft;
  }
}

export function start() {
  onFrame(tick);
  setInterval(tick, 1000);
}
