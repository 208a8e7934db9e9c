// A seat opens the card of the computer player who sits there; the face beside it pulses once when
// its favor has moved.

import { onFrame } from "./frames.js";
import { keep } from "./opened.js";
import { show } from "./sheets.js";

let from = ""; // the seat whose button has opened a card

const favors = new Map(); // seat -> as it was last seen

function look() {
  for (const badge of document.querySelectorAll("#seats .badge-face")) {
    const seat = badge.closest(".seat").id;
    const before = favors.get(seat);
    badge.classList.toggle("is-changed", before !== undefined && before !== badge.dataset.favor);
    favors.set(seat, badge.dataset.favor);
  }
}

function open(event) {
  const button = event.target.closest?.("#seats .seat-open");
  const card = button && document.getElementById(button.dataset.card);
  if (!card) return;
  show("table-sheet");
  for (const other of card.closest(".mates").querySelectorAll(".mate")) keep(other, other === card);
  from = button.closest(".seat").id;
  const summary = card.querySelector("summary");
  summary.focus({ preventScroll: true });
  summary.scrollIntoView({ block: "start" });
}

/** Escape leads from the card back to the seat; also where a push has drawn the card anew. */
function back(event) {
  const there = event.target === document.body || event.target.closest?.("#company");
  if (event.key !== "Escape" || !from || !there) return;
  document.querySelector(`#${from} .seat-open`)?.focus();
  from = "";
}

export function start() {
  document.addEventListener("keydown", back);
  document.addEventListener("click", open);
  onFrame(look);
}
