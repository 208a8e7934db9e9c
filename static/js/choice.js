// A choice of exactly so many, or what one takes the others for. What is not sent yet belongs to the
// reader: it outlives a push that draws the same window anew, a refusal, and a reload.

import { say } from "./aloud.js";
import { onFrame } from "./frames.js";

const { game, seat } = document.getElementById("table").dataset;
const key = `fabula:choice:${game}:${seat}`;

let unsent = null; // { window, values: { a field's id: its value } }

const choice = () => document.getElementById("choice");
let drawn = choice().outerHTML; // as the server drew it last
const boxes = () => [...choice().querySelectorAll("input[name=target]")];
const fields = () => [...choice().querySelectorAll("input[name=target], [name=why], .rating select")];
const isBox = (field) => field.name === "target";
const valueOf = (field) => (isBox(field) ? field.checked : field.value);

function drawnValue(field) {
  if (isBox(field)) return field.defaultChecked;
  if (field.name === "why") return field.defaultValue;
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value;
}

const isChanged = (field) => valueOf(field) !== drawnValue(field);

/** A push with the same question changes nothing. A new card would lose a press that has begun. */
function skipSame({ detail }) {
  if (detail.target.id !== "choice") return;
  const html = detail.fragment.firstElementChild.outerHTML;
  if (html === drawn) detail.shouldSwap = false;
  drawn = html;
}

/** A copy for a reload of this tab. */
function keep() {
  try {
    if (unsent) sessionStorage.setItem(key, JSON.stringify(unsent));
    else sessionStorage.removeItem(key);
  } catch {
    // private windows may refuse storage: then a reload asks anew
  }
}

function recall() {
  try {
    unsent = JSON.parse(sessionStorage.getItem(key) ?? "null");
  } catch {
    unsent = null;
  }
}

function forget() {
  unsent = null;
  keep();
}

/** The server has it: what it draws next is drawn, even if it is the same as before. */
function arrived() {
  forget();
  drawn = "";
}

function restore() {
  if (!unsent) return;
  if (choice().dataset.window !== unsent.window) {
    forget();
    return;
  }
  for (const field of fields()) {
    if (!(field.id in unsent.values)) continue;
    if (isBox(field)) field.checked = unsent.values[field.id];
    else field.value = unsent.values[field.id];
  }
  const folded = choice().querySelector("details[data-keep]");
  if (folded) folded.open = true;
}

function check() {
  const unchanged = document.getElementById("choose-unchanged");
  if (unchanged) unchanged.disabled = fields().some(isChanged);
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
  const values = Object.fromEntries(fields().map((field) => [field.id, valueOf(field)]));
  unsent = { window: choice().dataset.window, values };
  keep();
}

export function start() {
  // Somebody may have picked before this script was there to see it.
  if (fields().some(isChanged)) remember();
  else recall();
  onFrame(() => {
    restore();
    check();
  });
  document.addEventListener("input", (event) => {
    if (!fields().includes(event.target)) return;
    remember();
    check();
    const hint = choice().querySelector("[data-hint]");
    if (isBox(event.target) && hint) say(hint.textContent);
  });
  document.addEventListener("htmx:oobBeforeSwap", skipSame);
  // Forgotten before the reply is drawn: what it shows then is what the server has.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt } = event.detail.requestConfig;
    if (elt.id === "choose" && event.detail.xhr.status < 300) arrived();
  }, { capture: true });
  document.addEventListener("fabula:sent", (event) => {
    if (event.detail.form === "choose") arrived();
  });
}
