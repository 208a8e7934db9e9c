// Whom one speaks to: an `@` offers the players who can be named, in a list that arrows, Enter, Tab
// and fingers choose from. The focus stays where one writes.

import { say } from "./aloud.js";
import { onFrame } from "./frames.js";

const field = document.getElementById("composer");
const list = document.getElementById("mentions");

let begin = -1; // of the `@` that is being completed, -1 for none
let dismissed = -1; // of the one whose list was closed
let at = 0; // the option that Enter takes

const names = () => JSON.parse(document.getElementById("turn").dataset.living || "[]");

/** Where the `@` before the caret stands, and what of a name follows it. */
function begun() {
  const before = field.value.slice(0, field.selectionStart);
  const from = before.lastIndexOf("@");
  const typed = before.slice(from + 1);
  return from < 0 || typed.includes("\n") ? [-1, ""] : [from, typed.toLowerCase()];
}

function close() {
  begin = -1;
  list.hidden = true;
  list.replaceChildren();
  field.removeAttribute("aria-activedescendant");
}

function mark(number) {
  at = number;
  [...list.children].forEach((option, index) => {
    option.setAttribute("aria-selected", String(index === at));
  });
  field.setAttribute("aria-activedescendant", list.children[at].id);
  list.children[at].scrollIntoView({ block: "nearest" });
}

function option(name, index) {
  const item = document.createElement("li");
  item.id = `mention-${index}`;
  item.role = "option";
  item.textContent = name;
  return item;
}

function look() {
  const [from, typed] = begun();
  const matches = names().filter((name) => name.toLowerCase().startsWith(typed) && name.length > typed.length);
  if (from < 0 || from === dismissed || !matches.length || document.activeElement !== field) {
    close();
    return;
  }
  const shown = [...list.children].map((item) => item.textContent);
  if (from === begin && shown.join() === matches.join()) return;
  begin = from;
  list.replaceChildren(...matches.map(option));
  list.hidden = false;
  mark(0);
  say(list.dataset.offer.replace("{count}", matches.length));
}

function take(item) {
  const rest = field.value.slice(field.selectionStart);
  const head = `${field.value.slice(0, begin)}@${item.textContent} `;
  field.value = head + rest.replace(/^ /, "");
  field.setSelectionRange(head.length, head.length);
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function onKey(event) {
  if (list.hidden || event.isComposing) return;
  const count = list.children.length;
  const moves = { ArrowDown: 1, ArrowUp: count - 1 };
  if (event.key in moves) mark((at + moves[event.key]) % count);
  else if (event.key === "Escape") {
    dismissed = begin;
    close();
  } else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) {
    take(list.children[at]);
  } else return;
  event.preventDefault();
}

/** Before composer.js, which sends on Enter. */
export function start() {
  if (!field) return;
  field.addEventListener("input", () => {
    if (begun()[0] !== dismissed) dismissed = -1;
    look();
  });
  field.addEventListener("keydown", onKey);
  field.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]");
    if (item) take(item);
  });
  onFrame(() => !list.hidden && look());
}
