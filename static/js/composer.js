// Where one writes what one says. No push replaces the textarea; this keeps its words through
// reloads, broken lines and refusals, until the table has them. What is written for a secret talk
// has a draft of its own: it is never offered where everybody would hear it.

import { onFrame } from "./frames.js";
import { send } from "./live.js";
import { CHARACTERS_PER_WORD, countCharacters, countWords } from "./words.js";

const TYPING_EVERY = 3_000;
const DRAFT_AFTER = 600;

const phone = matchMedia("(hover: none) and (pointer: coarse)");

const form = document.getElementById("say");
const field = document.getElementById("composer");
const count = document.getElementById("words");
const elsewhere = document.getElementById("draft-elsewhere");
const table = document.getElementById("table");
const keys = ["", ":secret"].map(
  (end) => `fabula:draft:${table.dataset.game}:${table.dataset.seat}${end}`,
);

let typedAt = 0;
let draftTimer = 0;
let sent = null; // the text that is on its way
let own = false; // something was written in this very tab, and not sent
let writtenAt = 0; // when the draft was written, in whichever tab
let aside = ""; // words of this tab that a newer draft of another tab replaced
let said = ""; // my last statement as the transcript has it
let secret = 0; // 1 while the talk is one that not everybody hears
const drafts = ["", ""]; // what is written for the talk that is not open, by `secret`

const turn = () => document.getElementById("turn");

/** A copy in this browser. `kept`: the server has it too. */
function remember(text, kept) {
  try {
    if (text) localStorage.setItem(keys[secret], JSON.stringify({ text, kept, at: writtenAt }));
    else localStorage.removeItem(keys[secret]);
  } catch {
    // private windows may refuse storage; the server's copy is then the only one
  }
}

function recall() {
  secret = Number("secret" in turn().dataset);
  try {
    const copies = keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null"));
    // What the server has may be newer, from another device; what it has not got is only here.
    const copy = copies[secret];
    writtenAt = copy?.at ?? 0;
    if (copy && (!copy.kept || !field.value)) field.value = copy.text;
    drafts[1 - secret] = copies[1 - secret]?.text ?? "";
  } catch {
    remember("", true);
  }
}

function keepDraft() {
  remember(field.value, send({ draft: field.value, secret: secret === 1 }));
}

/** Another talk has begun: its draft takes the place of that of the talk before. */
function changeTalk() {
  const now = Number("secret" in turn().dataset);
  if (turn().hidden || now === secret || sent !== null) return;
  clearTimeout(draftTimer);
  if (own) keepDraft();
  [drafts[secret], secret] = [field.value, now];
  putAside("");
  field.value = drafts[now];
  own = field.value !== "";
}

/** How long the text is beside what may be said: in words, or in characters with a second limit
 *  behind the first `@Name` (a limit of -1 is none). */
function lengthOf(text, { dataset }) {
  const inCharacters = dataset.base !== undefined;
  const limit = Number((inCharacters ? dataset.base : dataset.maxWords) ?? 0);
  if (!inCharacters) {
    const words = countWords(text);
    const over = limit > 0 && (words > limit || [...text].length > limit * CHARACTERS_PER_WORD);
    return { counted: words, limit, over, label: count.dataset.count };
  }
  const most = Number(dataset.after);
  const { before, behind } = countCharacters(text, JSON.parse(dataset.names || "[]"));
  const over = (limit >= 0 && before > limit) || (most >= 0 && behind > most);
  const second = behind && most >= 0;
  const [counted, shown] = second ? [behind, most] : [before, limit];
  const label = second ? count.dataset.behind : count.dataset.characters;
  return { counted, limit: Math.max(0, shown), over, label };
}

/** Says to whom an `@` does not speak: a player who is out of the game. */
function warn(text) {
  const { names, living } = secret ? {} : turn().dataset;
  const hint = document.getElementById("addressee");
  const { name } = names ? countCharacters(text, JSON.parse(names)) : {};
  const unheard = name && !JSON.parse(living || "[]").includes(name);
  const words = unheard ? hint.dataset.out.replace("{name}", name) : "";
  if (hint.textContent !== words) hint.textContent = words;
}

