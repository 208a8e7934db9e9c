// Reads what is said at the table aloud, with the browser's own voices, for those who want it. A
// player keeps one voice, pitch and speed: they follow from the name, so that they tell nothing that
// the page does not. Only voices of this machine are used: no words leave it. The lines stay.

import { onFrame } from "./frames.js";
import { isWanted, want } from "./wishes.js";

const WISH = "voices";
const button = document.getElementById("voices");
const list = document.getElementById("transcript");
const speech = window.speechSynthesis;
const language = document.documentElement.lang;

let on = false;
let last = 0; // the position of the last line that was there, read or not

/** A number of 0 to `count` - 1 that depends on `name` alone. */
function numberOf(name, count) {
  let hash = 2166136261; // FNV-1a
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619) >>> 0;
  return hash % count;
}

/** The voices of this machine in the page's language, in an order that does not change. */
function voices() {
  const own = speech.getVoices().filter((voice) => voice.localService);
  const fit = own.filter((voice) => voice.lang.slice(0, 2) === language.slice(0, 2));
  return fit.sort((one, other) => one.voiceURI.localeCompare(other.voiceURI));
}

function read(entry) {
  const name = entry.querySelector(".speaker").firstChild.textContent.trim();
  const words = new SpeechSynthesisUtterance(entry.querySelector(".words").textContent.trim());
  const known = voices();
  if (!known.length) return;
  words.voice = known[numberOf(name, known.length)];
  words.lang = words.voice.lang;
  words.pitch = 0.7 + numberOf(`${name} pitch`, 8) / 10;
  words.rate = 0.95 + numberOf(`${name} rate`, 5) / 20;
  speech.speak(words);
}

/** Reads the lines that have come since the last look, but no own ones. */
function look() {
  const fresh = [...list.querySelectorAll("[data-position]")].filter(
    (entry) => Number(entry.dataset.position) > last,
  );
  for (const entry of fresh) {
    last = Math.max(last, Number(entry.dataset.position));
    if (!on || !entry.matches(".entry-statement")) continue;
    if (entry.matches(".is-mine")) speech.cancel(); // whoever answers has heard enough
    else if (!entry.querySelector(".words.stage")) read(entry);
  }
}

function set(value) {
  on = value;
  button.setAttribute("aria-pressed", String(on));
  want(WISH, on);
  if (!on) speech.cancel();
}

/** Shows the button where this machine has a voice for the page's language. */
function offer() {
  button.hidden = !voices().length;
}

export function start() {
  if (!speech) return;
  look(); // what is there already was read by eye
  set(isWanted(WISH));
  button.addEventListener("click", () => set(!on));
  addEventListener("pagehide", () => speech.cancel());
  speech.addEventListener("voiceschanged", offer); // some browsers load their voices only now
  offer();
  onFrame(look);
}
