// A choice of exactly so many. Picks that are not sent yet belong to the reader: they outlive a
// push that draws the same window anew.

import { say } from "./aloud.js";
import { onFrame } from "./frames.js";

let unsent = null; // { window, values, open }

const choice = () => document.getElementById("choice");
const boxes = () => [...choice().querySelectorAll("input[name=target]")];

function restore() {
  if (!unsent) return;
  if (choice().dataset.window !== unsent.window) {
    unsent = null;
    return;
  }
  for (const box of boxes()) box.checked = unsent.values.has(box.value);
  const folded = choice().querySelector("details[data-keep]");
  if (folded) folded.open = true;
}

function check() {
  const hint = choice().querySelector("[data-hint]");
  if (!hint) return;
  const wanted = Number(choice().dataset.count);
  const picked = boxes().filter((box) => box.checked).length;
  choice().querySelector("[data-send]").disabled = picked !== wanted;
  let text = hint.dataset.none;
  if (picked === wanted) text = hint.dataset.ready;
  else if (picked > wanted) text = hint.dataset.many;
  else if (picked === wanted - 1 && picked > 0) text = hint.dataset.more;
  if (hint.textContent !== text) hint.textContent = text;
}

function remember() {
  const values = new Set(boxes().filter((box) => box.checked).map((box) => box.value));
  unsent = { window: choice().dataset.window, values };
}

export function start() {
  // Somebody may have picked before this script was there to see it.
  if (boxes().some((box) => box.checked !== box.defaultChecked)) remember();
  onFrame(() => {
    restore();
    check();
  });
  document.addEventListener("change", (event) => {
    if (event.target.name !== "target" || !choice().contains(event.target)) return;
    remember();
    check();
    say(choice().querySelector("[data-hint]").textContent);
  });
  // Forgotten before the reply is drawn: what it shows then is what the server has.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt } = event.detail.requestConfig;
    if (elt.id === "choose" && event.detail.xhr.status < 300) unsent = null;
  }, { capture: true });
  document.addEventListener("fabula:sent", (event) => {
    if (event.detail.form === "choose") unsent = null;
  });
}
