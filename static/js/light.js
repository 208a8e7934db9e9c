// Day and night. The phase says which (data-light on #phase); the whole page turns with one slow
// cross-fade, where the browser can and the reader has not asked for stillness.

import { onFrame } from "./frames.js";

const root = document.documentElement;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function turn(light) {
  root.dataset.light = light;
  const paper = getComputedStyle(document.body).backgroundColor;
  document.querySelector("meta[name=theme-color]").content = paper;
}

function look() {
  const { light } = document.getElementById("phase").dataset;
  if (light === root.dataset.light) return;
  if (document.startViewTransition && !still.matches && !document.hidden) {
    const change = document.startViewTransition(() => turn(light));
    // a quicker turn of the page skips this one, which is no error
    for (const step of [change.ready, change.finished]) step.catch(() => {});
  } else {
    turn(light);
  }
}

export function start() {
  turn(root.dataset.light);
  onFrame(look);
}
