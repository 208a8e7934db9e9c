// Day and night. The phase says which (data-light on #phase); tokens.css turns the colours slowly.
// Whoever wants it always dark or always light says so in the form of lights.html: the server keeps
// it, and this page takes it at once.

import { onFrame } from "./frames.js";

const root = document.documentElement;

/** The browser's own bars take the colour of the page, once it has settled. */
function dress() {
  const paper = getComputedStyle(document.body).backgroundColor;
  document.querySelector("meta[name=theme-color]").content = paper;
}

function look() {
  const { light } = document.getElementById("phase").dataset;
  if (light === root.dataset.light) return;
  root.dataset.light = light;
  requestAnimationFrame(dress); // with the picture: what a frame brings is not held up by it
}

async function keep(event) {
  const form = event.target.closest("form[data-lights]");
  if (!form) return;
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  const answer = await fetch(form.action, { method: "POST", body: data, redirect: "manual" });
  if (answer.type !== "opaqueredirect") return;
  root.dataset.kept = event.submitter.value;
  for (const button of form.querySelectorAll("button[name=light]")) {
    button.setAttribute("aria-pressed", String(button === event.submitter));
  }
  dress();
}

/** The menu goes when one looks elsewhere. */
function shut(event) {
  const menu = document.getElementById("lights");
  if (!menu?.open || (event.type === "click" && menu.contains(event.target))) return;
  if (event.type === "keydown" && event.key !== "Escape") return;
  const held = menu.contains(document.activeElement);
  menu.open = false;
  if (held) menu.querySelector("summary").focus();
}

export function start() {
  dress();
  document.addEventListener("click", shut);
  document.addEventListener("keydown", shut);
  root.addEventListener("transitionend", (event) => {
    if (event.target === root && event.propertyName === "--paper") dress();
  });
  document.addEventListener("submit", keep);
  onFrame(look);
}
