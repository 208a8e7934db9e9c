// The next line at once: by the right arrow, or a tap on the story. Where it is not there yet, it is
// asked for a few times more.

const AGAIN = 300; // ms
const TRIES = 8;
const OWN = "input, textarea, select, button, a, summary, details, [contenteditable]";

const FIELDS = "input, textarea, select, dialog";

let before = "";
let tries = 0;
let timer = 0;

const button = () => document.getElementById("next-line");
const idle = (field) => field.id === "composer" && !field.value; // an arrow has no other use in it
const last = () => document.getElementById("transcript").lastElementChild?.id ?? "";

function bring() {
  [before, tries] = [last(), TRIES];
  press();
}

function press() {
  clearTimeout(timer);
  button()?.click();
}

function answered(event) {
  const { requestConfig, successful } = event.detail;
  if (requestConfig?.triggeringEvent?.submitter?.value !== "next" || !successful) return;
  tries -= 1;
  if (tries > 0 && last() === before) timer = setTimeout(press, AGAIN);
}

function onKey(event) {
  if (event.key !== "ArrowRight" || event.repeat || event.defaultPrevented) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.isComposing || !button() || (event.target.closest(FIELDS) && !idle(event.target))) return;
  event.preventDefault();
  bring();
}

function onTap(event) {
  if (event.target.closest(OWN) || !getSelection().isCollapsed || !button()) return;
  bring();
}

export function start() {
  document.addEventListener("keydown", onKey);
  document.getElementById("scroll").addEventListener("click", onTap);
  document.addEventListener("click", (event) => {
    if (event.isTrusted && event.target.closest("#next-line")) [before, tries] = [last(), TRIES];
  });
  document.addEventListener("htmx:afterRequest", answered);
}
