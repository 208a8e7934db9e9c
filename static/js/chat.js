// The chat before and after a game: what was sent leaves the field, what was refused stays in it.

import { onFrame } from "./frames.js";

const form = document.getElementById("talk");

export function start() {
  if (!form) return;
  const field = form.elements.words;
  let sent = "";
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.requestConfig?.elt === form) sent = field.value;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig?.elt !== form || !event.detail.successful) return;
    if (field.value === sent) field.value = "";
  });
  onFrame(() => {
    const lines = document.getElementById("chat");
    lines.scrollTop = lines.scrollHeight;
  });
}
