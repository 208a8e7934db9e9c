// What the reader unfolded stays so from line to line, and the focus does not get lost.

import { onFrame } from "./frames.js";

const open = new Set();
let focused = ""; // data-keep of the fold whose summary has the focus
let inside = false; // whether the focus is anywhere on the page

const folds = () => document.querySelectorAll("details[data-keep]");

function restore() {
  for (const fold of folds()) fold.open = open.has(fold.dataset.keep);
  if (!inside || document.activeElement !== document.body) return;
  const fold = [...folds()].find((one) => one.dataset.keep === focused);
  const next = fold?.querySelector("summary") ?? document.getElementById("main");
  next.focus({ preventScroll: true });
}

export function start() {
  onFrame(restore);
  document.addEventListener("click", (event) => {
    const summary = event.target.closest("details[data-keep] > summary");
    if (!summary) return;
    const fold = summary.parentElement;
    if (fold.open) open.delete(fold.dataset.keep);
    else open.add(fold.dataset.keep);
  });
  document.addEventListener("focusin", (event) => {
    inside = true;
    focused = event.target.matches("summary") ? (event.target.parentElement.dataset.keep ?? "") : "";
  });
}
