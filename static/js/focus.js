// Where the focus goes when what held it is gone: from the composer to the ballot that takes its
// place, from the ballot to what stands where it was, and back. Whoever uses the keyboard goes on from
// there; a finger is left alone where the composer would raise the phone's keyboard. When one's turn to
// speak comes, or the page is loaded again in it, whoever has the focus nowhere can write at once.

import { onFrame } from "./frames.js";

let within = ""; // the part of the dock that had the focus last: "say" | "choice" | "tempo" | "refused"
let pace = false; // whether it was a button of the pace
let keys = false; // whether a key was the last thing used
let finger = matchMedia("(hover: none)").matches; // whether a finger was, or will be
let open = !isReload(); // whether it was one's turn to speak at the last look

/** Whether the page was loaded again: its reader knows it, and goes on where one writes. */
function isReload() {
  return performance.getEntriesByType("navigation")[0]?.type === "reload";
}

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

/** One's turn to speak has come. */
function welcome() {
  const now = "open" in (document.getElementById("turn")?.dataset ?? {});
  const composer = document.getElementById("composer");
  const free = document.activeElement === document.body && !finger;
  if (now && !open && free && composer?.checkVisibility()) {
    composer.focus({ preventScroll: true });
    composer.setSelectionRange(composer.value.length, composer.value.length); // behind the draft
  }
  open = now;
}

function look() {
  welcome();
  if (!within || !lost()) return;
  // At the slowest and at the quickest one of the two goes out: the other is the way back.
  const other = pace && document.querySelector("#tempo :is(#slower, #faster):enabled");
  (other || heir())?.focus({ preventScroll: true });
}

/** "Skip to your part": to where one answers, else to the part as a whole. */
function skip(event) {
  if (!event.target.closest('a[href="#dock"]')) return;
  event.preventDefault();
  keys = true;
  (heir() ?? document.getElementById("dock")).focus();
}

export function start() {
  document.addEventListener("focusin", (event) => {
    within = event.target.closest("#say, #choice, #tempo, #refused")?.id ?? "";
    pace = event.target.matches("#slower, #faster");
  });
  document.addEventListener("click", skip);
  for (const [kind, value] of [["keydown", true], ["pointerdown", false]]) {
    document.addEventListener(kind, ({ pointerType }) => {
      keys = value;
      finger = pointerType === "touch";
    }, { capture: true, passive: true });
  }
  onFrame(look);
}
