// Someone whose turn it is may be looking elsewhere: the tab's title says so. Aloud it is said by
// what is awaited, once the line before has been read.

import { onFrame } from "./frames.js";

const usual = document.title;
const { yourTurn } = document.getElementById("table").dataset;

function look() {
  const mine = "mine" in document.getElementById("awaited").dataset;
  document.title = mine ? `● ${yourTurn} – Fabula` : usual;
}

export function start() {
  onFrame(look);
}
