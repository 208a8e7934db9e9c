// Where the focus goes when what held it is gone: from the composer to the ballot that takes its
// place, from the ballot to what stands where it was, and back. Whoever uses the keyboard goes on from
// there; a finger is left alone where the composer would raise the phone's keyboard.

import { onFrame } from "./frames.js";

let within = ""; // the part of the dock that had the focus last: "say" | "choice" | "tempo"
let keys = false; // whether a key was the last thing used

const lost = () => {
  const active = document.activeElement;
  return active === document.body || !active.checkVisibility({ visibilityProperty: true });
};

/** What takes over, none where nothing does. */
function heir() {
  const choice = document.getElementById("choice");
  if (!choice.hidden) return choice.querySelector(".choice-in > summary") ?? choice;
  const composer = document.getElementById("composer");
  return keys && composer?.checkVisibility() ? composer : null;
}

function look() {
  if (within && lost()) heir()?.focus({ preventScroll: true });
}

export function start() {
  document.addEventListener("focusin", (event) => {
    within = event.target.closest("#say, #choice, #tempo")?.id ?? "";
  });
  for (const [kind, value] of [["keydown", true], ["pointerdown", false]]) {
    document.addEventListener(kind, () => {
      keys = value;
    }, { capture: true, passive: true });
  }
  onFrame(look);
}
