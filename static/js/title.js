// Someone whose turn it is may be looking elsewhere: the tab's title says so, and a screen reader
// is told once, at once.

import { onFrame } from "./frames.js";

const usual = document.title;
const { yourTurn } = document.getElementById("table").dataset;
const announce = document.getElementById("announce");
let told = "";

function look() {
  const awaited = document.getElementById("awaited");
  const mine = "mine" in awaited.dataset;
  const text = mine ? awaited.querySelector(".awaited-text").textContent : "";
  document.title = mine ? `● ${yourTurn} – Fabula` : usual;
  if (text !== told) announce.textContent = text;
  told = text;
}

export function start() {
  onFrame(look);
}
