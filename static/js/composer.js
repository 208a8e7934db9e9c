// Where one writes what one says. No push replaces the textarea; this keeps its words through
// reloads, broken lines and refusals, until the table has them.

import { onFrame } from "./frames.js";
import { send } from "./live.js";
import { CHARACTERS_PER_WORD, countCharacters, countWords } from "./words.js";

const TYPING_EVERY = 3_000;
const DRAFT_AFTER = 600;

const form = document.getElementById("say");
const field = document.getElementById("composer");
const count = document.getElementById("words");
const table = document.getElementById("table");
const key = `fabula:draft:${table.dataset.game}:${table.dataset.seat}`;

let typedAt = 0;
let draftTimer = 0;
let sent = null; // the text that is on its way
let own = false; // something was written in this very tab, and not sent
let said = ""; // my last statement as the transcript has it

/** A copy in this browser. `kept`: the server has it too. */
function remember(text, kept) {
  try {
    if (text) localStorage.setItem(key, JSON.stringify({ text, kept }));
    else localStorage.removeItem(key);
  } catch {
    // private windows may refuse storage; the server's copy is then the only one
  }
}

function recall() {
  try {
    const copy = JSON.parse(localStorage.getItem(key) ?? "null");
    // What the server has may be newer, from another device; what it never got is only here.
    if (copy && !copy.kept) field.value = copy.text;
  } catch {
    remember("", true);
  }
}

function keepDraft() {
  remember(field.value, send({ draft: field.value }));
}

/** How long the text is beside what may be said: in words, or in characters with a second limit
 *  behind the first `@Name` (a limit of -1 is none). */
function lengthOf(text, turn) {
  const inCharacters = turn?.dataset.base !== undefined;
  const limit = Number((inCharacters ? turn.dataset.base : turn?.dataset.maxWords) ?? 0);
  if (!inCharacters) {
    const words = countWords(text);
    const over = limit > 0 && (words > limit || [...text].length > limit * CHARACTERS_PER_WORD);
    return { counted: words, limit, over, label: count.dataset.count };
  }
  const most = Number(turn.dataset.after);
  const { before, behind } = countCharacters(text, JSON.parse(turn.dataset.names));
  const over = (limit >= 0 && before > limit) || (most >= 0 && behind > most);
  const second = behind && most >= 0;
  const [counted, shown] = second ? [behind, most] : [before, limit];
  const label = second ? count.dataset.behind : count.dataset.characters;
  return { counted, limit: Math.max(0, shown), over, label };
}

function measure() {
  const turn = document.getElementById("turn");
  const text = field.value.normalize("NFC").trim();
  const { counted, limit, over, label } = lengthOf(text, turn);
  const told = label.replace("{count}", counted).replace("{limit}", limit);
  count.textContent = limit ? `${told}${over ? ` · ${count.dataset.over}` : ""}` : "";
  count.classList.toggle("is-over", over);
  field.toggleAttribute("aria-invalid", over);
  const button = turn?.querySelector("[data-send]");
  if (button) button.disabled = over || !text;
  if (!CSS.supports("field-sizing", "content")) grow();
}

function grow() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function typed() {
  own = field.value !== "";
  measure();
  remember(field.value, false);
  clearTimeout(draftTimer);
  draftTimer = setTimeout(keepDraft, DRAFT_AFTER);
  if (Date.now() - typedAt > TYPING_EVERY) {
    typedAt = Date.now();
    send({ typing: true });
  }
}

/** Another tab of this browser has written the draft, or sent it: this one follows, unless it
 *  has words of its own. These are kept again where the other's going took the copy with it. */
function writtenElsewhere(event) {
  if (event.key !== key || sent !== null) return;
  if (own) {
    if (event.newValue === null) keepDraft();
    return;
  }
  field.value = event.newValue ? JSON.parse(event.newValue).text : "";
  measure();
}

/** The same person may have said this at another device: then it is said. */
function saidElsewhere() {
  const mine = document.querySelectorAll("#transcript > .entry-statement.is-mine .words");
  const last = mine[mine.length - 1]?.textContent.trim();
  if (sent !== null || !last || last === said) return;
  said = last;
  if (field.value.trim() === last) {
    field.value = "";
    own = false;
    remember("", true);
    measure();
  }
}

function accepted() {
  clearTimeout(draftTimer);
  if (field.value !== sent) return; // more was written meanwhile: that stays
  own = false;
  field.value = "";
  remember("", true);
  measure();
}

export function start() {
  if (!form) return;
  recall();
  onFrame(measure);
  onFrame(saidElsewhere);
  field.addEventListener("input", typed);
  addEventListener("storage", writtenElsewhere);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    const button = document.querySelector("#turn [data-send]");
    if (button && !button.disabled) form.requestSubmit(button);
  });
  form.addEventListener("htmx:beforeRequest", () => {
    sent = field.value;
  });
  form.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) accepted();
    sent = null;
  });
  document.addEventListener("fabula:sent", (event) => {
    if (event.detail.form !== form.id) return;
    sent = event.detail.text;
    accepted();
    sent = null;
  });
  document.addEventListener("fabula:online", () => {
    if (field.value) keepDraft();
  });
}
