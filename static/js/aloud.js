// What is awaited is read aloud when it changes, and only then: a push that says the same again is
// left out, and how many answers are in is counted in silence.

import { onFrame } from "./frames.js";

const COUNT = ".awaited-count";
let said = "";

/** What of `awaited` is worth saying: without the digits that run, and the count. */
function gist(awaited) {
  const copy = awaited.cloneNode(true);
  copy.classList.remove("is-short");
  for (const part of copy.querySelectorAll(`[data-countdown], ${COUNT}`)) part.textContent = "";
  return `${copy.className}|${copy.hidden}|${copy.dataset.deadline ?? ""}|${copy.innerHTML}`;
}

function keep(event) {
  const now = event.target;
  if (now.id !== "awaited") return;
  const next = event.detail.fragment.firstElementChild;
  if (gist(next) !== said) return;
  event.detail.shouldSwap = false;
  const [count, counted] = [now, next].map((one) => one.querySelector(COUNT));
  if (count && count.textContent !== counted.textContent) count.textContent = counted.textContent;
}

export function start() {
  document.addEventListener("htmx:oobBeforeSwap", keep);
  onFrame(() => {
    said = gist(document.getElementById("awaited"));
  });
}