function measure() {
  changeTalk();
  const text = field.value.normalize("NFC").trim();
  const { counted, limit, over, label } = lengthOf(text, turn());
  warn(text);
  const told = label.replace("{count}", counted).replace("{limit}", limit);
  count.textContent = limit ? `${told}${over ? ` · ${count.dataset.over}` : ""}` : "";
  count.classList.toggle("is-over", over);
  field.toggleAttribute("aria-invalid", over);
  const button = turn().querySelector("[data-send]");
  if (button) button.disabled = over || !text;
  if (!CSS.supports("field-sizing", "content")) grow();
}

function grow() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

function typed() {
  own = field.value !== "";
  writtenAt = Date.now();
  putAside(""); // one writes here again
  measure();
  remember(field.value, false);
  clearTimeout(draftTimer);
  draftTimer = setTimeout(keepDraft, DRAFT_AFTER);
  if (Date.now() - typedAt > TYPING_EVERY) {
    typedAt = Date.now();
    send({ typing: true });
  }
}

/** Keeps words that another tab's draft replaced, and says so; "" for none. */
function putAside(text) {
  aside = text;
  elsewhere.hidden = !text;
}

/** What was shown is said: words that were put aside for it are there again. */
function clear() {
  field.value = aside;
  own = aside !== "";
  putAside("");
  if (own) keepDraft();
  else remember("", true);
}

/** Shows the words of this tab again, as the newest draft. */
function takeBack() {
  field.value = aside;
  typed();
  field.focus();
}

/** Another tab of this browser has written the draft, or sent it: this one follows. Words of its
 *  own are put aside for a newer draft, and are there again once that was sent. */
function writtenElsewhere(event) {
  if (event.key !== keys[secret] || sent !== null) return;
  const copy = JSON.parse(event.newValue ?? "null");
  if (copy === null) {
    if (aside || !own) clear();
    else keepDraft(); // the other's going took the copy with it
  } else if ((copy.at ?? 0) >= writtenAt && copy.text !== field.value) {
    clearTimeout(draftTimer);
    if (own) putAside(field.value);
    [field.value, own, writtenAt] = [copy.text, false, copy.at ?? 0];
  }
  measure();
}

/** The same person may have said this at another device: then it is said. */
function saidElsewhere() {
  const mine = document.querySelectorAll("#transcript > .entry-statement.is-mine .words");
  const last = mine[mine.length - 1]?.textContent.trim();
  if (sent !== null || !last || last === said) return;
  said = last;
  if (field.value.trim() === last) {
    clear();
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

/** Enter says it, with Shift it begins a new line; on a phone's keyboard it does this always. */
function say(event) {
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return;
  const asked = event.ctrlKey || event.metaKey;
  if (!asked && (event.shiftKey || event.altKey || phone.matches)) return;
  event.preventDefault();
  const button = document.querySelector("#turn [data-send]");
  if (button && !button.disabled) form.requestSubmit(button);
}

export function start() {
  if (!form) return;
  recall();
  onFrame(measure);
  onFrame(saidElsewhere);
  field.addEventListener("input", typed);
  addEventListener("storage", writtenElsewhere);
  elsewhere.querySelector("button").addEventListener("click", takeBack);
  field.addEventListener("keydown", say);
  form.addEventListener("htmx:beforeRequest", ({ detail }) => {
    // Who passes keeps what is written for the next time.
    sent = detail.requestConfig.formData.has("manner") ? null : field.value;
  });
  form.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) accepted();
    sent = null;
    measure();
  });
  document.addEventListener("fabula:sent", (event) => {
    if (event.detail.form !== form.id) return;
    sent = event.detail.text;
    accepted();
    sent = null;
    measure();
  });
  document.addEventListener("fabula:online", () => {
    if (field.value) keepDraft();
  });
}
