// The page that is before the rater: its buttons, its keys, what is chosen on it.

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
  document.getElementById("skipped").hidden = skip === null;
}

function current() {
  const held = document.activeElement?.closest?.("fieldset.ask");
  return held ?? document.querySelector("fieldset.ask.is-current") ?? asks()[0];
}

function mark(ask) {
  for (const other of asks()) other.classList.toggle("is-current", other === ask);
}

function firstOpen() {
  const { values } = statement.state();
  return asks().find((ask) => !(ask.dataset.field in values));
}

/** On to the next question; after the last one to the button that turns the page. */
function moveOn(from) {
  const next = asks()[asks().indexOf(from) + 1];
  mark(next);
  (next ?? document.getElementById("next")).focus({ preventScroll: !next });
  next?.scrollIntoView({ block: "nearest" });
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

/** Read the page that has just been put in place. */
export function mount() {
  if (statement) spent();
  const sheet = document.getElementById("main");
  const values = {};
  for (const radio of sheet.querySelectorAll("fieldset.ask input:checked")) {
    values[radio.name] = Number(radio.value);
  }
  const { key, revision, skip, ms } = sheet.dataset;
  statement = Statement.of(key, { revision: Number(revision), values, skip: skip || null });
  statement.ms = Math.max(statement.ms, Number(ms));
  activeAt = document.hidden ? 0 : Date.now();
  lifeAt = Date.now();
  show();
  mark(firstOpen());
  const talk = document.querySelector(".rate-scroll");
  if (talk && !sheet.classList.contains("is-whole")) talk.scrollTop = talk.scrollHeight;
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
  const radio = field.matches?.("input[type=radio]");
  if (/^[0-9]$/.test(event.key)) {
    const ask = current();
    const value = Number(event.key);
    if (!ask?.querySelector(`input[value="${value}"]`)) return;
    event.preventDefault();
    choose(ask, value);
    moveOn(ask);
  } else if (event.key === "ArrowRight" && !radio) {
    event.preventDefault();
    turn(document.getElementById("next"));
  } else if (event.key === "ArrowLeft" && !radio) {
    event.preventDefault();
    turn(document.getElementById("back"));
  }
}

function leaveOut(form, turn) {
  const data = new FormData(form);
  const reason = data.get("reason_text").trim() || data.get("reason");
  spent();
  statement.leaveOut(reason);
  show();
  shut();
  turn(document.getElementById("next"));
}

export function start(turn) {
  mount();
  document.addEventListener("change", (event) => {
    const ask = event.target.closest?.("fieldset.ask");
    if (ask && event.target.matches("input[type=radio]")) choose(ask, Number(event.target.value));
  });
  // A press of finger or mouse moves on; the arrows of a radio group must stay in it.
  document.addEventListener("click", (event) => {
    shut(event.target.closest?.("details.leave-out"));
    const ask = event.target.closest?.("fieldset.ask");
    if (ask && event.detail > 0 && event.target.matches("input[type=radio]")) moveOn(ask);
  });
  document.addEventListener("focusin", (event) => {
    const ask = event.target.closest?.("fieldset.ask");
    if (ask) mark(ask);
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
}
