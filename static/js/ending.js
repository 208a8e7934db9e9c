// When the game is over the page becomes a document that scrolls, with the ending on top.

import { onFrame } from "./frames.js";

let over = null;

function look() {
  const now = !document.getElementById("end").hidden;
  if (over === false && now) scrollTo({ top: 0 });
  over = now;
}

export function start() {
  onFrame(look);
}
