// Someone whose turn it is may be looking elsewhere: the tab's title says so. Aloud it is said by
// what is awaited, once the line before has been read.

import { onFrame } from "./frames.js";

const usual = document.title;
const { yourTurn } = document.getElementById("table").dataset;

/** The end as the tab tells it: whether one has won, to a watcher who has. */
function ended() {
  const end = document.getElementById("end");
  if (end.hidden || document.getElementById("vote-reveal")) return ""; // votes are still shown
  return end.dataset.said || document.getElementById("end-title").textContent.trim();
}

export function look() {
  const end = ended().replace(/\.$/, "");
  const mine = "mine" in document.getElementById("awaited").dataset;
  if (end) document.title = `${end} – Fabula`;
  else document.title = mine ? `● ${yourTurn} – Fabula` : usual;
}

export function start() {
  onFrame(look);
}
