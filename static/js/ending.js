// The end of a game. If the game ends while the page is visible, a dialog reveals the last vote
// step by step. Then the page scrolls as a document: the ending is on top, its heading has the
// focus.

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
let voteReveal = null; // the dialog while it is open
let timer = 0;
let quick = 1; // how much faster than STEP, so that all steps end within LONGEST

const wait = (ms, then) => {
  timer = setTimeout(then, ms);
};

/** Mutes the log if the dialog will show the votes, because the log gets the same lines. */
function muteLog(event) {
  const hasReveal = over === false && event.detail.includes('id="vote-reveal"');
  if (hasReveal && !still.matches && !document.hidden) log.setAttribute("aria-live", "off");
}

/** Announces the result once, and moves the focus to the heading of the ending. */
function showEnd() {
  log.setAttribute("aria-live", "polite");
  title.look();
  const end = document.getElementById("end");
  document.getElementById("verdict").textContent = end.dataset.said;
  scrollTo({ top: 0 });
  document.getElementById("end-title").focus({ preventScroll: true });
}

function finish() {
  clearTimeout(timer);
  if (!voteReveal) return;
  const dialog = voteReveal;
  voteReveal = null;
  removeEventListener("keydown", onKey, true);
  dialog.close();
  dialog.remove();
  showEnd();
}

function step(names) {
  const [name, ...rest] = names;
  voteReveal.dataset.now = name;
  const sentence = voteReveal.querySelector(`p[data-step="${name}"]`);
  if (sentence) document.getElementById("vote-reveal-said").textContent = sentence.textContent;
  wait(STEP[name] * quick, () => (rest.length ? step(rest) : finish()));
}

function count(votes, each, then) {
  const [vote, ...rest] = votes;
  if (!vote) then();
  else {
    vote.classList.add("is-shown");
    wait(each, () => count(rest, each, then));
  }
}

function onKey(event) {
  if (["Control", "Alt", "Shift", "Meta", "Tab"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  finish();
}

function openReveal(dialog) {
  voteReveal = dialog;
  document.body.append(dialog);
  const votes = [...dialog.querySelectorAll("[data-vote]")];
  votes.sort((one, other) => Number(one.dataset.vote) - Number(other.dataset.vote));
  const sentences = [...dialog.querySelectorAll("p[data-step]")];
  const steps = [...sentences.map((p) => p.dataset.step), "verdict"];
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
  const dialog = end.querySelector(".vote-reveal");
  if (ended) for (const open of document.querySelectorAll("dialog[open]")) open.close();
  dialog?.remove(); // it is shown once, whatever is pushed later
  if (ended && dialog && !still.matches && !document.hidden) openReveal(dialog);
  else if (ended) showEnd();
}

export function start() {
  document.addEventListener("fabula:coming", muteLog);
  onFrame(look);
}
