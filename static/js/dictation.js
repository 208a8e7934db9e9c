// Speech instead of writing, where the browser can turn it into text. What is heard is put behind
// what was written; it is a draft like any other, and nothing is sent by speaking.

import { say } from "./aloud.js";

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const button = document.getElementById("dictate");
const field = document.getElementById("composer");

let listening = null;
let before = ""; // what was written when listening began
let shown = ""; // what the last result made of it

function write(heard) {
  if (field.value !== shown) before = field.value; // edited, or sent, meanwhile
  const space = before && !/\s$/.test(before) ? " " : "";
  shown = field.value = before + space + heard.trim();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function ended() {
  listening = null;
  button.setAttribute("aria-pressed", "false");
}

function begin() {
  listening = new Recognition();
  listening.lang = document.documentElement.lang;
  listening.interimResults = true;
  before = shown = field.value;
  listening.addEventListener("result", ({ results }) => {
    write([...results].map((result) => result[0].transcript).join(" "));
  });
  listening.addEventListener("error", ({ error }) => {
    if (error !== "no-speech" && error !== "aborted") say(button.dataset.refused);
  });
  listening.addEventListener("end", ended);
  button.setAttribute("aria-pressed", "true");
  listening.start();
}

export function start() {
  if (!Recognition || !button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    if (listening) listening.stop();
    else begin();
    field.focus();
  });
  field.form.addEventListener("htmx:beforeRequest", () => listening?.abort());
}
