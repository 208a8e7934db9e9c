// The next line at once: by the right arrow, or a tap on the story. Where it is not there yet, it is
// asked for a few times more. With Shift, or by its own button, line after line until the table waits
// for the person or the game is over: then the buttons are gone. Escape, or any act, stops that. Who is
// out has a pace instead, at which lines wait for nobody (`skip`).

const AGAIN = 300; // ms
const TRIES = 8;
const SKIPPED = 600; // presses at most: no game has so many lines
const OWN = "input, textarea, select, button, a, summary, details, [contenteditable]";

const FIELDS = "input, textarea, select, dialog";

let before = "";
let tries = 0;
let skips = 0; // presses left until the person's turn
let timer = 0;

const button = () => document.getElementById("next-line");
const idle = (field) => field.id === "composer" && !field.value; // an arrow has no other use in it
const last = () => document.getElementById("transcript").lastElementChild?.id ?? "";

function bring() {
  [before, tries] = [last(), TRIES];
  press();
}

/** On to the person's turn, line by line; who is out has the quickest pace instead. */
function skip() {
  const own = document.getElementById("skip");
  if (own?.value !== "next") return own?.click();
  skips = SKIPPED;
  press();
}

function press() {
  clearTimeout(timer);
  if (!button()) skips = 0;
  button()?.click();
}

function answered(event) {
  const { requestConfig, successful } = event.detail;
  if (requestConfig?.triggeringEvent?.submitter?.value !== "next" || !successful) return;
  if (skips > 0) {
    skips -= 1;
    timer = setTimeout(press, AGAIN);
    return;
  }
  tries -= 1;
  if (tries > 0 && last() === before) timer = setTimeout(press, AGAIN);
}

function onKey(event) {
  if (event.key === "Escape") skips = 0;
  if (event.key !== "ArrowRight" || event.repeat || event.defaultPrevented) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.isComposing || !button() || (event.target.closest(FIELDS) && !idle(event.target))) return;
  event.preventDefault();
  if (event.shiftKey) skip();
  else bring();
}

function onTap(event) {
  if (event.target.closest(OWN) || !getSelection().isCollapsed || !button()) return;
  bring();
}

export function start() {
  document.addEventListener("keydown", onKey);
  document.getElementById("scroll").addEventListener("click", onTap);
  document.addEventListener("click", (event) => {
    if (event.isTrusted) skips = event.target.closest("#skip")?.value === "next" ? SKIPPED : 0;
    if (event.isTrusted && event.target.closest("#next-line")) [before, tries] = [last(), TRIES];
  });
  document.addEventListener("htmx:afterRequest", answered);
}
