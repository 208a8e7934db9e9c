// A soft chime when it becomes my turn, for those who want it. Off until asked for; the choice
// is this browser's.

import { onFrame } from "./frames.js";

const KEY = "fabula:sound";
const NOTES = [659.25, 880]; // Hz
const button = document.getElementById("sound");

let on = false;
let mine = null; // whose turn it was at the last look: none before the first
let audio = null;

function chime() {
  audio ??= new AudioContext();
  audio.resume();
  NOTES.forEach((frequency, number) => {
    const at = audio.currentTime + number * 0.16;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0005, at + 0.9);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 1);
  });
  document.dispatchEvent(new CustomEvent("fabula:chime"));
}

function look() {
  const now = "mine" in document.getElementById("awaited").dataset;
  if (on && now && mine === false) chime();
  mine = now;
}

function set(value, heard) {
  on = value;
  button.setAttribute("aria-pressed", String(on));
  try {
    localStorage.setItem(KEY, on ? "on" : "");
  } catch {
    // private windows may refuse storage; the choice then lasts as long as the page
  }
  if (on && heard) chime();
}

function remembered() {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

export function start() {
  button.hidden = false;
  set(remembered(), false);
  button.addEventListener("click", () => set(!on, true));
  onFrame(look);
}
