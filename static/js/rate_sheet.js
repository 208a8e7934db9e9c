// The page that is before the rater: its buttons, its keys, what is chosen on it.

import * as order from "./order.js";
import { Statement, all } from "./statements.js";

const IDLE = 30_000; // ms without a sign of life that still count as being at it

let statement = null;
let activeAt = 0; // since when the rater has been at it; 0 while away
let lifeAt = 0; // the last sign of life

const asks = () => [...document.querySelectorAll("fieldset.ask")];

function show() {
  const { values, skip } = statement.state();
  for (const ask of asks()) {
    for (const radio of ask.querySelectorAll("input")) {
      radio.checked = values[ask.dataset.field] === Number(radio.value);
    }
  }
  order.show(values);
  document.getElementById("skipped").hidden = skip === null;
}

/** The question that keys answer: none unless the focus is in one. */
function current() {
  return document.activeElement?.closest?.("fieldset.ask");
}

/** The focus into the first question without an answer, where that is before the rater's eyes. */
function focusFirst() {
  const { values } = statement.state();
  const open = asks().find((ask) => !(ask.dataset.field in values));
  const foot = document.querySelector(".rate-foot").getBoundingClientRect();
  if (!open || open.getBoundingClientRect().bottom > foot.top) return false;
  if (document.querySelector("main.is-whole")) return false; // there is much to read first
  open.focus({ preventScroll: true });
  return true;
}

/** On to the next question; after the last one to the button that turns the page. */
function moveOn(from) {
  const next = asks()[asks().indexOf(from) + 1];
  (next ?? document.getElementById("next")).focus({ preventScroll: !next });
  next?.scrollIntoView({ block: "nearest" });
}

/** The radio of a value: on a scale without a 0 that key stands for 10. */
function radioFor(ask, key) {
  const radios = [...ask.querySelectorAll("input[type=radio]")];
  if (key === "Home") return radios[0];
  if (key === "End") return radios.at(-1);
  const of = (value) => radios.find((radio) => Number(radio.value) === value);
  return of(Number(key)) ?? (key === "0" ? of(10) : undefined);
}

function spent() {
  const now = Date.now();
  if (activeAt) statement.ms += Math.min(now, lifeAt + IDLE) - activeAt;
  activeAt = document.hidden ? 0 : now;
}

function alive() {
  const now = Date.now();
  if (statement && (!activeAt || now - lifeAt > IDLE)) {
    if (activeAt) spent();
    activeAt = now;
  }
  lifeAt = now;
}

function choose(ask, value) {
  spent();
  statement.set(ask.dataset.field, value);
  show();
}

/** What was chosen before the scripts ran, each as a function that chooses it again. */
function chosenEarly() {
  const radios = [...document.querySelectorAll("fieldset.ask input:checked")];
  const early = radios.filter((radio) => !radio.defaultChecked);
  return [...early.map((radio) => () => radio.click()), ...order.usedEarly()];
}

/** Read the page that has just been put in place; true where the focus is in a question. */
export function mount() {
  if (statement) spent();
  const sheet = document.getElementById("main");
  const values = order.stated();
  for (const radio of sheet.querySelectorAll("fieldset.ask input[type=radio]")) {
    if (radio.defaultChecked) values[radio.name] = Number(radio.value);
  }
  const { key, revision, skip, ms } = sheet.dataset;
  statement = Statement.of(key, { revision: Number(revision), values, skip: skip || null });
  statement.ms = Math.max(statement.ms, Number(ms));
  activeAt = document.hidden ? 0 : Date.now();
  lifeAt = Date.now();
  order.mount(statement.state().values);
  show();
  const talk = document.querySelector(".rate-scroll");
  if (talk && !sheet.classList.contains("is-whole")) talk.scrollTop = talk.scrollHeight;
  return focusFirst();
}

/** Close what is unfolded at the foot, but for `except`; the focus goes back to its handle. */
function shut(except) {
  for (const fold of document.querySelectorAll("details.leave-out[open]")) {
    if (fold === except) continue;
    if (fold.contains(document.activeElement)) fold.querySelector("summary").focus();
    fold.open = false;
  }
}

function pressed(event, turn) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const field = event.target;
  if (field.matches?.("input[type=text], textarea, select") || field.closest?.(".leave-out")) {
    if (event.key === "Escape") shut();
    return;
  }
  if (event.repeat && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault(); // held on a button it would press it again and again
    return;
  }
  if (order.pressed(event, statement.state().values, rank)) return;
  const radio = field.matches?.("input[type=radio]");
  const ask = current();
  if (ask && /^([0-9]|Home|End)$/.test(event.key)) {
    event.preventDefault();
    const chosen = radioFor(ask, event.key);
    if (!event.repeat && chosen) answer(ask, chosen, event.key);
  } else if (radio && event.repeat && event.key.startsWith("Arrow")) {
    event.preventDefault(); // a key that is held down does nothing
  } else if (/^Arrow(Left|Right)$/.test(event.key) && !radio) {
    event.preventDefault();
    const way = event.key === "ArrowRight" ? "next" : "back";
    if (!event.repeat) turn(document.getElementById(way));
  }
}

/** A digit answers and goes on to the next question; from an end one may still step. */
function answer(ask, radio, key) {
  choose(ask, Number(radio.value));
  if (key === "Home" || key === "End") radio.focus();
  else moveOn(ask);
}

function rank(dimension, values) {
  spent();
  statement.rank(dimension, values);
  show();
}

function leaveOut(form, turn) {
  const data = new FormData(form);
  const reason = data.get("reason_text").trim() || data.get("reason");
  spent();
  statement.leaveOut(reason);
  show();
  shut();
  turn(document.getElementById("next"), { whole: true });
}

/** `turn(button, { whole })`: to another page; `whole`: past the questions of this one. */
export function start(turn) {
  const early = chosenEarly(); // mounting shows what is stored
  mount();
  document.addEventListener("change", (event) => {
    const ask = event.target.closest?.("fieldset.ask");
    if (ask && event.target.matches("input[type=radio]")) choose(ask, Number(event.target.value));
  });
  order.start(() => statement.state().values, rank);
  document.addEventListener("click", (event) => {
    shut(event.target.closest?.("details.leave-out"));
  });
  document.addEventListener("keydown", (event) => {
    alive();
    pressed(event, turn);
  });
  for (const sign of ["pointermove", "pointerdown", "wheel", "touchmove"]) {
    document.addEventListener(sign, alive, { passive: true });
  }
  document.addEventListener("visibilitychange", spent);
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "skip") return;
    event.preventDefault();
    leaveOut(event.target, turn);
  });
  document.addEventListener("fabula:stated", (event) => {
    if (all.get(event.detail) === statement) show();
  });
  early.forEach((again) => again());
}
