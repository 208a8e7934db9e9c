// A soft chime when it becomes my turn, for those who want it.

import { SOUND, chime } from "./chime.js";
import { onFrame } from "./frames.js";
import { isWanted, want } from "./wishes.js";

const button = document.getElementById("sound");

let on = false;
let mine = null; // whose turn it was at the last look: none before the first

function look() {
  const now = "mine" in document.getElementById("awaited").dataset;
  if (on && now && mine === false) chime();
  mine = now;
}

function set(value, heard) {
  on = value;
  button.setAttribute("aria-pressed", String(on));
  want(SOUND, on);
  if (on && heard) chime();
}

export function start() {
  button.hidden = false;
  set(isWanted(SOUND), false);
  button.addEventListener("click", () => set(!on, true));
  onFrame(look);
}
