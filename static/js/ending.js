// The end. The last vote is told step by step where it happens before one's eyes; then the page is a
// document that scrolls, with the ending on top, and the focus on its heading.

import * as dialogs from "./dialogs.js";
import { onFrame } from "./frames.js";
import * as title from "./title.js";

const VOTES = 1_600; // ms for all votes, one by one
const LONGEST_VOTE = 260;
const STEP = { open: 300, votes: 700, tie: 1_200, out: 900, was: 1_000, verdict: 1_400 };
const LONGEST = 6_000;
const still = matchMedia("(prefers-reduced-motion: reduce)");

const log = document.getElementById("scroll");

let over = null;
let telling = null; // the dialog while it is open
let timer = 0;
let quick = 1; // how much faster than STEP, so that all is told within LONGEST

const wait = (ms, then) => {
  timer = setTimeout(then, ms);
};

/** The telling says who voted and who is out: the same lines of the log come in silence. */
function hush(event) {
  const told = over === false && event.detail.includes('id="telling"');
  if (told && !still.matches && !document.hidden) log.setAttribute("aria-live", "off");
}

/** The end as it stays: told aloud once, and where the reader goes on. */
function settle() {
  log.setAttribute("aria-live", "polite");
  title.look();
  const end = document.getElementById("end");
  document.getElementById("verdict").textContent = end.dataset.said;
  scrollTo({ top: 0 });
  document.getElementById("end-title").focus({ preventScroll: true });
}

function finish() {
  clearTimeout(timer);
  if (!telling) return;
  const dialog = telling;
  telling = null;
  removeEventListener("keydown", onKey, true);
  dialog.close();
  dialog.remove();
  settle();
}

function step(names) {
  const [name, ...rest] = names;
  telling.dataset.now = name;
  const sentence = telling.querySelector(`p[data-step="${name}"]`);
  if (sentence) document.getElementById("telling-said").textContent = sentence.textContent;
  wait(STEP[name] * quick, () => (rest.length ? step(rest) : finish()));
}

function count(votes, each, then) {
  const [vote, ...rest] = votes;
  if (!vote) then();
  else {
    vote.classList.add("is-told");
    wait(each, () => count(rest, each, then));
  }
}

function onKey(event) {
  if (["Control", "Alt", "Shift", "Meta", "Tab"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  finish();
}

function tell(dialog) {
  telling = dialog;
  document.body.append(dialog);
  const votes = [...dialog.querySelectorAll("[data-vote]")];
  votes.sort((one, other) => Number(one.dataset.vote) - Number(other.dataset.vote));
  const told = [...dialog.querySelectorAll("p[data-step]")].map((p) => p.dataset.step);
  const steps = [...told, "verdict"];
  const all = steps.reduce((sum, name) => sum + STEP[name], STEP.open);
  quick = Math.min(1, (LONGEST - VOTES) / all);
  dialog.addEventListener("click", finish);
  dialog.addEventListener("close", finish);
  addEventListener("keydown", onKey, true);
  dialogs.open(dialog);
  const each = Math.min(LONGEST_VOTE, VOTES / Math.max(1, votes.length));
  wait(STEP.open * quick, () => count(votes, each, () => step(steps)));
}

function look() {
  const end = document.getElementById("end");
  const now = !end.hidden;
  const ended = over === false && now;
  over = now;
  const dialog = end.querySelector(".telling");
  if (ended) for (const open of document.querySelectorAll("dialog[open]")) open.close();
  dialog?.remove(); // it is told once, whatever is pushed later
  if (ended && dialog && !still.matches && !document.hidden) tell(dialog);
  else if (ended) settle();
}

export function start() {
  document.addEventListener("fabula:coming", hush);
  onFrame(look);
}
